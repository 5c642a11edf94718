//! Area scoring by the Tromp-Taylor rules: stones, and the empty points from
//! which only one colour is reached. Nobody removes dead stones.

use crate::point::{BOARD, Set, beside, flood};

/// The area of `own` less that of `opp`, in points.
pub(crate) fn lead(own: Set, opp: Set) -> i16 {
    let empty = BOARD & !(own | opp);
    let reach = |stones| flood(beside(stones) & empty, empty);
    let (mine, theirs) = (reach(own), reach(opp));
    let points = |stones: Set, alone: Set| (stones | alone).count_ones() as i16;
    points(own, mine & !theirs) - points(opp, theirs & !mine)
}
