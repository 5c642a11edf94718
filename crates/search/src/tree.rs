//! One search: the state shared by all nodes, and the door to the driver.
//!
//! **Fail-soft.** Every returned value is a true bound: at most `alpha` means the
//! minimax value is at most that, at least `beta` means it is at least that, and
//! between the two it is exact.
//!
//! **The bound on plies.** Depth and plies left shrink together, and quiescence
//! adds the same to every depth, so within one iteration either no line or every
//! line can reach the record's bound. Where they can, a value depends on the
//! plies left, and these go into the table's key; elsewhere it does not, and
//! entries serve at any ply.
//!
//! **Repetition.** Where the rules look back ([`Position::can_repeat`]) a value
//! belongs to a path and not to a position (the graph-history interaction,
//! Campbell 1985): a line that ends by repetition on one path goes on on another.
//! There the table only orders moves and never cuts off.
//!
//! **The horizon.** Where a game names noisy moves, the value at depth zero is
//! that of a [quiescence] search.

mod driver;
pub(crate) mod quiescence;

use crate::brake::Brake;
use crate::order::{Order, Ranked, pick};
use crate::table::{Bound, Table};
use evalsmith_core::{Evaluate, GameRecord, Outcome, Position, Score, Window};

/// What outlives a search: memory, and knowledge for the next one.
pub(crate) struct Memory<P: Position> {
    pub(crate) table: Table,
    pub(crate) order: Order,
    moves: Vec<Ranked<P::Move>>,
    keys: Vec<u64>,
    lines: Vec<Vec<P::Move>>,
}

impl<P: Position> Memory<P> {
    pub(crate) fn new(table_bytes: usize) -> Self {
        Self {
            table: Table::new(table_bytes),
            order: Order::new(),
            moves: Vec::new(),
            keys: Vec::new(),
            lines: Vec::new(),
        }
    }
}

/// A search under way.
pub(crate) struct Tree<'a, P: Position, E: Evaluate<P>> {
    function: &'a E,
    memory: &'a mut Memory<P>,
    pub(crate) brake: Brake<'a>,
    root: &'a P,
    root_state: E::State,
    /// 0 or 1: whose history is used at even plies.
    root_side: usize,
    /// Plies from the root to the record's bound.
    plies_left: usize,
    /// No line of this iteration goes beyond this ply.
    last_ply: usize,
    /// Whether this iteration can reach the bound.
    bounded: bool,
    /// How often a line was cut by the horizon. A subtree that leaves it as it
    /// was has seen only finished games.
    horizons: u64,
    fastest: bool,
}

/// What an iteration found before it ended or was stopped.
pub(crate) struct Iteration<M> {
    pub(crate) value: Score,
    pub(crate) line: Vec<M>,
    pub(crate) complete: bool,
}

impl<'a, P: Position, E: Evaluate<P>> Tree<'a, P, E> {
    /// A search from the record's position, which must not have ended the game.
    pub(crate) fn new(
        function: &'a E,
        memory: &'a mut Memory<P>,
        game: &'a GameRecord<P>,
        brake: Brake<'a>,
    ) -> Self {
        memory.table.next_generation();
        memory.order.age();
        memory.moves.clear();
        memory.keys.clear();
        if game.position().can_repeat() {
            memory.keys.extend_from_slice(game.earlier_keys());
            memory.keys.push(game.position().key());
        }
        #[cfg(target_arch = "x86_64")]
        let fastest = evalsmith_core::x86_v3_available();
        #[cfg(not(target_arch = "x86_64"))]
        let fastest = false;
        Self {
            function,
            memory,
            brake,
            root: game.position(),
            root_state: function.start(game.position()),
            root_side: game.ply() % 2,
            plies_left: game.max_plies().saturating_sub(game.ply()),
            last_ply: 0,
            bounded: false,
            horizons: 0,
            fastest,
        }
    }

    /// The function's own opinion of the root.
    pub(crate) fn static_value(&self) -> Score {
        self.function.value(self.root, &self.root_state, Window::FULL)
    }

