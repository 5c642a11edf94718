//! A record played by the rules, and the rows that come of it.

use super::script::{Fault, Place, Script, Start, Why};
use crate::DataError;
use crate::batch::Cells;
use crate::writer::Writer;
use evalsmith_core::{Game, Malformed, Outcome, Side};
use evalsmith_rules::{DynGame, Record, ReplayStart, Unplayable};

/// One value replays many records.
pub(crate) struct Replay<'g> {
    game: &'g DynGame,
    played: Box<dyn evalsmith_rules::Replay>,
}

impl<'g> Replay<'g> {
    pub(crate) fn new(game: &'g DynGame) -> Self {
        Self { game, played: game.replay() }
    }

    pub(crate) fn game(&self) -> &'g DynGame {
        self.game
    }

    /// Plays a record; returns its outcome for the first player, where it has one.
    pub(crate) fn play(&mut self, script: &Script) -> Result<Option<Outcome>, Fault> {
        let start = match &script.start {
            Start::Usual => ReplayStart::Usual,
            Start::Own(text) => ReplayStart::Own(text),
            Start::Spoken(protocol, text) => ReplayStart::Spoken(*protocol, text),
        };
        let illegal = |e: Malformed| Fault::new(Why::Illegal, script.place, e.to_string());
        self.played.begin(start).map_err(illegal)?;
        for (text, side, place) in script.moves() {
            let played = self.played.play(text, side, script.implied_passes);
            played.map_err(|why| self.illegal(place, text, why))?;
            if self.played.ply() > usize::from(u16::MAX) {
                let reason = format!("more than {} moves; a dataset numbers no more", u16::MAX);
                return Err(Fault::malformed(place, reason));
            }
        }
        match (script.told, self.played.outcome()) {
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

    fn illegal(&self, place: Place, text: &str, why: Unplayable) -> Fault {
        let ply = self.played.ply() + 1;
        let reason = match why {
            Unplayable::OutOfTurn(side) => {
                let name = self.game.side_names()[side.index()];
                format!("move {ply}, {text:?}: it is {name}'s turn")
            }
            Unplayable::Illegal(e) => format!("move {ply}: {e}"),
        };
        Fault::new(Why::Illegal, place, reason)
    }

    /// The moves of the record played last, implied passes among them.
    pub(crate) fn ply(&self) -> usize {
        self.played.ply()
    }

    /// The record played last, as far as the rules let it go on.
    pub(crate) fn record(&self) -> Record {
        self.played.record()
    }

    /// The packed position after so many half-moves of the record played last, and the
    /// move played there.
    #[cfg(test)]
    pub(crate) fn row(&self, ply: usize) -> (Vec<u8>, Option<String>) {
        let (mut packed, mut name) = (Vec::new(), String::new());
        let played = self.played.append_row(ply, &mut packed, &mut name);
        (packed, played.then_some(name))
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
        let (played, over) = (&self.played, self.played.outcome().is_some());
        let all = played.ply() + usize::from(!over);
        let rows = if script.only_first { all.min(1) } else { all };
        for ply in 0..rows {
            let side = played.first().after(ply);
            let for_mover = |value: f32| if side == Side::First { value } else { -value };
            let stage = played.stage(ply);
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
            writer
                .push_with(cells, &labels, |packed, text| played.append_row(ply, packed, text))?;
        }
        if rows > 0 {
            writer.count_ending(if over { "rules" } else { "record" }, 1);
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
