//! A curve of any shape: log-odds that are straight between knots.
//!
//! The basis are hat functions: at a value between two knots the nearer one has
//! the larger share, and shares add up to one. Conditions are compared on top of
//! such a curve, so that a split is one whatever the shape of the total curve:
//! a straight line would call every bend a split. Invariant: knots rise strictly,
//! and beyond the outer ones the curve stays level.

/// Where a value lies: `right` of knot `left + 1`, the rest of knot `left`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Place {
    pub(crate) left: usize,
    pub(crate) right: f64,
}

/// The knots.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Hats {
    knots: Vec<f64>,
}

impl Hats {
    /// At most `count` knots at equal shares of the values, which are finite and
    /// sorted; each pair of neighbours differs.
    pub(crate) fn at_quantiles(sorted: &[f64], count: usize) -> Self {
        let last = sorted.len().saturating_sub(1);
        let mut knots: Vec<f64> =
            (0..count).filter_map(|i| sorted.get(last * i / (count - 1))).copied().collect();
        knots.dedup();
        Self { knots }
    }

    /// Hats, at least one.
    pub(crate) fn count(&self) -> usize {
        self.knots.len().max(1)
    }

    pub(crate) fn place(&self, value: f64) -> Place {
        let right = self.knots.partition_point(|&knot| knot <= value);
        if right == 0 || self.knots.len() < 2 {
            return Place { left: 0, right: 0.0 };
        }
        let left = (right - 1).min(self.knots.len() - 2);
        let (low, high) = (self.knots[left], self.knots[left + 1]);
        Place { left, right: ((value - low) / (high - low)).clamp(0.0, 1.0) }
    }

    /// The share of each hat at a value, one column a hat.
    pub(crate) fn columns(&self, values: &[f64]) -> Vec<Vec<f64>> {
        let mut columns = vec![vec![0.0; values.len()]; self.count()];
        for (row, &value) in values.iter().enumerate() {
            let Place { left, right } = self.place(value);
            columns[left][row] = 1.0 - right;
            if right > 0.0 {
                columns[left + 1][row] = right;
            }
        }
        columns
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_value_lies_between_its_knots() {
        let hats = Hats::at_quantiles(&[0.0, 1.0, 2.0, 4.0, 8.0], 5);
        assert_eq!(hats.place(3.0), Place { left: 2, right: 0.5 });
        assert_eq!(hats.place(-9.0), Place { left: 0, right: 0.0 });
        assert_eq!(hats.place(99.0), Place { left: 3, right: 1.0 });
        assert_eq!(Hats::at_quantiles(&[2.0; 9], 4).count(), 1);
        assert_eq!(Hats::at_quantiles(&[], 4).place(1.0), Place { left: 0, right: 0.0 });
    }

    proptest! {
        #[test]
        fn shares_add_up_to_one_and_give_a_value_back(
            mut values in prop::collection::vec(-9.0..9.0_f64, 2..60), count in 2_usize..9,
        ) {
            values.sort_by(f64::total_cmp);
            let hats = Hats::at_quantiles(&values, count);
            let columns = hats.columns(&values);
            for (row, &value) in values.iter().enumerate() {
                let shares: Vec<f64> = columns.iter().map(|c| c[row]).collect();
                prop_assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-12);
                let back: f64 = shares.iter().zip(&hats.knots).map(|(s, k)| s * k).sum();
                prop_assert!((back - value).abs() < 1e-9);
            }
        }
    }
}
