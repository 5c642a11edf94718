//! Pairs of properties, and configurations of three.
//!
//! For "a and b" the common curve is joined by a weight on a and one on b, and what
//! is tested is a third weight where both hold. Then it does not matter which sides
//! of the two thresholds are meant: the four corners differ by what a and b do
//! alone. All pairs are screened by their gain with rows taken as independent, on
//! tables of eight by eight levels; the best are tested with scores summed by game.
//! A configuration of three is a pair, taken for a property of two levels, with
//! another property.

use super::base::Base;
use super::rank::{LEVELS, Ranked};
use super::{By, SearchParams, Tested};
use crate::hats::Place;
use rayon::prelude::*;

const CELLS: usize = LEVELS * LEVELS;

/// A property in levels, in the screening's order of rows.
struct Levelled {
    /// Of which thresholds each level is the first above: property, rank.
    cuts: Vec<Corner>,
    levels: Vec<u8>,
}

/// One half of a joint condition: comparisons that all hold.
pub(super) type Corner = Vec<(usize, u8, By)>;

/// A joint condition: `first` holds, and `second` as well.
#[derive(Clone)]
pub(super) struct Candidate {
    pub(super) first: Corner,
    pub(super) second: Corner,
    pub(super) gain: f64,
}

/// Tests made by the screening, and the best joint conditions, tested.
pub(super) fn search(
    base: &Base,
    ranked: &[Ranked],
    params: &SearchParams,
    promoted: usize,
    parents: usize,
) -> (u64, Vec<Tested>) {
    let screen = Screen::of(base, params);
    let levelled: Vec<Levelled> =
        ranked.par_iter().enumerate().map(|(j, r)| screen.levelled(r, j)).collect();
    let pairs: Vec<(usize, usize)> =
        (0..ranked.len()).flat_map(|a| (a + 1..ranked.len()).map(move |b| (a, b))).collect();
    let screened = pairs.par_iter().map(|&(a, b)| screen.best(&levelled[a], &levelled[b]));
    let (mut tests, best) = gathered(screened.collect(), promoted);
    let mut tested = test_all(base, ranked, &best);

    let mut leading: Vec<&Tested> = tested.iter().collect();
    leading.sort_by(|a, b| b.gain.total_cmp(&a.gain).then_with(|| a.parts.cmp(&b.parts)));
    let triples: Vec<(Levelled, usize)> = leading
        .iter()
        .take(parents)
        .flat_map(|parent| {
            let others = (0..ranked.len()).filter(|j| parent.parts.iter().all(|p| p.0 != *j));
            others.map(|j| (screen.joint(ranked, &parent.parts), j))
        })
        .collect();
    let screened = triples.par_iter().map(|(parent, j)| screen.best(parent, &levelled[*j]));
    let (more, best) = gathered(screened.collect(), promoted);
    tests += more;
    tested.extend(test_all(base, ranked, &best));
    (tests, tested)
}

fn gathered(screened: Vec<(u64, Option<Candidate>)>, promoted: usize) -> (u64, Vec<Candidate>) {
    let tests = screened.iter().map(|(tests, _)| tests).sum();
    let mut best: Vec<Candidate> = screened.into_iter().filter_map(|(_, best)| best).collect();
    best.sort_by(|a, b| {
        let names = |c: &Candidate| (c.first.clone(), c.second.clone());
        b.gain.total_cmp(&a.gain).then_with(|| names(a).cmp(&names(b)))
    });
    best.truncate(promoted);
    (tests, best)
}

fn test_all(base: &Base, ranked: &[Ranked], best: &[Candidate]) -> Vec<Tested> {
    best.par_iter().filter_map(|candidate| test(base, ranked, candidate)).collect()
}

/// What the screening adds up, rows in the order of their hats.
struct Screen<'a> {
    base: &'a Base,
    params: &'a SearchParams,
    order: Vec<u32>,
    /// Rows between two knots.
    segments: Vec<std::ops::Range<usize>>,
    /// Residual, weights of the left and right hats, one.
    rows: Vec<[f32; 4]>,
}

