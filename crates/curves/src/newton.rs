//! The best weights of a logistic curve over any columns, by likelihood or by
//! squares, with errors clustered by game.
//!
//! With z = Σ w x and g = 1 / (1 + exp(-z)), takeuchi07's MLM maximises
//! Σ n (y ln g + (1-y) ln(1-g)) and its LS minimises Σ n (y-g)². Both are found
//! by Newton's method with halved steps; where the squares are not convex the
//! step is Gauss's and Newton's together. The errors are those of the sandwich
//! A⁻¹BA⁻¹ with the scores of a game summed before they are squared (Liang and
//! Zeger 1986) and the factor G/(G-1). Invariant: rows are added in fixed chunks
//! of whole games, so that no number of threads changes a bit.

use crate::CurveError;
use evalsmith_stats::matrix::Symmetric;
use rayon::prelude::*;
use std::ops::Range;

/// Rows added side by side.
const BLOCK: usize = 128;
/// Rows of a chunk, but for the end of its last game.
const CHUNK: usize = 1 << 14;
/// The step after which the fit is done, in standard errors.
const DONE: f64 = 1e-8;
/// A weight of so many log-odds per typical size of its column means that there
/// is no best one.
const ENDLESS: f64 = 50.0;
/// The ridge for results that the columns separate: a weight of one log-odd per typical
/// size of its column costs half a unit of log-likelihood, as in the learner's fit.
pub(crate) const RIDGE: f64 = 1.0;
/// Decrements at which a regular fit converges quadratically, above rounding.
const NEAR: Range<f64> = 1e-3..0.1;
/// Near the maximum, a step that leaves more than this share of the decrement is slow.
const SLOW: f64 = 0.25;
/// So many slow steps in a row mean that the likelihood has no maximum: under separation
/// the decrement falls by a constant factor, 0.61.
const SLOW_STEPS: u32 = 4;

/// What the weights are best by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Aim {
    /// The likelihood of the results.
    Likelihood,
    /// The squared distances of results and probabilities.
    Squares,
}

/// Rows by column. Rows of one cluster stand together.
pub(crate) struct Rows<'a> {
    pub(crate) columns: Vec<&'a [f64]>,
    /// The points won in each row, at most its count.
    pub(crate) points: &'a [f64],
    /// The positions in each row; one without.
    pub(crate) counts: Option<&'a [f64]>,
    pub(crate) clusters: &'a [u32],
}

/// Where the climb ended.
#[derive(Clone, Debug)]
pub(crate) struct Optimum {
    pub(crate) weights: Vec<f64>,
    /// What was maximised, with the cost of the ridge.
    pub(crate) goal: f64,
    /// The log-likelihood at the weights, whatever they were best by.
    pub(crate) log_likelihood: f64,
    /// The sum of squares at the weights.
    pub(crate) squares: f64,
    /// The covariance of the weights if positions were independent.
    pub(crate) plain: Symmetric,
    /// The covariance of the weights, clustered.
    pub(crate) clustered: Symmetric,
    pub(crate) iterations: u32,
}

/// Climbs from `start`, or from zero.
///
/// # Errors
/// When a column is a combination of others, or there is no best weight.
pub(crate) fn fit(rows: &Rows<'_>, aim: Aim, start: Option<&[f64]>) -> Result<Optimum, CurveError> {
    fit_with(rows, aim, start, 0.0)
}

/// The best value of `fit`, which is given the ridge: without one, or with [`RIDGE`]
/// where results are separated or a column is redundant; and whether it was needed.
///
/// # Errors
/// Whatever `fit` returns, where a ridge does not help.
pub(crate) fn or_ridge<T>(
    fit: impl Fn(f64) -> Result<T, CurveError>,
) -> Result<(T, bool), CurveError> {
    match fit(0.0) {
        Err(CurveError::NoBest | CurveError::Redundant { .. }) => Ok((fit(RIDGE)?, true)),
        other => Ok((other?, false)),
    }
}

