//! Rows of a dataset looked at by typed code, many at a time: the border at one batch.

use crate::{DynFeatures, DynFunction};
use evalsmith_core::{
    Evaluate, Features, Game, GameRecord, Malformed, Position, Side, Stage, canonical_key,
};
use evalsmith_search::Searcher;

/// A row that is no position of the game.
#[derive(Debug)]
pub struct BadRow {
    /// Its place in the batch.
    pub row: usize,
    /// What is wrong with it.
    pub source: Malformed,
}

/// How positions are looked at.
#[derive(Clone, Copy)]
pub enum Look<'a> {
    /// As they are stored.
    Stored,
    /// At rest: the quiet position that a position's exchanges lead to, by this
    /// function's quiescence search. Rows whose exchanges end the game are left out.
    AtRest(&'a DynFunction),
}

/// Numbers of positions, one line each.
#[derive(Clone, Debug, Default)]
pub struct Lines {
    /// The numbers, line by line.
    pub values: Vec<f32>,
    /// The row of the batch that each line came from; a row may have none.
    pub rows: Vec<u32>,
    /// The stage of each line's position.
    pub stages: Vec<Stage>,
    /// The side to move there.
    pub sides: Vec<Side>,
}

impl Lines {
    /// Forgets all lines.
    pub fn clear(&mut self) {
        self.values.clear();
        self.rows.clear();
        self.stages.clear();
        self.sides.clear();
    }
}

/// The features of the positions of a batch.
pub(crate) fn features<G: Game>(
    game: &G,
    rows: &[&[u8]],
    look: Look<'_>,
    out: &mut Lines,
) -> Result<(), BadRow> {
    let features = game.features();
    match look {
        Look::Stored => {
            let append = |position: &G::Position, values: &mut Vec<f32>| {
                features.append_all(position, values);
            };
            lines(game, rows, stored, append, out)
        }
        Look::AtRest(function) => {
            function.features_at_rest(&DynFeatures::new::<G::Position, _>(features), rows, out)
        }
    }
}

/// Lines of what `append` says of the positions that `look` makes of a batch's.
///
/// # Errors
/// When a row is no position of the game.
pub(crate) fn lines<G: Game>(
    game: &G,
    rows: &[&[u8]],
    mut look: impl FnMut(G::Position, Side) -> Option<(G::Position, Side)>,
    append: impl Fn(&G::Position, &mut Vec<f32>),
    out: &mut Lines,
) -> Result<(), BadRow> {
    for (row, packed) in rows.iter().enumerate() {
        let (position, side) = game.unpack(packed).map_err(|source| BadRow { row, source })?;
        let Some((seen, to_move)) = look(position, side) else { continue };
        append(&seen, &mut out.values);
        out.rows.push(row as u32);
        out.stages.push(seen.stage());
        out.sides.push(to_move);
    }
    Ok(())
}

/// The canonical keys of the positions of a batch.
pub(crate) fn canonical_keys<G: Game>(
    game: &G,
    rows: &[&[u8]],
    out: &mut Vec<u64>,
) -> Result<(), BadRow> {
    let symmetries = game.symmetries();
    for (row, packed) in rows.iter().enumerate() {
        let (position, _) = game.unpack(packed).map_err(|source| BadRow { row, source })?;
        out.push(canonical_key(&position, &symmetries));
    }
    Ok(())
}

/// Leaves a position as it is stored.
#[expect(clippy::unnecessary_wraps, reason = "a look of `lines`; others leave rows out")]
pub(crate) fn stored<P>(position: P, side: Side) -> Option<(P, Side)> {
    Some((position, side))
}

/// Plays out a position's exchanges, by a function's quiescence search; none where they
/// end the game.
pub(crate) fn at_rest<G: Game, E: Evaluate<G::Position>>(
    game: &G,
    function: E,
) -> impl FnMut(G::Position, Side) -> Option<(G::Position, Side)> {
    let max_plies = game.max_plies();
    let mut searcher = Searcher::new(function, 0);
    move |position, side| {
        let mut record = GameRecord::new(position, side, max_plies);
        for m in searcher.quiet(&record).line {
            record.play(m).expect("a line holds legal moves of a game that is not over");
        }
        record.ending().is_none().then(|| (record.position().clone(), record.side()))
    }
}
