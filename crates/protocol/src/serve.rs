//! A game with somebody who thinks, speaking as an engine.
//!
//! Three parties: a thread that reads lines, a thread that thinks, and the caller,
//! who owns the protocol's state and the only pen. So `stop`, `isready` and `quit`
//! are heard in the middle of a search. Every search is answered, also when the
//! dialogue ends: `quit` stops it first, except in GTP, where it waits its turn; the
//! end of the input stops a search without limits at once and others after ten seconds,
//! since nobody may be left to read the answer. Each protocol is a `Session`: a state that hears lines and thoughts and leaves orders
//! on a `Desk`, without threads or pipes, to be tested alone.

mod ggf;
mod gtp;
mod nboard;
mod session;
mod thinker;
mod uci;
mod usi;
mod xboard;

pub use thinker::{Info, Sureness, Thinker, Thought};

use crate::budget::Budget;
use evalsmith_core::{Game, GameRecord, PlayerError, Position, Protocol};
use session::{Desk, Heard, Order, Session, Table};
use std::collections::VecDeque;
use std::io::{self, BufRead, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

/// How long searches go on after the end of the input.
const PATIENCE: Duration = Duration::from_secs(10);
/// The longest line of a client's; the rest of a longer one is dropped.
const LINE: usize = 1 << 20;
/// The most lines that wait for the end of a search.
const WAITING: usize = 10_000;

/// Why an engine cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The game is not spoken in that protocol.
    #[error("{game} is not spoken in {protocol}; its protocols are {}", spoken.join(", "))]
    NotSpoken {
        /// The game.
        game: String,
        /// The protocol.
        protocol: Protocol,
        /// Those in which it is.
        spoken: Vec<&'static str>,
    },
    /// The answer could not be written, or a thread not be started.
    #[error("the client cannot be reached: {0}")]
    Io(#[from] io::Error),
    /// Too many commands came during a search.
    #[error("more than {WAITING} commands came while a search went on; wait for its answer")]
    Flooded,
}

enum Event<M> {
    Line(String),
    End,
    Info(Info<M>),
    Refused(PlayerError),
    Done(Result<Thought<M>, PlayerError>),
}

enum Job<P: Position> {
    /// About so many of the best moves; about the best alone where it is one.
    Think(GameRecord<P>, usize, Budget, Arc<AtomicBool>),
    NewGame,
    SetOption(String, String),
}

/// Speaks as an engine until the client says `quit` or closes its end.
///
/// # Errors
/// When the game is not spoken in the protocol, or the client cannot be written to.
pub fn serve<G: Game, T: Thinker<G::Position> + ?Sized>(
    game: &G,
    protocol: Protocol,
    thinker: &mut T,
    input: impl BufRead + Send + 'static,
    output: impl Write,
) -> Result<(), ServeError> {
    let dialect = game.dialect(protocol).ok_or_else(|| ServeError::NotSpoken {
        game: game.name().to_owned(),
        protocol,
        spoken: Protocol::ALL
            .into_iter()
            .filter(|&p| game.dialect(p).is_some())
            .map(Protocol::name)
            .collect(),
    })?;
    let table = Table::new(game.clone(), dialect, thinker.name(), thinker.options());
    let session: Box<dyn Session<G>> = match protocol {
        Protocol::Uci => Box::new(uci::Uci::new(table)),
        Protocol::Usi => Box::new(usi::new(table)),
        Protocol::Gtp => Box::new(gtp::Gtp::new(table)),
        Protocol::NBoard => Box::new(nboard::NBoard::new(table)),
        Protocol::Xboard => Box::new(xboard::Xboard::new(table)),
    };
    let (events, heard) = sync_channel(64);
    let lines = events.clone();
    // It is not waited for: after a `quit` nobody may ever write again.
    thread::Builder::new().name("protocol input".into()).spawn(move || read(input, &lines))?;
    thread::scope(|scope| {
        let (jobs, work) = channel();
        scope.spawn(move || think(thinker, &work, &events));
        let (stops, waiting) = (VecDeque::new(), VecDeque::new());
        Host { session, output, jobs, stops, waiting, leaving: false }.run(&heard)
    })
}

/// Reads lines until there are no more.
fn read<M>(mut input: impl BufRead, lines: &SyncSender<Event<M>>) {
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        let whole = input.by_ref().take(LINE as u64).read_until(b'\n', &mut bytes);
        if !matches!(whole, Ok(n) if n > 0) {
            break;
        }
        if bytes.len() == LINE && !bytes.ends_with(b"\n") && input.skip_until(b'\n').is_err() {
            break;
        }
        let line = String::from_utf8_lossy(bytes.trim_ascii()).into_owned();
        if lines.send(Event::Line(line)).is_err() {
            return;
        }
    }
    // Nobody listens when the dialogue is over already.
    let _ = lines.send(Event::End);
}

/// Does jobs until there are no more.
fn think<P: Position, T: Thinker<P> + ?Sized>(
    thinker: &mut T,
    work: &Receiver<Job<P>>,
    events: &SyncSender<Event<P::Move>>,
) {
    // When nobody listens any more, the next job will not come.
    while let Ok(job) = work.recv() {
        match job {
            Job::NewGame => thinker.new_game(),
            Job::SetOption(name, value) => {
                // It was offered and fits; a thinker that will not have it stays as it
                // is, and says why.
                if let Err(error) = thinker.set_option(&name, &value) {
                    let _ = events.send(Event::Refused(error));
                }
            }
            Job::Think(record, lines, budget, stop) => {
                let mut tell = |info| drop(events.send(Event::Info(info)));
                let thought = catch_unwind(AssertUnwindSafe(|| match lines {
                    0 | 1 => thinker.think(&record, &budget, &stop, &mut tell),
                    _ => thinker.rank(&record, lines, &budget, &stop, &mut tell),
                }));
                let thought = thought.unwrap_or_else(|_| {
                    Err(PlayerError::new(thinker.name(), "its search panicked"))
                });
                let _ = events.send(Event::Done(thought));
            }
        }
    }
}

