//! NBoard, version 2: the engine's end.
//!
//! `go` is answered by `===` and the move, which the client then plays by `move`;
//! `hint` by lines about the best moves; `analyze` by a value for every position
//! of the game, from the last to the first. A ping is answered when all before it
//! is done, and ends a hint or an analysis.

use super::session::{Desk, Heard, MoveOf, Order, Session, Table, discs, shorten};
use super::{Info, Sureness, Thought, ggf};
use crate::budget::Budget;
use evalsmith_core::{Game, GameRecord, Malformed, PlayerError};
use std::time::Instant;

/// The depth before `set depth` says another.
const DEPTH: u32 = 8;

/// The state of an engine that speaks NBoard.
pub(super) struct NBoard<G: Game> {
    table: Table<G>,
    depth: u32,
    search: Search,
    begun: Instant,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Search {
    Idle,
    Go,
    /// So many of the best moves are wanted.
    Hint(usize),
    /// The position after so many moves is being valued.
    Analysis(usize),
}

impl<G: Game> NBoard<G> {
    pub(super) fn new(table: Table<G>) -> Self {
        Self { table, depth: DEPTH, search: Search::Idle, begun: Instant::now() }
    }

    fn read_game(&self, text: &str) -> Result<GameRecord<G::Position>, Malformed> {
        let (board, moves) = ggf::read(text).ok_or_else(|| {
            Malformed::new("GGF game", text, "write (;GM[Othello]...BO[board]B[move]...;)")
        })?;
        let mut record = self.table.set_up(board)?;
        for text in moves {
            self.table.play(&mut record, text)?;
        }
        Ok(record)
    }

    fn set(&mut self, rest: &str, desk: &mut Desk<G::Position>) {
        let (what, value) = rest.trim().split_once(' ').unwrap_or((rest.trim(), ""));
        match what {
            "depth" => match value.trim().parse() {
                Ok(depth) => self.depth = depth,
                Err(_) => desk.say(&format!("status {:?} is no depth", shorten(value))),
            },
            "game" => match self.read_game(value) {
                Ok(record) => {
                    self.table.record = record;
                    desk.order(Order::NewGame);
                }
                Err(malformed) => desk.say(&format!("status {malformed}")),
            },
            "contempt" if value.trim().parse::<i32>().is_err() => {
                desk.say(&format!("status {:?} is no contempt", shorten(value)));
            }
            // Contempt: there is no book whose draws it could weigh. And what later
            // versions may set.
            _ => {}
        }
    }

    fn play(&mut self, rest: &str, desk: &mut Desk<G::Position>) {
        let text = rest.split('/').next().unwrap_or_default().trim();
        let mut record = self.table.record.clone();
        match self.table.play(&mut record, text) {
            Ok(()) => self.table.record = record,
            Err(malformed) => desk.say(&format!("status {malformed}")),
        }
    }

    fn begin(&mut self, search: Search, desk: &mut Desk<G::Position>) {
        match self.table.to_think_on() {
            Some(record) => {
                self.begun = Instant::now();
                self.search = search;
                desk.say("status Thinking");
                let budget = Budget::depth(self.depth);
                desk.order(match search {
                    Search::Hint(lines) => Order::Rank(record, lines, budget),
                    _ => Order::Think(record, budget),
                });
            }
            None if search == Search::Go => desk.say("==="),
            None => desk.say("status The game is over"),
        }
    }

