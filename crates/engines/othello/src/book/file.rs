//! A book as bytes.
//!
//! In this order, integers little-endian: the words `evalsmith book`, the version (2
//! bytes), the number of positions (8), of positions asked for (8), of bytes of text
//! (4); the commands that made it, a line each; the positions, 25 bytes each, from the
//! emptiest board to the fullest; the positions asked for, 16 bytes each; and FNV-1a's
//! 64 bits over all of that.
//!
//! A position is the discs of the side to move (8) and of the opponent (8), what its
//! search found (value in eighths of a disc 2, depth 1, certainty 1), the deviation's
//! move (1, 64 for none) and what its search found (2, 1, 1).
//!
//! Invariant: the bytes depend only on what the book holds, and nothing is believed
//! that was not checked: no bytes make a book that could not have been written.

use super::canonical::Canonical;
use super::{Book, Deviation, Found, Node};
use crate::effort::Selectivity;
use crate::engine::Certainty;
use crate::possible::check_possible;
use crate::value::{MOST, Value};
use evalsmith_core::Position;
use evalsmith_othello::{Board, Move, Portable};

const MAGIC: &[u8; 14] = b"evalsmith book";
const VERSION: u16 = 1;
/// Magic, version and three counts.
const HEAD: usize = MAGIC.len() + 2 + 8 + 8 + 4;
const NODE: usize = 25;
const ASKED: usize = 16;
const CHECKSUM: usize = 8;

/// Why bytes are no book.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BookError {
    /// Something else altogether.
    #[error(
        "this is no opening book; name a file that `evalsmith book build` or `book import` wrote"
    )]
    NotABook,
    /// A book of another time.
    #[error(
        "the book has version {0}, and this program reads version {VERSION}; build it anew, or use \
         the program that wrote it"
    )]
    Version(u16),
    /// Bytes are missing, or there are too many.
    #[error(
        "the book has {found} bytes where its head promises {promised}; it was cut or damaged: take \
         a copy, or build it anew"
    )]
    Length {
        /// Bytes there are.
        found: u64,
        /// Bytes there should be.
        promised: u128,
    },
    /// The bytes have changed since they were written.
    #[error("the book's checksum is wrong: it was damaged; take a copy, or build it anew")]
    Checksum,
    /// The checksum is right, but nobody can have written this.
    #[error("entry {entry} of the book cannot be: {reason}; build the book anew")]
    Entry {
        /// Which, from nought; first the positions, then those asked for.
        entry: u64,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The commands are no text.
    #[error("the commands that made the book are no text; build it anew")]
    Made,
}

impl Book {
    /// The book of some bytes.
    ///
    /// # Errors
    /// When they are not a whole, undamaged book of this version.
    pub fn read(bytes: &[u8]) -> Result<Self, BookError> {
        let mut head = Bytes(bytes);
        if head.array() != Some(*MAGIC) {
            return Err(BookError::NotABook);
        }
        let found = bytes.len() as u64;
        let short = BookError::Length { found, promised: (HEAD + CHECKSUM) as u128 };
        let version = u16::from_le_bytes(head.array().ok_or(short)?);
        if version != VERSION {
            return Err(BookError::Version(version));
        }
        let nodes = u64::from_le_bytes(head.array().ok_or(short)?);
        let asked = u64::from_le_bytes(head.array().ok_or(short)?);
        let text = u32::from_le_bytes(head.array().ok_or(short)?);
        let promised = (HEAD + CHECKSUM) as u128
            + u128::from(nodes) * NODE as u128
            + u128::from(asked) * ASKED as u128
            + u128::from(text);
        if u128::from(found) != promised {
            return Err(BookError::Length { found, promised });
        }
        let (content, sum) = bytes.split_at(bytes.len() - CHECKSUM);
        if sum != checksum(content).to_le_bytes() {
            return Err(BookError::Checksum);
        }
        let mut book = Self { made: read_made(&head.take(text as usize))?, ..Self::default() };
        let mut last = None;
        for entry in 0..nodes {
            let wrong = |reason| BookError::Entry { entry, reason };
            let node = read_node(head.take(NODE)).map_err(wrong)?;
            if last.replace(node.at) >= Some(node.at) {
                return Err(wrong("it stands out of order"));
            }
            book.insert(node);
        }
        last = None;
        for entry in nodes..nodes + asked {
            let wrong = |reason| BookError::Entry { entry, reason };
            let at = read_board(head.take(ASKED)).map_err(wrong)?;
            if last.replace(at) >= Some(at) || book.index.contains_key(&at) {
                return Err(wrong("it is asked for twice or out of order"));
            }
            book.pending.insert(at);
        }
        book.value_all();
        Ok(book)
    }

