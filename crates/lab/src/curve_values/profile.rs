//! How an engine's own evaluation command is asked and read: a small TOML file.

use crate::LabError;
use evalsmith_core::Protocol;
use evalsmith_core::files::{MOST_SETTINGS, read_text_at_most};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The profiles that come with the program.
const KNOWN: [(&str, &str); 4] = [
    ("stockfish", include_str!("stockfish.toml")),
    ("fairy-stockfish", include_str!("fairy-stockfish.toml")),
    ("fairy-stockfish-shogi", include_str!("fairy-stockfish-shogi.toml")),
    ("gnugo", include_str!("gnugo.toml")),
];

/// An engine's own evaluation command.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EvalProfile {
    /// The protocol in which the position is shown.
    pub protocol: Protocol,
    /// The command.
    pub ask: String,
    /// The line that holds the value begins with this, or has it somewhere; the
    /// value is the first number behind it.
    #[serde(default)]
    pub line: String,
    /// What precedes a value that is good for the first player ("B+").
    #[serde(default)]
    pub plus: Option<String>,
    /// What precedes a value that is good for the second player ("W+").
    #[serde(default)]
    pub minus: Option<String>,
    /// Whether the value is the mover's; otherwise it is the first player's.
    #[serde(default)]
    pub mover: bool,
    /// By what the value is multiplied: 100 where pawns are to be centipawns.
    #[serde(default = "one")]
    pub times: f64,
    /// Options that the command needs.
    #[serde(default)]
    pub options: Vec<(String, String)>,
    /// The Debian package that brings the engine.
    #[serde(default)]
    pub package: Option<String>,
}

fn one() -> f64 {
    1.0
}

/// What a line says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Reading {
    Value(f64),
    /// It is the line, but there is no value on it.
    Nothing,
}

impl EvalProfile {
    /// The profile of a name, or in a file.
    ///
    /// # Errors
    /// When there is neither, or the file is no profile.
    pub fn open(name: &str) -> Result<Self, LabError> {
        if let Some((_, text)) = KNOWN.iter().find(|(known, _)| *known == name) {
            return Self::parse(text, Path::new(name));
        }
        let path = Path::new(name);
        if !path.exists() {
            let known = KNOWN.map(|(name, _)| name).join(", ");
            return Err(LabError::Settings(format!(
                "{name} is neither a file nor one of the profiles {known}"
            )));
        }
        let text = read_text_at_most(path, MOST_SETTINGS).map_err(LabError::io(path))?;
        Self::parse(&text, path)
    }

    fn parse(text: &str, path: &Path) -> Result<Self, LabError> {
        let unreadable = |reason: String| LabError::Unreadable { path: path.to_owned(), reason };
        let profile: Self = toml::from_str(text).map_err(|e| unreadable(e.to_string()))?;
        if profile.ask.trim().is_empty() || profile.ask.contains(['\n', '\r']) {
            return Err(unreadable("`ask` must be a command of one line".into()));
        }
        if !profile.times.is_finite() || profile.times == 0.0 {
            return Err(unreadable(format!("`times` is {}; give a factor", profile.times)));
        }
        Ok(profile)
    }

    /// Reads a line of the answer; none where it is not the line with the value.
    pub(super) fn read(&self, line: &str) -> Option<Reading> {
        let at = line.find(&self.line)?;
        let rest = &line[at + self.line.len()..];
        if rest.trim().is_empty() {
            return None;
        }
        let number = rest.split_whitespace().find_map(|word| self.number(word));
        let value = number.map(|x| self.times * x).filter(|x| x.is_finite());
        Some(value.map_or(Reading::Nothing, Reading::Value))
    }

    fn number(&self, word: &str) -> Option<f64> {
        let word = word.trim_end_matches([',', ';', ':', ')']).trim_start_matches(['(', ':']);
        let strip = |prefix: &Option<String>| word.strip_prefix(prefix.as_deref()?);
        let (digits, sign) = match (strip(&self.plus), strip(&self.minus)) {
            (Some(digits), _) => (digits, 1.0),
            (None, Some(digits)) => (digits, -1.0),
            (None, None) => (word, 1.0),
        };
        digits.parse::<f64>().ok().filter(|x| x.is_finite()).map(|x| sign * x)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shipped_profiles_read_what_their_engines_say() {
        let stockfish = EvalProfile::open("stockfish").expect("a profile");
        let read = |line| stockfish.read(line);
        assert_eq!(read("Final evaluation       +2.25 (white side)"), Some(Reading::Value(225.0)));
        assert_eq!(read("Final evaluation: none (in check)"), Some(Reading::Nothing));
        assert_eq!(read("Classical evaluation   +2.44 (white side)"), None);
        for name in ["fairy-stockfish", "fairy-stockfish-shogi"] {
            let fairy = EvalProfile::open(name).expect("a profile");
            let read = |line| fairy.read(line);
            assert_eq!(read("Total evaluation: 8.25 (white side)"), Some(Reading::Value(825.0)));
            assert_eq!(read("Total evaluation: none (in check)"), Some(Reading::Nothing));
            assert_eq!(fairy.package.as_deref(), Some("fairy-stockfish"));
        }
        let gnugo = EvalProfile::open("gnugo").expect("a profile");
        let line = "W+12.2 (upper bound: -5.5, lower: -5.5)";
        assert_eq!(gnugo.read(line), Some(Reading::Value(-12.2)));
        assert_eq!(gnugo.read("B+5.5 (upper bound: 1)"), Some(Reading::Value(5.5)));
        assert_eq!(gnugo.read("0"), Some(Reading::Value(0.0)));
    }

    #[test]
    fn wrong_profiles_are_told() {
        let missing = EvalProfile::open("no-such-engine").expect_err("unknown").to_string();
        assert!(missing.contains("stockfish"), "{missing}");
        let path = Path::new("mine.toml");
        let typo = EvalProfile::parse("protocol = 'uci'\nasks = 'eval'", path).expect_err("a typo");
        assert!(typo.to_string().contains("asks"), "{typo}");
        let none = EvalProfile::parse("protocol = 'uci'\nask = ''", path).expect_err("no command");
        assert!(none.to_string().contains("ask"), "{none}");
    }
}
