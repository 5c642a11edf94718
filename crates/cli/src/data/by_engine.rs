//! Labels by the Othello engine: expected margins some plies ahead, proven ones near
//! the end.

use crate::engine::{ByFunction, read_probcut};
use crate::failure::Usage;
use clap::Args;
use evalsmith_engine_othello::{Engine, Limits, ProbCut, Selectivity, Watch, shipped};
use evalsmith_lab::prelude::{Expert, FunctionName, How, Opinion, Pos, Position};
use evalsmith_othello::{Board, Kernel};
use std::marker::PhantomData;
use std::path::PathBuf;
use std::sync::Mutex;

/// The tables of an engine, emptied before each game.
const TABLE_MIB: usize = 8;
/// The game is over before so many plies.
const TO_THE_END: u32 = 60;

/// How the engine thinks.
#[derive(Args)]
pub(super) struct EngineOptions {
    /// For `engine`: how sure a line must be bad before it is left out: daring (73),
    /// brisk (87), careful (95), wary (99) or full (100) [default: careful]
    #[arg(long, value_name = "LEVEL")]
    pub(super) selectivity: Option<Selectivity>,
    /// For `engine`: the error model of --function, made by `evalsmith engine
    /// fit-probcut` [default: that of the shipped function]
    #[arg(long, value_name = "FILE")]
    pub(super) probcut: Option<PathBuf>,
}

/// What every engine of a run has in common.
pub(super) struct Thinking {
    function: FunctionName,
    probcut: ProbCut,
    selectivity: Selectivity,
    depth: u8,
    moves_left: u32,
    /// Engines that wait for their next game.
    idle: Mutex<Vec<Engine<ByFunction>>>,
}

impl Thinking {
    pub(super) fn new(
        options: &EngineOptions,
        function: &FunctionName,
        depth: u8,
        moves_left: u32,
    ) -> anyhow::Result<Self> {
        let probcut = options.probcut.as_deref().map(read_probcut).transpose()?;
        let thinking = Self {
            function: function.clone(),
            probcut: probcut.unwrap_or_else(|| shipped::probcut().clone()),
            selectivity: options.selectivity.unwrap_or_default(),
            depth,
            moves_left,
            idle: Mutex::default(),
        };
        // What cannot be opened is said before anything begins.
        let first = thinking.engine()?;
        thinking.give_back(first);
        Ok(thinking)
    }

    /// The label in words.
    pub(super) fn how(&self) -> How {
        let Self { depth, selectivity, moves_left, .. } = self;
        How::Expert {
            words: format!(
                "the engine: exact with at most {moves_left} empty squares, else \
                 {depth} plies ahead at {selectivity}"
            ),
        }
    }

    /// An engine for a thread.
    pub(super) fn lend<K: Kernel>(&self) -> Box<dyn Expert + '_> {
        let engine = self.idle.lock().ok().and_then(|mut idle| idle.pop());
        let engine = engine.or_else(|| self.engine().ok());
        Box::new(Lent { engine, thinking: self, kernel: PhantomData::<fn(K)> })
    }

    fn engine(&self) -> Result<Engine<ByFunction>, anyhow::Error> {
        let judge = ByFunction::open(&self.function)?;
        Ok(Engine::with_judge(TABLE_MIB, 1, judge, self.probcut.clone()))
    }

    fn give_back(&self, engine: Engine<ByFunction>) {
        if let Ok(mut idle) = self.idle.lock() {
            idle.push(engine);
        }
    }
}

/// An engine that goes back when its thread has done its share.
struct Lent<'t, K> {
    engine: Option<Engine<ByFunction>>,
    thinking: &'t Thinking,
    kernel: PhantomData<fn(K)>,
}

impl<K> Drop for Lent<'_, K> {
    fn drop(&mut self) {
        if let Some(engine) = self.engine.take() {
            self.thinking.give_back(engine);
        }
    }
}

impl<K: Kernel> Expert for Lent<'_, K> {
    fn begin_game(&mut self) {
        if let Some(engine) = &mut self.engine {
            engine.forget();
        }
    }

    fn opinion(&mut self, position: &Pos) -> Option<Opinion> {
        let board: &Board<K> = position.get()?;
        if board.outcome().is_some() {
            return None;
        }
        let Thinking { depth, moves_left, selectivity, .. } = *self.thinking;
        let near = board.empty().count_ones() <= moves_left;
        let depth = if near { TO_THE_END } else { u32::from(depth) };
        // Where lines are left out, a value is not sure to a part of a disc either.
        let whole_discs = selectivity != Selectivity::Full;
        let limits = Limits { selectivity, whole_discs, ..Limits::depth(depth) };
        let thought = self.engine.as_mut()?.think(board, limits, &Watch::new(), |_| ());
        Some(Opinion {
            margin: thought.value.discs() as f32,
            best: thought.best.and_then(|m| position.id_of::<Board<K>>(m)),
        })
    }
}

/// Only Othello has an engine.
pub(super) fn check_game(game: &str) -> Result<(), Usage> {
    if game == "othello" {
        return Ok(());
    }
    Err(Usage(format!("--by engine: {game} has no engine of its own; label it --by search")))
}
