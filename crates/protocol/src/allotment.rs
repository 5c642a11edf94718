//! From clocks to the time for one move, on the wall, since that is what an
//! arena measures.
//!
//! The share of a move is the time left divided by the moves expected, most of an
//! increment, and all of a byoyomi, which is lost when it is not used. Invariant:
//! `most` stays below what the clock shows by the lag, or, where little more than
//! the lag is left, by three quarters of it.

use crate::budget::{Budget, Clocks};
use evalsmith_core::Side;
use std::time::Duration;

/// Moves expected where nobody knows how many a game still has. As the share is
/// taken anew each move, time runs out in no number of moves.
const EXPECTED_MOVES: u32 = 30;
/// A long thought takes no more shares than this.
const STRETCH: u32 = 4;
/// No answer is quicker; what is asked of a fallen flag gets it.
const LEAST: Duration = Duration::from_millis(1);

/// The time for one move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allotment {
    /// When this is used no new iteration is worth its beginning: it takes as
    /// long as all before it, and more.
    pub enough: Duration,
    /// When this is used the answer is due.
    pub most: Duration,
}

impl Budget {
    /// The time for one move of `side`, where time is limited: `moves_left` of its
    /// moves are expected until the game ends, and `lag` passes between the clock
    /// and the engine.
    ///
    /// ```
    /// use evalsmith_core::Side;
    /// use evalsmith_protocol::{Budget, Clocks};
    /// use std::time::Duration;
    /// let ms = Duration::from_millis;
    /// let clocks = Clocks { remaining: [ms(60_050); 2], ..Clocks::default() };
    /// let allotted = Budget::clocks(clocks).allot(Side::First, None, ms(50)).unwrap();
    /// assert_eq!((allotted.enough, allotted.most), (ms(1_200), ms(8_000)));
    /// assert_eq!(Budget::depth(3).allot(Side::First, None, ms(50)), None);
    /// ```
    pub fn allot(&self, side: Side, moves_left: Option<u32>, lag: Duration) -> Option<Allotment> {
        let by_move = self.move_time.map(|time| {
            let most = within(time, lag);
            Allotment { enough: most, most }
        });
        let by_clock = self.clocks.as_ref().map(|clocks| clocks.allot(side, moves_left, lag));
        match (by_move, by_clock) {
            (Some(a), Some(b)) => {
                let most = a.most.min(b.most);
                Some(Allotment { enough: a.enough.min(b.enough), most })
            }
            (a, b) => a.or(b),
        }
    }
}

impl Clocks {
    fn allot(&self, side: Side, moves_left: Option<u32>, lag: Duration) -> Allotment {
        let remaining = self.remaining[side.index()];
        let moves = [self.moves_to_go, moves_left].into_iter().flatten().min();
        let moves = moves.unwrap_or(EXPECTED_MOVES).max(1);
        // More moves than this do not make a share that is worth having.
        let moves = moves.min(2 * EXPECTED_MOVES);
        let all = within(remaining.saturating_add(self.byoyomi), lag);
        let saved = all.saturating_sub(self.byoyomi);
        // What was saved is for the later moves too; the last move may take it all.
        let reserve = if moves == 1 { Duration::ZERO } else { saved / 2 };
        let increment = self.increment[side.index()].saturating_mul(3) / 4;
        let share = (saved / moves).saturating_add(increment).saturating_add(self.byoyomi);
        let ceiling = all.saturating_sub(reserve).max(LEAST);
        let share = share.clamp(LEAST, ceiling);
        // An unused byoyomi is lost: only what is saved is stretched.
        let stretched = share.saturating_add((saved / moves).saturating_mul(STRETCH - 1));
        Allotment { enough: share * 3 / 5, most: stretched.clamp(LEAST, ceiling) }
    }
}

/// What is left of a time after the lag: a quarter at least.
fn within(time: Duration, lag: Duration) -> Duration {
    time.saturating_sub(lag).max(time / 4).max(LEAST)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const LAG: Duration = Duration::from_millis(50);

    fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    fn clocks(remaining: u64, increment: u64, byoyomi: u64, to_go: Option<u32>) -> Budget {
        Budget::clocks(Clocks {
            remaining: [ms(remaining), Duration::MAX],
            increment: [ms(increment), Duration::MAX],
            moves_to_go: to_go,
            byoyomi: ms(byoyomi),
        })
    }

    fn allot(budget: &Budget) -> Allotment {
        budget.allot(Side::First, None, LAG).unwrap()
    }

    #[test]
    fn the_last_move_before_the_control_takes_all_but_the_lag() {
        let Allotment { enough, most } = allot(&clocks(5_000, 0, 0, Some(1)));
        assert_eq!((enough, most), (ms(2_970), ms(4_950)));
    }

    #[test]
    fn byoyomi_is_used_up() {
        let Allotment { enough, most } = allot(&clocks(0, 0, 10_000, None));
        assert_eq!((enough, most), (ms(5_970), ms(9_950)));
    }

    #[test]
    fn the_game_s_length_is_heeded() {
        let budget = clocks(10_050, 0, 0, None);
        let most = |moves| budget.allot(Side::First, Some(moves), LAG).unwrap().most;
        assert_eq!((most(20), most(10)), (ms(2_000), ms(4_000)));
    }

    #[test]
    fn a_fallen_flag_is_answered_at_once() {
        for budget in [clocks(0, 0, 0, None), Budget::move_time(Duration::ZERO)] {
            let Allotment { enough, most } = allot(&budget);
            assert!(enough <= LEAST && most == LEAST);
        }
    }

    #[test]
    fn clocks_without_bound_overflow_nothing() {
        let budget = clocks(0, 0, 0, None);
        let allotted = budget.allot(Side::Second, None, LAG).unwrap();
        assert!(allotted.enough <= allotted.most);
    }

    proptest! {
        /// Played to the end on a clock, no move oversteps it, were every one to
        /// take all it may and the lag besides.
        #[test]
        fn no_clock_runs_out(
            start in 200_u64..100_000,
            increment in 0_u64..2_000,
            byoyomi in prop_oneof![Just(0_u64), 200_u64..5_000],
            cycle in prop::option::of(1_u32..60),
        ) {
            let mut left = start;
            for played in 0..300_u32 {
                let to_go = cycle.map(|cycle| cycle - played % cycle);
                if cycle.is_some_and(|cycle| played > 0 && played % cycle == 0) {
                    left += start;
                }
                let budget = clocks(left, increment, byoyomi, to_go);
                let Allotment { enough, most } = allot(&budget);
                prop_assert!(enough <= most);
                let most = u64::try_from(most.as_millis()).unwrap();
                let (used, has) = (most, left + byoyomi);
                prop_assert!(used < has || has <= 1, "move {played}: {used} of {has} ms");
                prop_assert!(used + 50 <= has || used <= has / 4 + 1, "no room for the lag");
                left = (left - left.min(used)) + increment;
            }
        }
    }
}
