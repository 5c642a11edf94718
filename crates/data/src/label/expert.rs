//! Somebody from outside who says what positions are worth: a game's own engine.

use evalsmith_core::Position;

/// What an expert says of a position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Opinion<M> {
    /// The margin for the side to move, expected or proven.
    pub margin: f32,
    /// The move that it rests on.
    pub best: Option<M>,
}

/// Somebody who knows what positions are worth.
pub trait Expert<P: Position> {
    /// Forgets all earlier games, so that an opinion depends on this game's positions
    /// alone.
    fn begin_game(&mut self);

    /// What a position is worth to the side to move; nothing of a finished game.
    fn opinion(&mut self, position: &P) -> Option<Opinion<P::Move>>;
}
