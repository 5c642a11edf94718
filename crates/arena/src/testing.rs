//! A game and players small enough to reason about: three heaps of counters.
//! Whoever cannot move ends the game; how many plies it lasted decides whether
//! that was a loss, by how much, or a draw.

use crate::{
    Adjudication, ArenaError, MatchPlan, MatchResult, MatchSeat, Openings, Seat, run_match,
    untyped_player,
};
use evalsmith_core::{
    Choice, FaultKind, Features, Game, GameRecord, Malformed, Outcome, Player, PlayerError,
    Position, Progress, Side, Symmetry, rng,
};
use evalsmith_rules::{DynGame, Record};
use rand::RngExt;
use rayon::ThreadPoolBuilder;
use serde_json::json;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Heaps {
    pub(crate) heaps: [u8; 3],
    pub(crate) plies: u8,
}

/// Which heap, and how many counters to take.
pub(crate) type Take = (u8, u8);

impl Position for Heaps {
    type Move = Take;
    type Moves = std::vec::IntoIter<Take>;

    fn moves(&self) -> Self::Moves {
        let heaps = (0..).zip(self.heaps);
        heaps.flat_map(|(i, n)| (1..=n).map(move |k| (i, k))).collect::<Vec<_>>().into_iter()
    }

    fn play(&self, (heap, counters): Take) -> Self {
        let mut next = self.clone();
        next.heaps[usize::from(heap)] -= counters;
        next.plies += 1;
        next
    }

    fn outcome(&self) -> Option<Outcome> {
        let over = self.heaps == [0; 3];
        let margin = if self.plies.is_multiple_of(5) { 0 } else { -i16::from(self.plies) };
        over.then_some(Outcome::by(margin))
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Nim;

#[derive(Clone, Copy, Debug)]
pub(crate) struct NoFeatures;

impl Features<Heaps> for NoFeatures {
    type Scratch = ();
    fn names(&self) -> Vec<String> {
        Vec::new()
    }
    fn count(&self) -> usize {
        0
    }
    fn get(&self, _: &Heaps, _: usize, (): &mut ()) -> f32 {
        0.0
    }
}

impl Game for Nim {
    type Position = Heaps;
    type Features = NoFeatures;
    fn name(&self) -> &'static str {
        "nim"
    }

    fn start(&self) -> Heaps {
        Heaps { heaps: [7; 3], plies: 0 }
    }
    fn features(&self) -> NoFeatures {
        NoFeatures
    }
    fn max_plies(&self) -> usize {
        21
    }
    fn format_move(&self, _: &Heaps, (heap, counters): Take) -> String {
        format!("{heap}-{counters}")
    }
    fn format(&self, position: &Heaps, to_move: Side) -> String {
        let [a, b, c] = position.heaps;
        format!("{a}/{b}/{c} {} {to_move}", position.plies)
    }
    fn parse(&self, text: &str) -> Result<(Heaps, Side), Malformed> {
        Err(Malformed::new("nim", text, "no test reads positions"))
    }
    fn symmetries(&self) -> Vec<Symmetry<Heaps>> {
        fn permuted(p: &Heaps, order: [usize; 3]) -> Heaps {
            Heaps { heaps: order.map(|i| p.heaps[i]), plies: p.plies }
        }
        let unused: fn(Take) -> Take = |m| m;
        let images: [fn(&Heaps) -> Heaps; 5] = [
            |p| permuted(p, [0, 2, 1]),
            |p| permuted(p, [1, 0, 2]),
            |p| permuted(p, [1, 2, 0]),
            |p| permuted(p, [2, 0, 1]),
            |p| permuted(p, [2, 1, 0]),
        ];
        images.map(|position| Symmetry::new("order", position, unused)).into()
    }
}

/// The game without its type.
pub(crate) fn nim() -> DynGame {
    DynGame::new(Nim)
}

/// The heaps of the last position.
pub(crate) fn heaps(record: &Record) -> [u8; 3] {
    record.position().get::<Heaps>().expect("a position of Nim").heaps
}

/// A seat for a typed player.
pub(crate) fn seat(player: impl Player<Heaps> + 'static) -> MatchSeat {
    MatchSeat::Outside(untyped_player(player))
}

/// Plays by chance, from its seed alone.
pub(crate) struct Gambler {
    random: rng::Rng,
}

impl Gambler {
    pub(crate) fn new() -> Self {
        Self { random: rng::stream(0, "gambler", 0) }
    }
}

impl Player<Heaps> for Gambler {
    fn name(&self) -> &'static str {
        "gambler"
    }
    fn new_game(&mut self, seed: u64) {
        self.random = rng::stream(seed, "gambler", 0);
    }
    fn choose(&mut self, game: &GameRecord<Heaps>) -> Result<Choice<Take>, PlayerError> {
        let legal: Vec<_> = game.position().moves().collect();
        let mv = legal[self.random.random_range(0..legal.len())];
        Ok(Choice { nodes: legal.len() as u64, ..Choice::blind(mv) })
    }
}

