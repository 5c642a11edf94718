//! Runs as the page sees them: listed, looked at, watched, started, stopped, resumed.

use crate::ask::{Told, Words};
use crate::house::{House, Work};
use crate::made::Made;
use crate::order::Order;
use crate::plain;
use crate::refusal::Refusal;
use crate::stream;
use crate::workspace::{Stamp, Workspace};
use axum::Json;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use evalsmith_lab::LabError;
use evalsmith_lab::prelude::{
    TournamentOrder, files, match_page, read_course, read_match, standings_so_far, tournament_page,
};
use futures_util::stream::unfold;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::OwnedSemaphorePermit;

/// How often a run is looked at for a listener; more rarely where that takes long.
const TOLD_EVERY: Duration = Duration::from_secs(1);
const REST: u32 = 10;
/// Bytes of a report that are read.
const LARGEST_REPORT: u64 = 64 << 20;

/// A run in a list.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Listed {
    path: String,
    kind: String,
    game: Option<String>,
    /// `running`, `finished` or `stopped`.
    state: &'static str,
    /// Whether the page can stop it, or go on with it: where the page ordered it.
    stoppable: bool,
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
pub(crate) async fn list(State(house): State<Arc<House>>) -> Result<Json<Vec<Listed>>, Refusal> {
    house.work(Work::Files, |house| Ok(Json(listed(house)))).await
}

fn listed(house: &House) -> Vec<Listed> {
    let mut listed: Vec<Listed> = Vec::new();
    for held in house.workspace.holdings().runs {
        // A run inside a run is a part of it.
        let inner = listed.iter().any(|run| held.path.starts_with(&format!("{}/", run.path)));
        if !inner {
            listed.extend(one(house, &held.path, &held.what, held.game));
        }
    }
    for makes in house.runs.ordered() {
        if !listed.iter().any(|run| run.path == makes)
            && let Some(record) = house.runs.record(&makes)
        {
            let game = record.order.game().map(str::to_owned);
            listed.extend(one(house, &makes, record.order.kind(), game));
        }
    }
    listed.sort_by(|a, b| (a.state != "running", &a.path).cmp(&(b.state != "running", &b.path)));
    listed
}

/// Where a run's result is or will be: inside the workspace in any case.
fn place(house: &House, path: &str) -> Result<PathBuf, Refusal> {
    match house.workspace.find(path) {
        Err(refusal) if refusal.status == StatusCode::NOT_FOUND => {
            Ok(house.workspace.root().join(path))
        }
        found => found,
    }
}

fn one(house: &House, path: &str, kind: &str, game: Option<String>) -> Option<Listed> {
    let place = place(house, path).ok()?;
    Some(told(house, path, kind, game, &place, Made::is_finished(kind, &place)))
}

fn told(
    house: &House,
    path: &str,
    kind: &str,
    game: Option<String>,
    place: &Path,
    finished: bool,
) -> Listed {
    let stoppable = house.runs.is_running(path);
    let state = match (stoppable || is_locked(place), finished) {
        (true, _) => "running",
        (false, true) => "finished",
        (false, false) => "stopped",
    };
    let resumable = state == "stopped" && house.runs.record(path).is_some();
    Listed { path: path.to_owned(), kind: kind.to_owned(), game, state, stoppable, resumable }
}

/// Whether a run that somebody else started is at work in a folder.
fn is_locked(folder: &Path) -> bool {
    let lock = folder.join("run.lock");
    lock.is_file() && matches!(files::Lock::take(&lock, folder), Err(files::LockError::Held { .. }))
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
    house.work(Work::Files, move |house| Ok(Json(shown(house, &which.path)?))).await
}

fn shown(house: &House, path: &str) -> Result<Shown, Refusal> {
    let place = place(house, path)?;
    let record = house.runs.record(path);
    let (kind, game) = if let Some(record) = &record {
        (record.order.kind().to_owned(), record.order.game().map(str::to_owned))
    } else {
        let held = house.workspace.run_at(&place);
        let held = held.ok_or_else(|| Refusal::missing(format!("{path:?} is no run")))?;
        (held.what, held.game)
    };
    let Made { finished, table, charts, report } = Made::look(&kind, &place);
    let listed = told(house, path, &kind, game, &place, finished);
    let command = record.map(|record| format!("evalsmith {}", record.words.join(" ")));
    Ok(Shown { listed, command, output: house.runs.output(path), charts, table, report })
}

/// What changes when a run has anything new to show, and costs little to ask.
fn traces(house: &House, path: &str) -> (bool, Stamp, Stamp) {
    let place = house.workspace.root().join(path);
    let running = house.runs.is_running(path) || is_locked(&place);
    (running, Workspace::stamp(&place), Workspace::stamp(&house.runs.output_file(path)))
}

/// A listener of a run.
struct Watcher {
    house: Arc<House>,
    path: String,
    seen: Option<(bool, Stamp, Stamp)>,
    pause: Duration,
    _turn: OwnedSemaphorePermit,
}

