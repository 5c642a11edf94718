//! `evalsmith solve`: Othello endgames, exactly, checked against what their files say.

mod peers;
mod scored;

use crate::failure::{Interrupted, Usage};
use crate::options::{Format, read_text, show, thread_count};
use crate::progress::Terminal;
use clap::Args;
use cpu_time::ProcessTime;
use evalsmith_engine_othello::{
    Bounds, DEFAULT_TABLE_MIB, Question, Solver, SquareJudge, Technique, Watch, obf, shipped,
};
use evalsmith_lab::prelude::{LabError, Position, Progress, Table, handing_on_stop};
use evalsmith_othello::Move;
use peers::{Peer, read_peers};
use scored::Scored;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Solve Othello endgames of OBF files and check the scores they give.
///
/// The exit code is 0 only when no score of the files is contradicted. Of a position's
/// scores the best is checked, unless --all-moves asks for the others too; scores of
/// moves that are not legal are contradicted at any time.
#[derive(Args)]
pub(crate) struct Solve {
    /// Problems: 64 squares, the side to move, and perhaps moves with scores
    #[arg(required = true, value_name = "FILE.obf")]
    files: Vec<PathBuf>,
    /// Memory for proven bounds, in MiB; an eighth more holds what prepares them
    #[arg(long, value_name = "MiB", default_value_t = DEFAULT_TABLE_MIB, value_parser = mebibytes)]
    hash: usize,
    /// Only find out who wins
    #[arg(long, conflicts_with = "all_moves")]
    verdict: bool,
    /// Solve every move that has a score in the file, not only the best
    #[arg(long)]
    all_moves: bool,
    /// Solve every move, and write each position with all its scores to this file as it
    /// is found; the same command goes on with a file that was not finished
    #[arg(long, value_name = "FILE.obf", conflicts_with = "verdict")]
    score_moves: Option<PathBuf>,
    /// Techniques to do without, to see what they save: table, children, stability,
    /// ordering, preparation, and probcut, without which nothing is prepared either
    #[arg(long, value_name = "TECHNIQUE", value_delimiter = ',')]
    without: Vec<Technique>,
    /// Another program's figures: a CSV file with rows of position,nodes,seconds, where
    /// positions count from 1; a heading of these names may stand above them
    #[arg(long, value_name = "FILE.csv")]
    peer: Option<PathBuf>,
    /// How results are written
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// The size of a table.
pub(crate) fn mebibytes(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(mib @ 1..=1_048_576) => Ok(mib),
        _ => Err("a table has 1 to 1048576 MiB".into()),
    }
}

#[derive(Serialize)]
struct Report {
    positions: Vec<Solved>,
    total: Total,
}

#[derive(Serialize)]
struct Solved {
    position: usize,
    file: String,
    empties: u32,
    lower: i8,
    upper: i8,
    complete: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    file_score: Option<i8>,
    best: Option<String>,
    line: Vec<String>,
    nodes: u64,
    cpu_seconds: f64,
    /// Scores of the file that were compared.
    checked: usize,
    /// Proven scores of moves, where they were asked for.
    #[serde(skip)]
    scores: Vec<(Move, i8)>,
    /// What the file says and the solver does not.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    contradictions: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    peer: Option<Peer>,
}

#[derive(Default, Serialize)]
struct Total {
    /// What orders the moves, with a digest of its weights.
    function: String,
    positions: usize,
    solved: usize,
    checked: usize,
    contradictions: usize,
    nodes: u64,
    cpu_seconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    peer: Option<Peer>,
    /// Positions that the peer's figures speak of, ours: nodes and seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    beside_peer: Option<Peer>,
}

impl Solve {
    pub(crate) fn run(self, threads: Option<u16>) -> anyhow::Result<()> {
        let mut problems = Vec::new();
        for file in &self.files {
            problems.extend(read(file)?.into_iter().map(|problem| (file.as_path(), problem)));
        }
        let peers = self.peer.as_deref().map(read_peers).transpose()?.unwrap_or_default();
        if let Some((position, _)) = peers.iter().find(|(at, _)| *at > problems.len()) {
            let there = problems.len();
            let wrong = format!("the peer's figures name position {position} of {there}");
            return Err(Usage(wrong).into());
        }
        let (mut scored, there) = match &self.score_moves {
            Some(path) => {
                let (scored, there) = Scored::open(path, problems.iter().map(|(_, p)| p))?;
                (Some(scored), there)
            }
            None => (None, Vec::new()),
        };
        let threads = thread_count(threads);
        let mut solver = Solver::shipped(self.hash, threads)
            .with_techniques(self.without.iter().copied().collect());
        let terminal = match self.score_moves {
            Some(_) => Terminal::resumable(),
            None => Terminal::new(),
        };
        let rows = Rows { format: self.format, peers: !peers.is_empty() };
        rows.show_headings()?;
        terminal.begin("solve", (problems.len() - there.len()) as u64, "positions");
        let watch = Watch::new();
        let mut solved = Vec::new();
        let stop = || watch.stop();
        handing_on_stop(&terminal, stop, || {
            for (index, (file, problem)) in problems.iter().enumerate().skip(there.len()) {
                let peer = peers.iter().find(|(at, _)| *at == index + 1).map(|(_, peer)| *peer);
                let row = self.solve(&mut solver, &watch, index + 1, file, problem, peer);
                terminal.aside(|| rows.show(&row))?;
                if let Some(scored) = scored.as_mut().filter(|_| !watch.stopped()) {
                    scored.add(problem, &row.scores)?;
                }
                solved.push(row);
                if watch.stopped() {
                    break;
                }
                terminal.advance(1);
            }
            anyhow::Ok(())
        })?;
        terminal.end();
        let mut total = total(&solved);
        for ((_, problem), before) in problems.iter().zip(&there) {
            let checks = check_again(problem, before);
            total.checked += checks.compared;
            total.contradictions += checks.contradictions.len();
        }
        let (contradictions, stopped) = (total.contradictions, watch.stopped());
        match self.format {
            Format::Table => show(&total_line(&total))?,
            Format::Csv => {}
            Format::Json => {
                show(&serde_json::to_string_pretty(&Report { positions: solved, total })?)?;
            }
        }
        if contradictions > 0 {
            anyhow::bail!("{contradictions} scores of the files are contradicted");
        }
        if stopped && self.score_moves.is_some() {
            return Err(LabError::Stopped.into());
        }
        if stopped {
            return Err(Interrupted.into());
        }
        Ok(())
    }

