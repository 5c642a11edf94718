//! Fits the errors of checks to searches of both depths.
//!
//! Samples are gathered in cells of equal depth, check and (nearly) empties; the
//! surface is the least squares fit to the logarithms of the cells' root mean
//! squares, each cell weighted by its count. What a statistician asks stays beside
//! the model: each cell's own regression and how far the surface misses it.

use super::{ProbCut, Surface};
use std::collections::BTreeMap;

/// Empty squares that one cell takes together.
const BAND: u32 = 4;
/// Cells with fewer samples are left out.
const LEAST_COUNT: usize = 20;

/// The values of one position by two searches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProbCutSample {
    /// Empty squares of the position.
    pub empties: u32,
    /// Plies of the deep search; as many as there are empty squares when it reached
    /// the end of the game.
    pub depth: u32,
    /// Plies of the check.
    pub check: u32,
    /// The deep search's value in discs.
    pub deep: f64,
    /// The check's value in discs.
    pub shallow: f64,
}

/// Samples of one kind, and what was found about them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cell {
    /// Whether the deep searches reached the end of the game.
    pub to_end: bool,
    /// The mean of the empty squares.
    pub empties: f64,
    /// Plies of the deep search; their mean where it reached the end.
    pub depth: f64,
    /// Plies of the check.
    pub check: u32,
    /// Samples.
    pub count: usize,
    /// Of the regression of deep values on the check's.
    pub slope: f64,
    /// Of the same regression, in discs.
    pub offset: f64,
    /// The root mean square of deep value minus check, in discs.
    pub sigma: f64,
    /// What the fitted surface says it is.
    pub modelled: f64,
}

/// A fitted model with its cells.
#[derive(Clone, Debug)]
pub struct ProbCutFit {
    /// The model.
    pub model: ProbCut,
    /// Where it comes from, cell by cell.
    pub cells: Vec<Cell>,
}

/// Why no model could be fitted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FitError {
    /// Too few kinds of samples to determine a surface.
    #[error(
        "{cells} kinds of searches to {kind} with {LEAST_COUNT} samples each, too much alike or too \
         few; give more samples, or more depths"
    )]
    TooFew {
        /// What the searches reached.
        kind: &'static str,
        /// Cells that are full enough.
        cells: usize,
    },
    /// A sample that no search can have made.
    #[error(
        "a sample of depth {depth} with check {check} and {empties} empty squares; a check is shallower"
    )]
    Impossible {
        /// Its depth.
        depth: u32,
        /// Its check.
        check: u32,
        /// Its empty squares.
        empties: u32,
    },
}

/// Fits the errors of checks.
///
/// # Errors
/// When a sample makes no sense, or there are too few.
pub fn fit_probcut(samples: &[ProbCutSample]) -> Result<ProbCutFit, FitError> {
    let mut groups = BTreeMap::<_, Vec<ProbCutSample>>::new();
    for &sample in samples {
        let ProbCutSample { empties, depth, check, deep, shallow } = sample;
        if check >= depth || depth > empties || !(deep - shallow).is_finite() {
            return Err(FitError::Impossible { depth, check, empties });
        }
        let to_end = depth == empties;
        let key = (to_end, if to_end { 0 } else { depth }, check, empties / BAND);
        groups.entry(key).or_default().push(sample);
    }
    let mut cells: Vec<_> = groups
        .iter()
        .filter(|(_, group)| group.len() >= LEAST_COUNT)
        .map(|(&(to_end, ..), group)| cell(to_end, group))
        .collect();
    let middle = surface(&cells, false)?;
    let end = surface(&cells, true)?;
    for cell in &mut cells {
        let s = if cell.to_end { &end } else { &middle };
        let log = s.constant
            + s.depth * cell.depth
            + s.check * f64::from(cell.check)
            + s.empties * cell.empties;
        cell.modelled = log.exp();
    }
    Ok(ProbCutFit { model: ProbCut::new(middle, end), cells })
}

fn cell(to_end: bool, group: &[ProbCutSample]) -> Cell {
    let n = group.len() as f64;
    let mean = |of: &dyn Fn(&ProbCutSample) -> f64| group.iter().map(of).sum::<f64>() / n;
    let (x, y) = (mean(&|s| s.shallow), mean(&|s| s.deep));
    let spread = mean(&|s| (s.shallow - x).powi(2));
    let slope = mean(&|s| (s.shallow - x) * (s.deep - y)) / spread.max(f64::MIN_POSITIVE);
    Cell {
        to_end,
        empties: mean(&|s| s.empties.into()),
        depth: mean(&|s| s.depth.into()),
        check: group[0].check,
        count: group.len(),
        slope,
        offset: y - slope * x,
        sigma: mean(&|s| (s.deep - s.shallow).powi(2)).sqrt(),
        modelled: 0.0,
    }
}

