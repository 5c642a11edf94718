//! One evaluation by Fig. 7's patterns: from scratch, and after a move; compiled for
//! x86-64-v3, as searches are.

use divan::Bencher;
use divan::counter::ItemsCount;
use evalsmith_core::{Evaluate, Game, Position, Window, rng};
use evalsmith_lab::prelude::{PatternFile, PatternFunction, PatternSource};
use evalsmith_learn::{PatternModel, PatternSet, RoundedGroup, StageGroups, Unit};
use evalsmith_othello::{Board, Kernel, Move, Othello};
use rand::RngExt;
use std::hint::black_box;

fn main() {
    divan::main();
}

/// Weights out of the air: only how many there are matters.
fn function<K: Kernel>(
    game: &Othello<K>,
    patterns: &str,
) -> PatternFunction<<Othello<K> as Game>::Features> {
    let plan = PatternSource::from(patterns.to_owned()).read().expect("a named set");
    let atoms = game.atoms().expect("Othello has squares");
    let (names, ranges) = (atoms.names(), atoms.ranges());
    let set = PatternSet::new(plan.patterns.clone(), &names, &ranges, &atoms.symmetries());
    let weights = plan.weights(&set.expect("its squares exist"));
    let group = |g: usize| -> RoundedGroup {
        let fitted: Vec<f32> = (0..weights).map(|i| ((i * 31 + g) % 101) as f32 - 50.0).collect();
        RoundedGroup::new(&fitted).expect("finite")
    };
    let rounded = (0..13).map(group).collect();
    let groups = StageGroups::new(65, 4, 13).expect("Buro's");
    let unit = Unit::Margin { per_logit: 5.0 };
    let model = PatternModel::new(plan, groups, unit, rounded).expect("a model");
    let file = PatternFile { game: "othello".into(), made_by: serde_json::Value::Null, model };
    PatternFunction::open(game, file).expect("a function")
}

/// Moves of random games, each with the board before and after it.
fn steps<K: Kernel>(game: &Othello<K>) -> Vec<(Board<K>, Move, Board<K>)> {
    let mut steps = Vec::new();
    for index in 0..40 {
        let mut random = rng::stream(9, "bench", index);
        let mut board = game.start();
        while board.outcome().is_none() {
            let moves: Vec<_> = board.moves().collect();
            let m = moves[random.random_range(0..moves.len())];
            let after = board.play(m);
            steps.push((board, m, after));
            board = after;
        }
    }
    steps
}

type Steps<K> = [(Board<K>, Move, Board<K>)];
type Patterns<K> = PatternFunction<<Othello<K> as Game>::Features>;

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn all_from_scratch<K: Kernel>(function: &Patterns<K>, steps: &Steps<K>) {
    for (board, _, _) in steps {
        let state = function.start(board);
        black_box(function.value(board, &state, Window::FULL));
    }
}

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn all_after_a_move<K: Kernel, S>(function: &Patterns<K>, steps: &Steps<K>, states: &[S])
where
    Patterns<K>: Evaluate<Board<K>, State = S>,
{
    for ((before, m, after), state) in steps.iter().zip(states) {
        let state = function.advance(before, *m, after, state);
        black_box(function.value(after, &state, Window::FULL));
    }
}

#[divan::bench(args = ["buro98", "edax"])]
fn from_scratch(bencher: Bencher<'_, '_>, patterns: &str) {
    let game = Othello::detect().expect("an x86-64-v3 machine");
    let (function, steps) = (function(&game, patterns), steps(&game));
    bencher.counter(ItemsCount::new(steps.len())).bench_local(|| {
        // SAFETY: the machine was found to be one above.
        #[expect(unsafe_code, reason = "calls code compiled for the detected processor")]
        unsafe {
            all_from_scratch(&function, &steps);
        }
    });
}

#[divan::bench(args = ["buro98", "edax"])]
fn after_a_move(bencher: Bencher<'_, '_>, patterns: &str) {
    let game = Othello::detect().expect("an x86-64-v3 machine");
    let (function, steps) = (function(&game, patterns), steps(&game));
    let states: Vec<_> = steps.iter().map(|(board, _, _)| function.start(board)).collect();
    bencher.counter(ItemsCount::new(steps.len())).bench_local(|| {
        // SAFETY: the machine was found to be one above.
        #[expect(unsafe_code, reason = "calls code compiled for the detected processor")]
        unsafe {
            all_after_a_move(&function, &steps, &states);
        }
    });
}
