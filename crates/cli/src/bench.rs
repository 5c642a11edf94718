//! `evalsmith bench`: how fast this machine is, and whether the search is the same.

mod moves;
mod techniques;

use crate::engine::IN_PLAY;
use crate::games;
use crate::options::show;
use crate::stop::{self, Kept};
use clap::{Args, Subcommand};
use cpu_time::ThreadTime;
use evalsmith_engine_othello::{Engine, Limits};
use evalsmith_lab::prelude::{Game, bench_search};
use std::time::Instant;

/// MiB of the Othello engine's tables.
const TABLE_MIB: usize = 16;

/// Measures perft and search for every game on one thread.
///
/// The signature is the number of nodes that fixed searches visit: it is the
/// same on every machine and changes only when the search or a function does.
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Bench {
    #[command(subcommand)]
    verb: Option<Verb>,
    /// Leaves to count in perft at least
    #[arg(long, value_name = "N", default_value_t = 200_000_000, value_parser = clap::value_parser!(u64).range(1..))]
    leaves: u64,
}

#[derive(Subcommand)]
enum Verb {
    Moves(moves::Moves),
    Techniques(techniques::Techniques),
}

impl Bench {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        match self.verb {
            Some(Verb::Moves(job)) => return job.run(),
            Some(Verb::Techniques(job)) => return job.run(),
            None => {}
        }
        stop::keeps(Kept::Nothing);
        let mut signature = 0;
        for game in games::all() {
            let name = game.name();
            let (mut depth, mut leaves, mut seconds) = (0, 0, 0.0);
            while leaves < self.leaves {
                depth += 1;
                let begun = Instant::now();
                let counted = game.perft(depth);
                seconds = begun.elapsed().as_secs_f64();
                if std::mem::replace(&mut leaves, counted) == counted {
                    break; // every line of a small game has ended
                }
            }
            let speed = leaves as f64 / seconds / 1e6;
            show(&format!("{name}: perft {depth}: {leaves} leaves, {speed:.0} M/s"))?;
            let search = bench_search(game)?;
            signature += search.nodes;
            show(&format!(
                "{name}: search: {} nodes, {:.2} M/s of CPU time",
                search.nodes,
                search.nodes as f64 / search.cpu.as_secs_f64() / 1e6
            ))?;
        }
        let mut engine = Engine::shipped(TABLE_MIB, 1);
        let limits = Limits { selectivity: IN_PLAY, whole_discs: true, ..Limits::default() };
        let begun = ThreadTime::now();
        let nodes = evalsmith_engine_othello::signature(&mut engine, limits);
        let speed = nodes as f64 / begun.elapsed().as_secs_f64() / 1e6;
        show(&format!("othello engine: {nodes} nodes, {speed:.2} M/s of CPU time"))?;
        signature += nodes;
        show(&format!("signature {signature}"))
    }
}
