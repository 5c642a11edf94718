//! The total curve against conditioned ones (takeuchi07, figures 2 to 4), of the
//! hand-weighted function over games of its own, with and without quiescence.

use super::{Ground, Reproduction};
use crate::LabError;
use crate::curve_picture::{measured, rises};
use crate::fit::{bulk, table, values};
use evalsmith_core::Side;
use evalsmith_curves::{CurveCounter, CurveParams, Draws, Expression, TableRows, split};
use evalsmith_data::FeatureTable;
use evalsmith_report::{Align, LineChart, Mark, Table, number};
use serde::{Deserialize, Serialize};

/// The experiment's settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ConditionedCurves {
    /// Features whose largest and smallest fifths are conditions.
    features: Vec<String>,
    /// Whether curves of positions as they were played stand beside those at rest.
    raw: bool,
    /// What the paper says of it.
    paper: String,
}

impl ConditionedCurves {
    pub(super) fn run(&self, ground: &Ground<'_>) -> Result<Reproduction, LabError> {
        let hand = ground.game.function_by_hand()?;
        let dataset = ground.dataset()?;
        let mut told = Table::new([
            "positions as",
            "curve",
            "positions",
            "monotone",
            "vertical gap",
            "horizontal gap",
            "p",
            "paper",
        ])
        .align([Align::Left, Align::Left].into_iter().chain([Align::Right; 6]));
        let (mut charts, mut verdicts) = (Vec::new(), Vec::new());
        let ways: &[(&str, bool)] =
            if self.raw { &[("played", true), ("at rest", false)] } else { &[("at rest", false)] };
        for &(way, raw) in ways {
            let known = table(ground.game, &dataset, &hand, raw, ground.progress)?;
            let movers = hand.model().map_or_else(|| vec![0.0; known.len()], |m| values(m, &known));
            let chart = self.curves(&known, &movers, way, &mut told)?;
            let rising = if chart.1 { "rises" } else { "is NOT monotone" };
            verdicts.push(format!("Of positions {way} the total curve {rising}."));
            charts.push((chart.0, "Bands are 95 % intervals, clustered by game.".to_owned()));
        }
        let verdict = format!("{} The paper: {}", verdicts.join(" "), self.paper);
        let mut made = ground.told(vec![told], verdict);
        made.charts = charts;
        Ok(made)
    }

    /// Draws the curves of one way to take positions; whether the total one rises.
    fn curves(
        &self,
        known: &FeatureTable,
        movers: &[f64],
        way: &str,
        told: &mut Table,
    ) -> Result<(LineChart, bool), LabError> {
        let rows = 0..known.len();
        let sign = |row: usize| if known.sides[row] == Side::First { 1.0 } else { -1.0 };
        let values: Vec<f64> = rows.clone().map(|row| sign(row) * movers[row]).collect();
        let half = |row: usize| {
            let mover = (2.0 * known.points[row]).round() as u8;
            if known.sides[row] == Side::First { mover } else { 2 - mover }
        };
        let half_points: Vec<u8> = rows.clone().map(half).collect();
        let games: Vec<u64> = known.games.iter().map(|&game| u64::from(game)).collect();
        let names = known.columns.names();
        let (mut columns, mut conditions) = (Vec::new(), Vec::new());
        for feature in &self.features {
            let Some(at) = names.iter().position(|name| name == feature) else {
                let there = names.join(", ");
                let reason = format!("there is no feature {feature:?}; there are {there}");
                return Err(LabError::Settings(reason));
            };
            let column: Vec<f64> = rows
                .clone()
                .map(|row| sign(row) * f64::from(known.columns.column(at)[row]))
                .collect();
            let mut sorted = column.clone();
            sorted.sort_unstable_by(f64::total_cmp);
            let limit = |fifths: usize| number::significant(sorted[sorted.len() * fifths / 5], 3);
            for text in [format!("{feature} >= {}", limit(4)), format!("{feature} <= {}", limit(1))]
            {
                let condition = Expression::condition(&text);
                conditions.push(condition.map_err(|e| LabError::Settings(e.to_string()))?);
            }
            columns.push(column);
        }
        let (low, high) = bulk(&values);
        let params =
            CurveParams { min_count: 50, draws: Draws::LeftOut, ..CurveParams::auto(low, high)? };
        let mut counter = CurveCounter::new(&params, &conditions)?;
        counter.add(&TableRows {
            values: &values,
            half_points: &half_points,
            games: &games,
            columns: &columns,
        })?;
        let counted = counter.finish()?;
        let mut series = vec![measured("all positions", &counted.total.curve)];
        let splits = std::iter::once(None).chain(split(&counted));
        let all = std::iter::once(&counted.total).chain(&counted.conditioned);
        for (drawn, split) in all.zip(splits) {
            let name = drawn
                .condition
                .as_ref()
                .map_or_else(|| "all positions".into(), ToString::to_string);
            let counted: u64 = drawn.curve.bins.iter().map(|bin| bin.count).sum();
            let gap = |of: &dyn Fn(&evalsmith_curves::Split) -> String| {
                split.as_ref().map_or_else(String::new, of)
            };
            told.push([
                way.to_owned(),
                name.clone(),
                number::thousands(counted),
                rises(&drawn.curve).to_owned(),
                gap(&|s| format!("{:+.3}", s.vertical)),
                gap(&|s| s.horizontal.map_or_else(String::new, |h| number::significant(h, 3))),
                gap(&|s| number::p_value(s.p_value)),
                String::new(),
            ]);
            if drawn.condition.is_some() {
                series.push(measured(&name, &drawn.curve));
            }
        }
        let chart = LineChart {
            title: format!("Evaluation curves of positions {way}"),
            x_label: "value for the first player, log-odds".into(),
            y_label: "share of games the first player wins".into(),
            series,
            y_range: Some((0.0, 1.0)),
            marks: vec![Mark::Horizontal { y: 0.5, label: String::new() }],
            ..LineChart::default()
        };
        Ok((chart, counted.total.curve.monotone))
    }
}
