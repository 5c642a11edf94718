//! What every learner of dense features is given.

use crate::LearnError;
use evalsmith_core::{Columns, Stage};
use rayon::prelude::*;

/// Positions as rows of a table, with their results and the games they come from.
///
/// Positions of one game share its result and most of their features: the game,
/// not the position, is the unit of evidence. Rows of one game need not stand
/// together.
#[derive(Clone, Copy, Debug)]
pub struct Examples<'a> {
    /// The features, seen by the side to move.
    pub features: &'a Columns,
    /// How far each position's game had come.
    pub stages: &'a [Stage],
    /// The result for the side to move: 1, ½ or 0, or a share between.
    pub points: &'a [f32],
    /// The game each position comes from.
    pub games: &'a [u32],
}

impl Examples<'_> {
    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.points.len()
    }

    /// Checks everything a learner relies on.
    ///
    /// # Errors
    /// When there are no rows, lengths differ, a stage is not below `stages`, a
    /// result lies outside 0 to 1, or a feature is not finite.
    pub fn check(&self, stages: usize) -> Result<(), LearnError> {
        let rows = self.rows();
        let lengths = |what: String, found| {
            if found == rows { Ok(()) } else { Err(LearnError::Lengths { rows, what, found }) }
        };
        lengths("stages".into(), self.stages.len())?;
        lengths("games".into(), self.games.len())?;
        for (i, name) in self.features.names().iter().enumerate() {
            lengths(format!("values of {name}"), self.features.column(i).len())?;
        }
        if rows == 0 {
            return Err(LearnError::Empty);
        }
        if let Some(row) = self.stages.iter().position(|s| s.index() >= stages) {
            let last = stages.saturating_sub(1);
            return Err(LearnError::StageRange { row, stage: self.stages[row].0, last });
        }
        if let Some(row) = self.points.iter().position(|y| !(0.0..=1.0).contains(y)) {
            return Err(LearnError::Points { row, value: self.points[row] });
        }
        let bad: Vec<_> = (0..self.features.width())
            .into_par_iter()
            .map(|i| self.features.column(i).iter().position(|x| !x.is_finite()))
            .collect();
        match bad.into_iter().enumerate().find_map(|(i, row)| Some((i, row?))) {
            None => Ok(()),
            Some((i, row)) => Err(LearnError::NotFinite {
                feature: self.features.names()[i].clone(),
                row,
                value: f64::from(self.features.column(i)[row]),
            }),
        }
    }
}

#[cfg(test)]
pub(crate) mod testing {
    use super::*;

    /// Rows of one stage with two features.
    pub(crate) struct TwoFeatures {
        pub(crate) features: Columns,
        pub(crate) points: Vec<f32>,
        stages: Vec<Stage>,
        games: Vec<u32>,
    }

    impl TwoFeatures {
        /// Half points, game and features of each row.
        pub(crate) fn of(rows: &[(u8, u32, f32, f32)]) -> Self {
            let mut features = Columns::new(vec!["a".into(), "b".into()]);
            for row in rows {
                features.push(&[row.2, row.3]);
            }
            Self {
                features,
                points: rows.iter().map(|row| f32::from(row.0) / 2.0).collect(),
                stages: vec![Stage(0); rows.len()],
                games: rows.iter().map(|row| row.1).collect(),
            }
        }

        pub(crate) fn examples(&self) -> Examples<'_> {
            let Self { features, points, stages, games } = self;
            Examples { features, stages, points, games }
        }
    }
}
