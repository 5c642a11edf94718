//! Games of self-play, played by typed code one at a time: the border at one game
//! (lee86 section 4, heinz93 step 2).
//!
//! A game begins with uniformly random moves or a given opening, goes on with a
//! search that now and then gives way to chance, and ends by the rules or by the
//! game's solver. Its rows are its own positions, or a sample of those that its
//! searches evaluated (buro98 section 3).
//!
//! Invariant: a game depends on the configuration and its own index alone.

use crate::follow::{Follower, Record};
use evalsmith_core::{
    Agreement, Choice, Ending, Evaluate, Game, GameRecord, Outcome, Player, PlayerError, Position,
    Reason, Side, Solve, Stage, play_out, rng,
};
use evalsmith_search::{Limits, Sampled, Sampling, SearchPlayer, Searcher, WithChance};
use rand::RngExt;

/// How often an opening that ends the game is drawn anew before giving up.
const REDRAWS: u32 = 1000;

/// Each player's transposition table: the shallow searches of self-play need
/// little, and it is cleared before every game.
const TABLE_BYTES: usize = 1 << 20;

/// How games of self-play are played.
#[derive(Clone, Debug, PartialEq)]
pub struct SelfPlayConfig {
    /// Where all chance comes from.
    pub seed: u64,
    /// Uniformly random legal moves at the start, where no opening is given.
    pub opening_plies: u16,
    /// How often a random move is played instead of the searched one, from 0 to 1.
    pub chance: f64,
    /// The depth of the search, in plies.
    pub depth: u8,
    /// A game with at most this many moves left, by the solver's count, ends
    /// with the solver's outcome; 0 plays on to the end.
    pub solve_at: u32,
    /// A game ends once the players agree that it is decided by at least this many
    /// log-odds; 0 plays on to the end.
    pub decided_at: f64,
    /// The share of games in which one player searches only `weaker_depth` plies.
    pub weaker: f64,
    /// The depth of the weaker player's search, in plies.
    pub weaker_depth: u8,
    /// Instead of the game's own positions, keep this many of those that each
    /// player's searches evaluated; 0 keeps the game's own.
    pub from_search: usize,
}

/// A row of a game, as a dataset stores it.
#[derive(Clone, Debug, PartialEq)]
pub struct SelfPlayRow {
    /// Half-moves played before the position.
    pub ply: usize,
    /// The position's stage.
    pub stage: Stage,
    /// The side to move.
    pub side: Side,
    /// The packed position.
    pub position: Vec<u8>,
    /// The move played, unless the game was ended here.
    pub mv: Option<String>,
    /// How the game ended, for the side to move; none for positions from searches.
    pub outcome: Option<Outcome>,
    /// What the player's search thought of its move: log-odds of the side to move.
    pub value: Option<f32>,
}

/// A finished game.
#[derive(Clone, Debug, PartialEq)]
pub struct SelfPlayed {
    /// The rows, in order.
    pub rows: Vec<SelfPlayRow>,
    /// How the game ended, for the first player.
    pub outcome: Outcome,
    /// Why the game is over.
    pub reason: Reason,
}

/// Why a game could not be played.
#[derive(Clone, Debug, thiserror::Error)]
pub enum SelfPlayError {
    /// A player could not go on.
    #[error(transparent)]
    Player(#[from] PlayerError),
    /// Every random opening ended the game.
    #[error("{draws} random openings ended the game")]
    NoOpening {
        /// Openings drawn.
        draws: u32,
    },
}

/// Players and solver that one thread uses for many games.
pub trait SelfPlayTable: Send {
    /// Plays the game of this number.
    ///
    /// # Errors
    /// When a player fails, or no random opening leaves a game to play.
    fn play(&mut self, index: u32) -> Result<SelfPlayed, SelfPlayError>;
}

/// The opening of each game by its number.
pub type OpeningOf<'a> = dyn Fn(u32) -> Record + Sync + 'a;

/// A searching player, and the hook in its search.
struct Seat<P: Position, E: Evaluate<P>> {
    player: WithChance<SearchPlayer<Searcher<P, Sampling<P, E>>>>,
}

/// The players of both functions at full strength and weaker, and the solver.
pub(crate) struct Table<'a, G: Game, E: Evaluate<G::Position>> {
    game: G,
    /// The opening of each game; random moves where there is none.
    openings: Option<&'a OpeningOf<'a>>,
    config: SelfPlayConfig,
    /// By strength, then by function.
    seats: [[Seat<G::Position, E>; 2]; 2],
    solver: Option<Box<dyn Solve<G::Position>>>,
}

impl<'a, G: Game, E: Evaluate<G::Position> + Clone> Table<'a, G, E> {
    pub(crate) fn new(
        game: G,
        functions: [&E; 2],
        openings: Option<&'a OpeningOf<'a>>,
        config: &SelfPlayConfig,
        name: &str,
    ) -> Self {
        let seat = |function: &E, depth: u8| {
            let sampling = Sampling::new(function.clone(), config.from_search);
            let table = if depth > 1 { TABLE_BYTES } else { 0 };
            let search = Searcher::new(sampling, table);
            let player = SearchPlayer::new(name, search, Limits::depth(depth));
            Seat { player: WithChance::new(player, config.chance) }
        };
        let seats = [config.depth, config.weaker_depth]
            .map(|depth| functions.map(|function| seat(function, depth)));
        let solver = game.solver();
        Self { game, openings, config: config.clone(), seats, solver }
    }
}

