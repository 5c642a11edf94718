//! What runs have made so far: their state, their charts, their reports.

use crate::ask::{Told, Words};
use crate::curves::unstyled;
use crate::house::House;
use crate::order::Order;
use crate::refusal::Refusal;
use crate::stream;
use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;
use evalsmith_lab::LabError;
use evalsmith_lab::prelude::{
    RoundRecord, TestVerdict, TournamentOrder, files, match_page, match_table, read_course,
    read_match, standings_so_far, tournament_page,
};
use evalsmith_report::{LineChart, Series, Style};
use futures_util::stream::unfold;
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// How often a listener is told of a run.
const TOLD_EVERY: Duration = Duration::from_secs(1);
/// Rounds of a bootstrap that are looked at.
const MOST_ROUNDS: u32 = 2000;

/// A run in a list.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Listed {
    path: String,
    kind: String,
    game: Option<String>,
    /// `running`, `finished` or `stopped`.
    state: &'static str,
    /// Whether the page can go on with it.
    resumable: bool,
}

/// A run looked at.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Shown {
    #[serde(flatten)]
    listed: Listed,
    /// The command that made it, where the page ordered it.
    command: Option<String>,
    /// The end of its output.
    output: String,
    /// Charts of how it goes.
    charts: Vec<String>,
    /// Its result so far, as text.
    table: Option<String>,
    /// Whether there is a report to be opened.
    report: bool,
}

/// All runs of the workspace.
pub(crate) async fn list(State(house): State<Arc<House>>) -> Json<Vec<Listed>> {
    let mut listed: Vec<Listed> = Vec::new();
    for held in house.workspace.holdings().runs {
        // A run inside a run is a part of it.
        let inner = listed.iter().any(|run| held.path.starts_with(&format!("{}/", run.path)));
        if !inner {
            listed.push(one(&house, &held.path, &held.what, held.game));
        }
    }
    for makes in house.runs.ordered() {
        if !listed.iter().any(|run| run.path == makes)
            && let Some(record) = house.runs.record(&makes)
        {
            let game = record.order.game().map(str::to_owned);
            listed.push(one(&house, &makes, record.order.kind(), game));
        }
    }
    listed.sort_by(|a, b| (a.state != "running", &a.path).cmp(&(b.state != "running", &b.path)));
    Json(listed)
}

fn one(house: &House, path: &str, kind: &str, game: Option<String>) -> Listed {
    let place = house.workspace.root().join(path);
    let running = house.runs.is_running(path) || is_locked(&place);
    let finished = match kind {
        "match" => read_match(&place).is_ok_and(|(header, result)| {
            let open =
                result.test.as_ref().is_none_or(|test| test.verdict == TestVerdict::Continue);
            !open || result.stats.games() >= 2 * u64::from(header.plan.pairs)
        }),
        "fit" => place.is_file(),
        "learn" | "bootstrap" => place.join("summary.json").is_file(),
        _ => ["report.html", "summary.json", "comparison.json"]
            .iter()
            .any(|f| place.join(f).is_file()),
    };
    let state = match (running, finished) {
        (true, _) => "running",
        (false, true) => "finished",
        (false, false) => "stopped",
    };
    let resumable = state == "stopped" && house.runs.record(path).is_some();
    Listed { path: path.to_owned(), kind: kind.to_owned(), game, state, resumable }
}

/// Whether a run that somebody else started is at work in a folder.
fn is_locked(folder: &Path) -> bool {
    let lock = folder.join("run.lock");
    lock.is_file() && matches!(files::Lock::take(&lock), Ok(None))
}

/// Which run.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Which {
    path: String,
}

/// One run.
pub(crate) async fn show(
    State(house): State<Arc<House>>,
    Words(which): Words<Which>,
) -> Result<Json<Shown>, Refusal> {
    Ok(Json(shown(&house, &which.path)?))
}

fn shown(house: &House, path: &str) -> Result<Shown, Refusal> {
    let record = house.runs.record(path);
    let (kind, game) = if let Some(record) = &record {
        (record.order.kind().to_owned(), record.order.game().map(str::to_owned))
    } else {
        house.workspace.find(path)?;
        let runs = house.workspace.holdings().runs;
        let held = runs.into_iter().find(|held| held.path == path);
        let held = held.ok_or_else(|| Refusal::missing(format!("{path:?} is no run")))?;
        (held.what, held.game)
    };
    let listed = one(house, path, &kind, game);
    let place = house.workspace.root().join(path);
    let command = record.map(|record| format!("evalsmith {}", record.words.join(" ")));
    let (charts, table) = match kind.as_str() {
        "match" => match read_match(&place) {
            Ok((_, result)) => (course_chart(&place), Some(match_table(&result).to_text())),
            Err(_) => (Vec::new(), None),
        },
        "bootstrap" => (rounds_charts(&place), None),
        _ => (Vec::new(), None),
    };
    let report = match kind.as_str() {
        "match" => table.is_some(),
        "fit" => false,
        _ => place.join("report.html").is_file() || TournamentOrder::of_folder(&place).is_ok(),
    };
    Ok(Shown { listed, command, output: house.runs.output(path), charts, table, report })
}