/// The same with a ridge: weights are drawn to zero. It keeps them finite where the
/// columns separate wins from losses.
///
/// # Errors
/// When there is no best weight all the same or, without a ridge, a column is a
/// combination of others.
pub(crate) fn fit_with(
    rows: &Rows<'_>,
    aim: Aim,
    start: Option<&[f64]>,
    ridge: f64,
) -> Result<Optimum, CurveError> {
    let chunks = chunks(rows.clusters);
    let clusters = rows.clusters.chunk_by(|a, b| a == b).count() as f64;
    if clusters < 2.0 {
        return Err(CurveError::TooFewGames);
    }
    let sizes = sizes(rows, ridge)?;
    let penalty = penalty(rows, &sizes, ridge);
    let scaled = |weights: &[f64]| weights.iter().zip(&sizes).map(|(w, s)| w * s).collect();
    let mut weights = start.map_or_else(|| vec![0.0; sizes.len()], scaled);
    let pass = |weights: &[f64]| {
        let mut pass = pass(rows, &sizes, aim, weights, &chunks);
        pass.penalise(weights, &penalty);
        pass
    };
    let mut here = pass(&weights);
    if let Some(column) = redundant(&here.expected) {
        return Err(CurveError::Redundant { column });
    }
    let (mut last, mut slow) = (f64::INFINITY, 0);
    for iterations in 1..=200 {
        let factor = here.curvature.cholesky().or_else(|_| here.expected.cholesky());
        let factor = factor.map_err(|_| CurveError::NoBest)?;
        let step = factor.solve(&here.gradient);
        let decrement: f64 = step.iter().zip(&here.gradient).map(|(s, g)| s * g).sum();
        let is_slow = NEAR.contains(&decrement.abs().sqrt()) && decrement > SLOW * SLOW * last;
        slow = if is_slow { slow + 1 } else { 0 };
        last = decrement;
        if slow >= SLOW_STEPS && ridge == 0.0 && aim == Aim::Likelihood {
            return Err(CurveError::NoBest);
        }
        let mut share = 1.0;
        let next = loop {
            let tried: Vec<f64> = weights.iter().zip(&step).map(|(w, s)| w + share * s).collect();
            let reached = pass(&tried);
            // Rounding alone may lower it next to the maximum.
            if reached.goal >= here.goal - 1e-13 * here.goal.abs() {
                weights = tried;
                break reached;
            }
            share *= 0.5;
            if share < 1e-9 {
                return Err(CurveError::NoBest);
            }
        };
        here = next;
        if weights.iter().any(|w| w.abs() > ENDLESS) {
            return Err(CurveError::NoBest);
        }
        if decrement.abs() <= DONE * DONE && share == 1.0 {
            return finish(&here, weights, &sizes, clusters, iterations);
        }
    }
    Err(CurveError::NoBest)
}

fn finish(
    here: &Pass,
    mut weights: Vec<f64>,
    sizes: &[f64],
    clusters: f64,
    iterations: u32,
) -> Result<Optimum, CurveError> {
    let factor = here.curvature.cholesky().map_err(|_| CurveError::NoBest)?;
    let bread = factor.inverse();
    let unscale: Vec<Vec<f64>> = (0..sizes.len())
        .map(|i| (0..sizes.len()).map(|j| if i == j { 1.0 / sizes[i] } else { 0.0 }).collect())
        .collect();
    let sandwich = |inner: &Symmetric| inner.transformed(&bread.rows()).transformed(&unscale);
    let mut clustered = sandwich(&here.meat);
    clustered.scale(clusters / (clusters - 1.0));
    let plain = sandwich(&here.spread);
    weights.iter_mut().zip(sizes).for_each(|(w, s)| *w /= s);
    let &Pass { goal, log_likelihood, squares, .. } = here;
    Ok(Optimum { weights, goal, log_likelihood, squares, plain, clustered, iterations })
}

/// The root mean square of each column: Newton's method then sees numbers of one
/// size, whatever the columns' units. A ridge bears with a column of zeros.
fn sizes(rows: &Rows<'_>, ridge: f64) -> Result<Vec<f64>, CurveError> {
    let size = |(column, x): (usize, &&[f64])| {
        let size = (x.iter().map(|x| x * x).sum::<f64>() / x.len() as f64).sqrt();
        if size > 0.0 && size.is_finite() {
            Ok(size)
        } else if size == 0.0 && ridge > 0.0 {
            Ok(1.0)
        } else {
            Err(CurveError::Redundant { column })
        }
    };
    rows.columns.iter().enumerate().map(size).collect()
}

/// What a scaled weight costs. Every position counts alike, so that the cost does not
/// depend on how positions are gathered into rows; a column of zeros has a weight of zero.
fn penalty(rows: &Rows<'_>, sizes: &[f64], ridge: f64) -> Vec<f64> {
    let count = |row: usize| rows.counts.map_or(1.0, |counts| counts[row]);
    let all: f64 = (0..rows.points.len()).map(count).sum();
    let cost = |(x, size): (&&[f64], &f64)| {
        let squares: f64 = x.iter().enumerate().map(|(row, x)| count(row) * x * x).sum();
        if squares > 0.0 { ridge * squares / all / (size * size) } else { ridge }
    };
    if ridge == 0.0 {
        return vec![0.0; sizes.len()];
    }
    rows.columns.iter().zip(sizes).map(cost).collect()
}

