//! `evalsmith analyze`: what every move of a position is worth, and why.

use crate::engine::{BookName, ByFunction, function_with_errors, seconds};
use crate::failure::{Interrupted, Usage};
use crate::options::{Format, print, show, thread_count};
use crate::progress::Terminal;
use crate::solve::mebibytes;
use clap::{Args, ValueEnum};
use evalsmith_engine_othello::{
    BookMove, Certainty, CheckedMove, DEFAULT_TABLE_MIB, Engine, Limits, Ranked, Selectivity, Term,
    Watch, check_possible,
};
use evalsmith_lab::LabError;
use evalsmith_lab::prelude::{
    FunctionName, Game, Malformed, Position, Progress, Side, Table, handing_on_stop,
};
use evalsmith_othello::{Board, Move, Othello, Portable};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

/// Iterations whose values the table shows.
const SHOWN: usize = 6;
/// Patterns that are shown one by one.
const STRONGEST: usize = 8;

/// Rank the moves of a position at growing depth, and explain its estimate.
#[derive(Args)]
pub(crate) struct Analyze {
    /// The game; Othello has an engine
    #[arg(value_enum)]
    game: Analysed,
    /// A transcript like f5d6c3, or 64 squares from a1 to h8 and the side to move
    #[arg(value_name = "TRANSCRIPT|BOARD", allow_hyphen_values = true)]
    position: String,
    /// Plies to look ahead; the end of the game, if it comes first, is proven
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=60))]
    depth: Option<u32>,
    /// Seconds to think [default: 5 where no depth is given]
    #[arg(long, value_name = "S", value_parser = seconds)]
    time: Option<Duration>,
    /// How sure a line must be bad before it is left out: daring (73), brisk (87),
    /// careful (95), wary (99) or full (100) [default: careful]
    #[arg(long, value_name = "LEVEL")]
    selectivity: Option<Selectivity>,
    /// The evaluation function: `shipped`, `hand`, `trivial`, or a model file
    #[arg(long, value_name = "FUNCTION", default_value = "shipped")]
    function: FunctionName,
    /// The error model of the function, made by `evalsmith engine fit-probcut`
    #[arg(long, value_name = "FILE")]
    probcut: Option<PathBuf>,
    /// The opening book whose values are shown: `shipped`, `none`, or a file
    #[arg(long, value_name = "BOOK", default_value = "shipped")]
    book: BookName,
    /// Walk down the best line, search every position of it to the depth that is left,
    /// and say where the line would be left; with --time for as long again
    #[arg(long)]
    check_line: bool,
    /// Memory for the tables, in MiB
    #[arg(long, value_name = "MiB", default_value_t = DEFAULT_TABLE_MIB, value_parser = mebibytes)]
    hash: usize,
    /// How results are written
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

#[derive(Clone, Copy, ValueEnum)]
enum Analysed {
    Othello,
}

#[derive(Serialize)]
struct Report {
    /// Who judges, with a digest of its weights.
    function: String,
    position: String,
    to_move: &'static str,
    moves: Vec<MoveReport>,
    /// The best line, checked move by move.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    checked: Vec<CheckReport>,
    /// Whether that came to the line's end before it was stopped or its time was over.
    #[serde(skip_serializing_if = "Option::is_none")]
    checked_whole: Option<bool>,
    /// The judge's estimate of the position itself, for the side to move.
    estimate: f64,
    terms: Vec<TermReport>,
}

#[derive(Serialize)]
struct MoveReport {
    #[serde(rename = "move")]
    mv: String,
    value: f64,
    certainty: String,
    depth: u32,
    /// What the opening book says of the move.
    #[serde(skip_serializing_if = "Option::is_none")]
    book: Option<f64>,
    line: Vec<String>,
    history: Vec<Iteration>,
}

/// A move of the best line. Values are those of the side that is to move in the
/// position analysed.
#[derive(Serialize)]
struct CheckReport {
    side: &'static str,
    #[serde(rename = "move")]
    mv: String,
    value: f64,
    depth: u32,
    certainty: String,
    /// A better move, and its value.
    #[serde(skip_serializing_if = "Option::is_none")]
    left_for: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    left_for_value: Option<f64>,
}

