//! An outside engine as a player like any other.
//!
//! A fault that breaks the dialogue ends the process; the next game starts it
//! again. Within a game nothing is started again: a match must see the fault.

use crate::budget::{Budget, Clocks};
use crate::client::Client;
use crate::engine::Engine;
use crate::fault::{Failure, Fault};
use crate::reply::{Answer, Reply, Value};
use crate::situation::{Situation, Terms};
use evalsmith_core::{
    Choice, Clock, Dialect, FaultKind, Game, GameRecord, Player, PlayerError, Position, Protocol,
    Score,
};

type MoveOf<G> = <<G as Game>::Position as Position>::Move;

/// An engine that plays `G`.
pub struct EnginePlayer<G: Game> {
    game: G,
    dialect: Box<dyn Dialect<G::Position>>,
    engine: Engine,
    name: String,
    budget: Budget,
    client: Option<Client>,
    /// Why there is no client, once there was one.
    lost: Option<Failure>,
    told: Option<Told<G>>,
    last: Option<Reply>,
}

/// The record told last, in moves and in texts.
struct Told<G: Game> {
    begin: G::Position,
    moves: Vec<MoveOf<G>>,
    situation: Situation,
}

impl<G: Game> EnginePlayer<G> {
    /// Starts an engine that answers every question within `budget`.
    ///
    /// # Errors
    /// When the game is not spoken in the engine's protocol, or the engine does
    /// not start as it should.
    pub fn start(game: G, engine: Engine, budget: Budget) -> Result<Self, Failure> {
        let protocol = engine.protocol;
        let Some(dialect) = game.dialect(protocol) else {
            return Err(Failure {
                engine: engine.command.display().to_string(),
                fault: Box::new(not_spoken::<G>(&game, protocol)),
                dialogue: String::new(),
            });
        };
        let client = Client::start(&engine, Terms::of(&game, dialect.as_ref()))?;
        Ok(Self {
            name: client.name().to_owned(),
            game,
            dialect,
            engine,
            budget,
            client: Some(client),
            lost: None,
            told: None,
            last: None,
        })
    }

    /// Changes what the next questions are limited by: clocks run.
    pub fn set_budget(&mut self, budget: Budget) {
        self.budget = budget;
    }

    /// The engine's last answer, with all that it told.
    pub fn last_reply(&self) -> Option<&Reply> {
        self.last.as_ref()
    }

    /// The dialogue, while the engine runs.
    pub fn client(&self) -> Option<&Client> {
        self.client.as_ref()
    }

    /// Says goodbye.
    ///
    /// # Errors
    /// When the engine does not end by itself; it is killed then.
    pub fn quit(self) -> Result<(), Failure> {
        self.client.map_or(Ok(()), |client| client.quit().map(drop))
    }

    fn begin_game(&mut self) -> Result<(), Failure> {
        // An engine that is gone since the last game is started again like any other.
        if let Some(client) = &mut self.client
            && client.can_play_again()
            && client.new_game().is_ok()
        {
            return Ok(());
        }
        // The old process goes before the new one comes: they may share a file.
        self.client = None;
        let terms = Terms::of(&self.game, self.dialect.as_ref());
        self.client.insert(Client::start(&self.engine, terms)?).new_game()
    }

    fn tell(&mut self, record: &GameRecord<G::Position>) {
        let (begin, moves) = (&record.positions()[0], record.moves());
        if let Some(told) = &mut self.told
            && told.begin == *begin
            && told.situation.first == record.first()
            && moves.starts_with(&told.moves)
        {
            told.moves.extend_from_slice(&moves[told.moves.len()..]);
            told.situation.extend(self.dialect.as_ref(), record);
            return;
        }
        let protocol = self.engine.protocol;
        let situation = Situation::of(&self.game, protocol, self.dialect.as_ref(), record);
        self.told = Some(Told { begin: begin.clone(), moves: moves.to_vec(), situation });
    }

