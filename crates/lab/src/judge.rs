//! An existing model before a table it has not seen: how often it names the
//! winner, its log-loss and Brier score, by stage, and its calibration.
//!
//! Invariant: the table's columns are the model's features, in its order; a table
//! that lacks one, or has rows of stages the model does not know, is refused.

use crate::LabError;
use crate::fit::{table, valued, values};
use crate::statistics::{StageQuality, by_stage, calibration_table, interval, percents};
use evalsmith_core::{Game, Progress};
use evalsmith_data::{Dataset, FeatureTable};
use evalsmith_learn::{
    Calibration, DenseModel, Examples, LearnError, Model, ModelFile, Quality, calibration, quality,
    with_features,
};
use evalsmith_report::{Align, Table, number};
use evalsmith_rules::{DynFunction, DynGame};
use serde::{Deserialize, Serialize};

/// What a table says of a model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Judgement {
    /// The quality on all rows.
    pub quality: Quality,
    /// The quality stage by stage, where a stage has rows enough.
    pub by_stage: Vec<StageQuality>,
    /// Predictions beside results.
    pub calibration: Calibration,
}

impl Judgement {
    /// Judges a model on all rows of a table.
    ///
    /// # Errors
    /// When the table's columns are not the model's features, a row is of a stage
    /// that the model does not know, or a number is out of its range.
    pub fn of(model: &Model, table: &FeatureTable) -> Result<Self, LabError> {
        let given = table.columns.names();
        if given != model.features() {
            let (model, given) = (model.features().join(", "), given.join(", "));
            return Err(LearnError::Features { model, given }.into());
        }
        if let Some(row) = table.stages.iter().position(|s| s.index() >= model.stages()) {
            let (stage, last) = (table.stages[row].0, model.stages() - 1);
            return Err(LabError::Settings(format!(
                "row {} has stage {stage}, but the model has stages 0 to {last}; judge it on rows \
                 of its own stages, or fit it again",
                row + 1
            )));
        }
        let examples = Examples {
            features: &table.columns,
            stages: &table.stages,
            points: &table.points,
            games: &table.games,
        };
        examples.check(model.stages())?;
        Self::of_values(&values(model, table), model.stages(), table)
    }

    /// Judges log-odds given to the rows of a table.
    fn of_values(predicted: &[f64], stages: usize, table: &FeatureTable) -> Result<Self, LabError> {
        Ok(Self {
            quality: quality(&table.points, predicted, &table.games)?,
            by_stage: by_stage(stages, predicted, table)?,
            calibration: calibration(&table.points, predicted, &table.games)?,
        })
    }

    /// The quality on all rows, and below it stage by stage.
    pub fn table(&self) -> Table {
        let mut table = Table::new([
            "stage",
            "positions",
            "games",
            "right side",
            "95 %",
            "log-loss",
            "95 %",
            "Brier score",
            "95 %",
        ])
        .align([Align::Right; 9]);
        let mut push = |stage: String, q: &Quality| {
            table.push([
                stage,
                q.rows.to_string(),
                q.games.to_string(),
                number::percent(q.accuracy.value, 1),
                percents(&q.accuracy, 1),
                number::fixed(q.log_loss.value, 4),
                interval(&q.log_loss, 4),
                number::fixed(q.brier.value, 4),
                interval(&q.brier, 4),
            ]);
        };
        push("all".into(), &self.quality);
        for StageQuality { stage, quality } in &self.by_stage {
            push(stage.0.to_string(), quality);
        }
        table
    }

    /// Tables and a sentence for the terminal.
    pub fn to_text(&self) -> String {
        let Quality { log_loss, base_log_loss, .. } = &self.quality;
        let verdict = if log_loss.high < *base_log_loss {
            "the model knows more than that"
        } else if log_loss.low > *base_log_loss {
            "the model is worse than that: it was made for other positions, or its scale is wrong"
        } else {
            "that the model knows more is not shown"
        };
        let sentence = format!(
            "Always saying the mean result has a log-loss of {}: {verdict} (95 % interval, \
             clustered by game).\n",
            number::fixed(*base_log_loss, 4)
        );
        let calibration = calibration_table(&self.calibration, "Calibration");
        [self.table().to_text(), calibration.to_text(), sentence].join("\n")
    }
}