#[derive(Clone, Serialize)]
struct Iteration {
    depth: u32,
    certainty: String,
    value: f64,
}

#[derive(Serialize)]
struct TermReport {
    name: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    squares: String,
    discs: f64,
}

impl Analyze {
    pub(crate) fn run(self, threads: Option<u16>) -> anyhow::Result<()> {
        let Analysed::Othello = self.game;
        let (board, to_move) = read(&self.position)?;
        let game = Othello::new();
        let (judge, model, selectivity) = function_with_errors(
            &self.function,
            self.probcut.as_deref(),
            self.selectivity,
            Selectivity::default(),
        )?;
        let limits = Limits {
            depth: self.depth,
            time: self.time.or_else(|| self.depth.is_none().then_some(Duration::from_secs(5))),
            selectivity,
            ..Limits::default()
        };
        let threads = thread_count(threads);
        let book = self.book.open()?;
        let known = book.as_ref().map(|book| book.moves(&board)).unwrap_or_default();
        // As `evalsmith engine` thinks unless it is told otherwise.
        let mut engine =
            Engine::with_judge(self.hash, threads, &judge, model).corner_quiescence(true);
        let (terminal, watch) = (Terminal::new(), Watch::new());
        let mut history = BTreeMap::<Move, Vec<Iteration>>::new();
        let stop = || watch.stop();
        let (ranked, checked) = handing_on_stop(&terminal, stop, || {
            let ranked = engine.rank_moves(&board, limits, &watch, |ranked| {
                terminal.note(&note(ranked, watch.nodes()));
                for entry in ranked {
                    history.entry(entry.mv).or_default().push(iteration(entry));
                }
            });
            let best = ranked.first().filter(|best| self.check_line && best.depth > 0);
            let checked = best.map(|best| {
                let to = Limits { depth: Some(best.depth), ..limits };
                engine.check_line(&board, &best.line, to, &watch)
            });
            (ranked, checked)
        });
        let side = ["Black", "White"][to_move.index()];
        let terms = judge.explain(&board);
        let report = Report {
            function: ByFunction::identity(&self.function)?,
            position: game.format(&board, to_move),
            to_move: side,
            moves: ranked.iter().map(|entry| move_report(entry, &history, &known)).collect(),
            checked: checked.as_ref().map_or_else(Vec::new, |c| check_report(&c.moves, to_move)),
            checked_whole: checked.map(|checked| checked.whole),
            estimate: terms.iter().map(|term| term.discs).sum(),
            terms: terms.iter().map(term_report).collect(),
        };
        let moves = moves_table(&report);
        if self.format == Format::Table {
            show(&game.draw(&board, to_move))?;
            show(&moves.to_text())?;
            if self.check_line {
                show("")?;
                show(&check_table(&report.checked).to_text())?;
                show(&format!("\n{}", check_words(&report)))?;
            }
            show(&format!(
                "\nthe estimate of this position by {}: {:+.2} discs for {side}\n",
                report.function, report.estimate
            ))?;
            show(&groups_table(&terms, side).to_text())?;
            show("")?;
            show(&strongest_table(&terms, side).to_text())?;
        } else {
            print(self.format, &moves, &report)?;
        }
        if watch.stopped() {
            return Err(Interrupted.into());
        }
        Ok(())
    }
}

/// A transcript begins with the name of a square.
pub(crate) fn looks_like_a_board(text: &str) -> bool {
    text.trim_start().starts_with(['X', 'x', 'O', 'o', '*', '-', '.'])
}

