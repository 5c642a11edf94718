//! Counting the leaves of the game tree: the classic test of move generation.
//!
//! A pass is a move, and a finished game counts as one leaf at any depth.

use crate::Position;

/// Leaves at `depth`, each visited, by the fastest code this machine runs.
pub fn perft<P: Position>(position: &P, depth: u32) -> u64 {
    fastest::<P, false>(position, depth)
}

/// The same number with the last ply counted instead of played.
pub fn perft_by_bulk<P: Position>(position: &P, depth: u32) -> u64 {
    fastest::<P, true>(position, depth)
}

fn fastest<P: Position, const BULK: bool>(position: &P, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    #[cfg(target_arch = "x86_64")]
    if crate::x86_v3_available() {
        // SAFETY: the processor has every feature the function was compiled for.
        #[expect(unsafe_code, reason = "calls code compiled for the detected processor")]
        return unsafe { count_x86_v3::<P, BULK>(position, depth) };
    }
    count::<P, BULK>(position, depth)
}

macro_rules! counter {
    ($(#[$attribute:meta])* $name:ident) => {
        $(#[$attribute])*
        fn $name<P: Position, const BULK: bool>(position: &P, depth: u32) -> u64 {
            let mut leaves = 0;
            if depth == 1 {
                if BULK {
                    return position.move_count().max(1) as u64;
                }
                for m in position.moves() {
                    std::hint::black_box(&position.play(m));
                    leaves += 1;
                }
            } else if BULK && depth == 2 {
                // The last call but one, inlined: most of the time goes here.
                for m in position.moves() {
                    leaves += position.play(m).move_count().max(1) as u64;
                }
            } else {
                for m in position.moves() {
                    leaves += $name::<P, BULK>(&position.play(m), depth - 1);
                }
            }
            // Every subtree has at least one leaf: none means no moves.
            leaves.max(1)
        }
    };
}

counter!(count);
counter!(
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    count_x86_v3
);
