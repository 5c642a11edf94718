//! Making a dataset by self-play.
//!
//! Parts are made in order and their games in parallel, a few parts at a time
//! where parts are too small to keep every thread busy. So memory is that of
//! the parts in hand, a kill loses only those, and the same command goes on
//! with the first part that is missing.

use crate::folder;
use crate::manifest::{Making, part_path};
use crate::part::{self, Part};
use crate::pool::Pool;
use crate::selfplay::{Played, Setting};
use crate::{BatchBuilder, DataError, Label, Manifest, SelfPlay, Tally};
use evalsmith_core::{Game, Progress};
use evalsmith_rules::{DynFunction, DynGame, SelfPlayError, SelfPlayTable};
use rayon::prelude::*;
use std::fs;
use std::path::Path;

/// Games in hand for each thread, so that none waits long for the last game.
const GAMES_PER_THREAD: usize = 32;

/// The label that holds what the player's own search thought.
pub(crate) const SEARCH_LABEL: &str = "search";

/// Who makes a dataset, for provenance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Maker {
    /// The function that plays, by name or digest; both where there are two.
    pub function: String,
    /// What the games begin with, where that is not chance: a digest of it.
    pub openings: Option<String>,
    /// The command that makes the dataset again.
    pub command: String,
}

/// What a run of self-play did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Generated {
    /// Games in the dataset.
    pub games: u64,
    /// Rows in the dataset.
    pub positions: u64,
    /// Parts in the dataset.
    pub parts: usize,
    /// Parts that an earlier run had finished.
    pub kept: usize,
}

/// Plays a function against itself and writes the positions to a folder; goes
/// on where an earlier run of the same plan was stopped or killed.
///
/// # Errors
/// When the plan cannot be carried out, the folder belongs to something else or
/// is being written by another run, the disk refuses, or the job is stopped.
pub fn generate(
    game: &DynGame,
    function: &DynFunction,
    plan: &SelfPlay,
    maker: &Maker,
    dir: &Path,
    progress: &dyn Progress,
) -> Result<Generated, DataError> {
    let setting = Setting { functions: [function; 2], openings: None };
    generate_with(game, &setting, plan, maker, dir, progress)
}

/// The same with two functions, which change sides with every game, or with
/// given openings.
///
/// # Errors
/// As [`generate`].
pub fn generate_with(
    game: &DynGame,
    setting: &Setting<'_>,
    plan: &SelfPlay,
    maker: &Maker,
    dir: &Path,
    progress: &dyn Progress,
) -> Result<Generated, DataError> {
    plan.check_for(game)?;
    let made = format!(
        "log-odds of the chosen move for the side to move (±1000 where the end was seen), by a search of depth {} with {}",
        plan.depth, maker.function
    );
    let labels = vec![Label { name: SEARCH_LABEL.to_owned(), made }];
    let mut configuration = serde_json::to_value(plan).expect("a plan is plain JSON");
    configuration["function"] = maker.function.as_str().into();
    if let Some(openings) = &maker.openings {
        configuration["openings"] = openings.as_str().into();
    }
    let making = Making {
        game: game.name(),
        verb: "generate",
        command: &maker.command,
        configuration,
        inputs: Vec::new(),
        labels,
    };
    let wanted = Manifest::new(making, Some(plan.parts()));
    let (_lock, manifest) = folder::claim(dir, wanted)?;
    let config = plan.config();
    let [function, opponent] = setting.functions;
    let table = || function.self_play(opponent, setting.openings, &config, &maker.function);
    let (name, table, tables) = (game.name(), &table, Pool::new());
    let run = Run { name, table, plan, manifest, dir, progress, tables };
    progress.begin("self-play", run.games(), "games");
    let generated = run.finish();
    progress.end();
    generated
}

/// Makes the players of one thread.
type MakeTable<'a, 't> = &'a (dyn Fn() -> Box<dyn SelfPlayTable + 't> + Sync);

struct Run<'a, 't> {
    /// The game's name.
    name: &'a str,
    table: MakeTable<'a, 't>,
    plan: &'a SelfPlay,
    manifest: Manifest,
    dir: &'a Path,
    progress: &'a dyn Progress,
    tables: Pool<Box<dyn SelfPlayTable + 't>>,
}

