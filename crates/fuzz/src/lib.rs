//! Fuzz targets: one function for every reader of bytes from outside.
//!
//! A target takes any bytes and returns, or panics where a promise is broken: a
//! reader must answer every input with a value or an error, in bounded time and
//! memory. Two programs call the targets: the libFuzzer binary in `fuzz/`, and the
//! test of this crate, which replays the seeds in `fuzz/seeds/<target>/`.
//!
//! Readers that verify a checksum get a second copy of the input with a correct
//! one, so that mutated inputs reach the code behind the checksum.

mod dataset;
mod engine;
mod expression;
mod http;
mod matches;
mod model;
mod records;
mod scratch;
mod settings;
mod table;

/// A fuzz target.
pub type Target = fn(&[u8]);

/// All targets by name. The seeds of a target lie in the folder of its name.
pub const TARGETS: &[(&str, Target)] = &[
    ("book", engine::book),
    ("calibration", matches::calibration),
    ("condition", expression::condition),
    ("csa", records::csa),
    ("dataset", dataset::dataset),
    ("epd", records::epd),
    ("ggf", records::ggf),
    ("http", http::http),
    ("log", matches::log),
    ("model", model::model),
    ("obf", records::obf),
    ("openings", matches::openings),
    ("parquet", table::parquet),
    ("patterns", settings::patterns),
    ("pgn", records::pgn),
    ("players", settings::players),
    ("probcut", engine::probcut),
    ("settings", settings::settings),
    ("sgf", records::sgf),
    ("table", table::text),
    ("transcript", records::transcript),
    ("usi", records::usi),
    ("wthor", records::wthor),
];

/// The target of this name.
pub fn target(name: &str) -> Option<Target> {
    TARGETS.iter().find(|(known, _)| *known == name).map(|&(_, target)| target)
}
