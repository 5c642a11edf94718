//! The kit any game runs in one line to prove that it keeps the traits' promises.
//!
//! ```ignore
//! Kit::of(Othello::new()).against(slow::successors).run();
//! ```
//!
//! Random games are played from the start position; in every position of them
//! the kit checks, and panics with the position's text where a promise breaks:
//! moves are distinct and exist exactly while the game goes on; no move that is
//! illegal here is accepted; successors equal those of a slow second
//! implementation; equal positions have equal keys and different ones different
//! keys; notation, packing and pictures round-trip; symmetries commute with play; stages
//! stay in range; games end within the bound. The perft table is
//! counted both ways.

mod dialects;
mod pictures;

pub use dialects::check_dialects;

use crate::{
    Evaluate, Features, Game, GameRecord, Indexer, Position, Reason, Score, Side, Window, perft,
    perft_by_bulk, rng,
};
use rand::RngExt;
use std::collections::{HashMap, HashSet};

type MoveOf<G> = <<G as Game>::Position as Position>::Move;
type Successors<G> = Vec<(MoveOf<G>, <G as Game>::Position)>;
type SlowRules<G> = fn(&<G as Game>::Position) -> Successors<G>;

/// The checks for one game.
pub struct Kit<G: Game> {
    game: G,
    slow: Option<SlowRules<G>>,
    games: u64,
    seed: u64,
    perft_leaves: u64,
    bounded: bool,
}

impl<G: Game> Kit<G> {
    /// The kit for a game, with 200 random games and perft up to ten million leaves.
    pub fn of(game: G) -> Self {
        Self { game, slow: None, games: 200, seed: 1, perft_leaves: 10_000_000, bounded: false }
    }

    /// Compares moves and successors with a slow and obvious implementation.
    #[must_use]
    pub fn against(mut self, slow: SlowRules<G>) -> Self {
        self.slow = Some(slow);
        self
    }

    /// Plays this many random games.
    #[must_use]
    pub fn games(mut self, games: u64) -> Self {
        self.games = games;
        self
    }

    /// Counts the perft table up to so many leaves.
    #[must_use]
    pub fn perft_leaves(mut self, leaves: u64) -> Self {
        self.perft_leaves = leaves;
        self
    }

    /// Accepts random games that reach the bound on plies: under some rules
    /// aimless players wander for thousands.
    #[must_use]
    pub fn bounded(mut self) -> Self {
        self.bounded = true;
        self
    }

    /// Runs every check.
    ///
    /// # Panics
    /// Where the game breaks a promise; the message names promise and position.
    pub fn run(self) {
        let mut seen = Seen { keys: HashMap::new(), moves: HashSet::new() };
        for index in 0..self.games {
            self.random_game(index, &mut seen);
        }
        self.check_perft();
    }

    fn random_game(&self, index: u64, seen: &mut Seen<G>) {
        let mut random = rng::stream(self.seed, "conformance", index);
        let bound = self.game.max_plies();
        let mut record = GameRecord::new(self.game.start(), Side::First, bound);
        loop {
            let legal = self.check_position(record.position(), record.side(), seen);
            if record.ending().is_some() {
                break;
            }
            let m = legal[random.random_range(0..legal.len())];
            record.play(m).unwrap_or_else(|e| panic!("a legal move was refused: {e}"));
        }
        let reason = record.ending().map(|e| e.reason);
        assert!(
            self.bounded || reason != Some(Reason::Bound),
            "a random game reached the bound of {bound} plies"
        );
    }

    fn check_position(&self, p: &G::Position, side: Side, seen: &mut Seen<G>) -> Vec<MoveOf<G>> {
        let game = &self.game;
        let text = game.format(p, side);
        let legal: Vec<_> = p.moves().collect();

        let distinct: HashSet<_> = legal.iter().copied().collect();
        assert_eq!(distinct.len(), legal.len(), "a move is listed twice in {text}");
        assert_eq!(p.move_count(), legal.len(), "the count of moves is wrong in {text}");
        assert_eq!(p.outcome().is_some(), legal.is_empty(), "moves and outcome disagree in {text}");
        assert!(p.stage().index() < game.stages(), "the stage is out of range in {text}");

        assert_eq!(
            game.parse(&text).as_ref(),
            Ok(&(p.clone(), side)),
            "the text does not round-trip"
        );
        let packed = game.pack(p, side);
        assert_eq!(
            game.unpack(&packed).as_ref(),
            Ok(&(p.clone(), side)),
            "packing fails for {text}"
        );
        let mut appended = b"before".to_vec();
        game.append_packed(p, side, &mut appended);
        assert_eq!(appended, [&b"before"[..], &packed].concat(), "packed twice: {text}");

        assert_eq!(p.key(), p.clone().key(), "equal positions have different keys: {text}");
        if let Some(known) = seen.keys.insert(p.key(), p.clone()) {
            assert_eq!(&known, p, "different positions share a key: {text}");
        }

        for &m in &legal {
            let name = game.format_move(p, m);
            let mut appended = "before".to_owned();
            game.append_move(p, m, &mut appended);
            assert_eq!(appended, format!("before{name}"), "a move is written in two ways");
            assert_eq!(
                game.parse_move(p, &name),
                Ok(m),
                "the move {name} does not round-trip in {text}"
            );
        }
        pictures::check_picture(game, p, side);
        self.refuse_illegal(p, &text, &distinct, seen);
        self.compare_with_slow(p, &text, &legal);
        self.check_symmetries(p, &text, &legal);
        if seen.moves.len() < 256 {
            seen.moves.extend(legal.iter().map(|&m| (m, game.format_move(p, m))));
        }
        legal
    }

