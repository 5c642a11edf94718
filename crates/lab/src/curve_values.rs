//! Values of positions from an outside engine: searched, or by its own `eval`.
//!
//! Several processes answer side by side. Every answer is appended to a journal
//! beside the table before the next question is asked, so that nothing paid for is
//! lost: the same command goes on where it stopped, and a position met twice is
//! asked once. The journal's first line says who was asked and how; the answers of another
//! engine or to another question are refused and stay. Invariant: the table does not depend
//! on the number of processes, provided that the engine's answers do not depend on earlier
//! ones.

mod after;
mod form;
mod heading;
mod journal;
mod own;
mod package;
mod profile;
mod rows;
mod unfinished;

pub use after::After;
pub use form::TableForm;
pub use own::{OwnOrder, OwnValued, ValueSource, own_values};
pub use package::locate;
pub use profile::EvalProfile;
use rows::Asked;
pub use rows::ValueRows;
pub use rows::rows_of_dataset;

use crate::LabError;
use evalsmith_core::{PlayerError, Progress, Side};
use evalsmith_protocol::{Budget, Client, Engine, Failure, Terms, Value};
use journal::Journal;
use profile::Reading;
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Tries for a position before it is given up.
const TRIES: usize = 2;
/// Positions given up in a row before a process is.
const PATIENCE: u32 = 5;

/// What an engine is asked about a position.
#[derive(Clone, Debug)]
pub enum Question {
    /// To search it.
    Go(Budget),
    /// Its own command.
    Eval(EvalProfile),
}

/// Who is asked, and how.
#[derive(Clone, Debug)]
pub struct ValueOrder {
    /// The engine.
    pub engine: Engine,
    /// The question.
    pub question: Question,
    /// Processes side by side.
    pub processes: usize,
}

/// What is known of a position.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Answered {
    /// The first player's value, in the engine's unit.
    Value(f64),
    /// The engine sees the end of the game.
    Mate,
    /// The engine has no value for it (in check, say).
    Nothing,
}

/// The values of rows.
#[derive(Clone, Debug)]
pub struct Valued {
    /// Who answered.
    pub engine: String,
    /// For each row the first player's value, where there is one.
    pub values: Vec<Option<f64>>,
    /// Positions asked now, and known before.
    pub asked: usize,
    /// Positions known from an earlier run.
    pub known: usize,
    /// Positions that the engine sees decided.
    pub mates: usize,
    /// Positions without a value.
    pub without: usize,
    /// Positions given up, and what happened to the first of them.
    pub failed: usize,
    /// What happened to the first of them.
    pub first_failure: Option<String>,
    /// Rows whose cell is no position; they are not asked.
    pub unreadable: usize,
}

impl Valued {
    /// Refuses a table in which nothing would stand.
    fn checked(self) -> Result<Self, LabError> {
        let Self { engine, without, failed, unreadable, .. } = &self;
        if self.values.iter().any(Option::is_some) || without + failed + unreadable == 0 {
            return Ok(self);
        }
        let first = self.first_failure.as_ref();
        let first = first.map_or_else(String::new, |first| format!(" (the first: {first})"));
        let reason = format!(
            "it has a value for no position: {failed} were given up{first}, {without} answered \
             without a value, {unreadable} are no positions; ask it another way, by --go \"depth \
             1\" or by --eval with the profile of this engine"
        );
        Err(LabError::Player(PlayerError::new(engine, reason)))
    }
}

/// Asks about all rows.
///
/// # Errors
/// When the engine does not start, fails again and again, has a value for no position,
/// the journal cannot be written, or the job is stopped; what was answered stays in the
/// journal.
pub fn value_rows(
    rows: &ValueRows,
    order: &ValueOrder,
    journal: &Path,
    progress: &dyn Progress,
) -> Result<Valued, LabError> {
    let mut client = start(order, &rows.terms).map_err(failed)?;
    let engine = client.name().to_owned();
    let identity = format!(
        "{engine}; {} {:?}; {:?}; {:?}",
        order.engine.command.display(),
        order.engine.arguments,
        order.engine.options,
        order.question
    );
    let (journal, mut answers) = Journal::open(journal, &identity)?;
    let mut open: Vec<&Asked> = Vec::new();
    let mut listed = HashSet::new();
    for asked in rows.asked.iter().filter(|asked| asked.wanted) {
        if !answers.contains_key(&asked.position) && listed.insert(&asked.position) {
            open.push(asked);
        }
    }
    let known = answers.len();
    progress.begin("asking the engine", (open.len() + known) as u64, "positions");
    progress.resume(known as u64);
    let job = Job {
        rows,
        order,
        open: &open,
        next: AtomicUsize::new(0),
        given_up: AtomicBool::new(false),
        journal: Mutex::new(journal),
        answered: Mutex::new((Vec::new(), Vec::new())),
        progress,
    };
    // The first process is there already; it shows as well that the engine starts.
    let outcome = std::thread::scope(|scope| {
        let others: Vec<_> = (1..order.processes.max(1).min(open.len().max(1)))
            .map(|_| scope.spawn(|| job.work(start(order, &rows.terms).map_err(failed)?)))
            .collect();
        let first = client.new_game().map_err(failed).and_then(|()| job.work(client));
        let rest = others.into_iter().map(|w| w.join().unwrap_or(Err(LabError::Stopped)));
        std::iter::once(first).chain(rest).collect::<Result<Vec<()>, _>>()
    });
    progress.end();
    let (found, failures) = job.answered.into_inner().unwrap_or_else(PoisonError::into_inner);
    outcome?;
    if progress.stopped() {
        return Err(LabError::Stopped);
    }
    let asked = found.len();
    answers.extend(found);
    told(rows, engine, &answers, asked, known, &failures).checked()
}

