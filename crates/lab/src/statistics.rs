//! What a statistician asks of a fit beyond its weights: the features themselves,
//! the quality on games held out stage by stage, calibration, and whether
//! quadratic terms are warranted (buro95).

use crate::LabError;
use crate::fit::{FitPlan, values};
use evalsmith_core::{Progress, Stage};
use evalsmith_data::FeatureTable;
use evalsmith_learn::{
    Calibration, Diagnosis, Examples, LearnError, Measured, Model, Quadratic, Quality, calibration,
    diagnose, fit_fisher, fit_quadratic, gain, quality,
};
use evalsmith_report::{Align, Table, number};
use serde::{Deserialize, Serialize};

/// Fewer positions of a stage held out say nothing about it.
const FEWEST: usize = 50;
/// How many stages tables show.
const SHOWN: usize = 6;

/// What is known beyond the weights.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Statistics {
    /// The features, stage by stage.
    pub diagnoses: Vec<Diagnosis>,
    /// The quality on games held out, stage by stage.
    pub by_stage: Vec<StageQuality>,
    /// Predictions beside results, on games held out.
    pub calibration: Option<Calibration>,
    /// By how much the log-loss of the quadratic discriminant is smaller than
    /// Fisher's, on games held out.
    pub quadratic_gain: Option<Measured>,
}

/// The quality of a model at one stage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StageQuality {
    /// The stage.
    pub stage: Stage,
    /// The quality there.
    pub quality: Quality,
}

/// All of it, for a model fitted to `examples` and judged on `holdout`.
pub(crate) fn statistics(
    plan: &FitPlan,
    stages: usize,
    examples: &Examples<'_>,
    model: &Model,
    holdout: &FeatureTable,
    progress: &dyn Progress,
) -> Result<Statistics, LabError> {
    let pooling = &plan.logistic.stages;
    let diagnoses = match diagnose(pooling, stages, examples, &Hushed(progress)) {
        // Enough for the few components of a reduction, not for all features.
        Err(LearnError::TooFew { .. }) => Vec::new(),
        found => found?,
    };
    if holdout.is_empty() {
        return Ok(Statistics { diagnoses, ..Statistics::default() });
    }
    let predicted = values(model, holdout);
    Ok(Statistics {
        diagnoses,
        by_stage: by_stage(stages, &predicted, holdout)?,
        calibration: Some(calibration(&holdout.points, &predicted, &holdout.games)?),
        quadratic_gain: quadratic_gain(plan, stages, examples, holdout, progress)?,
    })
}

/// The quality of predictions, stage by stage, where there are rows enough.
pub(crate) fn by_stage(
    stages: usize,
    predicted: &[f64],
    table: &FeatureTable,
) -> Result<Vec<StageQuality>, LabError> {
    let mut by_stage = Vec::new();
    for stage in (0..stages).map(|stage| Stage(stage as u8)) {
        let rows = || (0..table.len()).filter(|&row| table.stages[row] == stage);
        if rows().count() < FEWEST {
            continue;
        }
        let points: Vec<f32> = rows().map(|row| table.points[row]).collect();
        let odds: Vec<f64> = rows().map(|row| predicted[row]).collect();
        let games: Vec<u32> = rows().map(|row| table.games[row]).collect();
        by_stage.push(StageQuality { stage, quality: quality(&points, &odds, &games)? });
    }
    Ok(by_stage)
}

/// The log-loss that quadratic terms save on games held out; none for more
/// features than a quadratic model takes.
fn quadratic_gain(
    plan: &FitPlan,
    stages: usize,
    examples: &Examples<'_>,
    holdout: &FeatureTable,
    progress: &dyn Progress,
) -> Result<Option<Measured>, LabError> {
    if examples.features.width() > Quadratic::MOST_FEATURES {
        return Ok(None);
    }
    let pooling = &plan.logistic.stages;
    let hushed = Hushed(progress);
    let fisher = fit_fisher(pooling, stages, examples, &hushed);
    let quadratic = fit_quadratic(pooling, stages, examples, &hushed);
    match (fisher, quadratic) {
        (Ok(fisher), Ok(quadratic)) => {
            let (first, second) =
                (values(&fisher.model, holdout), values(&quadratic.model, holdout));
            Ok(Some(gain(&holdout.points, &first, &second, &holdout.games)?))
        }
        (Err(LearnError::Stopped), _) | (_, Err(LearnError::Stopped)) => Err(LabError::Abandoned),
        _ => Ok(None),
    }
}

/// Asks whether to stop, and says nothing: what is worth a note has been said by
/// the fit itself.
struct Hushed<'a>(&'a dyn Progress);

impl Progress for Hushed<'_> {
    fn begin(&self, _task: &str, _total: u64, _unit: &'static str) {}
    fn advance(&self, _amount: u64) {}
    fn note(&self, _message: &str) {}
    fn end(&self) {}
    fn stopped(&self) -> bool {
        self.0.stopped()
    }
}

/// A few of many, evenly spread.
fn spread<T>(all: &[T]) -> Vec<&T> {
    match all.len() {
        n if n <= SHOWN => all.iter().collect(),
        n => (0..SHOWN).map(|i| &all[i * (n - 1) / (SHOWN - 1)]).collect(),
    }
}