fn redundant(information: &Symmetric) -> Option<usize> {
    let kept = information.independent(1e-10);
    (0..information.size()).find(|i| !kept.contains(i))
}

/// Ranges of rows that begin with a cluster.
fn chunks(clusters: &[u32]) -> Vec<Range<usize>> {
    let mut chunks = Vec::new();
    let mut begin = 0;
    while begin < clusters.len() {
        let mut end = (begin + CHUNK).min(clusters.len());
        while end < clusters.len() && clusters[end] == clusters[end - 1] {
            end += 1;
        }
        chunks.push(begin..end);
        begin = end;
    }
    chunks
}

/// What a pass over the rows adds up.
struct Pass {
    /// What the climb maximises.
    goal: f64,
    log_likelihood: f64,
    squares: f64,
    gradient: Vec<f64>,
    /// Minus the second derivatives of the goal.
    curvature: Symmetric,
    /// Their expectation, which is never negative.
    expected: Symmetric,
    /// The squared scores of the positions.
    spread: Symmetric,
    /// The squared scores of the clusters.
    meat: Symmetric,
}

impl Pass {
    /// Subtracts half of `penalty` times the squared weights from the goal.
    fn penalise(&mut self, weights: &[f64], penalty: &[f64]) {
        self.goal -= weights.iter().zip(penalty).map(|(w, p)| 0.5 * p * w * w).sum::<f64>();
        for (g, (w, p)) in self.gradient.iter_mut().zip(weights.iter().zip(penalty)) {
            *g -= p * w;
        }
        self.curvature.add_to_diagonal(penalty);
        self.expected.add_to_diagonal(penalty);
    }
}

fn pass(
    rows: &Rows<'_>,
    sizes: &[f64],
    aim: Aim,
    weights: &[f64],
    chunks: &[Range<usize>],
) -> Pass {
    let parts: Vec<Sums> =
        chunks.par_iter().map(|rows_of| chunk(rows, sizes, aim, weights, rows_of)).collect();
    let mut total = Sums::zeros(weights.len());
    for part in &parts {
        total.add(part);
    }
    let matrix = |lower| Symmetric::from_lower(weights.len(), lower);
    Pass {
        goal: match aim {
            Aim::Likelihood => total.log_likelihood,
            Aim::Squares => -0.5 * total.squares,
        },
        log_likelihood: total.log_likelihood,
        squares: total.squares,
        gradient: total.gradient,
        curvature: matrix(total.curvature),
        expected: matrix(total.expected),
        spread: matrix(total.spread),
        meat: matrix(total.meat),
    }
}

struct Sums {
    log_likelihood: f64,
    squares: f64,
    gradient: Vec<f64>,
    /// Lower triangles.
    curvature: Vec<f64>,
    expected: Vec<f64>,
    spread: Vec<f64>,
    meat: Vec<f64>,
}

impl Sums {
    fn zeros(width: usize) -> Self {
        let triangle = || vec![0.0; width * (width + 1) / 2];
        Self {
            log_likelihood: 0.0,
            squares: 0.0,
            gradient: vec![0.0; width],
            curvature: triangle(),
            expected: triangle(),
            spread: triangle(),
            meat: triangle(),
        }
    }

    fn add(&mut self, other: &Self) {
        let add = |to: &mut [f64], from: &[f64]| {
            to.iter_mut().zip(from).for_each(|(a, b)| *a += b);
        };
        self.log_likelihood += other.log_likelihood;
        self.squares += other.squares;
        add(&mut self.gradient, &other.gradient);
        add(&mut self.curvature, &other.curvature);
        add(&mut self.expected, &other.expected);
        add(&mut self.spread, &other.spread);
        add(&mut self.meat, &other.meat);
    }
}

