//! A dialogue with an outside engine, in texts, the same for every protocol.
//!
//! What the protocols differ in stands behind [`Wire`], a file for each; their
//! parsers are functions of a line. What was written unasked before a question is
//! skipped, and lines before its answer that say nothing known are as well.

mod gtp;
mod inquiry;
mod nboard;
mod uci;
mod usi;
mod xboard;

use crate::budget::Budget;
use crate::engine::{Engine, Patience};
use crate::fault::{Failure, Fault};
use crate::options::Offered;
use crate::process::Process;
use crate::reply::{Answer, Reply, Report};
use crate::situation::{Situation, Terms};
use crate::transcript::Transcript;
use evalsmith_core::{Protocol, Side};
use std::process::ExitStatus;
use std::time::{Duration, Instant};

/// Who answered, and what can be set.
#[derive(Clone, Debug, Default)]
pub(crate) struct Identity {
    name: String,
    options: Vec<Offered>,
}

/// The client's words in one protocol.
trait Wire: Send {
    /// Says hello, learns what the engine is and sets its options.
    fn greet(&mut self, engine: &Engine, process: &mut Process) -> Result<Identity, Fault>;

    /// Says that a new game begins, and waits until the engine is ready.
    fn new_game(&mut self, process: &mut Process, patience: &Patience) -> Result<(), Fault>;

    /// Tells the situation and asks for a move.
    fn ask(
        &mut self,
        process: &mut Process,
        situation: &Situation,
        budget: &Budget,
        patience: &Patience,
    ) -> Result<(), Fault>;

    /// Tells with the next question that the opponent offers a draw, where the
    /// protocol has a word for it.
    fn hear_draw_offer(&mut self) {}

    /// Shows a situation, puts a question of the engine's own, and hears the lines
    /// of its answer to their end.
    fn inquire(
        &mut self,
        process: &mut Process,
        situation: &Situation,
        question: &str,
        patience: &Patience,
        hear: &mut dyn FnMut(&str),
    ) -> Result<(), Fault>;

    /// Reads a line after the question: an answer, part of a report, or nothing.
    fn hear(&mut self, line: &str, report: &mut Report) -> Result<Option<Answer>, Fault>;

    /// What follows an answer.
    fn settle(&mut self, _process: &mut Process, _answer: &Answer) {}

    /// Whether one process plays more than one game.
    fn is_reusable(&self) -> bool {
        true
    }

    /// The word that makes a thinking engine answer at once.
    fn stop(&self) -> Option<&'static str>;
}

struct Question {
    asked: Instant,
    cpu: Option<Duration>,
    allowed: Option<Duration>,
    deadline: Option<Instant>,
}

/// A running engine.
pub struct Client {
    identity: Identity,
    protocol: Protocol,
    patience: Patience,
    process: Process,
    wire: Box<dyn Wire>,
    question: Option<Question>,
    in_step: bool,
    has_played: bool,
}

impl Client {
    /// Starts an engine, greets it and sets its options.
    ///
    /// # Errors
    /// When it does not start, does not answer, or does not offer an option.
    pub fn start(engine: &Engine, terms: Terms) -> Result<Self, Failure> {
        let called = || engine.name.clone().unwrap_or_else(|| engine.command.display().to_string());
        let process = Process::spawn(engine).map_err(|fault| Failure {
            engine: called(),
            fault: Box::new(fault),
            dialogue: String::new(),
        })?;
        let wire: Box<dyn Wire> = match engine.protocol {
            Protocol::Uci => Box::new(uci::Uci::new()),
            Protocol::Usi => Box::new(usi::new()),
            Protocol::Gtp => Box::new(gtp::Gtp::new(terms)),
            Protocol::NBoard => Box::new(nboard::NBoard::new(terms)),
            Protocol::Xboard => Box::new(xboard::Xboard::new(terms)),
        };
        let mut client = Self {
            identity: Identity { name: called(), options: Vec::new() },
            protocol: engine.protocol,
            patience: engine.patience.clone(),
            process,
            wire,
            question: None,
            in_step: true,
            has_played: false,
        };
        let greeted = client.wire.greet(engine, &mut client.process);
        let mut identity = client.checked(greeted)?;
        if let Some(name) = &engine.name {
            identity.name.clone_from(name);
        } else if identity.name.is_empty() {
            identity.name = called();
        }
        client.identity = identity;
        Ok(client)
    }

