//! Pawn structure by fills, in the view of the side whose pawns move up.

const NOT_A: u64 = 0xFEFE_FEFE_FEFE_FEFE;
const NOT_H: u64 = 0x7F7F_7F7F_7F7F_7F7F;

/// Every square below, the set itself included.
#[inline]
const fn fill_down(set: u64) -> u64 {
    let set = set | set >> 8;
    let set = set | set >> 16;
    set | set >> 32
}

/// Every square above, the set itself included.
#[inline]
const fn fill_up(set: u64) -> u64 {
    let set = set | set << 8;
    let set = set | set << 16;
    set | set << 32
}

/// The squares to the left and right.
#[inline]
const fn beside(set: u64) -> u64 {
    set << 1 & NOT_A | set >> 1 & NOT_H
}

/// The pawns without another on a file beside theirs.
#[inline]
pub(crate) const fn isolated(pawns: u64) -> u64 {
    pawns & !beside(fill_up(fill_down(pawns)))
}

/// The pawns behind another on their file.
#[inline]
pub(crate) const fn doubled(pawns: u64) -> u64 {
    pawns & fill_down(pawns >> 8)
}

/// The foremost pawns of their files that no enemy pawn stands before, on their
/// file or beside it.
#[inline]
pub(crate) const fn passed(pawns: u64, enemy: u64) -> u64 {
    let watched = fill_down(enemy >> 8);
    pawns & !(watched | beside(watched) | doubled(pawns))
}

/// What a passed pawn is worth by rank, and how many make a pawn's worth.
const BY_RANK: [i32; 8] = [0, 2, 3, 6, 10, 18, 30, 0];
pub(crate) const PASSED_UNIT: f32 = 20.0;

/// The worth of a set of passed pawns.
#[inline]
pub(crate) fn worth_of_passed(mut passed: u64) -> i32 {
    let mut worth = 0;
    while passed != 0 {
        worth += BY_RANK[passed.trailing_zeros() as usize / 8];
        passed &= passed - 1;
    }
    worth
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// File and rank of every square of a set.
    fn squares(set: u64) -> Vec<(i32, i32)> {
        (0..64).filter(|s| set >> s & 1 == 1).map(|s| (s % 8, s / 8)).collect()
    }

    fn obvious(pawns: u64, enemy: u64) -> [Vec<(i32, i32)>; 3] {
        let own = squares(pawns);
        let foes = squares(enemy);
        let keep = |test: &dyn Fn(i32, i32) -> bool| -> Vec<_> {
            own.iter().copied().filter(|&(file, rank)| test(file, rank)).collect()
        };
        let alone = |file: i32, _: i32| !own.iter().any(|(f, _)| (f - file).abs() == 1);
        let behind = |file: i32, rank: i32| own.iter().any(|&(f, r)| f == file && r > rank);
        let free = |file: i32, rank: i32| {
            !behind(file, rank) && !foes.iter().any(|&(f, r)| (f - file).abs() <= 1 && r > rank)
        };
        [keep(&alone), keep(&behind), keep(&free)]
    }

    proptest! {
        #[test]
        fn fills_find_what_loops_find(
            own in prop::collection::vec(8_u32..56, 0..9),
            enemy in prop::collection::vec(8_u32..56, 0..9),
        ) {
            let set = |of: &[u32]| of.iter().fold(0_u64, |set, s| set | 1 << s);
            let own = set(&own);
            let enemy = set(&enemy) & !own;
            let [alone, behind, free] = obvious(own, enemy);
            prop_assert_eq!(squares(isolated(own)), alone);
            prop_assert_eq!(squares(doubled(own)), behind);
            prop_assert_eq!(squares(passed(own, enemy)), free);
        }
    }

    #[test]
    fn passed_pawns_are_worth_more_in_front() {
        assert_eq!(worth_of_passed(1 << 8 | 1 << 50), 2 + 30);
        assert!(BY_RANK[1..7].is_sorted());
    }
}
