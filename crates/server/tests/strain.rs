//! The server under strain, over real connections: it goes on answering, and ends.

#![expect(clippy::unwrap_used, reason = "tests")]

use evalsmith_server::{Settings, serve};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::Duration;

/// Prevents a test from hanging; nothing is judged by it.
const PATIENCE: Duration = Duration::from_mins(2);

struct Server {
    address: SocketAddr,
    stop: tokio::sync::oneshot::Sender<()>,
    served: JoinHandle<anyhow::Result<()>>,
}

impl Server {
    fn start(workspace: &Path, program: &str) -> Self {
        let games = evalsmith_registry::games();
        let settings = Settings {
            address: "127.0.0.1:0".parse().unwrap(),
            token: None,
            workspace: workspace.to_owned(),
            keep_runs: false,
            program: program.into(),
        };
        let (tell, hear) = mpsc::channel();
        let (stop, stopped) = tokio::sync::oneshot::channel();
        let served = std::thread::spawn(move || {
            let ready = move |address| tell.send(address).unwrap();
            serve(games, settings, ready, async { drop(stopped.await) })
        });
        Self { address: hear.recv_timeout(PATIENCE).unwrap(), stop, served }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    fn send(&self, method: &str, path: &str, body: &str) -> TcpStream {
        let mut stream = self.connect();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
            self.address,
            body.len()
        );
        stream.write_all(head.as_bytes()).unwrap();
        stream
    }

    /// Status and body of an answer.
    fn ask(&self, method: &str, path: &str, body: &Value) -> (u16, Value) {
        let body = if method == "GET" { String::new() } else { body.to_string() };
        let mut answer = String::new();
        self.send(method, path, &body).read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        (status, serde_json::from_str(body).unwrap_or_default())
    }

    fn plays(&self) {
        let order = json!({ "strength": "beginner" });
        let (status, reply) = self.ask("POST", "/api/v1/games/othello/reply", &order);
        assert!(status == 200 && reply["move"].is_string(), "{status} {reply}");
    }

    /// Ends the server, which must not wait for anybody.
    fn end(self) {
        self.stop.send(()).unwrap();
        let (tell, hear) = mpsc::channel();
        std::thread::spawn(move || tell.send(self.served.join().unwrap()));
        hear.recv_timeout(PATIENCE).expect("the server ends").unwrap();
    }
}

#[test]
fn connections_that_say_nothing_lock_nobody_out() {
    let temp = tempfile::tempdir().unwrap();
    let server = Server::start(temp.path(), "/bin/false");
    // More than may be open at once; both sides of each are files of this process.
    let mut idle: Vec<TcpStream> = Vec::new();
    for _ in 0..1100 {
        idle.push(server.connect());
        // The server closes the oldest; so does this side, to stay below its own limit.
        if idle.len() > 300 {
            let end = idle.remove(0).read(&mut [0]).map_err(|e| e.kind());
            assert!(matches!(end, Ok(0) | Err(ErrorKind::ConnectionReset)), "{end:?}");
        }
    }
    server.plays();
    server.end();
}

#[test]
fn a_fifo_blocks_nobody() {
    let temp = tempfile::tempdir().unwrap();
    let fifo = temp.path().join("x.safetensors");
    assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    std::fs::create_dir(temp.path().join("run")).unwrap();
    let inner = temp.path().join("run/run.json");
    assert!(std::process::Command::new("mkfifo").arg(&inner).status().unwrap().success());
    let server = Server::start(temp.path(), "/bin/false");
    let line = json!({ "function": "x.safetensors" });
    let data = json!({ "data": "x.safetensors" });
    let query = "function=x.safetensors";
    for _ in 0..3 {
        for verb in ["view", "account", "reply"] {
            let path = format!("/api/v1/games/othello/{verb}");
            assert_eq!(server.ask("POST", &path, &line).0, 403, "{verb}");
        }
        for verb in ["analysis", "course"] {
            let path = format!("/api/v1/games/othello/{verb}?{query}");
            assert_eq!(server.ask("GET", &path, &line).0, 403, "{verb}");
        }
        assert_eq!(server.ask("POST", "/api/v1/curves/draw", &data).0, 403);
        assert_eq!(server.ask("GET", "/api/v1/runs/one?path=run", &data).0, 403);
        assert_eq!(server.ask("GET", "/api/v1/runs/report?path=run", &data).0, 403);
        for path in ["workspace", "runs"] {
            assert_eq!(server.ask("GET", &format!("/api/v1/{path}"), &data).0, 200, "{path}");
        }
    }
    server.plays();
    server.end();
}

#[test]
fn runs_started_at_once_are_counted() {
    let temp = tempfile::tempdir().unwrap();
    // In place of the program a shell, with a script that is called as the command is. It
    // reads its stdin to the end, as a run does that ends with the server.
    std::fs::write(temp.path().join("learn"), "exec cat >/dev/null\n").unwrap();
    let server = Server::start(temp.path(), "/bin/sh");
    let start = |name: String| {
        let order = json!({ "kind": "learn", "game": "othello", "name": name });
        server.ask("POST", "/api/v1/runs", &order).0
    };
    let told: Vec<u16> = std::thread::scope(|scope| {
        let all: Vec<_> =
            (0..12).map(|i| scope.spawn(move || start(format!("run-{}", i / 2)))).collect();
        all.into_iter().map(|one| one.join().unwrap()).collect()
    });
    // Four of six names, each of them once.
    assert_eq!(told.iter().filter(|&&status| status == 200).count(), 4, "{told:?}");
    for pair in told.chunks(2) {
        assert!(pair.iter().filter(|&&status| status == 200).count() <= 1, "{told:?}");
        assert!(pair.iter().all(|status| matches!(status, 200 | 409 | 429)), "{told:?}");
    }
    server.end();
}

#[test]
fn one_can_play_while_all_analyses_are_taken() {
    let temp = tempfile::tempdir().unwrap();
    let server = Server::start(temp.path(), "/bin/false");
    let analysis = "/api/v1/games/othello/analysis?function=hand";
    // Each is under way once its headers are there.
    let open = || {
        let mut lines = BufReader::new(server.send("GET", analysis, "")).lines();
        let status = lines.next().unwrap().unwrap();
        (status.contains("200"), lines)
    };
    let analyses: Vec<_> = (0..64).map(|_| open()).collect();
    assert!(analyses.iter().all(|(begun, _)| *begun));
    assert!(!open().0, "one more is refused");
    server.plays();
    server.end();
}
