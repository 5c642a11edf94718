//! `evalsmith data info`: a dataset in numbers.

use crate::options::{Format, print};
use crate::stop::{self, Kept};
use clap::Args;
use evalsmith_lab::prelude::{Dataset, Table};
use std::path::PathBuf;

/// Counts games, positions, stages, results and duplicates of a dataset.
#[derive(Args)]
pub(crate) struct Info {
    /// The dataset's folder
    data: PathBuf,
    /// How to write the answer
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

impl Info {
    pub(super) fn run(self) -> anyhow::Result<()> {
        stop::keeps(Kept::Nothing);
        let dataset = Dataset::open(&self.data)?;
        let info = dataset.info()?;
        let mut table = Table::new(["", "value"]);
        let mut row = |name: &str, value: String| table.push([name.to_owned(), value]);
        let about = if info.exact { "" } else { "about " };
        row("game", info.game.clone());
        row("games", info.games.to_string());
        row("distinct games", format!("{about}{}", info.distinct_games));
        row("positions", info.positions.to_string());
        row("distinct positions", format!("{about}{}", info.distinct_positions));
        row("duplicates", format!("{:.2} %", 100.0 * info.duplicates));
        row("first player wins", info.wins.to_string());
        row("draws", info.draws.to_string());
        row("first player loses", info.losses.to_string());
        if info.open > 0 {
            row("without a result", info.open.to_string());
        }
        for (reason, count) in &info.endings {
            row(&format!("ended by {reason}"), count.to_string());
        }
        for label in &info.labels {
            row(&format!("label {}", label.name), label.made.clone());
        }
        row("parts", format!("{}, {} bytes", info.parts, info.bytes));
        for pair in &info.agreement {
            let share = 100.0 * pair.same as f64 / pair.decided.max(1) as f64;
            let (both, decided) = (pair.both, pair.decided);
            let text = format!("{share:.2} % the same side of {decided} decided, of {both}");
            row(&format!("{} and {}", pair.label, pair.with), text);
        }
        for (reason, count) in &info.skipped {
            row(&format!("skipped, {reason}"), count.to_string());
        }
        for command in &info.commands {
            row("made by", command.clone());
        }
        row("digest", info.digest.to_string());
        for (stage, count) in &info.by_stage {
            row(&format!("stage {stage}"), count.to_string());
        }
        print(self.format, &table, &info)
    }
}