    fn solve(
        &self,
        solver: &mut Solver<SquareJudge>,
        watch: &Watch<'_>,
        position: usize,
        file: &Path,
        problem: &obf::Problem,
        peer: Option<Peer>,
    ) -> Solved {
        let begun = ProcessTime::now();
        let question = if self.verdict { Question::Verdict } else { Question::Score };
        let answer = solver.ask(&problem.board, question, watch);
        let mut nodes = answer.nodes;
        let Bounds { lower, upper } = answer.bounds;
        let mut checks = Checks::of(problem, Found { lower, upper, complete: answer.complete });
        let mut scores = Vec::new();
        for m in problem.board.moves().filter(|&m| m != Move::PASS) {
            let told = problem.scores.iter().any(|(scored, _)| *scored == m);
            if self.score_moves.is_none() && !(self.all_moves && told) {
                continue;
            }
            let reply = solver.ask(&problem.board.play(m), Question::Score, watch);
            nodes += reply.nodes;
            let (lower, upper) = (-reply.bounds.upper, -reply.bounds.lower);
            checks.add(problem, m, Found { lower, upper, complete: reply.complete });
            scores.push((m, upper));
        }
        Solved {
            position,
            file: file.display().to_string(),
            empties: problem.board.empty().count_ones(),
            lower,
            upper,
            complete: answer.complete,
            file_score: checks.best,
            best: answer.best.map(|m| m.to_string()),
            line: answer.line.iter().map(ToString::to_string).collect(),
            nodes,
            cpu_seconds: begun.elapsed().as_secs_f64(),
            checked: checks.compared,
            scores,
            contradictions: checks.contradictions,
            peer,
        }
    }
}

/// What a search says of a score.
#[derive(Clone, Copy)]
struct Found {
    lower: i8,
    upper: i8,
    complete: bool,
}

impl Found {
    const fn exactly(score: i8) -> Self {
        Self { lower: score, upper: score, complete: true }
    }

    fn allows(self, score: i8) -> bool {
        (self.lower..=self.upper).contains(&score)
    }
}

/// What a file says of a position, beside what was found.
#[derive(Default)]
struct Checks {
    /// The best score that the file gives a legal move.
    best: Option<i8>,
    /// Scores of the file that were compared.
    compared: usize,
    contradictions: Vec<String>,
}

impl Checks {
    /// Compares the best score.
    fn of(problem: &obf::Problem, found: Found) -> Self {
        let legal = |m: Move| m != Move::PASS && problem.board.moves().any(|there| there == m);
        let mut checks = Self::default();
        for &(m, score) in &problem.scores {
            if legal(m) {
                checks.best = checks.best.max(Some(score));
            } else {
                checks.contradictions.push(format!("{m}:{score:+} is no legal move"));
            }
        }
        if let Some(score) = checks.best {
            checks.compared += usize::from(found.complete);
            if !found.allows(score) {
                checks.contradictions.push(format!("best {score:+}"));
            }
        }
        checks
    }

    /// Compares the scores of a move.
    fn add(&mut self, problem: &obf::Problem, m: Move, found: Found) {
        for &(_, score) in problem.scores.iter().filter(|(scored, _)| *scored == m) {
            self.compared += usize::from(found.complete);
            if !found.allows(score) {
                self.contradictions.push(format!("{m}:{score:+} is {:+}", found.upper));
            }
        }
    }
}

/// Compares a position with the scores that an earlier run wrote.
fn check_again(problem: &obf::Problem, before: &obf::Problem) -> Checks {
    let Some(best) = before.best() else {
        return Checks::of(problem, Found { lower: -64, upper: 64, complete: false });
    };
    let mut checks = Checks::of(problem, Found::exactly(best));
    for &(m, score) in &before.scores {
        checks.add(problem, m, Found::exactly(score));
    }
    checks
}

