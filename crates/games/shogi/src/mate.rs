//! Mate by checks alone, by depth-first proof-number search (Nagai 2002).
//!
//! The side to move attacks and only gives check; the other side answers by any
//! legal move. A node's proof number says how many leaves must still be won to
//! prove the mate, its disproof number how many to refute it; the search always
//! goes where the smaller of the two can be settled soonest. Coming back to a
//! position of the line loses for the attacker, as perpetual check does.
//!
//! A refutation that rests on such a repetition holds only below the repeated
//! position (the graph history interaction; Kishimoto and Müller 2004). It is kept
//! for the line it was found on; one that rests on nothing above its own node is
//! kept for the position. Invariant: a mate that is found is one, by whatever way the
//! position came about; where a search ends before its bound and finds none, there is
//! none by checks alone.

use crate::attacks::attacks;
use crate::board::Board;
use crate::moves::Move;
use evalsmith_core::Position;
use haitaka::{Color, Piece, get_bishop_moves, get_rook_moves};
use std::collections::HashMap;

/// Proved or refuted.
const SETTLED: u32 = 1 << 30;
/// The largest number of a node that is not: round a cycle numbers feed each other and
/// grow without end, until at this one the search goes on to the settlement.
const UNSETTLED: u32 = 1 << 16;
/// No mate is looked for beyond so many plies.
const DEEPEST: usize = 256;

/// Looks for a mate from the side to move within so many nodes.
///
/// ```
/// use evalsmith_core::Game;
/// use evalsmith_shogi::{Shogi, mate};
/// let (board, _) = Shogi.parse("4k4/9/4P4/9/9/9/9/9/4K4 b G 1")?;
/// assert_eq!(mate(&board, 100).map(|m| m.to_string()), Some("G*5b".to_owned()));
/// # Ok::<(), evalsmith_core::Malformed>(())
/// ```
pub fn mate(board: &Board, nodes: u64) -> Option<Move> {
    let mut search = Search::new(nodes);
    search.settle(board, true, Numbers { own: SETTLED, other: SETTLED });
    let proved = |m: &Move| search.known.get(&board.play(*m).key()).is_some_and(|n| n.other == 0);
    search.known.get(&board.key()).filter(|n| n.own == 0)?;
    checks(board).into_iter().find(proved)
}

/// What it takes a node's side to move to reach its aim (a mate, or an escape from
/// it), and what it takes the other side. Nothing is left to do at zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Numbers {
    own: u32,
    other: u32,
}

impl Numbers {
    const UNKNOWN: Self = Self { own: 1, other: 1 };
    const LOST: Self = Self { own: SETTLED, other: 0 };
    const WON: Self = Self { own: 0, other: SETTLED };
}

/// What the search asks of a position.
trait Node: Sized {
    /// The same for equal positions alone.
    fn id(&self) -> u64;

    /// The positions after the attacker's checks, or after the defender's moves.
    fn children(&self, attacks: bool) -> Vec<Self>;
}

impl Node for Board {
    fn id(&self) -> u64 {
        self.key()
    }

    fn children(&self, attacks: bool) -> Vec<Self> {
        let moves = if attacks { checks(self) } else { self.moves().collect() };
        moves.into_iter().map(|m| self.play(m)).collect()
    }
}

struct Search {
    /// Of positions, however they came about.
    known: HashMap<u64, Numbers>,
    /// Refutations by the line above a node: the plies that each rests on.
    below: HashMap<(u64, u64), usize>,
    /// The keys of the line, and a hash of the line up to each.
    path: Vec<(u64, u64)>,
    nodes: u64,
    limit: u64,
}

/// What is known of a child: its numbers, and where they are a refutation by
/// repetition, the place in the line that it rests on.
#[derive(Clone, Copy)]
struct Child {
    numbers: Numbers,
    rests_on: usize,
}

/// A refutation that holds wherever the position is met.
const ANYWHERE: usize = usize::MAX;

impl Search {
    fn new(limit: u64) -> Self {
        let (known, below) = (HashMap::new(), HashMap::new());
        Self { known, below, path: Vec::new(), nodes: 0, limit }
    }

