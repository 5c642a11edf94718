//! Connect Four, complete: a game that evalsmith does not come with, and the program with
//! all its commands and its page for it.

use evalsmith::prelude::*;

/// A column is seven bits from the bottom up; the seventh stays empty, so that
/// no line of four runs over an edge.
const BOTTOM: u64 = 0x0408_1020_4081;
const BOARD: u64 = BOTTOM * 0x3F;
const ODD_ROWS: u64 = BOTTOM * 0b01_0101;
const DIRECTIONS: [u32; 4] = [1, 7, 8, 6]; // up, right, and the two diagonals

/// The discs of the side to move, and all discs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Board {
    own: u64,
    taken: u64,
}

impl Board {
    fn opponent(&self) -> u64 {
        self.own ^ self.taken
    }
    /// The lowest empty square of every column that has one.
    fn playable(&self) -> u64 {
        (self.taken + BOTTOM) & BOARD
    }
}

impl Position for Board {
    type Move = u8;
    type Moves = std::iter::Flatten<std::array::IntoIter<Option<u8>, 7>>;
    fn moves(&self) -> Self::Moves {
        let open = if self.outcome().is_some() { 0 } else { self.playable() };
        let column = |c: u8| (open >> (7 * c) & 0x3F != 0).then_some(c);
        [3, 2, 4, 1, 5, 0, 6].map(column).into_iter().flatten()
    }
    fn play(&self, column: u8) -> Self {
        let disc = self.playable() & 0x3F << (7 * column);
        Self { own: self.opponent(), taken: self.taken | disc }
    }
    fn outcome(&self) -> Option<Outcome> {
        let theirs = self.opponent();
        let pairs = |d| theirs & theirs >> d;
        if DIRECTIONS.iter().any(|&d| pairs(d) & pairs(d) >> (2 * d) != 0) {
            return Some(Outcome::LOSS);
        }
        (self.taken == BOARD).then_some(Outcome::DRAW)
    }
}

/// One side's share of each feature; `rows` it gets when the columns fill up.
fn prospects(own: u64, theirs: u64, rows: u64, playable: u64) -> [i32; 5] {
    let (mut twos, mut threats) = (0, 0);
    for d in DIRECTIONS {
        // Each bit stands for the line of four that begins there.
        let open = (0..4).fold(BOARD, |open, i| open & (BOARD & !theirs) >> (i * d));
        let [a, b, c, e] = [0, 1, 2, 3].map(|i| own >> (i * d));
        twos += (open & (a & b | c & e | (a | b) & (c | e))).count_ones();
        for (i, three) in (0..).zip([b & c & e, a & c & e, a & b & e, a & b & c]) {
            threats |= (open & three) << (i * d);
        }
    }
    let sets = [own & 0x3F << 21, threats, threats & rows, threats & playable];
    let [centre, threats, lasting, at_once] = sets.map(u64::count_ones);
    [centre, twos, threats, lasting, at_once].map(|n| n as i32)
}

/// Differences between the side to move and its opponent.
#[derive(Clone)]
pub(crate) struct Prospects;

impl Features<Board> for Prospects {
    type Scratch = Option<[i32; 5]>;
    fn names(&self) -> Vec<String> {
        ["centre", "twos", "threats", "lasting", "at once"].map(str::to_owned).to_vec()
    }
    fn count(&self) -> usize {
        5
    }
    fn get(&self, board: &Board, i: usize, scratch: &mut Self::Scratch) -> f32 {
        let differences = scratch.get_or_insert_with(|| {
            // The first player gets the odd rows, the second the even ones.
            let rows = [ODD_ROWS, !ODD_ROWS][board.taken.count_ones() as usize % 2];
            let me = prospects(board.own, board.opponent(), rows, board.playable());
            let you = prospects(board.opponent(), board.own, !rows, board.playable());
            std::array::from_fn(|i| me[i] - you[i])
        });
        differences[i] as f32
    }
}

#[derive(Clone)]
pub(crate) struct ConnectFour;

impl Game for ConnectFour {
    type Position = Board;
    type Features = Prospects;
    fn name(&self) -> &'static str {
        "connect-four"
    }
    fn start(&self) -> Board {
        Board::default()
    }
    fn features(&self) -> Prospects {
        Prospects
    }
    fn max_plies(&self) -> usize {
        42
    }
    fn format_move(&self, _board: &Board, column: u8) -> String {
        char::from(b'a' + column).to_string()
    }
    /// The columns from left to right, each from the bottom up: `//xo/x///`.
    fn format(&self, board: &Board, to_move: Side) -> String {
        let first = if to_move == Side::First { board.own } else { board.opponent() };
        let disc = |bit: u32| if first >> bit & 1 == 1 { 'x' } else { 'o' };
        let taken = |bit: &u32| board.taken >> bit & 1 == 1;
        let column = |c: u32| (7 * c..7 * c + 6).filter(taken).map(disc).collect();
        (0..7).map(column).collect::<Vec<String>>().join("/")
    }
    fn parse(&self, text: &str) -> Result<(Board, Side), Malformed> {
        let wrong = |reason| Malformed::new("Connect Four position", text, reason);
        let columns: Vec<&str> = text.split('/').collect();
        if columns.len() != 7 || columns.iter().any(|column| column.len() > 6) {
            return Err(wrong("it takes seven columns of at most six discs: //xo/x///"));
        }
        let mut discs = [0_u64; 2];
        for (c, column) in columns.iter().enumerate() {
            for (row, disc) in column.chars().enumerate() {
                let side = "xo".find(disc).ok_or_else(|| wrong("a disc is x or o"))?;
                discs[side] |= 1 << (7 * c + row);
            }
        }
        let taken = discs[0] | discs[1];
        match discs[0].count_ones().checked_sub(discs[1].count_ones()) {
            Some(0) => Ok((Board { own: discs[0], taken }, Side::First)),
            Some(1) => Ok((Board { own: discs[1], taken }, Side::Second)),
            _ => Err(wrong("x moves first: it has as many discs as o, or one more")),
        }
    }
}

/// The whole program, with this game beside those that come with it.
fn main() -> std::process::ExitCode {
    let mut games = evalsmith::games();
    games.push(DynGame::new(ConnectFour));
    evalsmith::run(games)
}