    /// What the engine is called.
    pub fn name(&self) -> &str {
        &self.identity.name
    }

    /// The options that the engine offers.
    pub fn offered(&self) -> &[Offered] {
        &self.identity.options
    }

    /// What it speaks.
    pub fn protocol(&self) -> Protocol {
        self.protocol
    }

    /// What was said lately.
    pub fn transcript(&self) -> &Transcript {
        self.process.transcript()
    }

    /// Whether the dialogue can go on after what has happened. It cannot after a
    /// death, a flood, a wait in vain or an answer that was none.
    pub fn in_step(&self) -> bool {
        self.in_step
    }

    /// Whether it can play another game: the dialogue is in step, and the engine
    /// has not asked to be started for every game.
    pub fn can_play_again(&self) -> bool {
        self.in_step && (self.wire.is_reusable() || !self.has_played)
    }

    /// Begins a new game.
    ///
    /// # Errors
    /// When the engine does not get ready for it.
    pub fn new_game(&mut self) -> Result<(), Failure> {
        self.stay_in_step()?;
        let skipped = self.process.skip_unasked();
        let begun = skipped.and_then(|()| self.wire.new_game(&mut self.process, &self.patience));
        // A wrapper has started its engine by now.
        self.process.look_for_children();
        self.checked(begun)
    }

    /// Tells the engine with the next question that its opponent offers a draw;
    /// of the protocols only xboard's has a word for it.
    pub fn hear_draw_offer(&mut self) {
        self.wire.hear_draw_offer();
    }

    /// Asks for a move and waits for it.
    ///
    /// # Errors
    /// See [`go`](Self::go) and [`wait`](Self::wait).
    pub fn think(&mut self, situation: &Situation, budget: &Budget) -> Result<Reply, Failure> {
        self.go(situation, budget)?;
        self.wait()
    }

    /// Asks for a move.
    ///
    /// # Errors
    /// When the protocol cannot say the situation or the budget, or the engine
    /// refuses or is gone.
    pub fn go(&mut self, situation: &Situation, budget: &Budget) -> Result<(), Failure> {
        self.stay_in_step()?;
        let cpu = self.process.cpu_time();
        let told = self.tell(situation, budget);
        self.checked(told)?;
        let asked = Instant::now();
        let side: Side = situation.side();
        let allowed = budget.most_time(side);
        let wait = match allowed {
            _ if budget.infinite => None,
            Some(allowed) => Some(allowed.saturating_add(self.patience.margin)),
            None => Some(self.patience.unclocked_move),
        };
        let deadline = wait.and_then(|wait| asked.checked_add(wait));
        self.has_played = true;
        self.question = Some(Question { asked, cpu, allowed, deadline });
        Ok(())
    }

    fn tell(&mut self, situation: &Situation, budget: &Budget) -> Result<(), Fault> {
        self.process.skip_unasked()?;
        self.wire.ask(&mut self.process, situation, budget, &self.patience)?;
        self.process.send(Instant::now() + self.patience.stop)
    }

    /// Makes a thinking engine answer at once; nothing happens to an idle one.
    ///
    /// # Errors
    /// When the protocol has no word for it, or the engine is gone.
    pub fn stop(&mut self) -> Result<(), Failure> {
        let Some(question) = &mut self.question else { return Ok(()) };
        let Some(word) = self.wire.stop() else {
            let fault = Fault::Unsupported {
                protocol: self.protocol,
                what: "that a search shall stop".into(),
                remedy: "wait for its end, or give it less time".into(),
            };
            return Err(self.fail(fault));
        };
        let soon = Instant::now() + self.patience.stop;
        question.deadline = Some(question.deadline.map_or(soon, |deadline| deadline.min(soon)));
        self.process.say(word);
        let sent = self.process.send(soon);
        self.checked(sent)
    }

