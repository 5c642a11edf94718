//! BILL's features on the positions of random games.

use evalsmith_core::{Features, Game, Position, rng};
#[cfg(target_arch = "x86_64")]
use evalsmith_othello::X86V3;
use evalsmith_othello::features::Bill;
use evalsmith_othello::{Board, Kernel, Othello};
use rand::RngExt;

fn main() {
    divan::main();
}

fn boards<K: Kernel>(game: &Othello<K>) -> Vec<Board<K>> {
    let mut boards = Vec::new();
    for index in 0..20 {
        let mut random = rng::stream(1, "features", index);
        let mut board = game.start();
        loop {
            let moves: Vec<_> = board.moves().collect();
            if moves.is_empty() {
                break;
            }
            boards.push(board);
            board = board.play(moves[random.random_range(0..moves.len())]);
        }
    }
    boards
}

/// The sum of one feature over the boards, or of all four.
fn sum<K: Kernel>(boards: &[Board<K>], feature: Option<usize>) -> f32 {
    let bill = Bill::new();
    let value = |board| {
        let mut scratch = <Bill as Features<Board<K>>>::Scratch::default();
        match feature {
            Some(i) => bill.get(board, i, &mut scratch),
            None => (0..4).map(|i| bill.get(board, i, &mut scratch)).sum(),
        }
    };
    boards.iter().map(value).sum()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn sum_x86_v3(boards: &[Board<X86V3>], feature: Option<usize>) -> f32 {
    let bill = Bill::new();
    let mut total = 0.0;
    for board in boards {
        let mut scratch = <Bill as Features<Board<X86V3>>>::Scratch::default();
        match feature {
            Some(i) => total += bill.get(board, i, &mut scratch),
            None => (0..4).for_each(|i| total += bill.get(board, i, &mut scratch)),
        }
    }
    total
}

#[divan::bench(args = [Some(0), Some(1), Some(2), Some(3), None])]
fn portable(bencher: divan::Bencher, feature: Option<usize>) {
    let boards = boards(&Othello::new());
    let items = divan::counter::ItemsCount::new(boards.len());
    bencher.counter(items).bench(|| sum(&boards, feature));
}

#[cfg(target_arch = "x86_64")]
#[divan::bench(args = [Some(0), Some(1), Some(2), Some(3), None])]
fn x86_v3(bencher: divan::Bencher, feature: Option<usize>) {
    let Some(game) = Othello::detect() else { return };
    let boards = boards(&game);
    let items = divan::counter::ItemsCount::new(boards.len());
    bencher.counter(items).bench(|| {
        // SAFETY: the game exists, so every feature was detected.
        #[expect(unsafe_code, reason = "calls code compiled for the detected processor")]
        unsafe {
            sum_x86_v3(&boards, feature)
        }
    });
}
