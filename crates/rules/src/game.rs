//! A game without its type.

use crate::batch::{BadRow, Lines, Look};
use crate::function::Opens;
use crate::typed::Typed;
use crate::{DynFeatures, DynFunction, MoveId, Pos};
use evalsmith_core::{
    Atoms, Defaults, Dialect, FindMate, Game, Malformed, Picture, Protocol, Side, Solve, Symmetry,
    Way,
};
use evalsmith_learn::{LearnError, Model};
use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// Any game as a value. It implements [`Game`] over [`Pos`], so that whatever is written
/// for games works for it; two clones are the same game.
#[derive(Clone)]
pub struct DynGame(Arc<dyn Rules>);

/// What [`DynGame`] asks of the game that it holds: [`Game`], method by method. The only
/// implementation is [`Typed`].
pub(crate) trait Rules: Send + Sync {
    fn name(&self) -> &str;
    fn stages(&self) -> usize;
    fn start(&self) -> Pos;
    fn features(&self) -> DynFeatures;
    fn all_features(&self) -> Vec<String>;
    fn with_features(&self, names: &[String]) -> Option<DynGame>;
    fn max_plies(&self) -> usize;
    fn format_move(&self, position: &Pos, m: MoveId) -> String;
    fn append_move(&self, position: &Pos, m: MoveId, text: &mut String);
    fn parse_move(&self, position: &Pos, text: &str) -> Result<MoveId, Malformed>;
    fn format(&self, position: &Pos, to_move: Side) -> String;
    fn parse(&self, text: &str) -> Result<(Pos, Side), Malformed>;
    fn draw(&self, position: &Pos, to_move: Side) -> String;
    fn picture(&self, position: &Pos, to_move: Side) -> Option<Picture>;
    fn way(&self, position: &Pos, m: MoveId) -> Way;
    fn set_up(&self, picture: &Picture, to_move: Side) -> Result<Pos, Malformed>;
    fn pack(&self, position: &Pos, to_move: Side) -> Vec<u8>;
    fn append_packed(&self, position: &Pos, to_move: Side, bytes: &mut Vec<u8>);
    fn unpack(&self, bytes: &[u8]) -> Result<(Pos, Side), Malformed>;
    fn defaults(&self) -> Defaults;
    fn side_names(&self) -> [&str; 2];
    fn margin_unit(&self) -> Option<&str>;
    fn hand_weights(&self) -> Option<Vec<f64>>;
    fn symmetries(&self) -> Vec<Symmetry<Pos>>;
    fn atoms(&self) -> Option<Box<dyn Atoms<Pos>>>;
    fn solver(&self) -> Option<Box<dyn Solve<Pos>>>;
    fn mate_search(&self) -> Option<FindMate<Pos>>;
    fn dialect(&self, protocol: Protocol) -> Option<Box<dyn Dialect<Pos>>>;
    fn may_declare_win(&self, position: &Pos) -> bool;
    fn perft_table(&self) -> &[u64];
    fn perft(&self, depth: u32) -> u64;
    fn functions(&self) -> &dyn Opens;
    fn features_of(&self, rows: &[&[u8]], look: Look<'_>, out: &mut Lines) -> Result<(), BadRow>;
}

impl DynGame {
    /// Forgets the type of a game.
    pub fn new<G: Game>(game: G) -> Self {
        Self(Arc::new(Typed::new(game)))
    }

    /// The features' weights set by hand, or the trivial function where a game has none.
    ///
    /// # Errors
    /// When the game gives another number of weights than features.
    pub fn function_by_hand(&self) -> Result<DynFunction, LearnError> {
        self.0.functions().by_hand()
    }

    /// The function that knows finished games only.
    pub fn trivial_function(&self) -> DynFunction {
        self.0.functions().trivial()
    }

    /// The function of a model over the game's features.
    ///
    /// # Errors
    /// When the model was made for other features or stages.
    pub fn function_of_model(&self, model: Model) -> Result<DynFunction, LearnError> {
        self.0.functions().of_model(model)
    }

    /// The function of a file: a model of any kind, or a table of moves.
    ///
    /// # Errors
    /// When the file cannot be read, or is of another game or other features.
    pub fn open_function(&self, path: &Path) -> Result<DynFunction, LearnError> {
        self.0.functions().open_file(path)
    }