    /// Values the position after `ply` moves, or the last before it that is not
    /// over; ends where there is none.
    fn analyse(&mut self, from: Option<usize>, desk: &mut Desk<G::Position>) {
        let Some(ply) = from else {
            self.search = Search::Idle;
            desk.say("status");
            return;
        };
        let mut record = self.table.record.clone();
        while record.ply() > ply {
            record.take_back();
        }
        if record.ending().is_some() {
            let outcome =
                record.outcome_for(record.side()).map_or(0, evalsmith_core::Outcome::margin);
            desk.say(&format!("analysis {ply} {outcome}"));
            self.analyse(ply.checked_sub(1), desk);
        } else {
            self.search = Search::Analysis(ply);
            desk.order(Order::Think(record, Budget::depth(self.depth)));
        }
    }
}

/// A depth begins with a number, and `100%` alone means that the value is proven.
fn depth_word<M>(info: &Info<M>) -> String {
    match info.sureness {
        Sureness::Estimated => info.depth.to_string(),
        Sureness::Percent(percent) => format!("{}@{percent}%", info.depth),
        Sureness::Proven => "100%".to_owned(),
    }
}

impl<G: Game> Session<G> for NBoard<G> {
    fn hear(&mut self, line: &str, desk: &mut Desk<G::Position>) -> Heard {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match self.search {
            Search::Idle => {}
            _ if word == "quit" => return Heard::Quit,
            Search::Go => return Heard::Later,
            // Whatever comes next ends these; an analysis ends as a hint does,
            // without a value for the position it was at.
            Search::Hint(_) | Search::Analysis(_) => {
                self.search = Search::Hint(0);
                desk.order(Order::Stop);
                return Heard::Later;
            }
        }
        match word {
            "nboard" => {
                desk.say(&format!("set myname {}", self.table.name));
                desk.say("status");
            }
            "set" => self.set(rest, desk),
            "move" => self.play(rest, desk),
            "go" => self.begin(Search::Go, desk),
            "hint" => self.begin(Search::Hint(rest.trim().parse().unwrap_or(1)), desk),
            "analyze" => self.analyse(Some(self.table.record.ply()), desk),
            "ping" => desk.say(&format!("pong {}", rest.trim())),
            "learn" => desk.say("learned"),
            "quit" => return Heard::Quit,
            // The protocol wants unknown commands to be passed over.
            _ => {}
        }
        Heard::Done
    }

    fn inform(&mut self, info: &Info<MoveOf<G>>, desk: &mut Desk<G::Position>) {
        if matches!(self.search, Search::Go | Search::Hint(_)) {
            let line = self.table.format_line(&info.line, "");
            if matches!(self.search, Search::Hint(_)) && !line.is_empty() {
                let depth = depth_word(info);
                desk.say(&format!("search {line} {:.2} 0 {depth}", discs(info.value)));
            }
            if info.place > 1 {
                return;
            }
            desk.say(&format!("nodestats {} {:.3}", info.nodes, info.time.as_secs_f64()));
        }
    }

    fn complain(&mut self, error: &PlayerError, desk: &mut Desk<G::Position>) {
        desk.say(&format!("status {error}"));
    }

