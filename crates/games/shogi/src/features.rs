//! Fifteen features; all but the last are the side to move's share less the
//! opponent's.
//!
//! * `pawns`, `lances`, `knights`, `silvers`, `golds`, `bishops`, `rooks`: pieces
//!   not promoted, on the board and in hand. `golds` is takeuchi07's condition: it
//!   is 4 when one side holds all of them;
//! * `promoted`: promoted pawns, lances, knights and silvers, which all move like
//!   golds; `horses` and `dragons`: promoted bishops and rooks;
//! * `hand`: the worth of what is in hand, in pawns, since a piece in hand may land
//!   anywhere and the counts above do not tell it from one on the board;
//! * `attacked`: king unsafety by attackers (takeuchi07's `f_a`). With a the pairs of
//!   an enemy piece and a square on or beside the king that it attacks, a / (a + 8);
//! * `undefended`: king unsafety by defenders (`f_d`). With d the same pairs of the
//!   king's own pieces, the king left out, 8 / (8 + d). Both lie between 0 and 1, as
//!   in the paper, which does not print its formula;
//! * `mobility`: squares that pieces attack and their side does not occupy, counted
//!   for each piece but the king, pins ignored;
//! * `progress`: how far the game has come, 0 to 1, the same for both sides.
//!
//! The attacks are computed once for a position, when first asked for.

use crate::atoms::Pieces;
use crate::attacks::attacks;
use crate::board::Board;
use crate::drops::HAND;
use crate::progress::progress;
use evalsmith_core::{Atoms, Features};
use haitaka::{BitBoard, Color, Piece, king_attacks};

/// The features of Shogi.
#[derive(Clone, Copy, Debug, Default)]
pub struct ShogiFeatures;

const NAMES: [&str; 15] = [
    "pawns",
    "lances",
    "knights",
    "silvers",
    "golds",
    "bishops",
    "rooks",
    "promoted",
    "horses",
    "dragons",
    "hand",
    "attacked",
    "undefended",
    "mobility",
    "progress",
];

/// Kinds not promoted, in the order of their features.
const KINDS: [Piece; 7] = [
    Piece::Pawn,
    Piece::Lance,
    Piece::Knight,
    Piece::Silver,
    Piece::Gold,
    Piece::Bishop,
    Piece::Rook,
];

/// Worth in pawns, by index of a hand.
const WORTH: [f32; Piece::HAND_NUM] = [1.0, 3.0, 3.5, 5.0, 8.0, 9.5, 5.5];

/// Where half of king unsafety is reached.
const HALF: f32 = 8.0;

/// What one side's pieces other than the king attack.
#[derive(Clone, Copy, Debug, Default)]
struct Reach {
    mobility: u32,
    /// Pairs of a piece and a square on or beside the own king.
    at_home: u32,
    /// The same beside the enemy's king.
    at_enemy: u32,
}

/// The reach of the side to move and of its opponent, once known.
#[derive(Debug, Default)]
pub struct Scratch(Option<[Reach; 2]>);

fn vicinity(board: &haitaka::Board, color: Color) -> BitBoard {
    let king = board.king(color);
    king_attacks(color, king) | king.bitboard()
}

fn reach(board: &haitaka::Board, color: Color, home: BitBoard, enemy: BitBoard) -> Reach {
    let own = board.colors(color);
    let occupied = board.occupied();
    let mut reach = Reach::default();
    let mut add = |set: BitBoard| {
        reach.mobility += (set & !own).len();
        reach.at_home += (set & home).len();
        reach.at_enemy += (set & enemy).len();
    };
    // No two pawns attack one square, and none stands where the shift would leave
    // the file.
    let pawns = board.colored_pieces(color, Piece::Pawn);
    add(match color {
        Color::Black => BitBoard(pawns.0 >> 1),
        Color::White => BitBoard(pawns.0 << 1),
    });
    let mut each = |set: BitBoard, moving_like: Piece| {
        for from in set & own {
            add(attacks(moving_like, color, from, occupied));
        }
    };
    for piece in [
        Piece::Lance,
        Piece::Knight,
        Piece::Silver,
        Piece::Bishop,
        Piece::Rook,
        Piece::PBishop,
        Piece::PRook,
    ] {
        each(board.pieces(piece), piece);
    }
    each(board.pseudo_tokins(), Piece::Gold);
    reach
}

fn reaches(board: &haitaka::Board) -> [Reach; 2] {
    let us = board.side_to_move();
    let (mine, theirs) = (vicinity(board, us), vicinity(board, !us));
    [reach(board, us, mine, theirs), reach(board, !us, theirs, mine)]
}

fn attacked(pairs: u32) -> f32 {
    pairs as f32 / (pairs as f32 + HALF)
}

fn undefended(pairs: u32) -> f32 {
    HALF / (HALF + pairs as f32)
}

fn hand_worth(board: &haitaka::Board, color: Color) -> f32 {
    HAND.iter().zip(WORTH).map(|(&piece, w)| f32::from(board.num_in_hand(color, piece)) * w).sum()
}

impl Features<Board> for ShogiFeatures {
    type Scratch = Scratch;

    fn names(&self) -> Vec<String> {
        NAMES.map(str::to_owned).to_vec()
    }

    fn atoms(&self) -> Option<&dyn Atoms<Board>> {
        Some(&Pieces)
    }

    fn count(&self) -> usize {
        NAMES.len()
    }

