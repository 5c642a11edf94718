//! Files of records as streams of bytes and lines, whatever they are wrapped in.
//!
//! Invariant: memory is that of a buffer and the longest line, which is bounded.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, ErrorKind, Read};
use std::path::Path;

/// No line of a record is longer.
const LONGEST_LINE: u64 = 16 << 20;
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

/// The lines of a stream, one at a time.
pub(crate) struct Lines {
    input: Bytes,
    line: Vec<u8>,
    number: u64,
    again: bool,
}

impl Lines {
    pub(crate) fn new(input: Bytes) -> Self {
        Self { input, line: Vec::new(), number: 0, again: false }
    }

    /// The number of the line last read, from 1.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// The line last read.
    pub(crate) fn line(&self) -> &[u8] {
        &self.line
    }

    /// Gives the line last read once more.
    pub(crate) fn put_back(&mut self) {
        self.again = true;
    }

    /// The next line without its end; none after the last.
    pub(crate) fn next(&mut self) -> io::Result<Option<&[u8]>> {
        if std::mem::take(&mut self.again) {
            return Ok(Some(&self.line));
        }
        self.line.clear();
        let read =
            Read::by_ref(&mut self.input).take(LONGEST_LINE).read_until(b'\n', &mut self.line)?;
        if read == 0 {
            return Ok(None);
        }
        self.number += 1;
        if self.line.last() == Some(&b'\n') {
            self.line.pop();
        } else if read as u64 == LONGEST_LINE {
            let reason = format!("line {} is longer than 16 MiB; it is no record", self.number);
            return Err(io::Error::new(ErrorKind::InvalidData, reason));
        }
        if self.line.last() == Some(&b'\r') {
            self.line.pop();
        }
        Ok(Some(&self.line))
    }
}

#[cfg(test)]
pub(crate) fn of_bytes(bytes: impl Into<Vec<u8>>) -> Bytes {
    unwrap(Cursor::new(bytes.into())).expect("bytes in memory can be read")
}

#[cfg(test)]
mod tests {
    use super::*;

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
