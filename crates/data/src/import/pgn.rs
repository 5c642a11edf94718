//! PGN: tags, then moves with numbers, comments, variations and remarks.
//!
//! The main line is kept; variations are passed over. A comment's `[%eval 0.35]`
//! or `[%eval #-3]` is White's value of the position after the move before it,
//! in pawns or moves to mate. The result is that of the tag and of the
//! terminator, which must not contradict each other.
//!
//! Invariant: the moves are cut out and not looked into, in one pass over each
//! line; only the rules know what they mean.

mod bytes;

use super::epd::named_result;
use super::script::{Fault, Place, Reader, Script, Start, Why};
use crate::records::log_odds;
use crate::source::Lines;
use bytes::{BLOCK, Masks, masks};
use evalsmith_core::{Game, Outcome, Side};
use evalsmith_rules::DynGame;
use memchr::memchr;

/// Log-odds of a mate that somebody saw.
const MATE: f32 = 1000.0;

/// What a byte of the moves begins.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Blank,
    /// A move.
    Word,
    /// A number, a result, or castling with zeros.
    Digit,
    /// Something with a meaning of its own, or none.
    Sign,
    Foreign,
}

const CLASSES: [Class; 256] = {
    let mut classes = [Class::Foreign; 256];
    let mut byte = 0;
    while byte < 128 {
        classes[byte] = match byte as u8 {
            b' ' | b'\t' | 0x0B | 0x0C | b'\r' => Class::Blank,
            b'0'..=b'9' => Class::Digit,
            b'a'..=b'z'
            | b'A'..=b'Z'
            | b'+'
            | b'#'
            | b'='
            | b'-'
            | b'@'
            | b':'
            | b'/'
            | b'_'
            | b'>' => Class::Word,
            b'{' | b'}' | b'(' | b')' | b';' | b'$' | b'.' | b'!' | b'?' | b'*' | b'<' => {
                Class::Sign
            }
            _ => Class::Foreign,
        };
        byte += 1;
    }
    classes
};

/// The bytes that words are made of.
static IN_WORD: [bool; 256] = {
    let mut inside = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        inside[byte] = matches!(CLASSES[byte], Class::Word | Class::Digit);
        byte += 1;
    }
    inside
};

pub(crate) struct Pgn {
    lines: Lines,
    game: String,
    white: Side,
    /// A record was given up; its rest must be passed over.
    lost: bool,
}

/// How far a record has been read.
#[derive(Default)]
struct State {
    tagged: Option<Outcome>,
    /// The terminator, and the result that it tells.
    ended: bool,
    terminated: Option<Outcome>,
    depth: u32,
    in_comment: bool,
}

impl Pgn {
    pub(crate) fn new(lines: Lines, game: &DynGame) -> Self {
        let white = if game.side_names()[0] == "black" { Side::Second } else { Side::First };
        Self { lines, game: game.name().to_owned(), white, lost: false }
    }