impl Watcher {
    /// The run, once it has changed; `None` when it is gone.
    async fn next(mut self) -> Option<(Shown, Self)> {
        loop {
            tokio::time::sleep(self.pause).await;
            let (path, seen) = (self.path.clone(), self.seen);
            let look = Arc::clone(&self.house).work(Work::Files, move |house| {
                let begun = Instant::now();
                let now = traces(house, &path);
                let fresh = (Some(now) != seen).then(|| shown(house, &path));
                Ok((now, fresh.transpose(), begun.elapsed()))
            });
            // Where the server is busy the next look is as good.
            let Ok((now, fresh, took)) = look.await else {
                self.pause = TOLD_EVERY;
                continue;
            };
            self.seen = Some(now);
            self.pause = TOLD_EVERY.max(REST * took);
            if let Some(fresh) = fresh.ok()? {
                return Some((fresh, self));
            }
        }
    }
}

/// A run, told again whenever it changed.
pub(crate) async fn events(
    State(house): State<Arc<House>>,
    Words(which): Words<Which>,
) -> Result<impl IntoResponse, Refusal> {
    let turn = Arc::clone(&house.watchers).try_acquire_owned();
    let reason = "as many listeners as this server allows watch runs; close one";
    let turn = turn.map_err(|_| Refusal::busy(reason))?;
    let path = which.path.clone();
    // A run that is none is refused, not waited for.
    let known = Arc::clone(&house).work(Work::Files, move |house| shown(house, &path).map(drop));
    known.await?;
    let watcher =
        Watcher { house, path: which.path, seen: None, pause: Duration::ZERO, _turn: turn };
    Ok(stream::values(unfold(watcher, Watcher::next), "run"))
}

/// The report of a run as a page of its own: no script, and styles of its own.
pub(crate) async fn report(
    State(house): State<Arc<House>>,
    Words(which): Words<Which>,
) -> Result<impl IntoResponse, Refusal> {
    let html = house.work(Work::Files, move |house| page_of(house, &which.path)).await?;
    let policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox; \
                  frame-ancestors 'self'";
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CONTENT_SECURITY_POLICY, policy),
    ];
    Ok((headers, html))
}

fn page_of(house: &House, name: &str) -> Result<String, Refusal> {
    let path = house.workspace.find(name)?;
    if path.is_file() {
        let failed = |e| Refusal::from(LabError::from(e));
        let (header, result) = read_match(&path).map_err(failed)?;
        let course = read_course(&path).map_err(failed)?;
        return Ok(match_page(&header, &result, &course));
    }
    if path.join("report.html").is_file() {
        let file = house.workspace.find(&format!("{name}/report.html"))?;
        let failed = |reason: String| Refusal::missing(format!("the report of {name:?}: {reason}"));
        let html = plain::read(&file, LARGEST_REPORT).map_err(|e| failed(e.to_string()))?;
        return String::from_utf8(html).map_err(|e| failed(e.to_string()));
    }
    let (game, order) = TournamentOrder::of_folder(&path)?;
    Ok(tournament_page(&game, &order, &standings_so_far(&order, &path)?))
}

/// Starts a run.
pub(crate) async fn start(
    State(house): State<Arc<House>>,
    Told(order): Told<Order>,
) -> Result<Json<serde_json::Value>, Refusal> {
    let started = house.work(Work::Files, move |house| {
        let command = order.command(house)?;
        let (path, words) = (command.makes.clone(), command.words.join(" "));
        house.runs.start(order, command)?;
        Ok(serde_json::json!({ "path": path, "command": format!("evalsmith {words}") }))
    });
    Ok(Json(started.await?))
}

/// Stops a run.
pub(crate) async fn stop(
    State(house): State<Arc<House>>,
    Told(which): Told<Which>,
) -> Result<Json<serde_json::Value>, Refusal> {
    let stopping = house.work(Work::Files, move |house| {
        house.runs.stop(&which.path)?;
        Ok(serde_json::json!({ "stopping": which.path }))
    });
    Ok(Json(stopping.await?))
}

/// Goes on with a run that the page ordered.
pub(crate) async fn resume(
    State(house): State<Arc<House>>,
    Told(which): Told<Which>,
) -> Result<Json<serde_json::Value>, Refusal> {
    let resumed = house.work(Work::Files, move |house| {
        let record = house.runs.record(&which.path).ok_or_else(|| {
            let reason = "it was not ordered here: repeat the command it came from";
            Refusal::missing(format!("{:?}: {reason}", which.path))
        })?;
        // The record lies in a folder that others may write: it is checked as a request is.
        let command = record.order.command(house)?;
        house.runs.start(record.order, command)?;
        Ok(serde_json::json!({ "path": which.path }))
    });
    Ok(Json(resumed.await?))
}
