//! Moves as people and programs write them.
//!
//! Written is SAN, `Nbd2`, `exd8=Q#`, `O-O`, with no more about the departure
//! than tells the move from the others; and UCI, `e7e8q`, with castling as the
//! king's two steps. Read are both, and SAN as it is found: zeros for castling,
//! `e8Q` and `e8(Q)`, missing or needless `x`, needless squares, remarks after it.

use crate::board::Board;
use crate::moves::Move;
use cozy_chess::{File, Piece, Rank, Square};
use evalsmith_core::{Malformed, Position};
use std::fmt::Write as _;

fn capital(piece: Piece) -> char {
    char::from(piece).to_ascii_uppercase()
}

fn piece_of(board: &Board, m: Move) -> Piece {
    board.0.piece_on(m.0.from).expect("a legal move leaves a piece's square")
}

/// A legal move as SAN.
pub(crate) fn format_move(board: &Board, m: Move) -> String {
    let mut text = String::with_capacity(8);
    let piece = piece_of(board, m);
    let cozy_chess::Move { from, to, promotion } = m.0;
    if board.is_castling(m) {
        text.push_str(if from.file() < to.file() { "O-O" } else { "O-O-O" });
    } else {
        let captures = board.0.occupied().has(to);
        if piece == Piece::Pawn {
            // Only captures change a pawn's file, en passant as well.
            if from.file() != to.file() {
                let _ = write!(text, "{}x", from.file());
            }
        } else {
            text.push(capital(piece));
            text.push_str(&departure(board, m, piece));
            text.push_str(if captures { "x" } else { "" });
        }
        let _ = write!(text, "{to}");
        if let Some(promotion) = promotion {
            let _ = write!(text, "={}", capital(promotion));
        }
    }
    let after = board.play(m);
    if after.in_check() {
        text.push(if after.can_move() { '+' } else { '#' });
    }
    text
}

/// What tells the move from those of the same kind of piece to the same square:
/// nothing, the file, the rank, or both.
fn departure(board: &Board, m: Move, piece: Piece) -> String {
    let from = m.0.from;
    let rivals = || {
        board
            .moves()
            .filter(move |other| other.0.to == m.0.to && other.0.from != from)
            .filter(|&other| piece_of(board, other) == piece && !board.is_castling(other))
            .map(|other| other.0.from)
    };
    if rivals().next().is_none() {
        String::new()
    } else if rivals().all(|other| other.file() != from.file()) {
        from.file().to_string()
    } else if rivals().all(|other| other.rank() != from.rank()) {
        from.rank().to_string()
    } else {
        from.to_string()
    }
}

/// The squares by which UCI names a legal move: castling by the king's steps.
fn uci(board: &Board, m: Move) -> cozy_chess::Move {
    let mut shown = m.0;
    if board.is_castling(m) {
        let file = if m.0.from.file() < m.0.to.file() { File::G } else { File::C };
        shown.to = Square::new(file, m.0.to.rank());
    }
    shown
}

/// A legal move as UCI.
pub(crate) fn format_uci(board: &Board, m: Move) -> String {
    uci(board, m).to_string()
}

/// What a text says about a move.
#[derive(Debug, PartialEq, Eq)]
enum Description {
    Coordinates(cozy_chess::Move),
    Castling {
        short: bool,
    },
    Piece {
        piece: Piece,
        file: Option<File>,
        rank: Option<Rank>,
        to: Square,
        promotion: Option<Piece>,
    },
}

/// Two squares, and perhaps a promotion in either case.
fn coordinates(text: &str) -> Option<cozy_chess::Move> {
    let lower = text.to_ascii_lowercase();
    let m: cozy_chess::Move = lower.parse().ok()?;
    // A capital in front is a piece's, and cozy-chess overlooks what follows.
    (text.starts_with(|c: char| c.is_ascii_lowercase()) && m.to_string() == lower).then_some(m)
}

