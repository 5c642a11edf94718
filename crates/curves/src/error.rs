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

    /// More configurations than there is room for.
    #[error(
        "more than {most} configurations of up to {length} relations match {min_count} positions; \
         ask for fewer relations, for more positions with --min-count, or for fewer columns with \
         --property"
    )]
    TooManyConfigurations {
        /// How many there is room for.
        most: usize,
        /// The most relations asked for.
        length: usize,
        /// The positions that each must match.
        min_count: u64,
    },

    /// One game tells nothing about games.
    #[error("fewer than two games count; give more games")]
    TooFewGames,

    /// A column is zero, or a combination of others.
    #[error("column {column} of the fit is zero throughout or a combination of those before it")]
    Redundant {
        /// The column's place, from 0.
        column: usize,
    },

    /// A likelihood that rises for ever, or squares that fall for ever.
    #[error(
        "no weights are best: the columns part wins from losses, or say nothing about results; \
         give more games or fewer columns"
    )]
    NoBest,

    /// A feature whose weight cannot be told.
    #[error(
        "the feature {feature} is zero throughout or a combination of the value and the features \
         before it; leave it out"
    )]
    RedundantFeature {
        /// The feature.
        feature: String,
    },

    /// A value that says nothing about results.
    #[error(
        "the fitted scale of the values is {scale}: results do not grow with them; turn their \
         sign, or look at their curve first"
    )]
    Contrary {
        /// The fitted log-odds per unit of value.
        scale: f64,
    },
}
