//! What a fit predicts, and what it reached, group by group.

use evalsmith_core::Game;
use evalsmith_learn::{GroupFit, GroupRows, Link, Unit};
use evalsmith_protocol::DISCS_A_LOGIT;
use evalsmith_report::{Align, Table, number};
use evalsmith_rules::DynGame;
use serde::{Deserialize, Serialize};

/// What the weights of a position add up to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LinkName {
    /// The final margin itself.
    #[default]
    Margin,
    /// Log-odds; labels are 0.9, 0.5 and 0.1 for a win, a draw and a loss.
    Logistic,
    /// What a sigmoid turns into a margin within the largest there is.
    Range,
}

/// The largest margin of the sigmoid onto a range: all discs of a board.
const LARGEST: f32 = 64.0;

impl LinkName {
    pub(super) fn link(self) -> Link {
        match self {
            Self::Margin => Link::Identity,
            Self::Logistic => Link::Logistic,
            Self::Range => Link::Range(LARGEST),
        }
    }

    pub(super) fn unit(self) -> Unit {
        match self {
            Self::Margin => Unit::Margin { per_logit: DISCS_A_LOGIT },
            Self::Logistic | Self::Range => Unit::LogOdds,
        }
    }

    /// What a label is fitted as.
    pub(super) fn target(self, label: f32) -> f32 {
        match self {
            Self::Margin => label,
            Self::Logistic if label > 0.0 => 0.9,
            Self::Logistic if label < 0.0 => 0.1,
            Self::Logistic => 0.5,
            Self::Range => label.clamp(-LARGEST, LARGEST),
        }
    }

    /// The unit of errors, in words.
    pub(super) fn errors_in(self, game: &DynGame) -> &str {
        match self {
            Self::Logistic => "points",
            Self::Margin | Self::Range => game.margin_unit().unwrap_or("points"),
        }
    }
}

/// What the fit of a group of stages reached; errors are roots of mean squares.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GroupReport {
    /// The first and the last stage.
    pub stages: (u8, u8),
    /// Positions fitted.
    pub positions: u64,
    /// Positions held out.
    pub held_out: u64,
    /// The error on the positions fitted.
    pub train: f64,
    /// The error on those held out before the fit.
    pub before: Option<f64>,
    /// The error on those held out.
    pub holdout: Option<f64>,
    /// The same with weights of sixteen bits.
    pub rounded: Option<f64>,
    /// How firmly weights were held to their prior: with the neighbours, and alone.
    pub ridges: (Option<f64>, f64),
    /// Passes over the positions.
    pub passes: usize,
    /// The errors in training and held out over the passes of the first fit.
    #[serde(default)]
    pub trace: Vec<(f64, Option<f64>)>,
}

/// An error over all groups, each weighted by its positions held out.
pub(crate) fn mean_of(
    reports: &[GroupReport],
    error: impl Fn(&GroupReport) -> Option<f64>,
) -> Option<f64> {
    let of = |r: &GroupReport| Some((error(r)?.powi(2), r.held_out as f64));
    let (sum, rows) = reports
        .iter()
        .filter_map(of)
        .fold((0.0, 0.0), |(s, n), (square, rows)| (s + square * rows, n + rows));
    (rows > 0.0).then(|| (sum / rows).sqrt())
}

impl GroupReport {
    /// What a fit of these rows reached; `rounded` is the squared error with rounded
    /// weights.
    pub(super) fn new(
        stages: (u8, u8),
        rows: &GroupRows,
        fit: &GroupFit,
        rounded: Option<f64>,
    ) -> Self {
        Self {
            stages,
            positions: rows.train.len() as u64,
            held_out: rows.holdout.len() as u64,
            train: fit.after.train.sqrt(),
            before: fit.before.holdout.map(f64::sqrt),
            holdout: fit.after.holdout.map(f64::sqrt),
            rounded: rounded.map(f64::sqrt),
            ridges: fit.ridges,
            passes: fit.passes,
            trace: fit.trace.iter().map(|i| (i.train.sqrt(), i.holdout.map(f64::sqrt))).collect(),
        }
    }

    /// One line for people.
    pub(super) fn in_words(&self, unit: &str, rows_per_second: f64) -> String {
        let held_out = match (self.holdout, self.before) {
            (Some(now), Some(before)) => format!(", {now:.3} held out ({before:.3} before)"),
            _ => String::new(),
        };
        format!(
            "stages {}-{}: {} positions, error {:.3} {unit} in training{held_out}; {} passes, \
             {:.1} million positions/s",
            self.stages.0,
            self.stages.1,
            self.positions,
            self.train,
            self.passes,
            rows_per_second / 1e6
        )
    }
}

/// The reports of all groups.
pub(super) fn table(reports: &[GroupReport], unit: &str) -> Table {
    let mut table = Table::new([
        "stages",
        "positions",
        "held out",
        "train",
        "before",
        "hold-out",
        "16 bits",
        "held by",
        "passes",
    ])
    .align([Align::Right; 9]);
    table.caption = format!("errors in {unit}, roots of mean squares");
    let error = |value: Option<f64>| value.map_or_else(String::new, |v| number::fixed(v, 3));
    for report in reports {
        let held_by = match report.ridges {
            (Some(common), own) => format!("{common} / {own}"),
            (None, own) => own.to_string(),
        };
        table.push([
            format!("{}-{}", report.stages.0, report.stages.1),
            report.positions.to_string(),
            report.held_out.to_string(),
            number::fixed(report.train, 3),
            error(report.before),
            error(report.holdout),
            error(report.rounded),
            held_by,
            report.passes.to_string(),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_become_what_a_link_can_reach() {
        assert_eq!([-3.0, 0.0, 12.0].map(|l| LinkName::Logistic.target(l)), [0.1, 0.5, 0.9]);
        assert_eq!(LinkName::Range.target(99.0), 64.0);
        assert_eq!(LinkName::Margin.target(99.0), 99.0);
    }
}
