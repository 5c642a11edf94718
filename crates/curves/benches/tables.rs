//! Curves of large tables: counting under 50 conditions, the search for
//! conditions, and adjustment, on games of 24 positions made by chance.

use divan::{Bencher, counter::ItemsCount};
use evalsmith_core::{LogOdds, rng};
use evalsmith_curves::{
    CurveCounter, CurveParams, Draws, Expression, Method, Positions, SearchParams, SearchTable,
    TableRows, adjust, search,
};
use rand::RngExt;

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

/// A million rows of ten properties, 50 conditions.
#[divan::bench(sample_count = 3, sample_size = 1)]
fn count_50_conditions(bencher: Bencher<'_, '_>) {
    const ROWS: u64 = 1_000_000;
    let (mut values, mut half_points, mut games) = (Vec::new(), Vec::new(), Vec::new());
    let mut columns = vec![Vec::new(); 10];
    rows(ROWS, 10, |value, half, game, row| {
        values.push(value);
        half_points.push(half);
        games.push(game.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        columns.iter_mut().zip(row).for_each(|(column, x)| column.push(*x));
    });
    let condition = |i: usize| {
        let limit = 20 * (i / 10) as i32 - 40;
        Expression::condition(&format!("p{} >= {limit} and p{} < 60", i % 10, (i + 3) % 10))
    };
    let conditions: Vec<_> = (0..50).map(|i| condition(i).expect("a condition")).collect();
    let params = CurveParams { bin_width: 20.0, ..CurveParams::default() };
    bencher.counter(ItemsCount::new(ROWS)).bench(|| {
        let mut counter = CurveCounter::new(&params, &conditions).expect("parameters");
        let place = |name: &String| name[1..].parse::<usize>().expect("a number");
        let order: Vec<usize> = counter.names().iter().map(place).collect();
        for begin in (0..values.len()).step_by(1 << 16) {
            let piece = begin..(begin + (1 << 16)).min(values.len());
            let columns: Vec<Vec<f64>> =
                order.iter().map(|&i| columns[i][piece.clone()].to_vec()).collect();
            let rows = TableRows {
                values: &values[piece.clone()],
                half_points: &half_points[piece.clone()],
                games: &games[piece],
                columns: &columns,
            };
            counter.add(&rows).expect("in range");
        }
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
        .bench_values(|table| search(table, &params).expect("a search"));
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
