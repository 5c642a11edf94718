//! The results of a match in the order of its games, whatever the order in
//! which they ended.
//!
//! Invariant: everything told of a run is a function of the games `0..counted()`,
//! so a sequential test ends at the same pair for any number of threads and
//! after any interruption. Games that ended out of order wait.

use crate::{End, PlayedGame};
use evalsmith_stats::Interval;
use evalsmith_stats::elo::{Elo, MatchStats, Pentanomial, Sample};
use evalsmith_stats::sprt::{Sprt, Strength, Verdict};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a game adds to the score: its line in the log, but for the moves.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
pub(crate) struct Ended {
    pub(crate) index: u32,
    pub(crate) margin: i16,
    pub(crate) plies: u32,
    pub(crate) reason: End,
    pub(crate) nodes: [u64; 2],
    #[serde(default)]
    pub(crate) cpu_micros: [Option<u64>; 2],
    #[serde(default)]
    pub(crate) wall_micros: [Option<u64>; 2],
    #[serde(default)]
    pub(crate) fault: Option<Culprit>,
}

#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
pub(crate) struct Culprit {
    pub(crate) player: usize,
}

impl From<&PlayedGame> for Ended {
    fn from(game: &PlayedGame) -> Self {
        Self {
            index: game.index,
            margin: game.margin,
            plies: game.plies,
            reason: game.reason,
            nodes: game.nodes,
            cpu_micros: game.cpu_micros,
            wall_micros: game.wall_micros,
            fault: game.fault.as_ref().map(|fault| Culprit { player: fault.player }),
        }
    }
}

/// Sums over games.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Totals {
    /// Games counted.
    pub games: u64,
    /// Half-moves, openings included.
    pub plies: u64,
    /// Positions visited by each player.
    pub nodes: [u64; 2],
    /// Microseconds of processor time of each player, where every game tells.
    pub cpu_micros: [Option<u64>; 2],
    /// Microseconds on the wall of each player, where every game tells.
    pub wall_micros: [Option<u64>; 2],
    /// How games ended.
    pub ends: BTreeMap<End, u64>,
    /// Games that each player lost by a failure of its own.
    pub faults: [u64; 2],
}

impl Totals {
    fn add(&mut self, game: &Ended) {
        let sum = |total: &mut Option<u64>, time: Option<u64>| {
            let before = if self.games == 0 { Some(0) } else { *total };
            *total = before.zip(time).map(|(a, b)| a.saturating_add(b));
        };
        for player in 0..2 {
            self.nodes[player] = self.nodes[player].saturating_add(game.nodes[player]);
            sum(&mut self.cpu_micros[player], game.cpu_micros[player]);
            sum(&mut self.wall_micros[player], game.wall_micros[player]);
        }
        self.games += 1;
        self.plies += u64::from(game.plies);
        *self.ends.entry(game.reason).or_default() += 1;
        if let Some(Culprit { player }) = game.fault {
            self.faults[player.min(1)] += 1;
        }
    }

    /// Half-moves of a game on average; zero without games.
    pub fn mean_plies(&self) -> f64 {
        self.plies as f64 / self.games.max(1) as f64
    }
}

/// Where a sequential test stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TestState {
    /// The test.
    pub test: Sprt,
    /// The log-likelihood ratio.
    pub llr: f64,
    /// The ratios at which H0 and H1 win.
    pub bounds: Interval<f64>,
    /// What it says.
    pub verdict: Verdict,
}

/// The score of a match.
#[derive(Clone, Debug)]
pub(crate) struct Scoreboard {
    sprt: Option<Sprt>,
    waiting: BTreeMap<u32, Ended>,
    next: u32,
    first_of_pair: i16,
    margins: Vec<[i16; 2]>,
    pairs: Pentanomial,
    totals: Totals,
    verdict: Verdict,
    /// Games running that the same player failed in.
    streak: (usize, u32),
}

impl Scoreboard {
    pub(crate) fn new(sprt: Option<Sprt>) -> Self {
        Self {
            sprt,
            waiting: BTreeMap::new(),
            next: 0,
            first_of_pair: 0,
            margins: Vec::new(),
            pairs: Pentanomial::default(),
            totals: Totals::default(),
            verdict: Verdict::Continue,
            streak: (0, 0),
        }
    }

