//! Runs as child processes: started, stopped, resumed, found again.
//!
//! A run is the program itself with a command line, at work in the workspace; what it
//! makes is there, and the same command line goes on where it was stopped. Beside that
//! a record and the run's output lie in the hidden folder `.evalsmith`.
//!
//! Invariant: a run ends with the server unless runs are kept. It holds the reading end
//! of a pipe whose other end only the server has, and stops as by Ctrl-C when that
//! closes, however the server ended. A kept run has no pipe; the next server knows it
//! by its process number, the moment it was started and the folder it works in. The
//! workspace may have come from elsewhere: no link in the hidden folder is followed.
//! Runs are started one after another, so that none passes the checks beside another.

use crate::order::{Command, Order};
use crate::plain;
use crate::pool::step_back;
use crate::refusal::Refusal;
use crate::workspace::Workspace;
use evalsmith_lab::prelude::files::write_atomically;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, waitid};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

const FOLDER: &str = ".evalsmith";
/// Runs at work at once.
const MOST: usize = 4;
/// Bytes of a run's output that are shown.
const SHOWN: u64 = 8 << 10;
/// How long the server waits for its runs to stop when it ends.
const PATIENCE: Duration = Duration::from_secs(5);

/// What is kept of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Record {
    pub(crate) order: Order,
    pub(crate) words: Vec<String>,
    /// The process, and when it was started in the system's own count.
    process: (i32, u64),
}

/// The children of this server, and the records of all.
pub(crate) struct Runs {
    program: PathBuf,
    root: PathBuf,
    keep: bool,
    children: Arc<Children>,
    /// Held from the first check to the record of the new run.
    starting: Mutex<()>,
}

/// The processes this server started and has not waited for, by what they make.
#[derive(Default)]
struct Children(Mutex<HashMap<String, Child>>);

impl Children {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, Child>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a child is at work; one that ended is waited for, and is one no longer.
    fn is_running(&self, makes: &str) -> bool {
        let mut children = self.lock();
        let Some(child) = children.get_mut(makes) else { return false };
        if matches!(child.try_wait(), Ok(None)) {
            return true;
        }
        children.remove(makes);
        false
    }

    /// Adds a child, and a thread that sees to it when it ends.
    fn add(self: &Arc<Self>, makes: String, child: Child) {
        let id = Pid::from_child(&child);
        self.lock().insert(makes.clone(), child);
        let children = Arc::clone(self);
        let reaper = std::thread::Builder::new().name(format!("run {makes}"));
        // Without a thread the next question about the run does the same.
        let _ = reaper.spawn(move || {
            // The process keeps its number until it is waited for under the lock.
            let ended = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
            while matches!(waitid(WaitId::Pid(id), ended), Err(rustix::io::Errno::INTR)) {}
            children.is_running(&makes);
        });
    }

    /// Sends a signal to a child; whether there is one.
    fn interrupt(&self, makes: &str) -> bool {
        let children = self.lock();
        let Some(child) = children.get(makes) else { return false };
        kill_process(Pid::from_child(child), Signal::INT).is_ok()
    }
}

impl Runs {
    pub(crate) fn open(workspace: &Workspace, program: PathBuf, keep: bool) -> Self {
        let (children, starting) = (Arc::default(), Mutex::default());
        Self { program, root: workspace.root().to_owned(), keep, children, starting }
    }

    fn folder(&self) -> PathBuf {
        self.root.join(FOLDER)
    }

    fn file(&self, makes: &str, ending: &str) -> PathBuf {
        self.folder().join(format!("{makes}{ending}"))
    }

    /// A file that is kept of a run, if it is there and no link.
    fn kept(&self, makes: &str, ending: &str) -> Option<PathBuf> {
        // What runs make lies directly in the workspace.
        let plain = !makes.contains(['/', '\0']);
        let file = self.file(makes, ending);
        (plain
            && is_plain(&self.folder(), fs::FileType::is_dir)
            && is_plain(&file, fs::FileType::is_file))
        .then_some(file)
    }

