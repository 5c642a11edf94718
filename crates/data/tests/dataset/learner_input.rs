//! Features of rows, their split by game, and their way through Parquet.

use crate::toy::{Takeaway, made, plan, takeaway};
use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use evalsmith_core::{Columns, Game, Progress, Quiet, Side, Stage};
use evalsmith_data::{
    DataError, FeatureTable, SelfPlay, features, read_feature_table, write_feature_table,
};
use parquet::arrow::ArrowWriter;
use proptest::prelude::*;
use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;

#[test]
fn features_follow_the_rows() {
    let (_dir, dataset) = made(&plan());
    let table = features(&takeaway(), &dataset, &Quiet).unwrap();
    assert_eq!(table.columns.names(), ["stones", "lead"]);
    let batches: Vec<_> = dataset.rows().map(Result::unwrap).collect();
    let rows: Vec<_> = batches.iter().flat_map(evalsmith_data::Batch::rows).collect();
    assert_eq!((table.len(), table.columns.rows()), (rows.len(), rows.len()));
    for (i, row) in rows.iter().enumerate() {
        let (position, side) = Takeaway.unpack(row.position).unwrap();
        assert_eq!(table.columns.column(0)[i], f32::from(position.stones));
        assert_eq!(table.columns.column(1)[i], f32::from(position.lead));
        assert_eq!((table.stages[i], table.sides[i], table.games[i]), (row.stage, side, row.game));
        assert_eq!(f64::from(table.points[i]), row.outcome.unwrap().points());
        assert_eq!(table.scores[i], row.outcome.unwrap().margin());
    }
}

/// Stops whatever it watches.
struct Stop;

impl Progress for Stop {
    fn begin(&self, _task: &str, _total: u64, _unit: &'static str) {}
    fn advance(&self, _amount: u64) {}
    fn note(&self, _message: &str) {}
    fn end(&self) {}
    fn stopped(&self) -> bool {
        true
    }
}

#[test]
fn features_stop_when_asked() {
    let (_dir, dataset) = made(&plan());
    let error = features(&takeaway(), &dataset, &Stop).unwrap_err();
    assert!(
        matches!(error, DataError::Stopped { done: 0, total } if total == dataset.len()),
        "{error}"
    );
}

#[test]
fn a_split_parts_games_and_loses_nothing() {
    let (_dir, dataset) = made(&SelfPlay { games: 400, ..plan() });
    let table = features(&takeaway(), &dataset, &Quiet).unwrap();
    let (train, holdout) = table.split(0.25, 3);
    assert_eq!(train.len() + holdout.len(), table.len());
    let games = |table: &FeatureTable| table.games.iter().copied().collect::<HashSet<u32>>();
    assert!(games(&train).is_disjoint(&games(&holdout)));
    assert!((70..130).contains(&games(&holdout).len()), "{}", games(&holdout).len());
    assert_eq!(table.split(0.25, 3), (train.clone(), holdout.clone()));
    assert_ne!(games(&table.split(0.25, 4).1), games(&holdout));
    assert!(table.split(0.0, 3).1.is_empty());
    assert!(table.split(1.0, 3).0.is_empty());

    let (_dir, fewer) = made(&SelfPlay { games: 100, ..plan() });
    let fewer = features(&takeaway(), &fewer, &Quiet).unwrap().split(0.25, 3).1;
    assert!(games(&fewer).is_subset(&games(&holdout)), "later games move no earlier one");
}

prop_compose! {
    fn table()(width in 0_usize..4, rows in prop::collection::vec(
        (any::<u32>(), any::<u8>(), any::<bool>(), 0_u8..3, -64_i16..=64,
         prop::option::of(-9_f32..9.0),
         prop::array::uniform4(prop::num::f32::NORMAL | prop::num::f32::ZERO)), 0..300)
    ) -> FeatureTable {
        let mut table = FeatureTable::new((0..width).map(|i| format!("f {i}")).collect());
        for (game, stage, second, half_points, score, searched, values) in rows {
            table.columns.push(&values[..width]);
            table.games.push(game);
            table.stages.push(Stage(stage));
            table.sides.push(if second { Side::Second } else { Side::First });
            table.points.push(f32::from(half_points) / 2.0);
            table.scores.push(score);
            table.searched.push(searched);
        }
        table
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn tables_round_trip(table in table()) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("table.parquet");
        write_feature_table(&table, &path).unwrap();
        prop_assert_eq!(read_feature_table(&path).unwrap(), table);
    }
}

#[test]
fn a_table_longer_than_a_row_group_round_trips() {
    let rows = 150_000_u32;
    let mut table = FeatureTable::new(vec!["n".to_owned()]);
    for n in 0..rows {
        table.columns.push(&[n as f32]);
        table.games.push(n / 50);
        table.stages.push(Stage((n % 60) as u8));
        table.sides.push(Side::First.after(n as usize));
        table.points.push(0.5);
        table.scores.push(0);
        table.searched.push((n % 3 > 0).then_some(n as f32));
    }
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("table.parquet");
    write_feature_table(&table, &path).unwrap();
    assert_eq!(read_feature_table(&path).unwrap(), table);
}

fn write(path: &Path, columns: Vec<(&str, ArrayRef)>) {
    let record = RecordBatch::try_from_iter(columns).unwrap();
    let mut writer = ArrowWriter::try_new(Vec::new(), record.schema(), None).unwrap();
    writer.write(&record).unwrap();
    fs::write(path, writer.into_inner().unwrap()).unwrap();
}

/// What pandas writes when nobody thinks of types.
fn from_outside() -> Vec<(&'static str, ArrayRef)> {
    let whole = |values: [i64; 2]| Arc::new(Int64Array::from(values.to_vec())) as ArrayRef;
    let real = |values: [f64; 2]| Arc::new(Float64Array::from(values.to_vec())) as ArrayRef;
    vec![
        ("index", Arc::new(StringArray::from(vec!["a", "b"])) as ArrayRef),
        ("game", whole([7, 8])),
        ("stage", whole([3, 60])),
        ("side", whole([0, 1])),
        ("points", real([1.0, 0.5])),
        ("score", whole([12, 0])),
        ("feature.mobility", real([4.0, -1.5])),
    ]
}

#[test]
fn a_table_from_outside_is_read_by_its_numbers() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("table.parquet");
    write(&path, from_outside());
    let mut columns = Columns::new(vec!["mobility".to_owned()]);
    columns.push(&[4.0]);
    columns.push(&[-1.5]);
    let expected = FeatureTable {
        columns,
        stages: vec![Stage(3), Stage(60)],
        points: vec![1.0, 0.5],
        scores: vec![12, 0],
        searched: vec![None, None],
        sides: vec![Side::First, Side::Second],
        games: vec![7, 8],
    };
    assert_eq!(read_feature_table(&path).unwrap(), expected);
}

