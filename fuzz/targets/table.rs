//! A user's own table of features and results, as CSV.
#![no_main]

use evalsmith_data::{TableColumns, read_own_table};
use std::fs;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("table.csv");
    fs::write(&path, bytes).expect("room for a table");
    let columns = TableColumns { label: Some("result".into()), ..TableColumns::default() };
    let _ = read_own_table(&path, &columns);
});
