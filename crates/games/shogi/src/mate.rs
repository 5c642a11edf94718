//! Mate by checks alone, by depth-first proof-number search (Nagai 2002).
//!
//! The side to move attacks and only gives check; the other side answers by any
//! legal move. A node's proof number says how many leaves must still be won to
//! prove the mate, its disproof number how many to refute it; the search always
//! goes where the smaller of the two can be settled soonest. Coming back to a
//! position of the line loses for the attacker, as perpetual check does.
//! Invariant: a mate that is found is one, by whatever way the position came
//! about; where none is found there may be one beyond the bound, without checks,
//! or behind a line that was given up because it repeats.

use crate::attacks::attacks;
use crate::board::Board;
use crate::moves::Move;
use evalsmith_core::Position;
use haitaka::{Color, Piece, get_bishop_moves, get_rook_moves};
use std::collections::HashMap;

/// Proved or refuted.
const SETTLED: u32 = 1 << 30;
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

struct Search {
    known: HashMap<u64, Numbers>,
    path: Vec<u64>,
    nodes: u64,
    limit: u64,
}

impl Search {
    fn new(limit: u64) -> Self {
        Self { known: HashMap::new(), path: Vec::new(), nodes: 0, limit }
    }

    /// Searches a node until one of its numbers reaches its bound.
    fn settle(&mut self, board: &Board, attacks: bool, bound: Numbers) {
        let key = board.key();
        self.nodes += 1;
        let moves = if attacks { checks(board) } else { board.moves().collect() };
        let children: Vec<(Board, u64)> = moves
            .into_iter()
            .map(|m| board.play(m))
            .map(|child| {
                let key = child.key();
                (child, key)
            })
            .collect();
        self.path.push(key);
        loop {
            let (mut best, mut second, mut sum) = (None, SETTLED, 0_u32);
            let mut least = Numbers { own: 0, other: SETTLED };
            for (i, (_, key)) in children.iter().enumerate() {
                let child = self.child(*key, !attacks);
                sum = (sum + child.own).min(SETTLED);
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
                self.known.insert(key, now);
                break;
            };
            let own = (bound.other - now.other).saturating_add(least.own).min(SETTLED);
            let other = bound.own.min(second.saturating_add(1));
            self.settle(&children[best].0, !attacks, Numbers { own, other });
        }
        self.path.pop();
    }

