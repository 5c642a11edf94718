//! NBoard, version 2: the engine's end.
//!
//! `go` is answered by `===` and the move, which the client then plays by `move`;
//! `hint` by lines about the best moves; `analyze` by a value for every position
//! of the game, from the last to the first. A ping says that the position is about
//! to change: it ends whatever is being thought about, and is answered after that.
//! A game with clocks limits `go` by what its mover's clock still shows. After a game
//! or move that was refused the client's position is unknown: nothing is searched or
//! played until a valid `set game` comes.

use super::session::{Desk, Heard, MoveOf, Order, Session, Table, discs, shorten};
use super::{Info, Sureness, Thought, ggf};
use crate::budget::{Budget, Clocks};
use evalsmith_core::{Game, GameRecord, Malformed, PlayerError, Position};
use std::time::{Duration, Instant};

/// The depth before `set depth` says another.
const DEPTH: u32 = 8;

/// The state of an engine that speaks NBoard.
pub(super) struct NBoard<G: Game> {
    table: Table<G>,
    depth: u32,
    /// None where the game has no clocks.
    clocks: Option<Clocks>,
    search: Search,
    begun: Instant,
    /// Whether the move to come is an opening book's.
    from_book: bool,
    /// Whether a game or a move was refused since the last valid game.
    refused: bool,
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
        let begun = Instant::now();
        let (search, from_book, refused) = (Search::Idle, false, false);
        Self { table, depth: DEPTH, clocks: None, search, begun, from_book, refused }
    }

    /// Whether the client's position is known; says what to do where it is not.
    fn knows_position(&self, desk: &mut Desk<G::Position>) -> bool {
        if self.refused {
            desk.say("status The last game or move was refused; send a valid set game");
        }
        !self.refused
    }

    fn read_game(&mut self, text: &str) -> Result<(), Malformed> {
        let ggf::Written { board, moves, mut clocks } = ggf::read(text).ok_or_else(|| {
            Malformed::new("GGF game", text, "write (;GM[Othello]...BO[board]B[move]...;)")
        })?;
        let mut record = self.table.set_up(board)?;
        for (text, time) in moves {
            charge(&mut clocks, &record, time);
            self.table.play(&mut record, text)?;
        }
        (self.table.record, self.clocks) = (record, clocks);
        Ok(())
    }

    fn set(&mut self, rest: &str, desk: &mut Desk<G::Position>) {
        let (what, value) = rest.trim().split_once(' ').unwrap_or((rest.trim(), ""));
        match what {
            "depth" => match value.trim().parse() {
                Ok(depth @ 1..) => self.depth = depth,
                _ => desk.say(&format!("status {:?} is no depth", shorten(value))),
            },
            "game" => {
                let read = self.read_game(value);
                self.refused = read.is_err();
                match read {
                    Ok(()) => desk.order(Order::NewGame),
                    Err(malformed) => desk.say(&format!("status {malformed}")),
                }
            }
            "contempt" if value.trim().parse::<i32>().is_err() => {
                desk.say(&format!("status {:?} is no contempt", shorten(value)));
            }
            // Contempt: books here weigh draws as nought. And what later versions may set.
            _ => {}
        }
    }

    fn play(&mut self, rest: &str, desk: &mut Desk<G::Position>) {
        if !self.knows_position(desk) {
            return;
        }
        let (text, time) = ggf::read_move(rest);
        let mut record = self.table.record.clone();
        match self.table.play(&mut record, text) {
            Ok(()) => {
                charge(&mut self.clocks, &self.table.record, time);
                self.table.record = record;
            }
            Err(malformed) => {
                self.refused = true;
                desk.say(&format!("status {malformed}"));
            }
        }
    }

    fn begin(&mut self, search: Search, desk: &mut Desk<G::Position>) {
        if !self.knows_position(desk) {
            if search == Search::Go {
                desk.say("===");
            }
            return;
        }
        match self.table.to_think_on() {
            Some(record) => {
                self.begun = Instant::now();
                self.search = search;
                self.from_book = false;
                desk.say("status Thinking");
                let budget = Budget::depth(self.depth);
                desk.order(match search {
                    Search::Hint(lines) => Order::Rank(record, lines, budget),
                    _ => Order::Think(record, Budget { clocks: self.clocks.clone(), ..budget }),
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

/// Takes the time of a move off the clock of the side that is to play it.
fn charge<P: Position>(clocks: &mut Option<Clocks>, record: &GameRecord<P>, time: Duration) {
    if let Some(Clocks { remaining, increment, .. }) = clocks {
        let side = record.side().index();
        remaining[side] = remaining[side].saturating_sub(time).saturating_add(increment[side]);
    }
}

impl<G: Game> Session<G> for NBoard<G> {
    fn hear(&mut self, line: &str, desk: &mut Desk<G::Position>) -> Heard {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match self.search {
            Search::Idle => {}
            Search::Go if word == "quit" => return Heard::Leaving,
            Search::Go => {
                if word == "ping" {
                    desk.order(Order::Stop);
                }
                return Heard::Later;
            }
            // Whatever comes next ends these; an analysis ends as a hint does,
            // without a value for the position it was at.
            Search::Hint(_) | Search::Analysis(_) => {
                self.search = Search::Hint(0);
                desk.order(Order::Stop);
                return if word == "quit" { Heard::Leaving } else { Heard::Later };
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
            "analyze" if !self.knows_position(desk) => {}
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
                let (word, depth) = match info.sureness {
                    Sureness::Book => ("book", info.depth.to_string()),
                    _ => ("search", info.depth_word()),
                };
                desk.say(&format!("{word} {line} {:.2} 0 {depth}", discs(info.value)));
            }
            if info.place > 1 {
                return;
            }
            self.from_book = info.sureness == Sureness::Book;
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
        let Thought { best, value } = match thought {
            Ok(thought) => thought,
            // The reason stays on the status line; no move and no value are made up.
            Err(error) => {
                desk.say(&format!("status {error}"));
                if search == Search::Go {
                    desk.say("===");
                }
                return;
            }
        };
        let value = value.map(|value| format!("{:.2}", discs(value)));
        match (search, value) {
            (Search::Go, value) => {
                desk.say(if self.from_book { "status From the book" } else { "status" });
                let time = self.begun.elapsed().as_secs_f64();
                let value = value.unwrap_or_default();
                match best.map(|m| self.table.format_move(m)) {
                    Some(text) => desk.say(&format!("=== {text}/{value}/{time:.2}")),
                    None => desk.say("==="),
                }
            }
            (Search::Analysis(ply), Some(value)) => {
                desk.say(&format!("analysis {ply} {value}"));
                self.analyse(ply.checked_sub(1), desk);
            }
            // Stopped before anything was learnt.
            (Search::Analysis(_), None) | (Search::Hint(_) | Search::Idle, _) => desk.say("status"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evalsmith_core::{Protocol, Score, Side};
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
        assert!(say(&mut nboard, "set depth 0").starts_with("status \"0\" is no depth"));
    }

    #[test]
    fn nothing_is_searched_after_a_refused_game_or_move() {
        for refused in ["set game x", "move A1", "move Z9"] {
            let mut nboard = session();
            say(&mut nboard, "move D3");
            say(&mut nboard, refused);
            for (line, told) in [("go", "===\n"), ("hint 2", ""), ("analyze", ""), ("move C3", "")]
            {
                let desk = hear(&mut nboard, line);
                let reason = "status The last game or move was refused; send a valid set game\n";
                assert_eq!(desk.lines, format!("{reason}{told}"), "{refused}, {line}");
                assert!(desk.orders.is_empty(), "{refused}, {line}");
            }
            assert_eq!(nboard.table.record.ply(), 1);
            say(&mut nboard, &format!("set game (;GM[Othello]BO[{START}];)"));
            assert!(say(&mut nboard, "go").contains("=== D3/"), "{refused}");
        }
    }

    #[test]
    fn quit_waits_for_the_answer_of_the_search_it_stops() {
        for (line, answer) in [("go", "==="), ("hint 2", "status"), ("analyze", "status")] {
            let mut nboard = session();
            hear(&mut nboard, line);
            let mut desk = Desk::new();
            assert_eq!(nboard.hear("quit", &mut desk), Heard::Leaving, "{line}");
            desk.orders.clear();
            nboard.conclude(Ok(Thought { best: None, value: Some(Score(0)) }), &mut desk);
            assert!(desk.lines.contains(answer) && desk.orders.is_empty(), "{line}");
            assert_eq!(nboard.hear("quit", &mut desk), Heard::Quit);
        }
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
            let (nodes, time) = (5, Duration::ZERO);
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
    fn moves_of_a_book_are_told_as_such() {
        let mut nboard = session();
        let line: Vec<_> = Othello::new().start().moves().take(1).collect();
        let of_book = |depth| Info {
            place: 1,
            depth,
            value: Score(2000),
            sureness: Sureness::Book,
            nodes: 0,
            time: Duration::ZERO,
            line: line.clone(),
        };
        let mut desk = hear(&mut nboard, "hint 1");
        nboard.inform(&of_book(18), &mut desk);
        assert!(desk.lines.contains("book D3 10.00 0 18\n"), "{}", desk.lines);
        nboard.conclude(Ok(Thought { best: None, value: None }), &mut desk);
        let mut desk = hear(&mut nboard, "go");
        nboard.inform(&of_book(18), &mut desk);
        let found = Thought { best: line.first().copied(), value: Some(Score(2000)) };
        nboard.conclude(Ok(found.clone()), &mut desk);
        assert!(desk.lines.contains("status From the book\n=== D3/10.00/"), "{}", desk.lines);
        let mut desk = hear(&mut nboard, "go");
        nboard.conclude(Ok(found), &mut desk);
        assert!(desk.lines.contains("status\n=== D3/10.00/"), "{}", desk.lines);
    }

    #[test]
    fn a_ping_ends_hints_and_moves_and_is_answered_after_them() {
        let mut nboard = session();
        hear(&mut nboard, "hint 1");
        let mut desk = Desk::new();
        assert_eq!(nboard.hear("ping 1", &mut desk), Heard::Later);
        assert!(matches!(desk.orders.pop_front(), Some(Order::Stop)));
        nboard.conclude(Ok(Thought { best: None, value: None }), &mut desk);
        assert_eq!(say(&mut nboard, "ping 1"), "pong 1\n");
        hear(&mut nboard, "go");
        assert_eq!(nboard.hear("move D3", &mut desk), Heard::Later);
        assert!(desk.orders.is_empty(), "a move's search is not ended by what may wait");
        assert_eq!(nboard.hear("ping 2", &mut desk), Heard::Later);
        assert!(matches!(desk.orders.pop_front(), Some(Order::Stop)));
    }

    #[test]
    fn a_thinker_s_refusal_stays_on_the_status_line() {
        let reason = "status player Ours: no such board\n";
        for (line, told) in [("go", "===\n"), ("hint 2", ""), ("analyze", "")] {
            let mut nboard = session();
            say(&mut nboard, "move D3");
            hear(&mut nboard, line);
            let mut desk = Desk::new();
            nboard.conclude(Err(PlayerError::new("Ours", "no such board")), &mut desk);
            assert_eq!(desk.lines, format!("{reason}{told}"), "{line}");
            assert!(desk.orders.is_empty(), "{line}");
        }
    }

    #[test]
    fn no_value_is_made_up() {
        let mut nboard = session();
        let mut desk = hear(&mut nboard, "go");
        let best = Othello::new().start().moves().next();
        nboard.conclude(Ok(Thought { best, value: None }), &mut desk);
        assert!(desk.lines.contains("=== D3//0.0"), "{}", desk.lines);
        let mut desk = hear(&mut nboard, "analyze");
        nboard.conclude(Ok(Thought { best, value: None }), &mut desk);
        assert_eq!(desk.lines, "status\n");
    }

    #[test]
    fn clocks_run_down_by_the_times_of_the_moves_and_limit_moves_alone() {
        let mut nboard = session();
        let game = format!("set game (;TI[01:00/5]BO[{START}]B[D3//10.5]W[C3//20];)");
        assert_eq!(say(&mut nboard, &game), "");
        assert_eq!(say(&mut nboard, "move C4/1.5/7"), "");
        let mut desk = hear(&mut nboard, "go");
        let Some(Order::Think(_, budget)) = desk.orders.pop_front() else { panic!("no search") };
        let left = [52_500, 45_000].map(Duration::from_millis);
        let increment = [Duration::from_secs(5); 2];
        let clocks = Clocks { remaining: left, increment, ..Clocks::default() };
        assert_eq!(budget, Budget { clocks: Some(clocks), ..Budget::depth(DEPTH) });
        nboard.conclude(Ok(Thought { best: None, value: None }), &mut desk);
        let mut desk = hear(&mut nboard, "hint 2");
        let ordered = desk.orders.pop_front();
        assert!(matches!(ordered, Some(Order::Rank(_, 2, budget)) if budget.clocks.is_none()));
        nboard.conclude(Ok(Thought { best: None, value: None }), &mut desk);
        say(&mut nboard, "move PA//9");
        assert_eq!(nboard.clocks.as_ref().map(|c| c.remaining), Some(left), "no move, no time");
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
