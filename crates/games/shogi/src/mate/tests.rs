//! Mates and refutations against trying everything.

use super::*;
use crate::Shogi;
use evalsmith_core::{Game, rng};
use proptest::collection::vec;
use proptest::prelude::*;
use rand::RngExt;

fn read(sfen: &str) -> Board {
    Shogi.parse(sfen).unwrap().0
}

fn found(sfen: &str) -> Option<String> {
    mate(&read(sfen), 10_000).map(|m| m.to_string())
}

#[test]
fn known_mates_are_found() {
    for (sfen, first) in [
        ("4k4/9/4P4/9/9/9/9/9/4K4 b G 1", "G*5b"),
        // White attacks as well as Black.
        ("4k4/9/9/9/9/9/4p4/9/4K4 w g 1", "G*5h"),
        // The gold takes the corner's last flight first.
        ("7nl/7k1/9/6+R2/9/9/9/9/4K4 b 2G 1", "G*2c"),
    ] {
        let board = read(sfen);
        let m = found(sfen);
        assert!(m.is_some(), "{sfen}");
        assert!(within(&board, 5), "{sfen}: {m:?}");
        if sfen.contains(" G 1") || sfen.contains(" g 1") {
            assert_eq!(m.as_deref(), Some(first), "{sfen}");
        }
    }
}

#[test]
fn where_there_is_no_mate_none_is_found() {
    for sfen in [
        "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
        // A pawn must not be dropped for mate; there is nothing else.
        "7lk/9/7G1/9/9/9/9/9/4K4 b P 1",
        // Checks without end.
        "3k5/9/9/9/9/9/9/4R4/4K4 b - 1",
    ] {
        assert_eq!(found(sfen), None, "{sfen}");
    }
}

#[test]
fn a_bound_on_nodes_is_kept() {
    let sfen = "7nl/7k1/9/6+R2/9/9/9/9/4K4 b 2G 1";
    assert_eq!(mate(&read(sfen), 1), None);
}

/// Whether the side to move mates by checks within so many plies, by trying all.
fn within(board: &Board, plies: u32) -> bool {
    plies > 0
        && board.moves().map(|m| board.play(m)).any(|child| {
            child.in_check() && child.moves().all(|m| within(&child.play(m), plies.max(2) - 2))
        })
}

/// A few strong pieces around a bare king.
fn scattered(random: &mut impl Rng) -> Option<Board> {
    let mut board = vec![vec![String::new(); 9]; 9];
    let mut put = |piece: &str, ranks: std::ops::Range<usize>| {
        let (rank, file) = (random.random_range(ranks), random.random_range(0..9_usize));
        if board[rank][file].is_empty() {
            board[rank][file] = piece.to_owned();
        }
    };
    put("K", 8..9);
    put("k", 0..3);
    for piece in ["G", "+R", "S", "B", "g", "p", "n"] {
        put(piece, 0..5);
    }
    let rank = |row: &Vec<String>| {
        row.iter().map(|c| if c.is_empty() { "1" } else { c }).collect::<String>()
    };
    let ranks: Vec<String> = board.iter().map(rank).collect();
    let sfen =
        format!("{} b {} 1", ranks.join("/"), ["G", "S", "P", "N", "-"][random.random_range(0..5)]);
    Shogi.parse(&merged(&sfen)).ok().map(|(board, _)| board)
}

/// Ones that stand together become their sum.
fn merged(sfen: &str) -> String {
    (2..=9).rev().fold(sfen.to_owned(), |text, n| {
        let (board, rest) = text.split_once(' ').unwrap();
        format!("{} {rest}", board.replace(&"1".repeat(n), &n.to_string()))
    })
}

/// A game in which somebody attacks and somebody defends: the nodes that each leads to,
/// the attacker's first. Who defends and cannot move is mated.
#[derive(Clone, Debug)]
struct Chase(Vec<Vec<usize>>);

#[derive(Clone, Copy)]
struct At<'c>(&'c Chase, usize);