    fn record(&mut self, script: &mut Script) -> Result<bool, Fault> {
        let mut state = State::default();
        let mut begun = false;
        let mut in_moves = false;
        loop {
            let line = match self.lines.next() {
                Ok(line) => line,
                Err(e) => return Err(Fault::io(&e, Place::Line(self.lines.number()))),
            };
            let Some(line) = line else {
                return if begun { self.end_of_file(&state, script) } else { Ok(false) };
            };
            if self.lost {
                if !is_tag(line) {
                    continue;
                }
                self.lost = false;
            }
            let outside = state.depth == 0 && !state.in_comment;
            if outside && (line.is_empty() || line[0] == b'%') {
                continue;
            }
            if outside && line[0] == b'[' {
                if in_moves {
                    // The terminator is missing; the tag must do.
                    self.lines.put_back();
                    break;
                }
                if !begun {
                    script.clear(Place::Line(self.lines.number()));
                }
                begun = true;
                let read = tag(self.lines.line(), self.white, &self.game, &mut state, script);
                let place = Place::Line(self.lines.number());
                read.map_err(|(why, reason)| Fault::new(why, place, reason))?;
                continue;
            }
            if !begun {
                script.clear(Place::Line(self.lines.number()));
            }
            (begun, in_moves) = (true, true);
            let number = self.lines.number();
            let line = self.lines.line();
            moves(line, number, self.white, &mut state, script)
                .map_err(|reason| Fault::malformed(Place::Line(number), reason))?;
            if state.ended {
                break;
            }
            if script.is_too_long() {
                let reason = "more than 65535 moves, or 64 MiB of them; it is no game";
                return Err(Fault::malformed(Place::Line(number), reason));
            }
        }
        let ended = state.terminated;
        if let (Some(tagged), Some(ended)) = (state.tagged, ended)
            && tagged != ended
        {
            let reason = "the tag and the end of the moves tell different results";
            let place = Place::Line(self.lines.number());
            return Err(Fault::new(Why::Contradiction, place, reason));
        }
        let white = ended.or(state.tagged);
        script.told = white.map(|outcome| outcome.seen_by(self.white, Side::First));
        Ok(true)
    }

    fn end_of_file(&self, state: &State, script: &Script) -> Result<bool, Fault> {
        let reason = match (state.in_comment, state.depth, script.ply()) {
            (true, ..) => "the file ends within a comment",
            (_, 1.., _) => "the file ends within a variation",
            (_, _, 0) => "the file ends before the moves",
            _ => "the file ends without a result after the moves",
        };
        let place = Place::Line(self.lines.number());
        Err(Fault::new(Why::Truncated, place, reason).and_the_rest())
    }
}

impl Reader for Pgn {
    fn next(&mut self, script: &mut Script) -> Result<bool, Fault> {
        let read = self.record(script);
        if let Err(fault) = &read {
            // A contradiction is found only after the whole record was read.
            self.lost = fault.why != Why::Contradiction;
        }
        read
    }
}

/// Whether a line looks like `[Name "value"]`.
fn is_tag(line: &[u8]) -> bool {
    line.first() == Some(&b'[') && line.get(1).is_some_and(u8::is_ascii_alphabetic)
}

fn tag(
    line: &[u8],
    white: Side,
    game: &str,
    state: &mut State,
    script: &mut Script,
) -> Result<(), (Why, String)> {
    let name_end = line.iter().position(|&b| b == b' ' || b == b'"').unwrap_or(line.len());
    let name = &line[1..name_end.max(1)];
    if !matches!(
        name,
        b"Result" | b"FEN" | b"WhiteElo" | b"BlackElo" | b"Variant" | b"White" | b"Black"
    ) {
        return Ok(());
    }
    let odd = || {
        let line = String::from_utf8_lossy(line);
        (Why::Malformed, format!("{line:?} is no tag; write [Name \"value\"]"))
    };
    let open = line.iter().position(|&b| b == b'"').ok_or_else(odd)?;
    let close = line.iter().rposition(|&b| b == b'"').filter(|&at| at > open).ok_or_else(odd)?;
    let value = String::from_utf8_lossy(&line[open + 1..close]);
    match name {
        b"Result" => state.tagged = named_result(value.trim()),
        b"FEN" => script.start = Start::Own(value.trim().to_owned()),
        b"WhiteElo" => script.ratings[white.index()] = value.trim().parse().ok(),
        b"BlackElo" => script.ratings[white.other().index()] = value.trim().parse().ok(),
        b"Variant" => {
            let value = value.trim();
            let usual = |name: &str| value.eq_ignore_ascii_case(name);
            let is_usual = game == "chess" && (usual("standard") || usual("from position"));
            if !usual(game) && !is_usual {
                return Err((Why::Variant, format!("it is {value}, not {game}")));
            }
        }
        b"White" => script.whose.push_str(&value),
        _ => {
            script.whose.push_str(" - ");
            script.whose.push_str(&value);
        }
    }
    Ok(())
}

