//! `evalsmith serve`: the page.

use crate::failure::Usage;
use crate::games;
use crate::options::show;
use anyhow::Context;
use clap::Args;
use evalsmith_server::Settings;
use std::fs::File;
use std::io::Read;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;

/// Opens the page: play, look inside, see the curves, watch the runs.
///
/// Open the printed address in a browser. The page sees the models, datasets, tables
/// and runs of one folder, and nothing outside it. It is served to this machine only,
/// unless --bind says otherwise; then everybody who asks needs a token.
#[derive(Args)]
pub(crate) struct Serve {
    /// Where to listen; 0 chooses a free port
    #[arg(long, value_name = "N", default_value_t = 8000)]
    port: u16,
    /// The folder that the page may read and write
    #[arg(long, value_name = "DIR", default_value = ".")]
    workspace: PathBuf,
    /// Listen at this address instead of the loopback; asks for a token
    #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    bind: IpAddr,
    /// The token that requests must bring [default with --bind: a new one, printed]
    #[arg(long, value_name = "TOKEN", value_parser = token)]
    token: Option<String>,
    /// Let runs go on when the server ends; the next one finds them again
    #[arg(long)]
    keep_runs: bool,
}

impl Serve {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        if !self.workspace.is_dir() {
            let folder = self.workspace.display();
            return Err(Usage(format!("--workspace {folder} is no folder; make it first")).into());
        }
        let token = match self.token {
            None if !self.bind.is_loopback() => Some(fresh_token()?),
            given => given,
        };
        let settings = Settings {
            address: SocketAddr::new(self.bind, self.port),
            token: token.clone(),
            workspace: self.workspace,
            keep_runs: self.keep_runs,
            program: std::env::current_exe()?,
        };
        let ready = |address: SocketAddr| {
            let query = token.map(|token| format!("?token={token}")).unwrap_or_default();
            // Nobody may be there to read it.
            let _ = show(&format!("http://{address}/{query}\nCtrl-C ends the server."));
        };
        evalsmith_server::serve(games::all().to_vec(), settings, ready, stopped())
    }
}

/// Resolves when somebody asks the server to end.
async fn stopped() {
    use tokio::signal::unix::{SignalKind, signal};
    let (interrupt, terminate) = (signal(SignalKind::interrupt()), signal(SignalKind::terminate()));
    match (interrupt, terminate) {
        (Ok(mut interrupt), Ok(mut terminate)) => {
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
            }
        }
        _ => std::future::pending().await,
    }
}

/// 128 bits of the system's own chance.
fn fresh_token() -> anyhow::Result<String> {
    let mut bytes = [0; 16];
    File::open("/dev/urandom")
        .and_then(|mut source| source.read_exact(&mut bytes))
        .context("no token can be made; give one by --token")?;
    Ok(format!("{:032x}", u128::from_be_bytes(bytes)))
}

fn token(text: &str) -> Result<String, String> {
    let plain = text.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c));
    if plain && (8..=128).contains(&text.len()) {
        Ok(text.to_owned())
    } else {
        Err("a token has 8 to 128 letters, digits, '-' or '_'".into())
    }
}

/// Interrupts this process when its stdin ends. Nothing else of the program may read it.
pub(crate) fn stop_with_stdin() {
    std::thread::spawn(|| {
        let mut sink = [0; 64];
        while std::io::stdin().read(&mut sink).is_ok_and(|n| n > 0) {}
        // Where the job is still before its first safe point the signal ends it at once.
        let _ = nix::sys::signal::raise(nix::sys::signal::Signal::SIGINT);
    });
}
