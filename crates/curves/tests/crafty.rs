//! A classical engine's terms on real games: with one term left out, the search
//! names it and the adjustment brings it back. Skipped where the table is absent.

#![expect(clippy::print_stdout, reason = "a test that skips says so")]

use evalsmith_curves::{
    CurveCounter, CurveParams, Draws, Expression, Method, Positions, SearchParams, SearchTable,
    TableRows, adjust, search, split,
};
use evalsmith_data::{DataError, Sheet, SheetBatch, SheetColumns};
use std::path::PathBuf;

const TERMS: [&str; 10] = [
    "material",
    "development",
    "pawn",
    "passed_pawn",
    "passed_pawn_race",
    "knight",
    "bishop",
    "rook",
    "queen",
    "king",
];

/// Ten terms and their total, or nothing.
fn read() -> Option<Vec<SheetBatch>> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/data/chess/crafty_terms_480k.tsv.zst");
    if !path.is_file() {
        println!("skipped: {} is absent", path.display());
        return None;
    }
    let columns = SheetColumns {
        numbers: TERMS.iter().chain(&["total"]).map(|&n| n.to_owned()).collect(),
        result: "result".into(),
        game: Some("game".into()),
        ..SheetColumns::default()
    };
    let mut batches = Vec::new();
    let sheet = Sheet::open(&path).expect("a table");
    let faults = sheet
        .read(&columns, |batch| -> Result<(), DataError> {
            batches.push(batch);
            Ok(())
        })
        .expect("rows");
    assert_eq!((faults.rows, faults.dropped()), (480_000, 0));
    Some(batches)
}

/// The value with the bishop's term left out, or not.
fn value(batch: &SheetBatch, row: usize, without: Option<usize>) -> f64 {
    batch.numbers[10][row] - without.map_or(0.0, |term| batch.numbers[term][row])
}

fn searched(batches: &[SheetBatch], without: Option<usize>, shuffle: Option<u64>) -> Vec<String> {
    let mut table = SearchTable::new(TERMS.map(String::from).to_vec());
    for batch in batches {
        for row in 0..batch.len() {
            let cells = (0..10).map(|term| batch.numbers[term][row]);
            let value = value(batch, row, without);
            table.push(value, batch.half_points[row], batch.games[row], Draws::LeftOut, cells);
        }
    }
    if let Some(seed) = shuffle {
        table.shuffle_results(seed);
    }
    let found = search(&table, &SearchParams::default()).expect("a search");
    found.found.into_iter().map(|f| f.properties.concat()).collect()
}

#[test]
fn a_term_left_out_is_named_and_shuffled_results_name_nothing() {
    let Some(batches) = read() else { return };
    let bishop = 6;
    let missing = searched(&batches, Some(bishop), None);
    assert_eq!(missing.first().map(String::as_str), Some("bishop"));
    for seed in 1..4 {
        assert_eq!(searched(&batches, None, Some(seed)), [""; 0]);
    }
}

#[test]
fn both_methods_bring_the_term_back_and_the_curves_join() {
    let Some(batches) = read() else { return };
    let bishop = 6;
    let mut positions = Positions::new(1);
    for batch in &batches {
        for row in 0..batch.len() {
            let term = [batch.numbers[bishop][row]];
            let value = value(batch, row, Some(bishop));
            positions.push(value, batch.half_points[row], batch.games[row], &term, Draws::LeftOut);
        }
    }
    for method in [Method::Mlm, Method::Ls] {
        let fit = adjust(&positions, &["bishop".into()], method).expect("a fit");
        let w = &fit.weights[0];
        assert!(w.low > 0.3 && w.weight < 2.5, "{fit:?}");
        let gap = |weight: f64| {
            let params = CurveParams { bin_width: 25.0, ..CurveParams::default() };
            let conditions =
                ["bishop >= 20", "bishop <= -20"].map(|c| Expression::condition(c).expect("one"));
            let mut counter = CurveCounter::new(&params, &conditions).expect("parameters");
            for batch in &batches {
                let term = &batch.numbers[bishop];
                let values: Vec<f64> = (0..batch.len())
                    .map(|row| value(batch, row, Some(bishop)) + weight * term[row])
                    .collect();
                let columns = [term.clone()];
                let rows = TableRows {
                    values: &values,
                    half_points: &batch.half_points,
                    games: &batch.games,
                    columns: &columns,
                };
                counter.add(&rows).expect("in range");
            }
            let splits = split(&counter.finish().expect("curves"));
            splits.iter().flatten().map(|s| s.log_odds.abs()).sum::<f64>()
        };
        let (off, adjusted) = (gap(0.0), gap(w.weight));
        assert!(adjusted < 0.5 * off, "{method:?}: {off} before, {adjusted} after");
    }
}
