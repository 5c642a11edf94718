//! Labels beside the result, and what a killed labelling leaves.

use crate::toy::{Heap, Takeaway, files, made, plan, takeaway, trivial};
use evalsmith_core::{Game, GameRecord, Position, Progress, Quiet, Side, Stage, Trivial};
use evalsmith_data::{
    Amount, DataError, Dataset, Draw, How, LabelOrder, Labels, NearlyEven, SelfPlay, Shard,
    agreement, draw, label,
};
use evalsmith_search::Searcher;
use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

fn order(how: How) -> LabelOrder {
    let function = "trivial".to_owned();
    LabelOrder { name: "new".to_owned(), how, successors: false, shard: Shard::WHOLE, function }
}

fn run(data: &Dataset, order: &LabelOrder, dir: &Path) -> Result<Labels, DataError> {
    watched(data, order, dir, &Quiet)
}

fn watched(
    data: &Dataset,
    order: &LabelOrder,
    dir: &Path,
    progress: &dyn Progress,
) -> Result<Labels, DataError> {
    label(&takeaway(), &trivial(), data, order, "evalsmith data label", dir, progress)
}

/// A row: game, ply, heap, side, margin and label.
type Told = (u32, u16, Heap, Side, Option<i16>, Option<f32>);

fn rows(data: &Dataset) -> Vec<Told> {
    let mut rows = Vec::new();
    for batch in data.rows() {
        let batch = batch.unwrap();
        let labels: Vec<_> = match batch.label("new") {
            Some(labels) => labels.collect(),
            None => vec![None; batch.len()],
        };
        for (row, label) in batch.rows().zip(labels) {
            let (heap, side) = Takeaway.unpack(row.position).unwrap();
            let margin = row.outcome.map(evalsmith_core::Outcome::margin);
            rows.push((row.game, row.ply, heap, side, margin, label));
        }
    }
    rows
}

fn labelled(data: &Dataset, order: &LabelOrder) -> (Vec<Told>, Labels) {
    let dir = tempfile::tempdir().unwrap();
    let labels = run(data, order, dir.path()).unwrap();
    let made = Dataset::open(dir.path()).unwrap();
    assert_eq!(made.len(), labels.written.positions);
    (rows(&made), labels)
}

/// Of heaps small enough for the toy's solver, which remembers nothing.
fn solved(heap: Heap) -> i16 {
    Takeaway.solver().unwrap().solve(&heap).outcome.margin()
}

#[test]
fn rows_stay_as_they_are() {
    let (_dir, data) = made(&plan());
    let (new, labels) = labelled(&data, &order(How::Search { depth: 1, stages: None }));
    let bare = |rows: Vec<Told>| rows.into_iter().map(|(a, b, c, d, e, _)| (a, b, c, d, e));
    assert!(bare(new).eq(bare(rows(&data))));
    assert_eq!((labels.labelled, labels.written.games), (data.len(), 23));
}

#[test]
fn exact_labels_are_the_solver_s_and_only_near_the_end() {
    let (_dir, data) = made(&plan());
    let (margins, labels) = labelled(&data, &order(How::Exact { moves_left: 9 }));
    let (verdicts, _) = labelled(&data, &order(How::Verdict { moves_left: 9 }));
    for ((_, _, heap, _, _, label), (.., verdict)) in margins.iter().zip(&verdicts) {
        let expected = (heap.stones <= 9).then(|| f32::from(solved(*heap)));
        assert_eq!(*label, expected);
        assert_eq!(*verdict, (heap.stones <= 9).then(|| f32::from(solved(*heap).signum())));
    }
    let near = margins.iter().filter(|(_, _, heap, ..)| heap.stones <= 9).count();
    assert_eq!(labels.labelled, near as u64);
    assert!(near > 0 && near < margins.len());
}

#[test]
fn a_search_labels_the_stages_asked_for_and_no_others() {
    let (_dir, data) = made(&plan());
    let all = labelled(&data, &order(How::Search { depth: 2, stages: None })).0;
    let stages = Some([Stage(5), Stage(9)]);
    let (some, labels) = labelled(&data, &order(How::Search { depth: 2, stages }));
    let mut found = 0;
    for ((_, _, heap, _, _, one), (.., other)) in some.iter().zip(&all) {
        let asked = (5..=9).contains(&heap.stage().0);
        assert_eq!(*one, other.filter(|_| asked));
        found += u64::from(one.is_some());
    }
    assert_eq!(labels.labelled, found);
    assert!(found > 0 && found < data.len());
    let turned = How::Search { depth: 2, stages: Some([Stage(9), Stage(5)]) };
    let dir = tempfile::tempdir().unwrap();
    let made = label(&takeaway(), &trivial(), &data, &order(turned), "test", dir.path(), &Quiet);
    assert!(made.unwrap_err().to_string().contains("first stage before the last"));
}

