//! How an outside engine is started: what a person writes in a file.

use evalsmith_core::Protocol;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

/// A program that speaks a protocol.
///
/// ```
/// use evalsmith_protocol::Engine;
/// let engine: Engine = toml::from_str(
///     "protocol = 'uci'
///      command = 'stockfish'
///      options = [['Hash', '16']]
///      patience = { start = 5, unclocked_move = 0.5 }",
/// )?;
/// assert_eq!(engine.patience.unclocked_move.as_millis(), 500);
/// assert_eq!(engine.options, [("Hash".to_owned(), "16".to_owned())]);
/// # Ok::<(), toml::de::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Engine {
    /// What it speaks.
    pub protocol: Protocol,
    /// The program: a path, or a name to be found on the PATH or in Debian's games
    /// folder.
    pub command: PathBuf,
    /// Its arguments.
    #[serde(default)]
    pub arguments: Vec<String>,
    /// The folder it works in; the present one without.
    #[serde(default)]
    pub folder: Option<PathBuf>,
    /// Variables added to its environment.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
    /// Options by name, set in this order. In GTP an option is a command of the
    /// engine's own with its argument (`level` and `8`).
    #[serde(default)]
    pub options: Vec<(String, String)>,
    /// The name in tables; what the engine calls itself without.
    #[serde(default)]
    pub name: Option<String>,
    /// Where everything it writes to its standard error is appended.
    #[serde(default)]
    pub stderr_file: Option<PathBuf>,
    /// How long to wait for it.
    #[serde(default)]
    pub patience: Patience,
}

impl Engine {
    /// The program without arguments or options.
    pub fn new(protocol: Protocol, command: impl Into<PathBuf>) -> Self {
        Self {
            protocol,
            command: command.into(),
            arguments: Vec::new(),
            folder: None,
            environment: BTreeMap::new(),
            options: Vec::new(),
            name: None,
            stderr_file: None,
            patience: Patience::default(),
        }
    }

    /// The same engine with an option set.
    #[must_use]
    pub fn with_option(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.options.push((name.into(), value.into()));
        self
    }

    /// The same engine, waited for so long.
    #[must_use]
    pub fn with_patience(mut self, patience: Patience) -> Self {
        self.patience = patience;
        self
    }
}

/// The longest waits, in seconds where they are written. Whatever is awaited, one
/// of these bounds it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a table such as { start = 20, stop = 5 }")]
pub struct Patience {
    /// From the start of the program to the end of its greetings, and for each
    /// new game.
    #[serde(with = "seconds")]
    pub start: Duration,
    /// For a move that is limited by depth or nodes alone, or not at all.
    #[serde(with = "seconds")]
    pub unclocked_move: Duration,
    /// By how much a move may overstep its time: what pipes and a busy machine
    /// take.
    #[serde(with = "seconds")]
    pub margin: Duration,
    /// Between `stop` and the answer.
    #[serde(with = "seconds")]
    pub stop: Duration,
    /// Between `quit` and the end of the process.
    #[serde(with = "seconds")]
    pub quit: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            start: Duration::from_secs(20),
            unclocked_move: Duration::from_mins(1),
            margin: Duration::from_millis(200),
            stop: Duration::from_secs(5),
            quit: Duration::from_secs(2),
        }
    }
}

/// A wait as a number of seconds, since that is what people write.
mod seconds {
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
    use std::time::Duration;

    const DAY: f64 = 86_400.0;

    pub(super) fn serialize<S: Serializer>(wait: &Duration, to: S) -> Result<S::Ok, S::Error> {
        wait.as_secs_f64().serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
        let seconds = f64::deserialize(from)?;
        let wait = (0.0..=DAY).contains(&seconds).then(|| Duration::from_secs_f64(seconds));
        wait.ok_or_else(|| {
            de::Error::custom(format!("{seconds} is no number of seconds to wait, from 0 to {DAY}"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_are_written_in_seconds_and_read_again() {
        let patience = Patience { stop: Duration::from_millis(1500), ..Patience::default() };
        let text = toml::to_string(&patience).unwrap();
        assert!(text.contains("unclocked_move = 60.0") && text.contains("stop = 1.5"), "{text}");
        assert_eq!(toml::from_str::<Patience>(&text).unwrap(), patience);
        for (written, read) in [("-1", "-1"), ("1e19", "10000000000000000000"), ("nan", "NaN")] {
            let wrong = toml::from_str::<Patience>(&format!("start = {written}")).unwrap_err();
            assert!(
                wrong.to_string().contains(&format!("{read} is no number of seconds")),
                "{wrong}"
            );
        }
    }
}
