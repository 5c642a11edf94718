//! USI: UCI's words for Shogi, with Black (sente) as the first player.
//!
//! After Tord Romstad's description of 2007. `USI_Hash` and `USI_Ponder` need not
//! be offered to be set.

use super::uci::{Uci, Words};
use evalsmith_core::Protocol;

const USI: Words = Words {
    protocol: Protocol::Usi,
    hello: "usi",
    hello_back: "usiok",
    new_game: "usinewgame",
    position: "sfen",
    clocks: ["btime", "wtime"],
    increments: ["binc", "winc"],
    implied: &["USI_Hash", "USI_Ponder"],
};

/// The client of an engine that speaks USI.
pub(super) fn new() -> Uci {
    Uci::with(USI)
}