    /// Searches a node until one of its numbers reaches its bound.
    fn settle<N: Node>(&mut self, node: &N, attacks: bool, bound: Numbers) {
        let key = node.id();
        self.nodes += 1;
        let children: Vec<(u64, N)> =
            node.children(attacks).into_iter().map(|child| (child.id(), child)).collect();
        let (place, line) = (self.path.len(), self.line());
        self.path.push((key, line.rotate_left(7).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ key));
        loop {
            let (mut best, mut second, mut sum) = (None, SETTLED, 0_u32);
            let mut least = Numbers { own: 0, other: SETTLED };
            // All answers of the defender must be refuted, one check of the attacker's.
            let mut rests_on = if attacks { ANYWHERE } else { 0 };
            for (i, (key, _)) in children.iter().enumerate() {
                let Child { numbers: child, rests_on: rests } = self.child(*key, !attacks);
                if attacks {
                    rests_on = rests_on.min(rests);
                } else if child.other == 0 {
                    rests_on = rests_on.max(rests);
                }
                sum = (sum + child.own).min(UNSETTLED);
                if best.is_none() || child.other < least.other {
                    second = least.other;
                    (best, least) = (Some(i), child);
                } else {
                    second = second.min(child.other);
                }
            }
            // To reach the aim one child must be lost to the other side; to miss
            // it, all must be won by it.
            let now = Numbers { own: least.other, other: sum };
            let now = if now.own == 0 { Numbers::WON } else { now };
            let now = if best.is_none() || now.own >= SETTLED { Numbers::LOST } else { now };
            let Some(best) = best.filter(|_| {
                now.own < bound.own && now.other < bound.other && self.nodes < self.limit
            }) else {
                let refuted = now == if attacks { Numbers::LOST } else { Numbers::WON };
                // Coming back to the node itself wins nothing whatever stands above it.
                if refuted && rests_on < place {
                    self.below.insert((key, line), rests_on);
                } else {
                    self.known.insert(key, now);
                }
                break;
            };
            let own = (bound.other - now.other).saturating_add(least.own).min(SETTLED);
            // A half more than the next best, so that the search does not waver.
            let enough = if second < UNSETTLED { second + second / 2 + 1 } else { SETTLED };
            let other = bound.own.min(enough);
            self.settle(&children[best].1, !attacks, Numbers { own, other });
        }
        self.path.pop();
    }

    /// The hash of the line so far.
    fn line(&self) -> u64 {
        self.path.last().map_or(0, |&(_, line)| line)
    }

    /// What is known of a child in which the attacker (or not) is to move.
    fn child(&self, key: u64, attacks: bool) -> Child {
        let repeated = self.path.iter().position(|&(earlier, _)| earlier == key);
        // Beyond the deepest ply nothing is known of the position itself.
        let cut = (self.path.len() >= DEEPEST).then_some(0);
        let below = || self.below.get(&(key, self.line())).copied();
        if let Some(rests_on) = repeated.or(cut).or_else(below) {
            let numbers = if attacks { Numbers::LOST } else { Numbers::WON };
            return Child { numbers, rests_on };
        }
        let numbers = self.known.get(&key).copied().unwrap_or(Numbers::UNKNOWN);
        Child { numbers, rests_on: ANYWHERE }
    }
}

/// The legal moves that give check.
fn checks(board: &Board) -> Vec<Move> {
    let inner = &board.0;
    let color = inner.side_to_move();
    let king = inner.king(!color);
    let (occupied, at_king) = (inner.occupied(), king.bitboard());
    // Only what stands in a line with the king can open one.
    let lines = get_rook_moves(color, king, at_king) | get_bishop_moves(color, king, at_king);
    let gives = |m: &Move| {
        let (piece, occupied) = match m.from() {
            None => (m.dropped(), occupied),
            Some(from) => {
                if lines.has(from) {
                    return board.play(*m).in_check();
                }
                let piece = inner.piece_on(from);
                let piece = if m.promotes() { piece.map(promoted) } else { piece };
                (piece, occupied & !from.bitboard())
            }
        };
        piece.is_some_and(|piece| reaches(piece, color, *m, occupied | m.to().bitboard(), king))
    };
    board.moves().filter(gives).collect()
}

fn reaches(
    piece: Piece,
    color: Color,
    m: Move,
    occupied: haitaka::BitBoard,
    king: haitaka::Square,
) -> bool {
    attacks(piece, color, m.to(), occupied).has(king)
}

const fn promoted(piece: Piece) -> Piece {
    match piece {
        Piece::Pawn => Piece::Tokin,
        Piece::Lance => Piece::PLance,
        Piece::Knight => Piece::PKnight,
        Piece::Silver => Piece::PSilver,
        Piece::Bishop => Piece::PBishop,
        Piece::Rook => Piece::PRook,
        other => other,
    }
}

#[cfg(test)]
mod tests;
