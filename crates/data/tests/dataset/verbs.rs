//! Taking datasets apart and putting them together loses and changes nothing.

use crate::toy::{Takeaway, files, made, make, plan, takeaway};
use evalsmith_chess::Chess;
use evalsmith_core::{Game, Position, Quiet, Stage};
use evalsmith_data::{
    Amount, DataError, Dataset, Draw, ExportFormat, Import, InputFormat, RecordFormat, SelfPlay,
    Shard, Split, dedupe, draw, export, import, merge, split,
};
use evalsmith_othello::Othello;
use evalsmith_rules::DynGame;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs;
use std::path::Path;

/// Every row with everything owned.
type Line = (u32, u16, u8, Vec<u8>, Option<String>, Option<i16>, Vec<Option<u32>>);

fn lines(dataset: &Dataset) -> Vec<Line> {
    let mut all = Vec::new();
    let names: Vec<String> =
        dataset.manifest().labels.iter().map(|label| label.name.clone()).collect();
    let mut labels = Vec::new();
    for batch in dataset.rows().map(Result::unwrap) {
        for (i, row) in batch.rows().enumerate() {
            batch.labels_of(i, names.iter().map(String::as_str), &mut labels);
            all.push((
                row.game,
                row.ply,
                row.stage.0,
                row.position.to_vec(),
                row.mv.map(str::to_owned),
                row.outcome.map(evalsmith_core::Outcome::margin),
                labels.iter().map(|label| label.map(f32::to_bits)).collect(),
            ));
        }
    }
    all
}

fn games(dataset: &Dataset) -> BTreeSet<u32> {
    lines(dataset).iter().map(|line| line.0).collect()
}

fn open(dir: &Path) -> Dataset {
    Dataset::open(dir).unwrap()
}

fn sample(dataset: &Dataset, amount: Amount, shard: Shard, dir: &Path) -> Dataset {
    let order = Draw { amount, seed: 3, shard, even: None, stages: None };
    draw(dataset, &order, "sample", dir, &Quiet).unwrap();
    open(dir)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]
    #[test]
    fn shards_of_self_play_merge_to_the_whole_run(count in 1_u32..8, turn in 0_usize..8) {
        let (_whole, whole) = made(&plan());
        let dir = tempfile::tempdir().unwrap();
        let mut shards: Vec<Dataset> = (1..=count)
            .map(|number| {
                let folder = dir.path().join(number.to_string());
                let shard = Shard::new(number, count).unwrap();
                make(&SelfPlay { shard, ..plan() }, &folder).unwrap();
                open(&folder)
            })
            .collect();
        shards.rotate_left(turn % count as usize);
        let out = dir.path().join("all");
        let written = merge(&shards, "merge", &out, &Quiet).unwrap();
        let merged = open(&out);
        prop_assert_eq!(lines(&merged), lines(&whole));
        prop_assert_eq!(merged.digest().unwrap(), whole.digest().unwrap());
        let (info, expected) = (merged.info().unwrap(), whole.info().unwrap());
        prop_assert_eq!((written.games, info.wins, info.endings), (23, expected.wins, expected.endings));
    }

    #[test]
    fn a_split_keeps_games_whole_and_merges_back(share in 0.0..1.0_f64, seed: u64) {
        let (_whole, whole) = made(&plan());
        let dir = tempfile::tempdir().unwrap();
        let folders = vec![(dir.path().join("a"), share), (dir.path().join("b"), 1.0 - share)];
        let order = Split { folders, seed, shard: Shard::WHOLE };
        let written = split(&whole, &order, "split", &Quiet).unwrap();
        let parts: Vec<Dataset> = order.folders.iter().map(|(folder, _)| open(folder)).collect();
        prop_assert!(games(&parts[0]).is_disjoint(&games(&parts[1])));
        prop_assert_eq!(written.iter().map(|w| w.games).sum::<u64>(), 23);
        let out = dir.path().join("all");
        merge(&parts, "merge", &out, &Quiet).unwrap();
        prop_assert_eq!(lines(&open(&out)), lines(&whole));
    }
}

