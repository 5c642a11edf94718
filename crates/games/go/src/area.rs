//! Area scoring by the Tromp-Taylor rules: stones, and the empty points from
//! which only one colour is reached. Nobody removes dead stones.

use crate::point::{BOARD, Set, beside, flood};

/// The points of `own` less those of `opp`.
pub(crate) fn lead(own: Set, opp: Set) -> i16 {
    let [mine, theirs] = areas(own, opp);
    mine.count_ones() as i16 - theirs.count_ones() as i16
}

/// The areas of `own` and of `opp`.
pub(crate) fn areas(own: Set, opp: Set) -> [Set; 2] {
    let empty = BOARD & !(own | opp);
    let reach = |stones| flood(beside(stones) & empty, empty);
    let (mine, theirs) = (reach(own), reach(opp));
    [own | mine & !theirs, opp | theirs & !mine]
}
