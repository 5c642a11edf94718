//! The fourth occurrence of a position (sennichite), from keys alone.
//!
//! The upper bit of a key says whether the side to move stands in check, which a
//! position determines. So the keys since the first occurrence tell whether all
//! moves of one side were checks.

use evalsmith_core::Outcome;

const CHECK: u64 = 1 << 63;

/// A position's hash with the check in its upper bit.
#[inline]
pub(crate) fn key(hash: u64, in_check: bool) -> u64 {
    hash & !CHECK | if in_check { CHECK } else { 0 }
}

/// How the game ends for the side to move in the position with `key`, if it stands
/// there for the fourth time after the `earlier` ones.
#[inline]
pub(crate) fn outcome(key: u64, earlier: &[u64]) -> Option<Outcome> {
    // The same side moves every second ply, and two plies cannot restore a position.
    let mut occurrences =
        (4..=earlier.len()).step_by(2).filter(|back| earlier[earlier.len() - back] == key);
    let back = occurrences.nth(2)?;
    let since = &earlier[earlier.len() - back..];
    let always_checked = |first: usize| since[first..].iter().step_by(2).all(|k| k & CHECK != 0);
    Some(match (always_checked(0), always_checked(1)) {
        (true, false) => Outcome::WIN,
        (false, true) => Outcome::LOSS,
        // Checks on both sides throughout: no rule book names a guilty one.
        _ => Outcome::DRAW,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three rounds of a cycle of keys, then the first key again.
    fn after(cycle: &[u64]) -> Option<Outcome> {
        outcome(cycle[0], &cycle.repeat(3))
    }

    #[test]
    fn the_fourth_occurrence_ends_the_game() {
        assert_eq!(after(&[1, 2, 3, 4]), Some(Outcome::DRAW));
        assert_eq!(outcome(1, &[1, 2, 3, 4].repeat(2)), None, "the third");
        assert_eq!(outcome(9, &[1, 2, 3, 4].repeat(5)), None);
        assert_eq!(outcome(1, &[]), None);
        let with_detours = [1, 2, 3, 4, 1, 5, 6, 7, 8, 9, 1, 2, 6, 4];
        assert_eq!(outcome(1, &with_detours), Some(Outcome::DRAW));
    }

    #[test]
    fn perpetual_check_loses() {
        let c = |k| k | CHECK;
        assert_eq!(after(&[c(1), 2, c(3), 4]), Some(Outcome::WIN), "the side to move was checked");
        assert_eq!(after(&[1, c(2), 3, c(4)]), Some(Outcome::LOSS), "it gave the checks");
        assert_eq!(after(&[1, c(2), 3, 4]), Some(Outcome::DRAW), "one move gave no check");
        assert_eq!(after(&[c(1), c(2), c(3), c(4)]), Some(Outcome::DRAW));
    }

    #[test]
    fn checks_before_the_first_occurrence_do_not_count() {
        let mut earlier = vec![7, 8];
        earlier.extend([1, 2 | CHECK, 3, 4 | CHECK].repeat(3));
        assert_eq!(outcome(1, &earlier), Some(Outcome::LOSS));
    }
}
