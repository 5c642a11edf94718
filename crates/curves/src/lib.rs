//! Evaluation curves with their confidence bands (takeuchi07).
//!
//! A curve answers: when the function says v, how often does that side win? A
//! good function gives equal values to positions with equal chances, so its
//! curve rises, and rises alike whatever else holds in the position.
//!
//! ```
//! use evalsmith_curves::{CurveParams, Observation, curve};
//! let params = CurveParams { bin_width: 1.0, min_count: 100, ..CurveParams::default() };
//! // 40 games of 10 positions each; values of won games are higher.
//! let observations = (0..400).map(|i| {
//!     let game = i / 10;
//!     let points = if game % 4 == 0 { 0.0 } else { 1.0 };
//!     Observation { value: f64::from(points) - 0.5 + f64::from(i % 3), points, game }
//! });
//! let curve = curve(&params, observations)?;
//! assert_eq!((curve.positions, curve.games), (400, 40));
//! assert!(curve.drawn().all(|(bin, p)| bin.low <= p && p <= bin.high));
//! # Ok::<(), evalsmith_curves::CurveError>(())
//! ```

mod adjust;
mod count;
mod curve;
mod error;
mod expression;
mod fastest;
mod hats;
mod logistic;
mod monotone;
mod newton;
mod params;
mod search;
mod split;
mod tally;

pub use adjust::{Adjustment, Method, Positions, Weight, adjust};
pub use count::{Counted, CurveCounter, Drawn, TableRows};
pub use curve::{Bin, Curve, Observation, curve};
pub use error::CurveError;
pub use expression::{Expression, ExpressionError, quoted};
pub use logistic::Logistic;
pub use params::{CurveParams, Draws};
pub use search::{Found, SearchParams, SearchTable, Searched, search};
pub use split::{Split, split};
