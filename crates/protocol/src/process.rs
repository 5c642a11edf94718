//! A child process that speaks in lines.
//!
//! Two invariants: no call waits longer than its deadline, whatever the process
//! does or leaves undone; and no process outlives its value: its whole group is
//! killed when it is dropped.

mod live;
mod meter;
mod output;
mod stderr;
mod system;

use crate::Engine;
use crate::fault::Fault;
use crate::locate::{find, how_to_install};
use crate::transcript::{Speaker, Transcript};
pub use live::end_all_engines;
use meter::Meter;
use output::{Next, Output};
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, ErrorKind};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};
use stderr::Tail;

/// How long a process that closed its output may take to be gone.
const PARTING: Duration = Duration::from_millis(200);
/// How often a process is asked whether it is gone, once its output is closed.
const LOOK: Duration = Duration::from_millis(1);

/// The most bytes that are read for one answer. Whoever writes as fast as is read
/// would never be late.
const ANSWER: usize = 64 << 20;

/// A running engine, its pipes, and what was said.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    stdin: Option<ChildStdin>,
    output: Arc<Output>,
    stderr: Tail,
    meter: Meter,
    unsent: String,
    /// Bytes read since something was sent.
    heard: usize,
    transcript: Transcript,
}

/// The PATH with the folder of a program behind it, as programs call others that stand
/// beside them: Debian's `gnuchessu` starts `gnuchess`.
fn search_path(program: &Path) -> Option<OsString> {
    let folder = program.parent().filter(|folder| folder.is_absolute())?;
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain([folder.to_owned()]);
    std::env::join_paths(folders).ok()
}

impl Process {
    /// Starts the engine's program.
    pub(crate) fn spawn(engine: &Engine) -> Result<Self, Fault> {
        let path = engine.environment.get("PATH").map(OsString::from);
        let path = path.or_else(|| std::env::var_os("PATH")).unwrap_or_default();
        let program = find(&engine.command, &path);
        let started = Self::start(engine, program.as_deref().unwrap_or(&engine.command));
        started.map_err(|e| Fault::DidNotStart {
            command: engine.command.display().to_string(),
            reason: e.to_string(),
            remedy: match (program, &engine.folder) {
                (None, None) => how_to_install(&engine.command),
                _ => "check the command, its folder and its rights".to_owned(),
            },
        })
    }

    fn start(engine: &Engine, program: &Path) -> io::Result<Self> {
        let file = match &engine.stderr_file {
            Some(path) => Some(File::options().create(true).append(true).open(path)?),
            None => None,
        };
        let mut command = Command::new(program);
        command
            .args(&engine.arguments)
            .envs(search_path(program).map(|path| ("PATH", path)))
            .envs(&engine.environment)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if let Some(folder) = &engine.folder {
            command.current_dir(folder);
        }
        system::lead_group(&mut command);
        let mut child = live::spawn(&mut command)?;
        let stdin = child.stdin.take().expect("it was piped");
        let stdout = child.stdout.take().expect("it was piped");
        let errors = child.stderr.take().expect("it was piped");
        let meter = Meter::of(child.id());
        // From here on whatever fails drops the value, which kills the process.
        let mut process = Self {
            child,
            stdin: None,
            output: Arc::default(),
            stderr: Tail::default(),
            meter,
            unsent: String::new(),
            heard: 0,
            transcript: Transcript::new(),
        };
        system::never_wait(&stdin)?;
        process.stdin = Some(stdin);
        process.output = Output::of(stdout)?;
        process.stderr = Tail::of(errors, file)?;
        Ok(process)
    }

    /// What was said.
    pub(crate) fn transcript(&self) -> &Transcript {
        &self.transcript
    }

    /// Looks whether the process has started others, whose time counts as well.
    pub(crate) fn look_for_children(&mut self) {
        self.meter.look_for_children();
    }

    /// Time on the processor until now, where the system tells.
    pub(crate) fn cpu_time(&self) -> Option<Duration> {
        self.meter.time()
    }

    /// Says a line; it is sent with the next [`send`](Self::send) or
    /// [`receive`](Self::receive), in one piece with its neighbours.
    pub(crate) fn say(&mut self, line: &str) {
        self.transcript.add(Speaker::Client, line);
        self.unsent.push_str(line);
        self.unsent.push('\n');
    }

    /// Sends what was said.
    pub(crate) fn send(&mut self, deadline: Instant) -> Result<(), Fault> {
        if self.unsent.is_empty() {
            return Ok(());
        }
        self.heard = 0;
        let begun = Instant::now();
        let sent = match &mut self.stdin {
            Some(pipe) => system::write_before(pipe, self.unsent.as_bytes(), deadline),
            None => Err(ErrorKind::BrokenPipe.into()),
        };
        self.unsent.clear();
        sent.map_err(|e| {
            let waiting_for = "the reading of a command";
            match e.kind() {
                ErrorKind::TimedOut => {
                    Fault::TimedOut { waiting_for: waiting_for.into(), after: begun.elapsed() }
                }
                _ => self.died(waiting_for),
            }
        })
    }

    /// Waits for a line; false when none came before the deadline.
    pub(crate) fn receive(
        &mut self,
        line: &mut String,
        waiting_for: &str,
        deadline: Instant,
    ) -> Result<bool, Fault> {
        self.send(deadline)?;
        self.next(line, waiting_for, Some(deadline))
    }