    #[inline]
    fn get(&self, board: &Board, i: usize, scratch: &mut Scratch) -> f32 {
        let board = &board.0;
        let us = board.side_to_move();
        let (own, enemy) = (board.colors(us), board.colors(!us));
        let on_board = |set: BitBoard| (set & own).len() as i32 - (set & enemy).len() as i32;
        match i {
            0..=6 => {
                let kind = KINDS[i];
                let held = |color| i32::from(board.num_in_hand(color, kind));
                return (on_board(board.pieces(kind)) + held(us) - held(!us)) as f32;
            }
            7 => return on_board(board.pseudo_tokins() & !board.pieces(Piece::Gold)) as f32,
            8 => return on_board(board.pieces(Piece::PBishop)) as f32,
            9 => return on_board(board.pieces(Piece::PRook)) as f32,
            10 => return hand_worth(board, us) - hand_worth(board, !us),
            14 => return progress(board),
            _ => {}
        }
        let [mine, theirs] = scratch.0.get_or_insert_with(|| reaches(board));
        match i {
            11 => attacked(theirs.at_enemy) - attacked(mine.at_enemy),
            12 => undefended(mine.at_home) - undefended(theirs.at_home),
            13 => mine.mobility as f32 - theirs.mobility as f32,
            _ => panic!("Shogi has {} features, none numbered {i}", NAMES.len()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Shogi;
    use crate::notation::sfen;
    use crate::setup::Setup;
    use evalsmith_core::{Game, Position, rng};
    use haitaka::Square;
    use rand::RngExt;

    fn all(board: &Board) -> Vec<f32> {
        let mut row = Vec::new();
        ShogiFeatures.append_all(board, &mut row);
        row
    }

    fn named(sfen: &str, name: &str) -> f32 {
        let i = NAMES.iter().position(|n| *n == name).expect(name);
        all(&sfen::parse(sfen).unwrap())[i]
    }

    #[test]
    fn features_say_what_they_are_called() {
        assert_eq!(all(&Board::start()), [0.0; 15]);
        let golds = "4k4/4g4/9/9/9/9/9/4G4/4K4 b GGg".replace("GGg", "2G");
        assert_eq!(named(&golds, "golds"), 2.0);
        assert_eq!(named(&golds, "hand"), 11.0);
        assert_eq!(named(&golds, "promoted"), 0.0, "a gold is none");
        let promoted = "4k4/9/9/+p+l+n+s+P4/9/9/9/+B+R7/4K4 b rb";
        for (name, value) in [
            ("pawns", 0.0),
            ("promoted", -3.0),
            ("horses", 1.0),
            ("dragons", 1.0),
            ("bishops", -1.0),
            ("rooks", -1.0),
            ("hand", -17.5),
            ("progress", 9.0 / 23.0),
        ] {
            assert_eq!(named(promoted, name), value, "{name}");
        }
    }

    #[test]
    fn king_unsafety_counts_pieces_and_squares() {
        // The gold on 5c attacks three squares beside White's king, the pawn on 8b
        // none; Black's own king has nobody near.
        let attack = "4k4/1P7/4G4/9/9/9/9/9/4K4 b -";
        assert_eq!(named(attack, "attacked"), -3.0 / 11.0);
        assert_eq!(named(attack, "undefended"), 0.0);
        // The gold beside the king covers 4h, 5h and 5i, and 3h, 3i outside.
        let defence = "4k4/9/9/9/9/9/9/9/4KG3 b -";
        assert_eq!(named(defence, "undefended"), 8.0 / 11.0 - 1.0);
        assert_eq!(named(defence, "attacked"), 0.0);
        assert_eq!(named(defence, "mobility"), 4.0);
    }

    /// The same position with the board turned round and the colors exchanged.
    fn turned(board: &Board) -> Board {
        let setup = Setup::of(board);
        let mut turned = Setup::empty(!setup.to_move);
        for square in Square::ALL {
            turned.squares[square.flip() as usize] =
                setup.squares[square as usize].map(|(color, piece)| (!color, piece));
        }
        for color in Color::ALL {
            turned.hands[!color as usize] = setup.hands[color as usize];
        }
        turned.board().unwrap()
    }

    /// The reach of one side, square by square.
    fn obvious(board: &Board, color: Color) -> [u32; 3] {
        let setup = Setup::of(board);
        let beside = |color: Color, there: Square| {
            let king = board.0.king(color);
            let apart = |a: usize, b: usize| a.abs_diff(b) <= 1;
            apart(king.file() as usize, there.file() as usize)
                && apart(king.rank() as usize, there.rank() as usize)
        };
        let mut sums = [0; 3];
        for from in Square::ALL {
            let Some((_, piece)) = setup.squares[from as usize]
                .filter(|&(c, piece)| c == color && piece != Piece::King)
            else {
                continue;
            };
            for there in attacks(piece, color, from, board.0.occupied()) {
                let own = setup.squares[there as usize].is_some_and(|(c, _)| c == color);
                sums[0] += u32::from(!own);
                sums[1] += u32::from(beside(color, there));
                sums[2] += u32::from(beside(!color, there));
            }
        }
        sums
    }

    #[test]
    fn sets_equal_the_obvious_and_sides_see_alike() {
        let mirror = Shogi.symmetries().pop().unwrap();
        for game in 0..30 {
            let mut random = rng::stream(4, "features", game);
            let mut board = Board::start();
            for _ in 0..250 {
                let legal: Vec<_> = board.moves().collect();
                if legal.is_empty() {
                    break;
                }
                board = board.play(legal[random.random_range(0..legal.len())]);
                let us = board.0.side_to_move();
                for (reach, color) in reaches(&board.0).into_iter().zip([us, !us]) {
                    let sums = [reach.mobility, reach.at_home, reach.at_enemy];
                    assert_eq!(sums, obvious(&board, color), "{board:?}");
                }
                assert_eq!(all(&turned(&board)), all(&board), "{board:?}");
                assert_eq!(all(&(mirror.position)(&board)), all(&board), "{board:?}");
            }
        }
    }
}
