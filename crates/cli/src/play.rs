//! `evalsmith play`: a game in the terminal, with take-back, hints and reasons.

use crate::options::{game, game_name, show};
use clap::{Args, ValueEnum};
use evalsmith_lab::prelude::{Explanation, FunctionName, Limits, LogOdds, Session, Side};
use std::io::{self, BufRead, Write};
use std::time::Duration;

/// Plays GAME in the terminal.
///
/// Type a move as the board shows squares, or one of: `hint` (what the engine
/// thinks of every move), `why` (the value term by term), `moves`, `undo`,
/// `board`, `go` (let the engine move for you), `help`, `quit`.
#[derive(Args)]
pub(crate) struct Play {
    /// The game (see `evalsmith games`)
    #[arg(value_parser = game_name)]
    game: String,
    /// The engine's function: `shipped`, `hand`, `trivial`, or a model file
    #[arg(long, value_name = "FUNCTION", default_value = "shipped")]
    function: FunctionName,
    /// The side you play
    #[arg(long, value_enum, default_value_t = Seat::First)]
    side: Seat,
    /// Plies the engine searches at most
    #[arg(long, value_name = "PLIES", default_value_t = 40, value_parser = clap::value_parser!(u8).range(1..=60))]
    depth: u8,
    /// Seconds the engine thinks about a move
    #[arg(long, value_name = "S", default_value_t = 1.0, value_parser = seconds)]
    seconds: f64,
    /// Begin from this position instead of the start
    #[arg(long, value_name = "POSITION", allow_hyphen_values = true)]
    from: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Seat {
    /// You move first
    First,
    /// You move second
    Second,
    /// You move for both sides
    Both,
    /// The engine plays itself
    None,
}

impl Seat {
    fn is_mine(self, side: Side) -> bool {
        match self {
            Self::First => side == Side::First,
            Self::Second => side == Side::Second,
            Self::Both => true,
            Self::None => false,
        }
    }
}

const HELP: &str = "a move, or: hint, why, moves, undo, board, go, help, quit";

impl Play {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let limits = Limits {
            depth: self.depth,
            nodes: None,
            cpu: None,
            wall: Some(Duration::from_secs_f64(self.seconds)),
        };
        let game = game(&self.game)?;
        let from = self.from.as_deref();
        let mut session = Session::open(&game, &self.function, &limits, from)?;
        let opponent = session.opponent();
        show(&format!("{}, you against {opponent} ({HELP})", self.game))?;
        show(&session.board())?;
        converse(&mut session, self.side)
    }
}

fn converse(session: &mut Session, seat: Seat) -> anyhow::Result<()> {
    let mut lines = io::stdin().lock().split(b'\n');
    loop {
        let ending = session.ending();
        if let Some(ending) = &ending {
            show(&format!("The game is over: {ending}."))?;
            if seat == Seat::None {
                return show(&session.transcript().join(" "));
            }
        }
        let (name, side) = session.to_move();
        if ending.is_none() && !seat.is_mine(side) {
            engine_moves(session)?;
            continue;
        }
        let mut out = io::stdout().lock();
        write!(out, "{name}> ")?;
        out.flush()?;
        drop(out);
        let Some(line) = lines.next() else {
            return show("");
        };
        let line = String::from_utf8_lossy(&line?).into_owned();
        match line.trim().to_ascii_lowercase().as_str() {
            "" => {}
            "quit" | "exit" | "q" => return Ok(()),
            "help" | "?" => show(HELP)?,
            "board" => show(&session.board())?,
            "moves" => show(&session.moves().join(" "))?,
            "hint" | "hints" => hints(session)?,
            "why" => show(&reasons(&session.explain()))?,
            "go" => engine_moves(session)?,
            "undo" | "back" => take_back(session, seat)?,
            _ => match session.play(line.trim()) {
                Ok(_) => show(&session.board())?,
                Err(error) => show(&format!("{error} (try: moves)"))?,
            },
        }
    }
}

fn engine_moves(session: &mut Session) -> anyhow::Result<()> {
    let (name, _) = session.to_move();
    let Some(thought) = session.think() else {
        return show("The game is over.");
    };
    session.play(&thought.mv)?;
    show(&format!(
        "{name} plays {} ({}, depth {}, {} nodes; expects {})",
        thought.mv,
        thought.verdict,
        thought.depth,
        thought.nodes,
        thought.line.join(" ")
    ))?;
    show(&session.board())
}

fn hints(session: &mut Session) -> anyhow::Result<()> {
    for hint in session.hints() {
        show(&format!("  {:8} {}", hint.mv, hint.verdict))?;
    }
    Ok(())
}

/// Takes moves back until the person is to move again.
fn take_back(session: &mut Session, seat: Seat) -> anyhow::Result<()> {
    let mut taken = Vec::new();
    while let Some(m) = session.take_back() {
        taken.push(m);
        if seat.is_mine(session.to_move().1) {
            break;
        }
    }
    if taken.is_empty() {
        return show("there is nothing to take back");
    }
    taken.reverse();
    show(&format!("took back {}", taken.join(" ")))?;
    show(&session.board())
}

/// Terms shown of a function that has more: the largest.
const SHOWN_TERMS: usize = 16;

fn reasons(explanation: &Explanation) -> String {
    use std::fmt::Write;
    let mut text = String::new();
    let mut terms: Vec<_> = explanation.terms.iter().collect();
    let rest = terms.len().saturating_sub(SHOWN_TERMS);
    if rest > 0 {
        terms.sort_by(|a, b| b.contribution.abs().total_cmp(&a.contribution.abs()));
    }
    let (shown, left) = terms.split_at(terms.len() - rest);
    for term in shown {
        let of = match (term.feature, term.weight) {
            (Some(feature), Some(weight)) => format!("{feature:>10.3} x {weight:>8.3} "),
            _ => String::new(),
        };
        let _ = writeln!(text, "  {:16} {of}= {:+.3}", term.name, term.contribution);
    }
    if rest > 0 {
        let sum: f64 = left.iter().map(|term| term.contribution).sum();
        let _ = writeln!(text, "  {rest} smaller terms = {sum:+.3}");
    }
    let chance = 100.0 * LogOdds(explanation.total).win_prob().0;
    let _ = writeln!(
        text,
        "  log-odds {:+.3}, {chance:.1} % to win for the side to move",
        explanation.total
    );
    text
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(s) if (0.001..=86_400.0).contains(&s) => Ok(s),
        _ => Err("seconds are a number from 0.001 to 86400".into()),
    }
}
