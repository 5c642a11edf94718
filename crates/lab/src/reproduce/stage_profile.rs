//! The features over the stages: correlations (lee86, figure 5-1), how often one
//! alone names the winner (figure 5-2), and whether won and lost positions share
//! a covariance (buro95).

use super::{Ground, Reproduction};
use crate::LabError;
use evalsmith_learn::{Diagnosis, Learner};
use evalsmith_report::{LineChart, Mark, Series, Style, Table, number};
use serde::{Deserialize, Serialize};

/// The experiment's settings and what the paper says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StageProfile {
    what: What,
    features: Vec<String>,
    radius: u8,
    /// What the paper says of it.
    paper: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum What {
    Correlations,
    Classification,
    Covariances,
}

impl StageProfile {
    pub(super) fn run(&self, ground: &Ground<'_>) -> Result<Reproduction, LabError> {
        let table = ground.table(&ground.with(&self.features)?)?;
        // A fit knows its features, and those that tables make of others.
        let fitted = ground.fit(&table, Learner::Fisher, self.radius)?;
        let statistics = &fitted.record.statistics;
        let found = &statistics.diagnoses;
        let mut made = match self.what {
            What::Correlations => correlations(ground, found),
            What::Classification => classification(ground, found),
            What::Covariances => {
                let sentence = statistics.quadratic_sentence().unwrap_or_default();
                covariances(ground, found, sentence.trim())
            }
        };
        made.verdict = format!("{} The paper: {}", made.verdict, self.paper);
        Ok(made)
    }
}

/// Every so many stages make a table of a dozen rows.
fn some(found: &[Diagnosis]) -> impl Iterator<Item = &Diagnosis> {
    found.iter().step_by((found.len() / 12).max(1))
}

fn correlations(ground: &Ground<'_>, found: &[Diagnosis]) -> Reproduction {
    let names: Vec<String> = found.first().map(|d| d.moments.features.clone()).unwrap_or_default();
    let pairs: Vec<(usize, usize)> =
        (0..names.len()).flat_map(|i| (i + 1..names.len()).map(move |j| (i, j))).collect();
    let title = |&(i, j): &(usize, usize)| format!("{} and {}", names[i], names[j]);
    // The mean of both classes, as the paper draws one line a pair.
    let value = |d: &Diagnosis, &(i, j): &(usize, usize)| {
        f64::midpoint(d.moments.win.correlation[i][j], d.moments.loss.correlation[i][j])
    };
    let mut table = Table::new(["stage".to_owned()].into_iter().chain(pairs.iter().map(title)));
    for d in some(found) {
        let cells = pairs.iter().map(|pair| number::fixed(value(d, pair), 2));
        table.push([d.stage().0.to_string()].into_iter().chain(cells));
    }
    let series = |pair: &(usize, usize)| {
        let points = found.iter().map(|d| (f64::from(d.stage().0), value(d, pair))).collect();
        Series::new(title(pair), points).style(Style::Line)
    };
    let chart = LineChart {
        title: "Correlations of the features by stage".into(),
        x_label: "stage".into(),
        y_label: "correlation within the classes".into(),
        series: pairs.iter().map(series).collect(),
        marks: vec![Mark::Horizontal { y: 0.0, label: String::new() }],
        ..LineChart::default()
    };
    let change = pairs.iter().map(|pair| {
        let all = || found.iter().map(|d| value(d, pair));
        all().fold(f64::NEG_INFINITY, f64::max) - all().fold(f64::INFINITY, f64::min)
    });
    let strong =
        pairs.iter().filter(|pair| found.iter().any(|d| value(d, pair).abs() > 0.5)).count();
    let verdict = format!(
        "{strong} of {} pairs correlate above 0.5 at some stage, and a pair's correlation moves by up \
         to {:.2} over the game: weights that ignore correlations, or the stage, cannot be right.",
        pairs.len(),
        change.fold(0.0, f64::max)
    );
    let mut made = ground.told(vec![table], verdict);
    made.charts.push((chart, "Mean of the correlations in won and in lost positions.".into()));
    made
}

fn classification(ground: &Ground<'_>, found: &[Diagnosis]) -> Reproduction {
    let names: Vec<String> = found.first().map(|d| d.moments.features.clone()).unwrap_or_default();
    let mut table = Table::new(["stage".to_owned()].into_iter().chain(names.iter().cloned()))
        .caption("Share of positions whose winner one feature names, with 95 % intervals");
    for d in some(found) {
        let cells = d.features.iter().map(|f| {
            let c = f.classified;
            let text = |x| number::percent(x, 0);
            format!("{} ({} to {})", text(c.value), text(c.low), text(c.high))
        });
        table.push([d.stage().0.to_string()].into_iter().chain(cells));
    }
    let series = |(i, name): (usize, &String)| {
        let of = |d: &Diagnosis| d.features[i].classified;
        let points = found.iter().map(|d| (f64::from(d.stage().0), of(d).value)).collect();
        let band = found.iter().map(|d| (of(d).low, of(d).high)).collect();
        Series::new(name, points).band(band).style(Style::Line)
    };
    let chart = LineChart {
        title: "How often one feature names the winner".into(),
        x_label: "stage".into(),
        y_label: "share of positions".into(),
        series: names.iter().enumerate().map(series).collect(),
        ..LineChart::default()
    };
    let best = |d: &Diagnosis| {
        let ranked =
            d.features.iter().max_by(|a, b| a.classified.value.total_cmp(&b.classified.value));
        ranked.map_or(String::new(), |f| f.name.clone())
    };
    let ends = found.first().zip(found.last());
    let verdict = ends.map_or(String::new(), |(first, last)| {
        format!(
            "Alone, {} tells most at stage {} and {} at stage {}.",
            best(first),
            first.stage().0,
            best(last),
            last.stage().0
        )
    });
    let mut made = ground.told(vec![table], verdict);
    made.charts.push((chart, "Bands: 95 % intervals, clustered by game.".into()));
    made
}

fn covariances(ground: &Ground<'_>, found: &[Diagnosis], sentence: &str) -> Reproduction {
    let mut table =
        Table::new(["stage", "positions", "games", "Box's M", "degrees of freedom", "p"])
            .caption("Whether won and lost positions share a covariance");
    for d in some(found) {
        let Some(m) = d.box_m else { continue };
        table.push([
            d.stage().0.to_string(),
            d.moments.rows.to_string(),
            d.moments.games.to_string(),
            number::fixed(m.statistic, 1),
            number::fixed(m.freedom, 0),
            number::p_value(m.p),
        ]);
    }
    ground.told(vec![table], sentence.to_owned())
}