    fn conclude(
        &mut self,
        thought: Result<Thought<MoveOf<G>>, PlayerError>,
        desk: &mut Desk<G::Position>,
    ) {
        let search = std::mem::replace(&mut self.search, Search::Idle);
        let thought = thought.unwrap_or_else(|error| {
            desk.say(&format!("status {error}"));
            Thought { best: None, value: None }
        });
        let value = thought.value.map_or(0.0, discs);
        match search {
            Search::Go => {
                let text = thought.best.map(|m| self.table.format_move(m)).unwrap_or_default();
                let time = self.begun.elapsed().as_secs_f64();
                desk.say("status");
                desk.say(&format!("=== {text}/{value:.2}/{time:.2}"));
            }
            Search::Analysis(ply) => {
                desk.say(&format!("analysis {ply} {value:.2}"));
                self.analyse(ply.checked_sub(1), desk);
            }
            Search::Hint(_) | Search::Idle => desk.say("status"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evalsmith_core::{Position, Protocol, Score, Side};
    use evalsmith_othello::Othello;
    use proptest::prelude::*;

    fn session() -> NBoard<Othello> {
        let game = Othello::new();
        let dialect = game.dialect(Protocol::NBoard).unwrap();
        NBoard::new(Table::new(game, dialect, "Ours".into(), Vec::new()))
    }

    fn hear(nboard: &mut NBoard<Othello>, line: &str) -> Desk<<Othello as Game>::Position> {
        let mut desk = Desk::new();
        nboard.hear(line, &mut desk);
        desk
    }

    /// Hears a line; searches find the first legal move at once, worth two units.
    fn say(nboard: &mut NBoard<Othello>, line: &str) -> String {
        let mut desk = hear(nboard, line);
        while let Some(order) = desk.orders.pop_front() {
            if let Order::Think(record, budget) = order {
                assert_eq!(budget, Budget::depth(nboard.depth));
                let best = record.position().moves().next();
                nboard.conclude(Ok(Thought { best, value: Some(Score(2000)) }), &mut desk);
            }
        }
        desk.lines
    }

    const START: &str =
        "8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *";

    #[test]
    fn a_game_is_set_and_played() {
        let mut nboard = session();
        assert!(say(&mut nboard, "nboard 2").contains("set myname Ours\n"));
        say(&mut nboard, &format!("set game (;GM[Othello]BO[{START}]B[D3//1]W[C3];)"));
        assert_eq!(nboard.table.record.ply(), 2);
        say(&mut nboard, "move C4/1.5/2");
        assert_eq!((nboard.table.record.ply(), nboard.table.record.side()), (3, Side::Second));
        assert!(say(&mut nboard, "move A1").starts_with("status"));
        assert!(say(&mut nboard, "set game x").starts_with("status"));
        assert_eq!(nboard.table.record.ply(), 3);
        assert_eq!(say(&mut nboard, "ping 7"), "pong 7\n");
        assert_eq!(say(&mut nboard, "learn"), "learned\n");
        assert_eq!(say(&mut nboard, "dance"), "");
    }

    #[test]
    fn moves_and_values_are_told() {
        let mut nboard = session();
        say(&mut nboard, "set depth 3");
        let lines = say(&mut nboard, "go");
        assert!(lines.lines().last().unwrap().starts_with("=== D3/10.00/"), "{lines}");
        assert_eq!(nboard.table.record.ply(), 0, "the client plays it");
        say(&mut nboard, "move D3");
        let lines = say(&mut nboard, "analyze");
        assert_eq!(lines, "analysis 1 10.00\nanalysis 0 10.00\nstatus\n");
    }

    #[test]
    fn a_hint_asks_for_as_many_moves_as_it_says() {
        for (line, wanted) in [("hint 3", 3), ("hint", 1), ("hint x", 1)] {
            let mut nboard = session();
            let mut desk = hear(&mut nboard, line);
            let ordered = desk.orders.pop_front();
            assert!(matches!(ordered, Some(Order::Rank(_, n, _)) if n == wanted), "{line}");
            let line: Vec<_> = Othello::new().start().moves().take(1).collect();
            let (nodes, time) = (5, std::time::Duration::ZERO);
            let sure = [Sureness::Estimated, Sureness::Percent(95), Sureness::Proven];
            for (place, sureness) in (1..).zip(sure) {
                let (depth, value, line) = (4, Score(2000), line.clone());
                let info = Info { place, depth, value, sureness, nodes, time, line };
                nboard.inform(&info, &mut desk);
            }
            let told = desk.lines.strip_prefix("status Thinking\n").unwrap();
            let search = "search D3 10.00 0 ";
            let wanted = format!("{search}4\nnodestats 5 0.000\n{search}4@95%\n{search}100%\n");
            assert_eq!(told, wanted);
        }
    }

    #[test]
    fn a_ping_ends_a_hint_and_waits_for_a_move() {
        let mut nboard = session();
        hear(&mut nboard, "hint 1");
        let mut desk = Desk::new();
        assert_eq!(nboard.hear("ping 1", &mut desk), Heard::Later);
        assert!(matches!(desk.orders.pop_front(), Some(Order::Stop)));
        nboard.conclude(Ok(Thought { best: None, value: None }), &mut desk);
        assert_eq!(say(&mut nboard, "ping 1"), "pong 1\n");
        hear(&mut nboard, "go");
        assert_eq!(nboard.hear("ping 2", &mut desk), Heard::Later);
        assert!(desk.orders.is_empty());
    }

    proptest! {
        #[test]
        fn nothing_heard_panics(
            text in "\\PC*",
            like in "(set|move|go|hint|ping|analyze)( (depth|game|D3|PA|[0-9]{1,30}|é|\\(;BO\\[8)){0,3}",
        ) {
            let mut nboard = session();
            for line in [&text, &like, &text, &like] {
                hear(&mut nboard, line);
            }
        }
    }
}
