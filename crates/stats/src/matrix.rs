//! Small dense symmetric matrices: accumulation, Cholesky factors, solving,
//! inverses, log-determinants.
//!
//! Made for information and covariance matrices of tens of features, where a
//! factor costs microseconds. Only the lower triangle is stored, row by row, so
//! a matrix cannot be anything but symmetric.

use serde::{Deserialize, Serialize};

/// A symmetric matrix.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Symmetric {
    size: usize,
    lower: Vec<f64>,
}

/// Where row `i` of a lower triangle begins.
const fn row(i: usize) -> usize {
    i * (i + 1) / 2
}

impl Symmetric {
    /// All zeros.
    pub fn zeros(size: usize) -> Self {
        Self { size, lower: vec![0.0; row(size)] }
    }

    /// Ones on the diagonal, zeros elsewhere.
    pub fn identity(size: usize) -> Self {
        let mut identity = Self::zeros(size);
        identity.add_to_diagonal(&vec![1.0; size]);
        identity
    }

    /// The matrix with this lower triangle: (0,0), (1,0), (1,1), (2,0), ...
    ///
    /// # Panics
    /// When the triangle has not `size (size + 1) / 2` entries.
    pub fn from_lower(size: usize, lower: Vec<f64>) -> Self {
        assert_eq!(lower.len(), row(size), "the lower triangle of a {size} x {size} matrix");
        Self { size, lower }
    }

    /// The number of rows.
    pub fn size(&self) -> usize {
        self.size
    }

    /// One entry.
    #[inline]
    pub fn get(&self, i: usize, j: usize) -> f64 {
        let (i, j) = if i >= j { (i, j) } else { (j, i) };
        self.lower[row(i) + j]
    }

    /// Adds `weight * x x'`: one row of a weighted X'X.
    ///
    /// # Panics
    /// When `x` has not one value per row.
    pub fn add_outer(&mut self, weight: f64, x: &[f64]) {
        assert_eq!(x.len(), self.size, "one value per row");
        for i in 0..self.size {
            let scaled = weight * x[i];
            for (cell, &value) in self.lower[row(i)..row(i + 1)].iter_mut().zip(x) {
                *cell += scaled * value;
            }
        }
    }

    /// Adds another matrix of the same size.
    ///
    /// # Panics
    /// When the sizes differ.
    pub fn add(&mut self, other: &Self) {
        assert_eq!(self.size, other.size, "matrices of one size");
        for (mine, theirs) in self.lower.iter_mut().zip(&other.lower) {
            *mine += theirs;
        }
    }

    /// Adds to each entry of the diagonal its own value.
    ///
    /// # Panics
    /// When there is not one value per row.
    pub fn add_to_diagonal(&mut self, values: &[f64]) {
        assert_eq!(values.len(), self.size, "one value per row");
        for (i, value) in values.iter().enumerate() {
            self.lower[row(i) + i] += value;
        }
    }

    /// Multiplies every entry.
    pub fn scale(&mut self, factor: f64) {
        for cell in &mut self.lower {
            *cell *= factor;
        }
    }

    /// The product with a vector.
    ///
    /// # Panics
    /// When `x` has not one value per row.
    pub fn multiply(&self, x: &[f64]) -> Vec<f64> {
        assert_eq!(x.len(), self.size, "one value per row");
        (0..self.size).map(|i| (0..self.size).map(|j| self.get(i, j) * x[j]).sum()).collect()
    }

    /// `B S B'`, where `B` is given by its rows: how a covariance changes with
    /// its coordinates.
    ///
    /// # Panics
    /// When a row of `B` has not one value per row of the matrix.
    #[must_use]
    pub fn transformed(&self, b: &[Vec<f64>]) -> Self {
        let mut result = Self::zeros(b.len());
        for (i, x) in b.iter().enumerate() {
            let half = self.multiply(x);
            for (cell, other) in result.lower[row(i)..row(i + 1)].iter_mut().zip(b) {
                *cell = dot(&half, other);
            }
        }
        result
    }

    /// The rows and columns listed, in that order.
    #[must_use]
    pub fn selected(&self, kept: &[usize]) -> Self {
        let lower = kept.iter().enumerate();
        let lower = lower.flat_map(|(n, &i)| kept[..=n].iter().map(move |&j| self.get(i, j)));
        Self { size: kept.len(), lower: lower.collect() }
    }

    /// The whole matrix, row by row.
    pub fn rows(&self) -> Vec<Vec<f64>> {
        (0..self.size).map(|i| (0..self.size).map(|j| self.get(i, j)).collect()).collect()
    }

