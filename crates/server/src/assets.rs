//! The page's own files, inside the program.

use axum::http::header;
use axum::response::{IntoResponse, Response};
use evalsmith_report::CHART_STYLE;

const HTML: &str = "text/html; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";
const SVG: &str = "image/svg+xml";

/// Path, kind and contents of every file.
pub(crate) const FILES: &[(&str, &str, &str)] = &[
    ("/", HTML, include_str!("page/index.html")),
    ("/style.css", STYLE, include_str!("page/style.css")),
    ("/chart.css", STYLE, CHART_STYLE),
    ("/icon.svg", SVG, include_str!("page/icon.svg")),
    ("/main.js", SCRIPT, include_str!("page/main.js")),
    ("/dom.js", SCRIPT, include_str!("page/dom.js")),
    ("/api.js", SCRIPT, include_str!("page/api.js")),
    ("/board.js", SCRIPT, include_str!("page/board.js")),
    ("/game.js", SCRIPT, include_str!("page/game.js")),
    ("/play.js", SCRIPT, include_str!("page/play.js")),
    ("/values.js", SCRIPT, include_str!("page/values.js")),
    ("/course.js", SCRIPT, include_str!("page/course.js")),
    ("/setup.js", SCRIPT, include_str!("page/setup.js")),
    ("/inside.js", SCRIPT, include_str!("page/inside.js")),
    ("/curves.js", SCRIPT, include_str!("page/curves.js")),
    ("/runs.js", SCRIPT, include_str!("page/runs.js")),
];

/// One of the files.
pub(crate) fn file(kind: &'static str, text: &'static str) -> Response {
    // Another version of the program may answer at the same address tomorrow.
    ([(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, "no-cache")], text).into_response()
}