/// Several positions of one ply are no contradiction where searches met them.
#[test]
fn stages_of_positions_from_searches_merge_back() {
    let (_whole, whole) = made(&SelfPlay { from_search: 5, depth: 3, ..plan() });
    let all = lines(&whole);
    let ply = |line: &Line| (line.0, line.1);
    assert!(all.windows(2).any(|two| ply(&two[0]) == ply(&two[1]) && two[0].2 != two[1].2));
    let dir = tempfile::tempdir().unwrap();
    let middle = all[all.len() / 2].2;
    let parts = [(0, middle), (middle + 1, u8::MAX), (middle, middle + 1)].map(|(low, high)| {
        let folder = dir.path().join(format!("{low}"));
        let stages = Some([Stage(low), Stage(high)]);
        let order =
            Draw { amount: Amount::Share(1.0), seed: 3, shard: Shard::WHOLE, even: None, stages };
        draw(&whole, &order, "sample", &folder, &Quiet).unwrap();
        open(&folder)
    });
    let out = dir.path().join("all");
    merge(&parts, "merge", &out, &Quiet).unwrap();
    assert_eq!(lines(&open(&out)), all);
}

#[test]
fn a_split_takes_about_its_share_and_depends_on_the_seed() {
    let (_whole, whole) = made(&SelfPlay { games: 2000, games_per_part: 500, ..plan() });
    let dir = tempfile::tempdir().unwrap();
    let first = |seed: u64| {
        let folders = vec![(dir.path().join(format!("{seed}")), 0.25)];
        split(
            &whole,
            &Split { folders: folders.clone(), seed, shard: Shard::WHOLE },
            "split",
            &Quiet,
        )
        .unwrap();
        games(&open(&folders[0].0))
    };
    let (one, two) = (first(1), first(2));
    assert!((400..600).contains(&one.len()) && one != two, "{}", one.len());
}

#[test]
fn samples_are_uniform_and_shards_of_a_sample_are_its_own() {
    let (_whole, whole) = made(&SelfPlay { games: 800, games_per_part: 400, ..plan() });
    let dir = tempfile::tempdir().unwrap();
    let whole_sample = sample(&whole, Amount::Share(0.3), Shard::WHOLE, &dir.path().join("whole"));
    let taken = whole_sample.len() as f64 / whole.len() as f64;
    assert!((0.26..0.34).contains(&taken), "{taken}");
    let shards: Vec<Dataset> = (1..=3)
        .map(|i| {
            let folder = dir.path().join(i.to_string());
            sample(&whole, Amount::Share(0.3), Shard::new(i, 3).unwrap(), &folder)
        })
        .collect();
    let out = dir.path().join("merged");
    merge(&shards, "merge", &out, &Quiet).unwrap();
    assert_eq!(lines(&open(&out)), lines(&whole_sample));

    let exact = sample(&whole, Amount::Positions(777), Shard::WHOLE, &dir.path().join("777"));
    assert_eq!(exact.len(), 777);
    let all: HashSet<Line> = lines(&whole).into_iter().collect();
    assert!(lines(&exact).iter().all(|line| all.contains(line)));
    let more = sample(&whole, Amount::Positions(u64::MAX), Shard::WHOLE, &dir.path().join("more"));
    assert_eq!(more.len(), whole.len());
}

#[test]
fn every_position_stays_once() {
    let (_whole, whole) = made(&plan());
    let dir = tempfile::tempdir().unwrap();
    let written = dedupe(&takeaway(), &whole, "dedupe", dir.path(), &Quiet).unwrap();
    let key = |line: &Line| Takeaway.unpack(&line.3).unwrap().0.key();
    let mut seen = HashSet::new();
    let expected: Vec<Line> =
        lines(&whole).into_iter().filter(|line| seen.insert(key(line))).collect();
    assert_eq!(lines(&open(dir.path())), expected);
    assert!(written.positions < whole.len());
}

#[test]
fn datasets_of_different_runs_follow_one_another() {
    let (_one, one) = made(&plan());
    let (_two, two) = made(&SelfPlay { seed: 6, ..plan() });
    let dir = tempfile::tempdir().unwrap();
    let written = merge(&[one.clone(), two.clone()], "merge", dir.path(), &Quiet).unwrap();
    assert_eq!((written.games, written.positions), (46, one.len() + two.len()));
    let merged = lines(&open(dir.path()));
    let (first, second) = merged.split_at(one.len() as usize);
    assert_eq!(first, lines(&one));
    assert_eq!(second.iter().map(|line| line.0).collect::<BTreeSet<_>>(), (23..46).collect());
}

