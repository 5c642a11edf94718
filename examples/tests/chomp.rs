//! The bootstrap on Chomp, checked against its solution.

#[path = "../chomp.rs"]
#[expect(dead_code, reason = "the program's main is not called here")]
mod chomp;

use chomp::{Bar, Chomp, plan};
use evalsmith::prelude::*;
use std::collections::HashMap;

/// Whether the side to move wins, for all positions below one.
fn solve(bar: Bar, known: &mut HashMap<Bar, bool>) -> bool {
    if let Some(&wins) = known.get(&bar) {
        return wins;
    }
    // All of them, not only up to the first that wins: the map is to be complete.
    let losing = bar.moves().filter(|&bite| !solve(bar.play(bite), known)).count();
    let wins = losing > 0;
    known.insert(bar, wins);
    wins
}

fn solution() -> HashMap<Bar, bool> {
    let mut known = HashMap::new();
    assert!(solve(Chomp.start(), &mut known), "who steals the strategy wins");
    known
}

#[test]
fn chomp_keeps_the_promises_of_a_game() {
    conformance::Kit::of(Chomp).run();
    conformance::check_features(&Chomp, 50);
}

#[test]
fn all_positions_but_the_empty_bar_are_known() {
    // Paths of a 4 by 5 lattice, less the bar without its poison.
    assert_eq!(solution().len(), 126 - 1);
}

#[test]
fn the_bootstrap_plays_almost_perfectly() {
    let folder = tempfile::tempdir().expect("a folder");
    let plan = BootstrapPlan { match_every: 0, patience: 0, ..plan() };
    let summary =
        bootstrap(&DynGame::new(Chomp), &plan, folder.path(), &Quiet).expect("a bootstrap");
    assert_eq!(summary.best, plan.rounds);
    let path = folder.path().join("model.safetensors");
    let learned = Function::open_file(&Chomp, &path).expect("a function");
    let known = solution();
    let (mut told, mut played, mut won) = (0, 0, 0);
    let mut searcher = Searcher::new(&learned, 0);
    for (bar, &wins) in known.iter().filter(|(bar, _)| bar.outcome().is_none()) {
        let record = GameRecord::new(*bar, Side::First, Chomp.max_plies());
        let value = learned.value(bar, &learned.start(bar), Window::FULL);
        told += usize::from((value > Score(0)) == wins);
        if wins {
            won += 1;
            let best = searcher.fixed_depth(&record, 1).best.expect("a move");
            played += usize::from(!known[&bar.play(best)]);
        }
    }
    let all = known.len() - 1;
    assert!(told * 100 >= all * 97, "{told} of {all} positions are told right");
    assert!(played * 100 >= won * 97, "{played} of {won} won positions are played right");

    // A second run reads what the first left, and finds the same.
    let again = bootstrap(&DynGame::new(Chomp), &plan, folder.path(), &Quiet).expect("a bootstrap");
    assert_eq!(again, summary);
}

#[test]
fn what_decides_nothing_is_told_with_its_remedy() {
    let folder = tempfile::tempdir().expect("a folder");
    let told = |plan: BootstrapPlan| {
        let error = bootstrap(&DynGame::new(Chomp), &plan, folder.path(), &Quiet)
            .expect_err("nothing to learn");
        error.to_string()
    };
    let none = told(BootstrapPlan { rounds: 0, ..plan() });
    assert!(none.contains("--rounds"), "{none}");
    let shallow = told(BootstrapPlan { label_depth: 0, ..plan() });
    assert!(shallow.contains("--label-depth"), "{shallow}");
    let one_game = told(BootstrapPlan { games: 1, holdout: 0.0, match_every: 0, ..plan() });
    assert!(
        one_game.contains("test set is empty") || one_game.contains("no examples"),
        "{one_game}"
    );
}
