//! A game without its type.

use crate::batch::{BadRow, Lines, Look};
use crate::function::Opens;
use crate::match_game::{self, MatchGameConfig, MatchSeat, MatchTable};
use crate::typed::Typed;
use crate::{DynFeatures, DynFunction, MoveId, Pos, Record, Replay, WindowError, WindowReport};
use evalsmith_core::rng::Rng;
use evalsmith_core::{
    Atoms, Defaults, Dialect, FindMate, Game, Malformed, Picture, Protocol, Side, Solve, Symmetry,
    Way,
};
use evalsmith_learn::{LearnError, Model, Tree};
use std::fmt;
use std::path::Path;
use std::sync::{Arc, LazyLock};

/// Any game as a value. It implements [`Game`] over [`Pos`], so that whatever is written
/// for games works for it; two clones are the same game.
#[derive(Clone)]
pub struct DynGame {
    rules: Arc<dyn Rules>,
    /// The functions that come with the game, by name.
    functions: Vec<(&'static str, Arc<Unopened>)>,
}

/// A function that is opened when it is first asked for.
type Unopened = LazyLock<DynFunction, Box<dyn FnOnce() -> DynFunction + Send>>;

/// The name of the function that a game is played with unless another is named.
const SHIPPED: &str = "shipped";

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
    fn canonical_keys(&self, rows: &[&[u8]], out: &mut Vec<u64>) -> Result<(), BadRow>;
    fn replay(&self) -> Box<dyn Replay>;
    fn window_report(
        &self,
        tree: &Tree,
        records: &[Record],
        depth: u8,
    ) -> Result<WindowReport, WindowError>;
    fn match_table(
        &self,
        seats: &[MatchSeat; 2],
        config: &MatchGameConfig,
    ) -> Option<Box<dyn MatchTable>>;
    fn canonical_key(&self, position: &Pos) -> u64;
    fn random_walk(&self, plies: u16, random: &mut Rng) -> Option<Record>;
    fn random_walk_key(&self, plies: u16, random: &mut Rng) -> Option<u64>;
    fn enumerate(&self, plies: u16, most: usize) -> Option<Vec<Record>>;
}

impl DynGame {
    /// Forgets the type of a game.
    pub fn new<G: Game>(game: G) -> Self {
        Self { rules: Arc::new(Typed::new(game)), functions: Vec::new() }
    }

    /// The same game with a function that comes with it under this name, opened when it is
    /// first asked for. The one called `shipped` is what the game is played with unless
    /// another is named.
    #[must_use]
    pub fn with_function(
        mut self,
        name: &'static str,
        open: impl FnOnce() -> DynFunction + Send + 'static,
    ) -> Self {
        let open: Box<dyn FnOnce() -> DynFunction + Send> = Box::new(open);
        self.functions.push((name, Arc::new(LazyLock::new(open))));
        self
    }

    /// The function that comes with the game under this name.
    pub fn function_named(&self, name: &str) -> Option<&DynFunction> {
        let (_, function) = self.functions.iter().find(|(known, _)| *known == name)?;
        Some(&***function)
    }

    /// The function that comes with the game, where one does.
    pub fn shipped(&self) -> Option<&DynFunction> {
        self.function_named(SHIPPED)
    }

    /// Whether a function comes with the game; this opens none.
    pub fn has_shipped(&self) -> bool {
        self.functions.iter().any(|(name, _)| *name == SHIPPED)
    }

    /// The features' weights set by hand, or the trivial function where a game has none.
    ///
    /// # Errors
    /// When the game gives another number of weights than features.
    pub fn function_by_hand(&self) -> Result<DynFunction, LearnError> {
        self.rules.functions().by_hand()
    }

    /// The function that knows finished games only.
    pub fn trivial_function(&self) -> DynFunction {
        self.rules.functions().trivial()
    }

    /// The function of a model over the game's features.
    ///
    /// # Errors
    /// When the model was made for other features or stages.
    pub fn function_of_model(&self, model: Model) -> Result<DynFunction, LearnError> {
        self.rules.functions().of_model(model)
    }

    /// The function of a file: a model of any kind, or a table of moves.
    ///
    /// # Errors
    /// When the file cannot be read, or is of another game or other features.
    pub fn open_function(&self, path: &Path) -> Result<DynFunction, LearnError> {
        self.rules.functions().open_file(path)
    }

    /// The function of a file's bytes; `what` stands for the path in errors.
    ///
    /// # Errors
    /// As [`open_function`](DynGame::open_function).
    pub fn function_from_bytes(&self, bytes: &[u8], what: &str) -> Result<DynFunction, LearnError> {
        self.rules.functions().open_bytes(bytes, what)
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
        self.rules.features_of(rows, look, out)
    }

    /// The keys of a batch's positions, the same for positions that a symmetry of the game
    /// turns into each other; see [`canonical_key`](evalsmith_core::canonical_key).
    ///
    /// # Errors
    /// When a row is no position of the game.
    pub fn canonical_keys(&self, rows: &[&[u8]], out: &mut Vec<u64>) -> Result<(), BadRow> {
        self.rules.canonical_keys(rows, out)
    }

    /// What alpha-beta windows save a tree in searches of every record to a depth.
    ///
    /// # Errors
    /// When the tree is of other features or stages, or breaks its contract.
    pub fn window_report(
        &self,
        tree: &Tree,
        records: &[Record],
        depth: u8,
    ) -> Result<WindowReport, WindowError> {
        self.rules.window_report(tree, records, depth)
    }

