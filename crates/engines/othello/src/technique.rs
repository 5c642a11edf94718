//! What a search can do without, each to be turned off to see what it gains.
//!
//! Invariant: without any of them the solver's answers are the same; only their price
//! is not. Selective searches leave out other lines when they remember or order
//! otherwise, and their values may differ.

use std::fmt;
use std::str::FromStr;

/// Something that makes searches faster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Technique {
    /// Positions are remembered in a table of whole boards.
    Table,
    /// What the table knows of the children is looked up before any is searched.
    Children,
    /// Stable discs bound the score.
    Stability,
    /// The judge orders the moves.
    Ordering,
    /// Selective searches prepare the exact one.
    Preparation,
    /// Multi-ProbCut leaves out what a shallow search makes improbable.
    Probcut,
}

impl Technique {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Table,
        Self::Children,
        Self::Stability,
        Self::Ordering,
        Self::Preparation,
        Self::Probcut,
    ];

    /// As it is written in commands.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Table => "table",
            Self::Children => "children",
            Self::Stability => "stability",
            Self::Ordering => "ordering",
            Self::Preparation => "preparation",
            Self::Probcut => "probcut",
        }
    }

    /// What it does, in words that follow its name.
    pub const fn description(self) -> &'static str {
        match self {
            Self::Table => "positions remembered",
            Self::Children => "children looked up before they are searched",
            Self::Stability => "stable discs bound the score",
            Self::Ordering => "moves ordered by the judge",
            Self::Preparation => "selective searches before the exact one",
            Self::Probcut => "improbable lines left out (Multi-ProbCut)",
        }
    }
}

impl fmt::Display for Technique {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A word that names no technique.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{found:?} is no technique; write table, children, stability, ordering, preparation or probcut"
)]
pub struct UnknownTechnique {
    /// What was written.
    pub found: String,
}

impl FromStr for Technique {
    type Err = UnknownTechnique;

    fn from_str(text: &str) -> Result<Self, UnknownTechnique> {
        let found = Self::ALL.into_iter().find(|technique| technique.name() == text);
        found.ok_or_else(|| UnknownTechnique { found: text.to_owned() })
    }
}

/// The techniques in use: all of them, unless some are turned off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Techniques {
    off: u8,
}

impl Techniques {
    /// Nothing turned off.
    pub const ALL: Self = Self { off: 0 };

    /// The same without one of them.
    #[must_use]
    pub const fn without(self, technique: Technique) -> Self {
        Self { off: self.off | 1 << technique as u8 }
    }

    #[inline(always)]
    pub(crate) const fn has(self, technique: Technique) -> bool {
        self.off & 1 << technique as u8 == 0
    }
}

impl FromIterator<Technique> for Techniques {
    /// All but those given.
    fn from_iter<I: IntoIterator<Item = Technique>>(off: I) -> Self {
        off.into_iter().fold(Self::ALL, Self::without)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn techniques_have_names_and_are_turned_off_one_by_one() {
        for technique in Technique::ALL {
            assert_eq!(technique.name().parse(), Ok(technique));
            let without = Techniques::ALL.without(technique);
            for other in Technique::ALL {
                assert_eq!(without.has(other), other != technique);
            }
        }
        let error = "magic".parse::<Technique>().unwrap_err().to_string();
        for technique in Technique::ALL {
            assert!(error.contains(technique.name()), "{error}");
        }
    }
}
