//! `evalsmith bench moves`: what the Othello engine's moves lose against the best ones.
//!
//! A match tells a few Elo apart only after thousands of games; a move that gives two
//! discs away shows at once where the score of every move is known.

use crate::engine::{ByFunction, IN_PLAY, function_with_errors, seconds};
use crate::failure::Usage;
use crate::options::{Format, print};
use crate::progress::Terminal;
use crate::solve::{mebibytes, read};
use clap::Args;
use cpu_time::ProcessTime;
use evalsmith_engine_othello::obf::Problem;
use evalsmith_engine_othello::{Clock, Engine, Limits, Selectivity, Technique, Watch};
use evalsmith_lab::prelude::{
    FunctionName, LabError, Mean, Position, Progress, Sums, Table, handing_on_stop,
};
use evalsmith_othello::Move;
use evalsmith_report::number;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

/// Measures what the Othello engine's moves lose.
///
/// The engine thinks about positions whose moves all have their exact scores, from empty
/// tables and on one thread, and the score of its move is compared with the best one.
/// Discs are those of the final score, points those of a game: a win given away for a
/// draw costs half of one. Intervals take the positions for independent: have one of
/// each game. Positions without a choice are left out.
#[derive(Args)]
pub(crate) struct Moves {
    /// Positions with the score of every move, as `solve --score-moves` writes them
    #[arg(required = true, value_name = "FILE.obf")]
    files: Vec<PathBuf>,
    /// CPU seconds for a move; several, with commas between, are measured in turn
    #[arg(long, value_name = "S", value_delimiter = ',', default_value = "0.02", value_parser = seconds)]
    move_time: Vec<Duration>,
    /// The evaluation function: `shipped`, `hand`, `trivial`, or a model file
    #[arg(long, value_name = "FUNCTION", default_value = "shipped")]
    function: FunctionName,
    /// How sure a line must be bad before it is left out: daring (73), brisk (87),
    /// careful (95), wary (99) or full (100) [default: daring]
    #[arg(long, value_name = "LEVEL")]
    selectivity: Option<Selectivity>,
    /// The error model of the function, made by `engine fit-probcut`
    #[arg(long, value_name = "FILE")]
    probcut: Option<PathBuf>,
    /// Techniques to do without: table, children, stability, ordering, probcut
    #[arg(long, value_name = "TECHNIQUE", value_delimiter = ',')]
    without: Vec<Technique>,
    /// Memory for the tables, in MiB
    #[arg(long, value_name = "MiB", default_value_t = 64, value_parser = mebibytes)]
    hash: usize,
    /// How to write the answer; JSON has every move
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

#[derive(Serialize)]
struct Report {
    rows: Vec<Row>,
    moves: Vec<Made>,
}

/// A move that the engine made.
#[derive(Serialize)]
struct Made {
    /// Among the positions with a choice, from one.
    position: usize,
    move_time: f64,
    empties: u32,
    chosen: String,
    score: i8,
    best: i8,
    cpu_seconds: f64,
}

/// Positions with so many empty squares, or all of them.
#[derive(Serialize)]
struct Row {
    move_time: f64,
    empties: Option<u32>,
    positions: u64,
    /// How many of the moves lose nothing.
    faultless: u64,
    discs_lost: Mean,
    points_lost: Mean,
    cpu_seconds: f64,
}

impl Moves {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let mut problems = Vec::new();
        for file in &self.files {
            for (index, problem) in read(file)?.into_iter().enumerate() {
                check(&problem).map_err(|fault| {
                    let (file, place) = (file.display(), index + 1);
                    Usage(format!("{file}: position {place}: {fault}"))
                })?;
                if problem.board.move_count() > 1 {
                    problems.push(problem);
                }
            }
        }
        if problems.is_empty() {
            return Err(Usage("there is no position with a choice in these files".into()).into());
        }
        let (judge, model, selectivity) = function_with_errors(
            &self.function,
            self.probcut.as_deref(),
            self.selectivity,
            IN_PLAY,
        )?;
        let mut engine = Engine::with_judge(self.hash, 1, judge, model)
            .corner_quiescence(true)
            .with_techniques(self.without.iter().copied().collect());
        let terminal = Terminal::new();
        let (mut rows, mut moves) = (Vec::new(), Vec::new());
        for &time in &self.move_time {
            let limits =
                Limits { selectivity, clock: Clock::Cpu, whole_discs: true, ..Limits::time(time) };
            let made = make(&mut engine, &problems, limits, &terminal)?;
            rows.extend(summary(&made));
            moves.extend(made);
        }
        let table = table(&rows);
        print(self.format, &table, &Report { rows, moves })
    }
}