#[test]
fn what_made_a_dataset_is_told_back_to_the_first_command() {
    let (_one, one) = made(&plan());
    let dir = tempfile::tempdir().unwrap();
    let sampled = sample(&one, Amount::Share(0.5), Shard::WHOLE, &dir.path().join("sample"));
    let out = dir.path().join("dedupe");
    dedupe(&takeaway(), &sampled, "dedupe it", &out, &Quiet).unwrap();
    let info = open(&out).info().unwrap();
    assert_eq!(info.commands, ["evalsmith data generate", "sample", "dedupe it"]);
    let derived = open(&out);
    let input = &derived.manifest().inputs[0];
    assert_eq!(input.digest, Some(sampled.digest().unwrap()));
    assert_eq!(input.inputs[0].digest, Some(one.digest().unwrap()));
}

#[test]
fn a_killed_run_starts_anew_and_a_finished_one_stands() {
    let (_whole, whole) = made(&plan());
    let dir = tempfile::tempdir().unwrap();
    let share = Amount::Share(0.5);
    sample(&whole, share, Shard::WHOLE, dir.path());
    let finished = files(dir.path());
    sample(&whole, share, Shard::WHOLE, dir.path());
    assert_eq!(files(dir.path()), finished);

    // What a kill leaves: a manifest without an end, and half a part.
    let manifest = dir.path().join("dataset.json");
    let text = fs::read_to_string(&manifest).unwrap().replace("\"parts\": 1", "\"parts\": null");
    fs::write(&manifest, text).unwrap();
    fs::write(dir.path().join("part-00000.parquet"), "half").unwrap();
    assert!(matches!(Dataset::open(dir.path()), Err(DataError::NotFinished { .. })));
    sample(&whole, share, Shard::WHOLE, dir.path());
    assert_eq!(files(dir.path()), finished);

    let other = Draw { amount: share, seed: 4, shard: Shard::WHOLE, even: None, stages: None };
    let refused = draw(&whole, &other, "sample", dir.path(), &Quiet);
    assert!(
        matches!(refused, Err(DataError::OtherRun { field, .. }) if field == "configuration.seed")
    );
    let lock = fs::File::create(dir.path().join("dataset.lock")).unwrap();
    lock.lock().unwrap();
    let refused = draw(&whole, &other, "sample", dir.path(), &Quiet);
    assert!(matches!(refused, Err(DataError::Locked { .. })));
}

#[test]
fn samples_of_some_stages_hold_no_others() {
    let (_whole, whole) = made(&plan());
    let stages = Some([Stage(20), Stage(24)]);
    let within = |dataset: &Dataset| {
        let rows = dataset.rows().map(|batch| {
            batch.unwrap().rows().filter(|row| (20..=24).contains(&row.stage.0)).count() as u64
        });
        rows.sum::<u64>()
    };
    let all = within(&whole);
    assert!(all > 8 && all < whole.len());
    for (amount, drawn) in [(Amount::Share(1.0), all), (Amount::Positions(7), 7)] {
        let dir = tempfile::tempdir().unwrap();
        let order = Draw { amount, seed: 1, shard: Shard::WHOLE, even: None, stages };
        draw(&whole, &order, "", dir.path(), &Quiet).unwrap();
        let sample = open(dir.path());
        assert_eq!((sample.len(), within(&sample)), (drawn, drawn));
    }
}

#[test]
fn amounts_and_shares_that_cannot_be_are_refused() {
    let (_whole, whole) = made(&plan());
    let dir = tempfile::tempdir().unwrap();
    let refuse_draw = |amount, shard| {
        let order = Draw { amount, seed: 1, shard, even: None, stages: None };
        matches!(draw(&whole, &order, "", dir.path(), &Quiet), Err(DataError::Plan { .. }))
    };
    assert!(refuse_draw(Amount::Share(1.5), Shard::WHOLE));
    assert!(refuse_draw(Amount::Share(f64::NAN), Shard::WHOLE));
    assert!(refuse_draw(Amount::Positions(5), Shard::new(1, 2).unwrap()));
    let refuse_split = |shares: &[(&str, f64)]| {
        let folders = shares.iter().map(|(name, share)| (dir.path().join(name), *share)).collect();
        let order = Split { folders, seed: 1, shard: Shard::WHOLE };
        matches!(split(&whole, &order, "", &Quiet), Err(DataError::Plan { .. }))
    };
    assert!(refuse_split(&[("a", 0.7), ("b", 0.7)]));
    assert!(refuse_split(&[("a", 0.5), ("a", 0.5)]));
    assert!(refuse_split(&[("a", -0.5)]));
}

