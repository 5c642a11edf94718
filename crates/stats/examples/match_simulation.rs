//! Prints how often the intervals of a match hold the truth, and how often
//! sequential tests err and how long they take.
//!
//! ```text
//! cargo run --release -p evalsmith-stats --example match_simulation
//! ```

#![expect(clippy::print_stdout, reason = "printing is what it is for")]

use evalsmith_stats::StatsError;
use evalsmith_stats::elo::{Elo, NormalisedElo};
use evalsmith_stats::simulation::{CoverageTable, Setting, SprtTable};
use evalsmith_stats::sprt::Sprt;

const SETTING: Setting = Setting { bias: Elo(80.0), draws: Elo(120.0), matches: 20_000, seed: 1 };

fn main() -> Result<(), StatsError> {
    let differences = [0.0, 20.0, 100.0, 300.0, 500.0].map(Elo);
    coverage(&CoverageTable::simulate(SETTING, &differences, &[10, 50, 500])?);

    let tests = Setting { matches: 2000, ..SETTING };
    let logistic = Sprt::logistic([Elo(0.0), Elo(10.0)], 0.05, 0.05)?;
    let normalised = Sprt::normalised([NormalisedElo(0.0), NormalisedElo(10.0)], 0.05, 0.05)?;
    let truths = [-10.0, -5.0, 0.0, 5.0, 10.0, 15.0, 20.0].map(Elo);
    for (name, sprt) in [("Elo", logistic), ("normalised Elo", normalised)] {
        println!("\nSPRT of 0 against 10 {name}, alpha = beta = 5 %, a look every 4 pairs");
        sequential(&SprtTable::simulate(tests, sprt, &truths, 4, 1_000_000)?);
    }
    Ok(())
}

fn coverage(table: &CoverageTable) {
    println!("Coverage of 95 % intervals, {} matches a row", table.setting.matches);
    println!(
        "{:>6} {:>6} {:>7} {:>8} {:>8} {:>9}",
        "pairs", "Elo", "nElo", "Elo", "nElo", "superior"
    );
    for row in &table.rows {
        println!(
            "{:>6} {:>6.0} {:>7.1} {:>7.2}% {:>7.2}% {:>8.2}%",
            row.pairs,
            row.difference.0,
            tenths(row.normalised),
            100.0 * row.elo,
            100.0 * row.normalised_elo,
            100.0 * row.superior
        );
    }
}

fn sequential(table: &SprtTable) {
    println!(
        "{:>6} {:>7} {:>8} {:>9} {:>9} {:>8}",
        "Elo", "nElo", "H1", "pairs", "forecast", "most"
    );
    for row in &table.rows {
        println!(
            "{:>6.0} {:>7.1} {:>7.2}% {:>9.1} {:>9.1} {:>8}",
            row.difference.0,
            tenths(row.normalised),
            100.0 * row.accepts,
            row.mean_pairs,
            row.forecast_pairs,
            row.most_pairs
        );
    }
}

/// Rounded for the table; the truth of equal players, tiny by rounding, is no
/// negative zero.
fn tenths(elo: NormalisedElo) -> f64 {
    (10.0 * elo.0).round() / 10.0 + 0.0
}