/// Reads a line of moves, up to the terminator.
fn moves(
    line: &[u8],
    number: u64,
    white: Side,
    state: &mut State,
    script: &mut Script,
) -> Result<(), String> {
    let place = Place::Line(number);
    let mut at = 0;
    if state.in_comment {
        at = comment(line, 0, white, state, script);
    }
    // The line is copied once, not word by word.
    let mut base = None;
    let mut push = |begin: usize, end: usize, script: &mut Script| {
        let base = *base.get_or_insert_with(|| script.hold(line));
        script.push_held(base + begin as u32, base + end as u32, None, place);
    };
    while at < line.len() {
        if state.depth == 0 {
            at = plain_words(line, at, |begin, end| push(begin, end, script));
        }
        let Some(&byte) = line.get(at) else { break };
        match CLASSES[usize::from(byte)] {
            Class::Word => {
                let begin = at;
                at = word_end(line, at + 1);
                if state.depth == 0 && &line[begin..at] != b"e.p." {
                    push(begin, at, script);
                }
            }
            Class::Digit => {
                let begin = at;
                at += 1;
                while line.get(at).is_some_and(u8::is_ascii_digit) {
                    at += 1;
                }
                // A number: of a move, or of a remark.
                if line.get(at).is_none_or(|next| !IN_WORD[usize::from(*next)]) {
                    continue;
                }
                at = word_end(line, at);
                let word = &line[begin..at];
                if state.depth > 0 {
                    continue;
                }
                match std::str::from_utf8(word).ok().and_then(named_result) {
                    Some(result) => {
                        (state.ended, state.terminated) = (true, Some(result));
                        return Ok(());
                    }
                    None => push(begin, at, script),
                }
            }
            Class::Sign => match byte {
                b'{' => at = comment(line, at + 1, white, state, script),
                b'(' => {
                    state.depth += 1;
                    at += 1;
                }
                b')' => {
                    state.depth =
                        state.depth.checked_sub(1).ok_or("a variation ends that never began")?;
                    at += 1;
                }
                b';' => return Ok(()),
                b'$' => {
                    at += 1;
                    while line.get(at).is_some_and(u8::is_ascii_digit) {
                        at += 1;
                    }
                }
                b'*' if state.depth == 0 => {
                    state.ended = true;
                    return Ok(());
                }
                b'}' => return Err("a comment ends that never began".to_owned()),
                _ => at += 1,
            },
            Class::Blank => at += 1,
            Class::Foreign if state.depth > 0 => at += 1,
            Class::Foreign => {
                let sign = if byte.is_ascii_graphic() {
                    format!("{:?}", char::from(byte))
                } else {
                    format!("the byte {byte:#04x}")
                };
                return Err(format!("{sign} among the moves"));
            }
        }
    }
    Ok(())
}

/// Passes over moves, their numbers and the space between them; returns where
/// something begins that needs a closer look, or the line's end.
#[inline]
fn plain_words(line: &[u8], mut at: usize, mut push: impl FnMut(usize, usize)) -> usize {
    while at < line.len() {
        let Masks { words, digits, dots, special } = masks(line, at);
        let starts = words & !(words << 1);
        // Adding a bit to the end of a row of ones carries it to the row's other end:
        // so the digits are passed over that words begin with.
        let behind_digits = digits.wrapping_add(starts & digits) & !digits;
        // Results and castling by zeros go on behind their digits, and a dot may belong
        // to the word before it.
        let dotted = dots & (words << 1) & !(digits << 1);
        let limit = (special | (behind_digits & words) | dotted).trailing_zeros();
        let before = |bit: u32| 1_u64.checked_shl(bit).map_or(!0, |bit| bit - 1);
        // A word that reaches the limit is left for the closer look, or, where the limit
        // is the block's end, for the next block.
        let touches = limit > 0 && words >> (limit - 1) & 1 == 1;
        let last = || (starts & before(limit)).checked_ilog2().unwrap_or_default();
        let stop = if touches { last() } else { limit };
        let mut moves = starts & !digits & before(stop);
        while moves != 0 {
            let begin = moves.trailing_zeros();
            let end = begin + (!(words >> begin)).trailing_zeros();
            push(at + begin as usize, at + end as usize);
            moves &= moves - 1;
        }
        at += stop as usize;
        if limit < BLOCK as u32 || stop == 0 {
            return at;
        }
    }
    line.len()
}

