//! In every game a search with an alpha-beta-evaluation function finds the same
//! value in the same nodes as with its plain twin (heinz93 section 3).

use evalsmith_lab::prelude::*;
use rand::RngExt;

/// A tree with random questions about values that occur in the game, and random
/// leaves.
fn random_tree<G: Game>(game: &G, seed: u64) -> Tree {
    let mut random = rng::stream(seed, "tree", 0);
    let features = game.features();
    let mut seen: Vec<Vec<f32>> = Vec::new();
    let mut position = game.start();
    while let Some(moves) = Some(position.moves().collect::<Vec<_>>()).filter(|m| !m.is_empty())
        && seen.len() < 60
    {
        let mut row = Vec::new();
        features.append_all(&position, &mut row);
        seen.push(row);
        position = position.play(moves[random.random_range(0..moves.len())]);
    }
    let width = features.count();
    let mut nodes = vec![Node { weight: 40.0, ..Node::default() }];
    for at in 0..150 {
        let left = nodes.len() as u32;
        let feature = random.random_range(0..width);
        let threshold = seen[random.random_range(0..seen.len())][feature];
        nodes[at] = Node { feature: feature as u32, threshold, left, ..nodes[at] };
        for _ in 0..2 {
            let sum = 40.0 * (2.0 * random.random::<f64>() - 1.0);
            nodes.push(Node { weight: 40.0, sum, ..Node::default() });
        }
    }
    let stages = game.stages();
    let growth = Growth::new(nodes, width + usize::from(stages > 1)).expect("a tree");
    Tree::new(features.names(), stages, Response::Chance, growth).expect("a model")
}

/// A game of random moves that goes on.
fn opening<G: Game>(game: &G, plies: usize, seed: u64) -> GameRecord<G::Position> {
    let mut random = rng::stream(seed, "openings", 0);
    loop {
        let mut record = GameRecord::new(game.start(), Side::First, game.max_plies());
        while record.ending().is_none() && record.ply() < plies {
            let moves: Vec<_> = record.position().moves().collect();
            record.play(moves[random.random_range(0..moves.len())]).expect("a legal move");
        }
        if record.ending().is_none() {
            return record;
        }
    }
}

fn windows_change_nothing<G: Game>(game: &G, plies: usize, depth: u8) {
    let openings: Vec<_> = (0..6).map(|seed| opening(game, plies, seed)).collect();
    for seed in 0..3 {
        let model = random_tree(game, seed).into();
        let function = Function::of_model(model, game).expect("a function");
        for table in [0, 1 << 20] {
            for record in &openings {
                let found = Searcher::new(&function, table).fixed_depth(record, depth);
                let plain = Searcher::new(Plain(&function), table).fixed_depth(record, depth);
                assert_eq!(
                    (found.value, found.nodes, found.best),
                    (plain.value, plain.nodes, plain.best),
                    "{} with a table of {table} bytes, seed {seed}",
                    game.name()
                );
            }
        }
    }
}

#[test]
fn othello() {
    windows_change_nothing(&evalsmith_othello::Othello::new(), 12, 4);
}

#[test]
fn malawi() {
    windows_change_nothing(&evalsmith_malawi::Malawi, 12, 3);
}

#[test]
fn chess() {
    windows_change_nothing(&evalsmith_chess::Chess, 8, 2);
}

#[test]
fn shogi() {
    windows_change_nothing(&evalsmith_shogi::Shogi, 8, 2);
}

#[test]
fn go() {
    windows_change_nothing(&evalsmith_go::Go::default(), 20, 2);
}
