//! Multi-ProbCut (Buro 1995, 1997): a shallow search tells, within an error whose
//! distribution is known, what a deep one would.
//!
//! The error of a check `check` plies deep for a search of `depth` plies with
//! `empties` squares left is taken as normal with mean zero and
//!
//! ```text
//! ln sigma = c0 + c1 depth + c2 check + c3 empties
//! ```
//!
//! one surface for searches that end at a judge's estimate, one for those that
//! reach the end of the game (there depth and empties are the same, and `c1` is
//! zero). A surface, unlike a table of pairs, speaks for depths that were never
//! measured. Checks have the parity of their depth, where slopes lie near one and
//! offsets near zero; sigma is measured about zero offset and unit slope, so what
//! little they differ widens it.
//!
//! Invariant: a check is shallower than what it stands for.

mod fit;
mod samples;

pub use fit::{Cell, FitError, ProbCutFit, ProbCutSample, fit_probcut};
pub use samples::{SampleParams, probcut_samples};

use crate::effort::{Effort, Selectivity};
use crate::value::PER_DISC;
use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

/// The least depth that is checked.
pub(crate) const LEAST_CHECKED: u32 = 3;
/// Fractions of an eighth of a disc in which the table holds sigma.
const FINE: f64 = 16.0;
const SQUARES: usize = 61;

/// The plies of the check for a depth: about half, of the same parity.
pub const fn check_depth(depth: u32) -> u32 {
    2 * (depth / 4) + depth % 2
}

/// The logarithm of a standard deviation in discs, linear in its arguments.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Surface {
    /// At zero.
    pub constant: f64,
    /// For each ply of the deep search.
    pub depth: f64,
    /// For each ply of the check.
    pub check: f64,
    /// For each empty square.
    pub empties: f64,
}

impl Surface {
    /// The standard deviation in discs.
    pub fn sigma(&self, depth: u32, check: u32, empties: u32) -> f64 {
        let [d, c, e] = [depth, check, empties].map(f64::from);
        (self.constant + self.depth * d + self.check * c + self.empties * e).exp()
    }
}

/// How far checks are off.
#[derive(Clone, PartialEq)]
pub struct ProbCut {
    middle: Surface,
    end: Surface,
    /// Sigma in [`FINE`]ths of an eighth of a disc, by empties and depth.
    table: Box<[[u16; SQUARES]; SQUARES]>,
}

static OF_SMALL_PATTERNS: LazyLock<ProbCut> =
    LazyLock::new(|| include_str!("../data/probcut.txt").parse().expect("a test reads this file"));

impl ProbCut {
    /// Checks with these errors, in searches that end before the game and in those
    /// that end with it.
    pub fn new(middle: Surface, end: Surface) -> Self {
        let mut table = Box::new([[0; SQUARES]; SQUARES]);
        for (empties, row) in table.iter_mut().enumerate() {
            for (depth, cell) in row.iter_mut().enumerate() {
                let surface = if depth >= empties { &end } else { &middle };
                let (depth, empties) = (depth as u32, empties as u32);
                let sigma = surface.sigma(depth, check_depth(depth), empties);
                // A float too large for the type becomes its greatest value.
                *cell = (sigma * f64::from(PER_DISC) * FINE).round() as u16;
            }
        }
        Self { middle, end, table }
    }

    /// The model for the judge [`SmallPatterns`](crate::SmallPatterns).
    pub fn of_small_patterns() -> &'static Self {
        &OF_SMALL_PATTERNS
    }

    /// The surface for searches that end before the game.
    pub fn middle(&self) -> &Surface {
        &self.middle
    }

    /// The surface for searches that end with the game.
    pub fn end(&self) -> &Surface {
        &self.end
    }

    /// How far in eighths of a disc a check must lie beyond a bound before the deep
    /// search is left out; none where it never is.
    #[inline(always)]
    pub(crate) fn margin(&self, empties: u32, effort: Effort) -> Option<i32> {
        let tenths = effort.selectivity.tenths()?;
        let last = SQUARES - 1;
        let sigma = self.table[(empties as usize).min(last)][(effort.depth as usize).min(last)];
        let unit = 10 * FINE as u32;
        Some((tenths as u32 * u32::from(sigma)).div_ceil(unit) as i32)
    }

    /// How far a check must lie beyond a bound, in discs.
    pub fn margin_in_discs(&self, empties: u32, depth: u32, level: Selectivity) -> Option<f64> {
        let margin = self.margin(empties, Effort { depth, selectivity: level })?;
        Some(f64::from(margin) / f64::from(PER_DISC))
    }
}

impl fmt::Debug for ProbCut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = f.debug_struct("ProbCut");
        parts.field("middle", &self.middle).field("end", &self.end).finish_non_exhaustive()
    }
}

impl fmt::Display for ProbCut {
    /// Two lines, as they are read back.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, s) in [("middle", &self.middle), ("end", &self.end)] {
            writeln!(f, "{name} {} {} {} {}", s.constant, s.depth, s.check, s.empties)?;
        }
        Ok(())
    }
}

/// A file of error models that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{found:?} where {wanted} should stand; fit the model again")]
pub struct ProbCutError {
    /// What stands there.
    pub found: String,
    /// What would be right.
    pub wanted: &'static str,
}

impl FromStr for ProbCut {
    type Err = ProbCutError;

    fn from_str(text: &str) -> Result<Self, ProbCutError> {
        let mut lines =
            text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
        let mut surface = |name: &str, wanted: &'static str| {
            let line = lines.next().unwrap_or_default();
            let wrong = || ProbCutError { found: line.to_owned(), wanted };
            let mut words = line.split_whitespace();
            if words.next() != Some(name) {
                return Err(wrong());
            }
            let numbers: Vec<f64> = words
                .map(|word| word.parse().ok().filter(|x: &f64| x.is_finite()).ok_or_else(wrong))
                .collect::<Result<_, _>>()?;
            let &[constant, depth, check, empties] = &numbers[..] else { return Err(wrong()) };
            Ok(Surface { constant, depth, check, empties })
        };
        let middle = surface("middle", "the word middle and four numbers")?;
        let end = surface("end", "the word end and four numbers")?;
        Ok(Self::new(middle, end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checks_are_shallower_and_of_the_same_parity() {
        for depth in LEAST_CHECKED..61 {
            let check = check_depth(depth);
            assert!(check < depth && check % 2 == depth % 2, "{depth}: {check}");
        }
    }

    #[test]
    fn a_model_is_read_and_its_margins_grow_with_confidence() {
        let model = ProbCut::of_small_patterns();
        for empties in [12, 20, 36, 50] {
            for depth in [3, 8, empties.min(16)] {
                let margins = Selectivity::ALL.map(|l| model.margin_in_discs(empties, depth, l));
                assert!(margins[..4].is_sorted(), "{margins:?}");
                assert!(margins[0].is_some_and(|m| m > 0.5 && m < 40.0), "{margins:?}");
                assert_eq!(margins[4], None);
            }
        }
    }

    #[test]
    fn models_survive_their_text_and_bad_text_is_named() {
        let surface = |x| Surface { constant: x, depth: 0.1, check: -0.05, empties: 1e-3 };
        let model = ProbCut::new(surface(0.5), surface(1.25));
        assert_eq!(model.to_string().parse(), Ok(model));
        for bad in
            ["", "middle 1 2 3", "middle 1 2 3 4\nend 1 2 x 4", "end 1 2 3 4", "middle 1 2 3 NaN"]
        {
            let error = bad.parse::<ProbCut>().unwrap_err();
            assert!(error.to_string().contains("four numbers"), "{error}");
        }
    }
}