/// Every move must have its score, and nothing else.
fn check(problem: &Problem) -> Result<(), String> {
    let legal: Vec<_> = problem.board.moves().filter(|&m| m != Move::PASS).collect();
    if let Some((m, _)) = problem.scores.iter().find(|(m, _)| !legal.contains(m)) {
        return Err(format!("{m} is no legal move"));
    }
    for m in legal {
        match problem.scores.iter().filter(|(scored, _)| *scored == m).count() {
            1 => {}
            0 => {
                let remedy = "have all moves scored by: evalsmith solve FILE --score-moves OUT";
                return Err(format!("{m} has no score; {remedy}"));
            }
            _ => return Err(format!("{m} has more than one score")),
        }
    }
    Ok(())
}

fn make(
    engine: &mut Engine<ByFunction>,
    problems: &[Problem],
    limits: Limits,
    terminal: &Terminal,
) -> anyhow::Result<Vec<Made>> {
    let move_time = limits.time.unwrap_or_default().as_secs_f64();
    let watch = Watch::new();
    terminal.begin(&format!("moves in {move_time} s"), problems.len() as u64, "positions");
    let stop = || watch.stop();
    let made = handing_on_stop(terminal, stop, || {
        let made = problems.iter().enumerate().map(|(index, problem)| {
            engine.forget();
            let begun = ProcessTime::now();
            let chosen = engine.think(&problem.board, limits, &watch, |_| ()).best;
            let cpu_seconds = begun.elapsed().as_secs_f64();
            if watch.stopped() {
                return Err(LabError::Abandoned.into());
            }
            terminal.advance(1);
            let score = problem.scores.iter().find(|(m, _)| Some(*m) == chosen);
            let (chosen, score) = *score.expect("every legal move has a score");
            Ok(Made {
                position: index + 1,
                move_time,
                empties: problem.board.empty().count_ones(),
                chosen: chosen.to_string(),
                score,
                best: problem.best().expect("there are moves"),
                cpu_seconds,
            })
        });
        made.collect()
    });
    terminal.end();
    made
}

/// A row for every number of empty squares, and one for all if they differ.
fn summary(made: &[Made]) -> Vec<Row> {
    let mut groups = BTreeMap::<_, Vec<_>>::new();
    for m in made {
        groups.entry(Some(m.empties)).or_default().push(m);
    }
    if groups.len() > 1 {
        groups.insert(None, made.iter().collect());
    }
    groups.into_iter().filter_map(|(empties, made)| row(empties, &made)).collect()
}

fn row(empties: Option<u32>, made: &[&Made]) -> Option<Row> {
    let (mut discs, mut halves) = (Sums::default(), Sums::default());
    for m in made {
        discs.add(i64::from(m.best) - i64::from(m.score));
        halves.add(i64::from(m.best.signum()) - i64::from(m.score.signum()));
    }
    Some(Row {
        move_time: made.first()?.move_time,
        empties,
        positions: discs.count(),
        faultless: made.iter().filter(|m| m.score == m.best).count() as u64,
        discs_lost: discs.mean(1.0)?,
        points_lost: halves.mean(0.5)?,
        cpu_seconds: made.iter().map(|m| m.cpu_seconds).sum(),
    })
}

fn table(rows: &[Row]) -> Table {
    let mut table = Table::new([
        "s a move",
        "empty",
        "positions",
        "faultless",
        "discs lost a move",
        "95 %",
        "points lost in 100",
        "95 %",
        "CPU s",
    ]);
    for row in rows {
        // Nothing can be gained on the best move.
        let interval = |mean: &Mean, times: f64| {
            mean.interval.map_or_else(String::new, |i| {
                let [low, high] = [i.low.max(0.0), i.high].map(|x| number::fixed(times * x, 2));
                format!("{low} to {high}")
            })
        };
        table.push([
            row.move_time.to_string(),
            row.empties.map_or_else(|| "all".to_owned(), |empties| empties.to_string()),
            row.positions.to_string(),
            number::percent(row.faultless as f64 / row.positions as f64, 1),
            number::fixed(row.discs_lost.mean, 2),
            interval(&row.discs_lost, 1.0),
            number::fixed(100.0 * row.points_lost.mean, 2),
            interval(&row.points_lost, 100.0),
            number::fixed(row.cpu_seconds, 1),
        ]);
    }
    table
}
