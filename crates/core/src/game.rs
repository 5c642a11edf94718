//! The cold trait: everything about a game that a search does not need.

use crate::{Atoms, Dialect, Features, Malformed, Outcome, Picture, Position, Protocol, Side, Way};
use std::sync::Arc;

/// A game, one value per game: rules, notation, features, and the abilities
/// that not every game has, as values it returns.
pub trait Game: Clone + Send + Sync + 'static {
    /// The positions of this game.
    type Position: Position;
    /// The features its evaluation functions are built from.
    type Features: Features<Self::Position> + Clone + 'static;

    /// The name on the command line and in files: lower case, no spaces.
    fn name(&self) -> &str;

    /// How many stages [`Position::stage`] can return: every stage is below it.
    fn stages(&self) -> usize {
        1
    }

    /// The start position; the first player is to move.
    fn start(&self) -> Self::Position;

    /// The features, ready to use.
    fn features(&self) -> Self::Features;

    /// The names of all features the game can be asked for, those of
    /// [`features`](Game::features) among them.
    fn all_features(&self) -> Vec<String> {
        self.features().names()
    }

    /// The same game with other [`features`](Game::features): those of these
    /// names, in this order. `None` when it does not know one of them, or too
    /// many are asked for; by default it has no others.
    #[must_use]
    fn with_features(&self, names: &[String]) -> Option<Self> {
        (self.features().names() == names).then(|| self.clone())
    }

    /// No game lasts longer; a record that reaches this bound is a draw.
    fn max_plies(&self) -> usize;

    /// A legal move as people write it.
    fn format_move(
        &self,
        position: &Self::Position,
        m: <Self::Position as Position>::Move,
    ) -> String;

    /// Appends what [`format_move`](Game::format_move) writes. A game with names
    /// at hand saves an allocation for every row of a dataset.
    fn append_move(
        &self,
        position: &Self::Position,
        m: <Self::Position as Position>::Move,
        text: &mut String,
    ) {
        text.push_str(&self.format_move(position, m));
    }

    /// The legal move that `text` names. By default, the one that
    /// [`format_move`](Game::format_move) writes so, whatever its case.
    ///
    /// # Errors
    /// When no legal move is written so.
    fn parse_move(
        &self,
        position: &Self::Position,
        text: &str,
    ) -> Result<<Self::Position as Position>::Move, Malformed> {
        let wanted = text.trim();
        position
            .moves()
            .find(|&m| self.format_move(position, m).eq_ignore_ascii_case(wanted))
            .ok_or_else(|| Malformed::new("move", text, "it is not a legal move here"))
    }

    /// A position and the side to move on one line.
    fn format(&self, position: &Self::Position, to_move: Side) -> String;

    /// Reads what [`format`](Game::format) writes.
    ///
    /// # Errors
    /// When the text is no position of this game.
    fn parse(&self, text: &str) -> Result<(Self::Position, Side), Malformed>;

    /// A board for people, on several lines.
    fn draw(&self, position: &Self::Position, to_move: Side) -> String {
        self.format(position, to_move)
    }

    /// The position as a picture, where the game has a board of squares or points.
    fn picture(&self, _position: &Self::Position, _to_move: Side) -> Option<Picture> {
        None
    }

    /// Where a legal move begins and ends on the [picture](Game::picture).
    fn way(&self, _position: &Self::Position, _m: <Self::Position as Position>::Move) -> Way {
        Way::default()
    }

    /// The position that a picture shows, with this side to move.
    ///
    /// # Errors
    /// When no game can come to it, or the game has no pictures.
    fn set_up(&self, _picture: &Picture, _to_move: Side) -> Result<Self::Position, Malformed> {
        Err(Malformed::new("picture", self.name(), "the game has none: write the position as text"))
    }

    /// The position in few bytes, for storage.
    fn pack(&self, position: &Self::Position, to_move: Side) -> Vec<u8> {
        self.format(position, to_move).into_bytes()
    }

    /// Appends what [`pack`](Game::pack) writes, if need be without an allocation.
    fn append_packed(&self, position: &Self::Position, to_move: Side, bytes: &mut Vec<u8>) {
        bytes.append(&mut self.pack(position, to_move));
    }

    /// Reads what [`pack`](Game::pack) writes.
    ///
    /// # Errors
    /// When the bytes are no packed position of this game.
    fn unpack(&self, bytes: &[u8]) -> Result<(Self::Position, Side), Malformed> {
        let text = std::str::from_utf8(bytes).map_err(|e| {
            Malformed::new("packed position", format_args!("{bytes:?}"), e.to_string())
        })?;
        self.parse(text)
    }

    /// What a first experiment with this game should look like.
    fn defaults(&self) -> Defaults {
        Defaults::default()
    }

    /// Names of the two players, first and second.
    fn side_names(&self) -> [&str; 2] {
        ["first", "second"]
    }

    /// The unit of an outcome's margin ("discs"), where it means something.
    fn margin_unit(&self) -> Option<&str> {
        None
    }

    /// Weights for the features set by hand, in log-odds per unit: the function
    /// a learner has to beat. Without them the baseline knows only finished games.
    fn hand_weights(&self) -> Option<Vec<f64>> {
        None
    }

    /// The board's symmetries other than the identity.
    fn symmetries(&self) -> Vec<Symmetry<Self::Position>> {
        Vec::new()
    }

    /// The atoms of patterns and configurations, where the game names them.
    fn atoms(&self) -> Option<Box<dyn Atoms<Self::Position>>> {
        None
    }

    /// Exact solving, where the game can.
    fn solver(&self) -> Option<Box<dyn Solve<Self::Position>>> {
        None
    }

    /// A search for mates, where the game has one.
    fn mate_search(&self) -> Option<FindMate<Self::Position>> {
        None
    }

    /// How moves and positions are written in a protocol, where the game is
    /// spoken in it.
    fn dialect(&self, _protocol: Protocol) -> Option<Box<dyn Dialect<Self::Position>>> {
        None
    }

    /// Whether the rules let the side to move end the game as won by saying so
    /// (the entering king of Shogi).
    fn may_declare_win(&self, _position: &Self::Position) -> bool {
        false
    }

    /// Known perft numbers from the start position, for depths 1, 2, 3, ...
    fn perft_table(&self) -> &[u64] {
        &[]
    }
}

