//! The rules a second time, slowly and obviously: on a two-dimensional array, in
//! White's view, knowing the fast ones only by their text.

#![expect(clippy::unwrap_used, reason = "tests")]

use evalsmith_core::conformance::{Kit, check_features};
use evalsmith_core::{Game, Outcome, Position, perft_by_bulk};
use evalsmith_malawi::{Board, Malawi, Move};

#[derive(Clone)]
struct Slow {
    /// `tiles[rank][file]`: whose tile, with how many balls.
    tiles: [[Option<(char, usize)>; 6]; 6],
    mover: char,
    half_moves: u32,
}

impl Slow {
    fn read(text: &str) -> Self {
        let fields: Vec<&str> = text.split(' ').collect();
        let mut tiles = [[None; 6]; 6];
        for (rank, row) in fields[0].split('/').rev().enumerate() {
            let mut file = 0;
            let mut letters = row.chars();
            while let Some(c) = letters.next() {
                if let Some(run) = c.to_digit(10) {
                    file += run as usize;
                } else {
                    let balls = letters.next().unwrap().to_digit(16).unwrap();
                    tiles[rank][file] = Some((c, balls as usize));
                    file += 1;
                }
            }
        }
        let mover = fields[1].chars().next().unwrap();
        Self { tiles, mover, half_moves: fields[2].parse().unwrap() }
    }

    fn write(&self) -> String {
        let mut rows = Vec::new();
        for row in self.tiles.iter().rev() {
            let mut text: String = row
                .iter()
                .map(|tile| match tile {
                    Some((side, balls)) => format!("{side}{balls:X}"),
                    None => ".".to_owned(),
                })
                .collect();
            for run in (1..=6).rev() {
                text = text.replace(&".".repeat(run), &run.to_string());
            }
            rows.push(text);
        }
        format!("{} {} {}", rows.join("/"), self.mover, self.half_moves)
    }

    fn squares(&self, side: char) -> Vec<(usize, usize, usize)> {
        let mut found = Vec::new();
        for rank in 0..6 {
            for file in 0..6 {
                if let Some((owner, balls)) = self.tiles[rank][file]
                    && owner == side
                {
                    found.push((rank, file, balls));
                }
            }
        }
        found
    }

    /// The squares on which the tile ends, walking one square after the other.
    fn landings(&self, rank: usize, file: usize, balls: usize) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        for (up, right) in [(1, 0), (-1, 0), (0, 1), (0, -1)] {
            let (mut r, mut f) = (rank as i32, file as i32);
            let mut free = balls > 0;
            for step in 1..=balls {
                (r, f) = (r + up, f + right);
                if !(0..6).contains(&r) || !(0..6).contains(&f) {
                    free = false;
                    break;
                }
                match self.tiles[r as usize][f as usize] {
                    None => {}
                    Some((side, n)) if step == balls && side != self.mover && n > 0 => {}
                    Some(_) => {
                        free = false;
                        break;
                    }
                }
            }
            if free {
                found.push((r as usize, f as usize));
            }
        }
        found
    }

    fn outcome(&self) -> Option<Outcome> {
        let tiles = self.squares(self.mover);
        if tiles.iter().all(|&(_, _, balls)| balls == 0) {
            return Some(Outcome::LOSS);
        }
        let goal = if self.mover == 'w' { 5 } else { 0 };
        for (rank, file, balls) in tiles {
            if rank == goal && !self.landings(rank, file, balls).is_empty() {
                return Some(Outcome::WIN);
            }
        }
        (self.half_moves == 500).then_some(Outcome::LOSS)
    }

    fn successors(&self) -> Vec<(String, Self)> {
        let mut found = Vec::new();
        if self.outcome().is_some() {
            return found;
        }
        let name = |rank: usize, file: usize| {
            format!("{}{}", ['a', 'b', 'c', 'd', 'e', 'f'][file], rank + 1)
        };
        let mut base = self.clone();
        base.half_moves += 1;
        base.mover = if self.mover == 'w' { 'b' } else { 'w' };
        let tiles = self.squares(self.mover);
        for &(rank, file, balls) in &tiles {
            let from = name(rank, file);
            for (r, f) in self.landings(rank, file, balls) {
                let mut next = base.clone();
                let sign = if let Some((side, _)) = self.tiles[r][f] {
                    next.tiles[r][f] = Some((side, 0));
                    'x'
                } else {
                    next.tiles[r][f] = next.tiles[rank][file].take();
                    '-'
                };
                found.push((format!("{from}{sign}{}", name(r, f)), next));
            }
            let others: Vec<_> =
                tiles.iter().filter(|&&(r, f, _)| (r, f) != (rank, file)).collect();
            for chosen in 1_usize..32 {
                if balls == 0 || chosen.count_ones() as usize != balls.min(5) {
                    continue;
                }
                let mut next = base.clone();
                next.tiles[rank][file] = Some((self.mover, 0));
                let mut text = format!("{from}>");
                for (i, &&(r, f, n)) in others.iter().enumerate() {
                    if chosen >> i & 1 == 1 {
                        next.tiles[r][f] = Some((self.mover, n + 1));
                        text += &name(r, f);
                    }
                }
                found.push((text, next));
            }
        }
        found
    }

    fn leaves(&self, depth: u32) -> u64 {
        let successors = self.successors();
        if depth == 1 || successors.is_empty() {
            return successors.len().max(1) as u64;
        }
        successors.iter().map(|(_, next)| next.leaves(depth - 1)).sum()
    }
}

fn slow_of(board: &Board) -> Slow {
    Slow::read(&Malawi.format(board, board.to_move()))
}

fn successors(board: &Board) -> Vec<(Move, Board)> {
    let slow = slow_of(board);
    assert_eq!(slow.outcome(), board.outcome(), "{}", slow.write());
    let pairs = slow.successors().into_iter().map(|(name, next)| {
        let m = Malawi.parse_move(board, &name).unwrap_or_else(|e| panic!("{}: {e}", slow.write()));
        (m, Malawi.parse(&next.write()).unwrap().0)
    });
    pairs.collect()
}

#[test]
fn malawi_keeps_the_promises_of_a_game() {
    Kit::of(Malawi).against(successors).games(25).run();
    check_features(&Malawi, 50);
}

#[test]
fn perft_table_is_counted_by_the_slow_rules_too() {
    let start = slow_of(&Malawi.start());
    for (depth, &leaves) in (1..=3).zip(Malawi.perft_table()) {
        assert_eq!(start.leaves(depth), leaves, "slow perft {depth}");
    }
}

#[test]
fn deep_perft_agrees_with_the_table() {
    for (depth, &leaves) in (1..).zip(Malawi.perft_table()) {
        assert_eq!(perft_by_bulk(&Malawi.start(), depth), leaves, "perft {depth}");
    }
}

/// Made the deep end of the table; the quick tests hold the fast rules to it.
#[test]
#[ignore = "takes many minutes"]
fn whole_perft_table_is_counted_by_the_slow_rules() {
    let start = slow_of(&Malawi.start());
    for (depth, &leaves) in (1..).zip(Malawi.perft_table()) {
        assert_eq!(start.leaves(depth), leaves, "slow perft {depth}");
    }
}
