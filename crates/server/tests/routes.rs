//! Whatever is asked, the answer is a success or a 4xx with a sentence.

#![expect(clippy::unwrap_used, reason = "tests")]

use axum::Router;
use axum::body::{Body, Bytes};
use axum::http::{Method, Request, StatusCode};
use evalsmith_lab::prelude::Game;
use evalsmith_server::{House, Settings, routes};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use tower::ServiceExt;

const HOST: &str = "127.0.0.1:8000";

fn server(workspace: &Path, token: Option<&str>) -> Router {
    let address = HOST.parse().unwrap();
    let settings = Settings {
        address,
        token: token.map(str::to_owned),
        workspace: workspace.to_owned(),
        keep_runs: false,
        // Nothing is ever started by these tests but this.
        program: "/bin/false".into(),
    };
    routes(Arc::new(House::open(evalsmith_registry::games(), settings, address).unwrap()))
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap()
}

async fn ask(server: &Router, request: Request<Body>) -> (StatusCode, Bytes) {
    let response = server.clone().oneshot(request).await.unwrap();
    let (parts, body) = response.into_parts();
    let policy = parts.headers["content-security-policy"].to_str().unwrap();
    assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe-eval"));
    let kind = parts.headers.get("content-type").and_then(|kind| kind.to_str().ok());
    if kind.is_some_and(|kind| kind.starts_with("text/event-stream")) {
        return (parts.status, Bytes::new());
    }
    (parts.status, axum::body::to_bytes(body, 1 << 24).await.unwrap())
}

fn get(path: &str) -> Request<Body> {
    Request::get(path).header("host", HOST).body(Body::empty()).unwrap()
}

fn post(path: &str, body: &Value) -> Request<Body> {
    Request::post(path)
        .header("host", HOST)
        .header("content-type", "application/json")
        .body(Body::from(body.to_string()))
        .unwrap()
}

#[test]
fn the_page_and_its_files_are_there() {
    let temp = tempfile::tempdir().unwrap();
    runtime().block_on(async {
        let server = server(temp.path(), None);
        let (status, page) = ask(&server, get("/")).await;
        assert_eq!(status, 200);
        let page = String::from_utf8(page.to_vec()).unwrap();
        assert!(!page.contains("style=") && !page.contains("<style") && !page.contains("onclick"));
        // Every address that the page and its modules name is answered.
        let mut names = vec!["/".to_owned()];
        let mut next = 0;
        while let Some(name) = names.get(next).cloned() {
            next += 1;
            let (status, text) = ask(&server, get(&name)).await;
            assert_eq!(status, 200, "{name}");
            let text = String::from_utf8(text.to_vec()).unwrap();
            for word in text.split('"') {
                let file = word.starts_with('/') && !word.contains(' ');
                if file
                    && [".js", ".css", ".svg"].iter().any(|e| word.ends_with(e))
                    && !names.iter().any(|n| n == word)
                {
                    names.push(word.to_owned());
                }
            }
        }
        assert!(names.len() >= 16, "{names:?}");
    });
}

#[test]
fn a_game_is_played_over_the_interface() {
    let temp = tempfile::tempdir().unwrap();
    runtime().block_on(async {
        let server = server(temp.path(), None);
        for game in evalsmith_registry::games() {
            let game = game.name();
            let path = |verb: &str| format!("/api/v1/games/{game}/{verb}");
            let (status, body) = ask(&server, post(&path("view"), &json!({}))).await;
            let view: Value = serde_json::from_slice(&body).unwrap();
            assert_eq!(status, 200, "{game} {view}");
            let order = json!({ "strength": "beginner" });
            let (status, body) = ask(&server, post(&path("reply"), &order)).await;
            let reply: Value = serde_json::from_slice(&body).unwrap();
            assert_eq!(status, 200, "{game} {reply}");
            let order = json!({ "moves": [reply["move"]] });
            let (status, body) = ask(&server, post(&path("account"), &order)).await;
            let account: Value = serde_json::from_slice(&body).unwrap();
            assert_eq!(status, 200, "{game} {account}");
            let terms = account["terms"].as_array().unwrap();
            let sum: f64 = terms.iter().map(|t| t["contribution"].as_f64().unwrap()).sum();
            assert!((sum - account["total"].as_f64().unwrap()).abs() < 1e-6, "{game}");
            let order = json!({ "picture": view["picture"], "to_move": view["to_move"] });
            let (status, body) = ask(&server, post(&path("set-up"), &order)).await;
            let set: Value = serde_json::from_slice(&body).unwrap();
            assert_eq!((status, &set["position"]), (StatusCode::OK, &view["position"]), "{game}");
        }
    });
}

