//! Draws offered, and what is claimed instead of a move.
//!
//! A resignation loses, and is no failure. A draw is had by agreement when both
//! players offered it with their last moves, or one claims what the other offered;
//! a claim by the rules holds when the claimant has a move that ends the game
//! drawn (a third repetition may be claimed before it stands on the board). A win
//! is had when the rules let it be declared. Whoever claims what is not due
//! forfeits the game, as tournament rules have it.

use super::GameEnd;
use evalsmith_core::{
    Choice, Clock, FaultKind, Game, GameRecord, Outcome, Player, PlayerError, Position, Progress,
    Reason,
};
use std::sync::atomic::{AtomicBool, Ordering};

/// Who offered a draw with its last move, by [`Side`](evalsmith_core::Side).
#[derive(Debug, Default)]
pub(super) struct Offers([AtomicBool; 2]);

impl Offers {
    pub(super) fn both(&self) -> bool {
        self.0.iter().all(|offer| offer.load(Ordering::Relaxed))
    }
}

/// A player whose offers are heard, who hears those of its opponent, and who is not
/// asked any more once the match must stop.
pub(super) struct Heard<'a, P: Position> {
    pub(super) player: &'a mut dyn Player<P>,
    pub(super) offers: &'a Offers,
    pub(super) progress: &'a dyn Progress,
}

impl<P: Position> Player<P> for Heard<'_, P> {
    fn name(&self) -> &str {
        self.player.name()
    }

    fn set_clock(&mut self, clock: &Clock) {
        self.player.set_clock(clock);
    }

    fn choose(&mut self, game: &GameRecord<P>) -> Result<Choice<P::Move>, PlayerError> {
        if self.progress.stopped() {
            return Err(PlayerError::new(self.name(), "the match was stopped"));
        }
        if self.offers.0[game.side().other().index()].load(Ordering::Relaxed) {
            self.player.hear_draw_offer();
        }
        let choice = self.player.choose(game)?;
        self.offers.0[game.side().index()].store(self.player.offers_draw(), Ordering::Relaxed);
        Ok(choice)
    }
}

/// How a game ends by the word of the player to move, for that player; the
/// sentence it forfeits the game by where what it claims is not due, and nothing
/// where it claimed nothing.
pub(super) fn judge<G: Game>(
    game: &G,
    record: &GameRecord<G::Position>,
    offers: &Offers,
    claim: FaultKind,
) -> Option<Result<(Outcome, GameEnd), &'static str>> {
    let offered = &offers.0[record.side().other().index()];
    Some(match claim {
        FaultKind::Resigned => Ok((Outcome::LOSS, GameEnd::Resigned)),
        FaultKind::ClaimedDraw if offered.load(Ordering::Relaxed) => {
            Ok((Outcome::DRAW, GameEnd::Reason(Reason::Agreed)))
        }
        FaultKind::ClaimedDraw if can_draw(record) => Ok((Outcome::DRAW, GameEnd::Claimed)),
        FaultKind::ClaimedDraw => {
            Err("no move of it ends the game drawn, and its opponent offered none")
        }
        FaultKind::ClaimedWin if game.may_declare_win(record.position()) => {
            Ok((Outcome::WIN, GameEnd::Claimed))
        }
        FaultKind::ClaimedWin => Err("the rules do not let it declare one here"),
        _ => return None,
    })
}

fn can_draw<P: Position>(record: &GameRecord<P>) -> bool {
    let mut tried = record.clone();
    record.position().moves().any(|m| {
        if tried.play(m).is_err() {
            return false;
        }
        let drawn = tried.ending().is_some_and(|ending| ending.outcome == Outcome::DRAW);
        tried.take_back();
        drawn
    })
}