    /// The book as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let text = self.made.join("\n");
        let size = NODE * self.nodes.len() + ASKED * self.pending.len() + text.len();
        let mut bytes = Vec::with_capacity(HEAD + size + CHECKSUM);
        bytes.extend(MAGIC);
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend((self.nodes.len() as u64).to_le_bytes());
        bytes.extend((self.pending.len() as u64).to_le_bytes());
        bytes.extend((text.len() as u32).to_le_bytes());
        bytes.extend(text.as_bytes());
        let mut nodes: Vec<_> = self.nodes.iter().collect();
        nodes.sort_unstable_by_key(|node| node.at);
        for node in nodes {
            write_board(&mut bytes, node.at);
            write_found(&mut bytes, node.searched);
            let none = Deviation { mv: Move::PASS, found: NOTHING };
            let Deviation { mv, found } = node.deviation.unwrap_or(none);
            bytes.push(mv.0);
            write_found(&mut bytes, found);
        }
        for &at in &self.pending {
            write_board(&mut bytes, at);
        }
        let sum = checksum(&bytes);
        bytes.extend(sum.to_le_bytes());
        bytes
    }
}

/// What stands where there is no deviation.
const NOTHING: Found =
    Found { value: Value(0), depth: 0, certainty: Certainty::Judged(Selectivity::Daring) };

/// FNV-1a: a change of any one byte changes the sum.
fn checksum(bytes: &[u8]) -> u64 {
    let mix = |sum: u64, &byte: &u8| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
    bytes.iter().fold(0xCBF2_9CE4_8422_2325, mix)
}

/// Bytes that are taken from the front.
struct Bytes<'b>(&'b [u8]);

impl<'b> Bytes<'b> {
    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (first, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*first)
    }

    /// As many as there are, and no more than are left.
    fn take(&mut self, count: usize) -> Bytes<'b> {
        let (first, rest) = self.0.split_at(count.min(self.0.len()));
        self.0 = rest;
        Bytes(first)
    }
}

fn read_made(text: &Bytes<'_>) -> Result<Vec<String>, BookError> {
    let text = std::str::from_utf8(text.0).map_err(|_| BookError::Made)?;
    // What is joined by line ends again gives the same text, empty lines included.
    let lines = (!text.is_empty()).then(|| text.split('\n'));
    Ok(lines.into_iter().flatten().map(str::to_owned).collect())
}

type Checked<T> = Result<T, &'static str>;

fn read_node(mut bytes: Bytes<'_>) -> Checked<Node> {
    let at = read_board(bytes.take(ASKED))?;
    let board = at.board();
    let searched = read_found(&mut bytes, &board)?;
    let [mv] = bytes.array().ok_or(SHORT)?;
    let found = read_found(&mut bytes, &board)?;
    let deviation = match Move(mv) {
        Move::PASS if found == NOTHING => None,
        Move::PASS => return Err("a value without a move"),
        mv if board.mobility() & mv.bit() != 0 => Some(Deviation { mv, found }),
        _ => return Err("its deviation is not legal"),
    };
    if board.outcome().is_some() && searched != Found::over(&board) {
        return Err("a finished game has another score");
    }
    Ok(Node { at, searched, deviation })
}

const SHORT: &str = "it is cut short";

fn read_board(mut bytes: Bytes<'_>) -> Checked<Canonical> {
    let [own, opp] = [bytes.array().ok_or(SHORT)?, bytes.array().ok_or(SHORT)?];
    let [own, opp] = [own, opp].map(u64::from_le_bytes);
    let board = Board::new(own, opp, Portable).ok_or("a square has two discs")?;
    check_possible(&board).map_err(|_| "no game leads there")?;
    let (at, _) = Canonical::of(&board);
    if (at.own, at.opp) != (own, opp) {
        return Err("another image stands for this position");
    }
    if board.mobility() == 0 && board.outcome().is_none() {
        return Err("nobody decides where a pass is forced");
    }
    Ok(at)
}

fn write_board(bytes: &mut Vec<u8>, at: Canonical) {
    bytes.extend(at.own.to_le_bytes());
    bytes.extend(at.opp.to_le_bytes());
}

fn read_found(bytes: &mut Bytes<'_>, board: &Board<Portable>) -> Checked<Found> {
    let value = i32::from(i16::from_le_bytes(bytes.array().ok_or(SHORT)?));
    let [depth, certainty] = bytes.array().ok_or(SHORT)?;
    if !(-MOST..=MOST).contains(&value) {
        return Err("a value beyond all discs");
    }
    if u32::from(depth) > board.empty().count_ones() {
        return Err("a search beyond the end of the game");
    }
    let level =
        *Selectivity::ALL.get(usize::from(certainty & 15)).ok_or("a certainty unheard of")?;
    let certainty = match certainty >> 4 {
        0 => Certainty::Judged(level),
        1 if level != Selectivity::Full => Certainty::Probable(level),
        2 if level == Selectivity::Full => Certainty::Exact,
        _ => return Err("a certainty unheard of"),
    };
    Ok(Found { value: Value(value), depth: depth.into(), certainty })
}

