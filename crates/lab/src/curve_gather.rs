//! A dataset's positions as a function sees them, kept to be asked many times: curves
//! under changing conditions, the search for conditions, the positions of one bin.
//!
//! Invariant: values are the first player's, properties the mover's, and both are of
//! the quiet position that a row's exchanges lead to, as in [`features_at_rest`].
//!
//! [`features_at_rest`]: evalsmith_data::features_at_rest

use crate::LabError;
use crate::curve_search::SearchPlan;
use crate::curve_table::{TableCurves, TablePlan, told};
use crate::function::{FunctionName, open, open_dataset};
use evalsmith_core::{Features, Game, GameRecord, Position, Progress, Side};
use evalsmith_curves::{CurveCounter, Expression, SearchTable, Searched, TableRows, search};
use evalsmith_rules::DynGame;
use evalsmith_search::Search;
use std::path::Path;

/// Properties that every game has beside its features.
const STAGE: &str = "stage";
const SIDE: &str = "side";

/// A packed position with its value and the half points of its game.
pub type Sample<'a> = (&'a [u8], f64, u8);

/// Positions of a dataset with their values and properties.
#[derive(Clone, Debug, Default)]
pub struct Gathered {
    names: Vec<String>,
    values: Vec<f64>,
    half_points: Vec<u8>,
    games: Vec<u64>,
    properties: Vec<Vec<f32>>,
    packed: Vec<u8>,
    ends: Vec<usize>,
    source: Vec<(String, String)>,
    notes: Vec<String>,
}

/// Reads at most `most` positions of a dataset, from its beginning.
///
/// # Errors
/// When the dataset or the function cannot be read, or the job is stopped.
pub fn gather(
    game: &DynGame,
    data: &Path,
    function: &FunctionName,
    most: usize,
    progress: &dyn Progress,
) -> Result<Gathered, LabError> {
    let source = [
        ("dataset", data.display().to_string()),
        ("game", game.name().to_owned()),
        ("values", format!("{function}, the first player's log-odds")),
    ];
    let source = source.map(|(name, value)| (name.to_owned(), value)).to_vec();
    let dataset = open_dataset(game, data)?;
    let function = open(game, function)?;
    let features = game.features();
    let mut names = features.names();
    names.extend([STAGE, SIDE].map(str::to_owned));
    let properties = vec![Vec::new(); names.len()];
    let mut all = Gathered { names, properties, source, ..Gathered::default() };
    let mut searcher = function.search(0);
    let has_noisy_moves = game.start().has_noisy_moves();
    let mut row_features = Vec::new();
    progress.begin("reading", dataset.len().min(most as u64), "positions");
    'batches: for batch in dataset.rows() {
        let batch = batch?;
        if progress.stopped() {
            return Err(LabError::Abandoned);
        }
        for row in batch.rows() {
            if all.len() == most {
                let (kept, of) = (most, dataset.len());
                all.notes.push(format!("only the first {kept} of {of} positions are read"));
                break 'batches;
            }
            let Some(outcome) = row.outcome else { continue };
            let (position, side) = game.unpack(row.position)?;
            let mut record = GameRecord::new(position, side, game.max_plies());
            if has_noisy_moves {
                for m in searcher.quiet(&record).line {
                    record.play(m).expect("a line holds legal moves of a game that goes on");
                }
            }
            if record.ending().is_some() {
                continue;
            }
            let (position, mover) = (record.position(), record.side());
            let value = function.value(position);
            let value = value.log_odds().0;
            all.values.push(if mover == Side::First { value } else { -value });
            let points = outcome.seen_by(row.side, Side::First).points();
            all.half_points.push((2.0 * points) as u8);
            all.games.push(row.game.into());
            row_features.clear();
            features.append_all(position, &mut row_features);
            row_features.extend([f32::from(position.stage().0), mover.index() as f32]);
            all.properties.iter_mut().zip(&row_features).for_each(|(c, &x)| c.push(x));
            all.packed.extend_from_slice(row.position);
            all.ends.push(all.packed.len());
        }
        progress.advance(batch.len() as u64);
    }
    progress.end();
    Ok(all)
}

impl Gathered {
    /// How many positions there are.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Bytes it takes, about.
    pub fn bytes(&self) -> usize {
        self.packed.len() + self.len() * (25 + 4 * self.properties.len())
    }

    /// The names that conditions may use.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The total curve and those of the plan's conditions.
    ///
    /// # Errors
    /// When a condition asks for what is not there, or no bin is full enough.
    pub fn curves(&self, plan: &TablePlan) -> Result<TableCurves, LabError> {
        let params = plan.params(plan.bin_width(&self.values)?, self.values.len());
        let mut counter = CurveCounter::new(&params, &plan.conditions)?;
        let columns = counter.names().iter().map(|name| self.column(name));
        let columns = columns.collect::<Result<Vec<_>, _>>()?;
        counter.add(&TableRows {
            values: &self.values,
            half_points: &self.half_points,
            games: &self.games,
            columns: &columns,
        })?;
        Ok(told(self.source.clone(), counter.finish()?, self.notes.clone()))
    }

