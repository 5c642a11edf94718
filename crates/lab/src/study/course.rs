//! A game's value from position to position, and what each move lost.
//!
//! A move's loss is the win probability of the best move at the same depth minus its
//! own, both for the side that played it: never negative, and free of the swing
//! between even and odd depths.

use crate::study::{News, Step, Stepwise};
use evalsmith_core::{Game, GameRecord, Score, Side};
use evalsmith_rules::{DynGame, MoveId, Pos, Record};
use evalsmith_search::{Limits, Search};
use serde::Serialize;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// Win probability lost by a blunder.
const BLUNDER: f64 = 0.2;
/// Win probability lost by a mistake.
const MISTAKE: f64 = 0.1;
/// One position gets so much time at a depth, then the course ends.
const MOST_PATIENCE: Duration = Duration::from_secs(1);

/// The values of a game's positions.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Course {
    /// Plies looked ahead.
    pub depth: u8,
    /// The first player's win probability in every position, the last one included.
    pub win: Vec<f64>,
    /// The moves.
    pub moves: Vec<Judged>,
}

/// A move that was played, judged.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Judged {
    /// The move.
    #[serde(rename = "move")]
    pub mv: String,
    /// The best move at this depth.
    pub best: String,
    /// The win probability it lost.
    pub loss: f64,
    /// `blunder` or `mistake`, where it is one.
    pub mark: Option<&'static str>,
}

struct Place<M> {
    /// For the side to move.
    value: Score,
    best: Option<M>,
    /// Of the move that was played, for the side that played it.
    played: Score,
}

/// A walk along a game, deeper each time.
pub(super) struct Walk {
    game: DynGame,
    record: Record,
    /// The record up to each position.
    stations: Vec<Record>,
    search: Box<dyn Search<Pos>>,
    places: Vec<Place<MoveId>>,
    depth: u8,
    most_depth: u8,
    patience: Duration,
}

impl Walk {
    pub(super) fn new(
        game: DynGame,
        search: Box<dyn Search<Pos>>,
        record: Record,
        most_depth: u8,
    ) -> Self {
        let mut station = record.clone();
        let mut stations = vec![station.clone()];
        while station.take_back().is_some() {
            stations.push(station.clone());
        }
        stations.reverse();
        let (places, patience) = (Vec::new(), Duration::ZERO);
        Self { game, record, stations, search, places, depth: 1, most_depth, patience }
    }

    /// Looks at the next position; whether that was finished.
    fn unit(&mut self, time: Duration) -> bool {
        let at = self.places.len();
        let allowed = time.max(self.patience);
        let never = AtomicBool::new(false);
        let limits = |depth| Limits { cpu: Some(allowed), ..Limits::depth(depth) };
        let here = self.search.search(&self.stations[at], &limits(self.depth), &never);
        let played = self
            .stations
            .get(at + 1)
            .map(|after| self.search.search(after, &limits(self.depth - 1), &never));
        if here.stopped || played.as_ref().is_some_and(|found| found.stopped) {
            self.patience = 2 * allowed;
            return false;
        }
        self.patience = Duration::ZERO;
        let played = played.map_or(here.value, |found| -found.value);
        self.places.push(Place { value: here.value, best: here.best, played });
        true
    }

    fn course(&self) -> Course {
        let win = |value: Score| value.log_odds().win_prob().0;
        let for_first = |(station, place): (&GameRecord<_>, &Place<_>)| match station.side() {
            Side::First => win(place.value),
            Side::Second => 1.0 - win(place.value),
        };
        let judged = |((position, &m), place): ((&Pos, &_), &Place<_>)| {
            let loss = (win(place.value) - win(place.played)).max(0.0);
            let best = place.best.filter(|_| loss > 0.0).unwrap_or(m);
            let mark = match loss {
                l if l >= BLUNDER => Some("blunder"),
                l if l >= MISTAKE => Some("mistake"),
                _ => None,
            };
            Judged {
                mv: self.game.format_move(position, m),
                best: self.game.format_move(position, best),
                loss,
                mark,
            }
        };
        let moves = self.record.positions().iter().zip(self.record.moves());
        Course {
            depth: self.depth,
            win: self.stations.iter().zip(&self.places).map(for_first).collect(),
            moves: moves.zip(&self.places).map(judged).collect(),
        }
    }
}

impl Stepwise for Walk {
    fn step(&mut self, time: Duration) -> Step {
        let begun = Instant::now();
        loop {
            let left = time.saturating_sub(begun.elapsed()).max(Duration::from_millis(1));
            if !self.unit(left) && self.patience > MOST_PATIENCE {
                return Step { news: None, done: true };
            }
            if self.places.len() == self.stations.len() {
                let news = Some(News::Course(self.course()));
                self.places.clear();
                self.depth += 1;
                return Step { news, done: self.depth > self.most_depth };
            }
            if begun.elapsed() >= time {
                return Step::NOTHING_NEW;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::{Line, Study};
    use evalsmith_chess::Chess;

    #[test]
    fn the_move_that_lets_itself_be_mated_is_a_blunder() {
        let study = Study::by_hand(Chess);
        let moves = "f3 e5 g4 Qh4#".split(' ').map(Into::into).collect();
        let mut work = study.course(&Line { from: None, moves }, 2).unwrap();
        let mut last = None;
        loop {
            let step = work.step(Duration::from_millis(3));
            if let Some(News::Course(course)) = step.news {
                last = Some(course);
            }
            if step.done {
                break;
            }
        }
        let course = last.unwrap();
        assert_eq!((course.depth, course.win.len(), course.moves.len()), (2, 5, 4));
        let marks: Vec<_> = course.moves.iter().map(|m| m.mark).collect();
        assert_eq!(marks[1..], [None, Some("blunder"), None]);
        assert!(course.win[3] < 1e-9 && course.win[4] < 1e-9, "White is mated: {:?}", course.win);
        assert_eq!(course.moves[3].best, "Qh4#");
        assert!(course.moves.iter().all(|m| m.loss >= 0.0));
    }
}