#[test]
fn searched_labels_are_those_of_a_search_and_successors_negate_them() {
    let (_dir, data) = made(&plan());
    let plain = order(How::Search { depth: 4, stages: None });
    let (rows, _) = labelled(&data, &plain);
    for (_, _, heap, side, _, label) in &rows {
        let record = GameRecord::new(*heap, *side, Takeaway.max_plies());
        let value = Searcher::new(Trivial, 0).fixed_depth(&record, 4).value;
        assert_eq!(*label, Some(value.log_odds().0 as f32));
    }
    let (both, labels) = labelled(&data, &LabelOrder { successors: true, ..plain });
    let (own, added): (Vec<_>, Vec<_>) = both.into_iter().partition(|row| row.4.is_some());
    assert_eq!(own, rows);
    assert_eq!(added.len() as u64, labels.successors);
    assert!(added.len() > own.len() / 2);
    for (game, ply, heap, side, _, value) in added {
        let parent = own.iter().find(|(g, p, before, s, _, label)| {
            (*g, *p + 1, s.other(), label.map(|v| -v)) == (game, ply, side, value)
                && before.moves().any(|m| before.play(m) == heap)
        });
        assert!(parent.is_some(), "game {game}, ply {ply}");
    }
}

#[test]
fn a_sure_search_turns_results_that_were_given_away() {
    let (_dir, data) = made(&plan());
    // So deep a search of this game is always sure, unless it is drawn.
    let (rows, _) = labelled(&data, &order(How::Corrected { depth: 30, sure: 3.0 }));
    let mut turned = 0;
    for (_, _, heap, _, margin, label) in rows.iter().filter(|row| row.2.stones <= 12) {
        let truth = solved(*heap).signum();
        if truth != 0 {
            assert_eq!(*label, Some(f32::from(truth)));
            turned += u32::from(margin.unwrap().signum() != truth);
        }
    }
    assert!(turned > 0);
    // A search that sees nothing leaves the results.
    let (blind, _) = labelled(&data, &order(How::Corrected { depth: 1, sure: 1e6 }));
    for (.., margin, label) in blind {
        assert_eq!(label, Some(f32::from(margin.unwrap().signum())));
    }
}

#[test]
fn who_first_had_a_mate_has_won_the_whole_game() {
    let (_dir, data) = made(&plan());
    let nodes = 9;
    let (rows, _) = labelled(&data, &order(How::Mate { nodes }));
    let (mut turned, mut kept) = (0, 0);
    for game in rows.chunk_by(|a, b| a.0 == b.0) {
        let mates = |heap: &Heap| u64::from(heap.stones) <= nodes && solved(*heap) > 0;
        let winner = game.iter().find(|row| mates(&row.2)).map(|row| row.3);
        for (_, _, _, side, margin, label) in game {
            let told = f32::from(margin.unwrap().signum());
            let expected = winner.map_or(told, |w| if w == *side { 1.0 } else { -1.0 });
            assert_eq!(*label, Some(expected));
            turned += u32::from(told != expected);
            kept += u32::from(told == expected);
        }
    }
    assert!(turned > 0 && kept > 0, "{turned} turned, {kept} kept");
}

#[test]
fn the_tree_of_all_games_knows_the_best_that_was_found() {
    let (_dir, data) = made(&plan());
    let (told, labels) = labelled(&data, &order(How::GameTree { exact: None }));
    let mut followers: HashMap<Heap, Vec<(Option<Heap>, i16)>> = HashMap::new();
    for (i, (game, ply, heap, _, margin, _)) in told.iter().enumerate() {
        let next = told.get(i + 1).filter(|next| (next.0, next.1) == (*game, ply + 1));
        let follower = (next.map(|next| next.2), margin.unwrap());
        followers.entry(*heap).or_default().push(follower);
    }
    // Stones only leave the heap: small heaps first.
    let mut heaps: Vec<_> = followers.keys().copied().collect();
    heaps.sort_by_key(|heap| heap.stones);
    let mut values: HashMap<Heap, i16> = HashMap::new();
    for heap in heaps {
        let best = followers[&heap].iter().map(|(next, margin)| match next {
            Some(next) => -values[next],
            None => *margin,
        });
        values.insert(heap, best.max().unwrap());
    }
    for (_, _, heap, _, _, label) in &told {
        assert_eq!(*label, Some(f32::from(values[heap])));
    }
    assert_eq!(labels.nodes, Some(followers.len() as u64));
}

#[test]
fn trees_of_more_games_agree_better_with_the_truth_than_results_do() {
    let (_dir, data) = made(&SelfPlay { games: 400, games_per_part: 100, ..plan() });
    let exact = tempfile::tempdir().unwrap();
    let truth = LabelOrder { name: "truth".to_owned(), ..order(How::Exact { moves_left: 14 }) };
    run(&data, &truth, exact.path()).unwrap();
    let with_truth = Dataset::open(exact.path()).unwrap();
    let dir = tempfile::tempdir().unwrap();
    run(&with_truth, &order(How::GameTree { exact: None }), dir.path()).unwrap();
    let both = Dataset::open(dir.path()).unwrap();
    let agreed = agreement(&both, "new", Some("truth")).unwrap();
    assert!(agreed.compared > 1000 && agreed.rows == both.len());
    assert!(agreed.changed > 0 && agreed.label > agreed.result, "{agreed:?}");
    assert!(agreement(&both, "newer", None).is_err());
}

