//! Self-play from given openings, between unlike players, and of search positions.

use crate::toy::{HEAP, Heap, Takeaway, files, make, maker, plan, takeaway};
use evalsmith_core::{
    Evaluate, Explanation, Game, GameRecord, Position, Quiet, Score, Side, Window,
};
use evalsmith_data::{Batch, Dataset, Maker, SelfPlay, Setting, generate_with};
use evalsmith_rules::{DynFunction, Pos};

/// Likes to be asked about large or small heaps: takes few or many stones.
#[derive(Clone)]
struct Taste(i32);

impl Evaluate<Heap> for Taste {
    type State = ();
    fn start(&self, _position: &Heap) {}
    fn advance(&self, _before: &Heap, _m: u8, _after: &Heap, _state: &()) {}
    fn value(&self, position: &Heap, _state: &(), window: Window) -> Score {
        // The opponent is to move in what a move leads to.
        window.clamp(Score(-self.0 * i32::from(position.stones)))
    }
    fn explain(&self, _position: &Heap) -> Explanation {
        Explanation { total: 0.0, terms: Vec::new() }
    }
}

impl Taste {
    fn function(self) -> DynFunction {
        DynFunction::of_code(&Takeaway, self)
    }
}

fn rows(dataset: &Dataset) -> Vec<(u32, u16, Heap, Side, bool, Option<String>)> {
    let batches: Vec<_> = dataset.rows().map(Result::unwrap).collect();
    let rows = batches.iter().flat_map(Batch::rows);
    rows.map(|row| {
        let (heap, side) = Takeaway.unpack(row.position).unwrap();
        (row.game, row.ply, heap, side, row.outcome.is_some(), row.mv.map(str::to_owned))
    })
    .collect()
}

#[test]
fn two_functions_change_sides_with_every_game() {
    let dir = tempfile::tempdir().unwrap();
    let (slow, quick) = (Taste(1).function(), Taste(-1).function());
    let setting = Setting { functions: [&slow, &quick], openings: None };
    let plan = SelfPlay { chance: 0.0, solve_at: 0, ..plan() };
    generate_with(&takeaway(), &setting, &plan, &maker(), dir.path(), &Quiet).unwrap();
    for (game, _, heap, side, _, mv) in rows(&Dataset::open(dir.path()).unwrap()) {
        // Near the end a search of one ply sees who wins.
        if heap.stones > 3 {
            let slow_moves = (side == Side::First) == (game % 2 == 0);
            assert_eq!(mv.unwrap(), if slow_moves { "take 1" } else { "take 3" });
        }
    }
}

#[test]
fn games_begin_with_the_openings_given() {
    let dir = tempfile::tempdir().unwrap();
    let opening = |game: u32| {
        let start = Heap { stones: HEAP - 10 - (game % 7) as u8, lead: 0 };
        let mut record = GameRecord::new(Pos::new(start), Side::Second, Takeaway.max_plies());
        let m = takeaway().parse_move(record.position(), "take 2").unwrap();
        record.play(m).unwrap();
        record
    };
    let slow = Taste(1).function();
    let setting = Setting { functions: [&slow; 2], openings: Some(&opening) };
    let openings = Some("seven heaps".to_owned());
    let maker = Maker { openings, ..maker() };
    generate_with(&takeaway(), &setting, &plan(), &maker, dir.path(), &Quiet).unwrap();
    let dataset = Dataset::open(dir.path()).unwrap();
    let rows = rows(&dataset);
    for game in 0..23 {
        let (_, ply, heap, side, ..) = rows.iter().find(|row| row.0 == game).unwrap();
        assert_eq!((*ply, *side, heap.stones), (1, Side::First, HEAP - 12 - (game % 7) as u8));
    }
    assert_eq!(dataset.manifest().configuration["openings"], "seven heaps");
}

#[test]
fn weaker_players_play_some_games_and_chance_alone_says_which() {
    let with = |weaker: f64| {
        let dir = tempfile::tempdir().unwrap();
        let plan = SelfPlay { weaker, depth: 6, chance: 0.0, solve_at: 0, ..plan() };
        make(&plan, dir.path()).unwrap();
        let moves = rows(&Dataset::open(dir.path()).unwrap());
        let game = |index| moves.iter().filter(|row| row.0 == index).cloned().collect::<Vec<_>>();
        (0..23).map(game).collect::<Vec<_>>()
    };
    let (never, sometimes, always) = (with(0.0), with(0.5), with(1.0));
    let differ = |a: &[Vec<_>], b: &[Vec<_>]| a.iter().zip(b).filter(|(a, b)| a != b).count();
    let (some, all) = (differ(&never, &sometimes), differ(&never, &always));
    assert!(0 < some && some < all, "{some} of {all}");
    assert!(sometimes.iter().zip(&never).zip(&always).all(|((s, n), a)| s == n || s == a));
    assert_eq!(sometimes, with(0.5));
}

#[test]
fn positions_of_searches_are_kept_without_result_and_by_the_seed_alone() {
    let plan = SelfPlay { from_search: 5, depth: 3, ..plan() };
    let make_on = |threads| {
        let dir = tempfile::tempdir().unwrap();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| make(&plan, dir.path())).unwrap();
        dir
    };
    let dir = make_on(1);
    assert_eq!(files(dir.path()), files(make_on(3).path()));
    let dataset = Dataset::open(dir.path()).unwrap();
    let rows = rows(&dataset);
    for game in 0..23 {
        let own: Vec<_> = rows.iter().filter(|row| row.0 == game).collect();
        assert!(!own.is_empty() && own.len() <= 10);
        assert!(own.windows(2).all(|pair| pair[0].1 <= pair[1].1));
    }
    for (_, ply, heap, side, told, mv) in rows {
        assert!(!told && mv.is_none() && heap.outcome().is_none());
        assert_eq!(side, Side::First.after(ply.into()));
        // At least one stone a ply has left the heap.
        assert!(u16::from(HEAP - heap.stones) >= ply);
    }
}
