//! Damaged and foreign files are errors that say so, never panics and never data.

use crate::toy::{HEAP, files, made, plan};
use arrow_array::{ArrayRef, Int64Array, RecordBatch};
use evalsmith_core::{Features, Game, Malformed, Quiet, Side};
use evalsmith_data::{DataError, Dataset, SelfPlay, features};
use evalsmith_rules::DynGame;
use parquet::arrow::ArrowWriter;
use proptest::prelude::*;
use std::fs;
use std::sync::{Arc, OnceLock};

/// A manifest and its only part, made once.
fn small() -> &'static [(String, Vec<u8>)] {
    static SMALL: OnceLock<Vec<(String, Vec<u8>)>> = OnceLock::new();
    SMALL.get_or_init(|| files(made(&SelfPlay { games: 2, ..plan() }).0.path()))
}

/// The small dataset with one file changed.
fn opened_with(name: &str, change: impl FnOnce(&mut Vec<u8>)) -> Result<Dataset, DataError> {
    let dir = tempfile::tempdir().unwrap();
    let mut files = small().to_vec();
    change(&mut files.iter_mut().find(|(known, _)| known == name).unwrap().1);
    for (name, bytes) in files {
        fs::write(dir.path().join(name), bytes).unwrap();
    }
    Dataset::open(dir.path())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]
    #[test]
    fn a_flipped_bit_or_a_lost_tail_anywhere_is_found(
        at: prop::sample::Index, bit in 0_u8..8, truncate: bool
    ) {
        let change = |bytes: &mut Vec<u8>| {
            let at = at.index(bytes.len());
            if truncate { bytes.truncate(at) } else { bytes[at] ^= 1 << bit }
        };
        let error = opened_with("part-00000.parquet", change).unwrap_err();
        prop_assert!(
            matches!(
                error,
                DataError::NotParquet { .. } | DataError::Damaged { .. } | DataError::Foreign { .. }
            ),
            "{error}"
        );
        prop_assert!(error.to_string().contains("part-00000.parquet"), "{error}");
    }

    #[test]
    fn any_bytes_as_a_manifest_are_refused(bytes: Vec<u8>) {
        let opened = opened_with("dataset.json", |manifest| *manifest = bytes);
        let refused = matches!(opened, Err(DataError::Manifest { .. }));
        prop_assert!(refused);
    }
}

#[test]
fn the_small_dataset_is_whole_unless_changed() {
    assert_eq!(small().len(), 2);
    assert_eq!(opened_with("dataset.json", |_| ()).unwrap().parts(), 1);
}

#[test]
fn an_edited_manifest_is_noticed() {
    let (dir, _) = made(&plan());
    let path = dir.path().join("dataset.json");
    let text = fs::read_to_string(&path).unwrap();
    let edit = |from: &str, to: &str| {
        assert!(text.contains(from), "{text}");
        fs::write(&path, text.replace(from, to)).unwrap();
        Dataset::open(dir.path()).unwrap_err()
    };
    assert!(matches!(edit("\"seed\": 5", "\"seed\": 6"), DataError::Manifest { .. }));
    assert!(matches!(
        edit("\"games_per_part\": 4", "\"games_per_part\": 0"),
        DataError::Manifest { .. }
    ));
    let newer = edit("\"format\": 2", "\"format\": 3");
    assert!(matches!(newer, DataError::Format { found: 3, known: 2, .. }), "{newer}");
}

#[test]
fn a_folder_without_a_manifest_is_no_dataset() {
    let dir = tempfile::tempdir().unwrap();
    for path in [dir.path().to_owned(), dir.path().join("absent")] {
        assert!(matches!(Dataset::open(&path), Err(DataError::NoManifest { .. })));
    }
}

#[test]
fn a_table_of_somebody_else_is_foreign() {
    let (dir, _) = made(&plan());
    let path = dir.path().join("part-00002.parquet");
    let column: ArrayRef = Arc::new(Int64Array::from(vec![1, 2, 3]));
    let table = RecordBatch::try_from_iter([("game", column)]).unwrap();
    let mut writer = ArrowWriter::try_new(Vec::new(), table.schema(), None).unwrap();
    writer.write(&table).unwrap();
    fs::write(&path, writer.into_inner().unwrap()).unwrap();
    let error = Dataset::open(dir.path()).unwrap_err();
    assert!(matches!(error, DataError::Foreign { .. }), "{error}");
}

#[test]
fn parts_of_other_runs_and_swapped_parts_are_foreign() {
    let (dir, _) = made(&plan());
    let (other, _) = made(&SelfPlay { seed: 6, ..plan() });
    let part = |index: usize| files(dir.path())[index + 1].clone();
    assert_eq!(part(0).0, "part-00000.parquet");
    fs::copy(other.path().join("part-00000.parquet"), dir.path().join("part-00000.parquet"))
        .unwrap();
    assert!(matches!(Dataset::open(dir.path()), Err(DataError::Foreign { .. })));
    fs::write(dir.path().join("part-00000.parquet"), part(1).1).unwrap();
    assert!(matches!(Dataset::open(dir.path()), Err(DataError::Foreign { .. })));
}

/// Another game on the same heap, whose packed positions nobody can read.
#[derive(Clone)]
struct Otherwise<const SAME_NAME: bool>;

impl<const SAME_NAME: bool> Game for Otherwise<SAME_NAME> {
    type Position = crate::toy::Heap;
    type Features = crate::toy::Stones;
    fn name(&self) -> &'static str {
        if SAME_NAME { "takeaway" } else { "otherwise" }
    }

    fn stages(&self) -> usize {
        HEAP as usize + 1
    }
    fn start(&self) -> Self::Position {
        crate::toy::Heap { stones: HEAP, lead: 0 }
    }
    fn features(&self) -> Self::Features {
        crate::toy::Stones
    }
    fn max_plies(&self) -> usize {
        1
    }
    fn format_move(&self, _: &Self::Position, m: u8) -> String {
        m.to_string()
    }
    fn format(&self, _: &Self::Position, _: Side) -> String {
        Features::names(&crate::toy::Stones).join(" ")
    }
    fn parse(&self, text: &str) -> Result<(Self::Position, Side), Malformed> {
        Err(Malformed::new("position", text, "this game has none"))
    }
}

#[test]
fn positions_of_another_game_are_refused() {
    let (_dir, dataset) = made(&plan());
    let error = features(&DynGame::new(Otherwise::<false>), &dataset, &Quiet).unwrap_err();
    assert!(
        matches!(&error, DataError::WrongGame { found, wanted, .. }
            if found == "takeaway" && wanted == "otherwise"),
        "{error}"
    );
}

#[test]
fn positions_that_the_rules_no_longer_know_are_named() {
    let (_dir, dataset) = made(&plan());
    let error = features(&DynGame::new(Otherwise::<true>), &dataset, &Quiet).unwrap_err();
    assert!(
        matches!(&error, DataError::Position { game: 0, ply: 3, .. }),
        "the first row of the first part: {error}"
    );
}
