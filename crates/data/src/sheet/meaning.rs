//! What the cells of a sheet mean: results, sides, games, and what went wrong.

use super::SheetBatch;

/// Results that words tell, beside those that numbers do.
const LOSS: f64 = 10.0;
const DRAW: f64 = 11.0;
const WIN: f64 = 12.0;
/// No result that anybody understands.
const NONE: f64 = f64::NAN;

/// A result as it stands: a word's, or a number whose meaning depends on others.
pub(super) fn result(cell: &str, first: Option<&str>) -> f64 {
    if let Some(first) = first
        && cell.eq_ignore_ascii_case(first)
    {
        return WIN;
    }
    // What nearly every table writes needs no copy in small letters.
    match cell {
        "1-0" => return WIN,
        "0-1" => return LOSS,
        "1/2-1/2" => return DRAW,
        _ => {}
    }
    match cell.to_ascii_lowercase().as_str() {
        "win" => WIN,
        "loss" => LOSS,
        "½-½" | "draw" | "=" => DRAW,
        "b" | "w" | "black" | "white" | "second" if first.is_some() => LOSS,
        text => text.parse().ok().filter(|x| [-1.0, 0.0, 0.5, 1.0].contains(x)).unwrap_or(NONE),
    }
}

/// Whether the second player is to move; a FEN's or SFEN's second word tells.
pub(super) fn second_to_move(cell: &str, first: Option<&str>) -> Option<bool> {
    let mut words = cell.split_ascii_whitespace();
    let word = match (words.next(), words.next()) {
        (_, Some(second)) => second,
        (Some(only), None) => only,
        (None, None) => return None,
    };
    match (word.to_ascii_lowercase().as_str(), first) {
        ("0" | "first", _) => Some(false),
        ("1" | "second", _) => Some(true),
        (word, Some(first)) if word.eq_ignore_ascii_case(first) => Some(false),
        ("b" | "w" | "black" | "white", Some(_)) => Some(true),
        _ => None,
    }
}

/// A hash of a game's name that is the same in every run.
pub(super) fn game(name: &[u8]) -> u64 {
    let fnv = name.iter().fold(0xCBF2_9CE4_8422_2325, |hash: u64, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)
    });
    spread(fnv)
}

/// Neighbours far apart.
pub(super) fn spread(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// What the numbers of a column of results mean: decided by the first batch that
/// holds any.
#[derive(Default)]
pub(super) struct Scheme {
    loss_is_minus_one: Option<bool>,
}

impl Scheme {
    /// Looks at the results of some rows.
    pub(super) fn learn<'r>(&mut self, results: impl Iterator<Item = &'r f64> + Clone) {
        if self.loss_is_minus_one.is_none() && results.clone().any(|r| *r < LOSS) {
            self.loss_is_minus_one = Some(results.into_iter().any(|r| *r == -1.0));
        }
    }

    fn half_points(&self, result: f64) -> Option<u8> {
        let by_sign = self.loss_is_minus_one == Some(true);
        match result {
            WIN | 1.0 => Some(2),
            DRAW => Some(1),
            LOSS => Some(0),
            0.0 => Some(u8::from(by_sign)),
            -1.0 if by_sign => Some(0),
            0.5 if !by_sign => Some(1),
            _ => None,
        }
    }
}

/// Rows as they stand in the file.
#[derive(Default)]
pub(super) struct Raw {
    /// The line of each row, or its number in files without lines, from 1.
    pub(super) first_line: u64,
    pub(super) lines: Vec<u32>,
    pub(super) what: &'static str,
    pub(super) numbers: Vec<Vec<f64>>,
    pub(super) results: Vec<f64>,
    pub(super) games: Vec<u64>,
    /// Nothing where nobody asked.
    pub(super) sides: Vec<Option<bool>>,
    pub(super) sides_asked: bool,
    /// Cells that are no numbers: column, row, text.
    pub(super) unreadable: Vec<(u32, u32, String)>,
    /// The texts of results and sides that nobody understands, a few of them.
    pub(super) strange: Vec<(u32, String)>,
}

impl Raw {
    fn place(&self, row: usize) -> String {
        let offset = self.lines.get(row).map_or(row as u64, |&line| u64::from(line));
        format!("{} {}", self.what, self.first_line + offset)
    }

