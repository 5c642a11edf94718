//! What a match costs besides thinking, on one thread: games of Othello between outside
//! players that take the first legal move, and between depth-1 searches; and what its
//! openings cost. The items counted are plies in the first table, games or openings in
//! the others, the last of which reads a log back.

use divan::Bencher;
use divan::counter::ItemsCount;
use evalsmith_arena::{
    Adjudication, MatchPlan, MatchResult, MatchSeat, Openings, Seat, read_match, run_match,
};
use evalsmith_core::{Choice, Player, PlayerError, Position, Quiet};
use evalsmith_othello::with_best_kernel;
use evalsmith_rules::{DynFunction, DynGame, MoveId, Pos, Record};
use evalsmith_search::Limits;

const PAIRS: u32 = 500;

fn main() {
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global().expect("the first pool");
    divan::main();
}

/// Takes the first legal move.
struct Hasty;

impl Player<Pos> for Hasty {
    fn name(&self) -> &'static str {
        "hasty"
    }
    fn choose(&mut self, game: &Record) -> Result<Choice<MoveId>, PlayerError> {
        Ok(Choice::blind(game.position().moves().next().expect("the game goes on")))
    }
}

fn othello() -> DynGame {
    with_best_kernel(DynGame::new, DynGame::new)
}

fn play(game: &DynGame, seats: [Seat<'_>; 2]) -> MatchResult {
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

fn hasty(game: &DynGame) -> MatchResult {
    let seat: Seat<'_> = &|| Ok(MatchSeat::Outside(Box::new(Hasty)));
    play(game, [seat, seat])
}

fn shallow(game: &DynGame) -> MatchResult {
    let seat = |name: &str, function: &DynFunction| MatchSeat::Search {
        name: name.to_owned(),
        function: function.clone(),
        limits: Limits::depth(1),
        table_bytes: 1 << 16,
    };
    let (by_hand, trivial) = (game.function_by_hand().expect("weights"), game.trivial_function());
    play(game, [&|| Ok(seat("a", &by_hand)), &|| Ok(seat("b", &trivial))])
}

#[divan::bench]
fn plies_without_thought(bencher: Bencher) {
    let game = othello();
    let totals = hasty(&game).totals;
    let plies = totals.plies - 8 * totals.games;
    bencher.counter(ItemsCount::new(plies)).bench(|| hasty(&game));
}

#[divan::bench]
fn games_at_depth_one(bencher: Bencher) {
    let game = othello();
    bencher.counter(ItemsCount::new(2 * PAIRS)).bench(|| shallow(&game));
}

#[divan::bench]
fn openings_drawn(bencher: Bencher) {
    let game = othello();
    bencher.counter(ItemsCount::new(10_000_u32)).bench(|| {
        let openings = Openings::random(&game, 8, 10_000, 1).expect("enough openings");
        openings.first(10_000).len()
    });
}

#[divan::bench(sample_count = 10)]
fn openings_enumerated(bencher: Bencher) {
    let game = othello();
    let all = || Openings::enumerated(&game, 7, None, 1, &|_| true).expect("not too many").len();
    bencher.counter(ItemsCount::new(all())).bench(all);
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
