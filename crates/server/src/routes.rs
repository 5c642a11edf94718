//! Which question goes where.

use crate::assets::{self, FILES};
use crate::guard;
use crate::house::{House, Work};
use crate::refusal::Refusal;
use crate::workspace::Holdings;
use crate::{curves, play, watch};
use axum::extract::State;
use axum::http::{StatusCode, Uri};
use axum::response::IntoResponse;
use axum::routing::{get, post};
use axum::{Json, Router, middleware};
use std::sync::Arc;

/// Bytes of an address.
const LONGEST: usize = 16 << 10;

/// The server, ready to be asked.
pub fn routes(house: Arc<House>) -> Router {
    let api = Router::new()
        .route("/games", get(play::games))
        .route("/games/{game}/view", post(play::view))
        .route("/games/{game}/read", post(play::read))
        .route("/games/{game}/set-up", post(play::set_up))
        .route("/games/{game}/account", post(play::account))
        .route("/games/{game}/reply", post(play::reply))
        .route("/games/{game}/analysis", get(play::analysis))
        .route("/games/{game}/course", get(play::course))
        .route("/workspace", get(holdings))
        .route("/curves/names", get(curves::names))
        .route("/curves/draw", post(curves::draw))
        .route("/curves/search", post(curves::search))
        .route("/curves/positions", post(curves::positions))
        .route("/runs", get(watch::list).post(watch::start))
        .route("/runs/one", get(watch::show))
        .route("/runs/events", get(watch::events))
        .route("/runs/report", get(watch::report))
        .route("/runs/stop", post(watch::stop))
        .route("/runs/resume", post(watch::resume));
    let page = FILES.iter().fold(Router::new(), |router, &(path, kind, text)| {
        router.route(path, get(move || async move { assets::file(kind, text) }))
    });
    Router::new()
        .nest("/api/v1", api)
        .merge(page)
        .fallback(|uri: Uri| async move {
            Refusal::missing(format!("there is nothing at {}", uri.path()))
        })
        .method_not_allowed_fallback(|| async {
            Refusal::new(StatusCode::METHOD_NOT_ALLOWED, "this is asked by another method")
        })
        .layer(middleware::from_fn(short_address))
        .layer(middleware::from_fn_with_state(Arc::clone(&house), guard::door))
        .with_state(house)
}

async fn short_address(
    request: axum::extract::Request,
    next: middleware::Next,
) -> axum::response::Response {
    let length = request.uri().path_and_query().map_or(0, |p| p.as_str().len());
    if length > LONGEST {
        let reason = format!("the address has {length} bytes; at most {LONGEST} are read");
        return Refusal::new(StatusCode::URI_TOO_LONG, reason).into_response();
    }
    next.run(request).await
}

async fn holdings(State(house): State<Arc<House>>) -> Result<Json<Holdings>, Refusal> {
    house.work(Work::Files, |house| Ok(Json(house.workspace.holdings()))).await
}