impl<G: Game, E: Evaluate<G::Position>> SelfPlayTable for Table<'_, G, E> {
    fn play(&mut self, index: u32) -> Result<SelfPlayed, SelfPlayError> {
        let Self { game, openings, config, seats, solver } = self;
        let mut random = rng::stream(config.seed, "self-play", u64::from(index));
        let mut record = match openings {
            None => random_opening(game, config.opening_plies, &mut random)?,
            Some(opening) => Follower::new().follow(&opening(index)).clone(),
        };
        let opening_plies = record.ply();
        let seeds: [u64; 2] = [random.random(), random.random()];
        let weaker = (random.random::<f64>() < config.weaker).then(|| random.random_range(0..2));
        // The function that moves first; they change sides with every game.
        let first = index as usize % 2;
        let [strong, weak] = seats;
        let mut pairs = strong.iter_mut().zip(weak);
        let mut seat = |function: usize| {
            let (strong, weak) = pairs.next().expect("one seat a function");
            let side = function ^ first;
            let seat = if weaker == Some(side) { weak } else { strong };
            seat.player.new_game(seeds[side]);
            seat.sampling().restart(seeds[side]);
            seat
        };
        let mut seated = [seat(0), seat(1)];
        let agreement = Agreement::new(config.decided_at);
        let judge = |record: &GameRecord<G::Position>| {
            let agreed = agreement.outcome(record.side());
            if let Some(outcome) = agreed {
                return Some(Ending { outcome, reason: Reason::Agreed });
            }
            let solver = solver.as_mut().filter(|_| config.solve_at > 0)?;
            let position = record.position();
            (solver.moves_left(position) <= config.solve_at)
                .then(|| Ending { outcome: solver.solve(position).outcome, reason: Reason::Solved })
        };
        let mut values = Vec::new();
        let [a, b] = &mut seated;
        let players: &mut [&mut dyn Player<G::Position>; 2] =
            if first == 0 { &mut [*a, *b] } else { &mut [*b, *a] };
        play_out(&mut record, players, judge, |record, choice| {
            agreement.hear(record.side(), choice.value);
            values.push(choice.value.map(|value| value.log_odds().0 as f32));
        })?;
        let ending = record.ending().expect("the game was played out");
        let rows = if config.from_search > 0 {
            let sampled = seated.iter().flat_map(|seat| seat.sampling().take());
            sampled_rows(game, record.first(), sampled)
        } else {
            rows(game, &record, ending, opening_plies, &values)
        };
        let outcome = ending.outcome.seen_by(record.side(), Side::First);
        Ok(SelfPlayed { rows, outcome, reason: ending.reason })
    }
}

/// The positions of a game after its opening.
fn rows<G: Game>(
    game: &G,
    record: &GameRecord<G::Position>,
    ending: Ending,
    opening_plies: usize,
    values: &[Option<f32>],
) -> Vec<SelfPlayRow> {
    let recorded = record.ply() + usize::from(ending.reason == Reason::Solved);
    let row = |ply: usize| {
        let position = &record.positions()[ply];
        let side = record.first().after(ply);
        SelfPlayRow {
            ply,
            stage: position.stage(),
            side,
            position: game.pack(position, side),
            mv: record.moves().get(ply).map(|&m| game.format_move(position, m)),
            outcome: Some(ending.outcome.seen_by(record.side(), side)),
            value: values.get(ply - opening_plies).copied().flatten(),
        }
    };
    (opening_plies..recorded).map(row).collect()
}

/// Positions from searches, by ply and then by their bytes.
fn sampled_rows<G: Game>(
    game: &G,
    first: Side,
    sampled: impl Iterator<Item = Sampled<G::Position>>,
) -> Vec<SelfPlayRow> {
    let row = |Sampled { position, ply }: Sampled<G::Position>| {
        let side = first.after(ply);
        SelfPlayRow {
            ply,
            stage: position.stage(),
            side,
            position: game.pack(&position, side),
            mv: None,
            outcome: None,
            value: None,
        }
    };
    let mut rows: Vec<_> = sampled.map(row).collect();
    rows.sort_by(|a, b| (a.ply, &a.position).cmp(&(b.ply, &b.position)));
    rows
}

impl<P: Position, E: Evaluate<P>> Seat<P, E> {
    fn sampling(&self) -> &Sampling<P, E> {
        self.player.inner().search().function()
    }
}

impl<P: Position, E: Evaluate<P>> Player<P> for Seat<P, E> {
    fn name(&self) -> &str {
        Player::<P>::name(&self.player)
    }

    fn choose(&mut self, game: &GameRecord<P>) -> Result<Choice<P::Move>, PlayerError> {
        self.sampling().search_from(game.ply());
        self.player.choose(game)
    }
}

fn random_opening<G: Game>(
    game: &G,
    plies: u16,
    random: &mut rng::Rng,
) -> Result<GameRecord<G::Position>, SelfPlayError> {
    'draw: for _ in 0..REDRAWS {
        let mut record = GameRecord::new(game.start(), Side::First, game.max_plies());
        for _ in 0..plies {
            let legal: Vec<_> = record.position().moves().collect();
            if record.ending().is_some() {
                continue 'draw;
            }
            let m = legal[random.random_range(0..legal.len())];
            record.play(m).expect("a legal move of a game that is not over");
        }
        if record.ending().is_some() {
            continue;
        }
        return Ok(record);
    }
    Err(SelfPlayError::NoOpening { draws: REDRAWS })
}
