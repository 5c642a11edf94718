//! What a pattern model learned, on boards: the configurations of each pattern that
//! speak most for and most against the side to move.

use crate::LabError;
use evalsmith_core::{Game, Stage};
use evalsmith_learn::{Pattern, PatternFile, PatternFunction, Unit, atom_sign};
use evalsmith_report::{Align, Table, number};
use evalsmith_rules::{DynFeatures, DynGame};
use serde::Serialize;
use std::path::Path;

/// One configuration of a pattern and its weight.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Configuration {
    /// The weight in the model's unit.
    pub weight: f32,
    /// Positions of these stages behind it (65,535: as many or more), where the model
    /// tells.
    pub positions: Option<u16>,
    /// The values of the pattern's atoms, in its order: - empty, X the mover's, O the
    /// opponent's.
    pub values: String,
    /// The same on a board; other squares are dots. None where atoms are no squares.
    pub board: Option<String>,
}

/// One pattern at one stage.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PatternView {
    /// The pattern's name.
    pub name: String,
    /// Its atoms.
    pub atoms: Vec<String>,
    /// Different weights.
    pub weights: usize,
    /// Those that are not zero.
    pub used: usize,
    /// The root of their mean square.
    pub size: f64,
    /// Configurations that speak most for the side to move.
    pub best: Vec<Configuration>,
    /// Configurations that speak most against it.
    pub worst: Vec<Configuration>,
}

/// A model as people see it, at one stage.
#[derive(Clone, Debug, Serialize)]
pub struct PatternShow {
    /// Whatever its maker told.
    pub made_by: serde_json::Value,
    /// The stages that share these weights.
    pub stages: (u8, u8),
    /// The unit of the weights.
    pub unit: String,
    /// The patterns.
    pub patterns: Vec<PatternView>,
    /// For each count the weights of its values from `low` on.
    pub counts: Vec<CountView>,
}

/// A count at one stage.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CountView {
    /// The feature.
    pub feature: String,
    /// Its smallest value.
    pub low: i16,
    /// The weights of its values.
    pub weights: Vec<f32>,
}

/// Opens a model file and looks at it at a stage, the middle one where none is
/// named: at the pattern of this name or at all, with so many of the best and worst
/// configurations each.
///
/// # Errors
/// When the file is no pattern model of the game, or there is no such stage or pattern.
pub fn show_patterns(
    game: &DynGame,
    path: &Path,
    stage: Option<u8>,
    name: Option<&str>,
    most: usize,
) -> Result<PatternShow, LabError> {
    let file = PatternFile::load(path)?;
    let made_by = file.made_by.clone();
    let function = PatternFunction::open(game, file)?;
    let groups = function.model().groups();
    let stage = stage.map_or(groups.stages() / 2, usize::from);
    let unknown = |message: String| Err(LabError::Settings(message));
    if stage >= groups.stages() {
        return unknown(format!("the model has stages 0 to {}, not {stage}", groups.stages() - 1));
    }
    let stage = Stage(stage as u8);
    let patterns = views(&function, stage, name, most);
    if patterns.is_empty() {
        let known: Vec<&str> =
            function.set().patterns().iter().map(|pattern| pattern.name.as_str()).collect();
        let name = name.unwrap_or_default();
        return unknown(format!("the model has no pattern {name:?}; it has {}", known.join(", ")));
    }
    let group = groups.of(stage);
    let weights = function.model().weights_of(group);
    let plan = function.model().plan();
    let bases = plan.count_bases(function.set());
    let count = |(count, base): (&evalsmith_learn::Count, usize)| CountView {
        feature: count.feature.clone(),
        low: count.low,
        weights: weights[base..base + count.size()].to_vec(),
    };
    Ok(PatternShow {
        made_by,
        stages: groups.bounds(group),
        unit: unit_name(game, function.model().unit()).to_owned(),
        patterns,
        counts: plan.counts.iter().zip(bases).map(count).collect(),
    })
}

