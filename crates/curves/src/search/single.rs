//! Every threshold of a property, in one pass over its ranks.
//!
//! The score and the information of "rank at least t" are sums over ranks from t
//! on. The squared sums of games are as well: going down through the ranks of one
//! game, each rank adds what the square of the game's sum so far grows by.

use super::base::Base;
use super::rank::{RANKS, Ranked};
use super::{By, SearchParams, Tested};
use crate::hats::Place;

/// What the rows of each rank add.
struct Sums {
    hats: usize,
    count: [u64; RANKS],
    score: [f64; RANKS],
    /// Z'Wc.
    weighted: Vec<f64>,
    /// How the squared sums of games grow.
    squares: [f64; RANKS],
    /// Products of scores with their game's sums of Z r.
    products: Vec<f64>,
    /// Games whose largest, and smallest, rank this is.
    largest: [u64; RANKS],
    smallest: [u64; RANKS],
}

impl Sums {
    fn over(base: &Base, ranks: &[u8]) -> Self {
        let hats = base.hats;
        let mut sums = Self {
            hats,
            count: [0; RANKS],
            score: [0.0; RANKS],
            weighted: vec![0.0; RANKS * hats],
            squares: [0.0; RANKS],
            products: vec![0.0; RANKS * hats],
            largest: [0; RANKS],
            smallest: [0; RANKS],
        };
        let mut game_scores = [0.0; RANKS];
        for (game, rows) in base.games.iter().enumerate() {
            let mut touched = [0_u64; RANKS / 64];
            for row in rows.clone() {
                let rank = usize::from(ranks[row]);
                let (Place { left, right }, w) = (base.places[row], base.weights[row]);
                sums.count[rank] += 1;
                let weighted = &mut sums.weighted[rank * hats..(rank + 1) * hats];
                weighted[left] += w * (1.0 - right);
                if right > 0.0 {
                    weighted[left + 1] += w * right;
                }
                game_scores[rank] += base.residuals[row];
                touched[rank / 64] |= 1 << (rank % 64);
            }
            sums.close(base.sums(game), &mut game_scores, touched);
        }
        sums
    }

    /// Adds a game, from its largest rank down, and clears its scores.
    fn close(
        &mut self,
        game_sums: &[(u8, f64)],
        scores: &mut [f64; RANKS],
        touched: [u64; RANKS / 64],
    ) {
        let (mut sum, mut last) = (0.0, None);
        for (word, mut bits) in touched.into_iter().enumerate().rev() {
            while bits != 0 {
                let bit = 63 - bits.leading_zeros() as usize;
                bits &= !(1 << bit);
                let rank = 64 * word + bit;
                let score = std::mem::take(&mut scores[rank]);
                self.score[rank] += score;
                self.squares[rank] += score * (2.0 * sum + score);
                sum += score;
                let products = &mut self.products[rank * self.hats..(rank + 1) * self.hats];
                for &(hat, game_sum) in game_sums {
                    products[usize::from(hat)] += score * game_sum;
                }
                if last.is_none() {
                    self.largest[rank] += 1;
                }
                last = Some(rank);
            }
        }
        if let Some(rank) = last {
            self.smallest[rank] += 1;
        }
    }
}

/// All thresholds that leave enough positions and games on either side.
pub(super) fn scan(
    base: &Base,
    ranked: &Ranked,
    property: usize,
    params: &SearchParams,
) -> Vec<Tested> {
    let sums = Sums::over(base, &ranked.ranks);
    let (rows, games) = (ranked.ranks.len() as u64, base.games.len() as u64);
    let mut tested = Vec::new();
    let (mut count, mut score, mut squares, mut holding) = (0, 0.0, 0.0, 0);
    let (mut weighted, mut products) = (vec![0.0; base.hats], vec![0.0; base.hats]);
    let mut always = 0;
    for rank in (2..=ranked.top()).rev() {
        let at = usize::from(rank);
        count += sums.count[at];
        score += sums.score[at];
        squares += sums.squares[at];
        holding += sums.largest[at];
        always += sums.smallest[at];
        for hat in 0..base.hats {
            weighted[hat] += sums.weighted[at * base.hats + hat];
            products[hat] += sums.products[at * base.hats + hat];
        }
        let enough = count >= params.min_count && rows - count >= params.min_count;
        // A game whose smallest rank is from here on never fails the condition.
        if !enough || holding < params.min_games || games - always < params.min_games {
            continue;
        }
        let pi = base.factor.solve(&weighted);
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let information = weighted.iter().sum::<f64>() - dot(&weighted, &pi);
        let free = score - dot(&pi, &base.left);
        let common = dot(&pi, &base.products.multiply(&pi));
        let variance = (squares - 2.0 * dot(&pi, &products) + common) * base.correction();
        if information <= 1e-9 * weighted.iter().sum::<f64>() || variance <= 0.0 {
            continue;
        }
        let above = ranked.gaps || 2 * count <= rows;
        let sign = if above { 1.0 } else { -1.0 };
        tested.push(Tested {
            parts: vec![(property, rank, if above { By::AtLeast } else { By::Below })],
            gain: free * free / (2.0 * information),
            log_odds: sign * free / information,
            z: sign * free / variance.sqrt(),
            positions: if above { count } else { rows - count },
        });
    }
    tested
}
