//! Positions, moves, analyses and reasons.

use crate::ask::{Called, Told, Words};
use crate::house::{House, Work};
use crate::pool::Hurry;
use crate::refusal::Refusal;
use crate::stream;
use axum::Json;
use axum::extract::State;
use axum::response::IntoResponse;
use evalsmith_lab::LabError;
use evalsmith_lab::prelude::{
    Account, Features, Game, Line, News, Picture, Reply, Side, Stepwise, Strength, Study, View,
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::sync::Arc;

/// Plies that are looked ahead at most.
const DEEPEST: u8 = 60;
/// Plies looked ahead in every position of a game.
const COURSE_DEPTH: u8 = 5;

type Shared = State<Arc<House>>;

/// The games and what may be asked of them.
pub(crate) async fn games(State(house): Shared) -> Json<serde_json::Value> {
    let told: Vec<_> = house
        .games()
        .iter()
        .map(|game| {
            json!({
                "name": game.name(),
                "features": game.features().names(),
                "solver": game.solver().is_some(),
                "shipped": game.has_shipped(),
            })
        })
        .collect();
    Json(json!({ "games": told, "strengths": Strength::ALL, "version": env!("CARGO_PKG_VERSION") }))
}

/// A position and who looks at it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Asked {
    function: Option<String>,
    from: Option<String>,
    #[serde(default)]
    moves: Vec<String>,
    #[serde(rename = "move")]
    mv: Option<String>,
    strength: Option<Strength>,
}

impl Asked {
    fn line(&self) -> Line {
        Line { from: self.from.clone(), moves: self.moves.clone() }
    }
}

/// A position with the names of its players.
#[derive(Serialize)]
pub(crate) struct Shown {
    #[serde(flatten)]
    view: View,
    sides: [String; 2],
    kind: &'static str,
    /// The function, with a digest of its weights.
    function: String,
}

/// The position at the end of a line.
pub(crate) async fn view(
    State(house): Shared,
    Called(game): Called,
    Told(asked): Told<Asked>,
) -> Result<Json<Shown>, Refusal> {
    let shown = house.work(Work::with(asked.function.as_deref()), move |house| {
        let study = house.study(&game, asked.function.as_deref())?;
        let view = study.view(&asked.line())?;
        let sides = study.side_names().map(str::to_owned);
        Ok(Shown { view, sides, kind: study.kind(), function: study.identity() })
    });
    Ok(Json(shown.await?))
}

/// Text of a person.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Text {
    text: String,
}

/// The line that a transcript or a position tells.
pub(crate) async fn read(
    State(house): Shared,
    Called(game): Called,
    Told(asked): Told<Text>,
) -> Result<Json<Line>, Refusal> {
    let line = house.work(Work::Play, move |house| {
        Ok(house.study(&game, Some("trivial"))?.read(&asked.text)?)
    });
    Ok(Json(line.await?))
}

/// A board that was put together.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Composed {
    picture: Picture,
    to_move: Side,
}

/// The position that a picture shows.
pub(crate) async fn set_up(
    State(house): Shared,
    Called(game): Called,
    Told(asked): Told<Composed>,
) -> Result<Json<serde_json::Value>, Refusal> {
    let position = house.work(Work::Play, move |house| {
        let study = house.study(&game, Some("trivial"))?;
        Ok(study.set_up(&asked.picture, asked.to_move)?)
    });
    Ok(Json(json!({ "position": position.await? })))
}

/// Why the function says what it says.
pub(crate) async fn account(
    State(house): Shared,
    Called(game): Called,
    Told(asked): Told<Asked>,
) -> Result<Json<Account>, Refusal> {
    let account = house.work(Work::with(asked.function.as_deref()), move |house| {
        let study = house.study(&game, asked.function.as_deref())?;
        Ok(study.account(&asked.line(), asked.mv.as_deref())?)
    });
    Ok(Json(account.await?))
}

/// A move in answer.
pub(crate) async fn reply(
    State(house): Shared,
    Called(game): Called,
    Told(asked): Told<Asked>,
) -> Result<Json<Reply>, Refusal> {
    let begun = house.work(Work::with(asked.function.as_deref()), move |house| {
        let study = house.study(&game, asked.function.as_deref())?;
        let work = study.reply(&asked.line(), asked.strength.unwrap_or_default())?;
        let reason = "as many replies as this server allows are under way; try again in a moment";
        house.pool.begin(work, Hurry::Urgent).ok_or_else(|| Refusal::busy(reason))
    });
    let mut hear = begun.await?;
    // The answer is told once, and may be told before it is waited for.
    while hear.borrow_and_update().is_none() {
        if hear.changed().await.is_err() {
            break;
        }
    }
    match &*hear.borrow() {
        Some(News::Reply(reply)) => Ok(Json(reply.clone())),
        _ => Err(Refusal::busy("no answer was found in time; ask again")),
    }
}

/// What an event source asks for, all in its address.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Watched {
    function: Option<String>,
    from: Option<String>,
    /// With spaces between them.
    #[serde(default)]
    moves: String,
    depth: Option<u8>,
}

impl Watched {
    fn line(&self) -> Line {
        let moves = self.moves.split_whitespace().map(str::to_owned).collect();
        Line { from: self.from.clone().filter(|text| !text.is_empty()), moves }
    }
}

/// Begins what goes on while somebody listens.
async fn begin(
    house: Arc<House>,
    game: String,
    asked: Watched,
    start: impl FnOnce(&Study, &Watched) -> Result<Box<dyn Stepwise>, LabError> + Send + 'static,
) -> Result<impl IntoResponse, Refusal> {
    let begun = house.work(Work::with(asked.function.as_deref()), move |house| {
        let study = house.study(&game, asked.function.as_deref())?;
        let work = start(&study, &asked)?;
        let reason = "as many analyses as this server allows are under way; close one";
        house.pool.begin(work, Hurry::Patient).ok_or_else(|| Refusal::busy(reason))
    });
    Ok(stream::events(begun.await?))
}

/// The values of all moves, deeper and deeper.
pub(crate) async fn analysis(
    State(house): Shared,
    Called(game): Called,
    Words(asked): Words<Watched>,
) -> Result<impl IntoResponse, Refusal> {
    begin(house, game, asked, |study, asked| {
        study.analysis(&asked.line(), asked.depth.unwrap_or(DEEPEST).clamp(1, DEEPEST))
    })
    .await
}

/// The values of a game's positions, and its blunders.
pub(crate) async fn course(
    State(house): Shared,
    Called(game): Called,
    Words(asked): Words<Watched>,
) -> Result<impl IntoResponse, Refusal> {
    begin(house, game, asked, |study, asked| {
        study.course(&asked.line(), asked.depth.unwrap_or(COURSE_DEPTH).clamp(1, DEEPEST))
    })
    .await
}
