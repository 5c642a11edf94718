//! The one gate to a position from outside: whoever reads text or bytes fills in
//! a [`Setup`], and its check says in words what no game of Chess can hold.

use crate::board::{Board, FIFTY_MOVES};
use cozy_chess::{
    BoardBuilder, BoardBuilderError, Color, File, Piece, Rank, Square, get_king_moves,
};

/// A position that was read and not yet checked.
pub(crate) struct Setup(pub(crate) BoardBuilder);

pub(crate) fn colour_name(colour: Color) -> &'static str {
    match colour {
        Color::White => "White",
        Color::Black => "Black",
    }
}

/// The castling rights in the order of `KQkq`, with the rook's file.
pub(crate) const RIGHTS: [(Color, File, char); 4] = [
    (Color::White, File::H, 'K'),
    (Color::White, File::A, 'Q'),
    (Color::Black, File::H, 'k'),
    (Color::Black, File::A, 'q'),
];

impl Setup {
    /// An empty board.
    pub(crate) fn new() -> Self {
        Self(BoardBuilder::empty())
    }

    /// Gives the castling right with the rook of a file.
    pub(crate) fn allow_castling(&mut self, colour: Color, rook: File) {
        let rights = self.0.castle_rights_mut(colour);
        let right = if rook == File::H { &mut rights.short } else { &mut rights.long };
        *right = Some(rook);
    }

    fn squares(&self, colour: Color, piece: Piece) -> impl Iterator<Item = Square> {
        Square::ALL.into_iter().filter(move |&s| self.0.square(s) == Some((piece, colour)))
    }

    fn check_pieces(&self) -> Result<(), String> {
        for colour in Color::ALL {
            let name = colour_name(colour);
            let kings = self.squares(colour, Piece::King).count();
            if kings != 1 {
                return Err(format!("pieces: {name} has {kings} kings instead of one"));
            }
            let pawns = self.squares(colour, Piece::Pawn).count();
            if pawns > 8 {
                return Err(format!("pieces: {name} has {pawns} pawns, more than eight"));
            }
            let last = |s: &Square| matches!(s.rank(), Rank::First | Rank::Eighth);
            if let Some(square) = self.squares(colour, Piece::Pawn).find(last) {
                return Err(format!("pieces: {name} has a pawn on {square}, where none can stand"));
            }
            let all: usize = Piece::ALL.iter().map(|&p| self.squares(colour, p).count()).sum();
            if all > 16 {
                return Err(format!("pieces: {name} has {all} pieces, more than sixteen"));
            }
        }
        let mut kings = Color::ALL.into_iter().flat_map(|c| self.squares(c, Piece::King));
        if let (Some(white), Some(black)) = (kings.next(), kings.next())
            && get_king_moves(white).has(black)
        {
            return Err(format!("pieces: the kings on {white} and {black} touch"));
        }
        Ok(())
    }

    fn check_castling(&self) -> Result<(), String> {
        for (colour, rook, sign) in RIGHTS {
            let rights = self.0.castle_rights(colour);
            let given = if rook == File::H { rights.short } else { rights.long };
            let home = Rank::First.relative_to(colour);
            for (piece, name, file) in [(Piece::King, "king", File::E), (Piece::Rook, "rook", rook)]
            {
                let square = Square::new(file, home);
                if given.is_some() && self.0.square(square) != Some((piece, colour)) {
                    let owner = colour_name(colour);
                    return Err(format!("castling: {sign} needs {owner}'s {name} on {square}"));
                }
            }
        }
        Ok(())
    }

    /// The position, or what is wrong with it, beginning with the field's name.
    pub(crate) fn build(&self) -> Result<Board, String> {
        self.check_pieces()?;
        self.check_castling()?;
        let waiting = colour_name(!self.0.side_to_move);
        let board = self.0.build().map_err(|error| match error {
            BoardBuilderError::InvalidBoard => {
                format!("side to move: {waiting} is in check but not to move")
            }
            BoardBuilderError::InvalidCastlingRights => {
                "castling: a king or rook has left its square".to_owned()
            }
            BoardBuilderError::InvalidEnPassant => {
                let square = self.0.en_passant.map_or_else(String::new, |s| s.to_string());
                format!("en passant: {waiting} cannot just have moved a pawn over {square}")
            }
            BoardBuilderError::InvalidHalfMoveClock => format!(
                "half-move clock: {} is more than {FIFTY_MOVES}, at which the game is drawn",
                self.0.halfmove_clock
            ),
            BoardBuilderError::InvalidFullmoveNumber => {
                "move number: moves are counted from 1".to_owned()
            }
        })?;
        if board.checkers().len() > 2 {
            return Err("pieces: no move gives check with three pieces".to_owned());
        }
        Ok(Board(board))
    }
}