impl<'a> Screen<'a> {
    fn of(base: &'a Base, params: &'a SearchParams) -> Self {
        let mut order: Vec<u32> = (0..base.places.len() as u32).collect();
        order.sort_by_key(|&row| base.places[row as usize].left);
        let left = |at: usize| base.places[order[at] as usize].left;
        let mut segments = vec![0..0; base.hats];
        let mut begin = 0;
        while begin < order.len() {
            let hat = left(begin);
            let length =
                order[begin..].iter().take_while(|&&r| base.places[r as usize].left == hat);
            let end = begin + length.count();
            segments[hat] = begin..end;
            begin = end;
        }
        let row = |&row: &u32| {
            let row = row as usize;
            let (right, w) = (base.places[row].right, base.weights[row]);
            [base.residuals[row] as f32, (w * (1.0 - right)) as f32, (w * right) as f32, 1.0]
        };
        let rows = order.iter().map(row).collect();
        Self { base, params, order, segments, rows }
    }

    fn levelled(&self, ranked: &Ranked, property: usize) -> Levelled {
        let cuts = ranked.cuts();
        let level = |rank: u8| cuts.partition_point(|&cut| cut <= rank) as u8;
        let levels = self.order.iter().map(|&row| level(ranked.ranks[row as usize])).collect();
        Levelled {
            cuts: cuts.iter().map(|&cut| vec![(property, cut, By::AtLeast)]).collect(),
            levels,
        }
    }

    /// A joint condition as a property of two levels.
    fn joint(&self, ranked: &[Ranked], parts: &Corner) -> Levelled {
        let holds = |&row: &u32| u8::from(holds(ranked, parts, row as usize));
        Levelled { cuts: vec![parts.clone()], levels: self.order.iter().map(holds).collect() }
    }

    /// Tests made, and the best corner of two properties.
    fn best(&self, a: &Levelled, b: &Levelled) -> (u64, Option<Candidate>) {
        let hats = self.base.hats;
        // By cell: score, count, then Z'Wc by hat.
        let stride = 2 + hats;
        let mut sums = vec![0.0; CELLS * stride];
        for (hat, segment) in self.segments.iter().enumerate() {
            let mut cells = [[0.0_f32; 4]; CELLS];
            let levels = a.levels[segment.clone()].iter().zip(&b.levels[segment.clone()]);
            for ((&i, &j), row) in levels.zip(&self.rows[segment.clone()]) {
                let cell = &mut cells[(usize::from(i) * LEVELS + usize::from(j)) % CELLS];
                for (to, from) in cell.iter_mut().zip(row) {
                    *to += from;
                }
            }
            for (sums, cell) in sums.chunks_mut(stride).zip(&cells) {
                sums[0] += f64::from(cell[0]);
                sums[1] += f64::from(cell[3]);
                sums[2 + hat] += f64::from(cell[1]);
                if hat + 1 < hats {
                    sums[3 + hat] += f64::from(cell[2]);
                }
            }
        }
        accumulate(&mut sums, stride);
        self.best_corner(a, b, &sums, stride)
    }

    fn best_corner(
        &self,
        a: &Levelled,
        b: &Levelled,
        sums: &[f64],
        stride: usize,
    ) -> (u64, Option<Candidate>) {
        let base = self.base;
        let at = |i: usize, j: usize| Part::of(base, &sums[(i * LEVELS + j) * stride..][..stride]);
        let all = sums[1];
        let firsts: Vec<Part> = (1..=a.cuts.len()).map(|i| at(i, 0)).collect();
        let seconds: Vec<Part> = (1..=b.cuts.len()).map(|j| at(0, j)).collect();
        let (mut tests, mut best) = (0, None::<Candidate>);
        for (i, first) in firsts.iter().enumerate() {
            for (j, second) in seconds.iter().enumerate() {
                let both = at(i + 1, j + 1);
                let corners = [
                    both.count,
                    first.count - both.count,
                    second.count - both.count,
                    all - first.count - second.count + both.count,
                ];
                if corners.iter().any(|&count| count < self.params.min_count as f64) {
                    continue;
                }
                tests += 1;
                let Some((score, information, _)) = beyond(first, second, &both) else { continue };
                let gain = score * score / (2.0 * information);
                if best.as_ref().is_none_or(|best| gain > best.gain) {
                    let (first, second) = (a.cuts[i].clone(), b.cuts[j].clone());
                    best = Some(Candidate { first, second, gain });
                }
            }
        }
        (tests, best)
    }
}

