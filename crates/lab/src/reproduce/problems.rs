//! Endgame problems (lee86, Table 4-2): how often a search of so many plies picks
//! a move that perfect play would, with the learned function and the linear one.

use super::{Ground, Reproduction};
use crate::LabError;
use evalsmith_core::files::write_atomically;
use evalsmith_core::{Game, GameRecord, Position};
use evalsmith_learn::Learner;
use evalsmith_report::{Align, Table, number};
use evalsmith_rules::{DynFunction, DynGame, MoveId, Record};
use evalsmith_stats::normal::Z95;
use evalsmith_stats::proportion::wilson;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The experiment's settings and the paper's figures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Problems {
    learner: Learner,
    features: Vec<String>,
    radius: u8,
    /// Plies of the shallowest search.
    from: u8,
    /// The paper's shares, one a depth from there on.
    published_learned: Vec<f64>,
    published_linear: Vec<f64>,
    /// How many problems a person solved, and of how many.
    published_people: [u32; 2],
}

/// For each depth, whether the learned and the linear function found a best move.
type Solved = Vec<[bool; 2]>;

impl Problems {
    pub(super) fn run(&self, ground: &Ground<'_>) -> Result<Reproduction, LabError> {
        if ground.game.solver().is_none() {
            let message = format!("{} cannot be solved near its end", ground.game.name());
            return Err(LabError::Settings(message));
        }
        let learned = ground.learned(&self.features, self.learner, self.radius)?.0.function;
        let linear = ground.linear()?.function;
        let records = problems(ground)?;
        let depths: Vec<u8> = (self.from..=ground.size.plies).collect();
        let (known, diary) = Diary::open(&ground.folder.join("problems.jsonl"), depths.len())?;
        ground.progress.begin("problems", records.len() as u64, "problems");
        let solved: Result<Vec<Option<Solved>>, LabError> = records
            .par_iter()
            .enumerate()
            .map(|(problem, record)| {
                let solved = match known.get(&problem) {
                    Some(solved) => Some(solved.clone()),
                    None if ground.progress.stopped() => None,
                    None => solve(ground.game, record, &depths, &[&learned, &linear]),
                };
                if let (Some(solved), None) = (&solved, known.get(&problem)) {
                    diary.note(problem, solved)?;
                }
                ground.progress.advance(1);
                Ok(solved)
            })
            .collect();
        ground.progress.end();
        let solved = solved?;
        if ground.progress.stopped() {
            return Err(LabError::Stopped);
        }
        let solved: Vec<Solved> = solved.into_iter().flatten().collect();
        Ok(self.told(ground, &depths, &solved))
    }

    fn told(&self, ground: &Ground<'_>, depths: &[u8], solved: &[Solved]) -> Reproduction {
        let n = solved.len() as f64;
        let [fewest, most] = ground.size.empties;
        let mut table = Table::new([
            "plies",
            "learned",
            "95 %",
            "paper",
            "linear",
            "95 %",
            "paper",
            "only learned",
            "only linear",
        ])
        .align([Align::Right; 9])
        .caption(format!(
            "Best moves found in {} problems with {fewest} to {most} empty squares",
            solved.len()
        ));
        let mut ahead = 0;
        let (mut only_learned, mut only_linear) = (0, 0);
        for (i, depth) in depths.iter().enumerate() {
            let count = |which: usize| solved.iter().filter(|s| s[i][which]).count();
            let cell = |which: usize| {
                let right = count(which) as f64;
                let interval = wilson(right, n, Z95);
                let text = |x| number::percent(x, 0);
                (text(right / n), format!("{} to {}", text(interval.low), text(interval.high)))
            };
            let ((a, a_interval), (b, b_interval)) = (cell(0), cell(1));
            let paper = |all: &[f64]| all.get(i).map_or(String::new(), |&x| number::percent(x, 0));
            let only =
                |which: usize| solved.iter().filter(|s| s[i][which] && !s[i][1 - which]).count();
            ahead += usize::from(count(0) > count(1));
            only_learned += only(0);
            only_linear += only(1);
            table.push([
                depth.to_string(),
                a,
                a_interval,
                paper(&self.published_learned),
                b,
                b_interval,
                paper(&self.published_linear),
                only(0).to_string(),
                only(1).to_string(),
            ]);
        }
        let [found, asked] = self.published_people;
        let verdict = format!(
            "The learned function finds more best moves than the linear one at {ahead} of {} depths; \
             over all of them it alone is right {only_learned} times, the linear one alone \
             {only_linear} times (the same problems, so these are not independent). The paper: more at \
             every depth, by 4 to 11 points of a hundred; a person found {found} of {asked} ({}), of \
             its problems of 20 to 24 empty squares. Ours are positions of our own games.",
            depths.len(),
            number::percent(f64::from(found) / f64::from(asked), 0),
        );
        ground.told(vec![table], verdict)
    }
}

