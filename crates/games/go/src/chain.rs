//! Chains and their liberties: what may be played, and what a stone captures.
//!
//! Chains are never stored. Most questions are answered for all chains of a
//! colour at once by one flood; only what remains open is looked at one by one.

use crate::point::{BOARD, Point, Set, beside, flood};

/// The chains of a set of stones, one after the other.
#[inline]
pub(crate) fn chains(stones: Set) -> impl Iterator<Item = Set> {
    let mut rest = stones;
    std::iter::from_fn(move || {
        (rest != 0).then(|| {
            let chain = flood(rest & rest.wrapping_neg(), rest);
            rest &= !chain;
            chain
        })
    })
}

/// Whether a set holds exactly one point.
#[inline]
pub(crate) const fn is_single(set: Set) -> bool {
    set.is_power_of_two()
}

/// The points where `own` may put a stone, superko and ko apart: beside an empty
/// point, or where it captures, or where it joins a chain that keeps a liberty.
#[inline]
pub(crate) fn playable(own: Set, opp: Set) -> Set {
    let empty = BOARD & !(own | opp);
    let roomy = empty & beside(empty);
    let tight = empty & !roomy;
    if tight == 0 {
        return empty;
    }
    // A chain with a roomy liberty keeps it whatever tight point is filled.
    let beside_roomy = beside(roomy);
    let safe = flood(own & beside_roomy, own);
    let mut legal = roomy | tight & beside(safe);
    for chain in chains_at(empty & !legal, own) {
        let liberties = beside(chain) & empty;
        if !is_single(liberties) {
            legal |= liberties;
        }
    }
    let open = empty & !legal;
    if open == 0 {
        return legal;
    }
    let at_risk = opp & !flood(opp & beside_roomy, opp);
    for chain in chains_at(open, at_risk) {
        let liberties = beside(chain) & empty;
        if is_single(liberties) {
            legal |= liberties;
        }
    }
    legal
}

/// The chains of `stones`, whole, that touch `points`.
#[inline]
fn chains_at(points: Set, stones: Set) -> impl Iterator<Item = Set> {
    let mut seeds = stones & beside(points);
    std::iter::from_fn(move || {
        (seeds != 0).then(|| {
            let chain = flood(seeds & seeds.wrapping_neg(), stones);
            seeds &= !chain;
            chain
        })
    })
}

/// The stones of `opp` that lose their last liberty by the stone on `point`,
/// which `own` holds already.
#[inline]
pub(crate) fn captured(point: Point, own: Set, opp: Set) -> Set {
    let near = beside(point.set()) & opp;
    if near == 0 {
        return 0;
    }
    let beside_empty = beside(BOARD & !(own | opp));
    let mut suspects = near & !beside_empty;
    let mut captured = 0;
    while suspects != 0 {
        let mut chain = suspects & suspects.wrapping_neg();
        loop {
            let next = chain | beside(chain) & opp;
            if next == chain {
                captured |= chain;
                break;
            }
            chain = next;
            if chain & beside_empty != 0 {
                break;
            }
        }
        suspects &= !chain;
    }
    captured
}

/// Whether a stone on `point` would capture something of `opp`.
#[inline]
pub(crate) fn captures(point: Point, own: Set, opp: Set) -> bool {
    captured(point, own | point.set(), opp) != 0
}
