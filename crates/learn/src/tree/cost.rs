//! What a price on features buys: fewer of them a value, for how much accuracy
//! (heinz93, end of section 3).

use super::TreeParams;
use super::fit::fit_tree;
use crate::{Examples, LearnError};
use serde::{Deserialize, Serialize};

/// A tree grown at a price.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PriceEffect {
    /// The price.
    pub price: f64,
    /// Its leaves.
    pub leaves: usize,
    /// Features that a value asks for, on average over the test set.
    pub asked: f64,
    /// The mean of (c - v)^2 over the test set.
    pub squared: f64,
    /// The share of test vectors classified correctly.
    pub right: f64,
}

/// Trees grown and chosen alike but for the price of features.
///
/// # Errors
/// As [`fit_tree`].
pub fn price_effects(
    params: &TreeParams,
    stages: usize,
    examples: &Examples<'_>,
    prices: &[f64],
) -> Result<Vec<PriceEffect>, LearnError> {
    let effect = |price: &f64| {
        let params = TreeParams { price: *price, ..params.clone() };
        let judged = fit_tree(&params, stages, examples, None, None)?.judged;
        Ok(PriceEffect {
            price: *price,
            leaves: judged.chosen.leaves,
            asked: judged.asked,
            squared: judged.chosen.squared,
            right: judged.right,
        })
    };
    prices.iter().map(effect).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use evalsmith_core::{Columns, Stage};

    #[test]
    fn a_price_makes_trees_ask_for_less() {
        // The first feature says most; each of the others a little more.
        let mut features = Columns::new((0..6).map(|i| format!("x{i}")).collect());
        let (mut points, mut games) = (Vec::new(), Vec::new());
        for i in 0..4000_u32 {
            let bits = i.wrapping_mul(2_654_435_761) >> 8;
            let row: Vec<f32> = (0..6).map(|f| (bits >> (4 * f) & 15) as f32).collect();
            let sum = 2.0 * row[0] + row[1..].iter().sum::<f32>();
            features.push(&row);
            points.push(f32::from(u8::from(sum > 52.0)));
            games.push(i);
        }
        let stages = vec![Stage(0); points.len()];
        let examples =
            Examples { features: &features, stages: &stages, points: &points, games: &games };
        let effects =
            price_effects(&TreeParams::default(), 1, &examples, &[0.0, 0.02, 0.5]).unwrap();
        assert!(effects[0].asked > effects[1].asked + 0.3, "{effects:?}");
        assert!(effects[1].asked > effects[2].asked, "{effects:?}");
        assert!(effects[0].right > 0.8 && effects[0].right + 0.02 > effects[2].right);
    }
}