/// The least squares surface through the logarithms of sigma.
///
/// Only positions with few empty squares can be searched to the end for samples. An
/// error that falls with the empty squares there would soon be none at all where the
/// model is used, so such a slope is left out.
fn surface(cells: &[Cell], to_end: bool) -> Result<Surface, FitError> {
    let fitting: Vec<_> = cells.iter().filter(|c| c.to_end == to_end && c.sigma > 0.0).collect();
    // Where the search reaches the end, its depth is the empty squares.
    let row = |c: &Cell| {
        let depth = if to_end { 0.0 } else { c.depth };
        [1.0, depth, c.check.into(), c.empties]
    };
    let mut system = [[0.0; 5]; 4];
    for c in &fitting {
        let (x, weight) = (row(c), c.count as f64);
        for i in 0..4 {
            for j in 0..4 {
                system[i][j] += weight * x[i] * x[j];
            }
            system[i][4] += weight * x[i] * c.sigma.ln();
        }
    }
    let kind = if to_end { "the end of the game" } else { "a judge's estimate" };
    let too_few = FitError::TooFew { kind, cells: fitting.len() };
    let mut found = if to_end { solve(without(system, 1)) } else { solve(system) };
    if to_end && found.is_some_and(|[.., empties]| empties < 0.0) {
        found = solve(without(without(system, 1), 3));
    }
    let [constant, depth, check, empties] = found.ok_or(too_few)?;
    Ok(Surface { constant, depth, check, empties })
}

/// The equations of a fit whose coefficient `i` is nought.
fn without(mut system: [[f64; 5]; 4], i: usize) -> [[f64; 5]; 4] {
    for row in &mut system {
        row[i] = 0.0;
    }
    system[i] = [0.0; 5];
    system[i][i] = 1.0;
    system
}

/// The solution of four linear equations by elimination with pivots.
fn solve(mut rows: [[f64; 5]; 4]) -> Option<[f64; 4]> {
    let scale = rows.iter().flatten().fold(0.0_f64, |a, b| a.max(b.abs()));
    for i in 0..4 {
        let pivot = (i..4).max_by(|&a, &b| rows[a][i].abs().total_cmp(&rows[b][i].abs()))?;
        rows.swap(i, pivot);
        let top = rows[i];
        if top[i].abs() <= 1e-9 * scale.max(1.0) {
            return None;
        }
        for row in rows.iter_mut().skip(i + 1) {
            let factor = row[i] / top[i];
            for (x, t) in row.iter_mut().zip(top) {
                *x -= factor * t;
            }
        }
    }
    let mut x = [0.0; 4];
    for i in (0..4).rev() {
        let known: f64 = (i + 1..4).map(|j| rows[i][j] * x[j]).sum();
        x[i] = (rows[i][4] - known) / rows[i][i];
    }
    Some(x)
}

#[cfg(test)]
mod tests {
    use super::*;
    use evalsmith_core::rng;
    use rand::RngExt;

    /// Samples whose errors follow two known surfaces.
    fn made(middle: Surface, end: Surface, each: usize) -> Vec<ProbCutSample> {
        let mut samples = Vec::new();
        let mut random = rng::stream(1, "errors", 0);
        for empties in (12..48).step_by(4) {
            for (depth, check) in [(3, 1), (4, 2), (5, 3), (6, 2), (8, 4), (12, 6)] {
                for _ in 0..each {
                    let to_end = depth == empties;
                    let s = if to_end { end } else { middle };
                    // The sum of twelve uniform numbers is nearly normal.
                    let normal: f64 = (0..12).map(|_| random.random::<f64>()).sum::<f64>() - 6.0;
                    let shallow = random.random_range(-30.0..30.0);
                    let deep = shallow + normal * s.sigma(depth, check, empties);
                    samples.push(ProbCutSample { empties, depth, check, deep, shallow });
                }
            }
            for check in [2, 4, 6] {
                for _ in 0..each {
                    let normal: f64 = (0..12).map(|_| random.random::<f64>()).sum::<f64>() - 6.0;
                    let shallow = random.random_range(-30.0..30.0);
                    let deep = shallow + normal * end.sigma(empties, check, empties);
                    let depth = empties;
                    samples.push(ProbCutSample { empties, depth, check, deep, shallow });
                }
            }
        }
        samples
    }

    #[test]
    fn known_errors_are_found_again() {
        let middle = Surface { constant: 0.6, depth: 0.06, check: -0.08, empties: 0.01 };
        let end = Surface { constant: 1.1, depth: 0.0, check: -0.05, empties: 0.02 };
        let fit = fit_probcut(&made(middle, end, 400)).unwrap();
        for (found, truth) in [(fit.model.middle(), middle), (fit.model.end(), end)] {
            for (depth, check, empties) in [(3, 1, 12), (8, 4, 12), (12, 2, 44), (5, 3, 30)] {
                let ratio = found.sigma(depth, check, empties) / truth.sigma(depth, check, empties);
                assert!((ratio - 1.0).abs() < 0.1, "{ratio}: {found:?} for {truth:?}");
            }
        }
        for cell in &fit.cells {
            assert!((cell.slope - 1.0).abs() < 0.2, "{cell:?}");
            assert!((cell.sigma / cell.modelled - 1.0).abs() < 0.2, "{cell:?}");
        }
    }

    #[test]
    fn too_few_or_senseless_samples_are_refused() {
        let surface = Surface::default();
        assert!(matches!(fit_probcut(&[]), Err(FitError::TooFew { cells: 0, .. })));
        let few = made(surface, surface, 5);
        assert!(matches!(fit_probcut(&few), Err(FitError::TooFew { .. })));
        for (depth, check, empties, deep) in [(3, 3, 20, 0.0), (9, 3, 8, 0.0), (5, 3, 20, f64::NAN)]
        {
            let bad = ProbCutSample { empties, depth, check, deep, shallow: 0.0 };
            assert!(matches!(fit_probcut(&[bad]), Err(FitError::Impossible { .. })));
        }
    }
}