    fn ask(&mut self, record: &GameRecord<G::Position>) -> Result<Reply, Failure> {
        self.tell(record);
        let situation = &self.told.as_ref().expect("told just now").situation;
        match &mut self.client {
            Some(client) => client.think(situation, &self.budget),
            None => Err(self.lost.clone().unwrap_or_else(|| Failure {
                engine: self.name.clone(),
                fault: Box::new(Fault::NotRunning),
                dialogue: String::new(),
            })),
        }
    }

    /// Keeps the reason, and ends an engine that cannot be talked with any more.
    fn note(&mut self, failure: &Failure) {
        if self.client.as_ref().is_some_and(|client| !client.in_step()) {
            self.client = None;
        }
        if self.client.is_none() && self.lost.is_none() {
            self.lost = Some(failure.clone());
        }
    }

    fn decide(
        &self,
        record: &GameRecord<G::Position>,
        reply: &Reply,
    ) -> Result<Choice<MoveOf<G>>, PlayerError> {
        let text = match &reply.answer {
            Answer::Move(text) => text.as_str(),
            Answer::Nothing => "none",
            Answer::Resign => return Err(self.gives_up("resigns", FaultKind::Resigned)),
            Answer::ClaimWin => return Err(self.gives_up("claims a win", FaultKind::ClaimedWin)),
            Answer::ClaimDraw => {
                return Err(self.gives_up("claims a draw", FaultKind::ClaimedDraw));
            }
        };
        let mv = self.dialect.parse_move(record.position(), text).map_err(|malformed| {
            let fault = Fault::IllegalMove { text: text.into(), reason: malformed.reason };
            let failure = self.client.as_ref().map(|client| client.told(fault));
            PlayerError::from(failure.expect("it has just answered"))
        })?;
        let report = &reply.report;
        let value: Option<Score> = report.value.map(Value::score);
        let depth = report.depth.map_or(0, |depth| depth.min(u32::from(u8::MAX)) as u8);
        let nodes = report.nodes.unwrap_or(0);
        Ok(Choice { mv, value, depth, nodes, cpu: reply.cpu, wall: Some(reply.wall) })
    }

    fn gives_up(&self, what: &str, kind: FaultKind) -> PlayerError {
        let mut error = PlayerError::new(&self.name, what).of_kind(kind);
        error.dialogue =
            self.client.as_ref().map(|c| c.transcript().to_string()).unwrap_or_default();
        error
    }
}

fn not_spoken<G: Game>(game: &G, protocol: Protocol) -> Fault {
    let spoken: Vec<_> = Protocol::ALL
        .into_iter()
        .filter(|&p| game.dialect(p).is_some())
        .map(Protocol::name)
        .collect();
    let remedy = match spoken.as_slice() {
        [] => "the game is spoken in no protocol".into(),
        names => format!("the game is spoken in {}", names.join(", ")),
    };
    Fault::Unsupported { protocol, what: format!("a move of {}", game.name()), remedy }
}

impl<G: Game> Player<G::Position> for EnginePlayer<G> {
    fn name(&self) -> &str {
        &self.name
    }

    /// Starts the engine again where it must. What goes wrong here is told by the
    /// first question.
    fn new_game(&mut self, _seed: u64) {
        self.told = None;
        self.last = None;
        self.lost = None;
        if let Err(failure) = self.begin_game() {
            self.client = None;
            self.lost = Some(failure);
        }
    }

    fn set_clock(&mut self, clock: &Clock) {
        let Clock { remaining, increment } = *clock;
        self.budget.clocks = Some(Clocks { remaining, increment, ..Clocks::default() });
    }

    fn choose(
        &mut self,
        record: &GameRecord<G::Position>,
    ) -> Result<Choice<MoveOf<G>>, PlayerError> {
        self.last = None;
        let reply = self.ask(record).map_err(|failure| {
            self.note(&failure);
            PlayerError::from(failure)
        })?;
        let choice = self.decide(record, &reply);
        self.last = Some(reply);
        choice
    }

    fn hear_draw_offer(&mut self) {
        if let Some(client) = &mut self.client {
            client.hear_draw_offer();
        }
    }

    fn offers_draw(&self) -> bool {
        self.last.as_ref().is_some_and(|reply| reply.report.offers_draw)
    }
}