impl Node for At<'_> {
    fn id(&self) -> u64 {
        self.1 as u64
    }

    fn children(&self, _attacks: bool) -> Vec<Self> {
        self.0.0[self.1].iter().map(|&node| At(self.0, node)).collect()
    }
}

impl Chase {
    /// From which nodes the attacker mates, however often lines repeat: they are won from
    /// the mates backwards until nothing changes.
    fn mated(&self) -> Vec<bool> {
        let mut mated = vec![false; self.0.len()];
        loop {
            let before = mated.clone();
            for (node, children) in self.0.iter().enumerate() {
                let mut of = children.iter().map(|&child| before[child]);
                let attacks = node < self.0.len() / 2;
                mated[node] = if attacks { of.any(|m| m) } else { of.all(|m| m) };
            }
            if mated == before {
                return mated;
            }
        }
    }
}

fn chases() -> impl Strategy<Value = Chase> {
    (2_usize..10).prop_flat_map(|half| {
        let attacker = vec(vec(half..2 * half, 0..4), half);
        let defender = vec(vec(0..half, 0..3), half);
        (attacker, defender).prop_map(|(a, d)| Chase([a, d].concat()))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    /// Nearly every line of so few nodes repeats.
    #[test]
    fn a_search_that_ends_tells_the_truth(chase in chases()) {
        let mut search = Search::new(5_000);
        search.settle(&At(&chase, 0), true, Numbers { own: SETTLED, other: SETTLED });
        prop_assert!(search.nodes < search.limit);
        prop_assert_eq!(search.known[&0].own == 0, chase.mated()[0]);
        let (mated, half) = (chase.mated(), chase.0.len() / 2);
        for (&node, numbers) in &search.known {
            let (node, attacks) = (node as usize, (node as usize) < half);
            let (proof, refutation) =
                if attacks { (numbers.own, numbers.other) } else { (numbers.other, numbers.own) };
            prop_assert!(proof > 0 || mated[node]);
            prop_assert!(refutation > 0 || !mated[node]);
        }
    }
}

/// Whether what the search knows proves the mate: a won move for the attacker at
/// every turn, whatever the answers, and no position twice in a line.
fn proves(search: &Search, board: &Board, attacks: bool, line: &mut Vec<u64>) -> bool {
    let won = |board: &Board| search.known.get(&board.key()).is_some_and(|n| n.own == 0);
    let lost = |board: &Board| search.known.get(&board.key()).is_some_and(|n| n.other == 0);
    if line.contains(&board.key()) {
        return false;
    }
    line.push(board.key());
    let mut children = board.moves().map(|m| board.play(m));
    let proved = if attacks {
        children
            .any(|child| child.in_check() && lost(&child) && proves(search, &child, false, line))
    } else {
        children.all(|child| won(&child) && proves(search, &child, true, line))
    };
    line.pop();
    proved
}

#[test]
fn mates_are_proved_and_none_in_three_is_missed() {
    let mut random = rng::stream(1, "mate", 0);
    let (mut mates, mut others) = (0, 0);
    while mates < 30 || others < 30 {
        let Some(board) = scattered(&mut random) else { continue };
        let mut search = Search::new(3_000);
        search.settle(&board, true, Numbers { own: SETTLED, other: SETTLED });
        let found = mate(&board, 3_000).is_some();
        assert!(found || !within(&board, 3), "{board:?} is mate in three");
        assert!(!found || proves(&search, &board, true, &mut Vec::new()), "{board:?}");
        *(if found { &mut mates } else { &mut others }) += 1;
    }
}

#[test]
fn checks_are_the_moves_after_which_the_king_is_attacked() {
    let mut random = rng::stream(2, "mate", 0);
    let mut seen = 0;
    for _ in 0..400 {
        let Some(board) = scattered(&mut random) else { continue };
        let slow: Vec<Move> = board.moves().filter(|&m| board.play(m).in_check()).collect();
        seen += slow.len();
        assert_eq!(checks(&board), slow, "{board:?}");
    }
    assert!(seen > 1000, "{seen} checks");
}