    /// The record of what makes this, if the page ordered it.
    pub(crate) fn record(&self, makes: &str) -> Option<Record> {
        plain::json(&self.kept(makes, ".json")?)
    }

    /// The paths of all that was ordered here.
    pub(crate) fn ordered(&self) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.folder()) else { return Vec::new() };
        let name = |entry: fs::DirEntry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            Some(name.strip_suffix(".json")?.to_owned())
        };
        entries.flatten().filter_map(name).collect()
    }

    /// Whether what makes this is at work.
    pub(crate) fn is_running(&self, makes: &str) -> bool {
        self.children.is_running(makes)
            || self.record(makes).is_some_and(|record| is_alive(record.process, &self.root))
    }

    /// Starts a run, or goes on with it.
    pub(crate) fn start(&self, order: Order, command: Command) -> Result<(), Refusal> {
        let Command { words, makes } = command;
        let _one_at_a_time = self.starting.lock().unwrap_or_else(PoisonError::into_inner);
        if self.is_running(&makes) {
            return Err(Refusal::new(
                axum::http::StatusCode::CONFLICT,
                format!("{makes} is running"),
            ));
        }
        let at_work = self.ordered().iter().filter(|makes| self.is_running(makes)).count();
        if at_work >= MOST {
            return Err(Refusal::busy(format!("{MOST} runs are at work already; stop one")));
        }
        let failed = |e: std::io::Error| Refusal::bad(format!("{makes} cannot be started: {e}"));
        let folder = self.folder();
        fs::create_dir_all(&folder).map_err(failed)?;
        if !is_plain(&folder, fs::FileType::is_dir) {
            return Err(Refusal::forbidden(format!("{FOLDER} is a link; remove it")));
        }
        let output = fresh(&self.file(&makes, ".log")).map_err(failed)?;
        let mut child = std::process::Command::new(&self.program);
        child.args(&words).current_dir(&self.root);
        child.stdout(output.try_clone().map_err(failed)?).stderr(output);
        // A group of its own: Ctrl-C at the server's terminal is for the server.
        child.process_group(0);
        if self.keep {
            child.stdin(Stdio::null());
        } else {
            child.arg("--until-stdin-closes").stdin(Stdio::piped());
        }
        let mut child = behind(child).map_err(failed)?;
        let id = child.id() as i32;
        let record = Record { order, words, process: (id, started(id).unwrap_or_default()) };
        let file = self.file(&makes, ".json");
        if file.is_symlink() {
            // Nothing outside the folder is written over.
            fs::remove_file(&file).map_err(failed)?;
        }
        let recorded = serde_json::to_vec_pretty(&record).map_err(std::io::Error::from);
        let recorded = recorded.and_then(|text| write_atomically(&file, |f| f.write_all(&text)));
        if let Err(e) = recorded {
            // A run without a record could be neither found nor stopped.
            let _ = child.kill();
            let _ = child.wait();
            return Err(failed(e));
        }
        self.children.add(makes, child);
        Ok(())
    }

    /// Asks a run to stop at a safe point.
    pub(crate) fn stop(&self, makes: &str) -> Result<(), Refusal> {
        if !self.is_running(makes) {
            return Err(Refusal::bad(format!("{makes} is not running")));
        }
        let kept = || {
            let id = Pid::from_raw(self.record(makes)?.process.0)?;
            kill_process(id, Signal::INT).ok()
        };
        if self.children.interrupt(makes) || kept().is_some() {
            Ok(())
        } else {
            Err(Refusal::bad(format!("{makes} cannot be stopped")))
        }
    }

    /// Where a run's output is kept.
    pub(crate) fn output_file(&self, makes: &str) -> PathBuf {
        self.file(&makes.replace('/', "-"), ".log")
    }

    /// The end of what a run printed.
    pub(crate) fn output(&self, makes: &str) -> String {
        let tail = || -> std::io::Result<String> {
            let file = self.kept(makes, ".log").ok_or(std::io::ErrorKind::NotFound)?;
            let mut file = plain::open(&file)?;
            let length = file.metadata()?.len();
            file.seek(SeekFrom::Start(length.saturating_sub(SHOWN)))?;
            let mut bytes = Vec::new();
            file.take(SHOWN).read_to_end(&mut bytes)?;
            Ok(String::from_utf8_lossy(&bytes).into_owned())
        };
        tail().unwrap_or_default()
    }

    /// Lets go of the children: without the pipe they stop, unless they are kept.
    pub(crate) fn close(&self) {
        let mut children = std::mem::take(&mut *self.children.lock());
        if self.keep {
            return;
        }
        for child in children.values_mut() {
            drop(child.stdin.take());
        }
        let begun = Instant::now();
        for child in children.values_mut() {
            while matches!(child.try_wait(), Ok(None)) && begun.elapsed() < PATIENCE {
                std::thread::sleep(Duration::from_millis(20));
            }
        }
    }
}

