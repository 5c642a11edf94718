//! Configurations of atoms, conjunctions of relations `atom = value` (buro98), as
//! conditions.
//!
//! GLEM's own enumerator lists all that match often enough. A relation by itself is
//! tested like a threshold; a longer configuration beyond what the one without its last
//! relation and that relation do alone. Since their conjunction is the configuration,
//! what the three add up to is all that the screening needs, and each adds up once. The
//! best are tested with scores summed by game.

use super::base::Base;
use super::pair::{Candidate, Corner, Part, add_row, beyond, holds, test};
use super::rank::Ranked;
use super::{By, SearchParams, Tested};
use crate::CurveError;
use evalsmith_learn::{ConfigurationParams, Relation, configurations};
use rayon::prelude::*;
use std::collections::HashMap;
use std::ops::ControlFlow;

/// Configurations that there is room for.
const MOST: usize = 200_000;

/// Tests made by the screening, and the best configurations, tested.
pub(super) fn search(
    base: &Base,
    ranked: &[Ranked],
    params: &SearchParams,
    promoted: usize,
) -> Result<(u64, Vec<Tested>), CurveError> {
    let atoms: Vec<usize> = (0..ranked.len()).filter(|&j| ranked[j].is_atom()).collect();
    if atoms.is_empty() {
        return Ok((0, Vec::new()));
    }
    let found = enumerate(base, ranked, &atoms, params)?;
    let rows = Matching::of(base, ranked, &atoms);
    let parts: Vec<Part> = found.par_iter().map(|relations| rows.part(base, relations)).collect();
    let places: HashMap<&[Relation], usize> =
        found.iter().enumerate().map(|(place, relations)| (&relations[..], place)).collect();
    let corner = |relations: &[Relation]| -> Corner {
        let part = |r: &Relation| (atoms[usize::from(r.atom)], r.value + 1, By::Equal);
        relations.iter().map(part).collect()
    };
    let (all, least) = (base.places.len() as f64, params.min_count as f64);
    let (mut tests, mut best) = (0, Vec::new());
    for (relations, part) in found.iter().zip(&parts) {
        let Some((last, before)) = relations.split_last() else { continue };
        if before.is_empty() {
            let information = part.information();
            if all - part.count >= least && information > 0.0 {
                tests += 1;
                let gain = part.score * part.score / (2.0 * information);
                let (first, second) = (corner(relations), Corner::new());
                best.push(Candidate { first, second, gain });
            }
            continue;
        }
        let part_of = |relations: &[Relation]| &parts[places[relations]];
        let (a, b) = (part_of(before), part_of(std::slice::from_ref(last)));
        let others = [a.count - part.count, b.count - part.count];
        let none = all - a.count - b.count + part.count;
        if others.iter().any(|&count| count < least) || none < least {
            continue;
        }
        tests += 1;
        if let Some((score, information, _)) = beyond(a, b, part) {
            let gain = score * score / (2.0 * information);
            let (first, second) = (corner(before), corner(std::slice::from_ref(last)));
            best.push(Candidate { first, second, gain });
        }
    }
    // The enumerator's order decides between equals.
    best.sort_by(|a, b| b.gain.total_cmp(&a.gain));
    best.truncate(promoted);
    let tested = best.par_iter().filter_map(|candidate| {
        if !in_enough_games(base, ranked, candidate, params.min_games) {
            return None;
        }
        if candidate.second.is_empty() {
            alone(base, ranked, &candidate.first)
        } else {
            test(base, ranked, candidate)
        }
    });
    Ok((tests, tested.collect()))
}