    /// The Cholesky factor.
    ///
    /// # Errors
    /// When the matrix is not positive definite, with the pivot that says so.
    ///
    /// ```
    /// use evalsmith_stats::matrix::Symmetric;
    /// let s = Symmetric::from_lower(2, vec![4.0, 2.0, 5.0]);
    /// let factor = s.cholesky()?;
    /// assert_eq!(factor.solve(&[8.0, 8.0]), [1.5, 1.0]);
    /// assert!((factor.log_determinant() - 16.0_f64.ln()).abs() < 1e-12);
    /// # Ok::<(), evalsmith_stats::matrix::NotPositive>(())
    /// ```
    pub fn cholesky(&self) -> Result<Cholesky, NotPositive> {
        let mut lower = self.lower.clone();
        for i in 0..self.size {
            let value = factor_row(&mut lower, i);
            if !(value > 0.0 && value.is_finite()) {
                return Err(NotPositive { pivot: i, value });
            }
            lower[row(i) + i] = value.sqrt();
        }
        Ok(Cholesky { size: self.size, lower })
    }

    /// The rows that are no linear combination of rows before them: those whose
    /// pivot, when factored in order, exceeds `tolerance` of their diagonal.
    pub fn independent(&self, tolerance: f64) -> Vec<usize> {
        let mut kept: Vec<usize> = Vec::with_capacity(self.size);
        let mut lower: Vec<f64> = Vec::with_capacity(self.lower.len());
        for i in 0..self.size {
            let n = kept.len();
            lower.extend(kept.iter().map(|&j| self.get(i, j)));
            lower.push(self.get(i, i));
            let value = factor_row(&mut lower, n);
            if value > tolerance * self.get(i, i) {
                lower[row(n) + n] = value.sqrt();
                kept.push(i);
            } else {
                lower.truncate(row(n));
            }
        }
        kept
    }
}