/// A file of some Othello openings, and one line that is none.
fn openings(dir: &Path) -> std::path::PathBuf {
    let othello = DynGame::new(Othello::new());
    let opening = |number: usize| {
        let mut position = othello.start();
        let mut text = String::new();
        for ply in 0..12 + number {
            let legal: Vec<_> = position.moves().collect();
            let m = legal[(7 * number + ply) % legal.len()];
            text += &othello.format_move(&position, m);
            position = position.play(m);
        }
        text + "\n"
    };
    let mut lines: Vec<String> = (0..23).map(opening).collect();
    lines.insert(10, "f5 nonsense\n".to_owned());
    let path = dir.join("openings.txt");
    fs::write(&path, lines.concat()).unwrap();
    path
}

#[test]
fn shards_of_an_import_merge_to_the_whole_and_skips_are_counted() {
    let dir = tempfile::tempdir().unwrap();
    let file = openings(dir.path());
    let run = |shard: Shard, strict| {
        let order = Import { files: vec![file.clone()], shard, strict, ..Import::default() };
        let folder = dir.path().join(shard.to_string().replace('/', "-"));
        import(&DynGame::new(Othello::new()), &order, "import", &folder, &Quiet)
            .map(|made| (made, open(&folder)))
    };
    let refused = run(Shard::WHOLE, true).unwrap_err();
    assert!(
        matches!(&refused, DataError::Records(text)
        if text.contains("openings.txt, line 11, record 11") && text.contains("nonsense")),
        "{refused}"
    );
    let (made, whole) = run(Shard::WHOLE, false).unwrap();
    assert_eq!((made.written.games, made.examples.len()), (23, 1));
    assert_eq!(made.skipped, BTreeMap::from([("illegal".to_owned(), 1)]));
    assert_eq!(whole.manifest().skipped, made.skipped);

    let shards: Vec<_> =
        (1..=3).map(|i| run(Shard::new(i, 3).unwrap(), false).unwrap().1).collect();
    let out = dir.path().join("merged");
    merge(&shards, "merge", &out, &Quiet).unwrap();
    assert_eq!(lines(&open(&out)), lines(&whole));
    assert_eq!(open(&out).digest().unwrap(), whole.digest().unwrap());

    let (again, _) = run(Shard::WHOLE, false).unwrap();
    assert!(again.kept && again.written == made.written && again.skipped == made.skipped);
}

#[test]
fn imports_that_cannot_be_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    let run = |name: &str, bytes: &[u8], format| {
        let file = dir.path().join(name);
        fs::write(&file, bytes).unwrap();
        let order = Import { files: vec![file], format, ..Import::default() };
        let out = dir.path().join(format!("{}-bytes", bytes.len()));
        import(&takeaway(), &order, "import", &out, &Quiet).unwrap_err()
    };
    assert!(matches!(run("a.what", b"", None), DataError::Plan { .. }));
    assert!(matches!(run("a.txt", b"", Some(InputFormat::Wthor)), DataError::Plan { .. }));
    assert!(matches!(run("a.txt", b"nonsense\n", None), DataError::Records(_)));
    let empty = run("a.txt", b"", None).to_string();
    assert!(empty.contains("a.txt") && empty.contains("holds no record"), "{empty}");
    let absent = Import { files: vec![dir.path().join("absent.txt")], ..Import::default() };
    let absent = import(&takeaway(), &absent, "import", &out, &Quiet);
    assert!(matches!(absent, Err(DataError::Io { .. })));
}

/// People play on after a threefold repetition, and an import takes all their moves.
#[test]
fn an_export_names_the_move_after_the_end_of_a_game() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("games.pgn");
    fs::write(
        &file,
        "1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 5. e4 1-0\n\n[Event \"b\"]\n\n1. d4 0-1\n",
    )
    .unwrap();
    let (chess, folder) = (DynGame::new(Chess), dir.path().join("dataset"));
    let order = Import { files: vec![file], ..Import::default() };
    import(&chess, &order, "import", &folder, &Quiet).unwrap();
    let (format, out) = (ExportFormat::Record(RecordFormat::Pgn), dir.path().join("out.pgn"));
    let exported = export(&chess, &open(&folder), format, &out, &Quiet).unwrap();
    assert_eq!((exported.written, exported.skipped), (1, 1));
    let example = exported.example.unwrap();
    let reason = "illegal move e4 at ply 8; the rules had ended the game before";
    assert_eq!(example, format!("game 0: {reason}"));
}