    /// The conditions that split the curve.
    ///
    /// # Errors
    /// When there is nothing to search.
    pub fn search(&self, plan: &SearchPlan) -> Result<Searched, LabError> {
        let mut table = SearchTable::new(self.names.clone());
        for row in 0..self.len() {
            let cells = self.properties.iter().map(|column| f64::from(column[row]));
            table.push(self.values[row], self.half_points[row], self.games[row], plan.draws, cells);
        }
        let params = plan.params(table.len() as u64, table.games());
        Ok(search(&table, &params)?)
    }

    /// Up to `most` positions with values from `low` to below `high` in which the
    /// condition holds, evenly chosen: packed, with value and half points.
    ///
    /// # Errors
    /// When the condition asks for what is not there.
    pub fn between(
        &self,
        (low, high): (f64, f64),
        condition: Option<&Expression>,
        most: usize,
    ) -> Result<Vec<Sample<'_>>, LabError> {
        let mut holds = vec![true; self.len()];
        if let Some(condition) = condition {
            let columns = condition.names().iter().map(|name| self.column(name));
            let columns = columns.collect::<Result<Vec<_>, _>>()?;
            let columns: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
            condition.holds(&columns, &mut holds);
        }
        let inside = |&row: &usize| holds[row] && (low..high).contains(&self.values[row]);
        let rows: Vec<usize> = (0..self.len()).filter(inside).collect();
        let step = rows.len().div_ceil(most.max(1)).max(1);
        let told = |&row: &usize| {
            let begin = if row == 0 { 0 } else { self.ends[row - 1] };
            (&self.packed[begin..self.ends[row]], self.values[row], self.half_points[row])
        };
        Ok(rows.iter().step_by(step).take(most).map(told).collect())
    }

    fn column(&self, name: &str) -> Result<Vec<f64>, LabError> {
        let at = self.names.iter().position(|known| known == name).ok_or_else(|| {
            let known = self.names.join(", ");
            LabError::Settings(format!("there is no property {name:?}; there are {known}"))
        })?;
        Ok(self.properties[at].iter().map(|&x| x.into()).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fit::{CurvePlan, dataset_curve};
    use evalsmith_core::Quiet;
    use evalsmith_curves::Draws;
    use evalsmith_data::{Maker, generate};
    use evalsmith_othello::Othello;

    fn dataset(dir: &Path) {
        let game = DynGame::new(Othello::new());
        let mut plan = crate::learn::LearnPlan::new(&game.defaults()).self_play;
        (plan.games, plan.depth) = (60, 1);
        let maker = Maker { function: "hand".into(), openings: None, command: "test".into() };
        let hand = game.function_by_hand().unwrap();
        generate(&game, &hand, &plan, &maker, dir, &Quiet).unwrap();
    }

    #[test]
    fn the_total_curve_is_that_of_the_command_line() {
        let temp = tempfile::tempdir().unwrap();
        let dir = temp.path().join("data");
        dataset(&dir);
        let game = DynGame::new(Othello::new());
        let name = FunctionName::Hand;
        let draws = Draws::LeftOut;
        let plan = CurvePlan { bin_width: Some(0.5), min_count: 20, draws, raw: false };
        let (set, hand) = (open_dataset(&game, &dir).unwrap(), open(&game, &name).unwrap());
        let command = dataset_curve(&game, &set, &hand, &plan, &Quiet).unwrap();
        let all = gather(&game, &dir, &name, usize::MAX, &Quiet).unwrap();
        let conditions = vec![Expression::condition("stage < 30").unwrap()];
        let plan = TablePlan { bin_width: Some(0.5), min_count: Some(20), draws, conditions };
        let curves = all.curves(&plan).unwrap();
        let bins = |curve: &evalsmith_curves::Curve| {
            curve.bins.iter().map(|b| (b.centre, b.count, b.wins, b.losses)).collect::<Vec<_>>()
        };
        assert_eq!(bins(&curves.total), bins(&command));
        assert!(curves.conditions[0].curve.positions < curves.total.positions);
    }

    #[test]
    fn a_bin_gives_its_positions_and_a_wrong_name_is_refused() {
        let temp = tempfile::tempdir().unwrap();
        let dir = temp.path().join("data");
        dataset(&dir);
        let game = DynGame::new(Othello::new());
        let all = gather(&game, &dir, &FunctionName::Hand, 100, &Quiet).unwrap();
        assert_eq!((all.len(), all.notes.len()), (100, 1));
        let early = Expression::condition("stage < 40").unwrap();
        let found = all.between((-2.0, 2.0), Some(&early), 5).unwrap();
        assert!(!found.is_empty() && found.len() <= 5);
        for (packed, value, _) in found {
            let (position, _) = game.unpack(packed).unwrap();
            assert!(position.stage().0 < 40 && (-2.0..2.0).contains(&value));
        }
        let wrong = Expression::condition("beauty > 1").unwrap();
        let reason = all.between((0.0, 1.0), Some(&wrong), 5).unwrap_err().to_string();
        assert!(reason.contains("beauty") && reason.contains("stage"), "{reason}");
    }
}