/// Starts a program behind the requests: it has what the thread has that starts it.
fn behind(mut command: std::process::Command) -> std::io::Result<Child> {
    let thread = std::thread::spawn(move || {
        step_back();
        command.spawn()
    });
    thread.join().unwrap_or_else(|_| Err(std::io::Error::other("its thread failed")))
}

/// Whether something of this kind is at a path, and no link to one.
fn is_plain(path: &Path, kind: impl FnOnce(&fs::FileType) -> bool) -> bool {
    fs::symlink_metadata(path).is_ok_and(|facts| kind(&facts.file_type()))
}

/// A new empty file instead of what was there, which may be a link.
fn fresh(path: &Path) -> std::io::Result<File> {
    match fs::remove_file(path) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(e),
        _ => File::options().write(true).create_new(true).open(path),
    }
}

/// When a process was started, in clock ticks since the machine was: the field that
/// tells a process from a later one of the same number.
fn started(id: i32) -> Option<u64> {
    let stat = fs::read_to_string(Path::new("/proc").join(id.to_string()).join("stat")).ok()?;
    // The name, in brackets, may hold anything; the fields are counted behind it.
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
    let state = fields.next()?;
    if matches!(state, "Z" | "X") {
        return None;
    }
    fields.nth(18)?.parse().ok()
}

