//! `evalsmith curve adjust`: new weights for an old value.

use super::table::{Columns, condition, ending, formula, write};
use crate::failure::command_line;
use crate::options::show;
use crate::progress::Terminal;
use clap::{Args, ValueEnum};
use evalsmith_lab::prelude::{AdjustPlan, Expression, Method, TablePlan, adjust_table};
use std::path::PathBuf;

/// Fits weights of features that an evaluation misses: e' = e + w1 f1 + w2 f2 + ...
///
/// The win probability is taken as 1 / (1 + exp(-w0 e')); the weights maximise the
/// likelihood of results (MLM), or minimise squared errors (LS). A feature is a
/// column or a formula of columns, so that a weight that grows with the progress of
/// the game is "progress * attackers". Errors are clustered by game.
#[derive(Args)]
pub(crate) struct Adjust {
    /// The table: CSV or TSV (as it is or .zst) or Parquet, rows of a game together
    table: PathBuf,
    #[command(flatten)]
    columns: Columns,
    /// A feature to add: a column, or a formula of columns (may be repeated)
    #[arg(long, value_name = "FORMULA", value_parser = formula, required = true)]
    feature: Vec<Expression>,
    /// What the weights are best by
    #[arg(long, value_name = "METHOD", default_value = "both")]
    method: By,
    /// Draw the curves under this condition as well (may be repeated)
    #[arg(long = "where", value_name = "CONDITION", value_parser = condition)]
    conditions: Vec<Expression>,
    /// Width of a bin of the curves [default: a round number that gives about 40 bins]
    #[arg(long, value_name = "WIDTH")]
    bin_width: Option<f64>,
    /// Bins with fewer positions are left out of the curves
    #[arg(long, value_name = "N", default_value_t = 1000)]
    min_count: u64,
    /// A file to write as well: .html, .svg, .csv or .json
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write over an existing file
    #[arg(long)]
    force: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum By {
    /// The likelihood
    Mlm,
    /// Least squares
    Ls,
    /// One after the other
    Both,
}

impl Adjust {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let output = match &self.output {
            Some(path) => Some((path, ending(path, &["html", "svg", "csv", "json"], self.force)?)),
            None => None,
        };
        let source = self.columns.source(&self.table)?;
        let plan = AdjustPlan {
            features: self.feature,
            methods: match self.method {
                By::Mlm => vec![Method::Mlm],
                By::Ls => vec![Method::Ls],
                By::Both => vec![Method::Mlm, Method::Ls],
            },
            curves: TablePlan {
                bin_width: self.bin_width,
                min_count: self.min_count,
                draws: self.columns.draws(),
                conditions: self.conditions,
            },
        };
        let adjusted = adjust_table(&source, &plan, &Terminal::new())?;
        for note in &adjusted.notes {
            show(&format!("Note: {note}."))?;
        }
        show(&adjusted.table().to_text())?;
        show(&adjusted.summary())?;
        if !plan.curves.conditions.is_empty() {
            show(&format!("\nBefore:\n{}", adjusted.before.table().to_text()))?;
            for (fit, after) in adjusted.fits.iter().zip(&adjusted.after) {
                show(&format!("After {}:\n{}", fit.method.name(), after.table().to_text()))?;
            }
        }
        show(&format!("\n{}", adjusted.constants()))?;
        if let Some((path, form)) = output {
            write(path, &adjusted.to_file(&form, &command_line())?)?;
            show(&format!("Written: {}", path.display()))?;
        }
        Ok(())
    }
}
