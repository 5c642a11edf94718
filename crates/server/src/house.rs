//! What all requests share.

use crate::guard::Entrance;
use crate::lane::{Deadline, Lane};
use crate::pool::Pool;
use crate::rate::Rates;
use crate::refusal::Refusal;
use crate::runs::Runs;
use crate::workspace::{Workspace, changed};
use anyhow::Context;
use evalsmith_lab::prelude::{DynGame, FunctionName, Game, Gathered, Study, gather};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};
use tokio::sync::Semaphore;

/// Functions that stay open at once.
const STUDIES: usize = 6;
/// Datasets that stay read at once, and positions read of each.
const GATHERINGS: usize = 2;
const MOST_POSITIONS: usize = 300_000;
/// Listeners that watch runs at once.
const WATCHERS: usize = 64;

/// Pieces of work of each kind that are done at once, and how long one may take.
const PLAY: (usize, Duration) = (4, Duration::from_secs(30));
const FILES: (usize, Duration) = (4, Duration::from_secs(30));
const CURVES: (usize, Duration) = (2, Duration::from_mins(5));
/// Threads for all of it, and a few to spare.
pub(crate) const BLOCKING_THREADS: usize = PLAY.0 + FILES.0 + CURVES.0 + 4;

/// The kinds of work that block a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Work {
    /// Positions and moves with functions that need no file.
    Play,
    /// Models, the workspace and its runs.
    Files,
    /// Evaluation curves.
    Curves,
}

impl Work {
    /// The kind of work with a function. A model is read from its file, and slow files
    /// must not hold up those who play without one.
    pub(crate) fn with(function: Option<&str>) -> Self {
        match function.map(|name| FunctionName::from(name.to_owned())) {
            Some(FunctionName::File(_)) => Self::Files,
            _ => Self::Play,
        }
    }
}

struct Lanes {
    play: Lane,
    files: Lane,
    curves: Lane,
}

impl Lanes {
    fn new() -> Self {
        let lane = |(turns, limit), crowded| Lane::new(turns, limit, crowded);
        Self {
            play: lane(PLAY, "many positions are being looked at; try again in a moment"),
            files: lane(FILES, "many files are being read; try again in a moment"),
            curves: lane(CURVES, "other curves are being drawn; try again in a moment"),
        }
    }
}

/// How a server is set up.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where it listens.
    pub address: SocketAddr,
    /// The token that requests must bring; none on the loopback only.
    pub token: Option<String>,
    /// The folder it may read and write.
    pub workspace: PathBuf,
    /// Whether runs go on when the server ends, to be found again by the next.
    pub keep_runs: bool,
    /// The program that runs are made by.
    pub program: PathBuf,
}

/// Something kept, with its key and the ages of the files it came from.
type Kept<K, V> = (K, Vec<Option<SystemTime>>, Arc<V>);

/// What is kept of things that are costly to open, newest first.
struct Shelf<K, V> {
    most: usize,
    kept: Mutex<Vec<Kept<K, V>>>,
}

impl<K: PartialEq, V> Shelf<K, V> {
    fn new(most: usize) -> Self {
        Self { most, kept: Mutex::new(Vec::new()) }
    }

    /// What is kept for a key, if no file has changed since; else what `open` gives.
    fn get<E>(
        &self,
        key: K,
        files: &[PathBuf],
        open: impl FnOnce() -> Result<V, E>,
    ) -> Result<Arc<V>, E> {
        let stamp: Vec<_> = files.iter().map(|file| changed(file)).collect();
        let lock = || self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let known = |kept: &mut Vec<Kept<K, V>>| {
            let at = kept.iter().position(|(k, s, _)| *k == key && *s == stamp)?;
            kept[..=at].rotate_right(1);
            Some(Arc::clone(&kept[0].2))
        };
        if let Some(value) = known(&mut lock()) {
            return Ok(value);
        }
        let value = Arc::new(open()?);
        let mut kept = lock();
        kept.retain(|(k, ..)| *k != key);
        kept.insert(0, (key, stamp, Arc::clone(&value)));
        kept.truncate(self.most);
        Ok(value)
    }
}

