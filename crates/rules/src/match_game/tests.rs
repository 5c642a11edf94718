use super::*;
use crate::{DynFunction, MoveId, Pos};
use evalsmith_chess::Chess;
use evalsmith_core::{Clock, FaultKind, Quiet, rng};
use evalsmith_othello::Othello;
use evalsmith_search::{Limits, RandomPlayer, SearchPlayer, Searcher};
use std::time::Duration;

type Board = <Othello as Game>::Position;

fn searching(function: &DynFunction, depth: u8) -> MatchSeat {
    MatchSeat::Search {
        name: format!("depth {depth}"),
        function: function.clone(),
        limits: Limits::depth(depth),
        table_bytes: 1 << 14,
    }
}

fn timed(function: &DynFunction, move_time: Option<Duration>) -> MatchSeat {
    MatchSeat::Calibrated {
        name: "timed".into(),
        function: function.clone(),
        ns_per_node: 1000.0,
        move_time,
        table_bytes: 1 << 14,
    }
}

/// Two games from each of some openings, as the table plays them.
fn games(game: &DynGame, table: &mut dyn MatchTable) -> Vec<PlayedOut> {
    let mut random = rng::stream(1, "match games", 0);
    let openings: Vec<Record> =
        (0..6).filter_map(|plies| game.random_walk(plies, &mut random)).collect();
    let played = openings.iter().flat_map(|opening| [(opening, 0), (opening, 1)]);
    played.map(|(opening, first)| table.play(opening, [3, 4], first, &Quiet)).collect()
}

fn ends(played: &[PlayedOut]) -> Vec<GameEnd> {
    let end = |game: &PlayedOut| match game.result {
        GameResult::Ended { end, .. } => end,
        ref other => panic!("{other:?}"),
    };
    played.iter().map(end).collect()
}

/// Whether the table is typed must not be seen in its games.
fn same_games<G: Game>(
    typed: &G,
    seats: &dyn Fn(&DynGame) -> [MatchSeat; 2],
    config: &MatchGameConfig,
) -> Vec<PlayedOut> {
    let game = DynGame::new(typed.clone());
    let mut table = typed_table(typed, &seats(&game), config).expect("two functions of the game");
    let mut untyped = untyped_table(&game, seats(&game), config.clone());
    let played = games(&game, &mut *table);
    assert_eq!(played, games(&game, &mut *untyped));
    assert_eq!(played, games(&game, &mut *game.match_table(seats(&game), config.clone())));
    played
}

fn by_hand_and_trivial(game: &DynGame, depths: [u8; 2]) -> [MatchSeat; 2] {
    let by_hand = game.function_by_hand().expect("weights");
    [searching(&by_hand, depths[0]), searching(&game.trivial_function(), depths[1])]
}

#[test]
fn typed_and_untyped_tables_play_the_same_games() {
    let seats = |game: &DynGame| by_hand_and_trivial(game, [2, 3]);
    let played = same_games(&Othello::new(), &seats, &MatchGameConfig::default());
    assert_eq!(ends(&played), [GameEnd::Reason(Reason::Rules); 12]);
    for game in &played {
        assert_eq!(game.moves.len(), game.notes.nodes.len());
        assert_eq!(game.cost.nodes.iter().sum::<u64>(), game.notes.nodes.iter().sum::<u64>());
    }
    let chess = |game: &DynGame| by_hand_and_trivial(game, [2, 1]);
    let played = same_games(&Chess, &chess, &MatchGameConfig::default());
    assert!(ends(&played).contains(&GameEnd::Reason(Reason::Rules)), "{:?}", ends(&played));
}

#[test]
fn they_end_the_same_games_early() {
    let seats = |game: &DynGame| by_hand_and_trivial(game, [1, 1]);
    let solved = MatchGameConfig { solve_at: 8, ..MatchGameConfig::default() };
    let played = same_games(&Othello::new(), &seats, &solved);
    assert!(ends(&played).contains(&GameEnd::Reason(Reason::Solved)));
    let both = |game: &DynGame| {
        let by_hand = game.function_by_hand().expect("weights");
        [searching(&by_hand, 2), searching(&by_hand, 1)]
    };
    let agreed = MatchGameConfig { decided_at: 1.0, ..MatchGameConfig::default() };
    let played = same_games(&Othello::new(), &both, &agreed);
    assert!(ends(&played).contains(&GameEnd::Reason(Reason::Agreed)));
}

#[test]
fn they_keep_the_same_clocks() {
    let budget =
        TimeBudget::Game { base: Duration::from_millis(10), increment: Duration::from_micros(50) };
    let control = TimeControl { meter: Meter::Cpu, budget, margin: Duration::ZERO };
    let config = MatchGameConfig { time: [Some(control), None], ..MatchGameConfig::default() };
    let seats = |game: &DynGame| {
        let by_hand = game.function_by_hand().expect("weights");
        [timed(&by_hand, None), timed(&by_hand, Some(Duration::from_micros(200)))]
    };
    let played = same_games(&Othello::new(), &seats, &config);
    assert_eq!(ends(&played), [GameEnd::Reason(Reason::Rules); 12]);
    assert!(played.iter().all(|game| game.notes.micros.len() == game.moves.len()));
    assert!(played.iter().all(|game| game.cost.cpu.iter().all(Option::is_some)));
}

