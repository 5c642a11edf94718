//! Curves of large tables: counting under 50 conditions, the search for
//! conditions, and adjustment, on games of 24 positions made by chance.

use divan::{Bencher, counter::ItemsCount};
use evalsmith_core::{LogOdds, Side, Stage, rng};
use evalsmith_curves::{
    CurveCounter, CurveParams, Draws, Expression, Method, Positions, SearchParams, SearchTable,
    TableRows, adjust, search,
};
use evalsmith_data::{
    DataError, FeatureTable, Sheet, SheetBatch, SheetColumns, write_feature_table,
};
use rand::RngExt;
use std::path::Path;

fn main() {
    divan::main();
}

const GAME: u64 = 24;

/// Calls `push` with value, half points, game and properties of each row.
fn rows(count: u64, properties: usize, mut push: impl FnMut(f64, u8, u64, &[f64])) {
    let mut random = rng::stream(1, "bench", 0);
    let mut row = vec![0.0; properties];
    for game in 0..count / GAME {
        let level: f64 = random.random_range(-300.0..300.0);
        let half = if random.random::<f64>() < LogOdds(level / 100.0).win_prob().0 { 2 } else { 0 };
        for _ in 0..GAME {
            for x in &mut row {
                *x = f64::from(random.random_range(-100_i16..100));
            }
            push(level + random.random_range(-80.0..80.0), half, game, &row);
        }
    }
}

const PARQUET_ROWS: u64 = 4_000_000;

/// A Parquet file of ten properties and a value.
fn parquet(path: &Path) {
    let names = (0..10).map(|i| format!("p{i}")).chain(["value".into()]).collect();
    let mut table = FeatureTable::new(names);
    rows(PARQUET_ROWS, 10, |value, half, game, row| {
        let cells: Vec<f32> = row.iter().chain([&value]).map(|&x| x as f32).collect();
        table.columns.push(&cells);
        table.stages.push(Stage(0));
        table.sides.push(Side::First);
        table.points.push(f32::from(half) / 2.0);
        table.scores.push(0);
        table.searched.push(None);
        table.games.push(game as u32);
    });
    write_feature_table(&table, path).expect("the disk has room");
}

/// Rows of ten properties from Parquet, 50 conditions of two comparisons.
#[divan::bench(sample_count = 3, sample_size = 1)]
fn count_50_conditions(bencher: Bencher<'_, '_>) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("table.parquet");
    parquet(&path);
    let condition = |i: usize| {
        let limit = 20 * (i / 10) as i32 - 40;
        let (a, b) = (i % 10, (i + 3) % 10);
        Expression::condition(&format!("feature.p{a} >= {limit} and feature.p{b} < 60"))
    };
    let conditions: Vec<_> = (0..50).map(|i| condition(i).expect("a condition")).collect();
    let params = CurveParams { bin_width: 20.0, ..CurveParams::default() };
    bencher.counter(ItemsCount::new(PARQUET_ROWS)).bench(|| {
        let mut counter = CurveCounter::new(&params, &conditions).expect("parameters");
        let mut numbers = counter.names().to_vec();
        numbers.push("feature.value".into());
        let columns = SheetColumns {
            numbers,
            result: "points".into(),
            game: Some("game".into()),
            ..SheetColumns::default()
        };
        let sheet = Sheet::open(&path).expect("a table");
        let count = |mut batch: SheetBatch| -> Result<(), DataError> {
            let values = batch.numbers.pop().expect("the value is the last");
            let rows = TableRows {
                values: &values,
                half_points: &batch.half_points,
                games: &batch.games,
                columns: &batch.numbers,
            };
            counter.add(&rows).expect("in range");
            Ok(())
        };
        sheet.read(&columns, count).expect("rows");
        counter.finish().expect("curves")
    });
}

fn table(properties: usize) -> SearchTable {
    let mut table = SearchTable::new((0..properties).map(|i| format!("p{i}")).collect());
    rows(480_000, properties, |value, half, game, row| {
        table.push(value, half, game, Draws::LeftOut, row.iter().copied());
    });
    table
}

/// 200 properties of 480,000 positions.
#[divan::bench(args = [false, true], sample_count = 1, sample_size = 1)]
fn search_200_properties(bencher: Bencher<'_, '_>, pairs: bool) {
    let params = SearchParams { pairs, ..SearchParams::default() };
    bencher
        .with_inputs(|| table(200))
        .bench_values(|table| search(&table, &params).expect("a search"));
}

/// Ten weights on 480,000 positions.
#[divan::bench(args = ["mlm", "ls"], sample_count = 3, sample_size = 1)]
fn adjust_10_weights(bencher: Bencher<'_, '_>, method: &str) {
    let mut positions = Positions::new(10);
    rows(480_000, 10, |value, half, game, row| {
        positions.push(value, half, game, row, Draws::LeftOut);
    });
    let names: Vec<String> = (0..10).map(|i| format!("p{i}")).collect();
    let method = if method == "ls" { Method::Ls } else { Method::Mlm };
    bencher.bench(|| adjust(&positions, &names, method).expect("a fit"));
}