    /// Every move ever seen elsewhere must be refused where it is not legal,
    /// both by its text and by the record.
    fn refuse_illegal(
        &self,
        p: &G::Position,
        text: &str,
        legal: &HashSet<MoveOf<G>>,
        seen: &Seen<G>,
    ) {
        let mut record = GameRecord::new(p.clone(), Side::First, usize::MAX);
        for (m, name) in &seen.moves {
            if !legal.contains(m) {
                assert!(record.play(*m).is_err(), "the illegal move {name} was played in {text}");
                if let Ok(read) = self.game.parse_move(p, name) {
                    assert!(legal.contains(&read), "the illegal move {name} was read in {text}");
                }
            }
        }
    }

    fn compare_with_slow(&self, p: &G::Position, text: &str, legal: &[MoveOf<G>]) {
        let Some(slow) = self.slow else { return };
        let expected: HashMap<_, _> = slow(p).into_iter().collect();
        assert_eq!(expected.len(), legal.len(), "the slow check has other moves in {text}");
        for &m in legal {
            let name = self.game.format_move(p, m);
            assert_eq!(
                Some(&p.play(m)),
                expected.get(&m),
                "the slow check plays {name} otherwise in {text}"
            );
        }
    }

    fn check_symmetries(&self, p: &G::Position, text: &str, legal: &[MoveOf<G>]) {
        for symmetry in self.game.symmetries() {
            let image = (symmetry.position)(p);
            let name = symmetry.name;
            assert_eq!(image.outcome(), p.outcome(), "{name} changes the outcome of {text}");
            assert_eq!(
                image.move_count(),
                legal.len(),
                "{name} changes the number of moves of {text}"
            );
            let there: HashSet<_> = image.moves().collect();
            for &m in legal {
                let mirrored = (symmetry.mv)(p, m);
                assert!(
                    there.contains(&mirrored),
                    "{name} maps {m:?} to an illegal move in {text}"
                );
                assert_eq!(
                    image.play(mirrored),
                    (symmetry.position)(&p.play(m)),
                    "{name} does not commute with {m:?} in {text}"
                );
            }
        }
    }

    fn check_perft(&self) {
        let start = self.game.start();
        for (depth, &expected) in (1..).zip(self.game.perft_table()) {
            if expected > self.perft_leaves {
                break;
            }
            assert_eq!(perft(&start, depth), expected, "perft {depth}");
            assert_eq!(perft_by_bulk(&start, depth), expected, "perft {depth} by bulk");
        }
    }
}

struct Seen<G: Game> {
    keys: HashMap<u64, G::Position>,
    moves: HashSet<(MoveOf<G>, String)>,
}

/// Calls `visit` with every step (before, move, after) of random games.
fn random_steps<G: Game>(
    game: &G,
    games: u64,
    mut visit: impl FnMut(&G::Position, MoveOf<G>, &G::Position),
) {
    for index in 0..games {
        let mut random = rng::stream(2, "conformance", index);
        let mut position = game.start();
        for _ in 0..game.max_plies() {
            let legal: Vec<_> = position.moves().collect();
            if legal.is_empty() {
                break;
            }
            let m = legal[random.random_range(0..legal.len())];
            let next = position.play(m);
            visit(&position, m, &next);
            position = next;
        }
    }
}

/// Checks that features are finite, repeatable whatever was asked before, and as
/// many as their names.
///
/// # Panics
/// Where they are not.
pub fn check_features<G: Game>(game: &G, games: u64) {
    let features = game.features();
    let names = features.names();
    assert_eq!(names.len(), features.count(), "one name per feature");
    assert_eq!(names.iter().collect::<HashSet<_>>().len(), names.len(), "names differ");
    random_steps(game, games, |_, _, p| {
        let mut forwards = Vec::new();
        features.append_all(p, &mut forwards);
        for i in (0..features.count()).rev() {
            let alone = features.get(p, i, &mut <G::Features as Features<_>>::Scratch::default());
            assert!(alone.is_finite(), "{} is {alone} in {p:?}", names[i]);
            assert_eq!(
                alone, forwards[i],
                "{} depends on what was asked before in {p:?}",
                names[i]
            );
        }
    });
}

