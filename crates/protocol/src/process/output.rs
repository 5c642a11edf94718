//! What a process has written and nobody has read yet, line by line.
//!
//! A thread reads the pipe, so that an engine never waits for its client.
//! Invariant: at most [`UNREAD`] bytes are held; one more, or a line longer than
//! [`LINE`], and reading stops for good: a flood is a fault, not memory.

use std::io::{ErrorKind, Read};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

/// The most bytes held unread.
pub(crate) const UNREAD: usize = 4 << 20;
/// The longest line.
pub(crate) const LINE: usize = 1 << 16;

#[derive(Debug, Default)]
struct State {
    bytes: Vec<u8>,
    /// `bytes[..taken]` have been read.
    taken: usize,
    /// `bytes[taken..scanned]` hold no end of a line.
    scanned: usize,
    closed: bool,
    flooded: Option<String>,
}

/// The lines of one pipe.
#[derive(Debug, Default)]
pub(crate) struct Output {
    state: Mutex<State>,
    grown: Condvar,
}

/// What came of waiting for a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// A line came.
    Line,
    /// None came in time.
    Late,
    /// None will come any more.
    Closed,
    /// Too much came.
    Flooded(String),
}

impl Output {
    /// Begins to read `pipe` on a thread of its own, which ends with the pipe.
    pub(crate) fn of(mut pipe: impl Read + Send + 'static) -> std::io::Result<Arc<Self>> {
        let output = Arc::new(Self::default());
        let shared = Arc::clone(&output);
        let read_all = move || {
            let mut chunk = vec![0; 1 << 14];
            loop {
                match pipe.read(&mut chunk) {
                    Ok(n) if n > 0 => {
                        if !shared.push(&chunk[..n]) {
                            break;
                        }
                    }
                    Err(e) if e.kind() == ErrorKind::Interrupted => {}
                    _ => break,
                }
            }
            shared.lock().closed = true;
            shared.grown.notify_all();
        };
        thread::Builder::new().name("engine output".into()).spawn(read_all)?;
        Ok(output)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing panics while it holds the lock; were it so, the bytes are whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds what was read; false when it is too much.
    fn push(&self, chunk: &[u8]) -> bool {
        let mut state = self.lock();
        let unread = state.bytes.len() - state.taken + chunk.len();
        if unread > UNREAD {
            state.flooded = Some(format!("{unread} bytes unread, more than {UNREAD}"));
            return false;
        }
        if state.taken > 0 && state.bytes.len() + chunk.len() > state.bytes.capacity() {
            let taken = std::mem::take(&mut state.taken);
            state.bytes.drain(..taken);
            state.scanned -= taken;
        }
        state.bytes.extend_from_slice(chunk);
        drop(state);
        if chunk.contains(&b'\n') {
            self.grown.notify_one();
        }
        true
    }

    /// Waits until `deadline` for the next line and puts it into `line`, without
    /// its end. With no deadline only what is there is taken.
    pub(crate) fn next(&self, line: &mut String, deadline: Option<Instant>) -> Next {
        let mut state = self.lock();
        loop {
            if state.take_line(line) {
                return Next::Line;
            }
            if state.bytes.len() - state.taken > LINE {
                return Next::Flooded(format!("a line longer than {LINE} bytes"));
            }
            if let Some(what) = &state.flooded {
                return Next::Flooded(what.clone());
            }
            if state.closed {
                return if state.take_rest(line) { Next::Line } else { Next::Closed };
            }
            let left = deadline.map(|d| d.saturating_duration_since(Instant::now()));
            match left {
                Some(left) if !left.is_zero() => {
                    let waited = self.grown.wait_timeout(state, left);
                    state = waited.unwrap_or_else(PoisonError::into_inner).0;
                }
                _ => return Next::Late,
            }
        }
    }

    /// Waits until the pipe is closed; false when it is still open at `deadline`.
    pub(crate) fn wait_closed(&self, deadline: Instant) -> bool {
        let mut state = self.lock();
        while !state.closed {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            state = self.grown.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
            // What is still written is not awaited by anybody, and must not
            // fill up.
            (state.taken, state.scanned) = (state.bytes.len(), state.bytes.len());
        }
        true
    }
}

impl State {
    fn take_line(&mut self, line: &mut String) -> bool {
        let Some(end) = self.bytes[self.scanned..].iter().position(|&b| b == b'\n') else {
            self.scanned = self.bytes.len();
            return false;
        };
        let end = self.scanned + end;
        if end - self.taken > LINE {
            return false;
        }
        self.copy(end, line);
        self.taken = end + 1;
        self.scanned = self.taken;
        if self.taken == self.bytes.len() {
            self.bytes.clear();
            (self.taken, self.scanned) = (0, 0);
        }
        true
    }