/// Replaces row `i` of a lower triangle, whose earlier rows are factored, by
/// its factor but for the diagonal; returns the pivot.
fn factor_row(lower: &mut [f64], i: usize) -> f64 {
    let (before, this) = lower.split_at_mut(row(i));
    for j in 0..i {
        let other = &before[row(j)..row(j + 1)];
        this[j] = (this[j] - dot(&this[..j], &other[..j])) / other[j];
    }
    this[i] - dot(&this[..i], &this[..i])
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// A matrix that has no Cholesky factor.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("the matrix is not positive definite: pivot {pivot} is {value:e}")]
pub struct NotPositive {
    /// The row whose pivot is not positive.
    pub pivot: usize,
    /// The pivot: zero, negative, or not a number.
    pub value: f64,
}

/// The lower triangular `L` with `L L'` equal to the matrix it came from.
#[derive(Clone, Debug, PartialEq)]
pub struct Cholesky {
    size: usize,
    lower: Vec<f64>,
}

impl Cholesky {
    /// The `x` with `S x = b`.
    ///
    /// # Panics
    /// When `b` has not one value per row.
    pub fn solve(&self, b: &[f64]) -> Vec<f64> {
        let mut x = self.solve_lower(b);
        for i in (0..self.size).rev() {
            x[i] /= self.lower[row(i) + i];
            for j in 0..i {
                x[j] -= self.lower[row(i) + j] * x[i];
            }
        }
        x
    }

    /// The `x` with `L x = b`; its squared length is `b' S^-1 b`.
    ///
    /// # Panics
    /// When `b` has not one value per row.
    pub fn solve_lower(&self, b: &[f64]) -> Vec<f64> {
        assert_eq!(b.len(), self.size, "one value per row");
        let mut x = b.to_vec();
        for i in 0..self.size {
            let line = &self.lower[row(i)..row(i + 1)];
            x[i] = (x[i] - dot(&line[..i], &x[..i])) / line[i];
        }
        x
    }

    /// The inverse of the matrix.
    pub fn inverse(&self) -> Symmetric {
        let mut unit = vec![0.0; self.size];
        let mut lower = vec![0.0; row(self.size)];
        for j in 0..self.size {
            unit.fill(0.0);
            unit[j] = 1.0;
            for (i, value) in self.solve(&unit).into_iter().enumerate().skip(j) {
                lower[row(i) + j] = value;
            }
        }
        Symmetric { size: self.size, lower }
    }

    /// The logarithm of the matrix's determinant.
    pub fn log_determinant(&self) -> f64 {
        2.0 * (0..self.size).map(|i| self.lower[row(i) + i].ln()).sum::<f64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::{collection::vec, prelude::*};

    /// Rows of data whose X'X is comfortably positive definite.
    fn data() -> impl Strategy<Value = (usize, Vec<Vec<f64>>)> {
        (1_usize..9).prop_flat_map(|k| (Just(k), vec(vec(-3.0..3.0_f64, k), k..40)))
    }

    fn gram(k: usize, rows: &[Vec<f64>]) -> Symmetric {
        let mut s = Symmetric::zeros(k);
        for x in rows {
            s.add_outer(0.5, x);
        }
        s.add_to_diagonal(&vec![0.1; k]);
        s
    }

    /// By Gaussian elimination on the full matrix.
    fn determinant(mut a: Vec<Vec<f64>>) -> f64 {
        let mut product = 1.0;
        for i in 0..a.len() {
            let pivot = a[i].clone();
            product *= pivot[i];
            for row in &mut a[i + 1..] {
                let factor = row[i] / pivot[i];
                row.iter_mut().zip(&pivot).for_each(|(x, p)| *x -= factor * p);
            }
        }
        product
    }

    proptest! {
        #[test]
        fn accumulation_is_the_sum_of_products((k, rows) in data()) {
            let s = gram(k, &rows);
            for i in 0..k {
                for j in 0..k {
                    let slow: f64 = rows.iter().map(|x| 0.5 * x[i] * x[j]).sum();
                    let slow = slow + if i == j { 0.1 } else { 0.0 };
                    prop_assert!((s.get(i, j) - slow).abs() < 1e-9);
                }
            }
        }

        #[test]
        fn solving_undoes_multiplying((k, rows) in data(), seed in vec(-5.0..5.0_f64, 9)) {
            let s = gram(k, &rows);
            let x = &seed[..k];
            let b = s.multiply(x);
            let factor = s.cholesky().unwrap();
            for (found, wanted) in factor.solve(&b).iter().zip(x) {
                prop_assert!((found - wanted).abs() < 1e-8);
            }
            let half = factor.solve_lower(&b);
            prop_assert!((dot(&half, &half) - dot(&b, x)).abs() < 1e-7 * (1.0 + dot(&b, x)));
        }

        #[test]
        fn inverse_times_matrix_is_identity((k, rows) in data()) {
            let s = gram(k, &rows);
            let inverse = s.cholesky().unwrap().inverse();
            for (j, column) in s.rows().iter().enumerate() {
                for (i, value) in inverse.multiply(column).iter().enumerate() {
                    prop_assert!((value - f64::from(u8::from(i == j))).abs() < 1e-8);
                }
            }
            prop_assert_eq!(Symmetric::identity(k).cholesky().unwrap().inverse(), Symmetric::identity(k));
        }

        #[test]
        fn log_determinant_agrees_with_elimination((k, rows) in data()) {
            let s = gram(k, &rows);
            let slow = determinant(s.rows()).ln();
            prop_assert!((s.cholesky().unwrap().log_determinant() - slow).abs() < 1e-8);
        }

        #[test]
        fn copies_and_sums_of_columns_are_dependent((k, rows) in data(), copy in 0_usize..8) {
            let copy = copy % k;
            let wide = |x: &Vec<f64>| {
                let mut y = vec![x[copy]];
                y.extend(x);
                y.push(x.iter().sum::<f64>() + 2.0 * x[copy]);
                y
            };
            let wide: Vec<_> = rows.iter().map(wide).collect();
            let mut s = Symmetric::zeros(k + 2);
            for x in &wide {
                s.add_outer(1.0, x);
            }
            prop_assume!(gram_is_well_conditioned(k, &rows));
            let kept = s.independent(1e-9);
            let expected: Vec<_> = (0..=k).filter(|&i| i != copy + 1).collect();
            prop_assert_eq!(&kept, &expected);
            prop_assert!(s.selected(&kept).cholesky().is_ok());
        }

        #[test]
        fn transforming_is_two_matrix_products((k, rows) in data(), b in vec(vec(-2.0..2.0_f64, 9), 1..5)) {
            let s = gram(k, &rows);
            let b: Vec<Vec<f64>> = b.into_iter().map(|x| x[..k].to_vec()).collect();
            let t = s.transformed(&b);
            for i in 0..b.len() {
                for j in 0..b.len() {
                    let slow: f64 = (0..k).map(|m| (0..k).map(|n| b[i][m] * s.get(m, n) * b[j][n]).sum::<f64>()).sum();
                    prop_assert!((t.get(i, j) - slow).abs() < 1e-8 * (1.0 + slow.abs()));
                }
            }
        }
    }

    fn gram_is_well_conditioned(k: usize, rows: &[Vec<f64>]) -> bool {
        let mut s = Symmetric::zeros(k);
        for x in rows {
            s.add_outer(1.0, x);
        }
        s.independent(1e-4).len() == k
    }

    #[test]
    fn failure_names_the_pivot() {
        let singular = Symmetric::from_lower(3, vec![1.0, 0.0, 1.0, 1.0, 0.0, 1.0]);
        assert_eq!(singular.cholesky(), Err(NotPositive { pivot: 2, value: 0.0 }));
        let bad = Symmetric::from_lower(2, vec![1.0, 0.0, f64::NAN]);
        assert_eq!(bad.cholesky().unwrap_err().pivot, 1);
        let negative = Symmetric::from_lower(1, vec![-2.0]);
        assert_eq!(negative.cholesky().unwrap_err().value, -2.0);
    }

    #[test]
    fn an_empty_matrix_has_determinant_one() {
        let none = Symmetric::zeros(0).cholesky().unwrap();
        assert_eq!(none.log_determinant(), 0.0);
        assert_eq!(none.inverse().size(), 0);
    }
}