    /// Reads everything that was written unasked.
    pub(crate) fn skip_unasked(&mut self) -> Result<(), Fault> {
        let mut line = String::new();
        while self.next(&mut line, "nothing", None)? {}
        Ok(())
    }

    fn next(
        &mut self,
        line: &mut String,
        waiting_for: &str,
        deadline: Option<Instant>,
    ) -> Result<bool, Fault> {
        match self.output.next(line, deadline) {
            Next::Line => {
                self.transcript.add(Speaker::Engine, line);
                self.heard += line.len() + 1;
                if self.heard > ANSWER {
                    let what = format!("more than {ANSWER} bytes while {waiting_for} was awaited");
                    return Err(Fault::Flooded { what });
                }
                Ok(true)
            }
            Next::Late => Ok(false),
            Next::Closed => Err(self.died(waiting_for)),
            Next::Flooded(what) => Err(Fault::Flooded { what }),
        }
    }

    fn died(&mut self, waiting_for: &str) -> Fault {
        live::see_death();
        let status = match self.exit_before(Instant::now() + PARTING) {
            Some(status) => status.to_string(),
            None => "it closed its output and lives".into(),
        };
        Fault::Died { waiting_for: waiting_for.into(), status, stderr: self.stderr.text(PARTING) }
    }

    fn exit_before(&mut self, deadline: Instant) -> Option<ExitStatus> {
        loop {
            // A process that cannot be asked is as good as gone.
            if let Some(status) = self.child.try_wait().ok()? {
                live::see_death();
                return Some(status);
            }
            if Instant::now() >= deadline {
                return None;
            }
            thread::sleep(LOOK);
        }
    }

    /// Closes the engine's input and waits for its end.
    pub(crate) fn close(&mut self, deadline: Instant) -> Result<ExitStatus, Fault> {
        let begun = Instant::now();
        let sent = self.send(deadline);
        self.stdin = None;
        self.output.wait_closed(deadline);
        if let Some(status) = self.exit_before(deadline) {
            return Ok(status);
        }
        sent?;
        let waiting_for = "the end of the process".into();
        Err(Fault::TimedOut { waiting_for, after: begun.elapsed() })
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        live::end(&mut self.child);
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use evalsmith_core::Protocol;

    fn shell(script: &str) -> Process {
        let mut engine = Engine::new(Protocol::Uci, "/bin/sh");
        engine.arguments = vec!["-c".into(), script.into()];
        Process::spawn(&engine).expect("there is a shell")
    }

    fn within(seconds: u64) -> Instant {
        Instant::now() + Duration::from_secs(seconds)
    }

    #[test]
    fn a_program_finds_those_beside_it() {
        let folders = |program: &str| {
            let path = search_path(Path::new(program))?;
            Some(std::env::split_paths(&path).collect::<Vec<_>>())
        };
        let last = folders("/opt/engines/one").and_then(|folders| folders.last().cloned());
        assert_eq!(last.as_deref(), Some(Path::new("/opt/engines")));
        assert!(folders("one").is_none() && folders("./one").is_none());
    }

    #[test]
    fn a_process_that_never_reads_does_not_hold_us() {
        let mut process = shell("sleep 60");
        let line = "x".repeat(1 << 16);
        for _ in 0..8 {
            process.say(&line);
        }
        let fault = process.send(Instant::now() + Duration::from_millis(20)).unwrap_err();
        assert!(matches!(fault, Fault::TimedOut { .. }), "{fault}");
    }

    #[test]
    fn a_death_is_told_with_its_status_and_last_words() {
        let mut process = shell("echo hello; echo sorry >&2; exit 7");
        let mut line = String::new();
        assert_eq!(process.receive(&mut line, "a greeting", within(20)), Ok(true));
        assert_eq!(line, "hello");
        let fault = process.receive(&mut line, "more", within(20)).unwrap_err().to_string();
        assert!(fault.contains("more") && fault.contains('7'), "{fault}");
    }

    /// One that never leaves much unread, and never says what is awaited.
    #[test]
    fn an_endless_answer_is_a_flood() {
        let mut process = shell(
            "x=$(head -c 60000 /dev/zero | tr '\\0' x)
             while :; do yes $x | head -n 16; sleep 0.005; done",
        );
        process.say("go");
        let mut line = String::new();
        let deadline = within(300);
        let ended = loop {
            match process.receive(&mut line, "a move", deadline) {
                Ok(true) => {}
                ended => break ended,
            }
        };
        assert!(matches!(ended, Err(Fault::Flooded { .. })), "{ended:?}");
    }

    #[test]
    fn the_whole_family_dies() {
        let dir = tempfile::tempdir().unwrap();
        let mark = dir.path().join("pid");
        let script = format!("sleep 1000 & echo $! > {}; echo ready; wait", mark.display());
        let mut process = shell(&script);
        let mut line = String::new();
        process.receive(&mut line, "ready", within(20)).unwrap();
        let child: u32 = std::fs::read_to_string(&mark).unwrap().trim().parse().unwrap();
        let alive = |pid: u32| {
            // A zombie waits for its new parent and is as dead as can be.
            std::fs::read_to_string(format!("/proc/{pid}/stat"))
                .is_ok_and(|stat| !stat.contains(") Z"))
        };
        assert!(alive(child));
        drop(process);
        let deadline = within(20);
        while alive(child) {
            assert!(Instant::now() < deadline, "a child outlived its group");
            thread::sleep(LOOK);
        }
    }
}