fn views(
    function: &PatternFunction<DynFeatures>,
    stage: Stage,
    name: Option<&str>,
    most: usize,
) -> Vec<PatternView> {
    let model = function.model();
    let group = model.groups().of(stage);
    let (weights, counts) = (model.weights_of(group), model.counts_of(group));
    let (set, sparse) = (function.set(), function.sparse());
    let flat = set.patterns().iter().enumerate();
    let flat = flat.map(|(i, pattern)| (pattern, Shown::Flat(i)));
    let large = model.plan().sparse.iter().enumerate();
    let large = large.map(|(i, pattern)| (pattern, Shown::Sparse(i)));
    let wanted = flat.chain(large).filter(|(pattern, _)| name.is_none_or(|n| pattern.name == n));
    let first = model.plan().weights(set);
    let view = |(pattern, shown): (&Pattern, Shown)| {
        let (states, base) = match shown {
            Shown::Flat(i) => (set.configurations_of(i), set.base_of(i)),
            // The first weight is that of all other states.
            Shown::Sparse(i) => {
                (sparse.configurations_of(i), first + sparse.bases()[i] as usize + 1)
            }
        };
        let own = &weights[base..base + states.len()];
        let mut order: Vec<usize> = (0..own.len()).filter(|&i| own[i] != 0.0).collect();
        order.sort_by(|&a, &b| own[b].total_cmp(&own[a]));
        let configuration = |&i: &usize| Configuration {
            weight: own[i],
            positions: counts.map(|counts| counts[base + i]),
            values: states[i].iter().map(|&v| atom_sign(v)).collect(),
            board: board(&pattern.atoms, &states[i]),
        };
        let squares: f64 = own.iter().map(|&w| f64::from(w).powi(2)).sum();
        PatternView {
            name: pattern.name.clone(),
            atoms: pattern.atoms.clone(),
            weights: own.len(),
            used: order.len(),
            size: (squares / own.len().max(1) as f64).sqrt(),
            best: order.iter().take(most).map(configuration).collect(),
            worst: order.iter().rev().take(most).map(configuration).collect(),
        }
    };
    wanted.map(view).collect()
}

/// A pattern by its kind and number.
enum Shown {
    Flat(usize),
    Sparse(usize),
}

/// A board that holds all squares named; none where a name is no square.
pub(super) fn board(atoms: &[String], values: &[u8]) -> Option<String> {
    let square = |name: &String| {
        let mut signs = name.chars();
        let column = signs.next().filter(char::is_ascii_lowercase)? as usize - 'a' as usize;
        let row: usize = signs.as_str().parse().ok()?;
        Some((row.checked_sub(1).filter(|&row| row < 26)?, column))
    };
    let squares: Vec<(usize, usize)> = atoms.iter().map(square).collect::<Option<_>>()?;
    let side = squares.iter().map(|&(row, column)| row.max(column) + 1).max()?.max(8);
    let mut rows = vec![vec!['.'; side]; side];
    for (&(row, column), &value) in squares.iter().zip(values) {
        rows[row][column] = atom_sign(value);
    }
    let line = |row: &Vec<char>| row.iter().map(char::to_string).collect::<Vec<_>>().join(" ");
    Some(rows.iter().map(line).collect::<Vec<_>>().join("\n"))
}

impl PatternView {
    /// Boards beside one another, each under its weight.
    pub fn to_text(&self, unit: &str) -> String {
        let mut text = format!(
            "{}: {} weights, {} of them used, typically {:.2} {unit}\n",
            self.name, self.weights, self.used, self.size
        );
        for (title, configurations) in [("best", &self.best), ("worst", &self.worst)] {
            if configurations.is_empty() {
                continue;
            }
            text.push('\n');
            text += title;
            text += " for X, who is to move";
            if configurations.iter().any(|c| c.positions.is_some()) {
                text += "; in brackets the positions behind a weight";
            }
            text += "\n\n";
            let columns: Vec<Vec<String>> = configurations
                .iter()
                .map(|configuration| {
                    let head = match configuration.positions {
                        None => format!("{:+.2}", configuration.weight),
                        Some(u16::MAX) => format!("{:+.2} (65535+)", configuration.weight),
                        Some(n) => format!("{:+.2} ({n})", configuration.weight),
                    };
                    let board = configuration.board.as_ref().unwrap_or(&configuration.values);
                    std::iter::once(head).chain(board.lines().map(str::to_owned)).collect()
                })
                .collect();
            let height = columns.iter().map(Vec::len).max().unwrap_or_default();
            let width = columns.iter().flatten().map(String::len).max().unwrap_or_default() + 3;
            for line in 0..height {
                let mut row = String::new();
                for column in &columns {
                    let cell = column.get(line).map_or("", String::as_str);
                    row.push_str(cell);
                    row.extend(std::iter::repeat_n(' ', width - cell.len()));
                }
                text += "  ";
                text += row.trim_end();
                text.push('\n');
            }
        }
        text
    }
}

