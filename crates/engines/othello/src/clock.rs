//! How much of a clock to spend on a move.
//!
//! The moves before the end is in reach deserve the time; the last dozen are
//! solved in almost none. Invariant: what is allocated leaves enough on the clock to
//! answer, so the flag never falls in the thinking.

use std::time::Duration;

/// What a search needs to notice its deadline and answer, with room to spare.
const RESERVE: Duration = Duration::from_millis(40);
/// Own moves at the end that cost almost nothing.
const FREE_MOVES: u32 = 6;

/// A player's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    /// Time left.
    pub left: Duration,
    /// Time added after each move.
    pub increment: Duration,
    /// Own moves until more time comes; none when the time is for the whole game.
    pub moves_to_go: Option<u32>,
}

/// The time for this move with so many squares empty.
///
/// ```
/// use evalsmith_engine_othello::{Clock, allocate};
/// use std::time::Duration;
/// let clock = Clock { left: Duration::from_mins(5), increment: Duration::ZERO, moves_to_go: None };
/// let time = allocate(&clock, 50);
/// assert!(time > Duration::from_secs(10) && time < Duration::from_secs(30));
/// ```
pub fn allocate(clock: &Clock, empties: u32) -> Duration {
    let own = empties.div_ceil(2).saturating_sub(FREE_MOVES).max(2);
    let moves = clock.moves_to_go.map_or(own, |to_go| to_go.clamp(1, own));
    let share = clock.left / moves + clock.increment;
    // A fiftieth for a slow clock or a slow wire; a quarter when hardly any is left.
    let reserve = RESERVE.max(clock.left / 50);
    let most = clock.left.checked_sub(reserve).unwrap_or(Duration::ZERO).max(clock.left / 4);
    share.min(most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_game_is_lost_on_time(
            left in 1_u64..10_000_000,
            increment in 0_u64..100_000,
            to_go in proptest::option::of(1_u32..60),
        ) {
            let increment = Duration::from_micros(increment);
            let mut clock =
                Clock { left: Duration::from_micros(left), increment, moves_to_go: to_go };
            for empties in (1..=60).rev().step_by(2) {
                let time = allocate(&clock, empties);
                prop_assert!(time < clock.left, "{time:?} of {clock:?}");
                clock.left = clock.left.checked_sub(time).expect("just asserted") + increment;
                clock.moves_to_go = clock.moves_to_go.map(|n| n.saturating_sub(1).max(1));
            }
        }
    }

    #[test]
    fn most_of_the_time_is_spent_before_the_end() {
        let mut clock =
            Clock { left: Duration::from_mins(5), increment: Duration::ZERO, moves_to_go: None };
        for empties in (13..=60).rev().step_by(2) {
            clock.left -= allocate(&clock, empties);
        }
        assert!(clock.left < Duration::from_secs(100), "{clock:?}");
        assert!(clock.left > Duration::from_millis(100), "{clock:?}");
    }
}