    /// The function of a file's bytes; `what` stands for the path in errors.
    ///
    /// # Errors
    /// As [`open_function`](DynGame::open_function).
    pub fn function_from_bytes(&self, bytes: &[u8], what: &str) -> Result<DynFunction, LearnError> {
        self.0.functions().open_bytes(bytes, what)
    }

    /// The game's features of every row of a batch, appended to `out`.
    ///
    /// # Errors
    /// When a row is no position of the game.
    ///
    /// # Panics
    /// When rows are looked at by a function of another game.
    pub fn features_of(
        &self,
        rows: &[&[u8]],
        look: Look<'_>,
        out: &mut Lines,
    ) -> Result<(), BadRow> {
        self.0.features_of(rows, look, out)
    }

    /// Leaves of the game tree at this depth from the start, counted by typed code.
    pub fn perft(&self, depth: u32) -> u64 {
        self.0.perft(depth)
    }
}

impl fmt::Debug for DynGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("DynGame").field(&self.name()).finish()
    }
}

impl Game for DynGame {
    type Position = Pos;
    type Features = DynFeatures;

    fn name(&self) -> &str {
        self.0.name()
    }
    fn stages(&self) -> usize {
        self.0.stages()
    }
    fn start(&self) -> Pos {
        self.0.start()
    }
    fn features(&self) -> DynFeatures {
        self.0.features()
    }
    fn all_features(&self) -> Vec<String> {
        self.0.all_features()
    }
    fn with_features(&self, names: &[String]) -> Option<Self> {
        self.0.with_features(names)
    }
    fn max_plies(&self) -> usize {
        self.0.max_plies()
    }
    fn format_move(&self, position: &Pos, m: MoveId) -> String {
        self.0.format_move(position, m)
    }
    fn append_move(&self, position: &Pos, m: MoveId, text: &mut String) {
        self.0.append_move(position, m, text);
    }
    fn parse_move(&self, position: &Pos, text: &str) -> Result<MoveId, Malformed> {
        self.0.parse_move(position, text)
    }
    fn format(&self, position: &Pos, to_move: Side) -> String {
        self.0.format(position, to_move)
    }
    fn parse(&self, text: &str) -> Result<(Pos, Side), Malformed> {
        self.0.parse(text)
    }
    fn draw(&self, position: &Pos, to_move: Side) -> String {
        self.0.draw(position, to_move)
    }
    fn picture(&self, position: &Pos, to_move: Side) -> Option<Picture> {
        self.0.picture(position, to_move)
    }
    fn way(&self, position: &Pos, m: MoveId) -> Way {
        self.0.way(position, m)
    }
    fn set_up(&self, picture: &Picture, to_move: Side) -> Result<Pos, Malformed> {
        self.0.set_up(picture, to_move)
    }
    fn pack(&self, position: &Pos, to_move: Side) -> Vec<u8> {
        self.0.pack(position, to_move)
    }
    fn append_packed(&self, position: &Pos, to_move: Side, bytes: &mut Vec<u8>) {
        self.0.append_packed(position, to_move, bytes);
    }
    fn unpack(&self, bytes: &[u8]) -> Result<(Pos, Side), Malformed> {
        self.0.unpack(bytes)
    }
    fn defaults(&self) -> Defaults {
        self.0.defaults()
    }
    fn side_names(&self) -> [&str; 2] {
        self.0.side_names()
    }
    fn margin_unit(&self) -> Option<&str> {
        self.0.margin_unit()
    }
    fn hand_weights(&self) -> Option<Vec<f64>> {
        self.0.hand_weights()
    }
    fn symmetries(&self) -> Vec<Symmetry<Pos>> {
        self.0.symmetries()
    }
    fn atoms(&self) -> Option<Box<dyn Atoms<Pos>>> {
        self.0.atoms()
    }
    fn solver(&self) -> Option<Box<dyn Solve<Pos>>> {
        self.0.solver()
    }
    fn mate_search(&self) -> Option<FindMate<Pos>> {
        self.0.mate_search()
    }
    fn dialect(&self, protocol: Protocol) -> Option<Box<dyn Dialect<Pos>>> {
        self.0.dialect(protocol)
    }
    fn may_declare_win(&self, position: &Pos) -> bool {
        self.0.may_declare_win(position)
    }
    fn perft_table(&self) -> &[u64] {
        self.0.perft_table()
    }
}
