//! A game as an engine for other people's programs.

use crate::LabError;
use crate::thinker::{EngineSetup, SearchThinker};
use evalsmith_core::{Game, Protocol};
use evalsmith_protocol::serve;
use evalsmith_rules::DynGame;
use std::io::{BufRead, Write};

/// The protocols in which a game is spoken, its usual one first.
pub fn protocols(game: &DynGame) -> Vec<Protocol> {
    Protocol::ALL.into_iter().filter(|&p| game.dialect(p).is_some()).collect()
}

/// Speaks as an engine until the client leaves.
///
/// # Errors
/// When the function cannot be read, the game is not spoken in the protocol, or the client
/// cannot be written to.
pub fn speak(
    game: &DynGame,
    protocol: Protocol,
    setup: &EngineSetup,
    input: Box<dyn BufRead + Send>,
    output: &mut dyn Write,
) -> Result<(), LabError> {
    let mut thinker = SearchThinker::new(game, setup)?;
    Ok(serve(game, protocol, &mut thinker, input, output)?)
}
