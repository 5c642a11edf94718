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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation;
    use crate::point::points;

    fn stones(rows: &str) -> [Set; 2] {
        notation::parse(&format!("{rows} b - 0"), 14).unwrap().by_colour()
    }

    fn names(set: Set) -> String {
        points(set).map(|point| point.to_string()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn tight_points_are_played_to_capture_or_to_join_only() {
        let [black, white] = stones("9/9/9/9/9/9/XX7/OOX6/1OX6");
        let refused = BOARD & !(black | white) & !playable(white, black);
        assert_eq!(names(refused), "A1", "it would fill the last liberty");
        assert_eq!(names(playable(black, white) & 0b1), "A1", "it captures three stones");
        let [black, white] = stones("9/9/9/9/9/9/XX7/OOX6/1O1X5");
        assert_eq!(names(playable(black, white) & 0b1), "", "C1 is a liberty left to White");
        let [black, white] = stones("9/9/9/9/9/9/XX7/OXX6/1OX6");
        assert_eq!(names(playable(white, black) & 0b1), "", "the two would have no liberty");
        let [black, white] = stones("9/9/9/9/9/9/XX7/OXX6/1O7");
        assert_eq!(names(playable(white, black) & 0b1), "A1", "joined, they keep C1");
    }

    #[test]
    fn one_stone_captures_on_all_sides_at_once() {
        let [black, white] = stones("9/9/9/9/3XOX3/2XO1OX2/3XOX3/4X4/9");
        let open = Point::new(3, 4).unwrap();
        assert_eq!(names(captured(open, black | open.set(), white)), "E3 D4 F4");
        let closed = black | open.set() | Point::new(5, 4).unwrap().set();
        assert_eq!(names(captured(open, closed, white)), "E3 D4 F4 E5");
        assert_eq!(chains(black | white).count(), 1, "colours apart, all hang together");
        assert_eq!((chains(black).count(), chains(white).count()), (7, 4));
    }
}