/// How the score of a match came about.
fn course_chart(log: &Path) -> Vec<String> {
    let Ok(course) = read_course(log) else { return Vec::new() };
    if course.len() < 2 {
        return Vec::new();
    }
    let share = course.iter().map(|point| (point.pairs as f64, point.share)).collect();
    let band = course.iter().map(|point| (point.interval.low, point.interval.high)).collect();
    let chart = LineChart {
        title: "Share of the points".into(),
        x_label: "pairs of games".into(),
        y_label: "share of the first player".into(),
        series: vec![Series::new("share", share).band(band).style(Style::Line)],
        y_range: Some((0.0, 1.0)),
        ..LineChart::default()
    };
    vec![unstyled(&chart.to_svg())]
}

/// What a bootstrap learned from round to round.
fn rounds_charts(folder: &Path) -> Vec<String> {
    let read = |round: u32| -> Option<RoundRecord> {
        let file = folder.join(format!("round-{round:03}")).join("round.json");
        serde_json::from_slice(&fs::read(file).ok()?).ok()
    };
    let rounds: Vec<RoundRecord> = (1..=MOST_ROUNDS).map_while(read).collect();
    if rounds.len() < 2 {
        return Vec::new();
    }
    let right = rounds.iter().map(|r| (f64::from(r.round), r.right)).collect();
    let chart = LineChart {
        title: "Labels told rightly, by round".into(),
        x_label: "round".into(),
        y_label: "share of positions held out".into(),
        series: vec![Series::new("right", right).style(Style::Line)],
        y_range: Some((0.0, 1.0)),
        ..LineChart::default()
    };
    vec![unstyled(&chart.to_svg())]
}

/// A run, told again whenever it changed.
pub(crate) async fn events(
    State(house): State<Arc<House>>,
    Words(which): Words<Which>,
) -> Result<impl IntoResponse, Refusal> {
    let first = shown(&house, &which.path)?;
    let stream = unfold((house, which.path, Some(first), None), |state| async {
        let (house, path, first, mut last) = state;
        if let Some(first) = first {
            return Some((first.clone(), (house, path, None, Some(first))));
        }
        loop {
            tokio::time::sleep(TOLD_EVERY).await;
            let (asked, at) = (Arc::clone(&house), path.clone());
            let now = tokio::task::spawn_blocking(move || shown(&asked, &at)).await.ok()?.ok()?;
            if last.as_ref() != Some(&now) {
                last = Some(now.clone());
                return Some((now, (house, path, None, last)));
            }
        }
    });
    Ok(stream::values(stream, "run"))
}

/// The report of a run as a page of its own: no script, and styles of its own.
pub(crate) async fn report(
    State(house): State<Arc<House>>,
    Words(which): Words<Which>,
) -> Result<impl IntoResponse, Refusal> {
    let path = house.workspace.find(&which.path)?;
    let failed = |e: LabError| Refusal::from(e);
    let html = if path.is_file() {
        let (header, result) = read_match(&path).map_err(|e| failed(e.into()))?;
        let course = read_course(&path).map_err(|e| failed(e.into()))?;
        match_page(&header, &result, &course)
    } else if path.join("report.html").is_file() {
        let file = house.workspace.find(&format!("{}/report.html", which.path))?;
        fs::read_to_string(file).map_err(|e| Refusal::missing(e.to_string()))?
    } else {
        let (game, order) = TournamentOrder::of_folder(&path)?;
        tournament_page(&game, &order, &standings_so_far(&order, &path)?)
    };
    let policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox; \
                  frame-ancestors 'self'";
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CONTENT_SECURITY_POLICY, policy),
    ];
    Ok((headers, html))
}

/// Starts a run.
pub(crate) async fn start(
    State(house): State<Arc<House>>,
    Told(order): Told<Order>,
) -> Result<Json<serde_json::Value>, Refusal> {
    let command = order.command(&house)?;
    let (path, words) = (command.makes.clone(), command.words.join(" "));
    house.runs.start(order, command)?;
    Ok(Json(serde_json::json!({ "path": path, "command": format!("evalsmith {words}") })))
}

/// Stops a run.
pub(crate) async fn stop(
    State(house): State<Arc<House>>,
    Told(which): Told<Which>,
) -> Result<Json<serde_json::Value>, Refusal> {
    house.runs.stop(&which.path)?;
    Ok(Json(serde_json::json!({ "stopping": which.path })))
}

/// Goes on with a run that the page ordered.
pub(crate) async fn resume(
    State(house): State<Arc<House>>,
    Told(which): Told<Which>,
) -> Result<Json<serde_json::Value>, Refusal> {
    let record = house.runs.record(&which.path).ok_or_else(|| {
        let reason = "it was not ordered here: repeat the command it came from";
        Refusal::missing(format!("{:?}: {reason}", which.path))
    })?;
    // The record lies in a folder that others may write: it is checked as a request is.
    let command = record.order.command(&house)?;
    house.runs.start(record.order, command)?;
    Ok(Json(serde_json::json!({ "path": which.path })))
}
