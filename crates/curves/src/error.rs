//! What can keep a curve from being drawn.

/// Why there is no curve, and what would help.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CurveError {
    /// The bin width is not a positive number.
    #[error("the bin width is {0}; it must be a positive number")]
    BinWidth(f64),

    /// The range for an automatic bin width is empty or not finite.
    #[error("values from {min} to {max} are no range; give finite limits, the smaller first")]
    Range {
        /// The lower limit given.
        min: f64,
        /// The upper limit given.
        max: f64,
    },

    /// A game's points are none of 1, ½ and 0.
    #[error("game {game} gives {points} points; a win gives 1, a draw 0.5, a loss 0")]
    Points {
        /// The offending points.
        points: f32,
        /// The game they belong to.
        game: u32,
    },

    /// A value lies too many bins away from zero to be numbered.
    #[error(
        "the value {value} lies more than two thousand million bins of width {bin_width} from \
         zero; use wider bins"
    )]
    TooFar {
        /// The offending value.
        value: f64,
        /// The width of a bin.
        bin_width: f64,
    },

    /// There are more bins than anybody can look at.
    #[error("bins of width {bin_width} give more than {limit} bins; use wider bins")]
    TooManyBins {
        /// The most bins allowed.
        limit: usize,
        /// The width of a bin.
        bin_width: f64,
    },

    /// No observation counts.
    #[error(
        "no position counts: of {positions} given, {draws_left_out} are drawn and left out and \
         {not_finite} have no finite value"
    )]
    NoObservations {
        /// Positions given.
        positions: u64,
        /// Drawn positions left out.
        draws_left_out: u64,
        /// Positions without a finite value.
        not_finite: u64,
    },

    /// Every bin holds fewer positions than the minimum.
    #[error(
        "every bin of width {bin_width} holds fewer than {min_count} positions, the fullest \
         {largest}; use wider bins, a minimum of at most {largest}, or more games"
    )]
    BelowMinimum {
        /// Positions in the fullest bin.
        largest: u64,
        /// The minimum asked for.
        min_count: u64,
        /// The width of a bin.
        bin_width: f64,
    },
}