#[test]
fn a_table_from_outside_is_told_what_is_wrong() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("table.parquet");
    let read_with = |name: &'static str, column: Option<ArrayRef>| {
        let mut columns = from_outside();
        let at = columns.iter().position(|(known, _)| *known == name).unwrap();
        match column {
            Some(column) => columns[at].1 = column,
            None => drop(columns.remove(at)),
        }
        write(&path, columns);
        read_feature_table(&path).unwrap_err()
    };
    let error = read_with("points", None);
    assert!(matches!(&error, DataError::MissingColumn { column, .. } if column == "points"));
    let error = read_with("score", Some(Arc::new(StringArray::from(vec!["1", "2"]))));
    assert!(matches!(&error, DataError::WrongType { column, .. } if column == "score"), "{error}");
    let cells: [(&str, ArrayRef); 4] = [
        ("side", Arc::new(Int64Array::from(vec![0, 2]))),
        ("game", Arc::new(Int64Array::from(vec![Some(0), None]))),
        ("stage", Arc::new(Float64Array::from(vec![1.0, 1.5]))),
        ("feature.mobility", Arc::new(Float64Array::from(vec![0.0, f64::NAN]))),
    ];
    for (name, cells) in cells {
        let error = read_with(name, Some(cells));
        assert!(
            matches!(&error, DataError::Value { column, row: 1, .. } if column == name),
            "{error}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn a_damaged_table_is_an_error_or_a_table(at: prop::sample::Index, bit in 0_u8..8, cut: bool) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("table.parquet");
        write(&path, from_outside());
        let mut bytes = fs::read(&path).unwrap();
        let at = at.index(bytes.len());
        if cut { bytes.truncate(at) } else { bytes[at] ^= 1 << bit }
        fs::write(&path, bytes).unwrap();
        let read = read_feature_table(&path);
        prop_assert!(!cut || read.is_err());
    }
}
