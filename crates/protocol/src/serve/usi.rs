//! USI at the engine's end: UCI's words for Shogi.

use super::session::Table;
use super::uci::{Uci, Words};
use evalsmith_core::{Game, Protocol};

const USI: Words = Words {
    protocol: Protocol::Usi,
    hello: "usi",
    hello_back: "usiok",
    new_game: "usinewgame",
    position: "sfen",
    clocks: ["btime", "wtime"],
    increments: ["binc", "winc"],
    no_move: "resign",
};

/// The state of an engine that speaks USI.
pub(super) fn new<G: Game>(table: Table<G>) -> Uci<G> {
    Uci::with(USI, table)
}
