//! Tables for pages, terminals and spreadsheets.
//!
//! Cells are finished text (see [`number`](crate::number)). Invariant: every
//! form shows the same rectangle: short rows are filled up with empty cells,
//! and cells beyond the last heading get an empty heading.

use crate::append::Append;
use crate::escape::Escaped;

/// The side on which a column's cells line up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Align {
    /// On the left: words.
    #[default]
    Left,
    /// On the right: numbers.
    Right,
}

/// A table of text.
///
/// ```
/// use evalsmith_report::{Align, Table};
/// let table = Table::new(["player", "Elo"])
///     .align([Align::Left, Align::Right])
///     .row(["linear", "0"])
///     .row(["logistic", "+112"]);
/// assert_eq!(table.to_text(), "\
/// player     Elo
/// ────────  ────
/// linear       0
/// logistic  +112
/// ");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// The headings.
    pub columns: Vec<String>,
    /// The cells, row by row.
    pub rows: Vec<Vec<String>>,
    /// How columns line up; those not told line up on the left.
    pub alignment: Vec<Align>,
    /// What the table shows; none when empty.
    pub caption: String,
}

impl Table {
    /// A table with headings and no rows.
    pub fn new<S: Into<String>>(columns: impl IntoIterator<Item = S>) -> Self {
        Self { columns: columns.into_iter().map(Into::into).collect(), ..Self::default() }
    }

    /// Says how the columns line up.
    #[must_use]
    pub fn align(mut self, alignment: impl IntoIterator<Item = Align>) -> Self {
        self.alignment = alignment.into_iter().collect();
        self
    }

    /// Says what the table shows.
    #[must_use]
    pub fn caption(mut self, caption: impl Into<String>) -> Self {
        self.caption = caption.into();
        self
    }

    /// Adds a row.
    #[must_use]
    pub fn row<S: Into<String>>(mut self, cells: impl IntoIterator<Item = S>) -> Self {
        self.push(cells);
        self
    }

    /// Adds a row in place.
    pub fn push<S: Into<String>>(&mut self, cells: impl IntoIterator<Item = S>) {
        self.rows.push(cells.into_iter().map(Into::into).collect());
    }

    /// An HTML `table` element; it scrolls sideways inside its own frame.
    pub fn to_html(&self) -> String {
        let mut html = String::from("<div class=\"scroll\" tabindex=\"0\"><table>\n");
        if !self.caption.is_empty() {
            html.line(format_args!("<caption>{}</caption>", Escaped(&self.caption)));
        }
        html.line(format_args!("<thead>{}</thead>", self.html_row(&self.columns, "th", true)));
        html.line(format_args!("<tbody>"));
        for row in &self.rows {
            html.line(format_args!("{}", self.html_row(row, "td", false)));
        }
        html.line(format_args!("</tbody></table></div>"));
        html
    }

    fn html_row(&self, cells: &[String], tag: &str, heading: bool) -> String {
        let scope = if heading { " scope=\"col\"" } else { "" };
        let mut cells_html = String::new();
        for i in 0..self.width() {
            let class = match self.align_of(i) {
                Align::Left => "",
                Align::Right => " class=\"number\"",
            };
            let text = Escaped(cell(cells, i));
            cells_html.put(format_args!("<{tag}{scope}{class}>{text}</{tag}>"));
        }
        format!("<tr>{cells_html}</tr>")
    }

    /// Columns lined up with spaces, for terminals.
    pub fn to_text(&self) -> String {
        let lines: Vec<Vec<String>> = std::iter::once(&self.columns)
            .chain(&self.rows)
            .map(|cells| (0..self.width()).map(|i| one_line(cell(cells, i))).collect())
            .collect();
        let widths: Vec<usize> = (0..self.width())
            .map(|i| lines.iter().map(|line| line[i].chars().count()).max().unwrap_or(0))
            .collect();
        let mut text = String::new();
        if !self.caption.is_empty() {
            text.line(format_args!("{}\n", one_line(&self.caption)));
        }
        for (number, line) in lines.iter().enumerate() {
            let cells: Vec<_> = line
                .iter()
                .zip(&widths)
                .enumerate()
                .map(|(i, (cell, &width))| match self.align_of(i) {
                    Align::Left => format!("{cell:<width$}"),
                    Align::Right => format!("{cell:>width$}"),
                })
                .collect();
            text.line(format_args!("{}", cells.join("  ").trim_end()));
            if number == 0 {
                let rules: Vec<_> = widths.iter().map(|&width| "─".repeat(width)).collect();
                text.line(format_args!("{}", rules.join("  ")));
            }
        }
        text
    }

    /// Comma-separated values (RFC 4180, lines end in a line feed), without the
    /// caption.
    pub fn to_csv(&self) -> String {
        let mut csv = String::new();
        for cells in std::iter::once(&self.columns).chain(&self.rows) {
            let cells: Vec<_> = (0..self.width()).map(|i| quoted(cell(cells, i))).collect();
            csv.line(format_args!("{}", cells.join(",")));
        }
        csv
    }

    fn width(&self) -> usize {
        self.rows.iter().map(Vec::len).fold(self.columns.len(), usize::max)
    }

    fn align_of(&self, column: usize) -> Align {
        self.alignment.get(column).copied().unwrap_or_default()
    }
}

fn cell(cells: &[String], i: usize) -> &str {
    cells.get(i).map_or("", String::as_str)
}

/// Control characters would move the cursor of a terminal.
fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

fn quoted(cell: &str) -> String {
    if cell.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell.to_owned()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::escape::check;
    use proptest::prelude::*;

    pub(crate) fn example() -> Table {
        Table::new(["learner", "points", "Elo", "p"])
            .align([Align::Left, Align::Right, Align::Right, Align::Right])
            .caption("Matches against <BILL>, 400 games & both colours")
            .row(["LOG", "58.1 %", "+57 ± 16", "<0.001"])
            .row(["FISHER, \"plain\"", "51.0 %", "+7 ± 16"])
            .row(["QUAD", "47.2 %", "-19 ± 16", "0.230", "slower"])
    }

    #[test]
    fn three_forms_of_one_table() {
        insta::assert_snapshot!("table_html", example().to_html());
        insta::assert_snapshot!("table_text", example().to_text());
        insta::assert_snapshot!("table_csv", example().to_csv());
    }

    #[test]
    fn an_empty_table_is_a_table() {
        check::well_formed(&Table::default().to_html());
        assert_eq!(Table::default().to_csv(), "\n");
    }

    /// A plain reader of RFC 4180.
    fn read_csv(text: &str) -> Vec<Vec<String>> {
        let mut rows = vec![vec![String::new()]];
        let mut quoted = false;
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            let row = rows.last_mut().expect("never empty");
            let cell = row.last_mut().expect("never empty");
            match c {
                '"' if quoted && chars.peek() == Some(&'"') => cell.extend(chars.next()),
                '"' => quoted = !quoted,
                ',' if !quoted => row.push(String::new()),
                '\n' if !quoted => rows.push(vec![String::new()]),
                c => cell.push(c),
            }
        }
        rows.pop();
        rows
    }

    proptest! {
        #[test]
        fn any_cells_survive(
            cells in prop::collection::vec(prop::collection::vec(any::<String>(), 3), 1..5),
        ) {
            let mut table = Table::new(cells[0].clone());
            cells[1..].iter().for_each(|row| table.push(row.clone()));
            check::well_formed(&table.to_html());
            prop_assert_eq!(read_csv(&table.to_csv()), cells.clone());
            prop_assert_eq!(table.to_text().lines().count(), cells.len() + 1);
        }
    }
}
