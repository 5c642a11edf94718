//! The Othello engine on standard input and output: which judge, which error model.
//!
//! The shipped error model is that of the shipped judge. Another function searches
//! the whole tree, unless it comes with a model that was fitted to it.

use super::by_function::{ByFunction, shipped_probcut};
use super::othello::OthelloThinker;
use crate::failure::Usage;
use anyhow::Context;
use clap::{Args, ValueEnum};
use evalsmith_engine_othello::{Clock, Engine, ProbCut, Selectivity};
use evalsmith_lab::prelude::{EngineSetup, FunctionName, LabError, Protocol, serve};
use evalsmith_othello::Othello;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};

/// What only the Othello engine knows.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct OthelloOptions {
    /// Othello: how sure a line must be bad before it is left out: daring (73),
    /// brisk (87), careful (95), wary (99) or full (100) [default: careful]
    #[arg(long, value_name = "LEVEL")]
    selectivity: Option<Selectivity>,
    /// Othello: the error model of the function, made by `engine fit-probcut`
    #[arg(long, value_name = "FILE")]
    probcut: Option<PathBuf>,
    /// Othello: whether an estimate waits until no corner is worth taking [default: on]
    #[arg(long, value_enum, value_name = "SWITCH")]
    corner_quiescence: Option<Switch>,
    /// Othello: what the client's clock counts [default: wall]
    #[arg(long, value_enum, value_name = "CLOCK")]
    clock: Option<ClockName>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Switch {
    On,
    Off,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ClockName {
    /// Time on the wall
    Wall,
    /// Processor time of all threads together
    Cpu,
}

/// Reads an error model.
pub(crate) fn read_probcut(path: &Path) -> anyhow::Result<ProbCut> {
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    Ok(text.parse().map_err(|e| Usage(format!("{}: {e}", path.display())))?)
}

impl OthelloOptions {
    pub(super) fn serve(
        self,
        protocol: Protocol,
        setup: &EngineSetup,
        threads: usize,
    ) -> anyhow::Result<()> {
        let judge = ByFunction::open(&setup.function)?;
        let model = match &self.probcut {
            Some(path) => Some(read_probcut(path)?),
            None => (setup.function == FunctionName::Shipped).then(shipped_probcut),
        };
        let (model, usual) = match (model, self.selectivity) {
            (Some(model), _) => (model, Selectivity::default()),
            (None, None | Some(Selectivity::Full)) => (shipped_probcut(), Selectivity::Full),
            (None, Some(_)) => {
                let function = &setup.function;
                return Err(Usage(format!(
                    "the errors of {function} are not known: fit them with `evalsmith engine \
                     fit-probcut othello --function {function} --out FILE` and give --probcut \
                     FILE, or --selectivity full"
                ))
                .into());
            }
        };
        self.speak(protocol, setup, threads, judge, model, usual)
    }

    fn speak(
        self,
        protocol: Protocol,
        setup: &EngineSetup,
        threads: usize,
        judge: ByFunction,
        model: ProbCut,
        usual: Selectivity,
    ) -> anyhow::Result<()> {
        let mut thinker = OthelloThinker {
            engine: Engine::with_judge(setup.hash, threads, judge, model)
                .corner_quiescence(self.corner_quiescence != Some(Switch::Off)),
            name: format!("evalsmith {}", setup.function),
            limits: setup.limits.clone(),
            selectivity: self.selectivity.unwrap_or(usual),
            clock: match self.clock {
                Some(ClockName::Cpu) => Clock::Cpu,
                Some(ClockName::Wall) | None => Clock::Wall,
            },
        };
        let input = BufReader::new(io::stdin());
        // The dialogue's own rules need no speed; the engine chooses its boards.
        let served = serve(&Othello::new(), protocol, &mut thinker, input, io::stdout().lock());
        Ok(served.map_err(LabError::from)?)
    }
}
