//! Positions taken to rest before they are fitted: in Chess, where exchanges are.

use evalsmith_chess::Chess;
use evalsmith_data::{Maker, features, features_at_rest};
use evalsmith_lab::prelude::*;

#[test]
fn a_position_at_rest_is_the_leaf_of_its_exchanges_with_the_result_of_its_game() {
    let dir = tempfile::tempdir().unwrap();
    let chess = DynGame::new(Chess);
    let by_hand = chess.function_by_hand().unwrap();
    let plan = SelfPlay { games: 6, depth: 1, chance: 0.2, ..SelfPlay::default() };
    let maker = Maker { function: "hand".into(), openings: None, command: "a test".into() };
    generate(&chess, &by_hand, &plan, &maker, dir.path(), &Quiet).unwrap();
    let dataset = Dataset::open(dir.path()).unwrap();
    let played = features(&chess, &dataset, &Quiet).unwrap();
    let rested = features_at_rest(&chess, &dataset, &by_hand, &Quiet).unwrap();

    let hand = Function::by_hand(&Chess).unwrap();
    let mut searcher = Searcher::new(&hand, 0);
    let (mut next, mut moved, mut turned) = (0, 0, 0);
    let batches: Vec<_> = dataset.rows().map(Result::unwrap).collect();
    for (row, stored) in batches.iter().flat_map(evalsmith_data::Batch::rows).enumerate() {
        let (position, side) = Chess.unpack(stored.position).unwrap();
        let mut record = GameRecord::new(position, side, Chess.max_plies());
        let quiet = searcher.quiet(&record);
        for &m in &quiet.line {
            record.play(m).unwrap();
        }
        if record.ending().is_some() {
            continue;
        }
        let at = |table: &evalsmith_data::FeatureTable, row: usize| -> Vec<f32> {
            (0..table.columns.width()).map(|i| table.columns.column(i)[row]).collect()
        };
        if quiet.line.is_empty() {
            assert_eq!(at(&rested, next), at(&played, row));
        } else {
            moved += 1;
        }
        let value = hand.value(record.position(), &hand.start(record.position()), Window::FULL);
        let sign = if record.side() == side { 1 } else { -1 };
        assert_eq!(Score(sign * value.0), quiet.value);
        assert_eq!(rested.sides[next], record.side());
        if record.side() == side {
            assert_eq!(rested.points[next], played.points[row]);
            assert_eq!(rested.searched[next], played.searched[row]);
        } else {
            turned += 1;
            assert_eq!(rested.points[next], 1.0 - played.points[row]);
            assert_eq!(rested.searched[next], played.searched[row].map(|v| -v));
        }
        next += 1;
    }
    assert_eq!(next, rested.len());
    assert!(moved > 20 && turned > 5, "{moved} {turned} of {next}");
}
