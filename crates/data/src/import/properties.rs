//! `NAME[value]` in nested brackets, as SGF and GGF write games.
//!
//! Only the main line is told: the first branch at every fork, which is all that
//! stands before the first closing bracket. Invariant: memory is that of the
//! longest value, which is bounded.

use super::script::{Fault, Place, Why};
use crate::source::Lines;

const LONGEST_VALUE: usize = 1 << 20;

/// What comes next in a game.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// A node begins.
    Node,
    /// A property of the node, with its values.
    Property(String, Vec<String>),
}

pub(crate) struct Properties {
    lines: Lines,
    line: Vec<u8>,
    at: usize,
    /// Whether a backslash takes the meaning from the byte after it.
    escapes: bool,
    depth: u32,
    main: bool,
    lost: bool,
}

impl Properties {
    pub(crate) fn new(lines: Lines, escapes: bool) -> Self {
        Self { lines, line: Vec::new(), at: 0, escapes, depth: 0, main: false, lost: false }
    }

    /// The line being read.
    pub(crate) fn place(&self) -> Place {
        Place::Line(self.lines.number())
    }

    fn fault(&self, reason: impl Into<String>) -> Fault {
        Fault::malformed(self.place(), reason)
    }

    /// The next byte, line ends included.
    fn byte(&mut self) -> Result<Option<u8>, Fault> {
        loop {
            if let Some(&byte) = self.line.get(self.at) {
                self.at += 1;
                return Ok(Some(byte));
            }
            let place = Place::Line(self.lines.number());
            match self.lines.next() {
                Err(e) => return Err(Fault::io(&e, place)),
                Ok(None) => return Ok(None),
                Ok(Some(line)) => {
                    self.line.clear();
                    self.line.extend_from_slice(line);
                    self.line.push(b'\n');
                    self.at = 0;
                }
            }
        }
    }

    fn inside(&mut self) -> Result<u8, Fault> {
        self.byte()?.ok_or_else(|| {
            let reason = "the file ends within a game";
            Fault::new(Why::Truncated, self.place(), reason).and_the_rest()
        })
    }

    /// Gives the rest of a game up; the next is looked for at a line's beginning.
    pub(crate) fn give_up(&mut self) {
        self.lost = self.depth > 0;
    }

    /// Goes to the next game; false after the last.
    pub(crate) fn begin(&mut self) -> Result<bool, Fault> {
        if self.lost {
            self.at = self.line.len();
            self.depth = 0;
        }
        loop {
            let beginning = self.at >= self.line.len();
            let Some(byte) = self.byte()? else { return Ok(false) };
            // Between games anything may stand: names, blanks, numbers.
            if byte == b'(' && (!self.lost || beginning) {
                (self.depth, self.main, self.lost) = (1, true, false);
                return Ok(true);
            }
            if self.lost && !byte.is_ascii_whitespace() {
                self.at = self.line.len();
            }
        }
    }

    /// What comes next in the main line; none at the game's end.
    pub(crate) fn next(&mut self) -> Result<Option<Event>, Fault> {
        while self.depth > 0 {
            match self.inside()? {
                b'(' => self.depth += 1,
                b')' => {
                    self.depth -= 1;
                    self.main = false;
                }
                b';' if self.main => return Ok(Some(Event::Node)),
                b'[' => {
                    self.value()?;
                }
                byte if byte.is_ascii_alphabetic() && self.main => {
                    return self.property(byte).map(Some);
                }
                byte if byte.is_ascii_whitespace() || !self.main || byte == b';' => {}
                byte => {
                    let found = char::from(byte);
                    return Err(self.fault(format!("{found:?} between the properties of a game")));
                }
            }
        }
        Ok(None)
    }

    fn property(&mut self, first: u8) -> Result<Event, Fault> {
        let mut name = String::from(char::from(first));
        let mut values = Vec::new();
        loop {
            match self.inside()? {
                byte if byte.is_ascii_alphanumeric() && values.is_empty() => {
                    name.push(char::from(byte));
                    if name.len() > 64 {
                        return Err(self.fault(format!("{name:?} is no property")));
                    }
                }
                byte if byte.is_ascii_whitespace() => {}
                b'[' => values.push(self.value()?),
                _ if values.is_empty() => {
                    return Err(self.fault(format!("the property {name:?} has no value")));
                }
                _ => {
                    self.at -= 1;
                    // Older files write names out, `Black`; capitals count.
                    if name.bytes().any(|b| b.is_ascii_uppercase()) {
                        name.retain(|c| !c.is_ascii_lowercase());
                    }
                    return Ok(Event::Property(name, values));
                }
            }
        }
    }

    fn value(&mut self) -> Result<String, Fault> {
        let mut value = Vec::new();
        loop {
            match self.inside()? {
                b']' => return Ok(String::from_utf8_lossy(&value).into_owned()),
                b'\\' if self.escapes => match self.inside()? {
                    b'\n' => {}
                    byte => value.push(byte),
                },
                byte => value.push(byte),
            }
            if value.len() > LONGEST_VALUE {
                return Err(self.fault("a value longer than 1 MiB; its bracket may be missing"));
            }
        }
    }
}
