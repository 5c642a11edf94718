//! `evalsmith curve adjust`: new weights for an old value.

use super::table::{Columns, condition, formula};
use crate::failure::Usage;
use crate::failure::command_line;
use crate::options::{ending, game, show, write_file};
use crate::progress::Terminal;
use clap::{Args, ValueEnum};
use evalsmith_lab::prelude::{
    AdjustPlan, Adjusted, AdjustedMatch, Expression, FunctionName, Method, PlayPlan, TablePlan,
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
        if self.play.is_some() && self.folder.is_none() && !self.table.is_file() {
            let table = self.table.display();
            let reason = format!(
                "{table} is no file that --play can put a folder beside; say by \
                                  --folder where the model and the match go"
            );
            return Err(Usage(reason).into());
        }
        let output = match &self.output {
            Some(path) => Some((
                path,
                ending(path, &["html", "svg", "csv", "json"], self.force, &self.table)?,
            )),
            None => None,
        };
        let source = self.columns.source(&self.table)?;
        let plan = AdjustPlan {
            features: self.feature.clone(),
            movers: self.play.is_some(),
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
        let game = self.play.as_deref().map(game).transpose()?;
        let matched = game.as_ref().map(|game| (game, self.match_plan(&adjusted)));
        // Before anything is written, so that a second process changes nothing.
        let claimed = matched
            .as_ref()
            .map(|(game, plan)| AdjustedMatch::claim(game, &self.function, plan))
            .transpose()?;
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
        // A match may be stopped, and is continued by the same command: its result comes
        // before the file, which would be in the way.
        if let Some(claimed) = claimed {
            self.meet(claimed, adjusted.fits[0].method)?;
        }
        if let Some((path, form)) = output {
            write_file(path, adjusted.to_file(&form, &command_line())?)?;
            show(&format!("Written: {}", path.display()))?;
        }
        Ok(())
    }

    /// The match of the function with the weights of the first method against the old one.
    fn match_plan(&self, adjusted: &Adjusted) -> PlayPlan {
        let weights = self.feature.iter().zip(&adjusted.fits[0].weights);
        let folder = self.folder.clone().unwrap_or_else(|| {
            let mut folder = self.table.clone().into_os_string();
            folder.push(".play");
            folder.into()
        });
        PlayPlan {
            weights: weights.map(|(f, w)| (f.text().to_owned(), w.weight)).collect(),
            pairs: self.pairs,
            depth: self.depth,
            opening_plies: 8,
            seed: self.seed,
            folder,
            command: command_line(),
        }
    }

    fn meet(&self, claimed: AdjustedMatch<'_>, method: Method) -> anyhow::Result<()> {
        let played = claimed.play(&Terminal::resumable())?;
        let (stats, method) = (&played.stats, method.name());
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
