//! Whatever befalls a run, the same command ends with the same bytes.

use crate::toy::{files, made, make, make_watched, maker, plan, takeaway, trivial};
use evalsmith_core::{Progress, Quiet};
use evalsmith_data::{DataError, Dataset, Maker, SelfPlay, generate};
use proptest::prelude::*;
use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// What a kill or an accident does to one part.
#[derive(Clone, Debug)]
enum Mishap {
    None,
    Deleted,
    Truncated(prop::sample::Index),
    Flipped(prop::sample::Index),
    Foreign,
    Temporary,
}

fn mishap() -> impl Strategy<Value = Mishap> {
    prop_oneof![
        3 => Just(Mishap::None),
        2 => Just(Mishap::Deleted),
        1 => any::<prop::sample::Index>().prop_map(Mishap::Truncated),
        1 => any::<prop::sample::Index>().prop_map(Mishap::Flipped),
        1 => Just(Mishap::Foreign),
        2 => Just(Mishap::Temporary),
    ]
}

fn befall(mishap: &Mishap, part: &Path) {
    let bytes = fs::read(part).unwrap();
    match mishap {
        Mishap::None => {}
        Mishap::Deleted => fs::remove_file(part).unwrap(),
        Mishap::Truncated(at) => fs::write(part, &bytes[..at.index(bytes.len())]).unwrap(),
        Mishap::Flipped(at) => {
            let mut bytes = bytes;
            let at = at.index(bytes.len());
            bytes[at] ^= 0x20;
            fs::write(part, bytes).unwrap();
        }
        Mishap::Foreign => fs::write(part, b"PAR1 somebody else's table PAR1").unwrap(),
        Mishap::Temporary => {
            fs::write(part.with_extension("parquet.77-0.tmp"), &bytes[..40]).unwrap();
            fs::remove_file(part).unwrap();
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn a_resumed_run_equals_an_undisturbed_one(mishaps in prop::collection::vec(mishap(), 6)) {
        let (undisturbed, dataset) = made(&plan());
        let (dir, _) = made(&plan());
        for (index, mishap) in mishaps.iter().enumerate() {
            befall(mishap, &dir.path().join(format!("part-{index:05}.parquet")));
        }
        let kept = mishaps.iter().filter(|m| matches!(m, Mishap::None)).count();
        let generated = make(&plan(), dir.path()).unwrap();
        prop_assert_eq!(generated.kept, kept);
        prop_assert_eq!(generated.positions, dataset.len());
        prop_assert_eq!(generated.games, 23);
        prop_assert_eq!(files(dir.path()), files(undisturbed.path()));
    }
}

/// Stops after some games and keeps what it was told.
#[derive(Default)]
struct Watch {
    stop_after: Option<u64>,
    advanced: AtomicU64,
    begun: Mutex<Vec<(u64, &'static str)>>,
    ended: AtomicU64,
}

impl Progress for Watch {
    fn begin(&self, _task: &str, total: u64, unit: &'static str) {
        self.begun.lock().unwrap().push((total, unit));
    }
    fn advance(&self, amount: u64) {
        self.advanced.fetch_add(amount, Ordering::Relaxed);
    }
    fn note(&self, _message: &str) {}
    fn end(&self) {
        self.ended.fetch_add(1, Ordering::Relaxed);
    }
    fn stopped(&self) -> bool {
        self.stop_after.is_some_and(|games| self.advanced.load(Ordering::Relaxed) >= games)
    }
}

#[test]
fn a_stopped_run_keeps_its_parts_and_goes_on() {
    let plan = SelfPlay { games: 500, games_per_part: 100, ..plan() };
    let (undisturbed, _) = made(&plan);
    let dir = tempfile::tempdir().unwrap();
    let watch = Watch { stop_after: Some(250), ..Watch::default() };
    let error = make_watched(&plan, dir.path(), &watch).unwrap_err();
    let DataError::Stopped { done, total: 500 } = error else { panic!("{error}") };
    assert!(done > 0 && done % 100 == 0 && done <= 250, "{done}");
    assert_eq!(watch.ended.load(Ordering::Relaxed), 1);
    assert_eq!(files(dir.path()).len() as u64, done / 100 + 1);
    assert!(matches!(
        Dataset::open(dir.path()),
        Err(DataError::Unfinished { planned: 5, found, .. }) if found as u64 == done / 100
    ));

    let watch = Watch::default();
    let generated = make_watched(&plan, dir.path(), &watch).unwrap();
    assert_eq!(generated.kept as u64, done / 100);
    assert_eq!(watch.advanced.load(Ordering::Relaxed), 500);
    assert_eq!(*watch.begun.lock().unwrap(), [(500, "games")]);
    assert_eq!(files(dir.path()), files(undisturbed.path()));
}

#[test]
fn another_run_is_told_what_differs() {
    let (dir, _) = made(&plan());
    let before = files(dir.path());
    let others = [
        ("configuration.seed", SelfPlay { seed: 6, ..plan() }),
        ("configuration.games", SelfPlay { games: 24, ..plan() }),
        ("configuration.depth", SelfPlay { depth: 2, ..plan() }),
        ("configuration.chance", SelfPlay { chance: 0.25, ..plan() }),
    ];
    for (differing, other) in others {
        match make(&other, dir.path()) {
            Err(DataError::OtherRun { field, .. }) => assert_eq!(field, differing),
            result => panic!("{differing}: {result:?}"),
        }
    }
    let other = Maker { function: "other".to_owned(), ..maker() };
    let result = generate(&takeaway(), &trivial(), &plan(), &other, dir.path(), &Quiet);
    assert!(
        matches!(result, Err(DataError::OtherRun { field, .. }) if field == "configuration.function")
    );

    let same = Maker { command: "another way to say it".to_owned(), ..maker() };
    generate(&takeaway(), &trivial(), &plan(), &same, dir.path(), &Quiet).unwrap();
    assert_eq!(files(dir.path()), before);
}

#[test]
fn a_folder_of_somebody_else_is_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("thesis.tex"), "years of work").unwrap();
    let error = make(&plan(), dir.path()).unwrap_err();
    assert!(matches!(&error, DataError::NotEmpty { example, .. } if example == "thesis.tex"));
    assert_eq!(files(dir.path()).len(), 1);
    assert!(!dir.path().join("dataset.lock").exists());
}

#[test]
fn a_kill_before_the_manifest_is_no_obstacle() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("dataset.lock"), "").unwrap();
    fs::write(dir.path().join("dataset.json.7-0.tmp"), "{\"form").unwrap();
    make(&plan(), dir.path()).unwrap();
    assert_eq!(files(dir.path()), files(made(&plan()).0.path()));
}