struct Host<'a, G: Game, W: Write> {
    session: Box<dyn Session<G> + 'a>,
    output: W,
    jobs: Sender<Job<G::Position>>,
    /// The flags of the searches under way, oldest first.
    stops: VecDeque<Arc<AtomicBool>>,
    waiting: VecDeque<String>,
    /// The client wants to leave: searches stop as soon as they begin.
    leaving: bool,
}

impl<G: Game, W: Write> Host<'_, G, W> {
    fn run(
        mut self,
        heard: &Receiver<Event<<G::Position as Position>::Move>>,
    ) -> Result<(), ServeError> {
        let mut desk = Desk::new();
        let spoken = self.talk(heard, &mut desk);
        self.stop();
        // The thinker ends with its last job; what it still tells must not make
        // it wait.
        drop(self.jobs);
        while !self.stops.is_empty() {
            match heard.recv() {
                Ok(Event::Done(_)) => drop(self.stops.pop_front()),
                Ok(_) => {}
                Err(_) => break,
            }
        }
        spoken
    }

    fn talk(
        &mut self,
        heard: &Receiver<Event<<G::Position as Position>::Move>>,
        desk: &mut Desk<G::Position>,
    ) -> Result<(), ServeError> {
        // Searches and waiting lines are still answered after the input has ended.
        let mut ended = false;
        let mut patience: Option<Instant> = None;
        loop {
            let event = match patience {
                Some(until) if !self.leaving => {
                    heard.recv_timeout(until.saturating_duration_since(Instant::now()))
                }
                _ => heard.recv().map_err(RecvTimeoutError::from),
            };
            let event = match event {
                Ok(event) => event,
                Err(RecvTimeoutError::Timeout) => {
                    self.leaving = true;
                    self.stop();
                    continue;
                }
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            };
            let heard = match event {
                Event::Line(line) => match self.hear(line, desk) {
                    // What was just heard may have ended what others wait for.
                    Heard::Done => self.hear_waiting(desk)?,
                    heard => heard,
                },
                Event::End => {
                    ended = true;
                    patience = Some(Instant::now() + PATIENCE);
                    self.session.end_input(desk);
                    self.carry_out(desk)?;
                    self.hear_waiting(desk)?
                }
                Event::Info(info) => {
                    self.session.inform(&info, desk);
                    Heard::Done
                }
                Event::Refused(error) => {
                    self.session.complain(&error, desk);
                    Heard::Done
                }
                Event::Done(thought) => {
                    self.stops.pop_front();
                    self.session.conclude(thought, desk);
                    self.carry_out(desk)?;
                    self.hear_waiting(desk)?
                }
            };
            self.carry_out(desk)?;
            if heard == Heard::Quit || ended && self.stops.is_empty() {
                break;
            }
            if self.waiting.len() > WAITING {
                return Err(ServeError::Flooded);
            }
        }
        Ok(())
    }

    fn hear(&mut self, line: String, desk: &mut Desk<G::Position>) -> Heard {
        let heard = self.session.hear(&line, desk);
        if heard == Heard::Leaving {
            self.leaving = true;
            self.stop();
        }
        if matches!(heard, Heard::Later | Heard::Leaving) {
            self.waiting.push_back(line);
        }
        heard
    }

    fn hear_waiting(&mut self, desk: &mut Desk<G::Position>) -> Result<Heard, ServeError> {
        while let Some(line) = self.waiting.pop_front() {
            let heard = self.session.hear(&line, desk);
            self.carry_out(desk)?;
            match heard {
                Heard::Done => {}
                Heard::Later | Heard::Leaving => {
                    self.waiting.push_front(line);
                    break;
                }
                Heard::Quit => return Ok(Heard::Quit),
            }
        }
        Ok(Heard::Done)
    }

    /// Writes what was said and passes orders on.
    fn carry_out(&mut self, desk: &mut Desk<G::Position>) -> Result<(), ServeError> {
        if !desk.lines.is_empty() {
            self.output.write_all(desk.lines.as_bytes())?;
            self.output.flush()?;
            desk.lines.clear();
        }
        for order in desk.orders.drain(..) {
            let job = match order {
                Order::Stop => {
                    self.stop();
                    continue;
                }
                Order::Think(record, budget) => self.job(record, 1, budget),
                Order::Rank(record, lines, budget) => self.job(record, lines, budget),
                Order::NewGame => Job::NewGame,
                Order::SetOption(name, value) => Job::SetOption(name, value),
            };
            self.jobs.send(job).map_err(|_| io::Error::other("the thinker is gone"))?;
        }
        Ok(())
    }

    fn job(
        &mut self,
        record: GameRecord<G::Position>,
        lines: usize,
        budget: Budget,
    ) -> Job<G::Position> {
        let stop = Arc::new(AtomicBool::new(self.leaving));
        self.stops.push_back(Arc::clone(&stop));
        Job::Think(record, lines, budget, stop)
    }

    fn stop(&self) {
        self.stops.iter().for_each(|stop| stop.store(true, Ordering::Relaxed));
    }
}
