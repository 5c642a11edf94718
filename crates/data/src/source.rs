//! Files of records as streams of bytes and lines, whatever they are wrapped in.
//!
//! Invariant: memory is that of a buffer and the longest line, which is bounded.

use memchr::memchr;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, ErrorKind, Read};
use std::path::Path;

/// No line of a record is longer.
const LONGEST_LINE: usize = 16 << 20;
const BUFFER: usize = 1 << 18;

/// What compressed and foreign files begin with, and how to read them all the same.
const WRAPPINGS: [(&[u8], &str); 6] = [
    (
        &[0x1F, 0x8B],
        "it is compressed by gzip; pipe it in: zcat FILE | evalsmith data import ... -",
    ),
    (b"PK\x03\x04", "it is a zip archive; pipe it in: unzip -p FILE | evalsmith data import ... -"),
    (b"\xFD7zXZ", "it is compressed by xz; pipe it in: xzcat FILE | evalsmith data import ... -"),
    (b"BZh", "it is compressed by bzip2; pipe it in: bzcat FILE | evalsmith data import ... -"),
    (&[0xFF, 0xFE], "it is UTF-16; convert it: iconv -f UTF-16 -t UTF-8 FILE"),
    (&[0xFE, 0xFF], "it is UTF-16; convert it: iconv -f UTF-16 -t UTF-8 FILE"),
];
const ZSTD: &[u8] = &[0x28, 0xB5, 0x2F, 0xFD];
const BYTE_ORDER_MARK: &[u8] = "\u{FEFF}".as_bytes();

/// A stream of a file's bytes, unpacked.
pub(crate) type Bytes = Box<dyn BufRead + Send>;

/// Opens a file, or standard input for `-`.
pub(crate) fn open(path: &Path) -> io::Result<Bytes> {
    if path == Path::new("-") {
        return unwrap(io::stdin());
    }
    if path.is_dir() {
        return Err(ErrorKind::IsADirectory.into());
    }
    unwrap(File::open(path)?)
}

/// Looks at a stream's beginning and takes the wrapping off.
pub(crate) fn unwrap(mut input: impl Read + Send + 'static) -> io::Result<Bytes> {
    let mut head = Vec::new();
    Read::by_ref(&mut input).take(6).read_to_end(&mut head)?;
    if let Some((_, remedy)) = WRAPPINGS.iter().find(|(magic, _)| head.starts_with(magic)) {
        return Err(io::Error::new(ErrorKind::InvalidData, *remedy));
    }
    let zstd = head.starts_with(ZSTD);
    if head.starts_with(BYTE_ORDER_MARK) {
        head.drain(..BYTE_ORDER_MARK.len());
    }
    let whole = Cursor::new(head).chain(input);
    Ok(if zstd {
        Box::new(BufReader::with_capacity(BUFFER, zstd::Decoder::new(whole)?))
    } else {
        Box::new(BufReader::with_capacity(BUFFER, whole))
    })
}

/// The lines of a stream, one at a time. A line lies where it was read and is not
/// copied out.
pub(crate) struct Lines {
    input: Bytes,
    /// Bytes read, of which those from `begin` to `end` are the line last given, and
    /// those from `next` to `filled` come after it.
    buffer: Vec<u8>,
    begin: usize,
    end: usize,
    next: usize,
    filled: usize,
    number: u64,
    again: bool,
}

impl Lines {
    pub(crate) fn new(input: Bytes) -> Self {
        let buffer = vec![0; BUFFER];
        Self { input, buffer, begin: 0, end: 0, next: 0, filled: 0, number: 0, again: false }
    }

    /// The number of the line last read, from 1.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// The line last read.
    pub(crate) fn line(&self) -> &[u8] {
        &self.buffer[self.begin..self.end]
    }

    /// Gives the line last read once more.
    pub(crate) fn put_back(&mut self) {
        self.again = true;
    }

