//! Whether an engine keeps to its protocol: what to try before a long match.
//!
//! The positions asked about are the same in every run: games in which the moves
//! are chosen by the positions' keys.

use crate::budget::Budget;
use crate::client::Client;
use crate::engine::Engine;
use crate::fault::{Failure, Fault};
use crate::reply::{Answer, Reply};
use crate::situation::{Situation, Terms};
use evalsmith_core::{Dialect, Game, GameRecord, Position, Protocol, Side};
use serde::Serialize;

/// How a test ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Mark {
    /// As it should.
    Pass,
    /// As it should not.
    Fail,
    /// It could not be made.
    Skipped,
}

/// One test of an engine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// What was tested.
    pub what: &'static str,
    /// How it ended.
    pub mark: Mark,
    /// What was seen.
    pub detail: String,
}

/// How many plies into a game the engine is asked.
const PLIES: [usize; 4] = [1, 4, 9, 16];

/// Tests an engine's manners: greetings, options, unknown words, legal answers from
/// the start, in games and in positions set up, stopping, a second game, leaving.
///
/// The list always has the same length; after a fault that ends the dialogue the
/// rest is skipped.
pub fn check<G: Game>(game: &G, engine: &Engine, budget: &Budget) -> Vec<Finding> {
    let mut findings = Findings(Vec::new());
    let tried = examine(game, engine, budget, &mut findings);
    for what in ALL {
        if findings.0.iter().all(|finding| finding.what != what) {
            let (mark, detail) = match &tried {
                Err(failure) if findings.0.iter().all(|f| f.mark != Mark::Fail) => {
                    (Mark::Fail, failure.to_string())
                }
                _ => (Mark::Skipped, "the dialogue broke off before".to_owned()),
            };
            findings.0.push(Finding { what, mark, detail });
        }
    }
    findings.0
}

const GREETS: &str = "greets and takes its options";
const UNKNOWN: &str = "survives a word it cannot know";
const START: &str = "moves from the start";
const GAMES: &str = "moves in the middle of games";
const SET_UP: &str = "moves in positions set up";
const STOPS: &str = "stops when told";
const AGAIN: &str = "begins another game";
const QUITS: &str = "quits";
const ALL: [&str; 8] = [GREETS, UNKNOWN, START, GAMES, SET_UP, STOPS, AGAIN, QUITS];

struct Findings(Vec<Finding>);

impl Findings {
    fn pass(&mut self, what: &'static str, detail: String) {
        self.0.push(Finding { what, mark: Mark::Pass, detail });
    }

    /// Notes a fault; it is an error where the dialogue cannot go on.
    fn fault(&mut self, what: &'static str, failure: Failure) -> Result<(), Failure> {
        let unsaid = matches!(*failure.fault, Fault::Unsupported { .. });
        let mark = if unsaid { Mark::Skipped } else { Mark::Fail };
        self.0.push(Finding { what, mark, detail: failure.fault.to_string() });
        if failure.fault.leaves_in_step() { Ok(()) } else { Err(failure) }
    }
}

