//! What a match costs besides thinking, on one thread: games of Othello between
//! players that take the first legal move, and between depth-1 searches. The
//! items counted are plies in the first table and games in the second.

use divan::Bencher;
use divan::counter::ItemsCount;
use evalsmith_arena::{MatchPlan, MatchResult, Seat, run_match};
use evalsmith_core::{
    Choice, Evaluate, Explanation, Game, GameRecord, Player, PlayerError, Position, Quiet, Score,
    Term, Trivial, Window,
};
use evalsmith_othello::{Othello, with_best_kernel};
use evalsmith_search::{Limits, SearchPlayer};

const PAIRS: u32 = 500;

fn main() {
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global().expect("the first pool");
    divan::main();
}

/// Takes the first legal move.
struct Hasty;

impl<P: Position> Player<P> for Hasty {
    fn name(&self) -> &'static str {
        "hasty"
    }
    fn choose(&mut self, game: &GameRecord<P>) -> Result<Choice<P::Move>, PlayerError> {
        Ok(Choice::blind(game.position().moves().next().expect("the game goes on")))
    }
}

/// Counts the moves of the side to move.
#[derive(Clone)]
struct Mobility;

impl<P: Position> Evaluate<P> for Mobility {
    type State = ();
    fn start(&self, _: &P) {}
    fn advance(&self, _: &P, _: P::Move, _: &P, (): &()) {}
    fn value(&self, position: &P, (): &(), window: Window) -> Score {
        window.clamp(Score(100 * position.move_count() as i32))
    }
    fn explain(&self, position: &P) -> Explanation {
        let moves = position.move_count() as f64;
        let term = Term {
            name: "moves".into(),
            feature: Some(moves),
            weight: Some(0.1),
            contribution: 0.1 * moves,
        };
        Explanation { total: term.contribution, terms: vec![term] }
    }
}

fn play<G: Game>(game: &G, players: &[Seat<'_, G::Position>; 2]) -> MatchResult {
    let plan = MatchPlan {
        pairs: PAIRS,
        opening_plies: 8,
        seed: 1,
        names: ["a".into(), "b".into()],
        conditions: serde_json::Value::Null,
    };
    let dir = tempfile::tempdir().expect("a folder for the log");
    run_match(game, &plan, players, &dir.path().join("log"), &Quiet).expect("a whole match")
}

fn hasty<G: Game>(game: &G) -> MatchResult {
    play(game, &[&|| Box::new(Hasty), &|| Box::new(Hasty)])
}

fn shallow<G: Game>(game: &G) -> MatchResult {
    let limits = Limits::depth(1);
    play(
        game,
        &[&|| Box::new(SearchPlayer::new("a", Mobility, limits.clone(), 1 << 16)), &|| {
            Box::new(SearchPlayer::new("b", Trivial, limits.clone(), 1 << 16))
        }],
    )
}

#[divan::bench]
fn plies_without_thought(bencher: Bencher) {
    let games = hasty(&Othello::new()).games;
    let plies: usize = games.iter().map(|game| game.moves.len()).sum();
    bencher
        .counter(ItemsCount::new(plies))
        .bench(|| with_best_kernel(|game| hasty(&game), |game| hasty(&game)));
}

#[divan::bench]
fn games_at_depth_one(bencher: Bencher) {
    bencher
        .counter(ItemsCount::new(2 * PAIRS))
        .bench(|| with_best_kernel(|game| shallow(&game), |game| shallow(&game)));
}
