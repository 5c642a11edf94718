//! Moves as plain text: a game to a line, as this program writes them and as
//! Othello's transcripts come.
//!
//! Lines with `#` tell of the next game and perhaps who won it; `from` gives its
//! first position. Squares may stand without blanks, `f5d6c3`, and an Othello
//! game may leave its passes out.

use super::script::{Fault, Place, Reader, Script, Start};
use crate::source::Lines;
use evalsmith_core::Outcome;

pub(crate) struct Text {
    lines: Lines,
}

impl Text {
    pub(crate) fn new(lines: Lines) -> Self {
        Self { lines }
    }
}

/// The squares of a word that is nothing but squares.
fn squares(word: &str) -> Option<impl Iterator<Item = &str>> {
    let (pairs, rest) = word.as_bytes().as_chunks::<2>();
    let square = |pair: &[u8; 2]| {
        matches!(pair[0].to_ascii_lowercase(), b'a'..=b'h') && matches!(pair[1], b'1'..=b'8')
    };
    // Two squares alone may be one move of another game.
    let fits = pairs.len() > 2 && rest.is_empty() && pairs.iter().all(square);
    fits.then(|| (0..word.len()).step_by(2).map(|at| &word[at..at + 2]))
}

/// Whether a remark is this program's own before a game, and the result it tells.
fn told(remark: &str) -> (bool, Option<Outcome>) {
    let result = remark.rsplit_once(", ").map_or("", |(_, result)| result);
    match result {
        "the first player won" => (true, Some(Outcome::WIN)),
        "the second player won" => (true, Some(Outcome::LOSS)),
        "a draw" => (true, Some(Outcome::DRAW)),
        "not finished" => (true, None),
        _ => (false, None),
    }
}

impl Reader for Text {
    fn next(&mut self, script: &mut Script) -> Result<bool, Fault> {
        script.clear(Place::Line(self.lines.number() + 1));
        let mut begun = false;
        loop {
            let line = match self.lines.next() {
                Ok(line) => line.map(String::from_utf8_lossy),
                Err(e) => return Err(Fault::io(&e, Place::Line(self.lines.number()))),
            };
            let Some(line) = line else {
                let lost = "its moves are missing; the file ends";
                let fault = || Fault::new(super::Why::Truncated, script.place, lost).and_the_rest();
                return if begun { Err(fault()) } else { Ok(false) };
            };
            let line = line.into_owned();
            let place = Place::Line(self.lines.number());
            let line = line.trim();
            if let Some(remark) = line.strip_prefix('#') {
                let (own, outcome) = told(remark);
                // After our own a line follows, even where it holds no move.
                begun |= own;
                script.told = script.told.or(outcome);
                continue;
            }
            if let Some(position) = line.strip_prefix("from ") {
                script.start = Start::Own(position.trim().to_owned());
                begun = true;
                continue;
            }
            if line.is_empty() && !begun {
                script.clear(Place::Line(self.lines.number() + 1));
                continue;
            }
            script.place = place;
            script.implied_passes = true;
            for word in line.split_ascii_whitespace() {
                match squares(word) {
                    Some(squares) => squares.for_each(|s| script.push_move(s, None, place)),
                    None => script.push_move(word, None, place),
                }
            }
            return Ok(true);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::trial::{fault, read, read_one};
    use super::super::{InputFormat, Why};
    use super::*;
    use crate::records::tests::othello;

    #[test]
    fn transcripts_may_leave_blanks_and_passes_out() {
        // After h5 White cannot move; Black goes on with g4.
        let with_pass = "f5d6c5f4e3f6g5e6e7 pass";
        let othello = othello();
        let glued = read(&othello, InputFormat::Txt, "f5d6c3\nF5 D6 C3\n\nf5 d6 c3\n");
        assert_eq!(glued.len(), 3);
        for game in glued {
            assert_eq!(game.unwrap().names(&othello), ["f5", "d6", "c3"]);
        }
        let refused = fault(&othello, InputFormat::Txt, with_pass);
        assert_eq!(refused.why, Why::Illegal);
    }

    #[test]
    fn a_game_without_a_move_is_a_game() {
        let text = "# othello: A - B, not finished\n\n# a list\n\nf5\n";
        let games = read(&othello(), InputFormat::Txt, text);
        let plies: Vec<_> = games.into_iter().map(|game| game.unwrap().moves.len()).collect();
        assert_eq!(plies, [0, 1]);
    }

    #[test]
    fn unfinished_games_have_no_result() {
        let game = read_one(&othello(), InputFormat::Txt, "f5d6c4d3c2b3b4b5");
        assert_eq!((game.moves.len(), game.outcome), (8, None));
    }

    #[test]
    fn faults_are_told_with_their_line() {
        let found = fault(&othello(), InputFormat::Txt, "# a\n\nf5f5d6\n");
        assert_eq!((found.why, found.place), (Why::Illegal, Place::Line(3)));
        let found = fault(&othello(), InputFormat::Txt, "from nowhere\n");
        assert_eq!(found.why, Why::Truncated);
    }
}