/// The position that a transcript leads to, or that a board shows.
pub(crate) fn read(text: &str) -> anyhow::Result<(Board<Portable>, Side)> {
    let game = Othello::new();
    let (board, to_move) = if looks_like_a_board(text) {
        // A line of an OBF file may go on with scores.
        let board = text.split(';').next().unwrap_or_default();
        game.parse(board).map_err(LabError::from)?
    } else {
        let record = game.parse_transcript(text).map_err(LabError::from)?;
        (*record.position(), record.side())
    };
    check_possible(&board)
        .map_err(|e| LabError::from(Malformed::new("Othello board", text.trim(), e.to_string())))?;
    if let Some(outcome) = board.outcome() {
        let margin = i32::from(outcome.seen_by(to_move, Side::First).margin());
        let result = match margin {
            0 => "drawn".to_owned(),
            1.. => format!("won by Black, {margin} discs ahead"),
            _ => format!("won by White, {} discs ahead", -margin),
        };
        let over = format!("the game is over ({result}); give a position with moves left");
        return Err(Usage(over).into());
    }
    Ok((board, to_move))
}

/// How far a value can be trusted, in words.
pub(crate) fn certainty(of: Certainty) -> String {
    match of {
        Certainty::Judged(level) => format!("judged, {level}"),
        Certainty::Probable(level) => format!("to the end, {level}"),
        Certainty::Exact => "exact".to_owned(),
    }
}

fn iteration(entry: &Ranked) -> Iteration {
    let (depth, value) = (entry.depth, entry.value.discs());
    Iteration { depth, certainty: certainty(entry.certainty), value }
}

fn note(ranked: &[Ranked], nodes: u64) -> String {
    let first = &ranked[0];
    let moves: Vec<_> = ranked.iter().take(4).map(|r| format!("{} {}", r.mv, r.value)).collect();
    let sure = certainty(first.certainty);
    format!("depth {} ({sure}): {}; {nodes} nodes", first.depth, moves.join(", "))
}

fn move_report(
    entry: &Ranked,
    history: &BTreeMap<Move, Vec<Iteration>>,
    known: &[BookMove],
) -> MoveReport {
    MoveReport {
        book: known.iter().find(|known| known.mv == entry.mv).map(|known| known.value.discs()),
        mv: entry.mv.to_string(),
        value: entry.value.discs(),
        certainty: certainty(entry.certainty),
        depth: entry.depth,
        line: entry.line.iter().map(ToString::to_string).collect(),
        history: history.get(&entry.mv).cloned().unwrap_or_default(),
    }
}

fn check_report(checked: &[CheckedMove], to_move: Side) -> Vec<CheckReport> {
    let mut side = to_move;
    let mut report = Vec::new();
    for entry in checked {
        let sign = if side == to_move { 1.0 } else { -1.0 };
        report.push(CheckReport {
            side: ["Black", "White"][side.index()],
            mv: entry.mv.to_string(),
            value: sign * entry.value.discs(),
            depth: entry.depth,
            certainty: certainty(entry.certainty),
            left_for: entry.is_left().then(|| entry.best.to_string()),
            left_for_value: entry.is_left().then(|| sign * entry.best_value.discs()),
        });
        side = side.other();
    }
    report
}

fn check_table(checked: &[CheckReport]) -> Table {
    let columns = ["line", "side", "move", "value", "change", "depth", "certainty", "left for"];
    let mut table = Table::new(columns);
    let mut before = None;
    for (index, c) in checked.iter().enumerate() {
        let change = before.replace(c.value).map_or(0.0, |before: f64| c.value - before);
        let better = c.left_for.as_ref().zip(c.left_for_value);
        table.push([
            (index + 1).to_string(),
            c.side.to_owned(),
            c.mv.clone(),
            format!("{:+.2}", c.value),
            if change == 0.0 { String::new() } else { format!("{change:+.2}") },
            c.depth.to_string(),
            c.certainty.clone(),
            better.map_or_else(String::new, |(mv, value)| format!("{mv} {value:+.2}")),
        ]);
    }
    table
}

