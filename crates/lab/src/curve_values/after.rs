//! When a function is asked for its value: at once, at rest, or after a search.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// When a function is asked for its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum After {
    /// At once: the static value of the position as it stands.
    Nothing,
    /// Once exchanges are played out.
    #[default]
    Quiescence,
    /// After so many plies, and their exchanges.
    Depth(u8),
    /// After so many plies of the game's own search, which leaves out what it is so
    /// sure of, in percent.
    Selective(u8, u8),
}

impl FromStr for After {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |text: &str| text.trim().parse().ok().filter(|n: &u8| *n > 0);
        let searched = || {
            let depth = text.trim().strip_prefix("depth ")?;
            match depth.split_once(" at ") {
                None => number(depth).map(Self::Depth),
                Some((plies, sureness)) => {
                    let percent = number(sureness.trim().strip_suffix('%')?)?;
                    Some(Self::Selective(number(plies)?, percent))
                }
            }
        };
        match text.trim() {
            "nothing" => Ok(Self::Nothing),
            "quiescence" => Ok(Self::Quiescence),
            _ => searched().ok_or_else(|| {
                "write nothing, quiescence, \"depth N\" or \"depth N at P%\"".to_owned()
            }),
        }
    }
}

impl TryFrom<String> for After {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<After> for String {
    fn from(after: After) -> Self {
        after.to_string()
    }
}

impl fmt::Display for After {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nothing => f.write_str("nothing"),
            Self::Quiescence => f.write_str("quiescence"),
            Self::Depth(plies) => write!(f, "depth {plies}"),
            Self::Selective(plies, percent) => write!(f, "depth {plies} at {percent}%"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_survives_its_text() {
        let ways = [After::Nothing, After::Quiescence, After::Depth(3), After::Selective(8, 73)];
        for way in ways {
            assert_eq!(way.to_string().parse(), Ok(way));
        }
        for wrong in ["", "depth", "depth 0", "depth 8 at 73", "depth at 73%", "depth 8 at 0%"] {
            let reason = wrong.parse::<After>().expect_err("no way");
            assert!(reason.contains("depth N at P%"), "{wrong}: {reason}");
        }
    }
}
