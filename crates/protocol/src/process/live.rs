//! The engines that run now, so that the program can end all of them when it must end
//! at once.
//!
//! Invariant: after [`end_all_engines`] no engine starts, and nobody learns that one has
//! died: a thread that waits for an engine waits until the program is gone. Otherwise
//! a match would record a loss for an engine that its own program has killed.

use super::system::{kill_group, wait_until_dead};
use std::collections::BTreeSet;
use std::io;
use std::process::{Child, Command};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long killed processes may take to be gone.
const DEATH: Duration = Duration::from_millis(300);

static LIVE: Mutex<Live> = Mutex::new(Live { leaders: BTreeSet::new(), ending: false });

#[derive(Debug)]
struct Live {
    /// Leaders of process groups.
    leaders: BTreeSet<u32>,
    /// The program ends.
    ending: bool,
}

fn live() -> MutexGuard<'static, Live> {
    LIVE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts a process that leads a group.
pub(super) fn spawn(command: &mut Command) -> io::Result<Child> {
    let mut live = live();
    while live.ending {
        drop(live);
        wait_for_the_end();
        live = self::live();
    }
    let child = command.spawn()?;
    live.leaders.insert(child.id());
    Ok(child)
}

/// Kills a process with its group and waits for it.
pub(super) fn end(child: &mut Child) {
    {
        let mut live = live();
        kill_group(child.id());
        live.leaders.remove(&child.id());
    }
    // Both fail only when the process is gone already.
    let _ = child.kill();
    let _ = child.wait();
}

/// Called where the death of an engine was seen: does not return once the program ends.
pub(super) fn see_death() {
    while live().ending {
        wait_for_the_end();
    }
}

fn wait_for_the_end() {
    std::thread::park_timeout(Duration::from_secs(1));
}

/// Kills every engine with its children and waits for their deaths. Only for a program
/// that ends at once: threads that wait for an engine never go on.
pub fn end_all_engines() {
    let leaders = {
        let mut live = live();
        live.ending = true;
        live.leaders.clone()
    };
    for leader in &leaders {
        kill_group(*leader);
    }
    let deadline = Instant::now() + DEATH;
    for leader in leaders {
        wait_until_dead(leader, deadline);
    }
}
