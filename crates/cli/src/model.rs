//! `evalsmith model`: fit and show evaluation functions.

use crate::failure::{Usage, command_line, say};
use crate::options::{Format, game, holdout, may_write, print, share, show};
use crate::progress::Terminal;
use clap::{Args, Subcommand};
use evalsmith_lab::prelude::{
    Dataset, DenseModel, FitPlan, FitRecord, ModelFile, estimate_table, weights,
};
use std::path::{Path, PathBuf};

#[derive(Subcommand)]
pub(crate) enum Model {
    Fit(Fit),
    Show(Show),
}

impl Model {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        match self {
            Self::Fit(job) => job.run(),
            Self::Show(job) => job.run(),
        }
    }
}

/// Fits weights for the features of a dataset's game, stage by stage.
///
/// Standard errors are clustered by game, since positions of one game are not
/// independent. Beside the model FILE a FILE.fit.json keeps what the fit knows:
/// errors, z, p, covariances, deviances, and the quality on games held out.
#[derive(Args)]
pub(crate) struct Fit {
    /// The dataset's folder
    data: PathBuf,
    /// The model file to write
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Stage N is fitted to the positions of stages N-R to N+R [default: set by the game]
    #[arg(long, value_name = "R")]
    radius: Option<u8>,
    /// Share of a position's target that is the search's opinion; the rest is
    /// the game's result [default: set by the game]
    #[arg(long, value_name = "SHARE", value_parser = share)]
    searched: Option<f64>,
    /// Share of the games held out to judge the fit
    #[arg(long, value_name = "SHARE", value_parser = holdout, default_value_t = 0.2)]
    holdout: f64,
    /// Chooses the games held out
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Take positions as they were played, not the quiet ones that their
    /// exchanges lead to (no difference in games without noisy moves)
    #[arg(long)]
    raw: bool,
    /// Write over existing files
    #[arg(long)]
    force: bool,
}

impl Fit {
    fn run(self) -> anyhow::Result<()> {
        let beside = fit_path(&self.output);
        may_write(&self.output, self.force)?;
        may_write(&beside, self.force)?;
        let dataset = Dataset::open(&self.data)?;
        let game = game(&dataset.manifest().game)?;
        let mut plan = FitPlan::new(&game.defaults());
        plan.holdout = self.holdout;
        plan.seed = self.seed;
        plan.raw = self.raw;
        plan.searched = self.searched.unwrap_or(plan.searched);
        plan.logistic.stages.radius = self.radius.unwrap_or(plan.logistic.stages.radius);
        let fitted = game.fit(&self.data, &plan, &Terminal::new())?;
        fitted.save(&self.output, &beside, &command_line())?;
        show(&fitted.record.to_text())
    }
}

/// Where the statistics of a fit stand: beside the model.
fn fit_path(model: &Path) -> PathBuf {
    let mut name = model.as_os_str().to_owned();
    name.push(".fit.json");
    name.into()
}

/// Prints weights by stage; with the fit's statistics beside the model, also
/// standard errors, z, p and 95 % intervals.
#[derive(Args)]
pub(crate) struct Show {
    /// The model file
    model: PathBuf,
    /// Only this stage [default: a few, evenly spread]
    #[arg(long, value_name = "STAGE")]
    stage: Option<u8>,
    /// How to write the answer
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

impl Show {
    fn run(self) -> anyhow::Result<()> {
        let file = ModelFile::load(&self.model)?;
        let beside = fit_path(&self.model);
        let record = if beside.exists() { Some(FitRecord::load(&beside)?) } else { None };
        let record = record.filter(|record| {
            let same = record.belongs_to(&file.model);
            if !same {
                let beside = beside.display();
                say(&format!("{beside} is about another model; weights are shown without errors"));
            }
            same
        });
        let Some(table) = estimate_table(&file, record.as_ref(), self.stage) else {
            let stage = self.stage.unwrap_or_default();
            return Err(Usage(format!("the model has no stage {stage}")).into());
        };
        if self.format == Format::Table {
            show(&format!(
                "{} model of {}, made by {}",
                file.model.kind(),
                file.game,
                file.made_by
            ))?;
        }
        let stages = record.map(|record| record.stages);
        let value = serde_json::json!({
            "game": file.game,
            "kind": file.model.kind(),
            "made_by": file.made_by,
            "features": file.model.features(),
            "weights": weights(&file.model, self.stage),
            "fits": stages.map(|s| s.into_iter().filter(|f| self.stage.is_none_or(|n| f.stage.0 == n)).collect::<Vec<_>>()),
        });
        print(self.format, &table, &value)
    }
}
