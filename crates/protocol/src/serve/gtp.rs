//! GTP, version 2: the engine's end.
//!
//! Commands are answered one after the other, so that all of them wait for a
//! search. Colours need not alternate in GTP; a move out of turn is preceded by
//! the other side's pass where the rules let it pass, and refused elsewhere.
//!
//! Beyond the standard, `hint COLOUR [LINES]` names the best moves, a line each:
//! move, value, depth, expected line; and `nodestats` tells the positions, seconds
//! and depth of the last search.

use super::session::{Desk, Heard, MoveOf, Order, Session, Table, discs, shorten};
use super::{Info, Thought};
use crate::budget::{Budget, Clocks, from_seconds};
use evalsmith_core::{Game, GameRecord, PlayerError, Position, Side, Verdict};
use std::time::Duration;

const COMMANDS: &[&str] = &[
    "boardsize",
    "clear_board",
    "final_score",
    "genmove",
    "hint",
    "known_command",
    "komi",
    "level",
    "list_commands",
    "name",
    "nodestats",
    "play",
    "protocol_version",
    "quit",
    "reg_genmove",
    "showboard",
    "time_left",
    "time_settings",
    "undo",
    "version",
];

/// The state of an engine that speaks GTP.
pub(super) struct Gtp<G: Game> {
    table: Table<G>,
    /// How many plies each command has played, to be taken back as one.
    steps: Vec<usize>,
    search: Option<Search>,
    /// What the last search told last, by the place of the move.
    told: Vec<Info<MoveOf<G>>>,
    depth: Option<u32>,
    /// None until the client has spoken of time.
    settings: Option<Settings>,
    /// Time left, and for how many stones where it is overtime, where it was told.
    left: [Option<(Duration, u32)>; 2],
}

struct Search {
    number: String,
    wanted: Wanted,
    passes: usize,
}

/// What a search was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wanted {
    /// A move, to be played.
    Play,
    /// A move, only to be named.
    Name,
    /// So many of the best moves.
    Hint(usize),
}

#[derive(Clone, Copy, Debug)]
struct Settings {
    main: Duration,
    byoyomi: Duration,
    stones: u32,
}

impl Settings {
    const NONE: Self = Self { main: Duration::ZERO, byoyomi: Duration::ZERO, stones: 0 };
}

type Answer = Result<String, String>;

impl<G: Game> Gtp<G> {
    pub(super) fn new(table: Table<G>) -> Self {
        Self {
            table,
            steps: Vec::new(),
            search: None,
            told: Vec::new(),
            depth: None,
            settings: None,
            left: [None; 2],
        }
    }

    fn side(&self, word: &str) -> Result<Side, String> {
        let names = self.table.game.side_names();
        let wanted = word.to_ascii_lowercase();
        let is = |name: &str| name == wanted || wanted.len() == 1 && name.starts_with(&wanted);
        [Side::First, Side::Second].into_iter().find(|side| is(names[side.index()])).ok_or_else(
            || format!("{:?} is no colour; write {} or {}", shorten(word), names[0], names[1]),
        )
    }

    /// Makes it `side`'s turn, by a pass if need be; says how many were played.
    fn turn_to(&self, record: &mut GameRecord<G::Position>, side: Side) -> Result<usize, String> {
        if record.side() == side {
            return Ok(0);
        }
        let name = self.table.game.side_names()[record.side().index()];
        self.table.play(record, "pass").map_err(|_| format!("it is {name}'s turn"))?;
        Ok(1)
    }

    fn play(&mut self, words: &[&str]) -> Answer {
        let [colour, text] = words else { return Err("write a colour and a move".into()) };
        let side = self.side(colour)?;
        // Clients pass on where our rules have ended the game.
        if text.eq_ignore_ascii_case("pass") && self.table.record.position().outcome().is_some() {
            self.steps.push(0);
            return Ok(String::new());
        }
        let mut record = self.table.record.clone();
        let passes = self.turn_to(&mut record, side)?;
        self.table.play(&mut record, text).map_err(|e| format!("illegal move: {}", e.reason))?;
        self.table.record = record;
        self.steps.push(passes + 1);
        Ok(String::new())
    }

    fn undo(&mut self) -> Answer {
        let plies = self.steps.pop().ok_or("cannot undo")?;
        for _ in 0..plies {
            self.table.record.take_back();
        }
        Ok(String::new())
    }

    fn clear(&mut self) {
        self.table.record = self.table.begin();
        self.steps.clear();
        self.left = [None; 2];
    }