/// Where the bytes of words end that go on from `at`.
///
/// Moves are short and of every length: eight bytes are looked up at once, since
/// a branch for each of them would be guessed wrong at nearly every move.
#[inline]
fn letters_end(line: &[u8], mut at: usize) -> usize {
    while let Some(bytes) = line.get(at..).and_then(<[u8]>::first_chunk::<8>) {
        let inside = bytes.map(|byte| u32::from(IN_WORD[usize::from(byte)]));
        let mask = (0..8).fold(0, |mask, i| mask | (inside[i] << i));
        let run = mask.trailing_ones() as usize;
        at += run;
        if run < 8 {
            return at;
        }
    }
    while line.get(at).is_some_and(|byte| IN_WORD[usize::from(*byte)]) {
        at += 1;
    }
    at
}

/// Where a word ends that goes on from `at`, which is not its beginning.
#[inline]
fn word_end(line: &[u8], mut at: usize) -> usize {
    loop {
        at = letters_end(line, at);
        let next = line.get(at + 1);
        match line.get(at) {
            // A drop of Shogi; the terminator stands by itself.
            Some(b'*') if next.is_some_and(u8::is_ascii_alphanumeric) => at += 1,
            // `exd6e.p.` and `e8(Q)` are one word.
            Some(b'.') if matches!(line[at - 1], b'e' | b'p') => at += 1,
            Some(b'(')
                if next.is_some_and(u8::is_ascii_alphabetic) && line.get(at + 2) == Some(&b')') =>
            {
                at += 3;
            }
            _ => return at,
        }
    }
}

/// Passes over a comment from `at` on; returns where it ends.
fn comment(line: &[u8], at: usize, white: Side, state: &mut State, script: &mut Script) -> usize {
    let rest = &line[at..];
    let close = memchr(b'}', rest);
    let text = &rest[..close.unwrap_or(rest.len())];
    state.in_comment = close.is_none();
    if state.depth == 0
        && let Some(value) = eval(text)
    {
        script.note_value(if white == Side::First { value } else { -value });
    }
    at + close.map_or(rest.len(), |close| close + 1)
}

/// White's log-odds by a comment's `[%eval ...]`.
fn eval(comment: &[u8]) -> Option<f32> {
    const MARK: &[u8] = b"[%eval";
    let percent = memchr(b'%', comment)?;
    let at = comment[percent.saturating_sub(1)..].windows(MARK.len()).position(|w| w == MARK)?;
    let value = comment.get(percent.saturating_sub(1) + at + MARK.len()..)?;
    let end = value.iter().position(|&b| b == b']' || b == b',')?;
    let text = std::str::from_utf8(&value[..end]).ok()?.trim();
    match text.strip_prefix('#') {
        Some(moves) => Some(if moves.starts_with('-') { -MATE } else { MATE }),
        None => text.parse::<f64>().ok().filter(|pawns| pawns.is_finite()).map(log_odds),
    }
}