/// Checks that incremental indices equal those from scratch and stay in range.
///
/// # Panics
/// Where they do not.
pub fn check_indexer<G: Game>(game: &G, indexer: &impl Indexer<G::Position>, games: u64) {
    let sizes = indexer.table_sizes();
    let mut state = indexer.start(&game.start());
    let mut last = game.start();
    random_steps(game, games, |before, m, after| {
        if *before != last {
            state = indexer.start(before);
        }
        state = indexer.advance(before, m, after, &state);
        let scratch = indexer.start(after);
        let indices = indexer.indices(&state);
        assert_eq!(indices, indexer.indices(&scratch), "after {m:?} in {before:?}");
        assert_eq!(indices.len(), sizes.len(), "one table per index");
        assert!(
            indices.iter().zip(&sizes).all(|(&i, &size)| u32::from(i) < size),
            "range in {after:?}"
        );
        last = after.clone();
    });
}

/// Checks that a game's atoms stay in range and move with its symmetries.
///
/// # Panics
/// Where they do not, or the game names none.
pub fn check_atoms<G: Game>(game: &G, games: u64) {
    let atoms = game.atoms().expect("a game that names atoms");
    let (names, ranges, maps) = (atoms.names(), atoms.ranges(), atoms.symmetries());
    let symmetries = game.symmetries();
    assert_eq!(names.len(), ranges.len(), "one range an atom");
    assert_eq!(names.iter().collect::<HashSet<_>>().len(), names.len(), "names differ");
    assert_eq!(maps.len(), symmetries.len(), "one map a symmetry");
    let read = |position: &G::Position| {
        let mut values = vec![u8::MAX; names.len()];
        atoms.write(position, &mut values);
        values
    };
    let read_waiting = |position: &G::Position| {
        let mut values = vec![u8::MAX; names.len()];
        atoms.write_waiting(position, &mut values);
        values
    };
    random_steps(game, games, |before, _, after| {
        let values = read(after);
        let (mut mover, mut waiting) = (read_waiting(before), read(before));
        atoms.changes(before, after, &mut |change| {
            for (view, [old, new]) in [(&mut mover, change.mover), (&mut waiting, change.waiting)] {
                let value = &mut view[usize::from(change.atom)];
                assert_eq!(*value, old, "atom {} before {after:?}", change.atom);
                *value = new;
            }
        });
        assert_eq!(mover, values, "what changed does not lead to {after:?}");
        assert_eq!(waiting, read_waiting(after), "what changed does not lead to {after:?}");
        assert!(values.iter().zip(&ranges).all(|(value, range)| value < range), "{after:?}");
        for (symmetry, map) in symmetries.iter().zip(&maps) {
            let image = read(&(symmetry.position)(after));
            let moved = |i: usize| image[usize::from(map[i])] == values[i];
            assert!((0..values.len()).all(moved), "{} of {after:?}", symmetry.name);
        }
    });
}

/// Checks that an evaluation function keeps its invariants: the value in any
/// window is the full value clamped, the incremental state serves as well as a
/// fresh one, undecided positions have undecided values, and the explanation's
/// terms add up to the value within `tolerance` log-odds.
///
/// # Panics
/// Where it does not.
pub fn check_evaluation<G: Game>(
    game: &G,
    function: &impl Evaluate<G::Position>,
    games: u64,
    tolerance: f64,
) {
    let mut random = rng::stream(3, "conformance windows", 0);
    let mut last = game.start();
    let mut state = function.start(&last);
    random_steps(game, games, |before, m, after| {
        if *before != last {
            state = function.start(before);
        }
        state = function.advance(before, m, after, &state);
        last = after.clone();
        if after.outcome().is_some() {
            return;
        }
        let value = function.value(after, &state, Window::FULL);
        assert_eq!(
            value,
            function.value(after, &function.start(after), Window::FULL),
            "state of {after:?}"
        );
        assert!(!value.is_decisive(), "a value says decided in {after:?}");
        for _ in 0..4 {
            let alpha = Score(value.0 + random.random_range(-3000..3000));
            let window = Window::new(alpha, alpha + random.random_range(1..2000));
            let clamped = function.value(after, &state, window);
            assert_eq!(clamped, window.clamp(value), "{window:?} in {after:?}");
        }
        let explanation = function.explain(after);
        let sum: f64 = explanation.terms.iter().map(|t| t.contribution).sum();
        assert!(
            (sum - explanation.total).abs() <= tolerance,
            "terms of {after:?}: {explanation:?}"
        );
        let shown = Score::from(crate::LogOdds(explanation.total));
        let slack = (tolerance * Score::PER_LOGIT).ceil() as i32 + 1;
        assert!(
            (shown.0 - value.0).abs() <= slack,
            "explained {shown:?}, valued {value:?} in {after:?}"
        );
    });
}