/// What all requests share.
pub struct House {
    games: Vec<DynGame>,
    studies: Shelf<(String, String), Study>,
    gatherings: Shelf<(PathBuf, String), Gathered>,
    pub(crate) entrance: Entrance,
    pub(crate) rates: Rates,
    pub(crate) pool: Pool,
    pub(crate) workspace: Workspace,
    pub(crate) runs: Runs,
    lanes: Lanes,
    pub(crate) watchers: Arc<Semaphore>,
}

impl House {
    /// Opens the workspace and begins to listen to nobody yet.
    ///
    /// # Errors
    /// When the workspace is no folder, or threads are refused.
    pub fn open(
        games: Vec<DynGame>,
        settings: Settings,
        address: SocketAddr,
    ) -> anyhow::Result<Self> {
        let folder = &settings.workspace;
        let workspace = Workspace::open(folder).with_context(|| {
            format!("the workspace {} cannot be opened; name a folder", folder.display())
        })?;
        // Whoever opens the page first should not wait for what comes with the games.
        let unopened = games.clone();
        std::thread::spawn(move || unopened.iter().for_each(|game| _ = game.shipped()));
        Ok(Self {
            games,
            studies: Shelf::new(STUDIES),
            gatherings: Shelf::new(GATHERINGS),
            entrance: Entrance::new(address, settings.token),
            rates: Rates::default(),
            pool: Pool::new().context("no threads for analyses")?,
            runs: Runs::open(&workspace, settings.program, settings.keep_runs),
            workspace,
            lanes: Lanes::new(),
            watchers: Arc::new(Semaphore::new(WATCHERS)),
        })
    }

    /// Does work that blocks a thread, away from the threads that answer requests.
    pub(crate) async fn work<T: Send + 'static>(
        self: Arc<Self>,
        kind: Work,
        work: impl FnOnce(&Self) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Refusal> {
        let house = Arc::clone(&self);
        self.lane(kind).run(move || work(&house)).await
    }

    fn lane(&self, kind: Work) -> &Lane {
        match kind {
            Work::Play => &self.lanes.play,
            Work::Files => &self.lanes.files,
            Work::Curves => &self.lanes.curves,
        }
    }

    /// Stops what is drawn when the request for it is given up.
    pub(crate) fn deadline(&self) -> Deadline {
        self.lanes.curves.deadline()
    }

    /// The games.
    pub(crate) fn games(&self) -> &[DynGame] {
        &self.games
    }

    /// A game by name.
    pub(crate) fn game(&self, name: &str) -> Result<&DynGame, Refusal> {
        self.games.iter().find(|game| game.name() == name).ok_or_else(|| {
            let known: Vec<_> = self.games.iter().map(Game::name).collect();
            Refusal::missing(format!("there is no game {name:?}; known are {}", known.join(", ")))
        })
    }

    /// A game with a function to be looked at.
    pub(crate) fn study(&self, game: &str, function: Option<&str>) -> Result<Arc<Study>, Refusal> {
        let game = self.game(game)?;
        let function = self.workspace.function(function)?;
        let files: Vec<_> = file_of(&function).into_iter().collect();
        let key = (game.name().to_owned(), function.to_string());
        self.studies.get(key, &files, || Ok(Study::open(game, &function)?))
    }

    /// A dataset as a function sees it. Takes seconds the first time.
    pub(crate) fn gathered(
        &self,
        data: &str,
        function: Option<&str>,
    ) -> Result<Arc<Gathered>, Refusal> {
        let path = self.workspace.find(data)?;
        let dataset = evalsmith_lab::prelude::Dataset::open(&path)
            .map_err(|e| Refusal::from(evalsmith_lab::LabError::from(e)))?;
        let game = self.game(&dataset.manifest().game)?;
        let function = self.workspace.function(function)?;
        let key = (path.clone(), function.to_string());
        // A model that is fitted again, or a dataset that grows, is read again.
        let files: Vec<_> = file_of(&function).into_iter().chain([path.clone()]).collect();
        self.gatherings.get(key, &files, || {
            Ok(gather(game, &path, &function, MOST_POSITIONS, &self.deadline())?)
        })
    }

    /// Ends what must not outlive the server.
    pub(crate) fn close(&self) {
        self.runs.close();
    }
}

fn file_of(function: &FunctionName) -> Option<PathBuf> {
    if let FunctionName::File(path) = function { Some(path.clone()) } else { None }
}
