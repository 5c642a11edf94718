//! Ctrl-C, SIGTERM and SIGHUP: a job is asked to stop at its next safe point.
//!
//! A job that does not get there in time is ended, as by a second Ctrl-C. That loses
//! nothing: every file is written so that even `kill -9` leaves it usable. Before a job
//! listens there is nothing to finish, and the program ends at once. Invariant: whoever
//! stops the program is told the command that continues it, and the exit code is 130.

use crate::failure::{say, typed_command};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How long a job may take to reach a safe point.
const GRACE: Duration = Duration::from_millis(1500);

/// A stop was asked for.
static REQUESTED: AtomicBool = AtomicBool::new(false);
/// A job asks [`requested`] again and again.
static HEEDED: AtomicBool = AtomicBool::new(false);
/// The command has returned: what is left is its last sentence.
static RETURNED: AtomicBool = AtomicBool::new(false);

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

/// Whether the job must stop.
pub(crate) fn requested() -> bool {
    REQUESTED.load(Ordering::SeqCst)
}

/// The command has returned; its error says what is kept.
pub(crate) fn returned() {
    RETURNED.store(true, Ordering::SeqCst);
}

fn end() -> ! {
    say(&format!("stopped; continue with: {}", typed_command()));
    std::process::exit(130)
}