/// The sums over some rows. By likelihood, expectation and curvature are one.
fn chunk(
    rows: &Rows<'_>,
    sizes: &[f64],
    aim: Aim,
    weights: &[f64],
    rows_of: &Range<usize>,
) -> Sums {
    let width = weights.len();
    let mut sums = Sums::zeros(width);
    let mut x = vec![[0.0; BLOCK]; width];
    let mut lanes = Lanes::default();
    let mut score = vec![0.0; width];
    let mut begin = rows_of.start;
    while begin < rows_of.end {
        let block = begin..(begin + BLOCK).min(rows_of.end);
        for ((lane, column), size) in x.iter_mut().zip(&rows.columns).zip(sizes) {
            lane.fill(0.0);
            for (to, from) in lane.iter_mut().zip(&column[block.clone()]) {
                *to = from / size;
            }
        }
        lanes.predict(rows, aim, weights, &x, &block, &mut sums);
        lanes.add(&x, aim, &mut sums);
        let n = block.len();
        let ids = &rows.clusters[block.clone()];
        for i in 0..n {
            for (s, lane) in score.iter_mut().zip(&x) {
                *s += lane[i] * lanes.score[i];
            }
            let next = begin + i + 1;
            if next == rows_of.end || rows.clusters[next] != ids[i] {
                add_outer(&mut sums.meat, &score);
                score.fill(0.0);
            }
        }
        begin = block.end;
    }
    if aim == Aim::Likelihood {
        sums.expected.clone_from(&sums.curvature);
        sums.spread.clone_from(&sums.curvature);
    }
    sums
}

fn add_outer(lower: &mut [f64], x: &[f64]) {
    let mut cells = lower.iter_mut();
    for i in 0..x.len() {
        for (value, cell) in x[..=i].iter().zip(&mut cells) {
            *cell += x[i] * value;
        }
    }
}

/// What the rows of a block add to the sums, per unit of their columns.
struct Lanes {
    score: [f64; BLOCK],
    curvature: [f64; BLOCK],
    expected: [f64; BLOCK],
    spread: [f64; BLOCK],
}

impl Default for Lanes {
    fn default() -> Self {
        let zeros = [0.0; BLOCK];
        Self { score: zeros, curvature: zeros, expected: zeros, spread: zeros }
    }
}

impl Lanes {
    fn predict(
        &mut self,
        rows: &Rows<'_>,
        aim: Aim,
        weights: &[f64],
        x: &[[f64; BLOCK]],
        block: &Range<usize>,
        sums: &mut Sums,
    ) {
        let mut log_odds = [0.0; BLOCK];
        for (lane, weight) in x.iter().zip(weights) {
            for (z, x) in log_odds.iter_mut().zip(lane) {
                *z += weight * x;
            }
        }
        *self = Self::default();
        for (i, row) in block.clone().enumerate() {
            let (n, points) = (rows.counts.map_or(1.0, |c| c[row]), rows.points[row]);
            let z: f64 = log_odds[i];
            // With e = exp(-|z|), both g and 1 - g keep their relative precision.
            let e = (-z.abs()).exp();
            let (larger, smaller) = (1.0 / (1.0 + e), e / (1.0 + e));
            let (g, q) = if z >= 0.0 { (larger, smaller) } else { (smaller, larger) };
            let left = points * q - (n - points) * g;
            let softplus = e.ln_1p();
            let (won, lost) = (softplus + (-z).max(0.0), softplus + z.max(0.0));
            sums.log_likelihood -= points * won + (n - points) * lost;
            sums.squares += left * left / n;
            match aim {
                Aim::Likelihood => {
                    self.score[i] = left;
                    self.curvature[i] = n * g * q;
                }
                Aim::Squares => {
                    let slope = g * q;
                    self.score[i] = left * slope;
                    self.expected[i] = n * slope * slope;
                    self.curvature[i] = n * slope * slope - left * slope * (q - g);
                    self.spread[i] = left * left / n * slope * slope;
                }
            }
        }
    }

    fn add(&self, x: &[[f64; BLOCK]], aim: Aim, sums: &mut Sums) {
        let triangle = |to: &mut [f64], by: &[f64; BLOCK]| {
            let mut cells = to.iter_mut();
            let mut weighted = [0.0; BLOCK];
            for (i, lane) in x.iter().enumerate() {
                for ((w, x), by) in weighted.iter_mut().zip(lane).zip(by) {
                    *w = x * by;
                }
                for (other, cell) in x[..=i].iter().zip(&mut cells) {
                    *cell += dot(&weighted, other);
                }
            }
        };
        triangle(&mut sums.curvature, &self.curvature);
        if aim == Aim::Squares {
            triangle(&mut sums.expected, &self.expected);
            triangle(&mut sums.spread, &self.spread);
        }
        for (g, lane) in sums.gradient.iter_mut().zip(x) {
            *g += dot(lane, &self.score);
        }
    }
}