    /// The root's moves, the table's first.
    pub(crate) fn root_moves(&self) -> Vec<P::Move> {
        let mut moves: Vec<_> = self.root.moves().collect();
        if self.memory.table.exists()
            && let Some(known) = self.memory.table.probe(self.root.key())
            && let Some(place) = moves.iter().position(|&m| P::slot(m) == known.slot)
        {
            moves[..=place].rotate_right(1);
        }
        moves
    }

    /// Prepares an iteration; false when the search must stop before it.
    fn begin(&mut self, depth: u8) -> bool {
        self.last_ply = self.last_ply(depth);
        self.bounded = self.plies_left <= self.last_ply;
        self.horizons = 0;
        let lines = &mut self.memory.lines;
        lines.resize_with(lines.len().max(self.last_ply + 1), Vec::new);
        !self.brake.enter()
    }

    /// Searches all moves to `depth` (at least 1) for the best. None when the
    /// search was stopped before the first move was done; when it was stopped
    /// later, the best of those done.
    pub(crate) fn iterate(&mut self, moves: &[P::Move], depth: u8) -> Option<Iteration<P::Move>> {
        if !self.begin(depth) {
            return None;
        }
        let mut best: Option<Iteration<P::Move>> = None;
        for &m in moves {
            let alpha = best.as_ref().map_or(Window::FULL.alpha, |b| b.value);
            // A last ply costs one evaluation: asking twice would not be cheaper.
            let scouted = best.is_some() && depth > 1;
            let mut value = Window::FULL.beta;
            if scouted {
                value = self.value_after(m, Window::zero(alpha), depth);
            }
            if value > alpha && !self.brake.stopped() {
                value = self.value_after(m, Window::new(alpha, Window::FULL.beta), depth);
            }
            if self.brake.stopped() {
                break;
            }
            if value > alpha {
                let line = self.line_after(m);
                best = Some(Iteration { value, line, complete: false });
            }
        }
        let complete = !self.brake.stopped() && self.horizons == 0;
        if let Some(best) = &mut best {
            best.complete = complete;
            if !self.brake.stopped() && self.memory.table.exists() {
                let key = self.table_key(self.root.key(), 0);
                let slot = P::slot(best.line[0]);
                self.memory.table.store(key, best.value, depth, Bound::Exact, complete, slot);
            }
        }
        best
    }

    /// The exact value of every move at `depth` with the line it begins, in their order;
    /// complete where all lines ended with the game. None when the search was stopped
    /// before that.
    pub(crate) fn value_all(
        &mut self,
        moves: &[P::Move],
        depth: u8,
    ) -> Option<Vec<Iteration<P::Move>>> {
        if !self.begin(depth) {
            return None;
        }
        let mut values = Vec::with_capacity(moves.len());
        for &m in moves {
            let value = self.value_after(m, Window::FULL, depth);
            if self.brake.stopped() {
                return None;
            }
            values.push(Iteration { value, line: self.line_after(m), complete: false });
        }
        let complete = self.horizons == 0;
        for found in &mut values {
            found.complete = complete;
        }
        Some(values)
    }

    /// The value of a root move for the root's side; meaningless once stopped.
    fn value_after(&mut self, m: P::Move, window: Window, depth: u8) -> Score {
        let root = self.root;
        let state = self.root_state.clone();
        #[cfg(target_arch = "x86_64")]
        if self.fastest {
            // SAFETY: the processor has every feature the function was compiled for.
            #[expect(unsafe_code, reason = "calls code compiled for the detected processor")]
            return unsafe { driver::x86_v3::child(self, root, &state, m, window, depth) };
        }
        driver::portable::child(self, root, &state, m, window, depth)
    }

    fn line_after(&self, m: P::Move) -> Vec<P::Move> {
        std::iter::once(m).chain(self.memory.lines[1].iter().copied()).collect()
    }

    /// A finished game, or one that history ends.
    #[expect(clippy::inline_always, reason = "compiled into the driver, with its instructions")]
    #[inline(always)]
    fn ended(&self, position: &P, ply: usize) -> Option<Score> {
        let outcome = position.outcome().or_else(|| self.ended_by_history(position, ply));
        outcome.map(|o| self.function.outcome(o))
    }

