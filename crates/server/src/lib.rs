//! The page: play, look inside, see the curves, watch the runs.
//!
//! One small HTTP server with everything the page needs embedded, and the JSON
//! interface under `/api/v1` that the page itself uses. Boards and charts are drawn
//! from data that [`lab`](evalsmith_lab) gives; what is live comes as server-sent
//! events.
//!
//! Invariant: nothing that a request says makes the server read or write outside its
//! workspace folder, start another program than its own, or answer with anything but
//! success or a 4xx with a sentence.

mod ask;
mod assets;
mod curves;
mod guard;
mod house;
mod label;
mod made;
mod order;
mod play;
mod pool;
mod rate;
mod refusal;
mod routes;
mod runs;
mod stream;
mod watch;
mod workspace;

pub use guard::Entrance;
pub use house::{House, Settings};
pub use routes::routes;

use anyhow::Context;
use evalsmith_lab::prelude::AnyGame;
use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;

/// Serves the page until `stop` resolves; `ready` is told where.
///
/// # Errors
/// When the workspace cannot be opened or the address is taken.
pub fn serve(
    games: Vec<Arc<dyn AnyGame>>,
    settings: Settings,
    ready: impl FnOnce(SocketAddr),
    stop: impl Future<Output = ()> + Send + 'static,
) -> anyhow::Result<()> {
    // Requests are short; analyses and curves have threads of their own.
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(8)
        .enable_all()
        .build()
        .context("no threads for the server")?;
    runtime.block_on(async {
        let address = settings.address;
        let listener = tokio::net::TcpListener::bind(address).await.with_context(|| {
            format!("{address} cannot be listened on; is it taken? choose another --port")
        })?;
        let address = listener.local_addr()?;
        let house = Arc::new(House::open(games, settings, address)?);
        let closing = Arc::clone(&house);
        let service = routes(house).into_make_service_with_connect_info::<SocketAddr>();
        ready(address);
        let served = axum::serve(listener, service);
        tokio::select! {
            outcome = served.into_future() => outcome.context("the server stopped")?,
            () = stop => {}
        }
        closing.close();
        Ok(())
    })
}
