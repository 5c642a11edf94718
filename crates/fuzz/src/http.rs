//! Requests to the page's server: methods, paths, queries and JSON bodies.
//!
//! An input is a line with method and address, as in HTTP, and a body. The server runs
//! in this process. It can start no program, and its workspace is a temporary folder
//! with a table and the log of a match.

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::ConnectInfo;
use axum::http::{Request, StatusCode, Uri, header};
use evalsmith_lab::prelude::DynGame;
use evalsmith_othello::Othello;
use evalsmith_server::{House, Settings, routes};
use std::fs;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Duration;
use tempfile::TempDir;
use tokio::runtime::Runtime;
use tower::ServiceExt;

const ADDRESS: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 8000);
/// Requests are abandoned after this, as by a client that closes its connection:
/// thinking about a move takes seconds.
const PATIENCE: Duration = Duration::from_millis(100);
/// Bytes of an answer that are read.
const LARGEST: usize = 1 << 24;
/// Addresses that requests seem to come from, so that no one address comes too often.
const CLIENTS: u32 = 1000;

struct Server {
    runtime: Runtime,
    routes: Router,
    folder: TempDir,
}

static SERVER: LazyLock<Server> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let files: [(&str, &[u8]); 2] = [
        ("table.csv", include_bytes!("../../../fuzz/seeds/table/curve.csv")),
        ("match.jsonl", include_bytes!("../../../fuzz/seeds/log/one.jsonl")),
    ];
    for (name, bytes) in files {
        fs::write(folder.path().join(name), bytes).expect("room for a temporary file");
    }
    let settings = Settings {
        address: ADDRESS,
        token: None,
        workspace: folder.path().to_owned(),
        keep_runs: false,
        program: folder.path().join("no-such-program"),
    };
    let house = House::open(vec![DynGame::new(Othello::new())], settings, ADDRESS);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .max_blocking_threads(4)
        .enable_all()
        .build();
    Server {
        runtime: runtime.expect("threads for the server"),
        routes: routes(Arc::new(house.expect("a workspace that was just made"))),
        folder,
    }
});

/// A request. The answer must be a success, a redirection or a 4xx, and no worker may
/// have panicked.
pub(crate) fn http(bytes: &[u8]) {
    let Some(request) = request(bytes) else { return };
    let server = &*SERVER;
    let answer = server.runtime.block_on(async {
        tokio::time::timeout(PATIENCE, answer(server.routes.clone(), request)).await
    });
    if let Ok((status, text)) = answer {
        assert!(!status.is_server_error(), "{status}: {text}");
        assert!(!text.contains("panicked"), "{status}: {text}");
    }
    // Traces of runs that were ordered and could not start.
    let _ = fs::remove_dir_all(server.folder.path().join(".evalsmith"));
}

fn request(bytes: &[u8]) -> Option<Request<Body>> {
    static CLIENT: AtomicU32 = AtomicU32::new(0);
    let end = bytes.iter().position(|&byte| byte == b'\n')?;
    let (line, body) = (str::from_utf8(&bytes[..end]).ok()?, &bytes[end + 1..]);
    let (method, address) = line.split_once(' ')?;
    let client = Ipv4Addr::from(CLIENT.fetch_add(1, Ordering::Relaxed) % CLIENTS);
    Request::builder()
        .method(method)
        .uri(address.parse::<Uri>().ok()?)
        .header(header::HOST, ADDRESS.to_string())
        .header(header::CONTENT_TYPE, "application/json")
        .extension(ConnectInfo(SocketAddr::from((client, 1))))
        .body(Body::from(body.to_vec()))
        .ok()
}

async fn answer(routes: Router, request: Request<Body>) -> (StatusCode, String) {
    let response = match routes.oneshot(request).await {
        Ok(response) => response,
        Err(never) => match never {},
    };
    let (parts, body) = response.into_parts();
    let kind = parts.headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    if kind.is_some_and(|kind| kind.starts_with("text/event-stream")) {
        return (parts.status, String::new());
    }
    let bytes = to_bytes(body, LARGEST).await.expect("an answer of bounded length");
    (parts.status, String::from_utf8_lossy(&bytes).into_owned())
}
