//! A user's own tables: text and Parquet.

use crate::scratch::with_file;
use evalsmith_data::{
    DataError, Sheet, SheetColumns, TableColumns, read_feature_table, read_own_table,
};
use std::path::Path;

/// A table as CSV or TSV.
pub(crate) fn text(bytes: &[u8]) {
    with_file("table.csv", bytes, read);
}

/// A table as Parquet.
pub(crate) fn parquet(bytes: &[u8]) {
    with_file("table.parquet", bytes, |path| {
        read(path);
        let _ = read_feature_table(path);
    });
}

/// Reads a table by both readers: whole, for fits, and in batches, for curves.
fn read(path: &Path) {
    let columns = TableColumns { label: Some("result".into()), ..TableColumns::default() };
    let _ = read_own_table(path, &columns);
    let Ok(mut sheet) = Sheet::open(path) else { return };
    let known = |name: &str| sheet.names().iter().any(|n| n == name).then(|| name.to_owned());
    let wanted = SheetColumns {
        numbers: sheet.names().iter().take(4).cloned().collect(),
        result: "result".into(),
        game: known("game"),
        side: known("side"),
        first: None,
    };
    let numbers = sheet.columns_of_numbers(&wanted.numbers).unwrap_or_default();
    for (sheet, numbers) in [(Ok(sheet), wanted.numbers.clone()), (Sheet::open(path), numbers)] {
        let Ok(sheet) = sheet else { return };
        let wanted = SheetColumns { numbers, ..wanted.clone() };
        let _ = sheet.read(&wanted, |batch| -> Result<(), DataError> {
            assert!(batch.numbers.iter().all(|column| column.len() == batch.len()));
            Ok(())
        });
    }
}