    /// Enters a game; false when it was entered before.
    pub(crate) fn enter(&mut self, game: Ended) -> bool {
        if game.index < self.next {
            return false;
        }
        // Most games end in order.
        if game.index == self.next && !self.decided() && self.waiting.is_empty() {
            self.count(&game);
            return true;
        }
        let is_new = self.waiting.insert(game.index, game).is_none();
        while !self.decided()
            && let Some(game) = self.waiting.remove(&self.next)
        {
            self.count(&game);
        }
        is_new
    }

    fn count(&mut self, game: &Ended) {
        self.totals.add(game);
        self.streak = match (game.fault, self.streak) {
            (None, _) => (0, 0),
            (Some(Culprit { player }), (same, games)) if same == player => (player, games + 1),
            (Some(Culprit { player }), _) => (player, 1),
        };
        if self.next.is_multiple_of(2) {
            self.first_of_pair = game.margin;
        } else {
            let pair = [self.first_of_pair, game.margin];
            self.margins.push(pair);
            self.pairs.add_pair(pair);
            if let Some(sprt) = &self.sprt {
                self.verdict = sprt.verdict(&self.pairs);
            }
        }
        self.next += 1;
    }

    /// Counts whatever waits for an earlier game, in whole pairs. A log that was cut
    /// may lack one of its first games, and all others stand. A sequential test
    /// knows pairs in their order alone.
    pub(crate) fn settle(&mut self) {
        if self.sprt.is_some() {
            return;
        }
        let mut before: Option<Ended> = None;
        for (index, game) in std::mem::take(&mut self.waiting) {
            self.totals.add(&game);
            if let Some(first) = before.replace(game)
                && !index.is_multiple_of(2)
                && first.index + 1 == index
            {
                self.margins.push([first.margin, game.margin]);
            }
        }
    }

    /// Games counted.
    pub(crate) fn counted(&self) -> u32 {
        self.next
    }

    /// Games that ended before one that precedes them.
    pub(crate) fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// Whether the sequential test has ended the match.
    pub(crate) fn decided(&self) -> bool {
        self.verdict != Verdict::Continue
    }

    /// The player that failed in so many counted games running.
    pub(crate) fn faulty(&self, games: u32) -> Option<usize> {
        (self.streak.1 >= games.max(1)).then_some(self.streak.0)
    }

    /// What was in the log is forgiven: its cause may be mended.
    pub(crate) fn forgive(&mut self) {
        self.streak = (0, 0);
    }

    pub(crate) fn stats(&self) -> MatchStats {
        MatchStats::of_pairs(self.margins.iter().copied())
    }

    /// The margins of whole pairs, in their order.
    pub(crate) fn margins(&self) -> &[[i16; 2]] {
        &self.margins
    }

    pub(crate) fn totals(&self) -> &Totals {
        &self.totals
    }

    pub(crate) fn test(&self) -> Option<TestState> {
        let test = self.sprt?;
        let llr = test.llr(&self.pairs);
        Some(TestState { test, llr, bounds: test.bounds(), verdict: self.verdict })
    }