pub(crate) fn read(file: &Path) -> anyhow::Result<Vec<obf::Problem>> {
    let text = read_text(file)?;
    let problems = obf::read(&text).map_err(|e| Usage(format!("{}: {e}", file.display())))?;
    if problems.is_empty() {
        let nothing = format!("{} holds no position; write one a line", file.display());
        return Err(Usage(nothing).into());
    }
    Ok(problems)
}

fn total(solved: &[Solved]) -> Total {
    let function = format!("shipped@{}", shipped::DIGEST);
    let mut total = Total { function, positions: solved.len(), ..Total::default() };
    for s in solved {
        total.solved += usize::from(s.complete);
        total.checked += s.checked;
        total.contradictions += s.contradictions.len();
        total.nodes += s.nodes;
        total.cpu_seconds += s.cpu_seconds;
        if let Some(peer) = s.peer {
            let ours = Peer { nodes: s.nodes, seconds: s.cpu_seconds };
            for (sum, part) in [(&mut total.peer, peer), (&mut total.beside_peer, ours)] {
                let sum = sum.get_or_insert(Peer { nodes: 0, seconds: 0.0 });
                sum.nodes += part.nodes;
                sum.seconds += part.seconds;
            }
        }
    }
    total
}

/// A ratio to two digits, where there is one.
fn ratio(ours: f64, theirs: f64) -> String {
    if theirs > 0.0 { format!("{:.2}", ours / theirs) } else { "n/a".to_owned() }
}

fn score(s: &Solved) -> String {
    match (s.lower, s.upper) {
        (lower, upper) if lower == upper => format!("{lower:+}"),
        (lower, _) if lower > 0 && s.complete => "won".to_owned(),
        (_, upper) if upper < 0 && s.complete => "lost".to_owned(),
        (lower, upper) => format!("{lower:+} to {upper:+}"),
    }
}

/// The table, a row at a time: what is solved is on the screen or in the file
/// even if the program is killed at the next position.
struct Rows {
    format: Format,
    peers: bool,
}

impl Rows {
    /// The headings, with the room that their cells take.
    fn columns(&self) -> Vec<(&'static str, usize)> {
        let mut columns = vec![
            ("position", 8),
            ("empty", 5),
            ("score", 10),
            ("file", 4),
            ("best", 4),
            ("nodes", 12),
            ("CPU s", 9),
            ("M/s", 5),
        ];
        if self.peers {
            columns.extend([("nodes/peer", 10), ("seconds/peer", 12)]);
        }
        columns.extend([("line", 23), ("contradicted", 12)]);
        columns
    }

    fn show_headings(&self) -> anyhow::Result<()> {
        self.show_line(
            &self.columns().iter().map(|(name, _)| (*name).to_owned()).collect::<Vec<_>>(),
        )
    }

    fn show(&self, s: &Solved) -> anyhow::Result<()> {
        let mut cells = vec![
            s.position.to_string(),
            s.empties.to_string(),
            score(s),
            s.file_score.map(|score| format!("{score:+}")).unwrap_or_default(),
            s.best.clone().unwrap_or_default(),
            s.nodes.to_string(),
            format!("{:.3}", s.cpu_seconds),
            format!("{:.1}", s.nodes as f64 / s.cpu_seconds.max(1e-9) / 1e6),
        ];
        if self.peers {
            cells.extend(s.peer.map_or([String::new(), String::new()], |peer| {
                [ratio(s.nodes as f64, peer.nodes as f64), ratio(s.cpu_seconds, peer.seconds)]
            }));
        }
        let line = s.line.iter().take(8).cloned().collect::<Vec<_>>().join(" ");
        cells.extend([line, s.contradictions.join("; ")]);
        self.show_line(&cells)
    }

    fn show_line(&self, cells: &[String]) -> anyhow::Result<()> {
        match self.format {
            Format::Table => {
                let words = |(cell, (_, room)): (&String, (_, usize))| format!("{cell:>room$}");
                let words: Vec<_> = cells.iter().zip(self.columns()).map(words).collect();
                show(words.join("  ").trim_end())
            }
            Format::Csv => show(&Table::new(cells).to_csv()),
            Format::Json => Ok(()),
        }
    }
}

fn total_line(total: &Total) -> String {
    let Total { positions, solved, checked, contradictions, nodes, cpu_seconds, .. } = total;
    let speed = *nodes as f64 / cpu_seconds.max(1e-9) / 1e6;
    let line = format!(
        "{solved} of {positions} positions solved, {checked} scores checked, {contradictions} \
         contradicted; {nodes} nodes, {cpu_seconds:.3} CPU s, {speed:.1} M nodes/s"
    );
    if let (Some(peer), Some(ours)) = (&total.peer, &total.beside_peer) {
        let nodes = ratio(ours.nodes as f64, peer.nodes as f64);
        let seconds = ratio(ours.seconds, peer.seconds);
        return format!("{line}; {nodes} of the peer's nodes, {seconds} of its seconds");
    }
    line
}
