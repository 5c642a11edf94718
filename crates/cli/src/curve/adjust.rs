//! `evalsmith curve adjust`: new weights for an old value.

use super::table::{Columns, condition, formula};
use crate::failure::Usage;
use crate::failure::command_line;
use crate::options::{ending, game, show, write_file};
use crate::progress::Terminal;
use clap::{Args, ValueEnum};
use evalsmith_lab::prelude::{
    AdjustPlan, Adjusted, Expression, FunctionName, LabError, Method, PlayPlan, Sheet, TablePlan,
    adjust_table,
};
use std::path::PathBuf;

/// Fits weights of features that an evaluation misses: e' = e + w1 f1 + w2 f2 + ...
///
/// The win probability is taken as 1 / (1 + exp(-w0 e')); the weights maximise the
/// likelihood of results (MLM), or minimise squared errors (LS). A feature is a
/// column or a formula of columns, so that a weight that grows with the progress of
/// the game is "progress * attackers". Errors are clustered by game.
///
/// With --play the value is a linear function's of this program (`curve values
/// --function`), and features are the game's own, by name: the fitted weights are
/// added to the function's, the new model is saved, and it meets the old one.
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
    /// Bins with fewer positions are left out of the curves; under a condition, neighbours
    /// are joined until they hold so many, or a fifth of its positions [default: a hundredth
    /// of all positions, from 20 to 1000]
    #[arg(long, value_name = "N")]
    min_count: Option<u64>,
    /// Add the weights to a function of this game and play the new one against the old
    #[arg(long, value_name = "GAME")]
    play: Option<String>,
    /// The function that gave the values: `hand`, or a linear model's file
    #[arg(long, value_name = "FUNCTION", default_value = "hand", requires = "play")]
    function: FunctionName,
    /// Pairs of games, each opening with both colours
    #[arg(long, value_name = "N", default_value_t = 50, requires = "play", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pairs: u32,
    /// Plies of search in the match
    #[arg(long, value_name = "PLIES", default_value_t = 2, requires = "play", value_parser = clap::value_parser!(u8).range(1..=30))]
    depth: u8,
    /// Where all chance of the match comes from
    #[arg(long, value_name = "N", default_value_t = 1, requires = "play")]
    seed: u64,
    /// Folder for the new model and the match [default: the table's name with .play]
    #[arg(long, value_name = "DIR", requires = "play")]
    folder: Option<PathBuf>,
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
        let features = self.features()?;
        let output = match &self.output {
            Some(path) => Some((
                path,
                ending(path, &["html", "svg", "csv", "json"], self.force, &self.table)?,
            )),
            None => None,
        };
        let source = self.columns.source(&self.table)?;
        let plan = AdjustPlan {
            features,
            methods: match self.method {
                By::Mlm => vec![Method::Mlm],
                By::Ls => vec![Method::Ls],
                By::Both => vec![Method::Mlm, Method::Ls],
            },
            curves: TablePlan {
                bin_width: self.bin_width,
                min_count: self.min_count,
                draws: self.columns.draws(),
                conditions: self.conditions.clone(),
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
            write_file(path, adjusted.to_file(&form, &command_line())?)?;
            show(&format!("Written: {}", path.display()))?;
        }
        self.play.as_ref().map_or(Ok(()), |name| self.meet(name, &adjusted))
    }

    /// The features as formulas: those of a game stand in the mover's view.
    fn features(&self) -> anyhow::Result<Vec<Expression>> {
        if self.play.is_none() {
            return Ok(self.feature.clone());
        }
        let sheet = Sheet::open(&self.table).map_err(LabError::from)?;
        if !sheet.names().iter().any(|name| name == "side") {
            let reason = format!(
                "{} has no column side; make the table by `evalsmith curve values --function`",
                self.table.display()
            );
            return Err(Usage(reason).into());
        }
        let turned = |feature: &Expression| {
            if feature.names().len() != 1 || !sheet.names().iter().any(|n| n == feature.text()) {
                let reason = format!("--play adds features by name, and {feature} is no column");
                return Err(Usage(reason).into());
            }
            formula(&format!("(1 - 2 * side) * {feature}")).map_err(|e| Usage(e).into())
        };
        self.feature.iter().map(turned).collect()
    }

    /// Plays the function with the weights of the first method against the old one.
    fn meet(&self, name: &str, adjusted: &Adjusted) -> anyhow::Result<()> {
        let fit = &adjusted.fits[0];
        let weights = self.feature.iter().zip(&fit.weights);
        let folder = self.folder.clone().unwrap_or_else(|| {
            let mut folder = self.table.clone().into_os_string();
            folder.push(".play");
            folder.into()
        });
        let plan = PlayPlan {
            weights: weights.map(|(f, w)| (f.text().to_owned(), w.weight)).collect(),
            pairs: self.pairs,
            depth: self.depth,
            opening_plies: 8,
            seed: self.seed,
            folder,
            command: command_line(),
        };
        let played = game(name)?.play_adjusted(&self.function, &plan, &Terminal::new())?;
        let (stats, method) = (&played.stats, fit.method.name());
        let percent = |share: f64| format!("{:.1} %", 100.0 * share);
        show(&format!(
            "\n{method} against {}, {} plies: {} W, {} D, {} L; {} of the points (95 %: {} to {})",
            self.function,
            self.depth,
            stats.wins,
            stats.draws,
            stats.losses,
            stats.share.map_or_else(|| "none".to_owned(), percent),
            percent(stats.share_interval.low),
            percent(stats.share_interval.high)
        ))?;
        show(&format!("Written: {}", played.model.display()))
    }
}