fn describe(text: &str) -> Option<Description> {
    let text = text.strip_suffix("e.p.").unwrap_or(text).trim_end();
    let text = text.trim_end_matches(['+', '#', '!', '?']);
    match text {
        "O-O" | "0-0" | "o-o" => return Some(Description::Castling { short: true }),
        "O-O-O" | "0-0-0" | "o-o-o" => return Some(Description::Castling { short: false }),
        _ => {}
    }
    if let Some(m) = coordinates(text) {
        return Some(Description::Coordinates(m));
    }
    let by_letter =
        |c: char| c.is_ascii_uppercase().then(|| c.to_ascii_lowercase().try_into().ok())?;
    let mut signs: Vec<char> = text.chars().filter(|c| !matches!(c, 'x' | ':' | '-')).collect();
    let piece: Option<Piece> = signs.first().copied().and_then(by_letter);
    if piece.is_some() {
        signs.remove(0);
    }
    while signs.last() == Some(&')') {
        signs.pop();
    }
    let promotion: Option<Piece> = signs.last().copied().and_then(by_letter);
    if promotion.is_some() {
        signs.pop();
        while matches!(signs.last(), Some('=' | '(' | '/')) {
            signs.pop();
        }
    }
    let to_rank = Rank::try_from(signs.pop()?).ok()?;
    let to_file = File::try_from(signs.pop()?).ok()?;
    let mut rest = signs.into_iter().peekable();
    let file = rest.next_if(char::is_ascii_lowercase).map(File::try_from).transpose().ok()?;
    let rank = rest.next().map(Rank::try_from).transpose().ok()?;
    rest.next().is_none().then_some(Description::Piece {
        piece: piece.unwrap_or(Piece::Pawn),
        file,
        rank,
        to: Square::new(to_file, to_rank),
        promotion,
    })
}

/// Whether a legal move is the one described.
fn fits(board: &Board, m: Move, wanted: &Description) -> bool {
    let castles = board.is_castling(m);
    let cozy_chess::Move { from, to, promotion } = m.0;
    match wanted {
        Description::Coordinates(by) => m.0 == *by || uci(board, m) == *by,
        Description::Castling { short } => castles && (from.file() < to.file()) == *short,
        Description::Piece { piece, file, rank, to: wanted_to, promotion: wanted_promotion } => {
            to == *wanted_to
                && promotion == *wanted_promotion
                && !castles
                && file.is_none_or(|file| file == from.file())
                && rank.is_none_or(|rank| rank == from.rank())
                && piece_of(board, m) == *piece
        }
    }
}

/// The legal move that a text in SAN or UCI names.
pub(crate) fn parse_move(board: &Board, text: &str) -> Result<Move, Malformed> {
    match crate::san_by_sets::read(board, text.as_bytes()) {
        Some(m) => Ok(m),
        None => parse_any(board, text),
    }
}