/// Each cell becomes the sum of all from it on in both directions.
fn accumulate(sums: &mut [f64], stride: usize) {
    let add = |sums: &mut [f64], to: usize, from: usize| {
        for k in 0..stride {
            sums[to * stride + k] += sums[from * stride + k];
        }
    };
    for i in 0..LEVELS {
        for j in (0..LEVELS - 1).rev() {
            add(sums, i * LEVELS + j, i * LEVELS + j + 1);
        }
    }
    for i in (0..LEVELS - 1).rev() {
        for j in 0..LEVELS {
            add(sums, i * LEVELS + j, (i + 1) * LEVELS + j);
        }
    }
}

/// A condition freed of the hats.
pub(super) struct Part {
    pub(super) count: f64,
    pub(super) score: f64,
    /// Σ W c.
    weight: f64,
    weighted: Vec<f64>,
    pi: Vec<f64>,
}

impl Part {
    /// Of its sums: score, count, then Z'Wc by hat.
    pub(super) fn of(base: &Base, sums: &[f64]) -> Self {
        let weighted = sums[2..].to_vec();
        let pi = base.factor.solve(&weighted);
        let score = sums[0] - dot(&pi, &base.left);
        Self { count: sums[1], score, weight: weighted.iter().sum(), weighted, pi }
    }

    fn product(&self, other: &Self, weight: f64) -> f64 {
        weight - dot(&self.weighted, &other.pi)
    }

    /// What is known of a weight on the condition alone.
    pub(super) fn information(&self) -> f64 {
        self.product(self, self.weight)
    }

