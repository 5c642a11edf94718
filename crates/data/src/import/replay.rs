//! A record played by the rules, and the rows that come of it.

use super::script::{Fault, Place, Script, Start, Why};
use crate::DataError;
use crate::batch::Cells;
use crate::writer::Writer;
use evalsmith_core::{Game, Outcome, Position, Side};

type MoveOf<G> = <<G as Game>::Position as Position>::Move;

/// One value replays many records.
pub(crate) struct Replay<'g, G: Game> {
    game: &'g G,
    first: Side,
    positions: Vec<G::Position>,
    moves: Vec<MoveOf<G>>,
    over: bool,
}

impl<'g, G: Game> Replay<'g, G> {
    pub(crate) fn new(game: &'g G) -> Self {
        Self { game, first: Side::First, positions: Vec::new(), moves: Vec::new(), over: false }
    }

    pub(crate) fn game(&self) -> &'g G {
        self.game
    }

    /// Plays a record; returns its outcome for the first player, where it has one.
    pub(crate) fn play(&mut self, script: &Script) -> Result<Option<Outcome>, Fault> {
        self.positions.clear();
        self.moves.clear();
        let (mut position, first) = self.start(script)?;
        let mut side = first;
        self.first = first;
        for (text, told, place) in script.moves() {
            let out_of_turn = told.is_some_and(|told| told != side);
            let m = match self.game.parse_move(&position, text) {
                Ok(m) if !out_of_turn => m,
                read => {
                    let Some(pass) = script.implied_passes.then(|| self.pass(&position)).flatten()
                    else {
                        return Err(self.illegal(place, text, out_of_turn.then_some(side), read));
                    };
                    let after = position.play(pass);
                    let m = self.game.parse_move(&after, text);
                    let m = m.map_err(|e| self.illegal(place, text, None, Err(e)))?;
                    self.step(&mut position, &mut side, pass);
                    m
                }
            };
            self.step(&mut position, &mut side, m);
            if self.moves.len() > usize::from(u16::MAX) {
                let reason = format!("more than {} moves; a dataset numbers no more", u16::MAX);
                return Err(Fault::malformed(place, reason));
            }
        }
        let ruled = position.outcome().map(|outcome| outcome.seen_by(side, Side::First));
        self.over = ruled.is_some();
        self.positions.push(position);
        match (script.told, ruled) {
            (Some(told), Some(ruled)) if !script.binding && told.verdict() != ruled.verdict() => {
                let name = |outcome: Outcome| match outcome.margin() {
                    1.. => "a win for the first player",
                    0 => "a draw",
                    _ => "a win for the second player",
                };
                let (told, ruled) = (name(told), name(ruled));
                let reason = format!("the record tells {told}, its last position is {ruled}");
                Err(Fault::new(Why::Contradiction, script.place, reason))
            }
            (told, _) if script.binding => Ok(told),
            (_, Some(ruled)) => Ok(Some(ruled)),
            (told, None) => Ok(told),
        }
    }

    /// The first position of the record played last, who was to move, and the moves.
    pub(crate) fn played(&self) -> (&G::Position, Side, &[MoveOf<G>]) {
        (&self.positions[0], self.first, &self.moves)
    }

    fn step(&mut self, position: &mut G::Position, side: &mut Side, m: MoveOf<G>) {
        let next = position.play(m);
        self.positions.push(std::mem::replace(position, next));
        self.moves.push(m);
        *side = side.other();
    }

    fn start(&self, script: &Script) -> Result<(G::Position, Side), Fault> {
        let read = match &script.start {
            Start::Usual => return Ok((self.game.start(), Side::First)),
            Start::Own(text) => self.game.parse(text),
            Start::Spoken(protocol, text) => match self.game.dialect(*protocol) {
                Some(dialect) => dialect.parse_position(text),
                None => self.game.parse(text),
            },
        };
        read.map_err(|e| Fault::new(Why::Illegal, script.place, e.to_string()))
    }

    /// The pass, where it is the only move.
    fn pass(&self, position: &G::Position) -> Option<MoveOf<G>> {
        let mut moves = position.moves();
        let only = moves.next().filter(|_| moves.next().is_none())?;
        (self.game.format_move(position, only) == "pass").then_some(only)
    }

    fn illegal(
        &self,
        place: Place,
        text: &str,
        to_move: Option<Side>,
        read: Result<MoveOf<G>, evalsmith_core::Malformed>,
    ) -> Fault {
        let ply = self.moves.len() + 1;
        let reason = match (to_move, read) {
            (Some(side), _) => {
                let name = self.game.side_names()[side.index()];
                format!("move {ply}, {text:?}: it is {name}'s turn")
            }
            (None, Err(e)) => format!("move {ply}: {e}"),
            (None, Ok(_)) => format!("move {ply}, {text:?}: it cannot be played here"),
        };
        Fault::new(Why::Illegal, place, reason)
    }

    /// The moves of the record played last, implied passes among them.
    pub(crate) fn ply(&self) -> usize {
        self.moves.len()
    }

    #[cfg(test)]
    pub(crate) fn positions(&self) -> &[G::Position] {
        &self.positions
    }

    #[cfg(test)]
    pub(crate) fn first(&self) -> Side {
        self.first
    }

    #[cfg(test)]
    pub(crate) fn moves(&self) -> &[MoveOf<G>] {
        &self.moves
    }

    /// Appends the rows of the record played last: every position in which
    /// somebody moved, and the last one where the rules had not ended the game.
    pub(crate) fn append(
        &self,
        index: u32,
        outcome: Option<Outcome>,
        script: &Script,
        writer: &mut Writer,
    ) -> Result<(), DataError> {
        let names: Vec<_> = writer.manifest().label_names().map(Kind::named).collect();
        let mut labels = Vec::with_capacity(names.len());
        let mut values = script.values().iter().peekable();
        let all = self.positions.len() - usize::from(self.over);
        let rows = if script.only_first { all.min(1) } else { all };
        for (ply, position) in self.positions[..rows].iter().enumerate() {
            let side = self.first.after(ply);
            let for_mover = |value: f32| if side == Side::First { value } else { -value };
            let stage = position.stage();
            let value = values.next_if(|(at, _)| *at as usize == ply).map(|(_, value)| *value);
            labels.clear();
            labels.extend(names.iter().map(|kind| match kind {
                Kind::Exact => {
                    let (_, margin) = script.exact.filter(|(at, _)| *at == stage)?;
                    Some(for_mover(f32::from(margin)))
                }
                Kind::Eval => value.map(for_mover),
                Kind::Komi => script.komi,
            }));
            let outcome = outcome.map(|outcome| outcome.seen_by(Side::First, side));
            let cells = Cells { game: index, ply: ply as u16, stage, side, outcome };
            let (game, mv) = (self.game, self.moves.get(ply));
            writer.push_with(cells, &labels, |packed, text| {
                game.append_packed(position, side, packed);
                mv.map(|&m| game.append_move(position, m, text)).is_some()
            })?;
        }
        if rows > 0 {
            writer.count_ending(if self.over { "rules" } else { "record" }, 1);
        }
        Ok(())
    }
}

/// What an imported label tells.
#[derive(Clone, Copy)]
enum Kind {
    Exact,
    Eval,
    Komi,
}

impl Kind {
    fn named(name: &str) -> Self {
        match name {
            super::format::EXACT => Self::Exact,
            super::format::EVAL => Self::Eval,
            _ => Self::Komi,
        }
    }
}
