//! Evaluation curves of what the workspace holds.

use crate::ask::{Told, Words};
use crate::house::{House, Work};
use crate::refusal::Refusal;
use axum::Json;
use axum::extract::State;
use evalsmith_lab::LabError;
use evalsmith_lab::prelude::{
    Curve, Dataset, Draws, Expression, Game, SearchPlan, Sheet, TableCurves, TablePlan,
    TableSource, draw_table, search_table,
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::path::Path;
use std::sync::Arc;

/// Conditions drawn at once.
const MOST_CONDITIONS: usize = 6;
/// Conditions of a search that are told.
const MOST_FOUND: usize = 60;
/// Positions shown of a bin.
const MOST_SHOWN: usize = 12;

/// What is drawn.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Asked {
    /// A dataset's folder, or a table.
    data: String,
    /// The function for a dataset.
    function: Option<String>,
    /// The formula for a table, and what its columns mean.
    value: Option<String>,
    result: Option<String>,
    side: Option<String>,
    first: Option<String>,
    #[serde(default)]
    conditions: Vec<String>,
    bin_width: Option<f64>,
    min_count: Option<u64>,
    #[serde(default)]
    draws_half: bool,
    /// Of a search: whether pairs of properties are tried.
    #[serde(default)]
    pairs: bool,
    /// Of positions: from and to.
    range: Option<(f64, f64)>,
}

/// Where the values come from.
enum Source {
    Dataset,
    Table(TableSource),
}

impl Asked {
    fn draws(&self) -> Draws {
        if self.draws_half { Draws::Half } else { Draws::LeftOut }
    }

    fn conditions(&self) -> Result<Vec<Expression>, Refusal> {
        if self.conditions.len() > MOST_CONDITIONS {
            return Err(Refusal::bad(format!("at most {MOST_CONDITIONS} conditions at once")));
        }
        self.conditions.iter().map(|text| condition(text)).collect()
    }

    fn plan(&self) -> Result<TablePlan, Refusal> {
        if self.bin_width.is_some_and(|width| !(width.is_finite() && width > 0.0)) {
            return Err(Refusal::bad("a bin's width is a positive number"));
        }
        Ok(TablePlan {
            bin_width: self.bin_width,
            min_count: Some(self.min_count.unwrap_or(200).max(1)),
            draws: self.draws(),
            conditions: self.conditions()?,
        })
    }

    fn source(&self, house: &House) -> Result<Source, Refusal> {
        let path = house.workspace.find(&self.data)?;
        if path.is_dir() {
            return Ok(Source::Dataset);
        }
        let value = self.value.as_deref().ok_or_else(|| {
            let names = names_of(&path).map(|names| names.join(", ")).unwrap_or_default();
            Refusal::bad(format!(
                "{:?} is a table: say which column is the value: {names}",
                self.data
            ))
        })?;
        let value = Expression::formula(value).map_err(|e| Refusal::bad(e.to_string()))?;
        Ok(Source::Table(TableSource {
            path,
            value,
            result: self.result.clone().unwrap_or_else(|| "result".to_owned()),
            game: None,
            side: self.side.clone(),
            first: self.first.clone(),
        }))
    }
}

fn condition(text: &str) -> Result<Expression, Refusal> {
    Expression::condition(text).map_err(|e| Refusal::bad(format!("{text:?}: {e}")))
}

fn names_of(path: &Path) -> Result<Vec<String>, Refusal> {
    let sheet = Sheet::open(path).map_err(|e| Refusal::from(LabError::from(e)))?;
    Ok(sheet.names().to_vec())
}

/// Which table.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Named {
    data: String,
}

/// The columns of a table; the names of a dataset come with its curves.
pub(crate) async fn names(
    State(house): State<Arc<House>>,
    Words(asked): Words<Named>,
) -> Result<Json<serde_json::Value>, Refusal> {
    house
        .work(Work::Curves, move |house| {
            let path = house.workspace.find(&asked.data)?;
            Ok(Json(json!({ "names": names_of(&path)? })))
        })
        .await
}

/// Curves as the page shows them.
#[derive(Serialize)]
pub(crate) struct Drawing {
    svg: String,
    caption: String,
    /// Values at the ends of the horizontal axis, their places, and the width of the whole.
    axis: serde_json::Value,
    bin_width: f64,
    curves: Vec<Drawn>,
    notes: Vec<String>,
    /// Names that conditions may use.
    names: Vec<String>,
}

/// One of the curves.
#[derive(Serialize)]
struct Drawn {
    condition: Option<String>,
    positions: u64,
    games: u64,
    monotone: bool,
    split: Option<serde_json::Value>,
    bins: Vec<serde_json::Value>,
}

impl Drawn {
    fn new(curve: &Curve, condition: Option<String>, split: Option<serde_json::Value>) -> Self {
        let bins = curve.bins.iter().map(|b| {
            json!({ "centre": b.centre, "count": b.count, "win": b.win_prob, "low": b.low,
                "high": b.high })
        });
        Self {
            condition,
            positions: curve.bins.iter().map(|b| b.count).sum(),
            games: curve.games,
            monotone: curve.monotone,
            split,
            bins: bins.collect(),
        }
    }
}

