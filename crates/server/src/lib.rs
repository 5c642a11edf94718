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
mod connections;
mod curves;
mod guard;
mod house;
mod label;
mod lane;
mod listen;
mod made;
mod order;
mod plain;
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
use evalsmith_lab::prelude::DynGame;
use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;

/// Serves the page until `stop` resolves; `ready` is told where.
///
/// # Errors
/// When the workspace cannot be opened or the address is taken.
pub fn serve(
    games: Vec<DynGame>,
    settings: Settings,
    ready: impl FnOnce(SocketAddr),
    stop: impl Future<Output = ()> + Send + 'static,
) -> anyhow::Result<()> {
    // These threads only answer; whatever reads a file or computes has threads of its own.
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(house::BLOCKING_THREADS)
        .enable_all()
        .build()
        .context("no threads for the server")?;
    let served = runtime.block_on(async {
        let address = settings.address;
        let listener = tokio::net::TcpListener::bind(address).await.with_context(|| {
            format!("{address} cannot be listened on; is it taken? choose another --port")
        })?;
        let address = listener.local_addr()?;
        let house = Arc::new(House::open(games, settings, address)?);
        ready(address);
        tokio::select! {
            () = listen::listen(listener, routes(Arc::clone(&house))) => {}
            () = stop => {}
        }
        Ok(house)
    });
    // Work that does not return is not waited for.
    runtime.shutdown_background();
    served.map(|house| house.close())
}
