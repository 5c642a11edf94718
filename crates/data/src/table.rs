//! Feature tables as one Parquet file, for Python and back.
//!
//! Columns: `game` (u32), `stage` (u8), `side` (u8: 0 first, 1 second), `points`
//! (f32: 1, 0.5, 0 for the side to move), `score` (i16), then `feature.<name>`
//! (f32) for each feature. A table may also come from outside: any integer or
//! floating type will do where the numbers fit, and other columns are ignored.

mod own;

pub use own::{OwnTable, TableColumns, read_own_table};

use crate::part;
use crate::{DataError, FeatureTable, SEARCH_LABEL};
use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{
    Array, ArrayRef, Float32Array, Int16Array, RecordBatch, UInt8Array, UInt32Array,
};
use arrow_schema::{ArrowError, DataType, Field, Schema};
use evalsmith_core::files::write_atomically;
use evalsmith_core::{Side, Stage};
use parquet::arrow::ArrowWriter;
use parquet::errors::ParquetError;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

/// What a feature column's name begins with.
const FEATURE: &str = "feature.";
/// Rows encoded at a time; also a row group, so that readers need not hold more.
const ROWS: usize = 1 << 16;

/// Writes a feature table as one Parquet file, whole or not at all.
///
/// # Errors
/// When the disk refuses.
pub fn write_feature_table(table: &FeatureTable, path: &Path) -> Result<(), DataError> {
    write_atomically(path, |file| -> Result<(), ParquetError> {
        let properties = part::properties().set_max_row_group_row_count(Some(ROWS)).build();
        let schema = Arc::new(schema(table));
        let mut writer = ArrowWriter::try_new(file, Arc::clone(&schema), Some(properties))?;
        for first in (0..table.len()).step_by(ROWS) {
            writer.write(&slice(table, &schema, first)?)?;
        }
        writer.close().map(|_| ())
    })
    .map_err(|e| match e {
        ParquetError::External(inner) => match inner.downcast::<io::Error>() {
            Ok(e) => DataError::io(path, *e),
            Err(e) => unreadable(path, &*e),
        },
        e => unreadable(path, &e),
    })
}

fn schema(table: &FeatureTable) -> Schema {
    let fixed = [
        ("game", DataType::UInt32),
        ("stage", DataType::UInt8),
        ("side", DataType::UInt8),
        ("points", DataType::Float32),
        ("score", DataType::Int16),
    ];
    let fixed = fixed.into_iter().map(|(name, kind)| Field::new(name, kind, false));
    let names = table.columns.names().iter();
    let features = names.map(|n| Field::new(format!("{FEATURE}{n}"), DataType::Float32, false));
    let searched = std::iter::once(Field::new(SEARCH_LABEL, DataType::Float32, true));
    Schema::new(fixed.chain(searched).chain(features).collect::<Vec<_>>())
}

fn slice(
    table: &FeatureTable,
    schema: &Arc<Schema>,
    first: usize,
) -> Result<RecordBatch, ArrowError> {
    let rows = first..table.len().min(first + ROWS);
    let stages = table.stages[rows.clone()].iter().map(|stage| stage.0);
    let sides = table.sides[rows.clone()].iter().map(|side| side.index() as u8);
    let floats = |values: &[f32]| Arc::new(Float32Array::from(values.to_vec()));
    let mut columns: Vec<ArrayRef> = vec![
        Arc::new(UInt32Array::from(table.games[rows.clone()].to_vec())),
        Arc::new(UInt8Array::from_iter_values(stages)),
        Arc::new(UInt8Array::from_iter_values(sides)),
        floats(&table.points[rows.clone()]),
        Arc::new(Int16Array::from(table.scores[rows.clone()].to_vec())),
        Arc::new(Float32Array::from(table.searched[rows.clone()].to_vec())),
    ];
    for i in 0..table.columns.width() {
        columns.push(floats(&table.columns.column(i)[rows.clone()]));
    }
    RecordBatch::try_new(Arc::clone(schema), columns)
}

/// Reads a feature table, this program's or anybody's with the same columns.
///
/// # Errors
/// When the file is not Parquet, a column is missing or not numeric, or a number
/// is out of range; the message names the cell.
pub fn read_feature_table(path: &Path) -> Result<FeatureTable, DataError> {
    // Files from outside carry no checksum, and the decoder trusts some of what
    // a damaged file says about itself.
    catch_unwind(AssertUnwindSafe(|| read(path)))
        .unwrap_or_else(|_| Err(DataError::NotParquet { path: path.to_owned() }))
}