fn write_found(bytes: &mut Vec<u8>, found: Found) {
    let (kind, level) = match found.certainty {
        Certainty::Judged(level) => (0, level),
        Certainty::Probable(level) => (1, level),
        Certainty::Exact => (2, Selectivity::Full),
    };
    bytes.extend((found.value.0 as i16).to_le_bytes());
    bytes.extend([found.depth as u8, kind << 4 | level.bits() as u8]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::{Growth, Until};
    use crate::patterns::SmallPatterns;
    use crate::probcut::ProbCut;
    use evalsmith_core::Quiet;
    use evalsmith_othello::Othello;
    use proptest::prelude::*;
    use std::convert::Infallible;
    use std::sync::LazyLock;

    fn sample() -> Book {
        let growth = Growth { depth: 1, solve_at: 0, table_mib: 1, ..Growth::default() };
        let mut book = Book::default();
        book.remember_command("evalsmith book build\nothello");
        let until = Until { positions: Some(20), time: None };
        let judge = (&SmallPatterns, ProbCut::of_small_patterns());
        book.grow(&growth, until, judge, &Quiet, |_| Ok::<_, Infallible>(())).unwrap();
        let far = Othello::new().parse_transcript("f5d6c3d3c4f4f6").unwrap();
        book.ask_for_all(far.positions().iter().copied());
        book
    }

    static SAMPLE: LazyLock<Vec<u8>> = LazyLock::new(|| sample().to_bytes());

    /// Bytes with a checksum that fits.
    fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
        let end = bytes.len() - CHECKSUM;
        let sum = checksum(&bytes[..end]);
        bytes[end..].copy_from_slice(&sum.to_le_bytes());
        bytes
    }

    #[test]
    fn commands_are_kept_as_they_stand() {
        for text in ["", "build", "build\nbuild again", "\n\n", "build\r\n"] {
            let made = read_made(&Bytes(text.as_bytes())).expect("a text");
            assert_eq!(made.join("\n"), text);
        }
    }

    #[test]
    fn a_book_is_what_was_written() {
        let (book, bytes) = (sample(), &*SAMPLE);
        let again = Book::read(bytes).unwrap();
        assert_eq!(again.to_bytes(), *bytes);
        assert_eq!(again.made(), ["evalsmith book build othello"]);
        assert_eq!((again.len(), again.pending()), (book.len(), book.pending()));
        assert!(again.pending() > 0);
        for node in &book.nodes {
            let board = node.at.board();
            assert_eq!(again.get(&board), book.get(&board));
            assert_eq!(again.moves(&board), book.moves(&board));
        }
        assert_eq!(bytes.len(), HEAD + 28 + NODE * book.len() + ASKED * book.pending() + CHECKSUM);
    }

    #[test]
    fn what_cannot_be_is_refused_by_name() {
        let node = HEAD + 28;
        let wrong = |at: usize, byte: u8| {
            let mut bytes = SAMPLE.clone();
            bytes[at] = byte;
            Book::read(&sealed(bytes)).map_err(|e| e.to_string()).unwrap_err()
        };
        assert!(wrong(0, b'E').contains("no opening book"));
        assert!(wrong(MAGIC.len(), 2).contains("version 2"));
        assert!(wrong(MAGIC.len() + 3, 1).contains("its head promises"));
        assert!(wrong(HEAD, 0xFF).contains("no text"));
        assert!(wrong(node + 3, 0xFF).contains("entry 0"));
        assert!(wrong(node + 17, 0x7F).contains("beyond all discs"));
        assert!(wrong(node + 18, 61).contains("beyond the end"));
        assert!(wrong(node + 19, 0x35).contains("unheard of"));
        assert!(wrong(node + 20, 0).contains("not legal"));
        let mut swapped = SAMPLE.clone();
        let (first, second) = swapped[node..node + 2 * NODE].split_at_mut(NODE);
        first.swap_with_slice(second);
        assert!(matches!(Book::read(&sealed(swapped)), Err(BookError::Entry { entry: 1, .. })));
        assert_eq!(Book::read(b""), Err(BookError::NotABook));
        assert!(matches!(Book::read(MAGIC), Err(BookError::Length { .. })));
    }

    impl PartialEq for Book {
        fn eq(&self, other: &Self) -> bool {
            self.to_bytes() == other.to_bytes()
        }
    }

    proptest! {
        #[test]
        fn damage_is_noticed(at in 0..SAMPLE.len(), bit in 0_u32..8, cut in 0..SAMPLE.len()) {
            let mut bytes = SAMPLE.clone();
            bytes[at] ^= 1 << bit;
            prop_assert!(Book::read(&bytes).is_err());
            prop_assert!(Book::read(&SAMPLE[..cut]).is_err());
        }

        #[test]
        fn no_bytes_panic_and_what_is_read_can_be_written(
            noise in prop::collection::vec(any::<u8>(), 0..200),
            changes in prop::collection::vec((0..SAMPLE.len() - CHECKSUM, any::<u8>()), 1..4),
        ) {
            prop_assert!(Book::read(&noise).is_err());
            let mut bytes = SAMPLE.clone();
            for (at, byte) in changes {
                bytes[at] = byte;
            }
            let bytes = sealed(bytes);
            if let Ok(book) = Book::read(&bytes) {
                prop_assert_eq!(Book::read(&book.to_bytes()), Ok(book));
            }
        }
    }
}