    fn strange_text(&self, row: usize) -> String {
        let found = self.strange.iter().find(|(at, _)| *at as usize == row);
        found.map_or_else(|| self.results[row].to_string(), |(_, text)| format!("{text:?}"))
    }

    /// Rows with results, and what became of the others.
    pub(super) fn resolve(mut self, scheme: &mut Scheme, faults: &mut Faults) -> SheetBatch {
        scheme.learn(self.results.iter());
        faults.rows += self.results.len() as u64;
        for (column, row, text) in &self.unreadable {
            faults.numbers[*column as usize]
                .add(|| (self.place(*row as usize), format!("{text:?}")));
        }
        let mut half_points = Vec::with_capacity(self.results.len());
        let mut second_to_move = Vec::new();
        let mut left_out = Vec::new();
        for (row, &result) in self.results.iter().enumerate() {
            let Some(half) = scheme.half_points(result) else {
                faults.results.add(|| (self.place(row), self.strange_text(row)));
                left_out.push(row);
                continue;
            };
            if self.sides_asked {
                let Some(second) = self.sides[row] else {
                    faults.sides.add(|| (self.place(row), self.strange_text(row)));
                    left_out.push(row);
                    continue;
                };
                second_to_move.push(second);
            }
            half_points.push(half);
        }
        if !left_out.is_empty() {
            self.numbers.iter_mut().for_each(|column| remove(column, &left_out));
            remove(&mut self.games, &left_out);
        }
        SheetBatch { numbers: self.numbers, half_points, games: self.games, second_to_move }
    }
}

/// Removes the cells of some rows, which rise.
fn remove<T>(column: &mut Vec<T>, rows: &[usize]) {
    let (mut row, mut rows) = (0, rows.iter().peekable());
    column.retain(|_| {
        let removed = rows.next_if(|next| **next == row).is_some();
        row += 1;
        !removed
    });
}

/// How often something went wrong, and where first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Fault {
    count: u64,
    first: Option<(String, String)>,
}

impl Fault {
    fn add(&mut self, place: impl FnOnce() -> (String, String)) {
        self.count += 1;
        self.first.get_or_insert_with(place);
    }

    fn text(&self, what: &str) -> Option<String> {
        let (place, text) = self.first.as_ref()?;
        Some(format!("{} {what} (first: {place}, {text})", self.count))
    }
}

/// What was read and what could not be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    /// Rows below the names of the columns.
    pub rows: u64,
    names: Vec<String>,
    numbers: Vec<Fault>,
    results: Fault,
    sides: Fault,
}

impl Faults {
    pub(super) fn new(names: &[String]) -> Self {
        let numbers = vec![Fault::default(); names.len()];
        Self { names: names.to_vec(), numbers, ..Self::default() }
    }

    /// The same, of the columns of numbers that are named alone.
    #[must_use]
    pub fn among(&self, names: &[String]) -> Self {
        let mut same = self.clone();
        let columns = self.names.iter().zip(&self.numbers);
        let kept = columns.filter(|(name, _)| names.contains(name));
        (same.names, same.numbers) =
            kept.map(|(name, fault)| (name.clone(), fault.clone())).unzip();
        same
    }

    /// Rows left out because nobody understands their result or side.
    pub fn dropped(&self) -> u64 {
        self.results.count + self.sides.count
    }

    /// In words; empty where nothing went wrong.
    pub fn to_text(&self) -> String {
        let results = "rows dropped whose result is none of 1-0, 1/2-1/2, 0-1, win, draw, loss, or \
                       1, 0.5, 0, or 1, 0, -1; where b and w tell the winner, say by --first who \
                       moves first";
        let sides =
            "rows dropped that do not tell who is to move by 0 or 1, or b or w with --first";
        let numbers = self.names.iter().zip(&self.numbers);
        let cells = numbers.filter_map(|(name, fault)| {
            fault.text(&format!("cells of column {name:?} are no numbers"))
        });
        let rows = [self.results.text(results), self.sides.text(sides)];
        rows.into_iter().flatten().chain(cells).collect::<Vec<_>>().join("; ")
    }
}
