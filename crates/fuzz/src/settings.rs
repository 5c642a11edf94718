//! TOML files.

use crate::scratch::with_file;
use evalsmith_core::Game;
use evalsmith_lab::prelude::{EvalProfile, PatternSource, Roster};
use evalsmith_lab::reproduce::Experiment;
use evalsmith_learn::{PatternSet, SparseSet, check_for_play};
use evalsmith_othello::Othello;

/// Players of a match: a file of engines and functions, or the plan of a match.
pub(crate) fn players(bytes: &[u8]) {
    with_file("players.toml", bytes, |path| {
        let Ok(roster) = Roster::load(path) else { return };
        for name in roster.names() {
            let _ = roster.player(&name);
        }
    });
}

/// A set of patterns, laid out over the atoms of Othello.
pub(crate) fn patterns(bytes: &[u8]) {
    with_file("patterns.toml", bytes, |path| {
        let Ok(plan) = PatternSource::File(path.to_owned()).read() else { return };
        let Some(atoms) = Othello::new().atoms() else { return };
        let (names, ranges, symmetries) = (atoms.names(), atoms.ranges(), atoms.symmetries());
        let dense = PatternSet::new(plan.patterns.clone(), &names, &ranges, &symmetries);
        let sparse = SparseSet::new(&plan.sparse, &names, &ranges, &symmetries);
        if let (Ok(dense), Ok(sparse)) = (dense, sparse) {
            let _ = (plan.weights(&dense), check_for_play(&dense, &sparse));
        }
    });
}

/// How to ask an engine for its own evaluation, and experiments.
pub(crate) fn settings(bytes: &[u8]) {
    with_file("settings.toml", bytes, |path| {
        let _ = path.to_str().map(EvalProfile::open);
    });
    let _ = str::from_utf8(bytes).map(Experiment::parse);
}