#[test]
fn two_runs_at_once_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let lock = fs::File::create(dir.path().join("dataset.lock")).unwrap();
    lock.lock().unwrap();
    assert!(matches!(make(&plan(), dir.path()), Err(DataError::Locked { .. })));
    drop(lock);
    make(&plan(), dir.path()).unwrap();
}

#[test]
fn plans_that_cannot_be_are_refused_before_anything_is_written() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    let bad = [
        ("games", SelfPlay { games: 0, ..plan() }),
        ("chance", SelfPlay { chance: 1.5, ..plan() }),
        ("chance", SelfPlay { chance: f64::NAN, ..plan() }),
        ("depth", SelfPlay { depth: 0, ..plan() }),
        ("games_per_part", SelfPlay { games_per_part: 0, ..plan() }),
    ];
    for (wrong, plan) in bad {
        match make(&plan, &out) {
            Err(DataError::Plan { field, .. }) => assert_eq!(field, wrong),
            result => panic!("{wrong}: {result:?}"),
        }
        assert!(!out.exists(), "{wrong}");
    }
    let too_long = SelfPlay { opening_plies: 31, ..plan() };
    let result = make(&too_long, &out);
    assert!(matches!(result, Err(DataError::Plan { field: "opening_plies", .. })), "{result:?}");
}

#[test]
fn an_opening_that_ends_the_game_is_drawn_anew() {
    // Half of the random games are over after 15 plies.
    let plan = SelfPlay { opening_plies: 15, solve_at: 0, ..plan() };
    let (_dir, dataset) = made(&plan);
    let games: std::collections::HashSet<u32> = dataset
        .rows()
        .flat_map(|b| b.unwrap().rows().map(|r| r.game).collect::<Vec<_>>())
        .collect();
    assert_eq!(games.len(), 23);
}

const OUT: &str = "EVALSMITH_DATA_TEST_OUT";

fn long_plan() -> SelfPlay {
    SelfPlay { games: 3000, games_per_part: 100, ..plan() }
}

/// The run that is killed: a process of its own, started by the test below.
#[test]
fn run_to_be_killed() {
    if let Some(out) = std::env::var_os(OUT) {
        make(&long_plan(), Path::new(&out)).unwrap();
    }
}

#[test]
fn a_killed_process_leaves_whole_parts_and_no_lock() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    for parts in [1, 4] {
        let mut child = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["resume::run_to_be_killed", "--exact"])
            .env(OUT, &out)
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
        let enough = out.join(format!("part-{parts:05}.parquet"));
        while !enough.exists() && child.try_wait().unwrap().is_none() {
            std::thread::yield_now();
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let generated = make(&long_plan(), &out).unwrap();
    assert!(generated.kept >= 5, "{}", generated.kept);
    assert_eq!(files(&out), files(made(&long_plan()).0.path()));
}
