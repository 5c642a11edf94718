//! A lock that nobody waits at (sequence lock, Lamport 1977).
//!
//! The number is odd while somebody writes. A reader that saw it odd, or saw it
//! change, saw nothing; a writer that finds it taken goes on without writing.
//!
//! Invariant: what `read` returns was written by one `write`. All that is read and
//! written under it must be atomic, with relaxed order.

use std::sync::atomic::{AtomicU32, Ordering, fence};

/// The version of what stands beside it.
#[derive(Debug, Default)]
#[repr(transparent)]
pub(crate) struct Version(AtomicU32);

impl Version {
    /// What `look` sees, if nobody wrote meanwhile.
    #[inline(always)]
    pub(crate) fn read<T>(&self, look: impl FnOnce() -> Option<T>) -> Option<T> {
        let version = self.0.load(Ordering::Acquire);
        let seen = look()?;
        fence(Ordering::Acquire);
        let undisturbed = version.is_multiple_of(2) && self.0.load(Ordering::Relaxed) == version;
        undisturbed.then_some(seen)
    }

    /// Writes, unless somebody else does.
    #[inline(always)]
    pub(crate) fn write(&self, write: impl FnOnce()) {
        let version = self.0.load(Ordering::Relaxed);
        let taken = !version.is_multiple_of(2)
            || self
                .0
                .compare_exchange(
                    version,
                    version.wrapping_add(1),
                    Ordering::Acquire,
                    Ordering::Relaxed,
                )
                .is_err();
        if taken {
            return;
        }
        fence(Ordering::Release);
        write();
        self.0.store(version.wrapping_add(2), Ordering::Release);
    }
}
