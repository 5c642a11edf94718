//! One pass over the rows: log-likelihood, gradient and Fisher information.
//!
//! Rows are taken in blocks that stay in the first-level cache, brought to
//! standard units there, and padded with zeros to a fixed length so that every
//! loop is a loop over an array. Sums run in four lanes in a fixed order, and
//! chunks are added in their own order: the result depends on the data alone.

use super::design::Design;
use rayon::prelude::*;
use std::ops::Range;

/// Rows of a block.
pub(super) const BLOCK: usize = 128;
/// One number per row of a block.
pub(super) type Lane = [f64; BLOCK];

/// What a pass adds up.
#[derive(Clone, Debug)]
pub(super) struct Sums {
    pub(super) log_likelihood: f64,
    pub(super) gradient: Vec<f64>,
    /// The lower triangle of the information.
    pub(super) information: Vec<f64>,
}

impl Sums {
    fn zeros(width: usize) -> Self {
        let triangle = width * (width + 1) / 2;
        Self { log_likelihood: 0.0, gradient: vec![0.0; width], information: vec![0.0; triangle] }
    }

    fn add(&mut self, other: &Self) {
        self.log_likelihood += other.log_likelihood;
        add(&mut self.gradient, &other.gradient);
        add(&mut self.information, &other.information);
    }
}

fn add(to: &mut [f64], from: &[f64]) {
    to.iter_mut().zip(from).for_each(|(a, b)| *a += b);
}

/// The sums over all rows at these weights.
pub(super) fn pass(design: &Design<'_>, weights: &[f64]) -> Sums {
    let sums = |games: &Range<usize>| {
        let mut sums = Sums::zeros(design.width());
        let mut block = Block::new(design.width());
        for rows in blocks(design.pool.rows_of(games)) {
            block.load(design, weights, rows);
            block.add_to(&mut sums);
        }
        sums
    };
    let parts: Vec<Sums> = design.pool.chunks.par_iter().map(sums).collect();
    parts.iter().fold(Sums::zeros(design.width()), |mut total, part| {
        total.add(part);
        total
    })
}

/// Cuts rows into blocks.
pub(super) fn blocks(rows: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let end = rows.end;
    rows.step_by(BLOCK).map(move |start| start..end.min(start + BLOCK))
}

/// Some rows in standard units, with their residuals and variances.
pub(super) struct Block {
    /// Columns, the intercept first; zero past the last row.
    pub(super) x: Vec<Lane>,
    /// Result less probability.
    pub(super) residual: Lane,
    variance: Lane,
    log_likelihood: f64,
}

impl Block {
    pub(super) fn new(width: usize) -> Self {
        Self {
            x: vec![[0.0; BLOCK]; width],
            residual: [0.0; BLOCK],
            variance: [0.0; BLOCK],
            log_likelihood: 0.0,
        }
    }

    /// Takes in the rows and predicts them.
    pub(super) fn load(&mut self, design: &Design<'_>, weights: &[f64], rows: Range<usize>) {
        let n = rows.len();
        let mut log_odds = [weights[0]; BLOCK];
        self.x[0][..n].fill(1.0);
        self.x[0][n..].fill(0.0);
        for ((x, column), &weight) in self.x[1..].iter_mut().zip(&design.columns).zip(&weights[1..])
        {
            let scale = 1.0 / column.deviation;
            let from = &design.pool.columns[column.index][rows.clone()];
            for (x, &raw) in x.iter_mut().zip(from) {
                *x = (f64::from(raw) - column.mean) * scale;
            }
            x[n..].fill(0.0);
            for (sum, x) in log_odds.iter_mut().zip(x.iter()) {
                *sum += weight * x;
            }
        }
        self.predict(&log_odds, &design.pool.points[rows]);
    }

    /// With `e = exp(-|z|)`, both `p` and `1 - p` keep their relative precision,
    /// and the log-likelihood `y z - max(z, 0) - ln (1 + e)` needs one logarithm
    /// a block: factors between 1 and 2 cannot overflow a product of 128.
    fn predict(&mut self, log_odds: &Lane, points: &[f32]) {
        let mut e = [0.0; BLOCK];
        for (e, z) in e.iter_mut().zip(log_odds) {
            *e = (-z.abs()).exp();
        }
        let mut sum = 0.0;
        let mut product = 1.0;
        for (i, &y) in points.iter().enumerate() {
            let (z, e, y) = (log_odds[i], e[i], f64::from(y));
            let larger = 1.0 / (1.0 + e);
            let (p, q) = if z >= 0.0 { (larger, e * larger) } else { (e * larger, larger) };
            self.residual[i] = y * q - (1.0 - y) * p;
            self.variance[i] = p * q;
            sum += y * z - z.max(0.0);
            product *= 1.0 + e;
        }
        self.residual[points.len()..].fill(0.0);
        self.variance[points.len()..].fill(0.0);
        self.log_likelihood = sum - f64::ln(product);
    }

    fn add_to(&self, sums: &mut Sums) {
        sums.log_likelihood += self.log_likelihood;
        let mut weighted = [0.0; BLOCK];
        let mut cell = 0;
        for (i, x) in self.x.iter().enumerate() {
            sums.gradient[i] += dot(x, &self.residual);
            for ((w, x), v) in weighted.iter_mut().zip(x).zip(&self.variance) {
                *w = x * v;
            }
            for other in &self.x[..=i] {
                sums.information[cell] += dot(&weighted, other);
                cell += 1;
            }
        }
    }
}

fn dot(a: &Lane, b: &Lane) -> f64 {
    let mut lanes = [0.0; 8];
    for (a, b) in a.as_chunks::<8>().0.iter().zip(b.as_chunks::<8>().0) {
        for ((lane, a), b) in lanes.iter_mut().zip(a).zip(b) {
            *lane += a * b;
        }
    }
    lanes.iter().sum()
}
