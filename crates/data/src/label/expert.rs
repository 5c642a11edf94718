//! Somebody from outside who says what positions are worth: a game's own engine.

use evalsmith_rules::{MoveId, Pos};

/// What an expert says of a position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Opinion {
    /// The margin for the side to move, expected or proven.
    pub margin: f32,
    /// The move that it rests on.
    pub best: Option<MoveId>,
}

/// Somebody who knows what positions are worth.
pub trait Expert {
    /// Forgets all earlier games, so that an opinion depends on this game's positions
    /// alone.
    fn begin_game(&mut self);

    /// What a position is worth to the side to move; nothing of a finished game.
    fn opinion(&mut self, position: &Pos) -> Option<Opinion>;
}
