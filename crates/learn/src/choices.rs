//! Book moves as examples: the positions a player could have moved to, and which
//! one the book chose (Samuel, in lee86).
//!
//! Rows are the positions after the moves, seen by the side to move there: the
//! opponent of who chose. A good function therefore values chosen rows low.

use crate::{LearnError, Linear};
use evalsmith_core::Columns;

/// What could be chosen, and what was.
#[derive(Clone, Copy, Debug)]
pub struct Choices<'a> {
    /// The features of the positions after the moves, by the side to move there.
    pub features: &'a Columns,
    /// Where each choice's rows begin, and after the last the number of rows.
    pub starts: &'a [usize],
    /// For each choice, which of its rows the book chose, counted from its first.
    pub chosen: &'a [usize],
}

impl Choices<'_> {
    /// Checks everything a learner relies on.
    ///
    /// # Errors
    /// When there is no choice, one has fewer than two rows or chooses none of
    /// them, or a feature is not finite.
    pub fn check(&self) -> Result<(), LearnError> {
        let rows = self.features.rows();
        if self.chosen.is_empty() {
            return Err(LearnError::Empty);
        }
        let sound = self.starts.len() == self.chosen.len() + 1
            && self.starts.first() == Some(&0)
            && self.starts.last() == Some(&rows)
            && self
                .starts
                .windows(2)
                .zip(self.chosen)
                .all(|(w, c)| w[0] + 2 <= w[1] && *c < w[1] - w[0]);
        if !sound {
            let what = "rows of choices that add up, two or more each".into();
            return Err(LearnError::Lengths { rows, what, found: self.chosen.len() });
        }
        for (i, name) in self.features.names().iter().enumerate() {
            let column = self.features.column(i);
            if let Some(row) = column.iter().position(|x| !x.is_finite()) {
                let value = f64::from(column[row]);
                return Err(LearnError::NotFinite { feature: name.clone(), row, value });
            }
        }
        Ok(())
    }

    /// Every row with its weight: minus one where it was chosen, and where it was
    /// not, its share of one. Chosen and rejected rows then weigh the same.
    pub(crate) fn weighted(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        self.starts.windows(2).zip(self.chosen).flat_map(|(w, &chosen)| {
            let rejected = 1.0 / (w[1] - w[0] - 1) as f64;
            let weight = move |row: usize| if row == w[0] + chosen { -1.0 } else { rejected };
            (w[0]..w[1]).map(move |row| (row, weight(row)))
        })
    }

    /// The share of choices in which a function values the chosen row lowest; of
    /// several lowest, its part.
    pub fn agreement(&self, value: impl Fn(usize) -> f64) -> f64 {
        let points = self.starts.windows(2).zip(self.chosen).map(|(w, &chosen)| {
            let values: Vec<f64> = (w[0]..w[1]).map(&value).collect();
            let lowest = values.iter().copied().fold(f64::INFINITY, f64::min);
            let ties = values.iter().filter(|v| **v <= lowest).count();
            if values[chosen] <= lowest { 1.0 / ties as f64 } else { 0.0 }
        });
        points.sum::<f64>() / self.chosen.len().max(1) as f64
    }
}

/// A linear function trained from book moves (Samuel): for each feature, `L`
/// counts the rejected moves where it was lower than in the chosen one and `H`
/// those where it was higher; its coefficient is `(L - H) / (L + H)` per standard
/// deviation. The same weights hold at every stage.
///
/// # Errors
/// When the choices are faulty.
pub fn fit_book_linear(stages: usize, choices: &Choices<'_>) -> Result<Linear, LearnError> {
    choices.check()?;
    let weight = |feature: usize| {
        let x = choices.features.column(feature);
        let (mut low, mut high) = (0_u64, 0_u64);
        for (w, &chosen) in choices.starts.windows(2).zip(choices.chosen) {
            let mine = x[w[0] + chosen];
            low += x[w[0]..w[1]].iter().filter(|other| **other < mine).count() as u64;
            high += x[w[0]..w[1]].iter().filter(|other| **other > mine).count() as u64;
        }
        let n = x.len() as f64;
        let mean = x.iter().map(|&v| f64::from(v)).sum::<f64>() / n;
        let variance = x.iter().map(|&v| (f64::from(v) - mean).powi(2)).sum::<f64>() / n;
        if low + high == 0 || variance == 0.0 {
            return 0.0;
        }
        // What is high where the book went is bad for the side to move there.
        (high as f64 - low as f64) / (low + high) as f64 / variance.sqrt()
    };
    let weights = (0..choices.features.width()).map(weight).collect();
    Linear::by_hand(choices.features.names().to_vec(), weights, stages)
}

#[cfg(test)]
mod tests {
    use super::*;
    use evalsmith_core::Stage;

    #[test]
    fn coefficients_count_lower_and_higher_and_agreement_shares_ties() {
        let mut features = Columns::new(vec!["a".into(), "b".into(), "still".into()]);
        for row in
            [[1.0, 5.0, 7.0], [2.0, 1.0, 7.0], [3.0, 5.0, 7.0], [0.0, 2.0, 7.0], [4.0, 1.0, 7.0]]
        {
            features.push(&row);
        }
        let choices = Choices { features: &features, starts: &[0, 3, 5], chosen: &[0, 0] };
        let model = fit_book_linear(3, &choices).unwrap();
        let weights = model.weights(Stage(2));
        // a is higher in all three rejected moves, b lower in two and equal in one.
        assert!(weights[0] > 0.0 && weights[1] < 0.0);
        assert_eq!(weights[2], 0.0);
        assert_eq!(choices.agreement(|row| f64::from(features.column(0)[row])), 1.0);
        assert_eq!(choices.agreement(|_| 0.0), f64::midpoint(1.0 / 3.0, 0.5));
        let total: f64 = choices.weighted().map(|(_, w)| w).sum();
        assert!(total.abs() < 1e-12);
        let torn = Choices { starts: &[0, 4, 5], ..choices };
        assert!(torn.check().is_err());
    }
}