/// Where the line would be left first, and how far its value moves.
fn check_words(report: &Report) -> String {
    let checked = &report.checked;
    let moves = checked.len();
    let left = checked.iter().position(|c| c.left_for.is_some());
    let values = || checked.iter().map(|c| c.value);
    let (least, most) = (values().fold(f64::MAX, f64::min), values().fold(f64::MIN, f64::max));
    let range = match moves {
        0 => return "the line was not checked: the search ended before".to_owned(),
        1 => format!("its value is {least:+.2}"),
        _ if least == most => format!("its value stays at {least:+.2}"),
        _ => format!("its value is {least:+.2} to {most:+.2}"),
    };
    match (left, report.checked_whole) {
        (Some(at), _) => format!("the line would be left at move {} of {moves}; {range}", at + 1),
        (None, Some(true)) => format!("the line holds for all its {moves} moves; {range}"),
        (None, _) => format!(
            "the line holds for its first {moves} moves, then the check was ended: give it \
             more --time, or a --depth; {range}"
        ),
    }
}

fn squares(set: u64) -> String {
    let names: Vec<_> =
        (0..64).filter(|s| set >> s & 1 == 1).map(|s| Move(s).to_string()).collect();
    names.join(" ")
}

fn term_report(term: &Term) -> TermReport {
    TermReport { name: term.name.clone(), squares: squares(term.squares), discs: term.discs }
}

/// Every move with its value now and in the last iterations.
fn moves_table(report: &Report) -> Table {
    let iterations = report.moves.first().map_or(&[][..], |m| &m.history);
    let first = iterations.len().saturating_sub(SHOWN);
    let mut columns: Vec<_> = ["move", "value", "certainty", "depth"].map(str::to_owned).into();
    columns.extend(iterations[first..].iter().map(|it| match it.certainty.as_str() {
        "exact" => "exact".to_owned(),
        sure => format!("{}@{}", it.depth, sure.rsplit(' ').next().unwrap_or_default()),
    }));
    let has_book = report.moves.iter().any(|m| m.book.is_some());
    columns.extend(has_book.then(|| "book".to_owned()));
    columns.push("line".to_owned());
    let mut table = Table::new(columns);
    for m in &report.moves {
        let mut cells = vec![
            m.mv.clone(),
            format!("{:+.2}", m.value),
            m.certainty.clone(),
            m.depth.to_string(),
        ];
        cells.extend(
            (first..iterations.len()).map(|i| {
                m.history.get(i).map_or_else(String::new, |it| format!("{:+.2}", it.value))
            }),
        );
        if has_book {
            cells.push(m.book.map_or_else(String::new, |value| format!("{value:+.2}")));
        }
        cells.push(m.line.iter().take(12).cloned().collect::<Vec<_>>().join(" "));
        table.push(cells);
    }
    table
}

/// Who a term speaks for.
fn speaks_for(discs: f64, side: &str) -> &str {
    match (discs > 0.0, side) {
        _ if discs == 0.0 => "",
        (true, _) => side,
        (false, "Black") => "White",
        (false, _) => "Black",
    }
}

/// The terms of one kind together.
fn groups_table(terms: &[Term], side: &str) -> Table {
    let mut groups: Vec<(&str, usize, f64)> = Vec::new();
    for term in terms {
        match groups.iter_mut().find(|(name, ..)| *name == term.name) {
            Some((_, count, discs)) => {
                *count += 1;
                *discs += term.discs;
            }
            None => groups.push((&term.name, 1, term.discs)),
        }
    }
    groups.sort_by(|a, b| b.2.abs().total_cmp(&a.2.abs()));
    let mut table = Table::new(["term", "count", "discs", "speaks for"]);
    for (name, count, discs) in groups {
        let cells = [count.to_string(), format!("{:.2}", discs.abs())];
        let [count, size] = cells;
        table.push([name, &count, &size, speaks_for(discs, side)]);
    }
    table
}

/// The patterns that say most, one by one.
fn strongest_table(terms: &[Term], side: &str) -> Table {
    let mut patterns: Vec<_> = terms.iter().filter(|t| t.squares != 0).collect();
    patterns.sort_by(|a, b| b.discs.abs().total_cmp(&a.discs.abs()));
    let mut table = Table::new(["strongest patterns", "squares", "discs", "speaks for"]);
    for term in patterns.into_iter().take(STRONGEST) {
        let size = format!("{:.2}", term.discs.abs());
        table.push([&term.name, &squares(term.squares), &size, speaks_for(term.discs, side)]);
    }
    table
}