    /// The numbers of a child in which the attacker (or not) is to move.
    fn child(&self, key: u64, attacks: bool) -> Numbers {
        if self.path.len() >= DEEPEST || self.path.contains(&key) {
            return if attacks { Numbers::LOST } else { Numbers::WON };
        }
        self.known.get(&key).copied().unwrap_or(Numbers::UNKNOWN)
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
mod tests {
    use super::*;
    use crate::Shogi;
    use evalsmith_core::{Game, rng};
    use rand::RngExt;

    fn read(sfen: &str) -> Board {
        Shogi.parse(sfen).unwrap().0
    }

    fn found(sfen: &str) -> Option<String> {
        mate(&read(sfen), 10_000).map(|m| m.to_string())
    }

    #[test]
    fn known_mates_are_found() {
        for (sfen, first) in [
            ("4k4/9/4P4/9/9/9/9/9/4K4 b G 1", "G*5b"),
            // White attacks as well as Black.
            ("4k4/9/9/9/9/9/4p4/9/4K4 w g 1", "G*5h"),
            // The gold takes the corner's last flight first.
            ("7nl/7k1/9/6+R2/9/9/9/9/4K4 b 2G 1", "G*2c"),
        ] {
            let board = read(sfen);
            let m = found(sfen);
            assert!(m.is_some(), "{sfen}");
            assert!(within(&board, 5), "{sfen}: {m:?}");
            if sfen.contains(" G 1") || sfen.contains(" g 1") {
                assert_eq!(m.as_deref(), Some(first), "{sfen}");
            }
        }
    }

    #[test]
    fn where_there_is_no_mate_none_is_found() {
        for sfen in [
            "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
            // A pawn must not be dropped for mate; there is nothing else.
            "7lk/9/7G1/9/9/9/9/9/4K4 b P 1",
            // Checks without end.
            "3k5/9/9/9/9/9/9/4R4/4K4 b - 1",
        ] {
            assert_eq!(found(sfen), None, "{sfen}");
        }
    }

    #[test]
    fn a_bound_on_nodes_is_kept() {
        let sfen = "7nl/7k1/9/6+R2/9/9/9/9/4K4 b 2G 1";
        assert_eq!(mate(&read(sfen), 1), None);
    }

    /// Whether the side to move mates by checks within so many plies, by trying all.
    fn within(board: &Board, plies: u32) -> bool {
        plies > 0
            && board.moves().map(|m| board.play(m)).any(|child| {
                child.in_check() && child.moves().all(|m| within(&child.play(m), plies.max(2) - 2))
            })
    }

    /// A few strong pieces around a bare king.
    fn scattered(random: &mut impl rand::Rng) -> Option<Board> {
        let mut board = vec![vec![String::new(); 9]; 9];
        let mut put = |piece: &str, ranks: std::ops::Range<usize>| {
            let (rank, file) = (random.random_range(ranks), random.random_range(0..9_usize));
            if board[rank][file].is_empty() {
                board[rank][file] = piece.to_owned();
            }
        };
        put("K", 8..9);
        put("k", 0..3);
        for piece in ["G", "+R", "S", "B", "g", "p", "n"] {
            put(piece, 0..5);
        }
        let rank = |row: &Vec<String>| {
            row.iter().map(|c| if c.is_empty() { "1" } else { c }).collect::<String>()
        };
        let ranks: Vec<String> = board.iter().map(rank).collect();
        let sfen = format!(
            "{} b {} 1",
            ranks.join("/"),
            ["G", "S", "P", "N", "-"][random.random_range(0..5)]
        );
        Shogi.parse(&merged(&sfen)).ok().map(|(board, _)| board)
    }

    /// Ones that stand together become their sum.
    fn merged(sfen: &str) -> String {
        (2..=9).rev().fold(sfen.to_owned(), |text, n| {
            let (board, rest) = text.split_once(' ').unwrap();
            format!("{} {rest}", board.replace(&"1".repeat(n), &n.to_string()))
        })
    }

    /// Whether what the search knows proves the mate: a won move for the attacker at
    /// every turn, whatever the answers, and no position twice in a line.
    fn proves(search: &Search, board: &Board, attacks: bool, line: &mut Vec<u64>) -> bool {
        let won = |board: &Board| search.known.get(&board.key()).is_some_and(|n| n.own == 0);
        let lost = |board: &Board| search.known.get(&board.key()).is_some_and(|n| n.other == 0);
        if line.contains(&board.key()) {
            return false;
        }
        line.push(board.key());
        let mut children = board.moves().map(|m| board.play(m));
        let proved = if attacks {
            children.any(|child| {
                child.in_check() && lost(&child) && proves(search, &child, false, line)
            })
        } else {
            children.all(|child| won(&child) && proves(search, &child, true, line))
        };
        line.pop();
        proved
    }

    #[test]
    fn mates_are_proved_and_none_in_three_is_missed() {
        let mut random = rng::stream(1, "mate", 0);
        let (mut mates, mut others) = (0, 0);
        while mates < 30 || others < 30 {
            let Some(board) = scattered(&mut random) else { continue };
            let mut search = Search::new(3_000);
            search.settle(&board, true, Numbers { own: SETTLED, other: SETTLED });
            let found = mate(&board, 3_000).is_some();
            assert!(found || !within(&board, 3), "{board:?} is mate in three");
            assert!(!found || proves(&search, &board, true, &mut Vec::new()), "{board:?}");
            *(if found { &mut mates } else { &mut others }) += 1;
        }
    }

    #[test]
    fn checks_are_the_moves_after_which_the_king_is_attacked() {
        let mut random = rng::stream(2, "mate", 0);
        let mut seen = 0;
        for _ in 0..400 {
            let Some(board) = scattered(&mut random) else { continue };
            let slow: Vec<Move> = board.moves().filter(|&m| board.play(m).in_check()).collect();
            seen += slow.len();
            assert_eq!(checks(&board), slow, "{board:?}");
        }
        assert!(seen > 1000, "{seen} checks");
    }
}
