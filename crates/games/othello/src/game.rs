//! The game of Othello as the rest of the house sees it.

use crate::dialect::{Gtp, NBoard};
use crate::features::{Chosen, Selection};
use crate::squares::Squares;
use crate::{Board, Endgame, Kernel, Move, Portable, X86V3, notation, picture, symmetry};
use evalsmith_core::{
    Atoms, Defaults, Dialect, Game, GameRecord, Malformed, Picture, Position, Protocol, Side,
    Solve, Symmetry, Way,
};

/// Makes a solver.
type MakeSolver<K> = fn() -> Box<dyn Solve<Board<K>>>;

/// The game, on boards that play by the kernel `K`.
#[derive(Clone, Copy, Debug)]
pub struct Othello<K: Kernel = Portable> {
    kernel: K,
    features: Selection,
    solver: MakeSolver<K>,
}

impl<K: Kernel + Default> Default for Othello<K> {
    fn default() -> Self {
        Self::with_kernel(K::default())
    }
}

/// Who solves does not make it another game.
impl<K: Kernel> PartialEq for Othello<K> {
    fn eq(&self, other: &Self) -> bool {
        self.features == other.features
    }
}

impl<K: Kernel> Eq for Othello<K> {}

impl Othello<Portable> {
    /// The game for any machine.
    pub const fn new() -> Self {
        Self::with_kernel(Portable)
    }
}

impl Othello<X86V3> {
    /// The game for x86-64-v3, where this machine is one.
    pub fn detect() -> Option<Self> {
        X86V3::detect().map(Self::with_kernel)
    }
}

/// Calls the one function whose game this machine plays fastest.
pub fn with_best_kernel<R>(
    portable: impl FnOnce(Othello<Portable>) -> R,
    x86_v3: impl FnOnce(Othello<X86V3>) -> R,
) -> R {
    match Othello::<X86V3>::detect() {
        Some(game) => x86_v3(game),
        None => portable(Othello::new()),
    }
}

impl<K: Kernel> Othello<K> {
    /// The game for a kernel at hand, for example a board's own.
    pub const fn with_kernel(kernel: K) -> Self {
        Self { kernel, features: Selection::BILL, solver: || Box::new(Endgame::new()) }
    }

    /// The same game with another solver, such as an engine's.
    #[must_use]
    pub const fn with_solver(self, solver: fn() -> Box<dyn Solve<Board<K>>>) -> Self {
        Self { solver, ..self }
    }

    /// Reads a game from the start position: `f5d6c3...`, spaces and written
    /// passes allowed, passes implied where they are not written.
    ///
    /// # Errors
    /// When something is not a move, or not a legal one; the reason names the
    /// ply and the move.
    pub fn parse_transcript(&self, text: &str) -> Result<GameRecord<Board<K>>, Malformed> {
        notation::read_transcript(self, text)
    }

    /// Writes moves as [`parse_transcript`](Self::parse_transcript) reads them,
    /// passes left out.
    pub fn format_transcript(&self, moves: &[Move]) -> String {
        notation::write_transcript(moves)
    }

    fn board(&self, black: u64, white: u64, to_move: Side) -> Option<Board<K>> {
        match to_move {
            Side::First => Board::new(black, white, self.kernel),
            Side::Second => Board::new(white, black, self.kernel),
        }
    }
}

impl<K: Kernel> Game for Othello<K> {
    type Position = Board<K>;
    type Features = Chosen;

