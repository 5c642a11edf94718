//! CSV and TSV: a line of names, then a row a line. Quoted cells may hold the
//! separator, not the end of a line.
//!
//! Lines are read in blocks of a mebibyte, which threads take apart side by side.

use super::meaning::{self, Raw};
use super::{Plan, wrong};
use crate::DataError;
use crate::source::{Bytes, Lines};
use rayon::prelude::*;
use std::io::{BufRead, Cursor, Read};
use std::path::Path;

const BLOCK: usize = 1 << 20;
/// Blocks taken apart side by side, whatever the number of threads.
const BLOCKS: usize = 8;
const LONGEST_LINE: usize = 16 << 20;

/// The rows below the names, read once and in order.
pub(super) struct Rows {
    input: Bytes,
    separator: u8,
    /// Whole lines that were looked at before they are read.
    ahead: Option<Vec<u8>>,
    /// What began a line at the end of the last block.
    left: Vec<u8>,
}

impl Rows {
    /// The names of the columns, and the rows below them.
    pub(super) fn open(path: &Path, mut input: Bytes) -> Result<(Vec<String>, Self), DataError> {
        let line = first_line(&mut input, path)?;
        let line = String::from_utf8_lossy(&line).trim_end().to_owned();
        if line.contains(|c: char| c == '\u{FFFD}' || c.is_control() && c != '\t') {
            let reason = "it is no table: its first line, of columns' names, is no text";
            return Err(wrong(path, reason));
        }
        if line.is_empty() {
            return Err(wrong(path, "it is empty; the first line names the columns"));
        }
        let separator = if line.contains('\t') { b'\t' } else { b',' };
        let mut cells = Vec::new();
        split(line.as_bytes(), separator, &mut cells);
        let names = cells.iter().map(|&cell| unquoted(&line.as_bytes()[cell.0..cell.1])).collect();
        Ok((names, Self { input, separator, ahead: None, left: Vec::new() }))
    }

    fn next_block(&mut self) -> std::io::Result<Option<Vec<u8>>> {
        match self.ahead.take() {
            Some(block) => Ok(Some(block)),
            None => next_block(&mut self.input, &mut self.left),
        }
    }

    /// Whether most cells of each column are numbers in the first block, which stays to
    /// be read. Without a row, all are.
    pub(super) fn look_for_numbers(
        &mut self,
        places: &[usize],
        width: usize,
    ) -> std::io::Result<Vec<bool>> {
        let block = self.next_block()?.unwrap_or_default();
        let (mut rows, mut found) = (0, vec![0; places.len()]);
        let mut cells = Vec::with_capacity(width);
        for line in block.split(|&b| b == b'\n').map(<[u8]>::trim_ascii_end) {
            if line.is_empty() {
                continue;
            }
            cells.clear();
            split(line, self.separator, &mut cells);
            rows += 1;
            for (found, &place) in found.iter_mut().zip(places) {
                let cell = cells.get(place).map(|&(begin, end)| &line[begin..end]);
                *found += u64::from(cell.is_some_and(|cell| !number(cell).is_nan()));
            }
        }
        self.ahead = Some(block).filter(|block| !block.is_empty());
        Ok(found.into_iter().map(|found| rows == 0 || 2 * found > rows).collect())
    }

    /// All that was not read yet.
    fn into_bytes(self) -> Bytes {
        let begun = [self.ahead.unwrap_or_default(), self.left].concat();
        Box::new(Cursor::new(begun).chain(self.input))
    }
}

fn first_line(input: &mut Bytes, path: &Path) -> Result<Vec<u8>, DataError> {
    let mut line = Vec::new();
    let limit = LONGEST_LINE as u64;
    let read = Read::by_ref(input).take(limit).read_until(b'\n', &mut line);
    read.map_err(|e| DataError::io(path, e))?;
    Ok(line)
}

