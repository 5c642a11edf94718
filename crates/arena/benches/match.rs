//! What a match costs besides thinking, on one thread: games of Othello between
//! players that take the first legal move, and between depth-1 searches. The
//! items counted are plies in the first table and games in the others, the last of
//! which reads a log back.

use divan::Bencher;
use divan::counter::ItemsCount;
use evalsmith_arena::{
    Adjudication, MatchPlan, MatchResult, Openings, Seat, read_match, run_match,
};
use evalsmith_core::{
    Choice, Evaluate, Explanation, Game, GameRecord, Player, PlayerError, Position, Quiet, Score,
    Term, Trivial, Window,
};
use evalsmith_othello::{Othello, with_best_kernel};
use evalsmith_search::{Limits, SearchPlayer, Searcher};

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

fn play<G: Game>(game: &G, seats: [Seat<'_, G::Position>; 2]) -> MatchResult {
    let plan = MatchPlan {
        pairs: PAIRS,
        seed: 1,
        names: ["a".into(), "b".into()],
        time: [None, None],
        sprt: None,
        adjudication: Adjudication::default(),
        max_faults: 3,
        conditions: serde_json::Value::Null,
    };
    let dir = tempfile::tempdir().expect("a folder for the log");
    let openings = Openings::random(game, 8, PAIRS, 1).expect("enough openings");
    run_match(game, &plan, &openings, seats, &dir.path().join("log"), &Quiet).expect("a match")
}

fn hasty<G: Game>(game: &G) -> MatchResult {
    play(game, [&|| Ok(Box::new(Hasty)), &|| Ok(Box::new(Hasty))])
}

fn shallow<G: Game>(game: &G) -> MatchResult {
    let limits = Limits::depth(1);
    play(
        game,
        [
            &|| {
                Ok(Box::new(SearchPlayer::new(
                    "a",
                    Searcher::new(Mobility, 1 << 16),
                    limits.clone(),
                )))
            },
            &|| {
                Ok(Box::new(SearchPlayer::new(
                    "b",
                    Searcher::new(Trivial, 1 << 16),
                    limits.clone(),
                )))
            },
        ],
    )
}

#[divan::bench]
fn plies_without_thought(bencher: Bencher) {
    let totals = hasty(&Othello::new()).totals;
    let plies = totals.plies - 8 * totals.games;
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

/// A log of many games, read back as a stream. Only its length matters: the same
/// games are written again under new numbers.
#[divan::bench(sample_count = 3)]
fn games_read_from_a_log(bencher: Bencher) {
    const GAMES: u32 = 200_000;
    let dir = tempfile::tempdir().expect("a folder for the log");
    let log = dir.path().join("log");
    let (moves, values) = (["\"f5\""; 52].join(","), ["1234"; 52].join(","));
    let line = |index: u32| {
        format!(
            "{{\"index\":{index},\"opening\":\"f5 d6 c3 d3 c4 f4 f6 g5\",\"first\":{},\
             \"margin\":{},\"points\":1.0,\"plies\":60,\"reason\":\"rules\",\"nodes\":[310,305],\
             \"moves\":[{moves}],\"notes\":{{\"value\":[{values}],\"depth\":[],\"nodes\":[]}}}}\n",
            index % 2,
            index % 40 + 1
        )
    };
    let header = format!(
        "{{\"match_log\":2,\"game\":\"othello\",\"plan\":{{\"pairs\":{},\"seed\":1,\
         \"names\":[\"a\",\"b\"],\"max_faults\":3,\"conditions\":null}}}}\n",
        GAMES / 2
    );
    let text = header + &(0..GAMES).map(line).collect::<String>();
    std::fs::write(&log, text).expect("written");
    bencher
        .counter(ItemsCount::new(GAMES))
        .bench(|| read_match(&log).expect("a log").1.totals.games);
}