fn told(
    rows: &ValueRows,
    engine: String,
    answers: &HashMap<String, Answered>,
    asked: usize,
    known: usize,
    failures: &[(usize, String)],
) -> Valued {
    let value = |asked: &Asked| match answers.get(&asked.position) {
        Some(Answered::Value(value)) => Some(*value),
        _ => None,
    };
    let count = |kind: Answered| answers.values().filter(|a| **a == kind).count();
    let first = failures.iter().min_by_key(|(at, _)| *at);
    Valued {
        engine,
        values: rows.asked.iter().map(value).collect(),
        asked,
        known,
        mates: count(Answered::Mate),
        without: count(Answered::Nothing),
        failed: failures.len(),
        first_failure: first.map(|(_, what)| what.clone()),
        unreadable: rows.asked.iter().filter(|asked| !asked.wanted).count(),
    }
}

/// A process with the options that the question needs.
fn start(order: &ValueOrder, terms: &Terms) -> Result<Client, Failure> {
    let mut engine = order.engine.clone();
    if let Question::Eval(profile) = &order.question {
        engine.options.extend(profile.options.iter().cloned());
    }
    Client::start(&engine, terms.clone())
}

fn failed(failure: Failure) -> LabError {
    LabError::Player(PlayerError::from(failure))
}

/// Answers with their positions, and failures with their place and reason.
type Heard = (Vec<(String, Answered)>, Vec<(usize, String)>);

/// What the processes share.
struct Job<'a> {
    rows: &'a ValueRows,
    order: &'a ValueOrder,
    open: &'a [&'a Asked],
    next: AtomicUsize,
    /// Some process has failed for good.
    given_up: AtomicBool,
    journal: Mutex<Journal>,
    answered: Mutex<Heard>,
    progress: &'a dyn Progress,
}

impl Job<'_> {
    fn work(&self, client: Client) -> Result<(), LabError> {
        let done = self.answer_all(client);
        if done.is_err() {
            self.given_up.store(true, Ordering::Relaxed);
        }
        done
    }

    fn answer_all(&self, client: Client) -> Result<(), LabError> {
        let mut client = Some(client);
        let mut failures = 0;
        while !self.progress.stopped() && !self.given_up.load(Ordering::Relaxed) {
            let at = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(asked) = self.open.get(at) else { break };
            match self.answer(asked, &mut client) {
                Ok(answer) => {
                    failures = 0;
                    let mut journal = self.journal.lock().unwrap_or_else(PoisonError::into_inner);
                    journal.append(&asked.position, answer)?;
                    drop(journal);
                    let mut heard = self.answered.lock().unwrap_or_else(PoisonError::into_inner);
                    heard.0.push((asked.position.clone(), answer));
                }
                Err(failure) => {
                    failures += 1;
                    if failures == PATIENCE {
                        return Err(failed(failure));
                    }
                    let what = format!("{}: {failure}", asked.position);
                    let mut heard = self.answered.lock().unwrap_or_else(PoisonError::into_inner);
                    heard.1.push((at, what));
                }
            }
            self.progress.advance(1);
        }
        if let Some(client) = client {
            // Whether it says goodbye in time no longer matters.
            let _ = client.quit();
        }
        Ok(())
    }

    /// The answer about a position, from a new process where the old one is gone.
    fn answer(&self, asked: &Asked, client: &mut Option<Client>) -> Result<Answered, Failure> {
        let mut tried = 0;
        loop {
            tried += 1;
            let mut running = match client.take() {
                Some(client) => client,
                None => start(self.order, &self.rows.terms)?,
            };
            let answer = ask(&mut running, asked, &self.order.question);
            if running.in_step() {
                *client = Some(running);
            }
            match answer {
                Err(_) if tried < TRIES => {}
                answer => return answer,
            }
        }
    }
}

fn ask(client: &mut Client, asked: &Asked, question: &Question) -> Result<Answered, Failure> {
    let mover = if asked.situation.side() == Side::First { 1.0 } else { -1.0 };
    match question {
        Question::Go(budget) => {
            let reply = client.think(&asked.situation, budget)?;
            Ok(match reply.report.value {
                Some(Value::Centipawns(value)) => Answered::Value(mover * f64::from(value)),
                Some(Value::Discs(value)) if value.is_finite() => Answered::Value(mover * value),
                Some(Value::Mate(_)) => Answered::Mate,
                _ => Answered::Nothing,
            })
        }
        Question::Eval(profile) => {
            let found =
                client.inquire(&asked.situation, &profile.ask, |line| profile.read(line))?;
            let view = if profile.mover { mover } else { 1.0 };
            Ok(match found {
                Some(Reading::Value(value)) => Answered::Value(view * value),
                Some(Reading::Nothing) | None => Answered::Nothing,
            })
        }
    }
}

#[cfg(all(test, unix))]
mod tests;
