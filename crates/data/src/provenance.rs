//! What a dataset was made from, and how that was made in turn.

use crate::{DataError, Dataset, Digest};
use serde::{Deserialize, Serialize};

/// A file or a dataset that rows were made from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Input {
    /// Where it lay; `-` is what came through a pipe.
    pub path: String,
    /// Of a file's bytes or of a dataset's rows; none for a pipe.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<Digest>,
    /// The command that made a dataset.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// What that dataset was made from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<Input>,
}

impl Input {
    /// A file of records.
    pub(crate) fn file(path: String, digest: Option<Digest>) -> Self {
        Self { path, digest, command: None, inputs: Vec::new() }
    }

    /// A dataset.
    pub(crate) fn dataset(dataset: &Dataset) -> Result<Self, DataError> {
        let manifest = dataset.manifest();
        Ok(Self {
            path: dataset.dir().display().to_string(),
            digest: Some(dataset.digest()?),
            command: Some(manifest.command.clone()),
            inputs: manifest.inputs.clone(),
        })
    }

    fn append_commands<'a>(&'a self, commands: &mut Vec<&'a str>) {
        for input in &self.inputs {
            input.append_commands(commands);
        }
        if let Some(command) = &self.command
            && !commands.contains(&command.as_str())
        {
            commands.push(command);
        }
    }
}

/// The commands that make a dataset again, in the order in which to run them.
pub(crate) fn commands<'a>(own: &'a str, inputs: &'a [Input]) -> Vec<&'a str> {
    let mut commands = Vec::new();
    for input in inputs {
        input.append_commands(&mut commands);
    }
    commands.push(own);
    commands
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_come_in_the_order_to_run_them_and_once() {
        let dataset = |command: &str, inputs: &[Input]| Input {
            path: command.to_owned(),
            digest: Some(Digest(7)),
            command: Some(command.to_owned()),
            inputs: inputs.to_vec(),
        };
        let file = Input::file("a.pgn".to_owned(), None);
        let imported = dataset("import", &[file]);
        let inputs =
            [dataset("sample", std::slice::from_ref(&imported)), dataset("dedupe", &[imported])];
        assert_eq!(commands("merge", &inputs), ["import", "sample", "dedupe", "merge"]);
    }
}