fn examine<G: Game>(
    game: &G,
    engine: &Engine,
    budget: &Budget,
    findings: &mut Findings,
) -> Result<(), Failure> {
    let protocol = engine.protocol;
    let Some(dialect) = game.dialect(protocol) else {
        return Err(Failure {
            engine: engine.command.display().to_string(),
            fault: Box::new(Fault::Unsupported {
                protocol,
                what: format!("a move of {}", game.name()),
                remedy: "choose a protocol that the game is spoken in".into(),
            }),
            dialogue: String::new(),
        });
    };
    let client = Client::start(engine, Terms::of(game, dialect.as_ref()))?;
    let mut exam = Exam { game, dialect: dialect.as_ref(), client, budget };
    let options = exam.client.offered().len();
    findings.pass(GREETS, format!("{}, {options} options offered", exam.client.name()));

    let unknown = match protocol {
        Protocol::Gtp => "999999 evalsmith_asks",
        _ => "evalsmith_asks",
    };
    exam.client.say(unknown)?;
    match exam.client.new_game() {
        Ok(()) => findings.pass(UNKNOWN, String::new()),
        Err(failure) => findings.fault(UNKNOWN, failure)?,
    }
    exam.ask_all(START, &[exam.begin()], findings)?;
    let games: Vec<_> = PLIES.iter().map(|&plies| exam.game_of(plies)).collect();
    exam.ask_all(GAMES, &games, findings)?;
    let set_up: Vec<_> = games
        .iter()
        .map(|g| GameRecord::new(g.position().clone(), g.side(), game.max_plies()))
        .collect();
    exam.ask_all(SET_UP, &set_up, findings)?;
    exam.stop(findings)?;
    match exam.client.new_game() {
        Ok(()) => exam.ask_all(AGAIN, &[exam.begin()], findings)?,
        Err(failure) => findings.fault(AGAIN, failure)?,
    }
    match exam.client.quit() {
        Ok(status) => {
            let mark = if status.success() { Mark::Pass } else { Mark::Fail };
            findings.0.push(Finding { what: QUITS, mark, detail: status.to_string() });
        }
        Err(failure) => findings.fault(QUITS, failure)?,
    }
    Ok(())
}

struct Exam<'a, G: Game> {
    game: &'a G,
    dialect: &'a dyn Dialect<G::Position>,
    client: Client,
    budget: &'a Budget,
}

impl<G: Game> Exam<'_, G> {
    fn begin(&self) -> GameRecord<G::Position> {
        GameRecord::new(self.game.start(), Side::First, self.game.max_plies())
    }

    /// A game of so many plies, or fewer if it ends.
    fn game_of(&self, plies: usize) -> GameRecord<G::Position> {
        let mut record = self.begin();
        while record.ply() < plies {
            let legal: Vec<_> = record.position().moves().collect();
            let key = record.position().key().wrapping_add(plies as u64) as usize;
            let Some(&m) = legal.get(key % legal.len().max(1)) else { break };
            if record.play(m).is_err() || record.ending().is_some() {
                record.take_back();
                break;
            }
        }
        record
    }

    fn situation(&self, record: &GameRecord<G::Position>) -> Situation {
        Situation::of(self.game, self.client.protocol(), self.dialect, record)
    }

    fn judge(&self, record: &GameRecord<G::Position>, reply: &Reply) -> Result<(), Failure> {
        let text = match &reply.answer {
            Answer::Move(text) => text,
            // To give up or to claim is an answer.
            Answer::Resign | Answer::ClaimDraw | Answer::ClaimWin => return Ok(()),
            Answer::Nothing => "none",
        };
        self.dialect.parse_move(record.position(), text).map(drop).map_err(|malformed| {
            let fault = Fault::IllegalMove { text: text.to_owned(), reason: malformed.reason };
            self.client.told(fault)
        })
    }

    fn ask_all(
        &mut self,
        what: &'static str,
        records: &[GameRecord<G::Position>],
        findings: &mut Findings,
    ) -> Result<(), Failure> {
        let mut longest = std::time::Duration::ZERO;
        for record in records {
            let situation = self.situation(record);
            let reply = self.client.think(&situation, self.budget);
            let judged = reply.and_then(|reply| {
                longest = longest.max(reply.wall);
                self.judge(record, &reply)
            });
            if let Err(failure) = judged {
                return findings.fault(what, failure);
            }
        }
        findings.pass(what, format!("{} answers, the slowest in {longest:.1?}", records.len()));
        Ok(())
    }

    fn stop(&mut self, findings: &mut Findings) -> Result<(), Failure> {
        let record = self.begin();
        let stopped = self
            .client
            .go(&self.situation(&record), &Budget::infinite())
            .and_then(|()| self.client.stop())
            .and_then(|()| self.client.wait())
            .and_then(|reply| self.judge(&record, &reply).map(|()| reply));
        match stopped {
            Ok(reply) => {
                findings.pass(STOPS, format!("within {:.1?}", reply.wall));
                Ok(())
            }
            Err(failure) => findings.fault(STOPS, failure),
        }
    }
}
