//! What a process writes to its standard error: the end of it, and a file.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{Read, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Bytes kept.
const KEPT: usize = 4096;

/// The end of what was written.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tail(Arc<(Mutex<State>, Condvar)>);

#[derive(Debug, Default)]
struct State {
    kept: VecDeque<u8>,
    closed: bool,
}

impl Tail {
    /// Reads `pipe` on a thread of its own, which ends with the pipe; appends
    /// everything to `file`.
    pub(crate) fn of(
        mut pipe: impl Read + Send + 'static,
        mut file: Option<File>,
    ) -> std::io::Result<Self> {
        let tail = Self::default();
        let kept = tail.clone();
        let read_all = move || {
            let mut chunk = [0; 1024];
            while let Ok(n) = pipe.read(&mut chunk)
                && n > 0
            {
                kept.push(&chunk[..n]);
                // A full disk must not stop the engine: the tail is kept anyway.
                if file.as_mut().is_some_and(|f| f.write_all(&chunk[..n]).is_err()) {
                    file = None;
                }
            }
            kept.lock().closed = true;
            kept.0.1.notify_all();
        };
        thread::Builder::new().name("engine errors".into()).spawn(read_all)?;
        Ok(tail)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, chunk: &[u8]) {
        let kept = &mut self.lock().kept;
        kept.extend(chunk);
        let excess = kept.len().saturating_sub(KEPT);
        kept.drain(..excess);
    }

    /// The end of what was written, once the pipe is closed or `patience` is over.
    pub(crate) fn text(&self, patience: Duration) -> String {
        let deadline = Instant::now() + patience;
        let mut state = self.lock();
        while !state.closed {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            state = self.0.1.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        String::from_utf8_lossy(state.kept.make_contiguous()).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_end_is_kept() {
        let tail = Tail::default();
        tail.push(&[b'a'; KEPT]);
        tail.push(b"end");
        let text = tail.text(Duration::ZERO);
        assert_eq!(text.len(), KEPT);
        assert!(text.starts_with('a') && text.ends_with("aend"));
    }
}