impl Run<'_, '_> {
    fn games(&self) -> u64 {
        self.plan.shard.range(self.plan.games).len() as u64
    }

    fn finish(&self) -> Result<Generated, DataError> {
        let plan = self.plan;
        let parts = plan.parts();
        let found: Vec<_> = (0..parts).into_par_iter().map(|i| self.finished(i)).collect();
        let (mut missing, mut done, mut positions) = (Vec::new(), 0, 0);
        for (index, part) in found.into_iter().enumerate() {
            match part? {
                Some(part) => {
                    done += u64::from(part.tally.games);
                    positions += part.rows;
                }
                None => missing.push(index),
            }
        }
        let kept = parts - missing.len();
        if kept > 0 {
            self.progress.note(&format!("{kept} of {parts} parts are there already"));
            self.progress.resume(done);
        }

        let in_hand = GAMES_PER_THREAD * rayon::current_num_threads();
        for group in missing.chunks(in_hand.div_ceil(plan.games_per_part as usize)) {
            let games: Vec<u32> = group.iter().flat_map(|&p| plan.games_of(p)).collect();
            let stopped = |e| match e {
                Interrupt::Stop => DataError::Stopped { done, total: self.games() },
                Interrupt::Failure(e) => e,
            };
            let mut played = self.play(&games).map_err(stopped)?.into_iter();
            for &index in group {
                let (rows, games) = self.write(index, &mut played)?;
                positions += rows;
                done += games;
            }
        }
        Ok(Generated { games: done, positions, parts, kept })
    }

    /// The part, if an earlier run finished it and it is whole.
    fn finished(&self, index: usize) -> Result<Option<Part>, DataError> {
        if !part_path(self.dir, index).exists() {
            return Ok(None);
        }
        match Part::open(self.dir, index, &self.manifest) {
            Ok(part) => Ok(Some(part)),
            Err(e) if e.is_remade() => {
                let path = part_path(self.dir, index);
                let aside = path.with_extension("parquet.aside");
                // It may be somebody's: a table of another run, or no part at all.
                fs::rename(&path, &aside).map_err(|e| DataError::io(&path, e))?;
                let (path, aside) = (path.display(), aside.display());
                self.progress.note(&format!(
                    "making {path} again: what lay there is damaged or of another run ({aside})"
                ));
                Ok(None)
            }
            Err(e) => Err(e),
        }
    }

    fn play(&self, games: &[u32]) -> Result<Vec<Played>, Interrupt> {
        games
            .par_iter()
            // Whenever the work is split, other players sit down; their memory is dear
            // to clear, so that they are kept.
            .map_init(
                || self.tables.lend(self.table),
                |table, &index| {
                    if self.progress.stopped() {
                        return Err(Interrupt::Stop);
                    }
                    let played = table.play(index);
                    self.progress.advance(1);
                    let failed = |e| Interrupt::Failure(self.failed(index, e));
                    Ok(Played { index, game: played.map_err(failed)? })
                },
            )
            .collect()
    }

    fn failed(&self, game: u32, error: SelfPlayError) -> DataError {
        match error {
            SelfPlayError::Player(source) => DataError::Player { game, source },
            SelfPlayError::NoOpening { draws } => DataError::Plan {
                field: "opening_plies",
                found: self.plan.opening_plies.to_string(),
                reason: format!(
                    "{draws} random games of {} ended before; make it smaller",
                    self.name
                ),
            },
        }
    }

    /// Writes a part of the next games; returns its rows and games.
    fn write(
        &self,
        index: usize,
        played: &mut impl Iterator<Item = Played>,
    ) -> Result<(u64, u64), DataError> {
        let games = self.plan.games_of(index);
        let mut rows = BatchBuilder::new(self.manifest.label_names());
        let mut tally = Tally { first_game: games.start, ..Tally::default() };
        for game in played.take(games.len()) {
            game.append(&mut rows, &mut tally)?;
        }
        let rows = rows.finish();
        part::write(self.dir, index, &self.manifest, &tally, &rows)?;
        Ok((rows.len() as u64, u64::from(tally.games)))
    }
}

enum Interrupt {
    Stop,
    Failure(DataError),
}