    /// The end of a game whose position alone does not end it.
    #[expect(clippy::inline_always, reason = "compiled into the driver, with its instructions")]
    #[inline(always)]
    fn ended_by_history(&self, position: &P, ply: usize) -> Option<Outcome> {
        if position.can_repeat()
            && let Some(outcome) = position.repeated(&self.memory.keys)
        {
            return Some(outcome);
        }
        (self.bounded && ply >= self.plies_left).then_some(Outcome::DRAW)
    }

    #[inline]
    fn table_key(&self, key: u64, ply: usize) -> u64 {
        if self.bounded {
            let left = (self.plies_left - ply) as u64 + 1;
            key ^ left.wrapping_mul(0x9E37_79B9_7F4A_7C15)
        } else {
            key
        }
    }

    #[inline]
    fn side(&self, ply: usize) -> usize {
        (self.root_side + ply) % 2
    }

    /// Lists and ranks all moves, or the noisy ones, at the end of the stack, and
    /// says where they begin.
    #[expect(clippy::inline_always, reason = "compiled into the driver, with its instructions")]
    #[inline(always)]
    fn list_moves(&mut self, position: &P, table_slot: u32, ply: usize, all: bool) -> usize {
        let side = self.side(ply);
        let Memory { moves, order, .. } = &mut *self.memory;
        let base = moves.len();
        let ranker = order.ranker(table_slot, ply, side);
        for mv in position.moves() {
            let promise = if position.has_noisy_moves() { position.promise(mv) } else { 0 };
            if !all && promise == 0 {
                continue;
            }
            moves.push(Ranked { rank: ranker.rank(P::slot(mv), promise), mv });
        }
        base
    }

    #[inline]
    fn pick(&mut self, from: usize) -> P::Move {
        pick(&mut self.memory.moves[from..])
    }

    /// The line from here begins with `m` and goes on as the child's.
    #[inline]
    fn lengthen_line(&mut self, ply: usize, m: P::Move) {
        let (upper, lower) = self.memory.lines.split_at_mut(ply + 1);
        upper[ply].clear();
        upper[ply].push(m);
        upper[ply].extend_from_slice(&lower[0]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;
    use crate::toys::{Dag, Loops, Noise, Noisy, record};
    use proptest::prelude::*;
    use std::sync::atomic::AtomicBool;

    /// Values, lines and nodes of a deepening search by one copy of the driver.
    fn run<P: Position>(
        start: P,
        function: Noise,
        fastest: bool,
    ) -> Vec<(Score, Vec<P::Move>, bool, u64)> {
        let game = record(start, 12);
        let never = AtomicBool::new(false);
        let mut memory = Memory::new(1 << 12);
        let brake = Brake::new(&Limits::default(), &never);
        let mut tree = Tree::new(&function, &mut memory, &game, brake);
        tree.fastest &= fastest;
        let moves = tree.root_moves();
        let mut all = Vec::new();
        if game.position().has_noisy_moves() {
            let quiet = tree.quiesce().expect("nothing stops the search");
            all.push((quiet.value, quiet.line, quiet.complete, tree.brake.nodes()));
        }
        for depth in 1..8 {
            let found = tree.iterate(&moves, depth).expect("nothing stops the search");
            all.push((found.value, found.line, found.complete, tree.brake.nodes()));
        }
        all
    }

    proptest! {
        #[test]
        fn both_copies_of_the_driver_do_the_same(seed: u16, noise: u64, spread in 1_i32..99) {
            let function = Noise { seed: noise, spread, early: true, mixed: false };
            prop_assert_eq!(
                run(Dag::new(seed), function, true),
                run(Dag::new(seed), function, false)
            );
            prop_assert_eq!(
                run(Loops { seed, place: 0 }, function, true),
                run(Loops { seed, place: 0 }, function, false)
            );
            let noisy = Noisy { calm: Dag::new(seed), often: 2 };
            prop_assert_eq!(run(noisy.clone(), function, true), run(noisy, function, false));
            let noisy = Noisy { calm: Loops { seed, place: 0 }, often: 1 };
            prop_assert_eq!(run(noisy.clone(), function, true), run(noisy, function, false));
        }
    }
}