    /// Waits for the answer to the last question.
    ///
    /// # Errors
    /// When there is no question, or the engine dies, floods, answers nonsense,
    /// or oversteps its time. Without a bound on time, after a stop, and for the
    /// whole of an infinite search, the engine's [`Patience`] bounds the wait.
    pub fn wait(&mut self) -> Result<Reply, Failure> {
        let Some(question) = self.question.take() else {
            return Err(self.fail(Fault::NotRunning));
        };
        let heard = self.listen(&question);
        let (answer, report, wall) = self.checked(heard)?;
        let cpu = question.cpu.and_then(|before| self.process.cpu_time()?.checked_sub(before));
        self.wire.settle(&mut self.process, &answer);
        Ok(Reply { answer, report, wall, cpu })
    }

    fn listen(&mut self, question: &Question) -> Result<(Answer, Report, Duration), Fault> {
        let mut report = Report::default();
        let mut line = String::new();
        let deadline = question.deadline.unwrap_or(question.asked + self.patience.unclocked_move);
        loop {
            if !self.process.receive(&mut line, "a move", deadline)? {
                let used = question.asked.elapsed();
                return Err(match question.allowed {
                    Some(allowed) if used > allowed => Fault::LostOnTime { used, allowed },
                    _ => Fault::TimedOut { waiting_for: "a move".into(), after: used },
                });
            }
            if let Some(answer) = self.wire.hear(&line, &mut report)? {
                let wall = question.asked.elapsed();
                return match question.allowed {
                    Some(allowed) if wall > allowed.saturating_add(self.patience.margin) => {
                        Err(Fault::LostOnTime { used: wall, allowed })
                    }
                    _ => Ok((answer, report, wall)),
                };
            }
        }
    }

    /// Sends a line as it stands, which need not be one of the protocol's; what
    /// the engine answers is skipped before the next question.
    ///
    /// # Errors
    /// When the engine is gone.
    pub fn say(&mut self, line: &str) -> Result<(), Failure> {
        self.process.say(line);
        let sent = self.process.send(Instant::now() + self.patience.stop);
        self.checked(sent)
    }

    /// Says goodbye and waits for the end of the process.
    ///
    /// # Errors
    /// When the process does not end in time; it is killed then.
    pub fn quit(mut self) -> Result<ExitStatus, Failure> {
        self.process.say("quit");
        let ended = self.process.close(Instant::now() + self.patience.quit);
        self.checked(ended)
    }

    fn stay_in_step(&self) -> Result<(), Failure> {
        if self.in_step { Ok(()) } else { Err(self.told(Fault::NotRunning)) }
    }

    fn checked<T>(&mut self, result: Result<T, Fault>) -> Result<T, Failure> {
        result.map_err(|fault| self.fail(fault))
    }

    fn fail(&mut self, fault: Fault) -> Failure {
        self.in_step &= fault.leaves_in_step();
        self.told(fault)
    }

    /// A fault with the dialogue before it.
    pub(crate) fn told(&self, fault: Fault) -> Failure {
        let dialogue = self.process.transcript().to_string();
        Failure { engine: self.identity.name.clone(), fault: Box::new(fault), dialogue }
    }
}

impl Process {
    /// Reads lines until one of them is what `found` seeks.
    fn until<T>(
        &mut self,
        waiting_for: &str,
        patience: Duration,
        mut found: impl FnMut(&str) -> Result<Option<T>, Fault>,
    ) -> Result<T, Fault> {
        let deadline = Instant::now() + patience;
        let mut line = String::new();
        while self.receive(&mut line, waiting_for, deadline)? {
            if let Some(value) = found(&line)? {
                return Ok(value);
            }
        }
        Err(Fault::TimedOut { waiting_for: waiting_for.into(), after: patience })
    }
}

/// What a protocol has no words for, and what can be done.
fn unsupported(protocol: Protocol, what: &str, remedy: &str) -> Fault {
    Fault::Unsupported { protocol, what: what.into(), remedy: remedy.into() }
}