#[test]
fn even_positions_are_drawn_on_purpose() {
    let (_dir, data) = made(&plan());
    let labelled = tempfile::tempdir().unwrap();
    run(&data, &order(How::Exact { moves_left: 12 }), labelled.path()).unwrap();
    let labelled = Dataset::open(labelled.path()).unwrap();
    let even = |label: &str, most| Some(NearlyEven { label: label.to_owned(), most });
    let draw_by = |amount, even| {
        let dir = tempfile::tempdir().unwrap();
        let order = Draw { amount, seed: 1, shard: Shard::WHOLE, even, stages: None };
        let written = draw(&labelled, &order, "evalsmith data sample", dir.path(), &Quiet)?;
        Ok::<_, DataError>((rows(&Dataset::open(dir.path())?), written.positions))
    };
    let is_even = |row: &&Told| row.5.is_some_and(|value| value.abs() <= 1.0);
    let expected: Vec<_> = rows(&labelled).iter().filter(is_even).copied().collect();
    assert!(expected.len() > 5 && (expected.len() as u64) < labelled.len());
    assert_eq!(draw_by(Amount::Share(1.0), even("new", 1.0)).unwrap().0, expected);
    let (some, count) = draw_by(Amount::Positions(5), even("new", 1.0)).unwrap();
    assert!(count == 5 && some.iter().all(|row| expected.contains(row)));
    for bad in [even("absent", 1.0), even("new", -1.0), even("new", f32::NAN)] {
        assert!(matches!(draw_by(Amount::Share(1.0), bad), Err(DataError::Plan { .. })));
    }
}

#[test]
fn orders_that_make_no_sense_are_refused() {
    let (_dir, data) = made(&plan());
    let plain = order(How::GameTree { exact: None });
    let half = Shard::new(1, 2).unwrap();
    let bad = [
        LabelOrder { name: "search".to_owned(), ..plain.clone() },
        LabelOrder { name: "a b".to_owned(), ..plain.clone() },
        LabelOrder { shard: half, ..plain.clone() },
        LabelOrder { successors: true, ..plain },
        order(How::GameTree { exact: Some("absent".to_owned()) }),
        order(How::Search { depth: 0, stages: None }),
        order(How::Corrected { depth: 2, sure: 0.0 }),
        order(How::Mate { nodes: 0 }),
    ];
    for order in bad {
        let dir = tempfile::tempdir().unwrap();
        let error = run(&data, &order, dir.path()).unwrap_err();
        assert!(matches!(error, DataError::Plan { .. }), "{order:?}: {error}");
        assert_eq!(files(dir.path()).len(), 0);
    }
}

#[test]
fn shards_are_the_whole_together() {
    let (_dir, data) = made(&plan());
    let whole = order(How::Search { depth: 2, stages: None });
    let mut together = Vec::new();
    for number in 1..=3 {
        let shard = Shard::new(number, 3).unwrap();
        together.extend(labelled(&data, &LabelOrder { shard, ..whole.clone() }).0);
    }
    together.sort_by_key(|row| (row.0, row.1));
    assert_eq!(together, labelled(&data, &whole).0);
}

/// Stops after some rows.
struct Stop(u64, AtomicU64);

impl Progress for Stop {
    fn begin(&self, _task: &str, _total: u64, _unit: &'static str) {}
    fn advance(&self, amount: u64) {
        self.1.fetch_add(amount, Ordering::Relaxed);
    }
    fn note(&self, _message: &str) {}
    fn end(&self) {}
    fn stopped(&self) -> bool {
        self.1.load(Ordering::Relaxed) >= self.0
    }
}

#[test]
fn a_stopped_run_goes_on_and_ends_with_the_same_bytes() {
    let (_dir, data) = made(&SelfPlay { games: 2500, games_per_part: 500, ..plan() });
    let order = LabelOrder { successors: true, ..order(How::Search { depth: 2, stages: None }) };
    let undisturbed = tempfile::tempdir().unwrap();
    let whole = run(&data, &order, undisturbed.path()).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let stop = Stop(12_000, AtomicU64::new(0));
    let error = watched(&data, &order, dir.path(), &stop).unwrap_err();
    assert!(matches!(error, DataError::Stopped { .. }), "{error}");
    assert!(Dataset::open(dir.path()).is_err());
    let finished = files(dir.path()).len() - 1;
    assert!(finished > 0);
    let labels = run(&data, &order, dir.path()).unwrap();
    assert!(whole.successors > 0);
    assert_eq!(labels, Labels { kept: finished, ..whole });
    assert_eq!(files(dir.path()), files(undisturbed.path()));
    let again = run(&data, &order, dir.path()).unwrap();
    assert_eq!(again.written, labels.written);
}
