//! Eighteen features, each the side to move's share less the opponent's.
//!
//! | feature | unit | a side's share |
//! |---|---|---|
//! | `pawns` ... `queens` | pieces | how many it has |
//! | `squares_middle` | pawns | the worth of its pieces' [squares] in the middlegame, times the share of the pieces that are left |
//! | `squares_end` | pawns | the same in the endgame, times the share that is gone |
//! | `knight_mobility` ... `queen_mobility` | squares | those its pieces attack that hold no own piece and that no enemy pawn attacks |
//! | `bishop_pair` | 1 | whether it has two bishops |
//! | `bishop_activity` | squares | those its bishops would attack if only pawns stood on the board |
//! | `king_safety` | points | pawns before its king less enemy attacks around it, times the enemy's pieces in twelfths |
//! | `isolated` | pawns | those without an own pawn on a file beside |
//! | `doubled` | pawns | those behind an own pawn on their file |
//! | `passed` | pawns | those that no enemy pawn can stop, weighted by rank |
//! | `development` | pieces | less its knights and bishops that still stand at home |
//!
//! Everything is computed in the view of one side, whose pawns move up, so that
//! White and Black are treated alike by construction. Mobility and king safety
//! share the attacks of all pieces, the two square terms one sum.

mod attacks;
mod pawns;
mod squares;

use crate::atoms::Pieces;
use crate::board::{Board, weight};
use attacks::Attacks;
use cozy_chess::{BitBoard, Color, Piece, get_bishop_moves};
use evalsmith_core::{Atoms, Features};

const COUNT: usize = 18;
const NAMES: [&str; COUNT] = [
    "pawns",
    "knights",
    "bishops",
    "rooks",
    "queens",
    "squares_middle",
    "squares_end",
    "knight_mobility",
    "bishop_mobility",
    "rook_mobility",
    "queen_mobility",
    "bishop_pair",
    "bishop_activity",
    "king_safety",
    "isolated",
    "doubled",
    "passed",
    "development",
];

/// The features of Chess.
#[derive(Clone, Copy, Debug, Default)]
pub struct ChessFeatures;

impl ChessFeatures {
    /// Log-odds of a win per unit of each feature: the function that Shannon gave
    /// as an example (1950: a pawn 1, knight and bishop 3, rook 5, queen 9, half a
    /// pawn off for a doubled or isolated one, a tenth for a move), with 0.45 for a
    /// pawn. He left the other features to his readers.
    pub const HAND_WEIGHTS: [f64; COUNT] = {
        let (pawn, mobility, weak) = (0.45, 0.045, -0.225);
        let mut weights = [0.0; COUNT];
        (weights[0], weights[1], weights[2]) = (pawn, 3.0 * pawn, 3.0 * pawn);
        (weights[3], weights[4]) = (5.0 * pawn, 9.0 * pawn);
        (weights[7], weights[8], weights[9], weights[10]) =
            (mobility, mobility, mobility, mobility);
        (weights[14], weights[15]) = (weak, weak);
        weights
    };
}

/// What the features of one position share: the attacks and the square sums of
/// the side to move and of its opponent.
#[derive(Clone, Copy, Debug, Default)]
pub struct Scratch {
    attacks: Option<[Attacks; 2]>,
    squares: Option<(i32, i32)>,
}

/// A set of squares in the view of a side, whose pawns move towards higher bits.
#[inline]
pub(crate) fn seen_by(side: Color, set: BitBoard) -> u64 {
    match side {
        Color::White => set.0,
        Color::Black => set.0.swap_bytes(),
    }
}

/// Where knights and bishops stand at the beginning.
const HOME: [(Piece, u64); 2] = [(Piece::Knight, 0x42), (Piece::Bishop, 0x24)];

fn at_home(board: &cozy_chess::Board, side: Color) -> i32 {
    let count = |(piece, home)| seen_by(side, board.colored_pieces(side, piece)) & home;
    HOME.map(|at| count(at).count_ones() as i32).iter().sum()
}