    fn name(&self) -> &'static str {
        "othello"
    }

    fn stages(&self) -> usize {
        65
    }

    fn start(&self) -> Board<K> {
        Board::start(self.kernel)
    }

    fn features(&self) -> Chosen {
        Chosen::new(self.features)
    }

    fn all_features(&self) -> Vec<String> {
        Selection::all_names()
    }

    fn with_features(&self, names: &[String]) -> Option<Self> {
        Some(Self { features: Selection::named(names)?, ..*self })
    }

    /// At most 64 discs are placed, and no two passes follow one another.
    fn max_plies(&self) -> usize {
        128
    }

    /// Twelve random half-moves leave the early stages in the data, and the last
    /// six moves are solved.
    fn defaults(&self) -> Defaults {
        Defaults {
            games: 5000,
            depth: 4,
            opening_plies: 12,
            chance: 0.05,
            solve_at: 6,
            pairs: 300,
            match_plies: 10,
            ..Defaults::default()
        }
    }

    fn format_move(&self, _position: &Board<K>, m: Move) -> String {
        m.name().map_or_else(|| m.to_string(), str::to_owned)
    }

    fn append_move(&self, position: &Board<K>, m: Move, text: &mut String) {
        match m.name() {
            Some(name) => text.push_str(name),
            None => text.push_str(&self.format_move(position, m)),
        }
    }

    fn parse_move(&self, position: &Board<K>, text: &str) -> Result<Move, Malformed> {
        let m = notation::read_move(text)
            .ok_or_else(|| Malformed::new("move", text, "write a square like f5, or pass"))?;
        // A pass is legal where it is the only move; its bit is none of the board's.
        if position.mobility() & m.bit() != 0
            || (m == Move::PASS && position.moves().next() == Some(m))
        {
            return Ok(m);
        }
        let legal: Vec<_> = position.moves().map(|m| m.to_string()).collect();
        let reason = match legal.len() {
            0 => "the game is over".to_owned(),
            _ => format!("it is not legal here; the moves are {}", legal.join(" ")),
        };
        Err(Malformed::new("move", text, reason))
    }

    fn format(&self, position: &Board<K>, to_move: Side) -> String {
        notation::write_line(position, to_move)
    }

    fn parse(&self, text: &str) -> Result<(Board<K>, Side), Malformed> {
        let (black, white, to_move) = notation::read_line(text)?;
        let board = self.board(black, white, to_move).expect("a square has one sign");
        Ok((board, to_move))
    }

    fn draw(&self, position: &Board<K>, to_move: Side) -> String {
        notation::draw(position, to_move)
    }

    fn picture(&self, position: &Board<K>, to_move: Side) -> Option<Picture> {
        Some(picture::picture(position, to_move))
    }

    fn way(&self, _position: &Board<K>, m: Move) -> Way {
        picture::way(m)
    }

    fn set_up(&self, picture: &Picture, to_move: Side) -> Result<Board<K>, Malformed> {
        let (black, white) = picture::discs(picture)?;
        Ok(self.board(black, white, to_move).expect("a square has one disc"))
    }

    /// Black's discs, White's discs (each a little-endian word), and 0 or 1 for
    /// the side to move.
    fn pack(&self, position: &Board<K>, to_move: Side) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(17);
        self.append_packed(position, to_move, &mut bytes);
        bytes
    }

    fn append_packed(&self, position: &Board<K>, to_move: Side, bytes: &mut Vec<u8>) {
        let (black, white) = notation::by_colour(position, to_move);
        let mut packed = [to_move.index() as u8; 17];
        packed[..8].copy_from_slice(&black.to_le_bytes());
        packed[8..16].copy_from_slice(&white.to_le_bytes());
        bytes.extend_from_slice(&packed);
    }

    fn unpack(&self, bytes: &[u8]) -> Result<(Board<K>, Side), Malformed> {
        let wrong = |reason: &str| {
            Malformed::new("packed Othello board", format_args!("{bytes:02x?}"), reason)
        };
        let (words, rest) = bytes.as_chunks::<8>();
        let (&[black, white], &[side]) = (words, rest) else {
            return Err(wrong("a packed board has 17 bytes"));
        };
        let to_move = match side {
            0 => Side::First,
            1 => Side::Second,
            _ => return Err(wrong("the last byte must be 0 for Black or 1 for White to move")),
        };
        self.board(u64::from_le_bytes(black), u64::from_le_bytes(white), to_move)
            .map(|board| (board, to_move))
            .ok_or_else(|| wrong("a square holds two discs"))
    }

    fn side_names(&self) -> [&'static str; 2] {
        ["black", "white"]
    }

    fn margin_unit(&self) -> Option<&'static str> {
        Some("discs")
    }

    fn hand_weights(&self) -> Option<Vec<f64>> {
        Some(self.features.hand_weights())
    }

    fn symmetries(&self) -> Vec<Symmetry<Board<K>>> {
        symmetry::all()
    }

    fn atoms(&self) -> Option<Box<dyn Atoms<Board<K>>>> {
        Some(Box::new(Squares))
    }

    fn solver(&self) -> Option<Box<dyn Solve<Board<K>>>> {
        Some((self.solver)())
    }

    fn dialect(&self, protocol: Protocol) -> Option<Box<dyn Dialect<Board<K>>>> {
        match protocol {
            Protocol::Gtp => Some(Box::new(Gtp(*self))),
            Protocol::NBoard => Some(Box::new(NBoard(*self))),
            _ => None,
        }
    }

    /// A pass is a move, and a finished game is one leaf at any depth.
    fn perft_table(&self) -> &'static [u64] {
        &[4, 12, 56, 244, 1396, 8200, 55092, 390_216, 3_005_288, 24_571_284, 212_258_800]
    }
}
