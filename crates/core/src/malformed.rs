//! Text or bytes that do not say what they should.

use std::fmt;

/// What was read, what is wrong with it, and what would be right.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Malformed {
    /// What was being read: "move", "Othello board", "transcript".
    pub what: &'static str,
    /// The offending text, shortened.
    pub found: String,
    /// What is wrong, and the remedy.
    pub reason: String,
}

impl Malformed {
    /// Reports `found` as a malformed `what`, because of `reason`.
    pub fn new(what: &'static str, found: impl fmt::Display, reason: impl Into<String>) -> Self {
        let found = found.to_string();
        let found = match found.char_indices().nth(80) {
            Some((cut, _)) => format!("{}...", &found[..cut]),
            None => found,
        };
        Self { what, found, reason: reason.into() }
    }
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "malformed {} {:?}: {}", self.what, self.found, self.reason)
    }
}