    /// A command of the game's preparation: only the value it has is accepted.
    fn prepare(&self, word: &str, value: Option<&str>) -> Result<(), String> {
        let wanted = self.table.dialect.preparation();
        let wanted = wanted.iter().filter_map(|c| c.split_once(' ')).find(|(w, _)| *w == word);
        let number = |text: &str| text.parse::<f64>().ok();
        match (wanted, value.and_then(number)) {
            (_, None) => Err(format!("{word} takes a number")),
            (Some((_, only)), given) if number(only) != given => {
                let refused =
                    if word == "boardsize" { "unacceptable size" } else { "unacceptable" };
                Err(format!("{refused}: this game has {word} {only}"))
            }
            _ => Ok(()),
        }
    }

    fn set_time(&mut self, words: &[&str]) -> Answer {
        let time = |word: &str| {
            from_seconds(word).ok_or_else(|| format!("{:?} is no time", shorten(word)))
        };
        let [main, byoyomi, stones] = words else { return Err("write three numbers".into()) };
        let stones =
            stones.parse().map_err(|_| format!("{:?} is no number of stones", shorten(stones)))?;
        self.settings = Some(Settings { main: time(main)?, byoyomi: time(byoyomi)?, stones });
        self.left = [None; 2];
        Ok(String::new())
    }

    fn set_left(&mut self, words: &[&str]) -> Answer {
        let [colour, left, stones] = words else {
            return Err("write colour, time, stones".into());
        };
        let side = self.side(colour)?;
        let left = from_seconds(left).ok_or_else(|| format!("{:?} is no time", shorten(left)))?;
        let stones =
            stones.parse().map_err(|_| format!("{:?} is no number of stones", shorten(stones)))?;
        self.left[side.index()] = Some((left, stones));
        Ok(String::new())
    }

    fn budget(&self, side: Side) -> Budget {
        // The protocol's word for no limit: time for no stones.
        let limited = self.settings.filter(|s| s.stones > 0 || s.byoyomi.is_zero());
        // A client that speaks of the time left alone has a clock all the same.
        let timed = limited.is_some() || self.settings.is_none() && self.left != [None; 2];
        let Settings { main, byoyomi, stones } = limited.unwrap_or(Settings::NONE);
        let a_move = byoyomi.checked_div(stones.max(1)).unwrap_or_default();
        let remaining = self.left.map(|left| left.map_or(main, |(time, _)| time));
        // In overtime the time left is that of the stones left.
        let overtime =
            self.left[side.index()].map(|(_, stones)| stones).filter(|&stones| stones > 0);
        let byoyomi = if overtime.is_some() { Duration::ZERO } else { a_move };
        let clocks = Clocks { remaining, byoyomi, moves_to_go: overtime, ..Clocks::default() };
        Budget { depth: self.depth, clocks: timed.then_some(clocks), ..Budget::default() }
    }

    fn generate(
        &mut self,
        number: &str,
        wanted: Wanted,
        words: &[&str],
        desk: &mut Desk<G::Position>,
    ) -> Result<Option<String>, String> {
        let [colour] = words else { return Err("write a colour".into()) };
        let mut record = self.table.record.clone();
        if record.position().outcome().is_some() {
            let nothing = if matches!(wanted, Wanted::Hint(_)) { "" } else { "pass" };
            return Ok(Some(nothing.into()));
        }
        let passes = self.turn_to(&mut record, self.side(colour)?)?;
        let before = std::mem::replace(&mut self.table.record, record);
        if let Some(record) = self.table.to_think_on() {
            let budget = self.budget(record.side());
            desk.order(match wanted {
                Wanted::Hint(lines) => Order::Rank(record, lines, budget),
                Wanted::Play | Wanted::Name => Order::Think(record, budget),
            });
            self.told.clear();
            self.search = Some(Search { number: number.into(), wanted, passes });
            Ok(None)
        } else {
            self.table.record = before;
            Ok(Some("pass".into()))
        }
    }

