//! Runs the fuzz target that the environment variable `TARGET` names.

#![no_main]

use evalsmith_fuzz_targets::{TARGETS, Target, target};
use std::sync::LazyLock;

static CHOSEN: LazyLock<Target> = LazyLock::new(|| {
    let name = std::env::var("TARGET").unwrap_or_default();
    target(&name).unwrap_or_else(|| {
        let known: Vec<_> = TARGETS.iter().map(|(name, _)| *name).collect();
        panic!("no fuzz target {name:?}; set TARGET to one of {}", known.join(", "))
    })
});

/// libFuzzer's panic hook ends the program at any panic. The reader of Parquet catches
/// those of the decoder, which is its promise; one that escapes ends the program anyway.
fn allow_caught_panics() {
    if std::env::var("TARGET").is_ok_and(|name| name == "parquet") {
        std::panic::set_hook(Box::new(|_| {}));
    }
}

libfuzzer_sys::fuzz_target!(init: allow_caught_panics(), |bytes: &[u8]| CHOSEN(bytes));
