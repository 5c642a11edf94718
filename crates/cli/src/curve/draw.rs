//! `evalsmith curve draw`: win probability against value.

use super::table::{Columns, condition};
use crate::failure::{Usage, command_line};
use crate::options::{ending, game, show, write_file};
use crate::progress::Terminal;
use clap::Args;
use evalsmith_lab::prelude::{
    CurveParams, CurvePlan, Dataset, Expression, FunctionName, TablePlan, curve_file,
    dataset_curve, draw_table, open,
};
use evalsmith_report::number::with_error;
use std::path::PathBuf;

/// Draws how often the first player wins at each value of a function.
///
/// Values come from one of our functions over a dataset (--function), in log-odds,
/// or from a column of any table (--value), in the column's own unit. Bands are 95 %
/// intervals clustered by game; the histogram below counts positions. Each --where
/// adds a curve of the positions in which a condition holds, for instance
/// "king >= 50 and stage < 30", with its distance from the total curve. The
/// output's ending decides its form: .svg, .html, .csv or .json.
#[derive(Args)]
pub(crate) struct Draw {
    /// A dataset's folder, or a table: CSV or TSV (as it is or .zst) or Parquet
    data: PathBuf,
    /// The function for a dataset: `hand`, `trivial`, `shipped`, or a model file
    #[arg(long, value_name = "FUNCTION", conflicts_with_all = ["value", "side", "first", "conditions"])]
    function: Option<FunctionName>,
    #[command(flatten)]
    columns: Columns,
    /// Draw the positions of a table in which this holds as a curve of its own (may be
    /// repeated); `curve values` makes a table of a dataset
    #[arg(long = "where", value_name = "CONDITION", value_parser = condition)]
    conditions: Vec<Expression>,
    /// The file to write: .svg, .html, .csv or .json
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Width of a bin [default: a round number that gives about 40 bins]
    #[arg(long, value_name = "WIDTH")]
    bin_width: Option<f64>,
    /// Bins with fewer positions are left out of the curve; under a condition, neighbours
    /// are joined until they hold so many, or a fifth of its positions [default: a hundredth
    /// of all positions, from 20 to 1000]
    #[arg(long, value_name = "N")]
    min_count: Option<u64>,
    /// Take a dataset's positions as they were played, not the quiet ones that their
    /// exchanges lead to (no difference in games without noisy moves)
    #[arg(long)]
    raw: bool,
    /// Write over an existing file
    #[arg(long)]
    force: bool,
}

impl Draw {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let form = ending(&self.output, &["svg", "html", "csv", "json"], self.force, &self.data)?;
        match (&self.function, self.data.is_dir()) {
            (Some(function), _) => self.dataset(function, &form),
            (None, false) => self.table(&form),
            (None, true) => {
                let data = self.data.display();
                let reason =
                    format!("{data} is a folder: say by --function which function is to be drawn");
                Err(Usage(reason).into())
            }
        }
    }

    fn table(&self, form: &str) -> anyhow::Result<()> {
        let source = self.columns.source(&self.data)?;
        let plan = TablePlan {
            bin_width: self.bin_width,
            min_count: self.min_count,
            draws: self.columns.draws(),
            conditions: self.conditions.clone(),
        };
        let curves = draw_table(&source, &plan, &Terminal::new())?;
        write_file(&self.output, curves.to_file(form, &command_line())?)?;
        for note in &curves.notes {
            show(&format!("Note: {note}."))?;
        }
        show(&curves.table().to_text())?;
        show(&format!("Written: {}", self.output.display()))
    }

    fn dataset(&self, function: &FunctionName, form: &str) -> anyhow::Result<()> {
        let dataset = Dataset::open(&self.data)?;
        let usual = || CurveParams::usual_min_count(dataset.len());
        let plan = CurvePlan {
            bin_width: self.bin_width,
            min_count: self.min_count.unwrap_or_else(usual),
            draws: self.columns.draws(),
            raw: self.raw,
        };
        let game = game(&dataset.manifest().game)?;
        let opened = open(&game, function)?;
        let function = opened.identity(function);
        let curve = dataset_curve(&game, &dataset, &opened, &plan, &Terminal::new())?;
        let source = format!("{function} of {}, {}", dataset.manifest().game, self.data.display());
        write_file(&self.output, curve_file(&curve, &source, form)?)?;
        show(&format!(
            "{} positions of {} games valued by {function}, {} bins drawn, {}: {}",
            curve.bins.iter().map(|b| b.count).sum::<u64>(),
            curve.games,
            curve.drawn().count(),
            match curve.rises() {
                Some(true) => "monotone",
                Some(false) => "NOT monotone",
                None => "too few to tell whether it rises",
            },
            self.output.display()
        ))?;
        if let Some(fit) = &curve.logistic {
            show(&format!(
                "slope {}, offset {}",
                with_error(fit.scale, fit.scale_error),
                with_error(fit.offset, fit.offset_error)
            ))?;
        }
        Ok(())
    }
}
