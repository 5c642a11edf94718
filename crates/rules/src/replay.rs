//! Records played move by move, by typed code: a record of a million moves would cost an
//! allocation a move as untyped positions.

use crate::position::move_id;
use crate::{Pos, Record};
use evalsmith_core::{Game, GameRecord, Malformed, Outcome, Position, Protocol, Side, Stage};

/// Where a record begins.
#[derive(Clone, Copy, Debug)]
pub enum ReplayStart<'a> {
    /// The game's own start.
    Usual,
    /// The game's own text of a position.
    Own(&'a str),
    /// A protocol's text of a position; the game's own where it does not speak it.
    Spoken(Protocol, &'a str),
}

/// Why a move of a record cannot be played.
#[derive(Clone, Debug)]
pub enum Unplayable {
    /// It is this side's turn, and the record names the other.
    OutOfTurn(Side),
    /// The text is no legal move.
    Illegal(Malformed),
}

/// Plays records, one after another. What it returns belongs to the record begun last.
pub trait Replay: Send {
    /// Begins a record.
    ///
    /// # Errors
    /// When the text of the start is no position of the game.
    fn begin(&mut self, start: ReplayStart<'_>) -> Result<(), Malformed>;

    /// Plays the move of this text; `side` is who the record says plays it. With
    /// `implied_passes` a forced pass before it may be missing in the record.
    ///
    /// # Errors
    /// When it cannot be played; the record stays as it was.
    fn play(
        &mut self,
        text: &str,
        side: Option<Side>,
        implied_passes: bool,
    ) -> Result<(), Unplayable>;

    /// The side that moves first.
    fn first(&self) -> Side;

    /// Half-moves played so far.
    fn ply(&self) -> usize;

    /// How the rules end the game in the last position, for the first player.
    fn outcome(&self) -> Option<Outcome>;

    /// The stage of the position after so many half-moves.
    fn stage(&self, ply: usize) -> Stage;

    /// Appends the packed position after so many half-moves, and the text of the move
    /// played there; whether there is one.
    fn append_row(&self, ply: usize, packed: &mut Vec<u8>, mv: &mut String) -> bool;

    /// The record as far as the rules let it go on.
    fn record(&self) -> Record;
}

pub(crate) struct TypedReplay<G: Game> {
    game: G,
    first: Side,
    positions: Vec<G::Position>,
    moves: Vec<<G::Position as Position>::Move>,
}

impl<G: Game> TypedReplay<G> {
    pub(crate) fn new(game: G) -> Self {
        let positions = vec![game.start()];
        Self { game, first: Side::First, positions, moves: Vec::new() }
    }

    fn last(&self) -> &G::Position {
        self.positions.last().expect("a record has a first position")
    }

    fn step(&mut self, m: <G::Position as Position>::Move) {
        let next = self.last().play(m);
        self.positions.push(next);
        self.moves.push(m);
    }

    /// The pass, where it is the only move.
    fn pass(&self) -> Option<<G::Position as Position>::Move> {
        let position = self.last();
        let mut moves = position.moves();
        let only = moves.next().filter(|_| moves.next().is_none())?;
        (self.game.format_move(position, only) == "pass").then_some(only)
    }
}

impl<G: Game> Replay for TypedReplay<G> {
    fn begin(&mut self, start: ReplayStart<'_>) -> Result<(), Malformed> {
        let (position, first) = match start {
            ReplayStart::Usual => (self.game.start(), Side::First),
            ReplayStart::Own(text) => self.game.parse(text)?,
            ReplayStart::Spoken(protocol, text) => match self.game.dialect(protocol) {
                Some(dialect) => dialect.parse_position(text)?,
                None => self.game.parse(text)?,
            },
        };
        self.first = first;
        self.moves.clear();
        self.positions.clear();
        self.positions.push(position);
        Ok(())
    }

    fn play(
        &mut self,
        text: &str,
        side: Option<Side>,
        implied_passes: bool,
    ) -> Result<(), Unplayable> {
        let to_move = self.first.after(self.moves.len());
        let out_of_turn = side.is_some_and(|side| side != to_move);
        let read = self.game.parse_move(self.last(), text);
        if let (Ok(m), false) = (&read, out_of_turn) {
            self.step(*m);
            return Ok(());
        }
        if let Some(pass) = implied_passes.then(|| self.pass()).flatten() {
            let after = self.last().play(pass);
            let m = self.game.parse_move(&after, text).map_err(Unplayable::Illegal)?;
            self.step(pass);
            self.step(m);
            return Ok(());
        }
        Err(match read {
            Err(malformed) if !out_of_turn => Unplayable::Illegal(malformed),
            _ => Unplayable::OutOfTurn(to_move),
        })
    }

    fn first(&self) -> Side {
        self.first
    }
    fn ply(&self) -> usize {
        self.moves.len()
    }
    fn outcome(&self) -> Option<Outcome> {
        let side = self.first.after(self.moves.len());
        self.last().outcome().map(|outcome| outcome.seen_by(side, Side::First))
    }
    fn stage(&self, ply: usize) -> Stage {
        self.positions[ply].stage()
    }
    fn append_row(&self, ply: usize, packed: &mut Vec<u8>, mv: &mut String) -> bool {
        let position = &self.positions[ply];
        self.game.append_packed(position, self.first.after(ply), packed);
        let m = self.moves.get(ply);
        m.map(|&m| self.game.append_move(position, m, mv)).is_some()
    }
    fn record(&self) -> Record {
        let start = Pos::new(self.positions[0].clone());
        let mut record = GameRecord::new(start, self.first, self.game.max_plies());
        for (position, &m) in self.positions.iter().zip(&self.moves) {
            // Records of people may go on where the rules, or our count of moves, have ended.
            if record.play(move_id(position, m)).is_err() {
                break;
            }
        }
        record
    }
}
