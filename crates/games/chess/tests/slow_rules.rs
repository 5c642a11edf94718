//! The conformance kit, against rules on a board of letters that make every
//! pseudo-legal move and see whether the king can be taken.

use evalsmith_chess::{Board, Chess, Move};
use evalsmith_core::conformance::{Kit, check_features};
use evalsmith_core::{Game, Position, Side};

/// The fields of a FEN; White's pieces are capitals.
#[derive(Clone)]
struct Letters {
    squares: [u8; 64],
    white: bool,
    castling: String,
    passed: Option<i32>,
    clock: u32,
    number: u32,
}

const ALL_WAYS: [(i32, i32); 8] =
    [(0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (1, -1), (-1, 1), (-1, -1)];
const LEAPS: [(i32, i32); 8] =
    [(1, 2), (2, 1), (-1, 2), (-2, 1), (1, -2), (2, -1), (-1, -2), (-2, -1)];

/// The square some files and ranks away, on the board.
fn at(square: i32, (files, ranks): (i32, i32)) -> Option<i32> {
    let (file, rank) = (square % 8 + files, square / 8 + ranks);
    ((0..8).contains(&file) && (0..8).contains(&rank)).then_some(8 * rank + file)
}

fn name(square: i32) -> String {
    format!("{}{}", char::from(b'a' + (square % 8) as u8), square / 8 + 1)
}

impl Letters {
    fn read(fen: &str) -> Self {
        let fields: Vec<_> = fen.split(' ').collect();
        let mut squares = [b'.'; 64];
        for (row, line) in fields[0].split('/').enumerate() {
            let mut file = 0;
            for sign in line.bytes() {
                if sign.is_ascii_digit() {
                    file += usize::from(sign - b'0');
                } else {
                    squares[8 * (7 - row) + file] = sign;
                    file += 1;
                }
            }
        }
        let square = |text: &[u8]| i32::from(text[0] - b'a') + 8 * i32::from(text[1] - b'1');
        Self {
            squares,
            white: fields[1] == "w",
            castling: fields[2].to_owned(),
            passed: (fields[3] != "-").then(|| square(fields[3].as_bytes())),
            clock: fields[4].parse().expect("a clock"),
            number: fields[5].parse().expect("a number"),
        }
    }

    fn write(&self) -> String {
        let row = |rank: usize| {
            let signs: String =
                self.squares[8 * rank..][..8].iter().copied().map(char::from).collect();
            (1..=8).rev().fold(signs, |s, n| s.replace(&".".repeat(n), &n.to_string()))
        };
        let rows: Vec<_> = (0..8).rev().map(row).collect();
        let side = if self.white { 'w' } else { 'b' };
        let castling = if self.castling.is_empty() { "-" } else { &self.castling };
        let passed = self.passed.map_or("-".to_owned(), name);
        format!("{} {side} {castling} {passed} {} {}", rows.join("/"), self.clock, self.number)
    }

    fn on(&self, square: i32) -> u8 {
        self.squares[square as usize]
    }

    fn is_own(&self, square: i32) -> bool {
        let sign = self.on(square);
        sign != b'.' && sign.is_ascii_uppercase() == self.white
    }

    fn is_enemy(&self, square: i32) -> bool {
        self.on(square) != b'.' && !self.is_own(square)
    }

    /// From, to and promotion of every move but castling, checks not regarded.
    fn pseudo_legal(&self) -> Vec<(i32, i32, Option<u8>)> {
        let mut found = Vec::new();
        for from in (0..64).filter(|&s| self.is_own(s)) {
            let (ways, far): (&[_], i32) = match self.on(from).to_ascii_lowercase() {
                b'p' => {
                    self.pawn_moves(from, &mut found);
                    continue;
                }
                b'n' => (&LEAPS, 1),
                b'b' => (&ALL_WAYS[4..], 7),
                b'r' => (&ALL_WAYS[..4], 7),
                b'q' => (&ALL_WAYS, 7),
                _ => (&ALL_WAYS, 1),
            };
            for &(files, ranks) in ways {
                for step in 1..=far {
                    let Some(to) = at(from, (files * step, ranks * step)) else { break };
                    if self.is_own(to) {
                        break;
                    }
                    found.push((from, to, None));
                    if self.is_enemy(to) {
                        break;
                    }
                }
            }
        }
        found
    }

    fn pawn_moves(&self, from: i32, found: &mut Vec<(i32, i32, Option<u8>)>) {
        let (up, home) = if self.white { (1, 1) } else { (-1, 6) };
        let mut add = |to: i32| {
            if matches!(to / 8, 0 | 7) {
                found.extend(b"nbrq".iter().map(|&piece| (from, to, Some(piece))));
            } else {
                found.push((from, to, None));
            }
        };
        let ahead = at(from, (0, up)).expect("no pawn stands on the last rank");
        if self.on(ahead) == b'.' {
            add(ahead);
            let further = at(from, (0, 2 * up)).filter(|&s| from / 8 == home && self.on(s) == b'.');
            further.into_iter().for_each(&mut add);
        }
        for to in [-1, 1].into_iter().filter_map(|side| at(from, (side, up))) {
            if self.is_enemy(to) || self.passed == Some(to) {
                add(to);
            }
        }
    }

    /// The board after a move, whether or not it leaves the king to be taken.
    fn after(&self, from: i32, to: i32, promotion: Option<u8>) -> Self {
        let mut next = self.clone();
        let sign = self.on(from);
        let pawn = sign.eq_ignore_ascii_case(&b'p');
        let placed =
            promotion.map_or(sign, |p| if self.white { p.to_ascii_uppercase() } else { p });
        next.squares[from as usize] = b'.';
        next.squares[to as usize] = placed;
        if pawn && self.passed == Some(to) {
            next.squares[(8 * (from / 8) + to % 8) as usize] = b'.';
        }
        next.passed = (pawn && (from - to).abs() == 16).then_some(i32::midpoint(from, to));
        next.clock = if pawn || self.on(to) != b'.' { 0 } else { self.clock + 1 };
        next.number += u32::from(!self.white);
        next.white = !self.white;
        let lost = |square: i32| match square {
            4 => "KQ",
            60 => "kq",
            7 => "K",
            0 => "Q",
            63 => "k",
            56 => "q",
            _ => "",
        };
        next.castling.retain(|c| !lost(from).contains(c) && !lost(to).contains(c) && c != '-');
        next
    }

    /// Whether the side to move could take on a square.
    fn attacks(&self, square: i32) -> bool {
        let mut board = self.clone();
        // Something to take, so that pawns say whether they attack it.
        board.squares[square as usize] = if self.white { b'n' } else { b'N' };
        board.pseudo_legal().iter().any(|&(_, to, _)| to == square)
    }

    fn leaves_king_in_check(&self) -> bool {
        let king = if self.white { b'k' } else { b'K' };
        let square = self.squares.iter().position(|&s| s == king).expect("a king");
        self.attacks(square as i32)
    }

    /// Castling, as the king's two steps and the board after it.
    fn castlings(&self) -> Vec<(i32, i32, Self)> {
        let (king, rights) = if self.white { (4, "KQ") } else { (60, "kq") };
        let mut enemy = self.clone();
        enemy.white = !self.white;
        let mut found = Vec::new();
        for (sign, way, rook, between) in
            [(&rights[..1], 1, king + 3, &[1, 2][..]), (&rights[1..], -1, king - 4, &[-1, -2, -3])]
        {
            let free = between.iter().all(|step| self.on(king + step) == b'.');
            let safe = [0, way, 2 * way].iter().all(|step| !enemy.attacks(king + step));
            if self.castling.contains(sign) && free && safe {
                let mut next = self.after(king, king + 2 * way, None);
                next.squares[(king + way) as usize] = self.on(rook);
                next.squares[rook as usize] = b'.';
                found.push((king, king + 2 * way, next));
            }
        }
        found
    }

    /// Kings and one knight at most, or bishops on squares of one colour.
    fn is_dead(&self) -> bool {
        let of = |signs: &str| -> Vec<i32> {
            let here = |&s: &i32| signs.as_bytes().contains(&self.on(s).to_ascii_lowercase());
            (0..64).filter(here).collect()
        };
        let (knights, bishops) = (of("n").len(), of("b"));
        let bright = bishops.iter().filter(|&&s| (s % 8 + s / 8) % 2 == 1).count();
        of("prq").is_empty()
            && (knights + bishops.len() <= 1
                || knights == 0 && (bright == 0 || bright == bishops.len()))
    }
}

fn successors(board: &Board) -> Vec<(Move, Board)> {
    let before = Letters::read(&Chess.format(board, board.to_move()));
    if before.clock >= 100 || before.is_dead() {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (from, to, promotion) in before.pseudo_legal() {
        let next = before.after(from, to, promotion);
        if !next.leaves_king_in_check() {
            let promotion = promotion.map_or(String::new(), |p| char::from(p).to_string());
            found.push((format!("{}{}{promotion}", name(from), name(to)), next));
        }
    }
    found.extend(
        before
            .castlings()
            .into_iter()
            .map(|(from, to, next)| (format!("{}{}", name(from), name(to)), next)),
    );
    let resolve = |(text, next): (String, Letters)| {
        let m = Chess.parse_move(board, &text).expect("the move is legal");
        let (slow, _) = Chess.parse(&next.write()).expect("a position");
        let fast = board.play(m);
        let clocks = |board: &Board| (board.half_move_clock(), board.move_number());
        assert_eq!(clocks(&slow), clocks(&fast), "clocks are no part of equality: {board:?}");
        assert_eq!(Chess.format_uci(board, m), text);
        (m, slow)
    };
    found.into_iter().map(resolve).collect()
}

#[test]
fn chess_keeps_the_promises() {
    Kit::of(Chess).games(16).against(successors).run();
}

/// Random games seldom castle or capture en passant; these positions do.
#[test]
fn rare_moves_are_the_slow_ones() {
    for text in [
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
        "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
    ] {
        let (board, _) = Chess.parse(text).expect("a position");
        for m in board.moves() {
            let board = board.play(m);
            let slow = successors(&board);
            assert_eq!(slow.len(), board.move_count(), "{board:?}");
            assert!(slow.iter().all(|(m, next)| board.play(*m) == *next), "{board:?}");
        }
    }
    assert_eq!(Chess.start().to_move(), Side::First);
}

#[test]
fn features_keep_the_promises() {
    check_features(&Chess, 100);
}