#[test]
fn refusals_are_sentences() {
    let temp = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink("/etc", temp.path().join("etc")).unwrap();
    std::os::unix::fs::symlink("/etc/hosts", temp.path().join("out.jsonl")).unwrap();
    std::fs::create_dir(temp.path().join("holder")).unwrap();
    std::os::unix::fs::symlink("/etc/hosts", temp.path().join("holder/report.html")).unwrap();
    runtime().block_on(async {
        let server = server(temp.path(), None);
        let run = |order: Value| post("/api/v1/runs", &order);
        let draw = |data: &str| post("/api/v1/curves/draw", &json!({ "data": data }));
        let large = json!({ "text": "x".repeat(1 << 17) });
        let cases = [
            (get("/nothing"), 404, "nothing at"),
            (get("/api/v1/games/ludo/analysis"), 404, "ludo"),
            (post("/api/v1/games/ludo/view", &json!({})), 404, "othello"),
            (post("/api/v1/games", &json!({})), 405, "another method"),
            (post("/api/v1/games/othello/view", &json!({ "moves": ["a1"] })), 400, "a1"),
            (post("/api/v1/games/othello/view", &json!({ "from": "XO" })), 400, "64"),
            (post("/api/v1/games/othello/view", &json!({ "x": 1 })), 422, "unknown field"),
            (post("/api/v1/games/othello/view", &json!({ "function": "../m" })), 403, "workspace"),
            (post("/api/v1/games/othello/view", &json!({ "function": "etc/passwd" })), 403, "inside"),
            (post("/api/v1/games/othello/view", &json!({ "function": "/etc/passwd" })), 403, "inside"),
            (post("/api/v1/games/othello/read", &large), 413, "length limit"),
            (get("/api/v1/games/othello/analysis?moves=z9"), 400, "z9"),
            (get("/api/v1/games/othello/analysis?depth=999"), 400, "depth"),
            (draw("etc/passwd"), 403, "inside"),
            (draw("nowhere"), 404, "nowhere"),
            (get("/api/v1/runs/report?path=../x"), 403, "inside"),
            (get("/api/v1/runs/one?path=etc"), 403, "inside"),
            (run(json!({ "kind": "learn", "game": "othello", "name": "../out" })), 400, "name"),
            (run(json!({ "kind": "learn", "game": "othello", "name": "--force" })), 400, "name"),
            (run(json!({ "kind": "learn", "game": "othello", "name": "etc" })), 403, "inside"),
            (run(json!({ "kind": "learn", "game": "othello", "name": "a", "games": 0 })), 400, "--games"),
            (run(json!({ "kind": "learn", "game": "othello", "name": "a", "out": "/x" })), 422, "unknown field"),
            (run(json!({ "kind": "rm", "name": "a" })), 422, "unknown variant"),
            (run(json!({ "kind": "match", "game": "othello", "name": "a", "a": "engine:uci:sh", "b": "hand" })), 400, "model file"),
            (run(json!({ "kind": "fit", "data": "../d", "name": "a" })), 403, "inside"),
            (run(json!({ "kind": "match", "game": "othello", "name": "out", "a": "hand", "b": "trivial" })), 403, "inside"),
            (run(json!({ "kind": "learn", "game": "othello", "name": "holder" })), 403, "links"),
            (run(json!({ "kind": "tournament", "game": "othello", "name": "a", "players": ["hand"] })), 400, "2 to"),
            (run(json!({ "kind": "tournament", "game": "othello", "name": "a", "players": ["hand", "@x#y"] })), 400, "model file"),
            (get("/api/v1/runs/report?path=holder"), 403, "links"),
            (get("/api/v1/runs/one?path=out.jsonl"), 403, "inside"),
            (get("/api/v1/runs/events?path=nowhere"), 404, "no run"),
            (get("/api/v1/games/%ff/analysis"), 400, "UTF-8"),
            (get("/api/v1/curves/names?data=etc/hosts"), 403, "inside"),
        ];
        for (request, status, word) in cases {
            let asked = format!("{} {}", request.method(), request.uri());
            let (given, body) = ask(&server, request).await;
            let told: Value = serde_json::from_slice(&body).unwrap_or_default();
            let sentence = told["error"].as_str().unwrap_or_default();
            assert!(given == status && sentence.contains(word), "{asked}: {given} {told}");
        }
    });
}

