//! SAN as it is usually written, resolved by sets of squares.
//!
//! The pieces that could make the move stand where the same piece on the target
//! would go; one of them may legally go there. Records hold millions of moves,
//! and listing all legal ones for each would take most of the time. Invariant:
//! what is read here is what [`parse_any`](crate::san::parse_any) reads; anything
//! unusual, ambiguous or wrong is left to it.

use crate::board::Board;
use crate::moves::Move;
use cozy_chess::{
    BitBoard, Color, File, Piece, Rank, Square, get_bishop_moves, get_king_moves, get_knight_moves,
    get_pawn_attacks, get_rook_moves,
};

/// What a text says; files and ranks as they stand in it.
struct Said {
    piece: Piece,
    from: BitBoard,
    to: Square,
    promotion: Option<Piece>,
}

fn piece(letter: u8) -> Option<Piece> {
    match letter {
        b'N' => Some(Piece::Knight),
        b'B' => Some(Piece::Bishop),
        b'R' => Some(Piece::Rook),
        b'Q' => Some(Piece::Queen),
        b'K' => Some(Piece::King),
        _ => None,
    }
}

fn said(text: &[u8]) -> Option<Said> {
    let (mover, mut rest) = match piece(*text.first()?) {
        Some(piece) => (piece, &text[1..]),
        None => (Piece::Pawn, text),
    };
    let mut promotion = None;
    if let [before @ .., b'=', letter] = rest {
        promotion = Some(piece(*letter).filter(|&piece| piece != Piece::King)?);
        rest = before;
    }
    let (&[file @ b'a'..=b'h', rank @ b'1'..=b'8'], mut origin) =
        rest.split_last_chunk::<2>().map(|(before, to)| (to, before))?
    else {
        return None;
    };
    if let [before @ .., b'x'] = origin {
        origin = before;
    }
    let mut from = BitBoard::FULL;
    for &sign in origin {
        from &= match sign {
            b'a'..=b'h' => File::index(usize::from(sign - b'a')).bitboard(),
            b'1'..=b'8' => Rank::index(usize::from(sign - b'1')).bitboard(),
            _ => return None,
        };
    }
    // Two squares of a pawn are UCI, and may be a king's castling.
    if origin.len() > if mover == Piece::Pawn { 1 } else { 2 } {
        return None;
    }
    let to =
        Square::new(File::index(usize::from(file - b'a')), Rank::index(usize::from(rank - b'1')));
    Some(Said { piece: mover, from, to, promotion })
}

/// The squares from which a piece of this kind might reach the target.
fn origins(inner: &cozy_chess::Board, said: &Said) -> BitBoard {
    let (to, occupied, own) = (said.to, inner.occupied(), inner.side_to_move());
    match said.piece {
        Piece::Knight => get_knight_moves(to),
        Piece::Bishop => get_bishop_moves(to, occupied),
        Piece::Rook => get_rook_moves(to, occupied),
        Piece::Queen => get_bishop_moves(to, occupied) | get_rook_moves(to, occupied),
        Piece::King => get_king_moves(to),
        Piece::Pawn => {
            let behind =
                |square: Square| square.try_offset(0, if own == Color::White { -1 } else { 1 });
            let once = behind(to);
            let pushes = once.into_iter().chain(once.and_then(behind));
            pushes.fold(get_pawn_attacks(to, !own), |set, square| set | square.bitboard())
        }
    }
}

fn castling(board: &Board, short: bool) -> Option<Move> {
    let inner = &board.0;
    let own = inner.side_to_move();
    let rights = inner.castle_rights(own);
    let rook = if short { rights.short } else { rights.long }?;
    let to = Square::new(rook, Rank::First.relative_to(own));
    let m = cozy_chess::Move { from: inner.king(own), to, promotion: None };
    inner.is_legal(m).then_some(Move(m))
}

/// The move, where the text is usual and names exactly one.
pub(crate) fn read(board: &Board, text: &[u8]) -> Option<Move> {
    let mut text = text;
    while let [before @ .., b'+' | b'#'] = text {
        text = before;
    }
    if board.is_drawn() {
        return None;
    }
    match text {
        b"O-O" => return castling(board, true),
        b"O-O-O" => return castling(board, false),
        _ => {}
    }
    let said = said(text)?;
    let inner = &board.0;
    let own = inner.colored_pieces(inner.side_to_move(), said.piece);
    // A king that goes to its own rook castles; it is not written so.
    if inner.colors(inner.side_to_move()).has(said.to) {
        return None;
    }
    let mut found = None;
    for from in own & said.from & origins(inner, &said) {
        let m = cozy_chess::Move { from, to: said.to, promotion: said.promotion };
        if inner.is_legal(m) && found.replace(Move(m)).is_some() {
            return None;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Chess, san};
    use evalsmith_core::{Game, Position, rng};
    use proptest::prelude::*;
    use rand::RngExt;

    #[test]
    fn usual_moves_are_read_without_the_list() {
        let mut read_so = 0;
        let mut all = 0;
        for seed in 0..40 {
            let mut random = rng::stream(seed, "san", 0);
            let mut board = Chess.start();
            for _ in 0..200 {
                let legal: Vec<_> = board.moves().collect();
                if legal.is_empty() {
                    break;
                }
                for &m in &legal {
                    let text = san::format_move(&board, m);
                    if let Some(read) = read(&board, text.as_bytes()) {
                        assert_eq!(read, m, "{text} in {board:?}");
                        read_so += 1;
                    }
                    all += 1;
                }
                board = board.play(legal[random.random_range(0..legal.len())]);
            }
        }
        assert_eq!(read_so, all, "what is written is always usual");
    }

    proptest! {
        #[test]
        fn what_is_read_is_what_the_list_reads(
            seed: u64, plies in 0_usize..120, text in "[NBRQKO]?[a-h]?[1-8]?x?[a-h][1-8](=[NBRQK])?[+#]?"
        ) {
            let mut random = rng::stream(seed, "san", 1);
            let mut board = Chess.start();
            for _ in 0..plies {
                let legal: Vec<_> = board.moves().collect();
                if legal.is_empty() {
                    break;
                }
                board = board.play(legal[random.random_range(0..legal.len())]);
            }
            if let Some(m) = read(&board, text.as_bytes()) {
                prop_assert_eq!(san::parse_any(&board, &text), Ok(m));
            }
        }
    }
}