/// Reads all rows.
pub(super) fn read<E: From<DataError>>(
    rows: &mut Rows,
    path: &Path,
    width: usize,
    plan: &Plan,
    hand_on: &mut impl FnMut(Raw) -> Result<(), E>,
) -> Result<(), E> {
    let mut line = 2;
    loop {
        let mut blocks = Vec::with_capacity(BLOCKS);
        while blocks.len() < BLOCKS {
            match rows.next_block().map_err(|e| DataError::io(path, e))? {
                Some(block) => blocks.push(block),
                None => break,
            }
        }
        if blocks.is_empty() {
            return Ok(());
        }
        let separator = rows.separator;
        let taken: Vec<_> =
            blocks.par_iter().map(|block| take_apart(block, separator, plan, width)).collect();
        for taken in taken {
            let (mut raw, lines) = taken.map_err(|(at, reason)| {
                wrong(path, &format!("line {}: {reason}", line + u64::from(at)))
            })?;
            raw.first_line = line;
            if plan.game.is_none() {
                let first = line;
                raw.games =
                    raw.lines.iter().map(|&l| meaning::spread(first + u64::from(l))).collect();
            }
            line += u64::from(lines);
            hand_on(raw)?;
        }
    }
}

/// Hands on the cells of every row.
pub(super) fn cells<E: From<DataError>>(
    rows: Rows,
    path: &Path,
    width: usize,
    mut visit: impl FnMut(Vec<String>) -> Result<(), E>,
) -> Result<(), E> {
    let separator = rows.separator;
    let mut lines = Lines::new(rows.into_bytes());
    let mut places = Vec::with_capacity(width);
    while let Some(line) = lines.next().map_err(|e| DataError::io(path, e))? {
        places.clear();
        split(line, separator, &mut places);
        let row: Vec<String> = places.iter().map(|&(a, b)| unquoted(&line[a..b])).collect();
        if row.iter().all(String::is_empty) {
            continue;
        }
        if row.len() != width {
            // The names of the columns are the first line.
            let (number, found) = (lines.number() + 1, row.len());
            let reason = format!("line {number}: {found} cells under {width} names");
            return Err(wrong(path, &reason).into());
        }
        visit(row)?;
    }
    Ok(())
}

/// Whole lines of about a mebibyte; `left` is what began a line at the end of the
/// last block.
fn next_block(input: &mut Bytes, left: &mut Vec<u8>) -> std::io::Result<Option<Vec<u8>>> {
    let mut block = std::mem::take(left);
    loop {
        let before = block.len();
        Read::by_ref(input).take(BLOCK as u64).read_to_end(&mut block)?;
        if block.len() == before {
            return Ok((!block.is_empty()).then_some(block));
        }
        if let Some(end) = block[before..].iter().rposition(|&b| b == b'\n') {
            *left = block.split_off(before + end + 1);
            return Ok(Some(block));
        }
        if block.len() > LONGEST_LINE {
            let reason = "a line is longer than 16 MiB; this is no table";
            return Err(std::io::Error::new(std::io::ErrorKind::InvalidData, reason));
        }
    }
}

/// The rows of a block and the number of its lines, or the line at fault.
fn take_apart(
    block: &[u8],
    separator: u8,
    plan: &Plan,
    width: usize,
) -> Result<(Raw, u32), (u32, String)> {
    let mut raw = Raw {
        what: "line",
        numbers: vec![Vec::new(); plan.numbers.len()],
        sides_asked: plan.side.is_some(),
        ..Raw::default()
    };
    let mut cells = Vec::with_capacity(width);
    let mut number = 0;
    for line in block.split_inclusive(|&b| b == b'\n') {
        let at = number;
        number += 1;
        let line = line.trim_ascii_end();
        if line.is_empty() {
            continue;
        }
        cells.clear();
        split(line, separator, &mut cells);
        // Empty cells at the end were trimmed with the line where tabs part them.
        if separator == b'\t' {
            cells.resize(cells.len().max(width), (line.len(), line.len()));
        }
        if cells.len() != width {
            return Err((at, format!("{} cells under {width} names", cells.len())));
        }
        push(&mut raw, line, &cells, plan, at);
    }
    Ok((raw, number))
}