/// Whether a process that was started then is at work in this folder.
fn is_alive((id, since): (i32, u64), folder: &Path) -> bool {
    let at = Path::new("/proc").join(id.to_string()).join("cwd");
    id > 0 && started(id) == Some(since) && fs::read_link(at).is_ok_and(|at| at == folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_known_by_number_beginning_and_folder() {
        let own = std::process::id() as i32;
        let since = started(own).unwrap();
        let here = std::env::current_dir().unwrap();
        assert!(is_alive((own, since), &here));
        assert!(!is_alive((own, since + 1), &here), "another process of that number");
        assert!(!is_alive((own, since), Path::new("/proc")), "at work elsewhere");
        assert!(!is_alive((-1, 0), &here) && !is_alive((0, 0), &here));
    }

    /// Starts a shell in place of the program; it reads its script, not a command line.
    fn start(runs: &Runs, makes: &str, script: &str) -> Result<(), Refusal> {
        let order = r#"{"kind": "learn", "game": "othello", "name": "a"}"#;
        let words = vec!["-c".to_owned(), script.to_owned()];
        let command = Command { words, makes: makes.to_owned() };
        runs.start(serde_json::from_str(order).unwrap(), command)
    }

    /// What several threads are answered that start runs at the same moment.
    fn at_once(runs: &Runs, names: &[String]) -> Vec<Result<(), Refusal>> {
        let gate = std::sync::Barrier::new(names.len());
        std::thread::scope(|scope| {
            let starts = names.iter().map(|name| {
                scope.spawn(|| {
                    gate.wait();
                    start(runs, name, "exec cat >/dev/null")
                })
            });
            let starts: Vec<_> = starts.collect();
            starts.into_iter().map(|start| start.join().unwrap()).collect()
        })
    }

    #[test]
    fn runs_that_are_started_at_once_keep_the_limit() {
        let temp = tempfile::tempdir().unwrap();
        let runs = Runs::open(&Workspace::open(temp.path()).unwrap(), "/bin/sh".into(), false);
        let names: Vec<String> = (0..12).map(|i| format!("run-{i}")).collect();
        let told = at_once(&runs, &names);
        assert_eq!(told.iter().filter(|told| told.is_ok()).count(), MOST, "{told:?}");
        assert!(
            told.iter().filter_map(|told| told.as_ref().err()).all(|refusal| refusal.status == 429)
        );
        runs.close();
        assert!(!names.iter().any(|name| runs.is_running(name)), "they end with the server");
    }

    #[test]
    fn one_name_is_started_once() {
        let temp = tempfile::tempdir().unwrap();
        let runs = Runs::open(&Workspace::open(temp.path()).unwrap(), "/bin/sh".into(), false);
        let told = at_once(&runs, &vec!["same".to_owned(); 12]);
        assert_eq!(told.iter().filter(|told| told.is_ok()).count(), 1, "{told:?}");
        assert!(
            told.iter().filter_map(|told| told.as_ref().err()).all(|refusal| refusal.status == 409)
        );
        runs.close();
    }

    #[test]
    fn an_ended_run_leaves_no_process_behind() {
        let temp = tempfile::tempdir().unwrap();
        let runs = Runs::open(&Workspace::open(temp.path()).unwrap(), "/bin/sh".into(), false);
        start(&runs, "short", "exit 1").unwrap();
        let process = runs.record("short").unwrap().process.0;
        // Nobody asks for the run, and yet it is waited for.
        let stat = Path::new("/proc").join(process.to_string()).join("stat");
        let begun = Instant::now();
        while stat.exists() {
            assert!(begun.elapsed() < Duration::from_mins(1), "a zombie stays");
            std::thread::sleep(Duration::from_millis(5));
        }
        assert!(!runs.is_running("short"));
        start(&runs, "short", "exec cat >/dev/null").unwrap();
        assert!(runs.is_running("short"));
        runs.stop("short").unwrap();
        while runs.is_running("short") {
            assert!(begun.elapsed() < Duration::from_mins(1), "it was stopped");
            std::thread::sleep(Duration::from_millis(5));
        }
        assert!(runs.stop("short").is_err());
    }

    #[test]
    fn a_run_that_cannot_be_recorded_is_not_started() {
        let temp = tempfile::tempdir().unwrap();
        let runs = Runs::open(&Workspace::open(temp.path()).unwrap(), "/bin/sh".into(), false);
        fs::create_dir_all(runs.file("a", ".json").join("in the way")).unwrap();
        assert!(start(&runs, "a", "exec cat >/dev/null").is_err());
        assert!(!runs.is_running("a") && runs.children.lock().is_empty());
    }

    #[test]
    fn an_ended_process_is_not_alive() {
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let id = child.id() as i32;
        let since = started(id).unwrap_or_default();
        child.wait().unwrap();
        assert!(!is_alive((id, since), &std::env::current_dir().unwrap()));
    }

    #[test]
    fn links_among_the_records_are_not_followed() {
        let (outer, temp) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let secret = outer.path().join("secret");
        fs::write(&secret, "secret").unwrap();
        let workspace = Workspace::open(temp.path()).unwrap();
        let runs = Runs::open(&workspace, "/bin/false".into(), false);
        fs::create_dir(runs.folder()).unwrap();
        std::os::unix::fs::symlink(&secret, runs.file("a", ".log")).unwrap();
        assert_eq!(runs.output("a"), "");
        fresh(&runs.file("a", ".log")).unwrap().write_all(b"mine").unwrap();
        assert_eq!(
            (runs.output("a").as_str(), fs::read(&secret).unwrap()),
            ("mine", b"secret".into())
        );
        assert_eq!(runs.output("../a"), "");
        fs::remove_dir_all(runs.folder()).unwrap();
        fs::write(outer.path().join("a.log"), "secret").unwrap();
        std::os::unix::fs::symlink(outer.path(), runs.folder()).unwrap();
        assert_eq!(runs.output("a"), "");
    }
}