    /// Plays records of the game.
    pub fn replay(&self) -> Box<dyn Replay> {
        self.rules.replay()
    }

    /// A table for the games of two players. Players that search with functions of this
    /// game play typed against each other; any other pair plays over [`Pos`].
    pub fn match_table(
        &self,
        seats: [MatchSeat; 2],
        config: MatchGameConfig,
    ) -> Box<dyn MatchTable> {
        let typed = self.rules.match_table(&seats, &config);
        typed.unwrap_or_else(|| match_game::untyped_table(self, seats, config))
    }

    /// The same key for all images of a position under the game's symmetries.
    pub fn canonical_key(&self, position: &Pos) -> u64 {
        self.rules.canonical_key(position)
    }

    /// A game of `plies` half-moves, each drawn evenly from the legal moves, played by
    /// typed code; none when it ended before or just then.
    pub fn random_walk(&self, plies: u16, random: &mut Rng) -> Option<Record> {
        self.rules.random_walk(plies, random)
    }

    /// The [canonical key](DynGame::canonical_key) of the last position of the
    /// [random walk](DynGame::random_walk) that the same generator draws. Cheaper than
    /// the walk itself, whose positions must be kept.
    pub fn random_walk_key(&self, plies: u16, random: &mut Rng) -> Option<u64> {
        self.rules.random_walk_key(plies, random)
    }

    /// A game to every unfinished position after `plies` half-moves, one for each set of
    /// mirror images, found by typed code; none when there are more than `most` after
    /// that many half-moves or fewer.
    pub fn enumerate(&self, plies: u16, most: usize) -> Option<Vec<Record>> {
        self.rules.enumerate(plies, most)
    }

    /// Leaves of the game tree at this depth from the start, counted by typed code.
    pub fn perft(&self, depth: u32) -> u64 {
        self.rules.perft(depth)
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
        self.rules.name()
    }
    fn stages(&self) -> usize {
        self.rules.stages()
    }
    fn start(&self) -> Pos {
        self.rules.start()
    }
    fn features(&self) -> DynFeatures {
        self.rules.features()
    }
    fn all_features(&self) -> Vec<String> {
        self.rules.all_features()
    }
    fn with_features(&self, names: &[String]) -> Option<Self> {
        let Self { rules, .. } = self.rules.with_features(names)?;
        Some(Self { rules, functions: self.functions.clone() })
    }
    fn max_plies(&self) -> usize {
        self.rules.max_plies()
    }
    fn format_move(&self, position: &Pos, m: MoveId) -> String {
        self.rules.format_move(position, m)
    }
    fn append_move(&self, position: &Pos, m: MoveId, text: &mut String) {
        self.rules.append_move(position, m, text);
    }
    fn parse_move(&self, position: &Pos, text: &str) -> Result<MoveId, Malformed> {
        self.rules.parse_move(position, text)
    }
    fn format(&self, position: &Pos, to_move: Side) -> String {
        self.rules.format(position, to_move)
    }
    fn parse(&self, text: &str) -> Result<(Pos, Side), Malformed> {
        self.rules.parse(text)
    }
    fn draw(&self, position: &Pos, to_move: Side) -> String {
        self.rules.draw(position, to_move)
    }
    fn picture(&self, position: &Pos, to_move: Side) -> Option<Picture> {
        self.rules.picture(position, to_move)
    }
    fn way(&self, position: &Pos, m: MoveId) -> Way {
        self.rules.way(position, m)
    }
    fn set_up(&self, picture: &Picture, to_move: Side) -> Result<Pos, Malformed> {
        self.rules.set_up(picture, to_move)
    }
    fn pack(&self, position: &Pos, to_move: Side) -> Vec<u8> {
        self.rules.pack(position, to_move)
    }
    fn append_packed(&self, position: &Pos, to_move: Side, bytes: &mut Vec<u8>) {
        self.rules.append_packed(position, to_move, bytes);
    }
    fn unpack(&self, bytes: &[u8]) -> Result<(Pos, Side), Malformed> {
        self.rules.unpack(bytes)
    }
    fn defaults(&self) -> Defaults {
        self.rules.defaults()
    }
    fn side_names(&self) -> [&str; 2] {
        self.rules.side_names()
    }
    fn margin_unit(&self) -> Option<&str> {
        self.rules.margin_unit()
    }
    fn hand_weights(&self) -> Option<Vec<f64>> {
        self.rules.hand_weights()
    }
    fn symmetries(&self) -> Vec<Symmetry<Pos>> {
        self.rules.symmetries()
    }
    fn atoms(&self) -> Option<Box<dyn Atoms<Pos>>> {
        self.rules.atoms()
    }
    fn solver(&self) -> Option<Box<dyn Solve<Pos>>> {
        self.rules.solver()
    }
    fn mate_search(&self) -> Option<FindMate<Pos>> {
        self.rules.mate_search()
    }
    fn dialect(&self, protocol: Protocol) -> Option<Box<dyn Dialect<Pos>>> {
        self.rules.dialect(protocol)
    }
    fn may_declare_win(&self, position: &Pos) -> bool {
        self.rules.may_declare_win(position)
    }
    fn perft_table(&self) -> &[u64] {
        self.rules.perft_table()
    }
}