    /// How the match stands, in a few words, and what a test still needs.
    pub(crate) fn status(&self) -> String {
        let share = self.pairs.share();
        let Interval { low, high } = self.pairs.share_interval();
        let [low, high] = [low, high].map(|share| Elo::of_share(share).0);
        let elo = share.map_or(String::new(), |share| {
            format!("Elo {:+.1} ({low:+.1} to {high:+.1})", Elo::of_share(share).0)
        });
        let Some(TestState { test, llr, bounds, .. }) = self.test() else { return elo };
        let truth = share.map_or(test.hypotheses()[0], |s| Strength::Logistic(Elo::of_share(s)));
        let left = match test.forecast(&self.pairs, truth) {
            Ok(forecast) => format!(", about {:.0} pairs to go", forecast.remaining),
            Err(_) => String::new(),
        };
        format!("LLR {llr:+.2} ({:+.2} to {:+.2}), {elo}{left}", bounds.low, bounds.high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn game(index: u32, margin: i16, fault: Option<usize>) -> Ended {
        Ended {
            index,
            margin,
            plies: 10 + index,
            reason: End::Rules,
            nodes: [1, u64::from(index)],
            cpu_micros: [Some(5), None],
            wall_micros: [None, None],
            fault: fault.map(|player| Culprit { player }),
        }
    }

    proptest! {
        /// Whatever the order in which games end, and however many were played
        /// beyond the decision, the score is that of the games up to it.
        #[test]
        fn the_order_in_which_games_end_does_not_matter(
            margins in prop::collection::vec(-1_i16..=2, 2..400),
            order in any::<prop::sample::Index>(),
            window in 1..40_usize,
        ) {
            let sprt = Sprt::logistic([Elo(0.0), Elo(80.0)], 0.1, 0.1).unwrap();
            let games: Vec<_> = (0..).zip(&margins).map(|(i, &m)| game(i, m, None)).collect();
            let mut straight = Scoreboard::new(Some(sprt));
            for &game in &games {
                if straight.decided() {
                    break;
                }
                straight.enter(game);
            }
            let mut shuffled = games;
            for part in shuffled.chunks_mut(window) {
                let by = order.index(part.len());
                part.rotate_left(by);
                part.reverse();
            }
            let mut other = Scoreboard::new(Some(sprt));
            for game in shuffled {
                other.enter(game);
            }
            prop_assert_eq!(other.stats(), straight.stats());
            prop_assert_eq!(other.totals(), straight.totals());
            prop_assert_eq!(other.test(), straight.test());
            prop_assert_eq!(other.counted(), straight.counted());
        }
    }

    #[test]
    fn a_test_ends_at_the_pair_that_decides() {
        let sprt = Sprt::logistic([Elo(0.0), Elo(100.0)], 0.05, 0.05).unwrap();
        let mut board = Scoreboard::new(Some(sprt));
        for index in 0..400 {
            board.enter(game(index, if index % 8 == 0 { -1 } else { 1 }, None));
        }
        assert_eq!(board.test().unwrap().verdict, Verdict::AcceptH1);
        let pairs = board.counted() / 2;
        assert!((3..100).contains(&pairs), "{pairs}");
        assert_eq!(board.stats().games(), u64::from(2 * pairs));
        let mut before = Pentanomial::default();
        let margin = |i: u32| if i.is_multiple_of(8) { -1 } else { 1 };
        (0..pairs - 1).for_each(|p| before.add_pair([margin(2 * p), margin(2 * p + 1)]));
        assert_eq!(sprt.verdict(&before), Verdict::Continue, "not a pair too late");
        assert!(board.status().starts_with("LLR +"), "{}", board.status());
    }

    #[test]
    fn whole_pairs_beyond_a_missing_game_settle() {
        let mut board = Scoreboard::new(None);
        for index in [0, 2, 3, 5, 6, 7, 8] {
            board.enter(game(index, 1, None));
        }
        assert_eq!((board.counted(), board.stats().games()), (1, 0));
        board.settle();
        assert_eq!((board.totals().games, board.stats().games()), (7, 4));
        assert_eq!(board.stats().wins, 4);
    }

    #[test]
    fn only_failures_of_one_player_running_make_it_faulty() {
        let mut board = Scoreboard::new(None);
        for (index, fault) in
            (0..).zip([Some(1), Some(1), Some(0), Some(1), None, Some(1), Some(1)])
        {
            board.enter(game(index, 1, fault));
            assert_eq!(board.faulty(3), None);
        }
        board.enter(game(8, 1, Some(1)));
        assert_eq!((board.faulty(3), board.waiting()), (None, 1), "the one before it is missing");
        board.enter(game(7, 1, Some(1)));
        assert_eq!(board.faulty(3), Some(1));
        board.forgive();
        assert_eq!(board.faulty(3), None);
        assert_eq!(board.totals().faults, [1, 7]);
        assert_eq!(board.totals().cpu_micros, [Some(45), None]);
    }
}