/// Pawns one rank before the king and beside count two, those a rank further one.
fn shelter(board: &cozy_chess::Board, side: Color) -> i32 {
    const NOT_A: u64 = 0xFEFE_FEFE_FEFE_FEFE;
    const NOT_H: u64 = 0x7F7F_7F7F_7F7F_7F7F;
    let king = seen_by(side, board.colored_pieces(side, Piece::King));
    let pawns = seen_by(side, board.colored_pieces(side, Piece::Pawn));
    let files = king | king << 1 & NOT_A | king >> 1 & NOT_H;
    let count = |set: u64| (pawns & set).count_ones() as i32;
    2 * count(files << 8) + count(files << 16)
}

fn bishop_activity(board: &cozy_chess::Board, side: Color) -> i32 {
    let pawns = board.pieces(Piece::Pawn);
    let bishops = board.colored_pieces(side, Piece::Bishop).into_iter();
    bishops.map(|square| get_bishop_moves(square, pawns).len() as i32).sum()
}

impl Features<Board> for ChessFeatures {
    type Scratch = Scratch;

    fn names(&self) -> Vec<String> {
        NAMES.map(str::to_owned).to_vec()
    }

    fn atoms(&self) -> Option<&dyn Atoms<Board>> {
        Some(&Pieces)
    }

    #[inline]
    fn count(&self) -> usize {
        COUNT
    }

