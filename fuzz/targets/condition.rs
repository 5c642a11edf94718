//! Conditions and formulas over columns.
#![no_main]

use evalsmith_curves::Expression;

libfuzzer_sys::fuzz_target!(|text: &str| {
    let columns = |n: usize| vec![&[0.0, -1.5, f64::MAX][..]; n];
    if let Ok(condition) = Expression::condition(text) {
        condition.holds(&columns(condition.names().len()), &mut [false; 3]);
    }
    if let Ok(formula) = Expression::formula(text) {
        formula.values(&columns(formula.names().len()), &mut [0.0; 3]);
    }
});
