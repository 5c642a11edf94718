//! The movetext of PGN files, as far as openings need it: where each game begins
//! and its moves as they are written.
//!
//! Tags other than `FEN`, comments, variations, annotations, move numbers and
//! results say nothing here; the game's own notation resolves the moves. One
//! invariant: a game is told by the line it begins on.

/// What is written for a result, and ends a game.
const RESULTS: [&str; 4] = ["1-0", "0-1", "1/2-1/2", "*"];

/// A game as it is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Written {
    /// The line it begins on.
    pub(super) line: usize,
    /// The position it begins with, where that is not the game's own.
    pub(super) start: Option<String>,
    /// Its moves.
    pub(super) moves: Vec<String>,
}

/// Whether a text is PGN: the first thing it says is a tag.
pub(super) fn is_pgn(text: &str) -> bool {
    let says = |line: &&str| !line.is_empty() && !line.starts_with('%');
    let first = text.trim_start_matches('\u{feff}').lines().map(str::trim).find(says);
    first.is_some_and(|line| line.starts_with('[') && line.contains('"'))
}

/// The games of a PGN text; an error is a line's number and what is wrong there.
pub(super) fn read_games(text: &str) -> Result<Vec<Written>, (usize, String)> {
    let mut reader = Reader::default();
    for (number, line) in (1..).zip(text.trim_start_matches('\u{feff}').lines()) {
        reader.line = number;
        if !line.starts_with('%') || reader.comment.is_some() {
            reader.read_line(line)?;
        }
    }
    if let Some(line) = reader.comment {
        return Err((line, "a comment begins here and is not closed; write its }".into()));
    }
    if let Some(&line) = reader.variations.first() {
        return Err((line, "a variation begins here and is not closed; write its )".into()));
    }
    reader.end_game();
    Ok(reader.games)
}

#[derive(Default)]
struct Reader {
    games: Vec<Written>,
    game: Option<Written>,
    line: usize,
    /// Where the open comment began.
    comment: Option<usize>,
    /// Where the open variations began.
    variations: Vec<usize>,
}

impl Reader {
    fn read_line(&mut self, line: &str) -> Result<(), (usize, String)> {
        let mut rest = line;
        loop {
            if self.comment.is_some() {
                let Some((_, after)) = rest.split_once('}') else { return Ok(()) };
                self.comment = None;
                rest = after;
            }
            rest = rest.trim_start();
            let Some(first) = rest.chars().next() else { return Ok(()) };
            match first {
                ';' => return Ok(()),
                '{' => self.comment = Some(self.line),
                '(' => self.variations.push(self.line),
                ')' => {
                    let closed = self.variations.pop();
                    closed.ok_or_else(|| (self.line, "a ) closes no variation".to_owned()))?;
                }
                '[' if self.variations.is_empty() => {
                    rest = self.read_tag(rest);
                    continue;
                }
                _ => {
                    let parts = |c: char| c.is_whitespace() || "{}();".contains(c);
                    let length = rest.find(parts).unwrap_or(rest.len()).max(first.len_utf8());
                    self.take(&rest[..length]);
                    rest = &rest[length..];
                    continue;
                }
            }
            rest = &rest[first.len_utf8()..];
        }
    }

    /// Reads a tag and returns what follows it.
    fn read_tag<'a>(&mut self, text: &'a str) -> &'a str {
        if self.game.as_ref().is_some_and(|game| !game.moves.is_empty()) {
            self.end_game();
        }
        let (tag, rest) = text.split_once("\"]").unwrap_or((text, ""));
        let start = tag.strip_prefix("[FEN").and_then(|value| value.split_once('"'));
        let game = self.open_game();
        if let Some((_, start)) = start {
            game.start = Some(start.to_owned());
        }
        rest
    }

    fn take(&mut self, word: &str) {
        if !self.variations.is_empty() || word.starts_with('$') {
            return;
        }
        if RESULTS.contains(&word) {
            self.open_game();
            return self.end_game();
        }
        let text = super::list::without_number(word).trim_end_matches(['!', '?']);
        let moves = &mut self.open_game().moves;
        if !text.is_empty() {
            moves.push(text.to_owned());
        }
    }

    fn open_game(&mut self) -> &mut Written {
        let line = self.line;
        self.game.get_or_insert_with(|| Written { line, ..Written::default() })
    }

    fn end_game(&mut self) {
        self.games.extend(self.game.take());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn moves(text: &str) -> Vec<String> {
        read_games(text).unwrap().iter().map(|game| game.moves.join(" ")).collect()
    }

    #[test]
    fn games_are_parted_by_results_and_tags() {
        let text = "\u{feff}% made by hand\n[Event \"a [very] odd one\"]\n[Result \"1-0\"]\n\n\
                    1. e4 e5 2.Nf3 Nc6 3. Bb5\na6 1-0\n[Event \"b\"]\n\n1. d4 d5\n\n[Event \"c\"]\n\
                    [FEN \"8/8/8/8/8/5k2/8/5K1R w - - 0 1\"]\n\n1. Rh3+ *\n";
        assert!(is_pgn(text));
        let games = read_games(text).unwrap();
        assert_eq!(moves(text), ["e4 e5 Nf3 Nc6 Bb5 a6", "d4 d5", "Rh3+"]);
        assert_eq!(games.iter().map(|game| game.line).collect::<Vec<_>>(), [2, 7, 11]);
        assert_eq!(games[2].start.as_deref(), Some("8/8/8/8/8/5k2/8/5K1R w - - 0 1"));
        assert_eq!(games[0].start, None);
    }

    #[test]
    fn what_is_no_move_says_nothing() {
        let text = "[Event \"?\"]\n1. e4! {best (by\ntest) 1-0} e5?! $1 (1... c5 (1... c6) 2. Nf3) \
                    2. Nf3; the rest 2. Nc3\n% 2. Bc4\n2... Nc6{[%eval 0.2]} 3. Bb5 *";
        assert_eq!(moves(text), ["e4 e5 Nf3 Nc6 Bb5"]);
    }

    #[test]
    fn what_is_left_open_is_told_by_its_line() {
        let wrong = |text: &str| read_games(text).unwrap_err();
        assert_eq!(wrong("[Event \"?\"]\n1. e4 {a\nb\n").0, 2);
        assert_eq!(wrong("[Event \"?\"]\n\n1. e4 (1. d4\n1... d5 *").0, 3);
        assert!(wrong("[Event \"?\"]\n1. e4 ) e5").1.contains("closes no"));
    }

    #[test]
    fn lists_are_no_pgn() {
        for text in ["", "f5 d6\n", "rnbqkbnr/8/8/8/8/8/8/RNBQKBNR w - -\n", "[f5]\n"] {
            assert!(!is_pgn(text), "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "[a-h1-8\\[\\]\"{}();%*$.! \\n\u{e9}]{0,120}", junk in any::<String>()) {
            for text in [text, junk] {
                let lines = text.lines().count();
                match read_games(&text) {
                    Ok(games) => {
                        prop_assert!(games.iter().all(|game| (1..=lines).contains(&game.line)));
                    }
                    Err((line, _)) => prop_assert!((1..=lines).contains(&line)),
                }
            }
        }
    }
}
