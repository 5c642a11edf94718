//! What the program does with datasets of a game without its type.

use crate::LabError;
use crate::any_game::AsAny;
use crate::function::{FunctionName, open};
use crate::self_play::{SelfPlayOrder, self_play};
use evalsmith_core::{Game, Progress};
use evalsmith_data::{
    Dataset, ExportFormat, Exported, Generated, Import, Imported, LabelOrder, Labels, SelfPlay,
    Written, dedupe, export, import, label,
};
use std::path::Path;

/// Everything that needs a game's rules to make or show a dataset.
pub trait AnyData {
    /// Self-play into a dataset; see [`generate_with`](evalsmith_data::generate_with).
    ///
    /// # Errors
    /// As [`generate_with`](evalsmith_data::generate_with), and when a function or
    /// the openings cannot be had.
    fn generate(
        &self,
        order: &SelfPlayOrder,
        plan: &SelfPlay,
        command: &str,
        out: &Path,
        progress: &dyn Progress,
    ) -> Result<Generated, LabError>;

    /// A dataset with one label more, where it is asked for by a search with this
    /// function; see [`label`].
    ///
    /// # Errors
    /// As [`label`], and when the function cannot be had.
    fn label(
        &self,
        data: &Path,
        function: &FunctionName,
        order: &LabelOrder,
        command: &str,
        out: &Path,
        progress: &dyn Progress,
    ) -> Result<Labels, LabError>;

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
    fn generate(
        &self,
        order: &SelfPlayOrder,
        plan: &SelfPlay,
        command: &str,
        out: &Path,
        progress: &dyn Progress,
    ) -> Result<Generated, LabError> {
        self_play(self.game(), self.shipped(), order, plan, command, out, progress)
    }

    fn label(
        &self,
        data: &Path,
        function: &FunctionName,
        order: &LabelOrder,
        command: &str,
        out: &Path,
        progress: &dyn Progress,
    ) -> Result<Labels, LabError> {
        let opened = open(self.game(), function, self.shipped())?;
        let order = LabelOrder { function: opened.identity(function), ..order.clone() };
        let data = Dataset::open(data)?;
        Ok(label(self.game(), &opened, &data, &order, command, out, progress)?)
    }

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
