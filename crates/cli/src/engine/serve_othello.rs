//! The Othello engine on standard input and output: which judge, which error model.
//!
//! The shipped error model is that of the shipped judge. Another function searches
//! the whole tree, unless it comes with a model that was fitted to it.

use super::by_function::ByFunction;
use super::opening::{BookName, Opening, variety};
use super::othello::OthelloThinker;
use crate::failure::Usage;
use crate::options::read_text;
use clap::{Args, ValueEnum};
use evalsmith_engine_othello::{Clock, Engine, ProbCut, Selectivity, Technique, Value, shipped};
use evalsmith_lab::prelude::{EngineSetup, FunctionName, LabError, Protocol, serve};
use evalsmith_othello::Othello;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};

/// What only the Othello engine knows.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct OthelloOptions {
    /// Othello: how sure a line must be bad before it is left out: daring (73),
    /// brisk (87), careful (95), wary (99) or full (100) [default: daring]
    #[arg(long, value_name = "LEVEL")]
    selectivity: Option<Selectivity>,
    /// Othello: the error model of the function, made by `engine fit-probcut`
    #[arg(long, value_name = "FILE")]
    probcut: Option<PathBuf>,
    /// Othello: whether an estimate waits until no corner is worth taking [default: on]
    #[arg(long, value_enum, value_name = "SWITCH")]
    corner_quiescence: Option<Switch>,
    /// Othello: techniques to do without: table, children, stability, ordering,
    /// preparation, probcut
    #[arg(long, value_name = "TECHNIQUE", value_delimiter = ',')]
    without: Vec<Technique>,
    /// Othello: what the client's clock counts [default: wall]
    #[arg(long, value_enum, value_name = "CLOCK")]
    clock: Option<ClockName>,
    /// Othello: the opening book: `shipped`, `none`, or a file that `book build` made
    /// [default: shipped, with the shipped function]
    #[arg(long, value_name = "BOOK")]
    book: Option<BookName>,
    /// Othello: play any book move that is at most so many discs worse than the best
    /// [default: 0]
    #[arg(long, value_name = "DISCS", value_parser = variety)]
    variety: Option<Value>,
    /// Othello: chooses among such moves, anew at every one [default: 1]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
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
    let text = read_text(path)?;
    Ok(text.parse().map_err(|e| Usage(format!("{}: {e}", path.display())))?)
}

/// How readily an engine that plays gives lines up: at equal time it is stronger than
/// a careful one.
pub(crate) const IN_PLAY: Selectivity = Selectivity::Daring;

/// A function as judge, with the model of its errors and the selectivity that is wanted,
/// or the usual one where errors are known.
pub(crate) fn function_with_errors(
    function: &FunctionName,
    probcut: Option<&Path>,
    wanted: Option<Selectivity>,
    usual: Selectivity,
) -> anyhow::Result<(ByFunction, ProbCut, Selectivity)> {
    let judge = ByFunction::open(function)?;
    let model = match probcut {
        Some(path) => Some(read_probcut(path)?),
        None => (*function == FunctionName::Shipped).then(|| shipped::probcut().clone()),
    };
    let (model, usual) = match (model, wanted) {
        (Some(model), _) => (model, usual),
        (None, None | Some(Selectivity::Full)) => (shipped::probcut().clone(), Selectivity::Full),
        (None, Some(_)) => {
            return Err(Usage(format!(
                "the errors of {function} are not known: fit them with `evalsmith engine \
                 fit-probcut othello --function {function} --out FILE` and give --probcut \
                 FILE, or --selectivity full"
            ))
            .into());
        }
    };
    Ok((judge, model, wanted.unwrap_or(usual)))
}

impl OthelloOptions {
    pub(super) fn serve(
        self,
        protocol: Protocol,
        setup: &EngineSetup,
        threads: usize,
    ) -> anyhow::Result<()> {
        let (judge, model, selectivity) = function_with_errors(
            &setup.function,
            self.probcut.as_deref(),
            self.selectivity,
            IN_PLAY,
        )?;
        let opening = self.opening(&setup.function)?;
        let mut thinker = OthelloThinker {
            engine: Engine::with_judge(setup.hash, threads, judge, model)
                .corner_quiescence(self.corner_quiescence != Some(Switch::Off))
                .with_techniques(self.without.iter().copied().collect()),
            name: format!("evalsmith {}", ByFunction::identity(&setup.function)?),
            limits: setup.limits.clone(),
            selectivity,
            clock: match self.clock {
                Some(ClockName::Cpu) => Clock::Cpu,
                Some(ClockName::Wall) | None => Clock::Wall,
            },
            opening,
        };
        let input = BufReader::new(io::stdin());
        // The dialogue's own rules need no speed; the engine chooses its boards.
        let served = serve(&Othello::new(), protocol, &mut thinker, input, io::stdout().lock());
        Ok(served.map_err(LabError::from)?)
    }

    /// The book, where one is wanted. Another function is played as it thinks by itself,
    /// unless a book is named.
    fn opening(&self, function: &FunctionName) -> anyhow::Result<Option<Opening>> {
        let usual = match function {
            FunctionName::Shipped => BookName::Shipped,
            _ => BookName::None,
        };
        let book = self.book.as_ref().unwrap_or(&usual).open()?;
        if book.is_none() && (self.variety.is_some() || self.seed.is_some()) {
            let only = "--variety and --seed choose among the moves of a book; name one by --book";
            return Err(Usage(only.into()).into());
        }
        let (variety, seed) = (self.variety.unwrap_or_default(), self.seed.unwrap_or(1));
        Ok(book.map(|book| Opening { book, variety, seed, draws: 0 }))
    }
}
