//! Ctrl-C, SIGTERM and SIGHUP: a job is asked to stop at its next safe point.
//!
//! A job that does not get there in time is ended, as by a second Ctrl-C. That loses
//! nothing: every file is written so that even `kill -9` leaves it usable. A command that
//! has no safe points, or has not begun, ends at once. Outside engines are killed before
//! the program ends. Invariant: whoever stops the program is told the command that
//! continues or repeats it, and the exit code is 130.

use crate::failure::{say, typed_command};
use evalsmith_lab::prelude::end_all_engines;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::time::Duration;

/// How long a job may take to reach a safe point.
const GRACE: Duration = Duration::from_millis(1500);

/// A stop was asked for.
static REQUESTED: AtomicBool = AtomicBool::new(false);
/// A job asks [`requested`] again and again.
static HEEDED: AtomicBool = AtomicBool::new(false);
/// The command has returned: what is left is its last sentence.
static RETURNED: AtomicBool = AtomicBool::new(false);
/// The program is ending; only one thread may end it.
static ENDING: AtomicBool = AtomicBool::new(false);
/// What a stop leaves, a [`Kept`].
static KEPT: AtomicU8 = AtomicU8::new(Kept::Unknown as u8);

/// What a stopped command leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Kept {
    /// The command has not got that far.
    Unknown,
    /// Nothing: it begins again.
    Nothing,
    /// What is finished: the same command continues.
    Finished,
}

impl Kept {
    /// How to call the command that is told.
    pub(crate) fn again(self) -> &'static str {
        match self {
            Self::Unknown | Self::Nothing => "begin again with",
            Self::Finished => "continue with",
        }
    }

    fn in_words(self) -> &'static str {
        match self {
            Self::Unknown => "stopped",
            Self::Nothing => "stopped; nothing is kept",
            Self::Finished => "stopped; what is finished is kept",
        }
    }
}

/// Installs the handler; a second call changes nothing.
pub(crate) fn listen() {
    // It fails only where it is installed already.
    let _ = ctrlc::set_handler(|| {
        if RETURNED.load(Ordering::SeqCst) {
            return;
        }
        let again = REQUESTED.swap(true, Ordering::SeqCst);
        if again || !HEEDED.load(Ordering::SeqCst) {
            end();
        }
        say("stopping at the next safe point; once more ends at once");
        std::thread::spawn(|| {
            std::thread::sleep(GRACE);
            if !RETURNED.load(Ordering::SeqCst) {
                end();
            }
        });
    });
}

/// From now on a job looks for requests.
pub(crate) fn heed() {
    listen();
    HEEDED.store(true, Ordering::SeqCst);
}

/// Says what a stop leaves from now on.
pub(crate) fn keeps(kept: Kept) {
    KEPT.store(kept as u8, Ordering::SeqCst);
}

/// What a stop leaves.
pub(crate) fn kept() -> Kept {
    let found = KEPT.load(Ordering::SeqCst);
    let all = [Kept::Unknown, Kept::Nothing, Kept::Finished];
    all.into_iter().find(|kept| *kept as u8 == found).unwrap_or(Kept::Unknown)
}

/// Whether the job must stop.
pub(crate) fn requested() -> bool {
    REQUESTED.load(Ordering::SeqCst)
}

/// The command has returned; its error says what is kept.
pub(crate) fn returned() {
    RETURNED.store(true, Ordering::SeqCst);
}

fn end() -> ! {
    while ENDING.swap(true, Ordering::SeqCst) {
        std::thread::park();
    }
    end_all_engines();
    let kept = kept();
    say(&format!("{}; {}: {}", kept.in_words(), kept.again(), typed_command()));
    std::process::exit(130)
}