/// In eight lanes, which run in parallel within a core, yet in one order.
fn dot(a: &[f64; BLOCK], b: &[f64; BLOCK]) -> f64 {
    let mut lanes = [0.0; 8];
    for (a, b) in a.as_chunks::<8>().0.iter().zip(b.as_chunks::<8>().0) {
        for i in 0..8 {
            lanes[i] += a[i] * b[i];
        }
    }
    lanes.iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    struct Table {
        x: Vec<f64>,
        y: Vec<f64>,
        points: Vec<f64>,
        games: Vec<u32>,
    }

    /// Games of three positions, by a small generator anybody can copy.
    fn table(rows: u32) -> Table {
        let mut state = 12_345_u64;
        let mut uniform = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as f64 / f64::from(1_u32 << 31)
        };
        let mut table = Table { x: vec![], y: vec![], points: vec![], games: vec![] };
        for row in 0..rows {
            let (x, y) = (4.0 * uniform() - 2.0, 200.0 * uniform() - 100.0);
            let won = uniform() < 1.0 / (1.0 + (-(0.8 * x + 0.01 * y)).exp());
            table.x.push(x);
            table.y.push(y);
            table.points.push(f64::from(u8::from(won)));
            table.games.push(row / 3);
        }
        table
    }

    fn rows(table: &Table) -> Rows<'_> {
        let columns = vec![&table.x[..], &table.y[..]];
        Rows { columns, points: &table.points, counts: None, clusters: &table.games }
    }

    #[test]
    fn the_slope_of_the_goal_vanishes_at_the_best_weights() {
        let table = table(900);
        for aim in [Aim::Likelihood, Aim::Squares] {
            let best = fit(&rows(&table), aim, None).expect("a maximum");
            let goal = |weights: [f64; 2]| -> f64 {
                (0..900)
                    .map(|i| {
                        let z = weights[0] * table.x[i] + weights[1] * table.y[i];
                        let (g, y) = (1.0 / (1.0 + (-z).exp()), table.points[i]);
                        match aim {
                            Aim::Likelihood => y * g.ln() + (1.0 - y) * (1.0 - g).ln(),
                            Aim::Squares => -(y - g) * (y - g),
                        }
                    })
                    .sum()
            };
            let at = [best.weights[0], best.weights[1]];
            let top = goal(at);
            for (i, step) in [(0, 1e-3), (1, 1e-5)] {
                for sign in [-1.0, 1.0] {
                    let mut near = at;
                    near[i] += sign * step;
                    assert!(goal(near) < top, "{aim:?} is better at {near:?} than at {at:?}");
                }
            }
            let told = if aim == Aim::Squares { -best.squares } else { best.log_likelihood };
            assert!((told - top).abs() < 1e-9, "{aim:?}: {told} is not {top}");
            assert!((at[0] - 0.8).abs() < 0.3 && (at[1] - 0.01).abs() < 0.004, "{at:?}");
        }
    }

    #[test]
    fn results_that_are_parted_and_columns_that_repeat_are_refused() {
        let mut table = table(90);
        table.y = table.x.iter().map(|x| -3.0 * x).collect();
        let repeated = fit(&rows(&table), Aim::Likelihood, None).expect_err("one column twice");
        assert_eq!(repeated, CurveError::Redundant { column: 1 });
        table.y = (0..90).map(|i| f64::from(i % 7)).collect();
        table.points = table.x.iter().map(|&x| f64::from(u8::from(x > 0.0))).collect();
        for aim in [Aim::Likelihood, Aim::Squares] {
            assert_eq!(fit(&rows(&table), aim, None).expect_err("parted"), CurveError::NoBest);
        }
    }

    proptest! {
        /// Positions one by one, or counted together, give the same fit.
        #[test]
        fn counts_stand_for_their_positions(points in prop::collection::vec((0..=5_u8, -3..=3_i8), 8..40)) {
            let (mut x, mut won, mut counts, mut games) = (vec![], vec![], vec![], vec![]);
            let (mut each, mut each_won, mut each_games) = (vec![], vec![], vec![]);
            for (game, &(wins, value)) in (0_u32..).zip(&points) {
                x.push(f64::from(value) + 0.5);
                won.push(f64::from(wins));
                counts.push(5.0);
                games.push(game);
                for i in 0..5 {
                    each.push(f64::from(value) + 0.5);
                    each_won.push(f64::from(u8::from(i < wins)));
                    each_games.push(game);
                }
            }
            let together = Rows { columns: vec![&x], points: &won, counts: Some(&counts), clusters: &games };
            let apart = Rows { columns: vec![&each], points: &each_won, counts: None, clusters: &each_games };
            let fits = [together, apart].map(|rows| fit(&rows, Aim::Likelihood, None));
            if let [Ok(a), Ok(b)] = fits {
                prop_assert!((a.weights[0] - b.weights[0]).abs() < 1e-7);
                let (a, b) = (a.clustered.get(0, 0), b.clustered.get(0, 0));
                prop_assert!((a - b).abs() < 1e-7 * (1.0 + b));
            }
        }
    }
}