/// One outside player makes a table untyped; if it plays as the function would, the games
/// are the same.
#[test]
fn an_outside_seat_changes_no_game() {
    let game = DynGame::new(Othello::new());
    let by_hand = game.function_by_hand().expect("weights");
    let seats = || by_hand_and_trivial(&game, [2, 2]);
    let config = MatchGameConfig::default();
    let played = games(&game, &mut *game.match_table(seats(), config.clone()));

    let [_, trivial] = seats();
    let search = SearchPlayer::new("outside", by_hand.search(1 << 14), Limits::depth(2));
    let outside = [MatchSeat::Outside(Box::new(search)), trivial];
    assert_eq!(games(&game, &mut *game.match_table(outside, config.clone())), played);

    let function = evalsmith_learn::Function::by_hand(&Othello::new()).expect("weights");
    let search = Searcher::<Board, _>::new(function, 1 << 14);
    let typed = SearchPlayer::new("typed", search, Limits::depth(2));
    let [_, trivial] = seats();
    let adapted = [MatchSeat::Outside(untyped_player(typed)), trivial];
    assert_eq!(games(&game, &mut *game.match_table(adapted, config)), played);
}

#[test]
fn an_adapted_player_plays_as_an_untyped_one() {
    let game = DynGame::new(Othello::new());
    let table = |outside| {
        let seats = [MatchSeat::Outside(outside), searching(&game.trivial_function(), 1)];
        game.match_table(seats, MatchGameConfig::default())
    };
    let typed = untyped_player::<Board>(RandomPlayer::new("random"));
    let played = games(&game, &mut *table(typed));
    assert_eq!(games(&game, &mut *table(Box::new(RandomPlayer::new("random")))), played);
}

/// Answers as it is told, in games without clocks.
struct Odd(fn(&Record) -> Result<MoveId, FaultKind>);

impl Player<Pos> for Odd {
    fn name(&self) -> &'static str {
        "odd"
    }
    fn set_clock(&mut self, _: &Clock) {
        panic!("nobody has a clock");
    }
    fn choose(&mut self, game: &Record) -> Result<Choice<MoveId>, PlayerError> {
        let mv =
            (self.0)(game).map_err(|kind| PlayerError::new("odd", "as it likes").of_kind(kind))?;
        Ok(Choice { nodes: 7, ..Choice::blind(mv) })
    }
}

#[test]
fn failures_tell_the_player_and_the_position() {
    let game = DynGame::new(Othello::new());
    let play = |answer, first| {
        let seats =
            [MatchSeat::Outside(Box::new(Odd(answer))), searching(&game.trivial_function(), 1)];
        let opening = GameRecord::new(game.start(), Side::First, game.max_plies());
        let mut table = game.match_table(seats, MatchGameConfig::default());
        table.play(&opening, [0, 0], first, &Quiet)
    };
    let PlayedOut { moves, plies, cost, result, .. } = play(|_| Err(FaultKind::Died), 1);
    let GameResult::Failed { player: 0, error, position } = result else { panic!("{result:?}") };
    assert_eq!((error.kind, moves.len(), plies), (FaultKind::Died, 1, 1));
    assert_eq!(cost.nodes[0], 0);
    assert!(position.ends_with('O'), "{position}");
    let resigned = GameResult::Ended { outcome: Outcome::LOSS, end: GameEnd::Resigned };
    assert_eq!(play(|_| Err(FaultKind::Resigned), 0).result, resigned);
    let GameResult::Failed { error, .. } = play(|_| Err(FaultKind::ClaimedWin), 0).result else {
        panic!("it has not won");
    };
    assert_eq!(error.reason, "as it likes: the rules do not let it declare one here");
}

/// A typed player's illegal move is the fault that the game loop would find.
#[test]
fn an_illegal_move_is_reported_alike_by_typed_and_adapted_players() {
    struct Stubborn;
    impl Player<Board> for Stubborn {
        fn name(&self) -> &'static str {
            "stubborn"
        }
        fn choose(
            &mut self,
            _: &GameRecord<Board>,
        ) -> Result<Choice<<Board as Position>::Move>, PlayerError> {
            Ok(Choice::blind(Othello::new().start().moves().next().expect("a move")))
        }
    }
    let typed = Othello::new();
    let mut random = rng::stream(5, "stubborn", 0);
    let game = DynGame::new(typed);
    let opening = game.random_walk(1, &mut random).expect("a move");
    let config = MatchGameConfig::default();
    let [a, b]: [Box<dyn Player<Board>>; 2] = [Box::new(Stubborn), Box::new(Stubborn)];
    let mut table = Table::boxed(typed, [a, b], config.clone(), typed_record);
    let seats = [(); 2].map(|()| MatchSeat::Outside(untyped_player(Stubborn)));
    let mut adapted = game.match_table(seats, config);
    let played = table.play(&opening, [0, 0], 0, &Quiet);
    let GameResult::Failed { player: 1, error, .. } = &played.result else { panic!("{played:?}") };
    assert_eq!(error.kind, FaultKind::Illegal);
    assert_eq!(adapted.play(&opening, [0, 0], 0, &Quiet), played);
}

#[test]
fn a_stop_ends_the_game_under_way() {
    struct Stopped;
    impl Progress for Stopped {
        fn begin(&self, _: &str, _: u64, _: &'static str) {}
        fn advance(&self, _: u64) {}
        fn note(&self, _: &str) {}
        fn end(&self) {}
        fn stopped(&self) -> bool {
            true
        }
    }
    let game = DynGame::new(Othello::new());
    let mut table =
        game.match_table(by_hand_and_trivial(&game, [1, 1]), MatchGameConfig::default());
    let opening = GameRecord::new(game.start(), Side::First, game.max_plies());
    assert_eq!(table.play(&opening, [0, 0], 0, &Stopped).result, GameResult::Stopped);
}