/// Finds a move after which the side to move wins by force, within so many nodes;
/// what it finds is so, what it does not find may be there.
pub type FindMate<P> = Arc<dyn Fn(&P, u64) -> Option<<P as Position>::Move> + Send + Sync>;

/// The size of a first experiment: enough to learn something in a minute or two.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Defaults {
    /// Games of self-play.
    pub games: u32,
    /// Depth of their searches, in plies.
    pub depth: u8,
    /// Random half-moves before positions are recorded.
    pub opening_plies: u16,
    /// Probability that a later move is random: without big mistakes in the data
    /// the main features get no weight (buro95), with many the results mean little.
    pub chance: f64,
    /// Games are solved and ended at this many moves left; zero plays them out.
    pub solve_at: u32,
    /// Games end once both players think them decided by this many log-odds;
    /// zero plays them out.
    pub decided_at: f64,
    /// Stages on either side whose positions are pooled for a stage's fit: few
    /// where a feature's meaning changes with the stage, all where it does not.
    pub radius: u8,
    /// The share of a position's target that is the search's opinion instead of
    /// the game's result: large where few games can be played, or results have
    /// little to do with positions.
    pub searched: f64,
    /// Pairs of games in a match.
    pub pairs: u32,
    /// Random half-moves of a match's openings.
    pub match_plies: u16,
    /// Milliseconds of CPU time a move in an equal-time match: enough for the
    /// search to get beyond the depth of self-play.
    pub cpu_ms: f64,
}

impl Default for Defaults {
    fn default() -> Self {
        Self {
            games: 2000,
            depth: 4,
            opening_plies: 6,
            chance: 0.05,
            solve_at: 0,
            decided_at: 0.0,
            radius: 2,
            searched: 0.0,
            pairs: 200,
            match_plies: 4,
            cpu_ms: 1.0,
        }
    }
}

/// The image of a move that is legal in a position.
pub type MapMove<P> = Arc<dyn Fn(&P, <P as Position>::Move) -> <P as Position>::Move + Send + Sync>;

/// A mapping of positions and moves that the rules do not notice.
pub struct Symmetry<P: Position> {
    /// What it does: "rotate 90".
    pub name: String,
    /// The image of a position.
    pub position: Arc<dyn Fn(&P) -> P + Send + Sync>,
    /// The image of a move that is legal in a position.
    pub mv: MapMove<P>,
}

impl<P: Position> Symmetry<P> {
    /// A symmetry whose moves are mapped without looking at the position.
    pub fn new(
        name: impl Into<String>,
        position: impl Fn(&P) -> P + Send + Sync + 'static,
        mv: impl Fn(P::Move) -> P::Move + Send + Sync + 'static,
    ) -> Self {
        let mv = Arc::new(move |_: &P, m| mv(m));
        Self { name: name.into(), position: Arc::new(position), mv }
    }
}

/// The same key for all images of a position.
pub fn canonical_key<P: Position>(position: &P, symmetries: &[Symmetry<P>]) -> u64 {
    let images = symmetries.iter().map(|symmetry| (symmetry.position)(position).key());
    images.fold(position.key(), u64::min)
}

/// Exact solving of positions near the end.
pub trait Solve<P: Position>: Send {
    /// About how many moves are left, cheap to compute (empty squares in
    /// Othello); callers solve when it is small enough.
    fn moves_left(&self, position: &P) -> u32;

    /// The outcome under perfect play by both, with a move that reaches it.
    fn solve(&mut self, position: &P) -> Solved<P::Move>;
}

/// What a solver found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Solved<M> {
    /// The outcome under perfect play, for the side to move.
    pub outcome: Outcome,
    /// A move that reaches it; none when the game is over.
    pub best: Option<M>,
    /// Positions visited.
    pub nodes: u64,
}
