//! A position taken apart into squares and hands, and put together again with
//! every rule on positions checked.

use crate::attacks::attacks;
use crate::board::Board;
use crate::drops::HAND;
use crate::notation::{self, name};
use haitaka::{BitBoard, Color, Piece, Square, must_prom_zone};

/// The parts of a position, legal or not.
#[derive(Clone)]
pub(crate) struct Setup {
    /// By index of the square.
    pub(crate) squares: [Option<(Color, Piece)>; Square::NUM],
    /// By color, then by kind in the order of [`HAND`].
    pub(crate) hands: [[u8; Piece::HAND_NUM]; Color::NUM],
    pub(crate) to_move: Color,
}

impl Setup {
    pub(crate) fn empty(to_move: Color) -> Self {
        Self { squares: [None; Square::NUM], hands: [[0; Piece::HAND_NUM]; Color::NUM], to_move }
    }

    pub(crate) fn of(board: &Board) -> Self {
        let board = &board.0;
        let mut setup = Self::empty(board.side_to_move());
        for piece in Piece::ALL {
            for square in board.pieces(piece) {
                let color = board.color_on(square).expect("a piece has a color");
                setup.squares[square as usize] = Some((color, piece));
            }
        }
        for color in Color::ALL {
            for (kind, piece) in HAND.into_iter().enumerate() {
                setup.hands[color as usize][kind] = board.num_in_hand(color, piece);
            }
        }
        setup
    }

    /// The parts with left and right exchanged.
    pub(crate) fn mirrored(&self) -> Self {
        let mut mirrored = self.clone();
        for square in Square::ALL {
            mirrored.squares[square.flip_file() as usize] = self.squares[square as usize];
        }
        mirrored
    }

    fn pieces(&self) -> impl Iterator<Item = (Square, Color, Piece)> {
        let all = Square::ALL.into_iter().zip(self.squares);
        all.filter_map(|(square, held)| held.map(|(color, piece)| (square, color, piece)))
    }

    /// The position, or the first rule it breaks.
    pub(crate) fn board(&self) -> Result<Board, String> {
        self.check_counts()?;
        self.check_places()?;
        self.check_kings()?;
        let text = notation::sfen::write(self);
        let inner = haitaka::Board::from_sfen(&text).map_err(|e| e.to_string())?;
        Ok(Board::from_inner(inner))
    }

    fn check_counts(&self) -> Result<(), String> {
        for (kind, piece) in HAND.into_iter().enumerate() {
            let on_board = self.pieces().filter(|(_, _, p)| p.unpromote() == piece).count();
            let in_hands = self.hands.iter().map(|hand| usize::from(hand[kind])).sum::<usize>();
            let most = usize::from(Piece::MAX_HAND[kind]);
            if on_board + in_hands > most {
                return Err(format!(
                    "there are {} {}s on the board (promoted ones too) and in hands; \
                     a set has {most}",
                    on_board + in_hands,
                    notation::kind(piece),
                ));
            }
        }
        Ok(())
    }

    fn check_places(&self) -> Result<(), String> {
        let mut pawn_files = [[false; 9]; Color::NUM];
        for (square, color, piece) in self.pieces() {
            if must_prom_zone(color, piece).has(square) {
                let (name, kind) = (name(color), notation::kind(piece));
                return Err(format!("{name}'s {kind} on {square} could never move"));
            }
            if piece == Piece::Pawn {
                let taken = &mut pawn_files[color as usize][square.file() as usize];
                if *taken {
                    let (name, file) = (name(color), square.file());
                    return Err(format!("{name} has two unpromoted pawns on file {file}"));
                }
                *taken = true;
            }
        }
        Ok(())
    }

    fn check_kings(&self) -> Result<(), String> {
        let occupied = self.pieces().fold(BitBoard::EMPTY, |set, (s, ..)| set | s.bitboard());
        for color in [Color::Black, Color::White] {
            let name = name(color);
            let mut kings = self.pieces().filter(|&(_, c, p)| (c, p) == (color, Piece::King));
            let Some((king, ..)) = kings.next() else {
                return Err(format!("{name} has no king"));
            };
            let more = kings.count();
            if more > 0 {
                return Err(format!("{name} has {} kings", more + 1));
            }
            let checkers = self
                .pieces()
                .filter(|&(s, c, p)| c != color && attacks(p, c, s, occupied).has(king))
                .count();
            if color != self.to_move && checkers > 0 {
                return Err(format!("{name} has just moved and stands in check"));
            }
            if checkers > 2 {
                return Err(format!(
                    "{checkers} pieces check {name} at once; a move checks with two at most"
                ));
            }
        }
        Ok(())
    }
}