    /// The moves that the last search told of, a line each.
    fn hints(&self) -> String {
        let in_discs = self.table.game.margin_unit() == Some("discs");
        let lines = self.told.iter().map(|info| {
            let value = if in_discs {
                format!("{:+.2}", discs(info.value))
            } else {
                format!("{:.1}%", 100.0 * info.value.log_odds().win_prob().0)
            };
            let line = self.table.format_line(&info.line, " ");
            let first = line.split(' ').next().unwrap_or_default();
            format!("{first} {value} {} {line}", info.depth_word())
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    fn final_score(&self) -> Answer {
        let outcome = self.table.record.outcome_for(Side::First).ok_or("the game is not over")?;
        let unit = if self.table.game.margin_unit() == Some("half points") { 2.0 } else { 1.0 };
        let margin = f64::from(outcome.margin()).abs() / unit;
        let letter = |side: Side| self.table.game.side_names()[side.index()][..1].to_uppercase();
        Ok(match outcome.verdict() {
            Verdict::Draw => "0".into(),
            Verdict::Win => format!("{}+{margin}", letter(Side::First)),
            Verdict::Loss => format!("{}+{margin}", letter(Side::Second)),
        })
    }

    fn answer(
        &mut self,
        number: &str,
        word: &str,
        words: &[&str],
        desk: &mut Desk<G::Position>,
    ) -> Result<Option<String>, String> {
        let done = || Ok(Some(String::new()));
        match word {
            "protocol_version" => Ok(Some("2".into())),
            "name" => Ok(Some(self.table.name.clone())),
            "version" => Ok(Some(env!("CARGO_PKG_VERSION").into())),
            "known_command" => {
                Ok(Some(words.first().is_some_and(|word| COMMANDS.contains(word)).to_string()))
            }
            "list_commands" => Ok(Some(COMMANDS.join("\n"))),
            "boardsize" => {
                self.prepare(word, words.first().copied())?;
                self.clear();
                done()
            }
            "komi" => self.prepare(word, words.first().copied()).map(|()| Some(String::new())),
            "clear_board" => {
                self.clear();
                desk.order(Order::NewGame);
                done()
            }
            "play" => self.play(words).map(Some),
            "undo" => self.undo().map(Some),
            "genmove" => self.generate(number, Wanted::Play, words, desk),
            "reg_genmove" => self.generate(number, Wanted::Name, words, desk),
            "hint" => {
                let (colour, lines) = words.split_at(words.len().min(1));
                let lines = match lines {
                    [] => Some(1),
                    [lines] => lines.parse().ok().filter(|&lines| lines > 0),
                    _ => None,
                };
                let lines = lines.ok_or("write a colour and how many moves, 1 or more")?;
                self.generate(number, Wanted::Hint(lines), colour, desk)
            }
            "nodestats" => {
                let info = self.told.first().ok_or("nothing was searched yet")?;
                let (nodes, time) = (info.nodes, info.time.as_secs_f64());
                Ok(Some(format!("{nodes} {time:.3} {}", info.depth_word())))
            }
            "time_settings" => self.set_time(words).map(Some),
            "time_left" => self.set_left(words).map(Some),
            "level" => {
                let depth = words.first().and_then(|depth| depth.parse().ok());
                let depth = depth.filter(|&plies| plies > 0);
                self.depth = Some(depth.ok_or("write a depth in plies, 1 or more")?);
                done()
            }
            "showboard" => {
                let record = &self.table.record;
                let board = self.table.game.draw(record.position(), record.side());
                Ok(Some(format!("\n{}", board.trim_end())))
            }
            "final_score" => self.final_score().map(Some),
            _ => Err("unknown command".into()),
        }
    }
}

fn reply(number: &str, answer: &Answer) -> String {
    match answer {
        Ok(text) => format!("{}\n", format!("={number} {text}").trim_end()),
        Err(text) => format!("?{number} {text}\n"),
    }
}

/// The number, the command and its words; none for a line that says nothing.
fn read(line: &str) -> Option<(&str, &str, Vec<&str>)> {
    let line = line.split('#').next().unwrap_or_default();
    let mut words = line.split_whitespace().peekable();
    let is_number = |word: &&str| word.bytes().all(|b| b.is_ascii_digit());
    let number = words.next_if(is_number).unwrap_or_default();
    let word = words.next().filter(|_| !line.is_empty());
    match word {
        Some(word) => Some((number, word, words.collect())),
        None if number.is_empty() => None,
        None => Some((number, "", Vec::new())),
    }
}

impl<G: Game> Session<G> for Gtp<G> {
    fn hear(&mut self, line: &str, desk: &mut Desk<G::Position>) -> Heard {
        let Some((number, word, words)) = read(line) else { return Heard::Done };
        if self.search.is_some() {
            return Heard::Later;
        }
        if word == "quit" {
            desk.say(&reply(number, &Ok(String::new())));
            return Heard::Quit;
        }
        match self.answer(number, word, &words, desk) {
            Ok(Some(text)) => desk.say(&reply(number, &Ok(text))),
            Ok(None) => {}
            Err(text) => desk.say(&reply(number, &Err(text))),
        }
        Heard::Done
    }

    fn inform(&mut self, info: &Info<MoveOf<G>>, _desk: &mut Desk<G::Position>) {
        self.told.truncate(info.place.saturating_sub(1));
        self.told.push(info.clone());
    }

    /// GTP has no options, and no words unasked.
    fn complain(&mut self, _error: &PlayerError, _desk: &mut Desk<G::Position>) {}

    fn conclude(
        &mut self,
        thought: Result<Thought<MoveOf<G>>, PlayerError>,
        desk: &mut Desk<G::Position>,
    ) {
        let Some(Search { number, wanted, passes }) = self.search.take() else { return };
        let plays = wanted == Wanted::Play;
        let answer = match thought {
            Ok(_) if matches!(wanted, Wanted::Hint(_)) => Ok(self.hints()),
            Ok(Thought { best: Some(m), .. }) => {
                let text = self.table.format_move(m);
                let mut record = self.table.record.clone();
                let played = if plays { self.table.play(&mut record, &text) } else { Ok(()) };
                self.table.record = record;
                played.map(|()| text).map_err(|malformed| malformed.reason)
            }
            Ok(Thought { best: None, .. }) => Ok("resign".into()),
            Err(error) => Err(error.to_string()),
        };
        if plays && answer.as_ref().is_ok_and(|text| text != "resign") {
            self.steps.push(passes + 1);
        } else {
            for _ in 0..passes {
                self.table.record.take_back();
            }
        }
        desk.say(&reply(&number, &answer));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Sureness;
    use evalsmith_core::{Protocol, Score};
    use evalsmith_go::Go;
    use proptest::prelude::*;

    fn session() -> Gtp<Go> {
        let game = Go::new();
        let dialect = game.dialect(Protocol::Gtp).unwrap();
        Gtp::new(Table::new(game, dialect, "Ours".into(), Vec::new()))
    }

    /// Hears a line; searches find the first legal move at once.
    fn say(gtp: &mut Gtp<Go>, line: &str) -> String {
        let mut desk = Desk::new();
        gtp.hear(line, &mut desk);
        while let Some(order) = desk.orders.pop_front() {
            if let Order::Think(record, _) = order {
                let best = record.position().moves().next();
                gtp.conclude(Ok(Thought { best, value: None }), &mut desk);
            }
        }
        desk.lines
    }

    #[test]
    fn commands_are_answered_by_number() {
        let mut gtp = session();
        assert_eq!(say(&mut gtp, "7 protocol_version"), "=7 2\n\n");
        assert_eq!(say(&mut gtp, "name"), "= Ours\n\n");
        assert_eq!(say(&mut gtp, "3 known_command genmove # yes"), "=3 true\n\n");
        assert_eq!(say(&mut gtp, "known_command fly"), "= false\n\n");
        assert_eq!(say(&mut gtp, "4 fly"), "?4 unknown command\n\n");
        assert_eq!(say(&mut gtp, "# nothing"), "");
        assert_eq!(say(&mut gtp, "boardsize 9"), "=\n\n");
        assert!(say(&mut gtp, "boardsize 19").starts_with("? unacceptable size"));
        assert!(say(&mut gtp, "komi 5.5").starts_with("? unacceptable"));
        assert_eq!(say(&mut gtp, "komi 7.0"), "=\n\n");
        assert_eq!(say(&mut gtp, "9 quit"), "=9\n\n");
    }

    #[test]
    fn hints_name_the_best_moves_and_node_statistics_the_search() {
        let mut gtp = session();
        assert_eq!(say(&mut gtp, "nodestats"), "? nothing was searched yet\n\n");
        for wrong in ["hint", "hint green", "hint b 0", "hint b x", "hint b 1 1"] {
            assert!(say(&mut gtp, wrong).starts_with("? "), "{wrong}");
        }
        let mut desk = Desk::new();
        gtp.hear("5 hint black 2", &mut desk);
        assert!(matches!(desk.orders.pop_front(), Some(Order::Rank(_, 2, _))));
        let moves: Vec<_> = gtp.table.record.position().moves().collect();
        let names = [0, 1].map(|i| gtp.table.format_move(moves[i]));
        let info = |place, depth, line: &[_]| Info {
            place,
            depth,
            value: Score(0),
            sureness: Sureness::Percent(95),
            nodes: 70,
            time: Duration::from_millis(250),
            line: line.to_vec(),
        };
        // The deeper iteration replaces what the shallower one told.
        for told in [info(1, 3, &moves[1..2]), info(2, 3, &moves[..1]), info(1, 4, &moves[..1])] {
            gtp.inform(&told, &mut desk);
        }
        gtp.inform(&info(2, 4, &moves[1..2]), &mut desk);
        gtp.conclude(Ok(Thought { best: Some(moves[0]), value: None }), &mut desk);
        let [first, second] = names;
        let expected = format!("=5 {first} 50.0% 4@95% {first}\n{second} 50.0% 4@95% {second}\n\n");
        assert_eq!(desk.lines, expected);
        assert_eq!(gtp.table.record.ply(), 0, "a hint plays nothing");
        assert_eq!(say(&mut gtp, "nodestats"), "= 70 0.250 4@95%\n\n");
    }

    #[test]
    fn stones_are_played_out_of_turn_and_taken_back() {
        let mut gtp = session();
        for stone in ["play b E5", "play black e4", "play w D4"] {
            assert_eq!(say(&mut gtp, stone), "=\n\n");
        }
        assert!(say(&mut gtp, "play b E5").starts_with("? illegal move"));
        assert!(say(&mut gtp, "play green E6").starts_with("? "));
        assert_eq!(gtp.table.record.ply(), 4, "one pass between Black's stones");
        say(&mut gtp, "undo");
        say(&mut gtp, "undo");
        assert_eq!(gtp.table.record.ply(), 1);
        say(&mut gtp, "undo");
        assert_eq!(say(&mut gtp, "undo"), "? cannot undo\n\n");
    }

    #[test]
    fn moves_are_generated() {
        let mut gtp = session();
        assert_eq!(say(&mut gtp, "reg_genmove w"), "= A1\n\n");
        assert_eq!(gtp.table.record.ply(), 0);
        assert_eq!(say(&mut gtp, "1 genmove b"), "=1 A1\n\n");
        assert_eq!(gtp.table.record.ply(), 1);
        for pass in ["play w pass", "play b pass"] {
            say(&mut gtp, pass);
        }
        assert_eq!(say(&mut gtp, "genmove w"), "= pass\n\n");
        for line in ["play w pass", "undo"] {
            assert_eq!(say(&mut gtp, line), "=\n\n", "a pass in a finished game");
        }
        assert_eq!(gtp.table.record.ply(), 3);
        assert_eq!(say(&mut gtp, "final_score"), "= B+74\n\n");
    }

    #[test]
    fn time_becomes_a_budget() {
        let mut gtp = session();
        assert_eq!(gtp.budget(Side::First), Budget::default());
        say(&mut gtp, "time_settings 60 10 2");
        say(&mut gtp, "time_left w 30 0");
        let clocks = gtp.budget(Side::Second).clocks.unwrap();
        assert_eq!(clocks.remaining.map(|t| t.as_secs()), [60, 30]);
        assert_eq!(clocks.byoyomi.as_secs(), 5);
        say(&mut gtp, "time_left b 8 2");
        let clocks = gtp.budget(Side::First).clocks.unwrap();
        assert_eq!((clocks.remaining[0].as_secs(), clocks.moves_to_go), (8, Some(2)));
        assert!(clocks.byoyomi.is_zero());
        say(&mut gtp, "time_settings 0 1 0");
        assert_eq!(gtp.budget(Side::First), Budget::default());
        say(&mut gtp, "time_settings 0 0 0");
        let clocks = gtp.budget(Side::First).clocks.unwrap();
        assert_eq!(clocks.remaining[0], Duration::ZERO, "no time at all is a limit");
        say(&mut gtp, "time_settings 0 1 0");
        say(&mut gtp, "level 6");
        assert_eq!(gtp.budget(Side::First), Budget::depth(6));
        assert!(say(&mut gtp, "time_settings x 1 0").starts_with('?'));
        let mut gtp = session();
        say(&mut gtp, "time_left b 8 0");
        assert_eq!(gtp.budget(Side::First).clocks.unwrap().remaining[0].as_secs(), 8);
    }

    proptest! {
        #[test]
        fn nothing_heard_panics(
            text in "\\PC*",
            like in "[0-9]{0,3} ?(play|genmove|undo|time_left|time_settings|level|boardsize)( (b|w|E5|pass|-?[0-9]{1,30}|é)){0,4}",
        ) {
            let mut gtp = session();
            for line in [&text, &like, &text, &like] {
                say(&mut gtp, line);
            }
        }
    }
}