    /// What is left of the condition in a row, freed of the hats.
    pub(super) fn free(&self, place: Place, inside: bool) -> f64 {
        let right = if place.right > 0.0 { self.pi[place.left + 1] * place.right } else { 0.0 };
        f64::from(u8::from(inside)) - self.pi[place.left] * (1.0 - place.right) - right
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// How a joint condition is freed of its two parts.
pub(super) struct Freed {
    /// Shares of the parts in it.
    shares: [f64; 2],
    /// The parts' own weights, fitted together.
    alone: [f64; 2],
}

/// Score and information of "both" beyond the curve and both parts; none where
/// nothing is left of it.
pub(super) fn beyond(first: &Part, second: &Part, both: &Part) -> Option<(f64, f64, Freed)> {
    let aa = first.product(first, first.weight);
    let bb = second.product(second, second.weight);
    let ab = first.product(second, both.weight);
    let (ac, bc) = (first.product(both, both.weight), second.product(both, both.weight));
    let cc = both.product(both, both.weight);
    let determinant = aa * bb - ab * ab;
    if determinant <= 1e-9 * aa * bb {
        return None;
    }
    let solve = |x: f64, y: f64| [(bb * x - ab * y) / determinant, (aa * y - ab * x) / determinant];
    let shares = solve(ac, bc);
    let alone = solve(first.score, second.score);
    let score = both.score - shares[0] * first.score - shares[1] * second.score;
    let information = cc - shares[0] * ac - shares[1] * bc;
    (information > 1e-6 * cc).then_some((score, information, Freed { shares, alone }))
}

pub(super) fn holds(ranked: &[Ranked], parts: &[(usize, u8, By)], row: usize) -> bool {
    parts.iter().all(|&(property, cut, by)| {
        let rank = ranked[property].ranks[row];
        rank > 0
            && match by {
                By::Below => rank < cut,
                By::AtLeast => rank >= cut,
                By::Equal => rank == cut,
            }
    })
}

/// Adds a row to a condition's sums.
pub(super) fn add_row(base: &Base, row: usize, sums: &mut [f64]) {
    let (place, w) = (base.places[row], base.weights[row]);
    sums[0] += base.residuals[row];
    sums[1] += 1.0;
    sums[2 + place.left] += w * (1.0 - place.right);
    if place.right > 0.0 {
        sums[3 + place.left] += w * place.right;
    }
}

/// The joint condition with scores summed by game, and the corner that shows it.
pub(super) fn test(base: &Base, ranked: &[Ranked], candidate: &Candidate) -> Option<Tested> {
    let rows = base.places.len();
    let of =
        |parts: &Corner| -> Vec<bool> { (0..rows).map(|row| holds(ranked, parts, row)).collect() };
    let (first, second) = (of(&candidate.first), of(&candidate.second));
    let sums = |inside: &dyn Fn(usize) -> bool| {
        let mut sums = vec![0.0; 2 + base.hats];
        (0..rows).filter(|&row| inside(row)).for_each(|row| add_row(base, row, &mut sums));
        Part::of(base, &sums)
    };
    let (a, b) = (sums(&|row| first[row]), sums(&|row| second[row]));
    let both = sums(&|row| first[row] && second[row]);
    let (score, information, Freed { shares, alone }) = beyond(&a, &b, &both)?;

    let mut variance = 0.0;
    for game in &base.games {
        let mut sum = 0.0;
        for row in game.clone() {
            let place = base.places[row];
            let (fa, fb) = (a.free(place, first[row]), b.free(place, second[row]));
            let joint =
                both.free(place, first[row] && second[row]) - shares[0] * fa - shares[1] * fb;
            // What the parts' own weights explain is no residual any more.
            let left = base.residuals[row] - base.weights[row] * (alone[0] * fa + alone[1] * fb);
            sum += joint * left;
        }
        variance += sum * sum;
    }
    let variance = variance * base.correction();
    if variance <= 0.0 {
        return None;
    }
    let (parts, sign, positions) = corner(ranked, candidate, [&a, &b, &both], rows as f64);
    Some(Tested {
        parts,
        gain: score * score / (2.0 * information),
        log_odds: sign * score / information,
        z: sign * score / variance.sqrt(),
        positions,
    })
}

/// The rarest of the four corners: its parts, the sign of the joint weight there,
/// and its positions. A part of several comparisons is not turned round, nor an equality,
/// nor one whose property is unknown somewhere.
fn corner(
    ranked: &[Ranked],
    candidate: &Candidate,
    [a, b, both]: [&Part; 3],
    all: f64,
) -> (Corner, f64, u64) {
    let turned = |part: &Corner| -> Option<Corner> {
        let &[(property, cut, by)] = &part[..] else { return None };
        let by = match by {
            By::Below => By::AtLeast,
            By::AtLeast => By::Below,
            By::Equal => return None,
        };
        (!ranked[property].gaps).then(|| vec![(property, cut, by)])
    };
    let (first, second) = (&candidate.first, &candidate.second);
    let corners = [
        (Some(first.clone()), Some(second.clone()), 1.0, both.count),
        (Some(first.clone()), turned(second), -1.0, a.count - both.count),
        (turned(first), Some(second.clone()), -1.0, b.count - both.count),
        (turned(first), turned(second), 1.0, all - a.count - b.count + both.count),
    ];
    let mut best = None;
    for (first, second, sign, count) in corners {
        if let (Some(first), Some(second)) = (first, second)
            && best.as_ref().is_none_or(|&(_, _, least): &(Corner, f64, u64)| count < least as f64)
        {
            best = Some(([first, second].concat(), sign, count as u64));
        }
    }
    best.expect("the first corner can always be told")
}