/// All configurations that match often enough, shorter ones before those they begin.
fn enumerate(
    base: &Base,
    ranked: &[Ranked],
    atoms: &[usize],
    params: &SearchParams,
) -> Result<Vec<Vec<Relation>>, CurveError> {
    let rows = base.places.len();
    let mut values = Vec::with_capacity(rows * atoms.len());
    for row in 0..rows {
        values.extend(atoms.iter().map(|&j| ranked[j].ranks[row] - 1));
    }
    let ranges: Vec<u8> = atoms.iter().map(|&j| ranked[j].top()).collect();
    let length = params.configurations;
    let wanted = ConfigurationParams {
        min_count: u32::try_from(params.min_count.max(1)).unwrap_or(u32::MAX),
        max_length: length,
    };
    let (mut found, mut too_many) = (Vec::new(), false);
    configurations(&values, &ranges, &wanted, |relations, _| {
        too_many = found.len() == MOST;
        if too_many {
            return ControlFlow::Break(());
        }
        found.push(relations.to_vec());
        ControlFlow::Continue(())
    })
    .expect("ranks are in range, and the minimum is not zero");
    if too_many {
        let min_count = params.min_count;
        return Err(CurveError::TooManyConfigurations { most: MOST, length, min_count });
    }
    Ok(found)
}

/// For each relation the rows it holds in, a bit each.
struct Matching {
    /// Where the relations of each atom begin.
    first: Vec<usize>,
    rows: Vec<Vec<u64>>,
}

impl Matching {
    fn of(base: &Base, ranked: &[Ranked], atoms: &[usize]) -> Self {
        let words = base.places.len().div_ceil(64);
        let (mut first, mut rows) = (Vec::new(), Vec::new());
        for &j in atoms {
            first.push(rows.len());
            let mut of_atom = vec![vec![0_u64; words]; usize::from(ranked[j].top())];
            for (row, rank) in ranked[j].ranks.iter().enumerate() {
                of_atom[usize::from(rank - 1)][row / 64] |= 1 << (row % 64);
            }
            rows.append(&mut of_atom);
        }
        Self { first, rows }
    }

    /// What the rows of a configuration add up to.
    fn part(&self, base: &Base, relations: &[Relation]) -> Part {
        let of = |r: &Relation| &self.rows[self.first[usize::from(r.atom)] + usize::from(r.value)];
        let matching: Vec<&Vec<u64>> = relations.iter().map(of).collect();
        let mut sums = vec![0.0; 2 + base.hats];
        for word in 0..base.places.len().div_ceil(64) {
            let mut bits = matching.iter().fold(u64::MAX, |bits, rows| bits & rows[word]);
            while bits != 0 {
                add_row(base, 64 * word + bits.trailing_zeros() as usize, &mut sums);
                bits &= bits - 1;
            }
        }
        Part::of(base, &sums)
    }
}

fn in_enough_games(base: &Base, ranked: &[Ranked], candidate: &Candidate, least: u64) -> bool {
    let both = [candidate.first.clone(), candidate.second.clone()].concat();
    let (mut holding, mut failing) = (0, 0);
    for game in &base.games {
        holding += u64::from(game.clone().any(|row| holds(ranked, &both, row)));
        failing += u64::from(game.clone().any(|row| !holds(ranked, &both, row)));
    }
    holding >= least && failing >= least
}

/// A relation by itself, with scores summed by game.
fn alone(base: &Base, ranked: &[Ranked], relation: &Corner) -> Option<Tested> {
    let inside = |row: usize| holds(ranked, relation, row);
    let mut sums = vec![0.0; 2 + base.hats];
    let rows = 0..base.places.len();
    rows.filter(|&row| inside(row)).for_each(|row| add_row(base, row, &mut sums));
    let part = Part::of(base, &sums);
    let of_game = |game: &std::ops::Range<usize>| -> f64 {
        let score = |row| part.free(base.places[row], inside(row)) * base.residuals[row];
        game.clone().map(score).sum()
    };
    let squares: f64 = base.games.iter().map(|game| of_game(game).powi(2)).sum();
    let (information, variance) = (part.information(), squares * base.correction());
    (variance > 0.0).then(|| Tested {
        parts: relation.clone(),
        gain: part.score * part.score / (2.0 * information),
        log_odds: part.score / information,
        z: part.score / variance.sqrt(),
        positions: part.count as u64,
    })
}
