//! Conditions and formulas over the columns of a table.

use evalsmith_curves::Expression;

/// Parses the text as a condition and as a formula, and evaluates both.
pub(crate) fn condition(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else { return };
    let columns = |n: usize| vec![&[0.0, -1.5, f64::MAX][..]; n];
    if let Ok(condition) = Expression::condition(text) {
        condition.holds(&columns(condition.names().len()), &mut [false; 3]);
    }
    if let Ok(formula) = Expression::formula(text) {
        formula.values(&columns(formula.names().len()), &mut [0.0; 3]);
    }
}
