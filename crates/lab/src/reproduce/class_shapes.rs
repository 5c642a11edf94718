//! Whether the features of won and of lost positions are normal (lee86, figure
//! 5-3): class histograms beside the fitted normal distributions.

use super::{Ground, Reproduction};
use crate::LabError;
use evalsmith_report::{Align, LineChart, Series, Style, Table, number};
use evalsmith_stats::normal;
use serde::{Deserialize, Serialize};

/// Bars of a histogram.
const BARS: usize = 24;

/// The experiment's settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ClassShapes {
    stage: u8,
    radius: u8,
    features: Vec<String>,
    /// What the paper says of it.
    paper: String,
}

/// One feature of one class.
struct Shape {
    mean: f64,
    deviation: f64,
    skewness: f64,
    kurtosis: f64,
    /// The largest distance between the shares at or below a value and the
    /// normal distribution's.
    distance: f64,
}

impl ClassShapes {
    pub(super) fn run(&self, ground: &Ground<'_>) -> Result<Reproduction, LabError> {
        let table = ground.table(&ground.with(&self.features)?)?;
        let near = table.filter(|row| table.stages[row].0.abs_diff(self.stage) <= self.radius);
        let mut told = Table::new([
            "feature", "class", "positions", "mean", "deviation", "skewness", "kurtosis", "off normal by",
        ])
        .align([Align::Left, Align::Left].into_iter().chain([Align::Right; 6]))
        .caption(format!(
            "At stage {} ± {}; a normal distribution has skewness and kurtosis 0; the last column is the \
             largest distance of the distribution functions",
            self.stage, self.radius
        ));
        let mut charts = Vec::new();
        let mut worst = (0.0, String::new());
        for (i, name) in self.features.iter().enumerate() {
            let mut series = Vec::new();
            for (class, points) in [("won", 1.0_f32), ("lost", 0.0)] {
                let rows = (0..near.len()).filter(|&row| near.points[row] == points);
                let mut values: Vec<f64> =
                    rows.map(|row| f64::from(near.columns.column(i)[row])).collect();
                values.sort_unstable_by(f64::total_cmp);
                let Some(shape) = Shape::of(&values) else { continue };
                told.push([
                    name.clone(),
                    class.into(),
                    values.len().to_string(),
                    number::fixed(shape.mean, 2),
                    number::fixed(shape.deviation, 2),
                    number::fixed(shape.skewness, 2),
                    number::fixed(shape.kurtosis, 2),
                    number::percent(shape.distance, 1),
                ]);
                if shape.distance > worst.0 {
                    worst = (shape.distance, format!("{name} of {class} positions"));
                }
                series.extend(shape.drawn(class, &values));
            }
            let chart = LineChart {
                title: format!("{name} in won and lost positions"),
                x_label: name.clone(),
                y_label: "density".into(),
                series,
                ..LineChart::default()
            };
            charts
                .push((chart, "Histograms, and normal distributions of the same moments.".into()));
        }
        let verdict = format!(
            "The distribution farthest from normal is that of {}, by {} of its mass at most. The \
             paper: {}",
            worst.1,
            number::percent(worst.0, 1),
            self.paper
        );
        let mut made = ground.told(vec![told], verdict);
        made.charts = charts;
        Ok(made)
    }
}

impl Shape {
    /// The shape of sorted values; none of a constant.
    fn of(values: &[f64]) -> Option<Self> {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let moment = |k: i32| values.iter().map(|x| (x - mean).powi(k)).sum::<f64>() / n;
        let deviation = moment(2).sqrt();
        if deviation.is_nan() || deviation <= 0.0 {
            return None;
        }
        // Features are steps: a step's share is laid halfway.
        let mut distance = 0.0_f64;
        let mut below = 0;
        for run in values.chunk_by(|a, b| a == b) {
            let halfway = (below as f64 + 0.5 * run.len() as f64) / n;
            distance = distance.max((halfway - normal::cdf((run[0] - mean) / deviation)).abs());
            below += run.len();
        }
        Some(Self {
            mean,
            deviation,
            skewness: moment(3) / deviation.powi(3),
            kurtosis: moment(4) / deviation.powi(4) - 3.0,
            distance,
        })
    }

    /// The histogram and the normal density.
    fn drawn(&self, class: &str, values: &[f64]) -> [Series; 2] {
        let (low, width) = (self.mean - 3.0 * self.deviation, 6.0 * self.deviation / BARS as f64);
        let mut counts = [0_usize; BARS];
        for x in values {
            let bar = (x - low) / width;
            if (0.0..BARS as f64).contains(&bar) {
                counts[bar as usize] += 1;
            }
        }
        let middle = |i: usize| low + (i as f64 + 0.5) * width;
        let density = |i: usize| counts[i] as f64 / (values.len() as f64 * width);
        let bars = (0..BARS).map(|i| (middle(i), density(i))).collect();
        let smooth = (0..BARS).map(|i| {
            let z = (middle(i) - self.mean) / self.deviation;
            (middle(i), normal::density(z) / self.deviation)
        });
        [
            Series::new(class, bars),
            Series::new(format!("{class}, normal"), smooth.collect()).style(Style::Line),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_normal_sample_is_normal_and_a_coin_is_not() {
        let normal: Vec<f64> =
            (1..2000).map(|i| 3.0 + 2.0 * normal::quantile(f64::from(i) / 2000.0)).collect();
        let shape = Shape::of(&normal).expect("a spread");
        assert!(shape.distance < 0.01 && shape.skewness.abs() < 0.01, "{}", shape.distance);
        let coin: Vec<f64> = (0..100).map(|i| f64::from(i / 50)).collect();
        let shape = Shape::of(&coin).expect("a spread");
        assert!((shape.kurtosis + 2.0).abs() < 1e-9 && shape.distance > 0.05);
        assert!(Shape::of(&[1.0, 1.0]).is_none());
    }
}