/// Always takes a whole heap.
pub(crate) struct Grabber;

impl Player<Heaps> for Grabber {
    fn name(&self) -> &'static str {
        "grabber"
    }
    fn choose(&mut self, game: &GameRecord<Heaps>) -> Result<Choice<Take>, PlayerError> {
        let all = game.position().moves().max_by_key(|&(_, counters)| counters);
        let mv = all.expect("the game goes on");
        Ok(Choice { nodes: 1, ..Choice::blind(mv) })
    }
}

/// Plays well until a position that it answers as told.
pub(crate) struct Cheat(pub(crate) fn(&GameRecord<Heaps>) -> Option<Result<Take, FaultKind>>);

impl Player<Heaps> for Cheat {
    fn name(&self) -> &'static str {
        "cheat"
    }
    fn choose(&mut self, game: &GameRecord<Heaps>) -> Result<Choice<Take>, PlayerError> {
        match (self.0)(game) {
            None => Grabber.choose(game),
            Some(Ok(mv)) => Ok(Choice::blind(mv)),
            Some(Err(kind)) => {
                let mut error = PlayerError::new("somebody else", "as told").of_kind(kind);
                error.dialogue = "> your move\n< no\n".into();
                Err(error)
            }
        }
    }
}

/// A match of a gambler against a grabber.
pub(crate) fn plan(pairs: u32) -> MatchPlan {
    MatchPlan {
        pairs,
        seed: 7,
        names: ["gambler".into(), "grabber".into()],
        time: [None, None],
        sprt: None,
        adjudication: Adjudication::default(),
        max_faults: 3,
        conditions: json!({ "share": 0.1, "digest": "1f" }),
    }
}

/// Plays it, from openings of two plies.
pub(crate) fn play(
    plan: &MatchPlan,
    log: &Path,
    progress: &dyn Progress,
) -> Result<MatchResult, ArenaError> {
    play_between([&|| Ok(seat(Gambler::new())), &|| Ok(seat(Grabber))], plan, log, progress)
}

pub(crate) fn play_between(
    seats: [Seat<'_>; 2],
    plan: &MatchPlan,
    log: &Path,
    progress: &dyn Progress,
) -> Result<MatchResult, ArenaError> {
    let openings = Openings::random(&nim(), 2, plan.pairs.min(34), plan.seed)?;
    run_match(&nim(), plan, &openings, seats, log, progress)
}

pub(crate) fn on_threads<T: Send>(threads: usize, job: impl FnOnce() -> T + Send) -> T {
    ThreadPoolBuilder::new().num_threads(threads).build().expect("threads").install(job)
}

/// Asks to stop when so many games were played, and keeps the notes.
pub(crate) struct StopAfter {
    games: u64,
    advanced: AtomicU64,
    resumed: AtomicU64,
    pub(crate) notes: Mutex<Vec<String>>,
}

impl StopAfter {
    pub(crate) fn games(games: u64) -> Self {
        Self {
            games,
            advanced: AtomicU64::new(0),
            resumed: AtomicU64::new(u64::MAX),
            notes: Mutex::default(),
        }
    }

    pub(crate) fn never() -> Self {
        Self::games(u64::MAX)
    }

    pub(crate) fn advanced(&self) -> u64 {
        self.advanced.load(Ordering::SeqCst)
    }
}

impl Progress for StopAfter {
    fn begin(&self, _task: &str, _total: u64, unit: &'static str) {
        assert_eq!(unit, "games");
    }
    fn advance(&self, amount: u64) {
        self.advanced.fetch_add(amount, Ordering::SeqCst);
        // The first advance tells how many games were found in the log.
        let _ = self.resumed.compare_exchange(u64::MAX, amount, Ordering::SeqCst, Ordering::SeqCst);
    }
    fn note(&self, message: &str) {
        self.notes.lock().expect("no test panics while noting").push(message.to_owned());
    }
    fn end(&self) {}
    fn stopped(&self) -> bool {
        self.advanced() - self.resumed.load(Ordering::SeqCst) >= self.games
    }
}