impl Statistics {
    /// Tables and sentences for the terminal.
    pub(crate) fn to_text(&self) -> Vec<String> {
        let mut parts: Vec<String> = Vec::new();
        if !self.by_stage.is_empty() {
            parts.push(self.stage_table().to_text());
        }
        if let Some(calibration) = &self.calibration {
            let caption = "Calibration on games held out";
            parts.push(calibration_table(calibration, caption).to_text());
        }
        if !self.diagnoses.is_empty() {
            parts.push(self.feature_table().to_text());
        }
        if let Some(middle) = self.diagnoses.get(self.diagnoses.len() / 2) {
            parts.push(correlation_table(middle).to_text());
        }
        parts.extend(self.quadratic_sentence());
        parts.extend(self.redundancy_sentence());
        parts
    }

    /// The quality by stage.
    fn stage_table(&self) -> Table {
        let mut table = Table::new([
            "stage",
            "positions",
            "right side",
            "95 %",
            "log-loss",
            "95 %",
            "Brier score",
        ])
        .align([Align::Right; 7])
        .caption("On games held out, by stage");
        for StageQuality { stage, quality: q } in spread(&self.by_stage) {
            table.push([
                stage.0.to_string(),
                q.rows.to_string(),
                number::percent(q.accuracy.value, 1),
                percents(&q.accuracy, 1),
                number::fixed(q.log_loss.value, 4),
                interval(&q.log_loss, 4),
                number::fixed(q.brier.value, 4),
            ]);
        }
        table
    }

    /// Each feature alone, by stage.
    pub(crate) fn feature_table(&self) -> Table {
        let mut table =
            Table::new(["stage", "feature", "alone right", "95 %", "means apart", "inflation"])
                .align([Align::Right, Align::Left].into_iter().chain([Align::Right; 4]))
                .caption(
                    "Each feature alone: how often it names the winner, the distance of the class \
                     means in standard deviations, and its variance inflation by the others",
                );
        for diagnosis in spread(&self.diagnoses) {
            for f in &diagnosis.features {
                let c = &f.classified;
                table.push([
                    diagnosis.stage().0.to_string(),
                    f.name.clone(),
                    number::percent(c.value, 1),
                    percents(c, 1),
                    number::fixed(f.distance, 2),
                    f.inflation.map_or("follows from others".into(), |v| number::fixed(v, 2)),
                ]);
            }
        }
        table
    }

    /// Whether quadratic terms are warranted.
    pub fn quadratic_sentence(&self) -> Option<String> {
        let gain = self.quadratic_gain?;
        let verdict = if gain.low > 0.0 {
            "Quadratic terms are warranted"
        } else if gain.high < 0.0 {
            "Quadratic terms are not warranted: they hurt"
        } else {
            "Quadratic terms are not warranted: what they gain may be chance"
        };
        let tests: Vec<_> = self.diagnoses.iter().filter_map(|d| d.box_m).collect();
        let rejected = tests.iter().filter(|m| m.p < 0.05).count();
        let box_m = match tests.len() {
            0 => String::new(),
            n => format!(
                " Box's M rejects equal covariances at 5 % in {rejected} of {n} stages; it takes \
                 positions as independent, and with enough of them always rejects."
            ),
        };
        Some(format!(
            "{verdict}. On games held out they take {} from Fisher's log-loss (95 % interval {}, \
             clustered by game; below zero they add to it).{box_m}\n",
            number::fixed(gain.value, 5),
            interval(&gain, 5)
        ))
    }

    /// The features that others nearly determine.
    pub fn redundancy_sentence(&self) -> Option<String> {
        let mut names: Vec<&str> = Vec::new();
        for f in self.diagnoses.iter().flat_map(|d| &d.features).filter(|f| f.redundant) {
            if !names.contains(&f.name.as_str()) {
                names.push(&f.name);
            }
        }
        let listed = names.join(", ");
        (!names.is_empty()).then(|| {
            format!(
                "Warning: at some stage the other features determine {listed} or nearly so (variance \
                 inflation above 10, or none left); weights among them are poorly told apart.\n"
            )
        })
    }
}

pub(crate) fn percents(m: &Measured, digits: usize) -> String {
    format!("{} to {}", number::percent(m.low, digits), number::percent(m.high, digits))
}

pub(crate) fn interval(m: &Measured, digits: usize) -> String {
    format!("{} to {}", number::fixed(m.low, digits), number::fixed(m.high, digits))
}

pub(crate) fn calibration_table(calibration: &Calibration, caption: &str) -> Table {
    let error = &calibration.error;
    let mut table =
        Table::new(["predicted", "won", "positions"]).align([Align::Right; 3]).caption(format!(
            "{caption}; mean error {} ({})",
            number::percent(error.value, 2),
            percents(error, 2)
        ));
    for bin in &calibration.bins {
        table.push([
            number::percent(bin.predicted, 1),
            number::percent(bin.observed, 1),
            bin.rows.to_string(),
        ]);
    }
    table
}

/// Correlations within the classes: below the diagonal in lost positions, above
/// it in won ones.
fn correlation_table(diagnosis: &Diagnosis) -> Table {
    let m = &diagnosis.moments;
    let names = m.features.iter().map(String::as_str);
    let mut table = Table::new([""].into_iter().chain(names))
        .align([Align::Left].into_iter().chain(std::iter::repeat_n(Align::Right, m.features.len())))
        .caption(format!(
            "Correlations at stage {}: above the diagonal in won positions, below it in lost ones",
            m.stage.0
        ));
    for (i, name) in m.features.iter().enumerate() {
        let cell = |j: usize| {
            let class = if j > i { &m.win } else { &m.loss };
            number::fixed(class.correlation[i][j], 2)
        };
        table.push([name.clone()].into_iter().chain((0..m.features.len()).map(cell)));
    }
    table
}