#[test]
fn foreign_sites_and_strangers_are_refused() {
    let temp = tempfile::tempdir().unwrap();
    runtime().block_on(async {
        let open = server(temp.path(), None);
        let mut foreign =
            post("/api/v1/runs", &json!({ "kind": "learn", "game": "othello", "name": "a" }));
        foreign.headers_mut().insert("origin", "https://evil.example".parse().unwrap());
        assert_eq!(ask(&open, foreign).await.0, 403);
        let rebound = Request::get("/api/v1/runs").header("host", "evil.example:8000");
        assert_eq!(ask(&open, rebound.body(Body::empty()).unwrap()).await.0, 403);
        assert!(!temp.path().join(".evalsmith").exists(), "nothing was started");

        let closed = server(temp.path(), Some("a-good-token"));
        assert_eq!(ask(&closed, get("/")).await.0, 401);
        assert_eq!(ask(&closed, get("/api/v1/games")).await.0, 401);
        assert_eq!(ask(&closed, get("/?token=a-bad-token")).await.0, 401);
        let response = closed.clone().oneshot(get("/?token=a-good-token")).await.unwrap();
        assert_eq!(response.status(), 303);
        let cookie = response.headers()["set-cookie"].to_str().unwrap();
        assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
        let mut known = get("/api/v1/games");
        known.headers_mut().insert("cookie", "evalsmith-token=a-good-token".parse().unwrap());
        assert_eq!(ask(&closed, known).await.0, 200);
        // The address that the browser shows is without the token in any case.
        let mut again = get("/?token=a-good-token");
        again.headers_mut().insert("cookie", "evalsmith-token=a-good-token".parse().unwrap());
        assert_eq!(ask(&closed, again).await.0, 303);
    });
}

/// Addresses near the real ones, and far from them.
fn address() -> impl Strategy<Value = String> {
    let verbs = prop::sample::select(vec![
        "games",
        "games/othello/view",
        "games/chess/read",
        "games/go/set-up",
        "games/shogi/account",
        "games/malawi/analysis",
        "games/othello/course",
        "workspace",
        "curves/names",
        "curves/draw",
        "curves/search",
        "curves/positions",
        "runs",
        "runs/one",
        "runs/events",
        "runs/report",
        "runs/stop",
        "runs/resume",
        "games/%2e%2e/view",
        "games//view",
    ]);
    let query = prop_oneof![
        Just(String::new()),
        "\\?[a-z]{0,6}=[a-zA-Z0-9%./~-]{0,20}",
        "\\?(moves|from|path|depth|function|data)=[a-z0-9%+./]{0,16}",
    ];
    prop_oneof![
        4 => (verbs, query).prop_map(|(verb, query)| format!("/api/v1/{verb}{query}")),
        1 => "/[a-zA-Z0-9./%_-]{0,30}",
    ]
}

fn body() -> impl Strategy<Value = Vec<u8>> {
    let text = "[ -~]{0,12}";
    let leaf = prop_oneof![
        Just(json!(null)),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        text.prop_map(Value::from),
        prop::sample::select(vec![
            "f5",
            "e4",
            "learn",
            "match",
            "tournament",
            "fit",
            "hand",
            "first",
            "stage < 9"
        ])
        .prop_map(Value::from),
    ];
    let value = leaf.prop_recursive(3, 24, 6, |inner| {
        let names = prop::sample::select(vec![
            "function",
            "from",
            "moves",
            "move",
            "strength",
            "text",
            "picture",
            "to_move",
            "columns",
            "rows",
            "pieces",
            "names",
            "surface",
            "hands",
            "data",
            "conditions",
            "range",
            "kind",
            "game",
            "name",
            "a",
            "b",
            "players",
            "path",
            "min_count",
            "bin_width",
        ]);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(names, inner, 0..6).prop_map(|map| {
                Value::Object(
                    map.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
                )
            }),
        ]
    });
    prop_oneof![
        4 => value.prop_map(|value| value.to_string().into_bytes()),
        1 => prop::collection::vec(any::<u8>(), 0..60),
    ]
}

#[test]
fn no_request_breaks_the_server() {
    let temp = tempfile::tempdir().unwrap();
    let runtime = runtime();
    let cases = ProptestConfig { cases: 250, ..ProptestConfig::default() };
    // A server for some requests each: the rate of one caller is limited.
    let servers: Vec<Router> = {
        let _inside = runtime.enter();
        (0..4).map(|_| server(temp.path(), None)).collect()
    };
    let turn = std::cell::Cell::new(0_usize);
    proptest!(cases, |(method in prop::sample::select(vec!["GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH", "BREW"]),
        address in address(), body in body())| {
        let request = Request::builder()
            .method(Method::from_bytes(method.as_bytes()).unwrap())
            .uri(&address)
            .header("host", HOST)
            .header("content-type", "application/json")
            .body(Body::from(body));
        let Ok(request) = request else { return Ok(()) };
        turn.set(turn.get() + 1);
        let (status, told) = runtime.block_on(ask(&servers[turn.get() % 4], request));
        prop_assert!(status.as_u16() < 500, "{method} {address}: {status}");
        if status.is_client_error() && method != "HEAD" {
            let told: Value = serde_json::from_slice(&told).unwrap_or_default();
            prop_assert!(told["error"].as_str().is_some_and(|s| !s.is_empty()), "{method} {address}: {status} {told}");
        }
    });
}