/// Draws the total curve and the conditioned ones.
pub(crate) async fn draw(
    State(house): State<Arc<House>>,
    Told(asked): Told<Asked>,
) -> Result<Json<Drawing>, Refusal> {
    house
        .work(Work::Curves, move |house| {
            let plan = asked.plan()?;
            let (curves, names) = match asked.source(house)? {
                Source::Dataset => {
                    let gathered = house.gathered(&asked.data, asked.function.as_deref())?;
                    (gathered.curves(&plan)?, gathered.names().to_vec())
                }
                Source::Table(source) => {
                    (draw_table(&source, &plan, &house.deadline())?, names_of(&source.path)?)
                }
            };
            Ok(Json(drawing(&curves, names)))
        })
        .await
}

fn drawing(curves: &TableCurves, names: Vec<String>) -> Drawing {
    let chart = curves.chart("Evaluation curve");
    let axis = chart.x_axis();
    let mut drawn = vec![Drawn::new(&curves.total, None, None)];
    drawn.extend(curves.conditions.iter().map(|c| {
        let split = c.split.and_then(|split| serde_json::to_value(split).ok());
        Drawn::new(&c.curve, Some(c.condition.clone()), split)
    }));
    Drawing {
        svg: unstyled(&chart.to_svg()),
        caption: curves.caption(),
        axis: json!({ "values": axis.values, "pixels": axis.pixels, "width": axis.width }),
        bin_width: curves.total.params.bin_width,
        curves: drawn,
        notes: curves.notes.clone(),
        names,
    }
}

/// A chart without its style sheets: the page has them, and allows no others.
pub(crate) fn unstyled(svg: &str) -> String {
    let mut parts = svg.split("<style>");
    let mut bare = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        bare.push_str(part.split_once("</style>").map_or("", |(_, rest)| rest));
    }
    bare
}

/// Finds the conditions that split the curve.
pub(crate) async fn search(
    State(house): State<Arc<House>>,
    Told(asked): Told<Asked>,
) -> Result<Json<serde_json::Value>, Refusal> {
    house
        .work(Work::Curves, move |house| {
            let plan = SearchPlan {
                properties: Vec::new(),
                min_count: Some(asked.min_count.unwrap_or(200).max(1)),
                false_discovery_rate: 0.05,
                pairs: asked.pairs,
                configurations: 0,
                draws: asked.draws(),
                shuffle: None,
                shown: 0,
            };
            let searched = match asked.source(house)? {
                Source::Dataset => {
                    house.gathered(&asked.data, asked.function.as_deref())?.search(&plan)?
                }
                Source::Table(source) => search_table(&source, &plan, &house.deadline())?.searched,
            };
            let found: Vec<_> = searched.found.iter().take(MOST_FOUND).collect();
            Ok(Json(json!({ "positions": searched.positions, "games": searched.games,
            "tests": searched.tests, "found": found })))
        })
        .await
}

/// The positions of a range of values, as pictures.
pub(crate) async fn positions(
    State(house): State<Arc<House>>,
    Told(asked): Told<Asked>,
) -> Result<Json<serde_json::Value>, Refusal> {
    house
        .work(Work::Curves, move |house| {
            let range =
                asked.range.ok_or_else(|| Refusal::bad("say the range of values: [from, to]"))?;
            let Source::Dataset = asked.source(house)? else {
                return Err(Refusal::bad("a table holds no positions; choose a dataset"));
            };
            let held = asked.conditions()?;
            let gathered = house.gathered(&asked.data, asked.function.as_deref())?;
            let dataset = Dataset::open(&house.workspace.find(&asked.data)?)
                .map_err(|e| Refusal::from(LabError::from(e)))?;
            let game = house.game(&dataset.manifest().game)?;
            let study = house.study(game.name(), Some("trivial"))?;
            let mut shown = Vec::new();
            for (packed, value, half_points) in gathered.between(range, held.first(), MOST_SHOWN)? {
                let (position, side) = game.unpack(packed).map_err(LabError::from)?;
                let position = game.format(&position, side);
                let line = evalsmith_lab::prelude::Line { from: Some(position), moves: Vec::new() };
                let view = study.view(&line)?;
                shown.push(json!({ "position": line.from, "picture": view.picture,
                "diagram": view.diagram, "to_move": view.to_move, "value": value,
                "points": f64::from(half_points) / 2.0 }));
            }
            Ok(Json(json!({ "game": game.name(), "positions": shown })))
        })
        .await
}

#[cfg(test)]
mod tests {
    use super::unstyled;

    #[test]
    fn styles_are_taken_out_and_nothing_else() {
        let svg = "<svg><style>a{}</style><g/><style>b{}</style></svg>";
        assert_eq!(unstyled(svg), "<svg><g/></svg>");
        assert_eq!(unstyled("<svg/>"), "<svg/>");
    }
}