    /// The next line without its end; none after the last.
    pub(crate) fn next(&mut self) -> io::Result<Option<&[u8]>> {
        if std::mem::take(&mut self.again) {
            return Ok(Some(self.line()));
        }
        (self.begin, self.end) = (self.next, self.next);
        let mut searched = self.begin;
        loop {
            if let Some(at) = memchr(b'\n', &self.buffer[searched..self.filled]) {
                (self.end, self.next) = (searched + at, searched + at + 1);
                break;
            }
            if self.filled - self.begin >= LONGEST_LINE {
                let number = self.number + 1;
                let reason = format!("line {number} is longer than 16 MiB; it is no record");
                return Err(io::Error::new(ErrorKind::InvalidData, reason));
            }
            let read = self.read_more()?;
            searched = self.filled - read;
            if read == 0 {
                if self.begin == self.filled {
                    return Ok(None);
                }
                (self.end, self.next) = (self.filled, self.filled);
                break;
            }
        }
        self.number += 1;
        if self.line().last() == Some(&b'\r') {
            self.end -= 1;
        }
        Ok(Some(self.line()))
    }

    /// Reads behind what is there of the line, which moves to the front.
    fn read_more(&mut self) -> io::Result<usize> {
        self.buffer.copy_within(self.begin..self.filled, 0);
        self.filled -= self.begin;
        (self.begin, self.end, self.next) = (0, 0, 0);
        if 2 * self.filled > self.buffer.len() {
            self.buffer.resize(2 * self.buffer.len(), 0);
        }
        loop {
            match self.input.read(&mut self.buffer[self.filled..]) {
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                read => {
                    let read = read?;
                    self.filled += read;
                    return Ok(read);
                }
            }
        }
    }
}

#[cfg(test)]
pub(crate) fn of_bytes(bytes: impl Into<Vec<u8>>) -> Bytes {
    unwrap(Cursor::new(bytes.into())).expect("bytes in memory can be read")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Gives so many bytes at most, as a pipe may.
    struct Trickle(Cursor<String>, usize);

    impl Read for Trickle {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let most = buffer.len().min(self.1);
            self.0.read(&mut buffer[..most])
        }
    }

    fn lines(bytes: &[u8]) -> Vec<(u64, String)> {
        let mut lines = Lines::new(of_bytes(bytes));
        let mut all = Vec::new();
        while let Some(line) = lines.next().unwrap() {
            let line = String::from_utf8(line.to_vec()).unwrap();
            all.push((lines.number(), line));
        }
        all
    }

    #[test]
    fn lines_are_cut_at_their_ends_and_counted() {
        let expected = [(1, "a".to_owned()), (2, String::new()), (3, "b".to_owned())];
        assert_eq!(lines(b"\xEF\xBB\xBFa\r\n\nb"), expected);
        assert_eq!(lines(&zstd::encode_all(&b"a\n\nb\n"[..], 1).unwrap()), expected);
        assert_eq!(lines(b""), []);
    }

    proptest! {
        #[test]
        fn lines_are_those_of_the_whole_text(
            lengths in prop::collection::vec(prop_oneof![0_usize..90, 100_000_usize..700_000], 0..8),
            piece in prop_oneof![1_usize..9, Just(1 << 20)], ends: bool,
        ) {
            let lengths = lengths.into_iter().map(|n| if piece < 9 { n % 90 } else { n });
            let line = |(i, n): (usize, usize)| char::from(b'a' + i as u8).to_string().repeat(n + 1);
            let expected: Vec<String> = lengths.enumerate().map(line).collect();
            let text = expected.join("\n") + if ends && !expected.is_empty() { "\n" } else { "" };
            let mut lines = Lines::new(Box::new(BufReader::new(Trickle(Cursor::new(text), piece))));
            for (i, line) in expected.iter().enumerate() {
                if i % 2 == 1 {
                    lines.put_back();
                    prop_assert_eq!(lines.next().unwrap(), Some(expected[i - 1].as_bytes()));
                }
                prop_assert_eq!(lines.next().unwrap(), Some(line.as_bytes()));
                prop_assert_eq!(lines.number(), i as u64 + 1);
            }
            prop_assert_eq!(lines.next().unwrap(), None);
        }
    }

    #[test]
    fn foreign_wrappings_are_named_with_the_remedy() {
        for (bytes, word) in
            [(&b"\x1F\x8B\x08"[..], "zcat"), (b"PK\x03\x04", "unzip"), (b"\xFF\xFEa\0", "iconv")]
        {
            let error = unwrap(Cursor::new(bytes.to_vec())).err().unwrap();
            assert!(error.to_string().contains(word), "{error}");
        }
    }

    #[test]
    fn an_endless_line_is_refused_in_bounded_memory() {
        let endless = unwrap(io::repeat(b'x')).unwrap();
        assert!(Lines::new(endless).next().unwrap_err().to_string().contains("16 MiB"));
    }
}
