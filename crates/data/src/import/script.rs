//! What a record says, before anybody has asked the rules.

use evalsmith_core::{Outcome, Protocol, Side, Stage};
use std::fmt;

/// Where in a file something stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A line, from 1.
    Line(u64),
    /// A byte, from 0.
    Byte(u64),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(number) => write!(f, "line {number}"),
            Self::Byte(offset) => write!(f, "byte {offset}"),
        }
    }
}

/// Why a record is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Why {
    /// It does not keep to its format.
    Malformed,
    /// It ends too early.
    Truncated,
    /// A move is not legal, or a position impossible.
    Illegal,
    /// It is of another game, board or variant.
    Variant,
    /// Its result is not that of its last position.
    Contradiction,
    /// No player is strong enough: a wish, not a fault.
    Rating,
}

impl Why {
    /// The reason in a word or two.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Malformed => "malformed",
            Self::Truncated => "truncated",
            Self::Illegal => "illegal",
            Self::Variant => "another board or variant",
            Self::Contradiction => "result against the rules",
            Self::Rating => "no strong player",
        }
    }
}

/// A record that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) why: Why,
    pub(crate) place: Place,
    pub(crate) reason: String,
    /// Whether nothing after it in the file can be read either.
    pub(crate) rest_is_lost: bool,
}

impl Fault {
    pub(crate) fn new(why: Why, place: Place, reason: impl Into<String>) -> Self {
        Self { why, place, reason: reason.into(), rest_is_lost: false }
    }

    pub(crate) fn malformed(place: Place, reason: impl Into<String>) -> Self {
        Self::new(Why::Malformed, place, reason)
    }

    /// Nothing after it can be read either.
    #[must_use]
    pub(crate) fn and_the_rest(self) -> Self {
        Self { rest_is_lost: true, ..self }
    }

    /// What the system or a decompressor said.
    pub(crate) fn io(error: &std::io::Error, place: Place) -> Self {
        let why = match error.kind() {
            std::io::ErrorKind::UnexpectedEof => Why::Truncated,
            _ => Why::Malformed,
        };
        Self::new(why, place, error.to_string()).and_the_rest()
    }
}

/// The position a record begins with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Start {
    /// The game's own start.
    #[default]
    Usual,
    /// The game's own text of a position.
    Own(String),
    /// A protocol's text of a position.
    Spoken(Protocol, String),
}

/// Bytes that the moves of one game may take.
const LONGEST: usize = 64 << 20;

#[derive(Clone, Copy, Debug)]
struct Word {
    begin: u32,
    end: u32,
    side: Option<Side>,
    place: Place,
}

/// A record as it is told. One value serves a whole file.
#[derive(Debug)]
pub(crate) struct Script {
    /// Where the record begins.
    pub(crate) place: Place,
    pub(crate) start: Start,
    /// Passes may be left out where a side can do nothing else.
    pub(crate) implied_passes: bool,
    /// The outcome for the first player.
    pub(crate) told: Option<Outcome>,
    /// Whether what is told stands whatever the last position looks like.
    pub(crate) binding: bool,
    pub(crate) ratings: [Option<u32>; 2],
    /// The margin for the first player under perfect play from a stage on.
    pub(crate) exact: Option<(Stage, i16)>,
    /// Only the first position is meant, and the move that belongs to it.
    pub(crate) only_first: bool,
    /// White's compensation in points.
    pub(crate) komi: Option<f32>,
    /// Who played, for messages.
    pub(crate) whose: String,
    text: Vec<u8>,
    words: Vec<Word>,
    values: Vec<(u32, f32)>,
}

impl Script {
    pub(crate) fn new() -> Self {
        Self {
            place: Place::Byte(0),
            start: Start::Usual,
            implied_passes: false,
            told: None,
            binding: false,
            ratings: [None; 2],
            exact: None,
            only_first: false,
            komi: None,
            whose: String::new(),
            text: Vec::new(),
            words: Vec::new(),
            values: Vec::new(),
        }
    }

    /// Forgets the last record; the next begins here.
    pub(crate) fn clear(&mut self, place: Place) {
        self.whose.clear();
        self.text.clear();
        self.words.clear();
        self.values.clear();
        let (whose, text) = (std::mem::take(&mut self.whose), std::mem::take(&mut self.text));
        let (words, values) = (std::mem::take(&mut self.words), std::mem::take(&mut self.values));
        *self = Self { place, whose, text, words, values, ..Self::new() };
    }

    /// Appends a move in the game's own notation, with the side that is told to
    /// have played it.
    pub(crate) fn push_move(&mut self, text: &str, side: Option<Side>, place: Place) {
        let begin = self.hold(text.as_bytes());
        self.push_held(begin, self.text.len() as u32, side, place);
    }

    /// Keeps bytes of which [`push_held`](Script::push_held) will name moves;
    /// returns where they begin.
    pub(crate) fn hold(&mut self, bytes: &[u8]) -> u32 {
        let begin = self.text.len() as u32;
        self.text.extend_from_slice(bytes);
        begin
    }

    /// Appends a move that stands among the bytes held, in ASCII.
    #[inline]
    pub(crate) fn push_held(&mut self, begin: u32, end: u32, side: Option<Side>, place: Place) {
        self.words.push(Word { begin, end, side, place });
    }

    /// Whether more is told than any game holds.
    pub(crate) fn is_too_long(&self) -> bool {
        self.words.len() > usize::from(u16::MAX) || self.text.len() > LONGEST
    }

    /// The moves told so far.
    pub(crate) fn ply(&self) -> usize {
        self.words.len()
    }

    /// Notes log-odds for the first player of the position after the last move.
    pub(crate) fn note_value(&mut self, for_first: f32) {
        let ply = self.words.len() as u32;
        match self.values.last_mut() {
            Some((last, value)) if *last == ply => *value = for_first,
            _ => self.values.push((ply, for_first)),
        }
    }

    /// The moves with the side told and the place.
    pub(crate) fn moves(&self) -> impl Iterator<Item = (&str, Option<Side>, Place)> {
        // What is held is hardly ever anything but text, and is then checked at once.
        let whole = std::str::from_utf8(&self.text).ok();
        self.words.iter().map(move |word| {
            let place = word.begin as usize..word.end as usize;
            let text = whole.and_then(|whole| whole.get(place.clone())).unwrap_or_else(|| {
                std::str::from_utf8(&self.text[place]).expect("a move is pushed as text or ASCII")
            });
            (text, word.side, word.place)
        })
    }

    /// The values noted, by the moves played before.
    pub(crate) fn values(&self) -> &[(u32, f32)] {
        &self.values
    }
}

/// Reads the records of one stream.
pub(crate) trait Reader {
    /// Reads the next record; false after the last. After a fault that does not
    /// lose the rest, the record after it is next.
    fn next(&mut self, script: &mut Script) -> Result<bool, Fault>;
}
