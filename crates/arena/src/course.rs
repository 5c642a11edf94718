//! How the result of a match came about: the score after so many pairs, for a
//! chart.
//!
//! Pairs are taken in the order of their openings, so the course depends on
//! threads and interruptions as little as the result does.

use crate::ArenaError;
use crate::match_run::tally;
use evalsmith_stats::Interval;
use evalsmith_stats::elo::{Pentanomial, Sample};
use evalsmith_stats::sprt::Sprt;
use std::path::Path;

/// The most points of a course.
const MOST: usize = 256;

/// The score after so many pairs, for player 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CoursePoint {
    /// Pairs counted.
    pub pairs: usize,
    /// The share of the points.
    pub share: f64,
    /// Its 95 % interval.
    pub interval: Interval<f64>,
    /// The log-likelihood ratio of the sequential test, if there is one.
    pub llr: Option<f64>,
}

/// How the score of a log grew, in at most some hundred steps; the last one is
/// where it stands.
///
/// # Errors
/// When the file cannot be read or is no match log.
pub fn read_course(log: &Path) -> Result<Vec<CoursePoint>, ArenaError> {
    let (header, board) = tally(log)?;
    Ok(course(board.margins(), header.plan.sprt.as_ref()))
}

fn course(margins: &[[i16; 2]], sprt: Option<&Sprt>) -> Vec<CoursePoint> {
    let step = margins.len().div_ceil(MOST).max(1);
    let mut pairs = Pentanomial::default();
    let steps = (1..).step_by(step).zip(margins.chunks(step));
    let points = steps.filter_map(|(first, chunk)| {
        for &pair in chunk {
            pairs.add_pair(pair);
        }
        Some(CoursePoint {
            pairs: first + chunk.len() - 1,
            share: pairs.share()?,
            interval: pairs.share_interval(),
            llr: sprt.map(|test| test.llr(&pairs)),
        })
    });
    points.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read_match;
    use crate::testing::{plan, play};
    use evalsmith_core::Quiet;
    use evalsmith_stats::elo::Elo;

    #[test]
    fn a_course_ends_where_the_match_stands() {
        let dir = tempfile::tempdir().unwrap();
        let log = dir.path().join("log");
        play(&plan(7), &log, &Quiet).unwrap();
        let course = read_course(&log).unwrap();
        assert_eq!(course.iter().map(|p| p.pairs).collect::<Vec<_>>(), [1, 2, 3, 4, 5, 6, 7]);
        let stats = read_match(&log).unwrap().1.stats;
        assert_eq!(stats.share, course.last().map(|point| point.share));
        assert!(course.iter().all(|point| point.llr.is_none()));
    }

    #[test]
    fn a_long_course_is_told_in_steps_and_keeps_its_end() {
        let margins: Vec<_> = (0..10_001_i16).map(|i| [i % 3 - 1, i % 5 - 1]).collect();
        let test = Sprt::logistic([Elo(0.0), Elo(10.0)], 0.05, 0.05).unwrap();
        let points = course(&margins, Some(&test));
        assert!((MOST / 2..=MOST).contains(&points.len()), "{}", points.len());
        assert!(points.is_sorted_by(|a, b| a.pairs < b.pairs));
        for at in [points[0], points[points.len() / 2], points[points.len() - 1]] {
            let mut counted = Pentanomial::default();
            for &pair in &margins[..at.pairs] {
                counted.add_pair(pair);
            }
            assert_eq!((Some(at.share), at.llr), (counted.share(), Some(test.llr(&counted))));
        }
        assert_eq!(points[points.len() - 1].pairs, 10_001);
        assert_eq!(course(&[], None), []);
    }
}