fn read(path: &Path) -> Result<FeatureTable, DataError> {
    let builder = part::reader(path)?;
    let schema = Arc::clone(builder.schema());
    let features: Vec<&str> =
        schema.fields().iter().filter_map(|f| f.name().strip_prefix(FEATURE)).collect();
    let names = features.iter().map(|&name| name.to_owned()).collect();
    let mut table = FeatureTable::new(names);
    let reader = builder.with_batch_size(ROWS).build().map_err(|e| unreadable(path, &e))?;
    for record in reader {
        let record = record.map_err(|e| unreadable(path, &e))?;
        append(&mut table, &record, &features, path)?;
    }
    Ok(table)
}

fn append(
    table: &mut FeatureTable,
    record: &RecordBatch,
    features: &[&str],
    path: &Path,
) -> Result<(), DataError> {
    let first = table.len();
    let column = |name: &str, low: f64, high: f64, whole: bool, remedy| {
        let values = numbers(record, name, path)?;
        let fits = |v: f64| (low..=high).contains(&v) && (!whole || v.fract() == 0.0);
        match values.iter().position(|v| !v.is_some_and(fits)) {
            None => Ok(values.into_iter().map(|v| v.unwrap_or(0.0)).collect::<Vec<f64>>()),
            Some(row) => Err(DataError::Value {
                path: path.to_owned(),
                column: name.to_owned(),
                row: first + row,
                found: values[row].map_or("null".to_owned(), |v| v.to_string()),
                remedy,
            }),
        }
    };
    let games = column("game", 0.0, f64::from(u32::MAX), true, "games are numbered from 0")?;
    let stages = column("stage", 0.0, 255.0, true, "stages are whole numbers up to 255")?;
    let sides = column("side", 0.0, 1.0, true, "0 is the first player, 1 the second")?;
    let points = column("points", 0.0, 1.0, false, "points lie between 0 and 1")?;
    let scores = column("score", -32767.0, 32767.0, true, "scores lie within ±32767")?;
    let limit = f64::from(f32::MAX);
    let features = features
        .iter()
        .map(|name| {
            column(&format!("{FEATURE}{name}"), -limit, limit, false, "features are finite")
        })
        .collect::<Result<Vec<_>, _>>()?;

    let mut values = Vec::with_capacity(features.len());
    for row in 0..record.num_rows() {
        values.clear();
        values.extend(features.iter().map(|column| column[row] as f32));
        table.columns.push(&values);
    }
    table.games.extend(games.iter().map(|&v| v as u32));
    table.stages.extend(stages.iter().map(|&v| Stage(v as u8)));
    table.sides.extend(sides.iter().map(|&v| if v == 0.0 { Side::First } else { Side::Second }));
    table.points.extend(points.iter().map(|&v| v as f32));
    // The one column that may be missing, and have gaps.
    if record.column_by_name(SEARCH_LABEL).is_some() {
        let opinions = numbers(record, SEARCH_LABEL, path)?;
        let known = |v: f64| (v.abs() <= limit).then_some(v as f32);
        table.searched.extend(opinions.iter().map(|v| v.and_then(known)));
    } else {
        table.searched.resize(first + scores.len(), None);
    }
    table.scores.extend(scores.iter().map(|&v| v as i16));
    Ok(())
}

/// A column of any numeric type; every number of ours is exact in `f64`.
fn numbers(record: &RecordBatch, name: &str, path: &Path) -> Result<Vec<Option<f64>>, DataError> {
    fn of<T: ArrowPrimitiveType>(
        column: &dyn Array,
        to: impl Fn(T::Native) -> f64,
    ) -> Vec<Option<f64>> {
        column.as_primitive::<T>().iter().map(|v| v.map(&to)).collect()
    }
    let (path, column) = (path.to_owned(), name.to_owned());
    let Some(values) = record.column_by_name(name) else {
        return Err(DataError::MissingColumn { path, column });
    };
    Ok(match values.data_type() {
        DataType::Int8 => of::<Int8Type>(values, f64::from),
        DataType::Int16 => of::<Int16Type>(values, f64::from),
        DataType::Int32 => of::<Int32Type>(values, f64::from),
        DataType::Int64 => of::<Int64Type>(values, |v| v as f64),
        DataType::UInt8 => of::<UInt8Type>(values, f64::from),
        DataType::UInt16 => of::<UInt16Type>(values, f64::from),
        DataType::UInt32 => of::<UInt32Type>(values, f64::from),
        DataType::UInt64 => of::<UInt64Type>(values, |v| v as f64),
        DataType::Float32 => of::<Float32Type>(values, f64::from),
        DataType::Float64 => of::<Float64Type>(values, |v| v),
        other => {
            let (found, wanted) = (other.to_string(), "a number".to_owned());
            return Err(DataError::WrongType { path, column, found, wanted });
        }
    })
}

fn unreadable(path: &Path, error: &dyn std::error::Error) -> DataError {
    DataError::Parquet { path: path.to_owned(), reason: error.to_string() }
}
