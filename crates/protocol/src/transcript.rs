//! The last lines of a dialogue, for reports of faults.
//!
//! Invariant: at most `LINES` lines of at most `WIDTH` bytes are kept, and
//! their buffers are used again, so that writing a line costs no allocation.

use std::collections::VecDeque;
use std::fmt;
use std::time::{Duration, Instant};

/// Lines kept.
pub(crate) const LINES: usize = 200;
/// Bytes kept of a line.
pub(crate) const WIDTH: usize = 300;

/// Who wrote a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speaker {
    /// The client.
    Client,
    /// The engine.
    Engine,
}

#[derive(Clone, Debug)]
struct Entry {
    at: Duration,
    from: Speaker,
    text: String,
    cut: bool,
}

/// What was said lately, by whom and when.
#[derive(Clone, Debug)]
pub struct Transcript {
    begun: Instant,
    entries: VecDeque<Entry>,
    forgotten: u64,
}

impl Transcript {
    /// Nothing yet; times count from now.
    pub fn new() -> Self {
        Self { begun: Instant::now(), entries: VecDeque::with_capacity(LINES), forgotten: 0 }
    }

    /// Adds a line, forgetting the oldest when there are too many.
    pub fn add(&mut self, from: Speaker, line: &str) {
        let mut text = if self.entries.len() == LINES {
            self.forgotten += 1;
            self.entries.pop_front().map(|entry| entry.text).unwrap_or_default()
        } else {
            String::new()
        };
        text.clear();
        let end = line.floor_char_boundary(WIDTH);
        text.push_str(&line[..end]);
        let cut = end < line.len();
        self.entries.push_back(Entry { at: self.begun.elapsed(), from, text, cut });
    }

    /// How many lines are kept.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether nothing was said.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

impl Default for Transcript {
    fn default() -> Self {
        Self::new()
    }
}

/// One line each: the seconds since the start, `>` for what the client said and
/// `<` for what the engine did.
impl fmt::Display for Transcript {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.forgotten > 0 {
            writeln!(f, "({} earlier lines)", self.forgotten)?;
        }
        for Entry { at, from, text, cut } in &self.entries {
            let sign = if *from == Speaker::Client { '>' } else { '<' };
            let more = if *cut { "..." } else { "" };
            writeln!(f, "{:9.3} {sign} {text}{more}", at.as_secs_f64())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_end_of_a_long_dialogue_is_kept() {
        let mut transcript = Transcript::new();
        for i in 0..LINES + 5 {
            transcript.add(Speaker::Engine, &format!("line {i}."));
        }
        transcript.add(Speaker::Client, &"é".repeat(WIDTH));
        assert_eq!(transcript.len(), LINES);
        let text = transcript.to_string();
        assert!(text.starts_with("(6 earlier lines)\n"));
        assert!(!text.contains("line 5.") && text.contains("< line 6."));
        let last = text.lines().last().unwrap();
        assert!(last.contains(" > é") && last.ends_with("é..."), "{last}");
    }
}