/// Reads whatever people write, among all legal moves, and says what is wrong.
pub(crate) fn parse_any(board: &Board, text: &str) -> Result<Move, Malformed> {
    let text = text.trim();
    let wrong = |reason: String| Err(Malformed::new("move", text, reason));
    let Some(wanted) = describe(text) else {
        return wrong("write it like Nf3, exd5, e8=Q, O-O or e2e4".to_owned());
    };
    let mut fitting = board.moves().filter(|&m| fits(board, m, &wanted));
    let found = fitting.next();
    let more: Vec<_> = found.into_iter().chain(fitting).collect();
    match (found, more.len()) {
        (Some(m), 1) => return Ok(m),
        (Some(_), _) => {
            let names: Vec<_> = more.iter().map(|&m| format_move(board, m)).collect();
            return wrong(format!("it may mean {}", names.join(" or ")));
        }
        (None, _) => {}
    }
    if board.outcome().is_some() {
        return wrong("the game is over".to_owned());
    }
    let check = if board.in_check() { "; the king is in check" } else { "" };
    match wanted {
        Description::Castling { .. } => wrong(format!("castling so is not legal here{check}")),
        Description::Piece { piece: Piece::Pawn, to, promotion: None, .. }
            if matches!(to.rank(), Rank::First | Rank::Eighth) =>
        {
            wrong(format!("say what the pawn becomes, {to}=Q"))
        }
        Description::Piece { piece, to, .. } => {
            let name = format!("{piece:?}").to_lowercase();
            wrong(format!("no {name} may go to {to} like that here{check}"))
        }
        Description::Coordinates(m) => match board.0.color_on(m.from) {
            Some(colour) if colour == board.0.side_to_move() => {
                wrong(format!("the piece on {} may not go there now{check}", m.from))
            }
            _ => wrong(format!("the side to move has no piece on {}", m.from)),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fen;
    use proptest::prelude::*;

    fn read(fen: &str, text: &str) -> String {
        let board = fen::parse(fen).unwrap();
        parse_move(&board, text).map_or_else(|e| e.reason, |m| format!("{m:?}"))
    }

    const CASTLING: &str = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    const PROMOTION: &str = "1n3k2/2P5/8/8/8/8/8/4K3 w - - 0 1";
    const KNIGHTS: &str = "4k3/8/8/8/1N3N2/8/8/1N2K3 w - - 0 1";

    #[test]
    fn moves_are_written_as_the_standard_says() {
        for (fen, uci, san) in [
            (CASTLING, "e1g1", "O-O"),
            (CASTLING, "e1c1", "O-O-O"),
            (CASTLING, "a1a8", "Rxa8+"),
            (CASTLING, "e1e2", "Ke2"),
            (PROMOTION, "c7b8q", "cxb8=Q+"),
            (PROMOTION, "c7c8n", "c8=N"),
            (PROMOTION, "c7c8r", "c8=R+"),
            (KNIGHTS, "f4d5", "Nfd5"),
            (KNIGHTS, "b4d3", "Nbd3"),
            (KNIGHTS, "b4a6", "Na6"),
            ("4k3/8/8/8/1N6/8/8/1N2K3 w - - 0 1", "b4a2", "Na2"),
            ("4k3/8/8/3N4/8/8/8/1N2K3 w - - 0 1", "b1c3", "Nbc3"),
            ("4k3/8/8/1N6/8/8/8/1N2K3 w - - 0 1", "b1c3", "N1c3"),
            ("7k/8/8/1Q1Q4/8/8/8/1Q2K3 w - - 0 1", "b5d3", "Qb5d3"),
            ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", "exd6"),
            ("6k1/5ppp/8/8/8/8/8/4R1K1 w - - 0 1", "e1e8", "Re8#"),
            // The knight on e2 is pinned and no rival.
            ("4r1k1/8/8/8/8/5N2/4N3/4K3 w - - 0 1", "f3d4", "Nd4"),
        ] {
            let board = fen::parse(fen).unwrap();
            let m = parse_move(&board, uci).unwrap();
            assert_eq!(format_move(&board, m), san, "{fen}");
            assert_eq!(format_uci(&board, m), uci, "{fen}");
            assert_eq!(parse_move(&board, san), Ok(m), "{fen}");
        }
    }

    #[test]
    fn moves_are_read_as_they_are_found() {
        for (fen, text, m) in [
            (CASTLING, "0-0", "e1h1"),
            (CASTLING, "O-O-O!?", "e1a1"),
            (CASTLING, "e1h1", "e1h1"),
            (CASTLING, "Ra1a8", "a1a8"),
            (CASTLING, "R1xa8+", "a1a8"),
            (CASTLING, " Raxa8 ", "a1a8"),
            (PROMOTION, "cxb8Q", "c7b8q"),
            (PROMOTION, "cb8=N", "c7b8n"),
            (PROMOTION, "c8(R)+", "c7c8r"),
            (PROMOTION, "c7c8R", "c7c8r"),
            (KNIGHTS, "Nf4-d5", "f4d5"),
            ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "exd6 e.p.", "e5d6"),
        ] {
            assert_eq!(read(fen, text), m, "{text}");
        }
    }

    #[test]
    fn broken_moves_are_named() {
        for (fen, text, reason) in [
            (CASTLING, "", "write it like"),
            (CASTLING, "x", "write it like"),
            (CASTLING, "Nf9", "write it like"),
            (CASTLING, "e2e4qq", "write it like"),
            (CASTLING, "Ra1b2c3", "write it like"),
            (CASTLING, "Nf3", "no knight may go to f3"),
            (CASTLING, "Kh1", "no king may go to h1"),
            (CASTLING, "e2e4", "no piece on e2"),
            (CASTLING, "e8e7", "no piece on e8"),
            (CASTLING, "e1e4", "the piece on e1"),
            (PROMOTION, "O-O", "castling so"),
            (PROMOTION, "c8", "what the pawn becomes, c8=Q"),
            (PROMOTION, "c8=K", "no pawn may go to c8"),
            (KNIGHTS, "Nd5", "it may mean Nbd5 or Nfd5"),
            ("4k3/8/8/8/8/8/4r3/4K2R w K - 0 1", "O-O", "the king is in check"),
            ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", "Ke2", "the game is over"),
        ] {
            assert!(read(fen, text).contains(reason), "{text:?}: {}", read(fen, text));
        }
    }

    proptest! {
        #[test]
        fn nothing_read_panics(text in "\\PC*", like in "[a-hNBRQKO01-8x=+#é-]{0,9}") {
            for fen in [CASTLING, PROMOTION, KNIGHTS] {
                let board = fen::parse(fen).unwrap();
                let _ = parse_move(&board, &text);
                if let Ok(m) = parse_move(&board, &like) {
                    prop_assert!(board.moves().any(|legal| legal == m));
                }
            }
        }
    }
}