fn push(raw: &mut Raw, line: &[u8], cells: &[(usize, usize)], plan: &Plan, at: u32) {
    let cell = |place: usize| &line[cells[place].0..cells[place].1];
    let row = raw.results.len() as u32;
    for (column, (numbers, &place)) in raw.numbers.iter_mut().zip(&plan.numbers).enumerate() {
        let x = number(cell(place));
        if x.is_nan() {
            raw.unreadable.push((column as u32, row, shortened(cell(place))));
        }
        numbers.push(x);
    }
    let first = plan.first.as_deref();
    let text = unquoted(cell(plan.result));
    let result = meaning::result(&text, first);
    if result.is_nan() {
        raw.strange.push((row, shortened(cell(plan.result))));
    }
    raw.results.push(result);
    if let Some(place) = plan.side {
        let side = meaning::second_to_move(&unquoted(cell(place)), first);
        if side.is_none() && !result.is_nan() {
            raw.strange.push((row, shortened(cell(place))));
        }
        raw.sides.push(side);
    }
    if let Some(place) = plan.game {
        raw.games.push(meaning::game(cell(place).trim_ascii()));
    }
    raw.lines.push(at);
}

/// Where cells begin and end.
fn split(line: &[u8], separator: u8, cells: &mut Vec<(usize, usize)>) {
    let (mut begin, mut quoted) = (0, false);
    for (at, &byte) in line.iter().enumerate() {
        if byte == b'"' {
            quoted = !quoted;
        } else if byte == separator && !quoted {
            cells.push((begin, at));
            begin = at + 1;
        }
    }
    cells.push((begin, line.len()));
}

/// The text of a cell without its quotes.
fn unquoted(cell: &[u8]) -> String {
    let text = String::from_utf8_lossy(cell);
    let text = text.trim();
    match text.strip_prefix('"').and_then(|t| t.strip_suffix('"')) {
        Some(inner) => inner.replace("\"\"", "\"").trim().to_owned(),
        None => text.to_owned(),
    }
}

fn shortened(cell: &[u8]) -> String {
    unquoted(cell).chars().take(40).collect()
}

/// A finite number; not a number where the cell holds none.
fn number(cell: &[u8]) -> f64 {
    let cell = cell.trim_ascii();
    let (digits, sign) = match cell {
        [b'-', rest @ ..] => (rest, -1.0),
        rest => (rest, 1.0),
    };
    // Nearly every number of an engine is whole and short.
    if (1..=15).contains(&digits.len()) && digits.iter().all(u8::is_ascii_digit) {
        let whole = digits.iter().fold(0_u64, |n, d| 10 * n + u64::from(d - b'0'));
        return sign * whole as f64;
    }
    let text = std::str::from_utf8(cell).unwrap_or_default().trim_matches('"');
    text.parse().ok().filter(|x: &f64| x.is_finite()).unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source;
    use proptest::prelude::*;

    #[test]
    fn blocks_end_with_lines_and_lose_nothing() {
        let lines: Vec<String> = (0..300_000).map(|i| format!("{i},{}\n", i * 7)).collect();
        let text = lines.concat();
        let mut input = source::of_bytes(text.clone());
        let (mut left, mut back) = (Vec::new(), Vec::new());
        let mut blocks = 0;
        while let Some(block) = next_block(&mut input, &mut left).expect("memory can be read") {
            assert_eq!(block.last(), Some(&b'\n'));
            back.extend(block);
            blocks += 1;
        }
        assert!(blocks > 2 && back == text.as_bytes());
    }

    proptest! {
        #[test]
        fn numbers_are_those_of_the_standard_library(x in any::<f64>(), n in any::<i64>()) {
            for text in [x.to_string(), n.to_string(), format!("{x:.3}"), format!("\"{n}\"")] {
                let plain = text.trim_matches('"').parse::<f64>().ok().filter(|x| x.is_finite());
                let found = number(text.as_bytes());
                prop_assert!(plain.map_or(found.is_nan(), |plain| plain == found), "{text}");
            }
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let plan = Plan { numbers: vec![0], result: 1, game: None, side: Some(1), first: None };
            let _ = take_apart(&bytes, b',', &plan, 2);
        }
    }
}
