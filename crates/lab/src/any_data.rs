//! What the program does with datasets of a game without its type.

use crate::LabError;
use crate::any_game::AsAny;
use evalsmith_core::{Game, Progress};
use evalsmith_data::{
    Dataset, ExportFormat, Exported, Import, Imported, Written, dedupe, export, import,
};
use std::path::Path;

/// Everything that needs a game's rules to make or show a dataset.
pub trait AnyData {
    /// Records into a dataset; see [`import`].
    ///
    /// # Errors
    /// As [`import`].
    fn import(
        &self,
        order: &Import,
        command: &str,
        out: &Path,
        progress: &dyn Progress,
    ) -> Result<Imported, LabError>;

    /// A dataset without repeated positions; see [`dedupe`].
    ///
    /// # Errors
    /// As [`dedupe`].
    fn dedupe(
        &self,
        data: &Path,
        command: &str,
        out: &Path,
        progress: &dyn Progress,
    ) -> Result<Written, LabError>;

    /// A dataset for other programs; see [`export`].
    ///
    /// # Errors
    /// As [`export`].
    fn export(
        &self,
        data: &Path,
        format: ExportFormat,
        out: &Path,
        progress: &dyn Progress,
    ) -> Result<Exported, LabError>;
}

impl<G: Game> AnyData for AsAny<G> {
    fn import(
        &self,
        order: &Import,
        command: &str,
        out: &Path,
        progress: &dyn Progress,
    ) -> Result<Imported, LabError> {
        Ok(import(self.game(), order, command, out, progress)?)
    }

    fn dedupe(
        &self,
        data: &Path,
        command: &str,
        out: &Path,
        progress: &dyn Progress,
    ) -> Result<Written, LabError> {
        Ok(dedupe(self.game(), &Dataset::open(data)?, command, out, progress)?)
    }

    fn export(
        &self,
        data: &Path,
        format: ExportFormat,
        out: &Path,
        progress: &dyn Progress,
    ) -> Result<Exported, LabError> {
        Ok(export(self.game(), &Dataset::open(data)?, format, out, progress)?)
    }
}