#[cfg(test)]
mod tests {
    use super::super::InputFormat;
    use super::super::trial::{fault, read, read_one};
    use super::*;
    use crate::records::tests::chess;
    use evalsmith_core::Position;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn eight_bytes_at_once_are_eight_bytes(
            line in "[a-h1-8NxO+#=. !(){}*\u{e9}-]{0,40}", at in 0_usize..40,
        ) {
            let line = line.as_bytes();
            let at = at.min(line.len());
            let inside = |byte: &&u8| IN_WORD[usize::from(**byte)];
            prop_assert_eq!(letters_end(line, at), at + line[at..].iter().take_while(inside).count());
        }
    }

    /// [`plain_words`] byte by byte.
    fn plain_words_slowly(line: &[u8]) -> (Vec<(usize, usize)>, usize) {
        let is_space = |byte: u8| {
            CLASSES[usize::from(byte)] == Class::Blank || matches!(byte, b'.' | b'!' | b'?')
        };
        let (mut found, mut at) = (Vec::new(), 0);
        while let Some(&byte) = line.get(at) {
            if is_space(byte) {
                at += 1;
                continue;
            }
            let end = letters_end(line, at);
            let word = &line[at..end];
            let digits = word.iter().take_while(|byte| byte.is_ascii_digit()).count();
            let next = line.get(end).copied();
            let ends_in_digit = word.last().is_some_and(u8::is_ascii_digit);
            if word.is_empty()
                || (digits > 0 && digits < word.len())
                || next.is_some_and(|next| !is_space(next) || (next == b'.' && !ends_in_digit))
            {
                return (found, at);
            }
            if digits == 0 {
                found.push((at, end));
            }
            at = end;
        }
        (found, line.len())
    }

    proptest! {
        #[test]
        fn words_found_in_bits_are_those_found_byte_by_byte(
            words in prop::collection::vec(
                prop_oneof![
                    9 => "[NBRQK]?[a-h]?x?[a-h][1-8][+#]?", 6 => "[1-9][0-9]?[0-9]?\\.",
                    1 => Just("e.p.".to_owned()), 1 => "O-O(-O)?[!?]", 1 => "[a-h12. !?({*0-]{0,9}",
                ],
                0..40,
            ),
            gap in prop_oneof![Just(""), Just(" "), Just("  ")],
        ) {
            let line = words.join(gap);
            let line = line.as_bytes();
            let longest = line.split(|byte| !IN_WORD[usize::from(*byte)]).map(<[u8]>::len).max();
            prop_assume!(longest.unwrap_or_default() < BLOCK);
            let mut found = Vec::new();
            let stop = plain_words(line, 0, |begin, end| found.push((begin, end)));
            prop_assert_eq!((found, stop), plain_words_slowly(line));
        }
    }

    fn names(text: &str) -> String {
        let game = read_one(&chess(), InputFormat::Pgn, text);
        game.names(&chess()).join(" ")
    }

    #[test]
    fn all_that_is_not_the_main_line_is_passed_over() {
        let text = "% a remark\n[Event \"a [b] {c}\"]\n[Result \"1-0\"]\n\n\
            {first} 1.e4 $1 e5!? 2. Nf3 ( 2. f4 {no (really} exf4 (2... d5) 3. Nf3 ) 2... Nc6 ; why ( {\n\
            3.Bc4 {it is\n(long) $} Bc5 4.0-0 Nf6 5. d4 exd4 6. e5 d5 7. exd6 e.p. 1-0\n";
        assert_eq!(names(text), "e4 e5 Nf3 Nc6 Bc4 Bc5 O-O Nf6 d4 exd4 e5 d5 exd6");
    }

    #[test]
    fn values_belong_to_the_position_after_the_move() {
        let text =
            "1. e4 { [%clk 0:01] [%eval 0.4] } e5 (1... f6 {[%eval 2.0]}) 2. f3 {[%eval #-3,20]} *";
        let game = read_one(&chess(), InputFormat::Pgn, text);
        assert_eq!(game.values, [(1, log_odds(0.4)), (3, -MATE)]);
        assert_eq!((game.outcome, game.positions.len()), (None, 4));
    }

    #[test]
    fn results_come_from_the_tag_or_the_end_or_the_rules() {
        let result = |text: &str| read_one(&chess(), InputFormat::Pgn, text).outcome;
        assert_eq!(result("[Result \"0-1\"]\n\n1. e4 *\n"), Some(Outcome::LOSS));
        assert_eq!(result("[Result \"*\"]\n\n1. e4 1/2-1/2\n"), Some(Outcome::DRAW));
        assert_eq!(result("1. f3 e5 2. g4 Qh4# *"), Some(Outcome::LOSS));
        assert_eq!(result("[Result \"*\"]\n\n*\n"), None);
        let games = read(
            &chess(),
            InputFormat::Pgn,
            "[Result \"1-0\"]\n\n1. e4\n\n[Event \"b\"]\n\n1. d4 0-1",
        );
        let outcomes: Vec<_> = games.into_iter().map(|game| game.unwrap().outcome).collect();
        assert_eq!(outcomes, [Some(Outcome::WIN), Some(Outcome::LOSS)]);
    }

    #[test]
    fn a_first_position_is_set_up() {
        let fen = "4k3/P7/8/8/8/8/8/4K3 w - - 0 1";
        let text = format!("[SetUp \"1\"]\n[FEN \"{fen}\"]\n\n1. a8(Q)+ Kd7 1-0\n");
        assert_eq!(names(&text), "a8=Q+ Kd7");
        let black = read_one(
            &chess(),
            InputFormat::Pgn,
            "[FEN \"4k3/p7/8/8/8/8/P7/4K3 b - - 0 1\"]\n\n1... a5 1-0",
        );
        assert_eq!((black.first, black.positions[1].move_count() > 0), (Side::Second, true));
    }

    #[test]
    fn faults_are_told_with_their_line() {
        for (text, why, line, word) in [
            ("[Event \"a\"]\n\n1. e4 e5\n2. Ke3 1-0", Why::Illegal, 4, "Ke3"),
            ("[Event \"a\"]\n\n1. e4 ^ 1-0", Why::Malformed, 3, "'^'"),
            ("1. e4 \u{e9} 1-0", Why::Malformed, 1, "0xc3"),
            ("1. e4 ) 1-0", Why::Malformed, 1, "never began"),
            ("1. e4 {and", Why::Truncated, 1, "comment"),
            ("1. e4 (1. d4", Why::Truncated, 1, "variation"),
            ("1. e4 e5", Why::Truncated, 1, "without a result"),
            ("[Event \"a\"]", Why::Truncated, 1, "before the moves"),
            ("[Result \"1-0\"]\n\n1. e4 0-1", Why::Contradiction, 3, "different"),
            ("1. f3 e5 2. g4 Qh4# 1-0", Why::Contradiction, 1, "first player"),
            ("[Variant \"Atomic\"]\n\n1. e4 1-0", Why::Variant, 1, "Atomic"),
            ("[FEN \"nonsense\"]\n\n1. e4 1-0", Why::Illegal, 1, "FEN"),
            ("[FEN nonsense]\n\n1. e4 1-0", Why::Malformed, 1, "no tag"),
        ] {
            let found = fault(&chess(), InputFormat::Pgn, text);
            assert_eq!((found.why, found.place), (why, Place::Line(line)), "{text}: {found:?}");
            assert!(found.reason.contains(word), "{text}: {found:?}");
        }
    }

    #[test]
    fn ratings_are_those_of_the_tags() {
        let text = "[White \"A\"]\n[Black \"B\"]\n[WhiteElo \"2700\"]\n[BlackElo \"?\"]\n\n*";
        let mut script = Script::new();
        Pgn::new(Lines::new(crate::source::of_bytes(text)), &chess()).next(&mut script).unwrap();
        assert_eq!((script.ratings, script.whose.as_str()), ([Some(2700), None], "A - B"));
    }
}
