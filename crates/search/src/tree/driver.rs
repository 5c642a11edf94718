//! The recursion, compiled twice: for any processor, and for x86-64-v3.
//!
//! `#[target_feature]` cannot stand on trait methods, so it stands on the
//! functions that call them: what a game and an evaluation function mark
//! `#[inline]` is compiled into each copy with that copy's instructions.

use super::Tree;
use crate::order::NO_SLOT;
use crate::table::Bound;
use evalsmith_core::{Evaluate, Position, Score, Window};

/// Nodes with fewer plies below them are searched faster than looked up; below
/// the last ply of a noisy game there is more to search.
#[inline]
fn table_depth<P: Position>(position: &P) -> u8 {
    if position.has_noisy_moves() { 1 } else { 2 }
}

/// Returned by nodes that were stopped; nobody reads it.
const STOPPED: Score = Score(0);

macro_rules! driver {
    ($name:ident $(, #[$attribute:meta])*) => {
        pub(super) mod $name {
            use super::*;

            /// The value, for the side to move in `position`, of playing `m`.
            $(#[$attribute])*
            pub(in super::super) fn child<P: Position, E: Evaluate<P>>(
                tree: &mut Tree<'_, P, E>,
                position: &P,
                state: &E::State,
                m: P::Move,
                window: Window,
                depth: u8,
            ) -> Score {
                let after = position.play(m);
                if depth == 1 {
                    tree.memory.lines[1].clear();
                    return -leaf::<P, E, true>(tree, position, state, m, &after, -window, 1);
                }
                let after_state = tree.function.advance(position, m, &after, state);
                if window.alpha + 1 == window.beta {
                    -node::<P, E, false>(tree, &after, &after_state, -window, depth - 1, 1)
                } else {
                    -node::<P, E, true>(tree, &after, &after_state, -window, depth - 1, 1)
                }
            }

            /// A position at the horizon or below it. With `PV` the line is kept;
            /// the caller has emptied it.
            $(#[$attribute])*
            #[inline]
            fn leaf<P: Position, E: Evaluate<P>, const PV: bool>(
                tree: &mut Tree<'_, P, E>,
                before: &P,
                state: &E::State,
                m: P::Move,
                position: &P,
                window: Window,
                ply: usize,
            ) -> Score {
                if tree.brake.enter() {
                    return STOPPED;
                }
                if let Some(score) = tree.ended(position, ply) {
                    return score;
                }
                let state = tree.function.advance(before, m, position, state);
                if position.has_noisy_moves() {
                    return quiesce::<P, E, PV>(tree, position, &state, window, ply);
                }
                tree.horizons += 1;
                tree.function.value(position, &state, window)
            }

            /// The quiet value of an unfinished position that has been entered.
            $(#[$attribute])*
            pub(in super::super) fn quiesce<P: Position, E: Evaluate<P>, const PV: bool>(
                tree: &mut Tree<'_, P, E>,
                position: &P,
                state: &E::State,
                window: Window,
                ply: usize,
            ) -> Score {
                let Window { mut alpha, beta } = window;
                let mut best = -Score::INFINITE;
                let deeper = ply < tree.last_ply;
                let forced = deeper && position.must_answer();
                if !forced {
                    tree.horizons += 1;
                    best = tree.function.value(position, state, window);
                    if best >= beta || !deeper {
                        return best;
                    }
                    alpha = alpha.max(best);
                }

                let base = tree.list_moves(position, NO_SLOT, ply, forced);
                let end = tree.memory.moves.len();
                if base == end {
                    return best;
                }
                if position.can_repeat() {
                    tree.memory.keys.push(position.key());
                }
                for i in base..end {
                    let m = tree.pick(i);
                    let after = position.play(m);
                    if PV {
                        tree.memory.lines[ply + 1].clear();
                    }
                    let down = -Window::new(alpha, beta);
                    let value = -leaf::<P, E, PV>(tree, position, state, m, &after, down, ply + 1);
                    if tree.brake.stopped() {
                        best = STOPPED;
                        break;
                    }
                    if value > best {
                        best = value;
                        if value > alpha {
                            alpha = value;
                            if PV {
                                tree.lengthen_line(ply, m);
                            }
                            if value >= beta {
                                let side = tree.side(ply);
                                tree.memory.order.cut(P::slot(m), ply, side, 1);
                                break;
                            }
                        }
                    }
                }
                tree.memory.moves.truncate(base);
                if position.can_repeat() {
                    tree.memory.keys.pop();
                }
                best
            }

            /// A position `depth` plies (at least one) above the horizon. With
            /// `PV` the window is open and the line is kept; a node without has
            /// a window of width one and may be answered by the table.
            $(#[$attribute])*
            fn node<P: Position, E: Evaluate<P>, const PV: bool>(
                tree: &mut Tree<'_, P, E>,
                position: &P,
                state: &E::State,
                window: Window,
                depth: u8,
                ply: usize,
            ) -> Score {
                if tree.brake.enter() {
                    return STOPPED;
                }
                if PV {
                    tree.memory.lines[ply].clear();
                }
                if (position.can_repeat() || tree.bounded)
                    && let Some(score) = tree.ended(position, ply)
                {
                    return score;
                }

                let tabled = depth >= table_depth(position) && tree.memory.table.exists();
                let own_key = if tabled || position.can_repeat() { position.key() } else { 0 };
                let key = tree.table_key(own_key, ply);
                let mut table_slot = NO_SLOT;
                if tabled && let Some(known) = tree.memory.table.probe(key) {
                    table_slot = u32::from(known.slot);
                    if !PV && !position.can_repeat() && let Some(score) = known.decides(depth, window) {
                        tree.horizons += u64::from(!known.complete());
                        return score;
                    }
                }

                let base = tree.list_moves(position, table_slot, ply, true);
                let end = tree.memory.moves.len();
                if base == end {
                    let outcome = position.outcome().expect("a position without moves is finished");
                    return tree.function.outcome(outcome);
                }
                if position.can_repeat() {
                    tree.memory.keys.push(own_key);
                }

                let Window { mut alpha, beta } = window;
                let mut best = -Score::INFINITE;
                let mut best_slot = 0;
                let mut horizons_before = tree.horizons;
                for i in base..end {
                    let horizons_here = tree.horizons;
                    let m = tree.pick(i);
                    let after = position.play(m);
                    let value = if depth == 1 {
                        if PV {
                            tree.memory.lines[ply + 1].clear();
                        }
                        let down = -Window::new(alpha, beta);
                        -leaf::<P, E, PV>(tree, position, state, m, &after, down, ply + 1)
                    } else {
                        let below = tree.function.advance(position, m, &after, state);
                        let mut scout = Score::INFINITE;
                        if !PV || i > base {
                            let down = -Window::zero(alpha);
                            scout = -node::<P, E, false>(tree, &after, &below, down, depth - 1, ply + 1);
                        }
                        if PV && (i == base || (scout > alpha && scout < beta)) && !tree.brake.stopped() {
                            let down = -Window::new(alpha, beta);
                            scout = -node::<P, E, true>(tree, &after, &below, down, depth - 1, ply + 1);
                        }
                        scout
                    };
                    if tree.brake.stopped() {
                        best = STOPPED;
                        break;
                    }
                    if value > best {
                        best = value;
                        best_slot = P::slot(m);
                        if value > alpha {
                            alpha = value;
                            if PV {
                                tree.lengthen_line(ply, m);
                            }
                            if value >= beta {
                                // The bound rests on this move alone.
                                horizons_before = horizons_here;
                                let side = tree.side(ply);
                                tree.memory.order.cut(best_slot, ply, side, depth);
                                break;
                            }
                        }
                    }
                }
                tree.memory.moves.truncate(base);
                if position.can_repeat() {
                    tree.memory.keys.pop();
                }
                if tabled && !tree.brake.stopped() {
                    let bound = if best >= beta {
                        Bound::Lower
                    } else if best > window.alpha {
                        Bound::Exact
                    } else {
                        Bound::Upper
                    };
                    let complete = tree.horizons == horizons_before;
                    tree.memory.table.store(key, best, depth, bound, complete, best_slot);
                }
                best
            }
        }
    };
}

driver!(portable);
#[cfg(target_arch = "x86_64")]
driver!(x86_v3, #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]);
