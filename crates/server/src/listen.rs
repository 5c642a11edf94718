//! Accepts connections and answers their requests.
//!
//! Invariant: a client that sends nothing, or sends its headers slowly, is given up after
//! a fixed time, whether or not it could bring a token; between two requests of a
//! connection the same time holds.

use crate::connections::{Connection, Connections, Limits};
use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use hyper::server::conn::http1;
use hyper::service::Service;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};

/// How long the headers of a request may take, and an idle connection may last.
const HEADERS: Duration = Duration::from_secs(15);
/// Bytes that are kept of what a connection sends before they are understood.
const BUFFER: usize = 64 << 10;
/// The pause after the system refused a connection: it may be short of files.
const PAUSE: Duration = Duration::from_millis(100);

/// Answers everybody, for ever.
pub(crate) async fn listen(listener: TcpListener, routes: Router) {
    accept(listener, routes, Limits::default(), HEADERS).await;
}

async fn accept(listener: TcpListener, routes: Router, limits: Limits, headers: Duration) {
    let connections = Connections::new(limits);
    loop {
        let Ok((stream, peer)) = listener.accept().await else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        // Where every connection is being answered the new one is closed.
        if let Some(connection) = connections.admit(peer.ip()) {
            tokio::spawn(answer(stream, peer, connection, routes.clone(), headers));
        }
    }
}

async fn answer(
    stream: TcpStream,
    peer: SocketAddr,
    connection: Arc<Connection>,
    routes: Router,
    headers: Duration,
) {
    // Events are short and must not wait for each other.
    let _ = stream.set_nodelay(true);
    let routes = TowerToHyperService::new(routes);
    let own = Arc::clone(&connection);
    let service = hyper::service::service_fn(move |request: hyper::Request<_>| {
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(ConnectInfo(peer));
        request.extensions_mut().insert(Arc::clone(&own));
        routes.call(request)
    });
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(headers)
        .max_buf_size(BUFFER)
        .serve_connection(TokioIo::new(stream), service);
    tokio::select! {
        // What a client does to its own connection is its own affair.
        _ = served => {}
        () = connection.evicted() => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::routing::get;
    use std::io::{Read, Write};
    use std::net::TcpStream as Client;

    /// Prevents a test from hanging; nothing is judged by it.
    const PATIENCE: Duration = Duration::from_mins(1);

    /// A server with these limits, and what keeps it alive.
    fn server(limits: Limits, headers: Duration) -> (SocketAddr, tokio::runtime::Runtime) {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let address = listener.local_addr().unwrap();
        let routes = Router::new().route("/", get(|| async { "here" }));
        runtime.spawn(accept(listener, routes, limits, headers));
        (address, runtime)
    }

    fn connect(address: SocketAddr) -> Client {
        let client = Client::connect(address).unwrap();
        client.set_read_timeout(Some(PATIENCE)).unwrap();
        client
    }

    fn ask(mut client: Client) -> String {
        let mut answer = String::new();
        client.write_all(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").unwrap();
        client.read_to_string(&mut answer).unwrap();
        answer
    }

    #[test]
    fn a_client_that_does_not_send_its_headers_is_given_up() {
        let limits = Limits { total: 10, per_address: 10 };
        let (address, _runtime) = server(limits, Duration::from_millis(200));
        let beginnings: [&[u8]; 3] = [b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: x\r\n"];
        for beginning in beginnings {
            let mut client = connect(address);
            client.write_all(beginning).unwrap();
            let mut answer = Vec::new();
            // The end, or a reset; but not the end of the test's patience.
            let end = client.read_to_end(&mut answer).map_err(|e| e.kind());
            assert!(matches!(end, Ok(_) | Err(std::io::ErrorKind::ConnectionReset)), "{end:?}");
        }
        // So is one that was answered and asks nothing more.
        let mut client = connect(address);
        client.write_all(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
        let mut answer = String::new();
        client.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with("here"), "{answer}");
    }

    #[test]
    fn idle_connections_lock_nobody_out() {
        let limits = Limits { total: 8, per_address: 4 };
        let (address, _runtime) = server(limits, PATIENCE);
        let idle: Vec<Client> = (0..40).map(|_| connect(address)).collect();
        let answer = ask(connect(address));
        assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with("here"), "{answer}");
        // The older ones were closed to make room.
        for mut client in idle.into_iter().take(40 - 4) {
            let end = client.read(&mut [0]).map_err(|e| e.kind());
            assert!(matches!(end, Ok(0) | Err(std::io::ErrorKind::ConnectionReset)), "{end:?}");
        }
    }
}