    fn take_rest(&mut self, line: &mut String) -> bool {
        let end = self.bytes.len();
        let some = end > self.taken;
        self.copy(end, line);
        (self.taken, self.scanned) = (end, end);
        some
    }

    fn copy(&self, end: usize, line: &mut String) {
        line.clear();
        let bytes = self.bytes[self.taken..end].trim_ascii_end();
        match std::str::from_utf8(bytes) {
            Ok(text) => line.push_str(text),
            Err(_) => line.push_str(&String::from_utf8_lossy(bytes)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::io::Cursor;
    use std::time::Duration;

    fn soon() -> Instant {
        Instant::now() + Duration::from_secs(20)
    }

    fn all(output: &Output) -> (Vec<String>, Next) {
        let (mut lines, mut line) = (Vec::new(), String::new());
        loop {
            match output.next(&mut line, Some(soon())) {
                Next::Line => lines.push(line.clone()),
                end => return (lines, end),
            }
        }
    }

    #[test]
    fn a_last_line_without_end_is_a_line() {
        let output = Output::of(Cursor::new("a\r\n\nb")).unwrap();
        assert_eq!(all(&output), (vec!["a".into(), String::new(), "b".into()], Next::Closed));
    }

    #[test]
    fn floods_are_noticed() {
        let endless = std::io::repeat(b'x');
        let (lines, end) = all(&Output::of(endless).unwrap());
        assert!(lines.is_empty() && matches!(end, Next::Flooded(_)));

        let output = Output::of(Cursor::new(b"x\n".repeat(UNREAD))).unwrap();
        assert!(output.wait_flooded());
        let held = output.lock().bytes.capacity();
        assert!(held <= 2 * UNREAD, "{held} bytes held");
        let (lines, end) = all(&output);
        assert!(lines.len() <= UNREAD / 2 && matches!(end, Next::Flooded(_)));
    }

    impl Output {
        fn wait_flooded(&self) -> bool {
            let mut state = self.lock();
            while !state.closed {
                state = self.grown.wait(state).unwrap();
            }
            state.flooded.is_some()
        }
    }

    #[test]
    fn an_open_pipe_without_a_line_is_late() {
        let (reader, writer) = std::io::pipe().unwrap();
        let output = Output::of(reader).unwrap();
        let mut line = String::new();
        assert_eq!(output.next(&mut line, None), Next::Late);
        assert_eq!(
            output.next(&mut line, Some(Instant::now() + Duration::from_millis(5))),
            Next::Late
        );
        drop(writer);
        assert_eq!(output.next(&mut line, Some(soon())), Next::Closed);
    }

    proptest! {
        #[test]
        fn lines_are_those_of_the_bytes(bytes in prop::collection::vec(prop_oneof![Just(b'\n'), any::<u8>()], 0..600)) {
            let (lines, end) = all(&Output::of(Cursor::new(bytes.clone())).unwrap());
            prop_assert_eq!(end, Next::Closed);
            let mut expected: Vec<String> = bytes
                .split(|&b| b == b'\n')
                .map(|l| String::from_utf8_lossy(l.trim_ascii_end()).into_owned())
                .collect();
            if bytes.is_empty() || bytes.ends_with(b"\n") {
                expected.pop();
            }
            prop_assert_eq!(lines, expected);
        }
    }
}
