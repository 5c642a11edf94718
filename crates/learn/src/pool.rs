//! The examples of neighbouring stages, gathered for one fit (lee86: stage N
//! uses the positions of stages N-2 to N+2).
//!
//! Invariant: rows of one game stand together, so that sums by game are sums
//! over a run. Work is cut into chunks at the bounds of games; the cuts depend
//! on the data alone, never on threads.

use crate::Examples;
use evalsmith_core::Stage;
use rayon::prelude::*;
use std::borrow::Cow;
use std::ops::Range;

/// Rows in a chunk, but for one that ends later because a game does: enough to
/// make a chunk's sums cheap to keep, few enough to share small pools.
const CHUNK: usize = 4096;

/// The first and last stage pooled for a stage.
pub(crate) fn pooled(stage: Stage, radius: u8, stages: usize) -> (Stage, Stage) {
    let last = u8::try_from(stages.saturating_sub(1)).unwrap_or(u8::MAX);
    (Stage(stage.0.saturating_sub(radius)), Stage(stage.0.saturating_add(radius).min(last)))
}

/// Rows of some stages, ordered by game.
pub(crate) struct Pool<'a> {
    pub(crate) columns: Vec<Cow<'a, [f32]>>,
    pub(crate) points: Cow<'a, [f32]>,
    /// Where each game's rows begin, and after the last game the number of rows.
    pub(crate) starts: Vec<usize>,
    /// Which of the examples each row is; none where the rows are the examples.
    order: Option<Vec<usize>>,
    /// Ranges of games.
    pub(crate) chunks: Vec<Range<usize>>,
}

impl<'a> Pool<'a> {
    /// The rows whose stage lies between the two: copied, unless they are all
    /// the examples and stand by game already.
    pub(crate) fn gather(examples: &Examples<'a>, (first, last): (Stage, Stage)) -> Self {
        let inside = |stage: &Stage| (first..=last).contains(stage);
        let columns = 0..examples.features.width();
        if examples.games.is_sorted() && examples.stages.iter().all(inside) {
            let starts = starts(examples.games);
            return Self {
                columns: columns.map(|i| examples.features.column(i).into()).collect(),
                points: examples.points.into(),
                chunks: cut(&starts),
                starts,
                order: None,
            };
        }

        let stages = examples.stages.iter().enumerate();
        let mut rows: Vec<usize> = stages.filter(|(_, s)| inside(s)).map(|(row, _)| row).collect();
        if !rows.is_sorted_by_key(|&row| examples.games[row]) {
            rows.sort_by_key(|&row| examples.games[row]);
        }
        let games: Vec<u32> = rows.iter().map(|&row| examples.games[row]).collect();
        let starts = starts(&games);
        let take = |from: &[f32]| Cow::Owned(rows.iter().map(|&row| from[row]).collect());
        Self {
            columns: columns.into_par_iter().map(|i| take(examples.features.column(i))).collect(),
            points: take(examples.points),
            chunks: cut(&starts),
            starts,
            order: Some(rows),
        }
    }

    /// The same rows with other columns.
    pub(crate) fn with_columns(self, columns: Vec<Vec<f32>>) -> Self {
        Self { columns: columns.into_iter().map(Cow::Owned).collect(), ..self }
    }

    /// The numbers of these rows, of one per example.
    pub(crate) fn take<'b>(&self, from: &'b [f32]) -> Cow<'b, [f32]> {
        match &self.order {
            Some(order) => order.iter().map(|&row| from[row]).collect(),
            None => from.into(),
        }
    }

    pub(crate) fn rows(&self) -> usize {
        self.points.len()
    }

    pub(crate) fn games(&self) -> usize {
        self.starts.len() - 1
    }

    /// The rows of some games.
    pub(crate) fn rows_of(&self, games: &Range<usize>) -> Range<usize> {
        self.starts[games.start]..self.starts[games.end]
    }

    /// The mean result.
    pub(crate) fn mean_points(&self) -> f64 {
        self.points.iter().map(|&y| f64::from(y)).sum::<f64>() / self.rows() as f64
    }
}

/// Where the runs of equal games begin, and after the last the number of rows.
fn starts(games: &[u32]) -> Vec<usize> {
    let bounds = games.windows(2).enumerate().filter(|(_, w)| w[0] != w[1]);
    let mut starts = vec![0];
    starts.extend(bounds.map(|(i, _)| i + 1));
    if !games.is_empty() {
        starts.push(games.len());
    }
    starts
}

fn cut(starts: &[usize]) -> Vec<Range<usize>> {
    let mut chunks = Vec::new();
    let mut begin = 0;
    for game in 1..starts.len() {
        if starts[game] - starts[begin] >= CHUNK || game + 1 == starts.len() {
            chunks.push(begin..game);
            begin = game;
        }
    }
    chunks
}

#[cfg(test)]
mod tests {
    use super::*;
    use evalsmith_core::Columns;
    use proptest::{collection::vec, prelude::*};
    use std::collections::HashSet;

    #[test]
    fn pools_stay_within_the_game() {
        assert_eq!(pooled(Stage(1), 2, 5), (Stage(0), Stage(3)));
        assert_eq!(pooled(Stage(4), 2, 5), (Stage(2), Stage(4)));
        assert_eq!(pooled(Stage(255), 9, 256), (Stage(246), Stage(255)));
    }

    proptest! {
        #[test]
        fn gathering_keeps_every_row_and_no_game_is_torn(
            rows in vec((0_u8..6, 0_u32..900, 0_u8..3), 0..12_000), first in 0_u8..6, width in 0_u8..6,
        ) {
            let mut features = Columns::new(vec!["id".into()]);
            (0..rows.len()).for_each(|i| features.push(&[i as f32]));
            let stages: Vec<_> = rows.iter().map(|r| Stage(r.0)).collect();
            let games: Vec<_> = rows.iter().map(|r| r.1).collect();
            let points: Vec<_> = rows.iter().map(|r| f32::from(r.2) / 2.0).collect();
            let examples =
                Examples { features: &features, stages: &stages, points: &points, games: &games };
            let span = (Stage(first), Stage(first + width));
            let pool = Pool::gather(&examples, span);

            let mut ids: Vec<usize> = pool.columns[0].iter().map(|&x| x as usize).collect();
            let inside = |i: &usize| stages[*i] >= span.0 && stages[*i] <= span.1;
            let mut seen = HashSet::new();
            for game in 0..pool.games() {
                let run = pool.rows_of(&(game..game + 1));
                prop_assert!(!run.is_empty());
                let game = games[ids[run.start]];
                prop_assert!(ids[run].iter().all(|&i| games[i] == game));
                prop_assert!(seen.insert(game), "a game stands in two places");
            }
            for (i, y) in ids.iter().zip(pool.points.iter()) {
                prop_assert_eq!(points[*i], *y);
            }
            ids.sort_unstable();
            prop_assert_eq!(ids, (0..rows.len()).filter(inside).collect::<Vec<_>>());
            let covered: Vec<usize> = pool.chunks.iter().cloned().flatten().collect();
            prop_assert_eq!(covered, (0..pool.games()).collect::<Vec<_>>());
        }
    }
}
