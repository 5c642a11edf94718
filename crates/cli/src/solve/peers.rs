//! Another program's figures for the positions, from a CSV file.
//!
//! A row is `position,nodes,seconds`; a heading of these names may stand above the
//! rows. Anything else is an error that names the file, the line and the remedy, so
//! that no ratio rests on a misread figure.

use crate::failure::Usage;
use crate::options::read_text;
use serde::Serialize;
use std::collections::HashMap;
use std::path::Path;

const COLUMNS: [&str; 3] = ["position", "nodes", "seconds"];

/// What a program spent on a position.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(super) struct Peer {
    pub(super) nodes: u64,
    pub(super) seconds: f64,
}

/// Positions, counted from 1, with what was spent on them.
pub(super) fn read_peers(file: &Path) -> anyhow::Result<Vec<(usize, Peer)>> {
    let text = read_text(file)?;
    Ok(parse(&text).map_err(|wrong| Usage(format!("{}: {wrong}", file.display())))?)
}

fn parse(text: &str) -> Result<Vec<(usize, Peer)>, String> {
    let columns = COLUMNS.join(",");
    let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    let (mut rows, mut seen) = (Vec::new(), HashMap::new());
    for (place, (number, line)) in lines.enumerate() {
        let cells: Vec<_> = line.split(',').map(str::trim).collect();
        if place == 0 && is_heading(&cells) {
            continue;
        }
        let (position, peer) =
            row(&cells, &columns).map_err(|wrong| format!("line {number}: {wrong}"))?;
        if let Some(first) = seen.insert(position, number) {
            return Err(format!(
                "line {number}: position {position} is on line {first} too; keep one of them"
            ));
        }
        rows.push((position, peer));
    }
    if rows.is_empty() {
        return Err(format!("there are no figures; write rows of {columns}"));
    }
    Ok(rows)
}

fn is_heading(cells: &[&str]) -> bool {
    cells.len() == COLUMNS.len()
        && cells.iter().zip(COLUMNS).all(|(cell, name)| cell.eq_ignore_ascii_case(name))
}

fn row(cells: &[&str], columns: &str) -> Result<(usize, Peer), String> {
    let [position, nodes, seconds] = *cells else {
        let found = cells.len();
        return Err(format!("{found} cells instead of three; write {columns}"));
    };
    let wrong = |cell: &str, name, wanted| {
        let shown: String = cell.chars().take(40).collect();
        format!("{shown:?} in the column {name}; give {wanted}")
    };
    let number = position.parse().ok().filter(|&number: &usize| number > 0);
    let number = number.ok_or_else(|| wrong(position, COLUMNS[0], "a whole number from 1"))?;
    let nodes = nodes.parse().map_err(|_| wrong(nodes, COLUMNS[1], "a whole number from 0"))?;
    let time = seconds.parse().ok().filter(|time: &f64| time.is_finite() && *time >= 0.0);
    let seconds = time.ok_or_else(|| wrong(seconds, COLUMNS[2], "a number from 0"))?;
    Ok((number, Peer { nodes, seconds }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_with_a_heading_or_without() {
        let expected = vec![
            (2, Peer { nodes: 10, seconds: 0.5 }),
            (1, Peer { nodes: u64::MAX, seconds: 1e3 }),
        ];
        let rows = "2, 10 ,0.5\r\n\n1,18446744073709551615,1e3";
        for heading in ["", "position,nodes,seconds\n", "\n Position, Nodes, Seconds\n"] {
            assert_eq!(parse(&format!("{heading}{rows}")).as_ref(), Ok(&expected), "{heading}");
        }
    }

    #[test]
    fn what_is_no_figure_is_refused_with_its_line_and_the_remedy() {
        for (text, words) in [
            ("", "there are no figures; write rows of position,nodes,seconds"),
            ("position,nodes,seconds\n", "there are no figures"),
            ("garbage", "line 1: 1 cells instead of three"),
            ("some,other,table\n1,2,3", "line 1: \"some\" in the column position"),
            ("position,seconds,nodes\n1,2,3", "line 1: \"position\" in the column position"),
            ("1,2,3\nposition,nodes,seconds", "line 2: \"position\" in the column position"),
            ("1,2,3,4", "line 1: 4 cells"),
            ("1,2,3\n\n1,2", "line 3: 2 cells"),
            ("0,2,3", "line 1: \"0\" in the column position; give a whole number from 1"),
            ("1,2.5,3", "line 1: \"2.5\" in the column nodes; give a whole number from 0"),
            ("1,-2,3", "\"-2\" in the column nodes"),
            ("1,2,nan", "\"nan\" in the column seconds; give a number from 0"),
            ("1,2,inf", "\"inf\" in the column seconds"),
            ("1,2,1e999", "\"1e999\" in the column seconds"),
            ("1,2,-1", "\"-1\" in the column seconds"),
            ("1,2,", "\"\" in the column seconds"),
            ("1,2,3\n2,2,3\n1,2,3", "line 3: position 1 is on line 1 too; keep one of them"),
        ] {
            let wrong = parse(text).unwrap_err();
            assert!(wrong.contains(words), "{text:?}: {wrong}");
        }
    }
}
