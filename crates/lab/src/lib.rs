//! The glue and the public face: learn, reproduce and play for any game.
