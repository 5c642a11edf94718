//! `evalsmith book show`: what a book knows of a position.

use super::info::named;
use crate::analyze::{certainty, read};
use crate::options::{Format, print, show};
use clap::Args;
use evalsmith_engine_othello::{Book, BookMove};
use evalsmith_lab::prelude::{Game, Position, Table};
use evalsmith_othello::{Board, Othello, Portable};
use serde::Serialize;
use std::path::PathBuf;

/// Show the moves that a book knows of a position, with values and what lies behind them.
#[derive(Args)]
pub(crate) struct Show {
    /// The book, or `shipped`
    #[arg(value_name = "FILE")]
    book: PathBuf,
    /// A transcript like f5d6c3, or 64 squares from a1 to h8 and the side to move
    /// [default: the start]
    #[arg(
        value_name = "TRANSCRIPT|BOARD",
        default_value = "",
        hide_default_value = true,
        allow_hyphen_values = true
    )]
    position: String,
    /// How results are written
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

#[derive(Serialize)]
struct Report {
    position: String,
    /// For the side to move, by all that the book knows.
    value: f64,
    exact: bool,
    searched: Searched,
    moves: Vec<MoveReport>,
}

/// What the search said when the position came into the book.
#[derive(Serialize)]
struct Searched {
    value: f64,
    depth: u32,
    certainty: String,
}

#[derive(Serialize)]
struct MoveReport {
    #[serde(rename = "move")]
    mv: String,
    value: f64,
    certainty: String,
    depth: u32,
    /// Positions of the book that follow; none of a move that leads out of it.
    positions: usize,
    deviates: bool,
    line: Vec<String>,
}

impl Show {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let book = named(&self.book)?;
        let game = Othello::new();
        let (board, to_move) = read(&self.position)?;
        let at = book.get(&board).ok_or_else(|| {
            let (positions, path) = (book.len(), self.book.display());
            anyhow::anyhow!("the {positions} positions of {path} are others; try an earlier one")
        })?;
        let report = Report {
            position: game.format(&board, to_move),
            value: at.value.discs(),
            exact: at.exact,
            searched: Searched {
                value: at.searched.value.discs(),
                depth: at.searched.depth,
                certainty: certainty(at.searched.certainty),
            },
            moves: book.moves(&board).iter().map(|m| move_report(&book, &board, m)).collect(),
        };
        let table = moves_table(&report.moves);
        if self.format == Format::Table {
            show(&game.draw(&board, to_move))?;
            let sure = if report.exact { "proven" } else { "by the book" };
            let Searched { value, depth, certainty } = &report.searched;
            show(&format!(
                "{:+.2} discs {sure}; the search said {value:+.2} at depth {depth} ({certainty})\n",
                report.value
            ))?;
        }
        print(self.format, &table, &report)
    }
}

fn move_report(book: &Book, board: &Board<Portable>, m: &BookMove) -> MoveReport {
    let next = board.play(m.mv);
    let mut line = vec![m.mv.to_string()];
    if !m.deviates {
        line.extend(book.line(&next).iter().map(ToString::to_string));
    }
    MoveReport {
        mv: m.mv.to_string(),
        value: m.value.discs(),
        certainty: certainty(m.certainty),
        depth: m.depth,
        positions: if m.deviates { 0 } else { book.reach(&next) },
        deviates: m.deviates,
        line,
    }
}

fn moves_table(moves: &[MoveReport]) -> Table {
    let mut table =
        Table::new(["move", "value", "certainty", "depth", "positions", "leads", "line"]);
    for m in moves {
        table.push([
            m.mv.clone(),
            format!("{:+.2}", m.value),
            m.certainty.clone(),
            m.depth.to_string(),
            m.positions.to_string(),
            if m.deviates { "out of the book" } else { "on" }.to_owned(),
            m.line.iter().take(12).cloned().collect::<Vec<_>>().join(" "),
        ]);
    }
    table
}