impl PatternShow {
    /// All patterns in one table, and the counts below them.
    pub fn table(&self) -> Table {
        let mut table = Table::new(["pattern", "weights", "used", "typical", "best", "worst"])
            .align(std::iter::once(Align::Left).chain([Align::Right; 5]));
        let (first, last) = self.stages;
        table.caption = format!("stages {first} to {last}, in {}", self.unit);
        let edge = |some: &[Configuration]| {
            some.first().map_or_else(String::new, |c| number::fixed(f64::from(c.weight), 2))
        };
        for view in &self.patterns {
            table.push([
                view.name.clone(),
                view.weights.to_string(),
                view.used.to_string(),
                number::fixed(view.size, 3),
                edge(&view.best),
                edge(&view.worst),
            ]);
        }
        for count in &self.counts {
            let used = count.weights.iter().filter(|&&w| w != 0.0).count();
            let of = |pick: fn(f32, f32) -> f32| {
                number::fixed(f64::from(count.weights.iter().copied().fold(0.0, pick)), 2)
            };
            let squares: f64 = count.weights.iter().map(|&w| f64::from(w).powi(2)).sum();
            table.push([
                count.feature.clone(),
                count.weights.len().to_string(),
                used.to_string(),
                number::fixed((squares / count.weights.len().max(1) as f64).sqrt(), 3),
                of(f32::max),
                of(f32::min),
            ]);
        }
        table
    }
}

/// A model's unit in words.
pub(super) fn unit_name(game: &DynGame, unit: Unit) -> &str {
    match unit {
        Unit::Margin { .. } => game.margin_unit().unwrap_or("points"),
        Unit::LogOdds => "log-odds",
    }
}

#[cfg(test)]
mod tests {
    use super::super::some_model::some_model;
    use super::*;
    use evalsmith_othello::Othello;

    #[test]
    fn boards_show_the_largest_weights_of_a_pattern() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m");
        some_model("edax").save(&path).unwrap();
        let show =
            |stage, name| show_patterns(&DynGame::new(Othello::new()), &path, stage, name, 2);
        let shown = show(Some(30), Some("corner 3x3")).unwrap();
        let [view] = &shown.patterns[..] else { panic!("one pattern") };
        assert_eq!((view.weights, view.best.len(), view.worst.len()), (10_206, 2, 2));
        assert!(view.best[0].weight >= view.best[1].weight && view.worst[0].weight < 0.0);
        let text = view.to_text("discs");
        let drawn: String = view.best[0].values[..3].chars().flat_map(|c| [c, ' ']).collect();
        assert!(text.contains(&format!("{drawn}. . . . .")), "{text}");
        let all = show(None, None).unwrap();
        assert_eq!((all.patterns.len(), all.stages, &*all.unit), (12, (29, 32), "discs"));
        assert_eq!(all.counts[0].weights.len(), 49);
        assert_eq!(all.table().rows.len(), 13);
        assert!(show(Some(65), None).unwrap_err().to_string().contains("0 to 64"));
        assert!(show(None, Some("rows")).unwrap_err().to_string().contains("row 2"));
    }

    #[test]
    fn atoms_that_are_no_squares_have_no_board() {
        assert_eq!(board(&["a1".into(), "king".into()], &[1, 2]), None);
        assert!(board(&["j10".into()], &[2]).is_some_and(|b| b.lines().count() == 10));
    }
}