/// The problems that are done, a line each, so that a killed run goes on behind them.
struct Diary {
    path: PathBuf,
    file: Mutex<File>,
}

impl Diary {
    /// What earlier runs wrote; a line that a kill cut off is done again.
    fn open(path: &Path, depths: usize) -> Result<(BTreeMap<usize, Solved>, Self), LabError> {
        let written = match std::fs::read_to_string(path) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => String::new(),
            read => read.map_err(LabError::io(path))?,
        };
        let whole = |line: &&str| {
            let read = serde_json::from_str::<(usize, Solved)>(line);
            read.is_ok_and(|(_, solved)| solved.len() == depths)
        };
        let lines: Vec<_> = written.lines().filter(whole).collect();
        let known = lines.iter().filter_map(|line| serde_json::from_str(line).ok()).collect();
        let text: String = lines.iter().flat_map(|line| [*line, "\n"]).collect();
        write_atomically(path, |file| file.write_all(text.as_bytes()))
            .map_err(LabError::io(path))?;
        let file = OpenOptions::new().append(true).open(path).map_err(LabError::io(path))?;
        Ok((known, Self { path: path.to_owned(), file: Mutex::new(file) }))
    }

    fn note(&self, problem: usize, solved: &Solved) -> Result<(), LabError> {
        let line = serde_json::to_string(&(problem, solved)).unwrap_or_default() + "\n";
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.write_all(line.as_bytes()).map_err(LabError::io(&self.path))
    }
}

/// One position a game with the right number of empty squares and a choice.
fn problems(ground: &Ground<'_>) -> Result<Vec<Record>, LabError> {
    let solver = ground.game.solver();
    let [fewest, most] = ground.size.empties;
    let mut found = Vec::new();
    let mut last = None;
    for batch in ground.dataset()?.rows() {
        let batch = batch?;
        for row in batch.rows() {
            if found.len() >= ground.size.problems as usize {
                return Ok(found);
            }
            if last == Some(row.game) {
                continue;
            }
            let (position, side) = ground.game.unpack(row.position)?;
            let left = solver.as_ref().map_or(0, |s| s.moves_left(&position));
            // Games take turns, so that all numbers of empty squares occur.
            let wanted = fewest + row.game % (most - fewest + 1).max(1);
            if left == wanted && position.move_count() > 1 {
                last = Some(row.game);
                found.push(GameRecord::new(position, side, ground.game.max_plies()));
            }
        }
    }
    if found.is_empty() {
        let message = format!(
            "no game has a position with {fewest} to {most} moves left and a choice; widen empties"
        );
        return Err(LabError::Settings(message));
    }
    Ok(found)
}

/// Whether each function's choice at each depth is as good as any.
fn solve(
    game: &DynGame,
    record: &Record,
    depths: &[u8],
    functions: &[&DynFunction; 2],
) -> Option<Solved> {
    let mut solver = game.solver()?;
    let best = solver.solve(record.position()).outcome;
    let mut known = Vec::new();
    let mut is_best = |m: MoveId| {
        if let Some((_, right)) = known.iter().find(|(other, _)| *other == m) {
            return *right;
        }
        let right = -solver.solve(&record.position().play(m)).outcome == best;
        known.push((m, right));
        right
    };
    let mut searchers = functions.map(|f| f.search(1 << 20));
    let rows = depths.iter().map(|&depth| {
        let chosen = searchers.each_mut().map(|s| s.fixed_depth(record, depth).best);
        chosen.map(|m| m.is_some_and(&mut is_best))
    });
    Some(rows.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_done_is_not_done_again_and_a_line_cut_off_is() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("problems.jsonl");
        let (known, diary) = Diary::open(&path, 2).expect("a new diary");
        assert!(known.is_empty());
        let solved = |first| vec![[first, true], [false, true]];
        diary.note(7, &solved(true)).expect("a line");
        diary.note(3, &solved(false)).expect("a line");
        drop(diary);
        let mut written = std::fs::read_to_string(&path).expect("lines");
        written.push_str("[5,[[true,");
        std::fs::write(&path, written).expect("a cut line");
        let (known, diary) = Diary::open(&path, 2).expect("the same diary");
        assert_eq!(known, BTreeMap::from([(3, solved(false)), (7, solved(true))]));
        diary.note(5, &solved(true)).expect("a line");
        drop(diary);
        assert_eq!(Diary::open(&path, 2).expect("the same diary").0.len(), 3);
        assert!(Diary::open(&path, 4).expect("of other depths").0.is_empty());
    }
}
