//! An outside engine that is asked for its own value of self-play's positions, where
//! the records that a paper used are not at hand.

use super::Ground;
use crate::LabError;
use crate::curve_values::{EvalProfile, Question, ValueOrder, locate, rows_of_dataset, value_rows};
use evalsmith_core::files::write_atomically;
use evalsmith_data::Sheet;
use evalsmith_protocol::Engine;
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::path::{Path, PathBuf};

/// The column of the engine's values.
pub(super) const ENGINE: &str = "engine";

/// The engine and how it is asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AskedEngine {
    pub(super) command: String,
    #[serde(default)]
    arguments: Vec<String>,
    /// The profile of its evaluation command.
    profile: String,
    /// Every so-manieth position is asked about.
    pub(super) every: usize,
}

impl AskedEngine {
    /// Its program.
    pub(super) fn locate(&self) -> Result<PathBuf, LabError> {
        locate(&self.command, EvalProfile::open(&self.profile)?.package.as_deref())
    }

    /// Adds a column of the engine's values to a table of our own values of a dataset,
    /// which has the same rows. Answers are kept, so that nothing is asked twice.
    pub(super) fn add_values(
        &self,
        ground: &Ground<'_>,
        program: &Path,
        data: &Path,
        table: &Path,
        answers: &Path,
    ) -> Result<(), LabError> {
        let sheet = Sheet::open(table)?;
        if sheet.names().iter().any(|name| name == ENGINE) {
            return Ok(());
        }
        let profile = EvalProfile::open(&self.profile)?;
        let mut rows = rows_of_dataset(ground.game, data, profile.protocol, ground.progress)?;
        rows.ask_only_every(self.every);
        let mut engine = Engine::new(profile.protocol, program);
        engine.arguments.clone_from(&self.arguments);
        let order = ValueOrder { engine, question: Question::Eval(profile), processes: 2 };
        let valued = value_rows(&rows, &order, answers, ground.progress)?;
        let mut values = valued.values.into_iter();
        let mut text = sheet.names().join("\t") + "\t" + ENGINE + "\n";
        sheet.texts(|cells| -> Result<(), LabError> {
            let value = values.next().flatten();
            let cell = value.map_or_else(String::new, |value| value.to_string());
            text += &(cells.join("\t") + "\t" + &cell + "\n");
            Ok(())
        })?;
        write_atomically(table, |file| file.write_all(text.as_bytes())).map_err(LabError::io(table))
    }
}
