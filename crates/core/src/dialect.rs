//! How a game is spoken in the protocols between programs.
//!
//! A protocol fixes the commands; how moves and positions are written inside
//! them is the game's affair: FEN and `e1g1` in UCI, SFEN in USI, `D3` and `PA`
//! in NBoard. One invariant: what a dialect writes, it reads back as the same
//! move or position (`conformance::check_dialects`).

use crate::{Game, Malformed, Position, Side};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A protocol by which an engine and its user talk, line by line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Protocol {
    /// Chess: the universal chess interface.
    Uci,
    /// Shogi: the universal shogi interface.
    Usi,
    /// Go, and much else: the Go text protocol, version 2.
    Gtp,
    /// Othello: the protocol of the program of that name, version 2.
    NBoard,
    /// Chess: the engine communication protocol of xboard, version 2.
    Xboard,
}

impl Protocol {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Uci, Self::Usi, Self::Gtp, Self::NBoard, Self::Xboard];

    /// The name in files and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Uci => "uci",
            Self::Usi => "usi",
            Self::Gtp => "gtp",
            Self::NBoard => "nboard",
            Self::Xboard => "xboard",
        }
    }
}

impl fmt::Display for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Protocol {
    type Err = Malformed;

    fn from_str(text: &str) -> Result<Self, Malformed> {
        let known = |p: &Self| p.name().eq_ignore_ascii_case(text.trim());
        Self::ALL.into_iter().find(known).ok_or_else(|| {
            Malformed::new("protocol", text, "write uci, usi, gtp, nboard or xboard")
        })
    }
}

/// The moves and positions of a game as one protocol writes them.
pub trait Dialect<P: Position>: Send + Sync {
    /// A legal move.
    fn format_move(&self, position: &P, m: P::Move) -> String;

    /// The legal move that `text` names.
    ///
    /// # Errors
    /// When no legal move is written so.
    fn parse_move(&self, position: &P, text: &str) -> Result<P::Move, Malformed>;

    /// A position and the side to move; `None` where the protocol has no text
    /// for one.
    fn format_position(&self, position: &P, to_move: Side) -> Option<String>;

    /// Reads what [`format_position`](Dialect::format_position) writes.
    ///
    /// # Errors
    /// When the text is no position, or the protocol has no text for one.
    fn parse_position(&self, text: &str) -> Result<(P, Side), Malformed>;

    /// Moves, out of turn if need be, that lay a position out on the board
    /// prepared for a new game; `None` where there are none. Only asked of GTP,
    /// which has no other way.
    fn lay_out(&self, _position: &P, _to_move: Side) -> Option<Vec<(Side, String)>> {
        None
    }

    /// Commands that prepare an engine for this game, before each one
    /// (`boardsize 9`).
    fn preparation(&self) -> Vec<String> {
        Vec::new()
    }
}

/// The dialect of a game whose own notation is what the protocol wants.
#[derive(Clone, Debug)]
pub struct OwnNotation<G>(pub G);

impl<G: Game> Dialect<G::Position> for OwnNotation<G> {
    fn format_move(&self, position: &G::Position, m: <G::Position as Position>::Move) -> String {
        self.0.format_move(position, m)
    }

    fn parse_move(
        &self,
        position: &G::Position,
        text: &str,
    ) -> Result<<G::Position as Position>::Move, Malformed> {
        self.0.parse_move(position, text)
    }

    fn format_position(&self, position: &G::Position, to_move: Side) -> Option<String> {
        Some(self.0.format(position, to_move))
    }

    fn parse_position(&self, text: &str) -> Result<(G::Position, Side), Malformed> {
        self.0.parse(text)
    }
}

/// The error of a dialect that cannot set up positions.
pub fn no_set_up(protocol: Protocol, text: &str) -> Malformed {
    let reason = format!("{protocol} cannot set up a position of this game; play its moves");
    Malformed::new("position", text, reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn protocols_are_read_by_the_names_they_are_written_by() {
        for protocol in Protocol::ALL {
            assert_eq!(protocol.to_string().to_uppercase().parse(), Ok(protocol));
            let json = serde_json::to_string(&protocol).unwrap();
            assert_eq!(json, format!("\"{protocol}\""));
        }
        assert!("winboard".parse::<Protocol>().unwrap_err().reason.contains("nboard"));
    }
}