/// Judges a model file on a dataset of its game, with positions as they were
/// played (`raw`) or at rest.
///
/// # Errors
/// As [`Judgement::of`], and when the model is of another game or the dataset
/// cannot be read.
pub fn judge_dataset(
    game: &DynGame,
    file: &ModelFile,
    dataset: &Dataset,
    raw: bool,
    progress: &dyn Progress,
) -> Result<Judgement, LabError> {
    file.check(game.name(), file.model.features())?;
    let game = &with_features(game, file.model.features())?;
    Judgement::of(&file.model, &table(game, dataset, &game.function_by_hand()?, raw, progress)?)
}

/// Judges a function of any kind (patterns, say) on a dataset of its game, with
/// positions as they were played (`raw`) or at rest.
///
/// # Errors
/// When the dataset is of another game, cannot be read or has no results.
pub fn judge_function(
    game: &DynGame,
    function: &DynFunction,
    dataset: &Dataset,
    raw: bool,
    progress: &dyn Progress,
) -> Result<Judgement, LabError> {
    let (predicted, table) = valued(game, dataset, function, raw, progress)?;
    Judgement::of_values(&predicted, game.stages(), &table)
}

#[cfg(test)]
mod tests {
    use super::*;
    use evalsmith_core::{Side, Stage};
    use evalsmith_learn::Linear;

    /// Games of two rows, one a stage; `x` tells the winner three times of four.
    fn rows() -> FeatureTable {
        let mut table = FeatureTable::new(vec!["x".into()]);
        for row in 0..400_u32 {
            let won = row % 8 < 4;
            let told = if row % 4 == 3 { !won } else { won };
            table.columns.push(&[if told { 1.0 } else { -1.0 }]);
            table.stages.push(Stage((row % 2) as u8));
            table.points.push(f32::from(u8::from(won)));
            table.scores.push(0);
            table.searched.push(None);
            table.sides.push(Side::First);
            table.games.push(row / 2);
        }
        table
    }

    fn model(name: &str, stages: usize) -> Model {
        Linear::by_hand(vec![name.into()], vec![3.0_f64.ln()], stages).expect("finite").into()
    }

    #[test]
    fn a_model_that_is_right_three_times_of_four_is_told_so() {
        let found = Judgement::of(&model("x", 2), &rows()).expect("a judgement");
        assert!((found.quality.accuracy.value - 0.75).abs() < 1e-12);
        let expected = -(0.75 * 0.75_f64.ln() + 0.25 * 0.25_f64.ln());
        assert!((found.quality.log_loss.value - expected).abs() < 1e-6);
        assert!((found.quality.brier.value - 0.1875).abs() < 1e-6);
        assert!(found.calibration.error.value < 0.001, "{:?}", found.calibration.error);
        let of_stages: Vec<f64> = found.by_stage.iter().map(|s| s.quality.accuracy.value).collect();
        assert_eq!(of_stages, [1.0, 0.5], "the odd rows of a game mislead half the time");
        let text = found.to_text();
        assert!(text.contains("75.0 %") && text.contains("knows more than that"), "{text}");
    }

    #[test]
    fn other_columns_and_other_stages_are_refused() {
        let message = |model| Judgement::of(&model, &rows()).unwrap_err().to_string();
        let other = message(model("y", 2));
        assert!(other.contains("made for the features [y], but these are [x]"), "{other}");
        let late = message(model("x", 1));
        assert!(late.contains("row 2 has stage 1, but the model has stages 0 to 0"), "{late}");
    }
}
