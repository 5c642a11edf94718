//! A move, and the moves of a position one by one.

use crate::drops;
use haitaka::{BitBoard, Board, Color, Piece, PieceMoves, Square, must_prom_zone, prom_zone};
use std::fmt;

/// A move: a piece on the board goes, and may promote, or one in hand is dropped.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Move(pub(crate) haitaka::Move);

impl Move {
    #[inline]
    pub(crate) fn board(from: Square, to: Square, promotion: bool) -> Self {
        Self(haitaka::Move::BoardMove { from, to, promotion })
    }

    #[inline]
    pub(crate) fn drop(piece: Piece, to: Square) -> Self {
        Self(haitaka::Move::Drop { piece, to })
    }

    /// The square the piece comes from; none for a drop.
    #[inline]
    pub fn from(self) -> Option<Square> {
        self.0.from()
    }

    /// The square the piece goes to.
    #[inline]
    pub fn to(self) -> Square {
        self.0.to()
    }

    /// Whether the piece promotes.
    #[inline]
    pub fn promotes(self) -> bool {
        self.0.is_promotion()
    }

    /// The piece dropped; none for a move on the board.
    #[inline]
    pub fn dropped(self) -> Option<Piece> {
        self.0.piece()
    }

    /// The move with left and right exchanged.
    pub(crate) fn mirrored(self) -> Self {
        match self.0 {
            haitaka::Move::Drop { piece, to } => Self::drop(piece, to.flip_file()),
            haitaka::Move::BoardMove { from, to, promotion } => {
                Self::board(from.flip_file(), to.flip_file(), promotion)
            }
        }
    }

    /// A number below 4096, by multiplicative hashing of origin, target and promotion.
    #[inline]
    pub(crate) fn slot(self) -> u16 {
        let word = match self.0 {
            haitaka::Move::Drop { piece, to } => to as u32 | (81 + piece as u32) << 7,
            haitaka::Move::BoardMove { from, to, promotion } => {
                to as u32 | (from as u32) << 7 | u32::from(promotion) << 14
            }
        };
        (word.wrapping_mul(0x9E37_79B1) >> 20) as u16
    }
}

/// The move in USI notation.
impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            haitaka::Move::Drop { piece, to } => {
                write!(f, "{}*{to}", piece.to_str(Color::Black))
            }
            haitaka::Move::BoardMove { from, to, promotion } => {
                write!(f, "{from}{to}{}", if promotion { "+" } else { "" })
            }
        }
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[derive(Clone, Copy, Debug)]
enum Source {
    On(Square, Piece),
    Hand(Piece),
}

/// Where moves from one source go with and without promotion.
#[inline]
fn split(color: Color, source: Source, to: BitBoard) -> (BitBoard, BitBoard) {
    match source {
        Source::On(from, piece) if piece.is_promotable() => {
            let zone = prom_zone(color);
            let promoting = if zone.has(from) { to } else { to & zone };
            (promoting, to & !must_prom_zone(color, piece))
        }
        _ => (BitBoard::EMPTY, to),
    }
}

/// Visits every source that has legal moves until `visit` answers true; says
/// whether it did.
#[inline]
fn each(board: &Board, mut visit: impl FnMut(Source, BitBoard) -> bool) -> bool {
    let on_board = board.generate_board_moves(|moves| match moves {
        PieceMoves::BoardMoves { piece, from, to, .. } => visit(Source::On(from, piece), to),
        PieceMoves::Drops { .. } => unreachable!("moves on the board only"),
    });
    on_board || drops::each(board, |piece, to| visit(Source::Hand(piece), to))
}

/// Whether there is a legal move at all.
#[inline]
pub(crate) fn any(board: &Board) -> bool {
    each(board, |_, _| true)
}

/// The number of legal moves.
#[inline]
pub(crate) fn count(board: &Board) -> usize {
    let color = board.side_to_move();
    let mut count = 0;
    each(board, |source, to| {
        let (promoting, staying) = split(color, source, to);
        count += promoting.len() + staying.len();
        false
    });
    count as usize
}

/// A set has forty pieces and the opponent keeps one, the king; each of the others
/// is one source at most.
const SOURCES: usize = 39;

/// The moves of a position: those on the board by kind of piece, promotions first,
/// then the drops. At most 593.
#[derive(Clone, Debug)]
pub struct Moves {
    targets: [BitBoard; SOURCES],
    sources: [Source; SOURCES],
    color: Color,
    len: u8,
    at: u8,
    promoting: BitBoard,
    staying: BitBoard,
}

impl Moves {
    #[inline]
    pub(crate) fn of(board: &Board) -> Self {
        let mut moves = Self {
            targets: [BitBoard::EMPTY; SOURCES],
            sources: [Source::Hand(Piece::Pawn); SOURCES],
            color: board.side_to_move(),
            len: 0,
            at: 0,
            promoting: BitBoard::EMPTY,
            staying: BitBoard::EMPTY,
        };
        each(board, |source, to| {
            let i = usize::from(moves.len);
            moves.targets[i] = to;
            moves.sources[i] = source;
            moves.len += 1;
            false
        });
        moves
    }
}

#[inline]
fn pop(set: &mut BitBoard) -> Option<Square> {
    let square = set.next_square()?;
    set.0 &= set.0 - 1;
    Some(square)
}

impl Iterator for Moves {
    type Item = Move;

    #[expect(clippy::inline_always, reason = "called once a move, from few places")]
    #[inline(always)]
    fn next(&mut self) -> Option<Move> {
        loop {
            // `at` is one past the source whose sets are at hand; both sets are
            // empty before the first.
            let source = self.sources[usize::from(self.at.max(1) - 1)];
            if let Some(to) = pop(&mut self.promoting) {
                let Source::On(from, _) = source else { unreachable!("a drop never promotes") };
                return Some(Move::board(from, to, true));
            }
            if let Some(to) = pop(&mut self.staying) {
                return Some(match source {
                    Source::On(from, _) => Move::board(from, to, false),
                    Source::Hand(piece) => Move::drop(piece, to),
                });
            }
            if self.at == self.len {
                return None;
            }
            let i = usize::from(self.at);
            (self.promoting, self.staying) = split(self.color, self.sources[i], self.targets[i]);
            self.at += 1;
        }
    }
}
