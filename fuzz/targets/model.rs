//! Model files of either kind.
#![no_main]

use evalsmith_learn::{ModelFile, PatternFile};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = ModelFile::from_bytes(bytes, "fuzzed");
    let _ = PatternFile::from_bytes(bytes, "fuzzed");
});