    #[inline]
    fn get(&self, position: &Board, i: usize, scratch: &mut Scratch) -> f32 {
        let board = &position.0;
        let own = board.side_to_move();
        let difference = |share: &dyn Fn(Color) -> i32| (share(own) - share(!own)) as f32;
        let count = |piece, side| board.colored_pieces(side, piece).len() as i32;
        let pawns = |side| seen_by(side, board.colored_pieces(side, Piece::Pawn));
        let mut attacks =
            || *scratch.attacks.get_or_insert_with(|| [own, !own].map(|s| Attacks::of(board, s)));
        match i {
            0..5 => {
                let piece = Piece::ALL[i];
                (count(piece, own) - count(piece, !own)) as f32
            }
            5 | 6 => {
                let (middle, end) = *scratch.squares.get_or_insert_with(|| {
                    let (mine, theirs) = (squares::sums(board, own), squares::sums(board, !own));
                    (mine.0 - theirs.0, mine.1 - theirs.1)
                });
                let left = weight(board, board.occupied()).min(24) as f32 / 24.0;
                if i == 5 { 0.01 * left * middle as f32 } else { 0.01 * (1.0 - left) * end as f32 }
            }
            7..11 => {
                let [mine, theirs] = attacks();
                (mine.mobility[i - 7] - theirs.mobility[i - 7]) as f32
            }
            11 => difference(&|side| i32::from(count(Piece::Bishop, side) >= 2)),
            12 => difference(&|side| bishop_activity(board, side)),
            13 => {
                let [mine, theirs] = attacks();
                let safety = |side: Color, against: &Attacks| {
                    let danger = weight(board, board.colors(!side)).min(12) as i32;
                    danger * (shelter(board, side) - against.on_king)
                };
                (safety(own, &theirs) - safety(!own, &mine)) as f32 / 12.0
            }
            14 => difference(&|side| pawns::isolated(pawns(side)).count_ones() as i32),
            15 => difference(&|side| pawns::doubled(pawns(side)).count_ones() as i32),
            16 => {
                let worth = |side: Color| {
                    let enemy = seen_by(side, board.colored_pieces(!side, Piece::Pawn));
                    pawns::worth_of_passed(pawns::passed(pawns(side), enemy))
                };
                (worth(own) - worth(!own)) as f32 / pawns::PASSED_UNIT
            }
            17 => difference(&|side| -at_home(board, side)),
            _ => panic!("Chess has {COUNT} features, none numbered {i}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Chess;
    use evalsmith_core::{Game, Position, rng};
    use rand::RngExt;

    fn all(board: &Board) -> Vec<f32> {
        let mut row = Vec::new();
        ChessFeatures.append_all(board, &mut row);
        row
    }

    fn value(text: &str, name: &str) -> f32 {
        let i = NAMES.iter().position(|n| *n == name).unwrap();
        all(&Chess.parse(text).unwrap().0)[i]
    }

    #[test]
    fn features_say_what_they_are_called() {
        let near = |text, name, expected: f32| {
            let found = value(text, name);
            assert!((found - expected).abs() < 1e-6, "{name} of {text}: {found}");
        };
        let material = "4k3/pp6/8/8/8/8/PPP5/RN2K2Q b - - 0 1";
        for (name, expected) in [
            ("pawns", -1.0),
            ("knights", -1.0),
            ("bishops", 0.0),
            ("rooks", -1.0),
            ("queens", -1.0),
        ] {
            near(material, name, expected);
        }
        near("4k3/8/8/8/8/8/8/2B1KB2 w - - 0 1", "bishop_pair", 1.0);
        near("2b1k3/8/8/8/8/8/8/2B1K3 w - - 0 1", "bishop_pair", 0.0);
        // Seven squares of the long diagonal, of which the pawn leaves one.
        near("4k3/8/8/8/8/8/8/B3K3 w - - 0 1", "bishop_activity", 7.0);
        near("4k3/8/8/8/8/8/1P6/B3K3 w - - 0 1", "bishop_activity", 1.0);
        near("4k3/8/8/8/8/8/1N6/B3K3 w - - 0 1", "bishop_activity", 7.0);
        near("4k3/8/8/8/8/8/1N6/B3K3 w - - 0 1", "bishop_mobility", 0.0);
        near("4k3/8/8/8/8/8/8/R3K3 w - - 0 1", "rook_mobility", 7.0 + 3.0);
        near("4k3/p1p1p3/8/8/8/P7/P7/4K3 w - - 0 1", "isolated", 2.0 - 3.0);
        near("4k3/p1p1p3/8/8/8/P7/P7/4K3 w - - 0 1", "doubled", 1.0);
        near("4k3/8/P7/8/8/8/7p/4K3 w - - 0 1", "passed", (18.0 - 30.0) / 20.0);
        near("4k3/8/P7/1p6/8/8/8/4K3 w - - 0 1", "passed", (18.0 - 6.0) / 20.0);
        near("4k3/1p6/P7/8/8/8/8/4K3 w - - 0 1", "passed", 0.0);
        near("rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R b KQkq - 1 1", "development", -1.0);
        // Two pawns before White's king, of 2 points each; the rook attacks
        // f1 and f2, beside g1; Black's king stands bare against nothing.
        near(
            "1k3r2/8/8/8/8/8/6PP/6K1 w - - 0 1",
            "king_safety",
            2.0 / 12.0 * (2.0 * 2.0 - 2.0 * 2.0),
        );
        near("1k2r3/8/8/8/8/7P/5PP1/6K1 w - - 0 1", "king_safety", 2.0 / 12.0 * (5.0 - 0.0));
    }

    /// The board with the colours exchanged, turned so that pawns still move up.
    fn colours_exchanged(board: &Board) -> Board {
        let text = Chess.format(board, board.to_move());
        let fields: Vec<_> = text.split(' ').collect();
        let swap = |c: char| match c {
            _ if c.is_ascii_uppercase() => c.to_ascii_lowercase(),
            _ => c.to_ascii_uppercase(),
        };
        let rows: Vec<String> =
            fields[0].rsplit('/').map(|row| row.chars().map(swap).collect()).collect();
        let side = if fields[1] == "w" { "b" } else { "w" };
        let rights: String = fields[2].chars().map(swap).collect();
        let passed = fields[3].replace('3', "x").replace('6', "3").replace('x', "6");
        let text = format!("{} {side} {rights} {passed} 0 1", rows.join("/"));
        Chess.parse(&text).unwrap().0
    }

    #[test]
    fn colours_are_alike_and_opponents_see_the_negative() {
        let mut random = rng::stream(7, "chess features", 0);
        let mut board = Chess.start();
        let mut turned = 0;
        for _ in 0..3000 {
            let values = all(&board);
            assert_eq!(all(&colours_exchanged(&board)), values, "{board:?}");
            if let Some(passed) = board.0.null_move() {
                let negative: Vec<_> = values.iter().map(|x| 0.0 - x).collect();
                assert_eq!(all(&Board(passed)), negative, "{board:?}");
                turned += 1;
            }
            let legal: Vec<_> = board.moves().collect();
            board = match legal.len() {
                0 => Chess.start(),
                n => board.play(legal[random.random_range(0..n)]),
            };
        }
        assert!(turned > 2000);
    }

    #[test]
    fn weights_belong_to_names() {
        assert_eq!(Chess.hand_weights().map(|w| w.len()), Some(NAMES.len()));
        assert!(all(&Chess.start()).iter().all(|&x| x == 0.0), "the start position is even");
    }
}
