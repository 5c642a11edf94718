//! Which move to try first: the table's, those that promise most, the killers,
//! then by history.
//!
//! Killer moves (Akl and Newborn 1977) are the last two that cut off at the same
//! ply; history (Schaeffer 1983) counts cut-offs by move, for each side apart.
//! Moves are known here only by their slots; two moves may share one.

use crate::tree::quiescence::MAX_PLIES;

/// No move: beyond every slot.
pub(crate) const NO_SLOT: u32 = u32::MAX;

const TABLE_RANK: u32 = u32::MAX;
/// Noisy moves by what they promise stand from here to 255 above.
const PROMISE_RANK: u32 = KILLER_RANK + 2;
const KILLER_RANK: u32 = 1 << 30;
/// Histories are halved when one passes this, so they never reach the killers.
const HISTORY_LIMIT: u32 = 1 << 24;
const SLOTS: usize = 1 << 12;

/// A move with its place in the queue: the largest rank goes first.
#[derive(Clone, Copy)]
pub(crate) struct Ranked<M> {
    pub(crate) rank: u32,
    pub(crate) mv: M,
}

/// Brings the first of the highest-ranked moves to the front.
#[inline]
pub(crate) fn pick<M: Copy>(moves: &mut [Ranked<M>]) -> M {
    let mut best = 0;
    let mut rank = moves[0].rank;
    for (i, candidate) in moves.iter().enumerate().skip(1) {
        if candidate.rank > rank {
            (best, rank) = (i, candidate.rank);
        }
    }
    moves.swap(0, best);
    moves[0].mv
}

pub(crate) struct Order {
    killers: Vec<[u32; 2]>,
    history: [Vec<u32>; 2],
    /// Slots from here on have no history: most games use few of them, and
    /// every search fades what there is.
    used: usize,
}

/// What ranks the moves of one node.
#[derive(Clone, Copy)]
pub(crate) struct Ranker<'a> {
    table: u32,
    killers: [u32; 2],
    history: &'a [u32],
}

impl Order {
    pub(crate) fn new() -> Self {
        Self {
            killers: vec![[NO_SLOT; 2]; 1 + usize::from(u8::MAX) + usize::from(MAX_PLIES)],
            history: [vec![0; SLOTS], vec![0; SLOTS]],
            used: 0,
        }
    }

    pub(crate) fn clear(&mut self) {
        self.killers.fill([NO_SLOT; 2]);
        self.history.iter_mut().for_each(|side| side[..self.used].fill(0));
        self.used = 0;
    }

    /// Begins a search: old killers stand at other plies, old history fades.
    pub(crate) fn age(&mut self) {
        self.killers.fill([NO_SLOT; 2]);
        self.halve();
    }

    #[cold]
    fn halve(&mut self) {
        for count in self.history.iter_mut().flat_map(|side| &mut side[..self.used]) {
            *count /= 2;
        }
    }

    /// Ranks moves at a ply for a side (0 or 1), the table's move first.
    #[inline]
    pub(crate) fn ranker(&self, table: u32, ply: usize, side: usize) -> Ranker<'_> {
        Ranker { table, killers: self.killers[ply], history: &self.history[side] }
    }

    /// A move cut off at this ply and depth.
    #[inline]
    pub(crate) fn cut(&mut self, slot: u16, ply: usize, side: usize, depth: u8) {
        let killers = &mut self.killers[ply];
        if killers[0] != u32::from(slot) {
            *killers = [u32::from(slot), killers[0]];
        }
        let place = usize::from(slot) % SLOTS;
        self.used = self.used.max(place + 1);
        let count = &mut self.history[side][place];
        *count += u32::from(depth) * u32::from(depth);
        if *count > HISTORY_LIMIT {
            self.halve();
        }
    }
}

impl Ranker<'_> {
    #[inline]
    pub(crate) fn rank(&self, slot: u16, promise: u8) -> u32 {
        let wide = u32::from(slot);
        if wide == self.table {
            TABLE_RANK
        } else if promise > 0 {
            PROMISE_RANK + u32::from(promise)
        } else if wide == self.killers[0] {
            KILLER_RANK + 1
        } else if wide == self.killers[1] {
            KILLER_RANK
        } else {
            self.history[usize::from(slot) % SLOTS]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_then_promise_then_killers_then_history() {
        let mut order = Order::new();
        order.cut(10, 3, 1, 2);
        order.cut(11, 3, 1, 2);
        order.cut(12, 4, 1, 5);
        order.cut(13, 4, 0, 9);
        let ranker = order.ranker(20, 3, 1);
        let mut moves: Vec<_> = [(13, 0), (12, 0), (15, 1), (16, 9), (10, 0), (11, 0), (20, 0)]
            .map(|(mv, promise)| Ranked { rank: ranker.rank(mv, promise), mv })
            .into();
        let mut sequence = Vec::new();
        for i in 0..moves.len() {
            sequence.push(pick(&mut moves[i..]));
        }
        assert_eq!(sequence, [20, 16, 15, 11, 10, 12, 13]);
    }

    #[test]
    fn equal_ranks_keep_their_order_for_the_first_pick() {
        let mut moves: Vec<_> = (0..5).map(|mv| Ranked { rank: 7, mv }).collect();
        assert_eq!(pick(&mut moves), 0);
    }

    #[test]
    fn a_repeated_killer_does_not_push_out_the_other() {
        let mut order = Order::new();
        for slot in [1, 2, 2, 2] {
            order.cut(slot, 0, 0, 1);
        }
        assert_eq!(order.ranker(NO_SLOT, 0, 0).rank(1, 0), KILLER_RANK);
    }

    #[test]
    fn history_never_reaches_the_killers_and_clears() {
        let mut order = Order::new();
        for _ in 0..10_000 {
            order.cut(1, 0, 0, u8::MAX);
        }
        let rank = order.ranker(NO_SLOT, 9, 0).rank(1, 0);
        assert!(rank > 0 && rank < KILLER_RANK);
        order.age();
        assert_eq!(order.ranker(NO_SLOT, 9, 0).rank(1, 0), rank / 2);
        order.clear();
        assert_eq!(order.ranker(NO_SLOT, 0, 0).rank(1, 0), 0);
    }
}
