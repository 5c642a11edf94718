//! The rows are the games: replaying the moves gives the positions and results.

use crate::toy::{HEAP, Takeaway, files, made, make, plan};
use evalsmith_core::{Game, Outcome, Position, Side};
use evalsmith_data::{Batch, Dataset, SelfPlay};

/// A row with everything owned.
#[derive(Clone, Debug, PartialEq)]
struct Line {
    game: u32,
    ply: u16,
    side: Side,
    stage: u8,
    position: Vec<u8>,
    mv: Option<String>,
    outcome: Outcome,
    label: Option<f32>,
}

fn lines(dataset: &Dataset) -> Vec<Line> {
    let batches: Vec<Batch> = dataset.rows().map(Result::unwrap).collect();
    let of = |batch: &Batch| -> Vec<Line> {
        let labels = batch.label("search").unwrap();
        let row = |(row, label): (evalsmith_data::Row<'_>, _)| Line {
            game: row.game,
            ply: row.ply,
            side: row.side,
            stage: row.stage.0,
            position: row.position.to_vec(),
            mv: row.mv.map(str::to_owned),
            outcome: row.outcome.unwrap(),
            label,
        };
        batch.rows().zip(labels).map(row).collect()
    };
    batches.iter().flat_map(of).collect()
}

fn check_games(plan: &SelfPlay) {
    let (_dir, dataset) = made(plan);
    let lines = lines(&dataset);
    assert_eq!(lines.len() as u64, dataset.len());
    let games: Vec<_> = lines.chunk_by(|a, b| a.game == b.game).collect();
    let indices: Vec<u32> = games.iter().map(|game| game[0].game).collect();
    assert_eq!(indices, (0..plan.games).collect::<Vec<_>>());
    for game in games {
        let mut ply = plan.opening_plies;
        let (mut position, mut side) = Takeaway.unpack(&game[0].position).unwrap();
        for (i, line) in game.iter().enumerate() {
            assert_eq!((line.ply, line.side), (ply, Side::First.after(ply.into())));
            assert_eq!(Takeaway.unpack(&line.position).unwrap(), (position, side));
            assert_eq!(line.stage, HEAP - position.stones);
            assert_eq!(line.outcome, game[0].outcome.seen_by(game[0].side, line.side));
            let Some(mv) = &line.mv else {
                assert!(i + 1 == game.len() && u32::from(position.stones) <= plan.solve_at);
                assert_eq!(line.label, None);
                break;
            };
            assert!(u32::from(position.stones) > plan.solve_at);
            position = position.play(Takeaway.parse_move(&position, mv).unwrap());
            (ply, side) = (ply + 1, side.other());
        }
        let last = game.last().unwrap();
        let end = Takeaway.solver().unwrap().solve(&position).outcome;
        assert_eq!(last.mv.is_none(), plan.solve_at > 0);
        assert_eq!(position.outcome().is_some(), plan.solve_at == 0);
        assert_eq!(end.seen_by(side, last.side), last.outcome);
    }
}

#[test]
fn rows_replay_to_the_solved_end() {
    check_games(&plan());
}

#[test]
fn rows_replay_to_the_end_by_the_rules() {
    check_games(&SelfPlay { solve_at: 0, ..plan() });
}

#[test]
fn only_searched_moves_have_a_value() {
    let share = |chance| {
        let plan = SelfPlay { chance, solve_at: 0, games: 40, ..plan() };
        let lines = lines(&made(&plan).1);
        lines.iter().filter(|line| line.label.is_some()).count() as f64 / lines.len() as f64
    };
    assert_eq!(share(0.0), 1.0);
    assert_eq!(share(1.0), 0.0);
    assert!((0.4..0.6).contains(&share(0.5)));
}

#[test]
fn the_chance_differs_between_games_and_between_seeds() {
    let info = made(&plan()).1.info().unwrap();
    assert!(info.distinct_games > 15, "{}", info.distinct_games);
    let other = SelfPlay { seed: 6, ..plan() };
    assert_ne!(made(&other).1.digest().unwrap(), info.digest);
}

#[test]
fn threads_change_no_byte() {
    let bytes = |threads| {
        let dir = tempfile::tempdir().unwrap();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| make(&plan(), dir.path())).unwrap();
        files(dir.path())
    };
    let one = bytes(1);
    assert_eq!(one.len(), 7, "six parts and the manifest");
    assert_eq!(one, bytes(2));
    assert_eq!(one, bytes(5));
}

#[test]
fn the_digest_does_not_see_the_layout() {
    let digest = |games_per_part| {
        let (_dir, dataset) = made(&SelfPlay { games_per_part, ..plan() });
        dataset.digest().unwrap()
    };
    assert_eq!(digest(4), digest(23));
    assert_eq!(digest(4), digest(1));
}

#[test]
fn the_summary_counts_what_a_walk_counts() {
    let (_dir, dataset) = made(&plan());
    let (info, lines) = (dataset.info().unwrap(), lines(&dataset));
    assert_eq!((info.games, info.positions, info.parts), (23, lines.len() as u64, 6));
    assert_eq!(info.wins + info.draws + info.losses, 23);
    assert_eq!(info.endings, [("solved".to_owned(), 23)].into());
    let first = |points: f64| {
        let games = lines.chunk_by(|a, b| a.game == b.game);
        let end = |g: &[Line]| g[0].outcome.seen_by(g[0].side, Side::First).points();
        games.filter(|game| end(game) == points).count() as u64
    };
    assert_eq!([info.wins, info.draws, info.losses], [first(1.0), first(0.5), first(0.0)]);
    assert!(info.draws > 0, "the plan was chosen to have draws");
    let distinct: std::collections::HashSet<_> = lines.iter().map(|l| &l.position).collect();
    assert!(info.exact);
    assert_eq!(info.distinct_positions, distinct.len() as u64);
    let repeated = (lines.len() - distinct.len()) as f64 / lines.len() as f64;
    assert!(repeated > 0.0 && (info.duplicates - repeated).abs() < 1e-12);
    assert_eq!(info.by_stage.values().sum::<u64>(), info.positions);
    for (&stage, &count) in &info.by_stage {
        assert_eq!(lines.iter().filter(|l| l.stage == stage).count() as u64, count);
    }
    let text = serde_json::to_string(&info).unwrap();
    assert_eq!(serde_json::from_str::<evalsmith_data::Info>(&text).unwrap(), info);
}
