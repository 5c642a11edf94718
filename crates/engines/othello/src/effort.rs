//! How deep a midgame search looks, and how much of the tree it trusts itself to
//! leave out.

use std::fmt;
use std::str::FromStr;

/// How readily Multi-ProbCut gives up a line. A cut is made where the model of its
/// error says that it is right with the probability in the name's description.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Selectivity {
    /// 73%: 1.1 standard deviations.
    Daring,
    /// 87%: 1.5 standard deviations.
    Brisk,
    /// 95%: 2.0 standard deviations.
    #[default]
    Careful,
    /// 99%: 2.6 standard deviations.
    Wary,
    /// Nothing is left out.
    Full,
}

impl Selectivity {
    /// From the boldest to none.
    pub const ALL: [Self; 5] = [Self::Daring, Self::Brisk, Self::Careful, Self::Wary, Self::Full];

    /// How sure a cut is.
    pub const fn percent(self) -> u8 {
        match self {
            Self::Daring => 73,
            Self::Brisk => 87,
            Self::Careful => 95,
            Self::Wary => 99,
            Self::Full => 100,
        }
    }

    /// The width of its margins in tenths of a standard deviation; none where
    /// nothing is cut.
    pub(crate) const fn tenths(self) -> Option<i32> {
        match self {
            Self::Daring => Some(11),
            Self::Brisk => Some(15),
            Self::Careful => Some(20),
            Self::Wary => Some(26),
            Self::Full => None,
        }
    }

    pub(crate) const fn bits(self) -> u64 {
        self as u64
    }

    pub(crate) const fn of_bits(bits: u64) -> Self {
        Self::ALL[if bits < 5 { bits as usize } else { 0 }]
    }
}

impl fmt::Display for Selectivity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}%", self.percent())
    }
}

/// A word that names no selectivity.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{found:?} is no selectivity; write daring (73), brisk (87), careful (95), wary (99) or full (100)"
)]
pub struct UnknownSelectivity {
    /// What was written.
    pub found: String,
}

impl FromStr for Selectivity {
    type Err = UnknownSelectivity;

    /// Its name in any case, or its percentage, with or without the sign.
    fn from_str(text: &str) -> Result<Self, UnknownSelectivity> {
        let number = text.strip_suffix('%').unwrap_or(text);
        Self::ALL
            .into_iter()
            .find(|level| {
                number == level.percent().to_string()
                    || text.eq_ignore_ascii_case(&format!("{level:?}"))
            })
            .ok_or_else(|| UnknownSelectivity { found: text.to_owned() })
    }
}

/// What a midgame search is asked to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Effort {
    /// Discs to place; at most the empty squares. A pass is free.
    pub(crate) depth: u32,
    pub(crate) selectivity: Selectivity,
}

impl Effort {
    #[inline(always)]
    #[must_use]
    pub(crate) const fn at(self, depth: u32) -> Self {
        Self { depth, ..self }
    }

    /// Whether what this effort found answers what `other` asks.
    #[inline(always)]
    pub(crate) fn covers(self, other: Self) -> bool {
        self.depth >= other.depth && self.selectivity >= other.selectivity
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_survive_their_bits_and_grow_surer() {
        for level in Selectivity::ALL {
            assert_eq!(Selectivity::of_bits(level.bits()), level);
        }
        assert!(Selectivity::ALL.is_sorted_by_key(|level| level.percent()));
        for level in Selectivity::ALL {
            for text in [level.to_string(), format!("{level:?}"), level.percent().to_string()] {
                assert_eq!(text.parse(), Ok(level));
            }
        }
        for text in ["", "%", "bold", "1000", "95%%"] {
            assert!(text.parse::<Selectivity>().is_err(), "{text}");
        }
        assert!(Selectivity::ALL[..4].is_sorted_by_key(|level| level.tenths()));
    }
}
