//! Parquet: each wanted column has a reader of its own, and all of them step
//! through the file side by side.

use super::meaning::{self, Raw};
use super::{Plan, Sheet};
use crate::{DataError, part};
use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReader;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Read;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// Rows taken at a time.
const ROWS: usize = 1 << 16;

pub(super) fn is_one(path: &Path) -> bool {
    let mut magic = [0; 4];
    path.is_file()
        && File::open(path).and_then(|mut file| file.read_exact(&mut magic)).is_ok()
        && magic == *b"PAR1"
}

pub(super) fn names(path: &Path) -> Result<Vec<String>, DataError> {
    // The decoder trusts some of what a damaged file says about itself.
    let names = || {
        let schema = part::reader(path)?.schema().clone();
        Ok(schema.fields().iter().map(|field| field.name().clone()).collect())
    };
    catch_unwind(AssertUnwindSafe(names)).unwrap_or_else(|_| Err(damaged(path)))
}

fn damaged(path: &Path) -> DataError {
    DataError::NotParquet { path: path.to_owned() }
}

/// Reads all rows.
pub(super) fn read<E: From<DataError>>(
    sheet: &Sheet,
    plan: &Plan,
    hand_on: &mut impl FnMut(Raw) -> Result<(), E>,
) -> Result<(), E> {
    let path = sheet.path();
    let wanted =
        plan.numbers.iter().copied().chain([plan.result]).chain(plan.game).chain(plan.side);
    let places: BTreeSet<usize> = wanted.collect();
    let mut readers = Vec::new();
    for place in places {
        readers.push((place, reader(path, place)?));
    }
    let mut first_row = 1;
    loop {
        let step =
            || readers.par_iter_mut().map(|(place, reader)| next(path, *place, reader)).collect();
        let columns: Result<Vec<_>, DataError> =
            catch_unwind(AssertUnwindSafe(step)).unwrap_or_else(|_| Err(damaged(path)));
        let columns: Option<BTreeMap<usize, ArrayRef>> = columns?.into_iter().collect();
        let Some(columns) = columns else { return Ok(()) };
        let raw = rows(sheet, plan, &columns, first_row)?;
        first_row += raw.results.len() as u64;
        hand_on(raw)?;
    }
}

fn reader(path: &Path, place: usize) -> Result<ParquetRecordBatchReader, DataError> {
    let unreadable = |e: parquet::errors::ParquetError| DataError::Parquet {
        path: path.to_owned(),
        reason: e.to_string(),
    };
    let open = || {
        let builder = part::reader(path)?;
        let mask = ProjectionMask::roots(builder.parquet_schema(), [place]);
        builder.with_projection(mask).with_batch_size(ROWS).build().map_err(unreadable)
    };
    catch_unwind(AssertUnwindSafe(open)).unwrap_or_else(|_| Err(damaged(path)))
}

/// The next piece of a column; none at the end.
fn next(
    path: &Path,
    place: usize,
    reader: &mut ParquetRecordBatchReader,
) -> Result<Option<(usize, ArrayRef)>, DataError> {
    match reader.next() {
        None => Ok(None),
        Some(Ok(record)) => Ok(Some((place, record.column(0).clone()))),
        Some(Err(e)) => Err(DataError::Parquet { path: path.to_owned(), reason: e.to_string() }),
    }
}

fn rows(
    sheet: &Sheet,
    plan: &Plan,
    columns: &BTreeMap<usize, ArrayRef>,
    first_row: u64,
) -> Result<Raw, DataError> {
    let wrong_type = |place: usize, wanted: &str| DataError::WrongType {
        path: sheet.path().to_owned(),
        column: sheet.names()[place].clone(),
        found: columns[&place].data_type().to_string(),
        wanted: wanted.to_owned(),
    };
    let read =
        |place: &usize| numbers(&columns[place]).ok_or_else(|| wrong_type(*place, "a number"));
    let read_all = |place: &usize| {
        let numbers = read(place)?;
        let gaps = gaps(&numbers);
        Ok::<_, DataError>((numbers, gaps))
    };
    let (numbers_of, gaps): (Vec<_>, Vec<_>) =
        plan.numbers.par_iter().map(read_all).collect::<Result<Vec<_>, _>>()?.into_iter().unzip();
    let first = plan.first.as_deref();
    let mut strange = Vec::new();
    let results = match texts(&columns[&plan.result]) {
        Some(texts) => texts
            .enumerate()
            .map(|(row, text)| {
                let text = text.unwrap_or_default();
                let result = meaning::result(text.trim(), first);
                if result.is_nan() {
                    strange.push((row as u32, text.chars().take(40).collect()));
                }
                result
            })
            .collect(),
        None => read(&plan.result).map_err(|_| wrong_type(plan.result, "a number or a text"))?,
    };
    let count = results.len();
    let games = match plan.game {
        None => (first_row..).take(count).map(meaning::spread).collect(),
        Some(place) => match texts(&columns[&place]) {
            Some(texts) => texts
                .map(|text| meaning::game(text.unwrap_or_default().trim().as_bytes()))
                .collect(),
            None => {
                read(&place)?.iter().map(|x| meaning::spread(x.to_bits())).collect::<Vec<u64>>()
            }
        },
    };
    let mut sides = Vec::new();
    if let Some(place) = plan.side {
        sides = match texts(&columns[&place]) {
            Some(texts) => {
                texts.map(|text| meaning::second_to_move(text.unwrap_or_default(), first)).collect()
            }
            None => read(&place)?
                .iter()
                .map(|&side| if side == 0.0 { Some(false) } else { (side == 1.0).then_some(true) })
                .collect(),
        };
    }
    let mut unreadable = Vec::new();
    for (column, gaps) in gaps.into_iter().enumerate() {
        unreadable.extend(gaps.into_iter().map(|row| (column as u32, row, "null".to_owned())));
    }
    Ok(Raw {
        first_line: first_row,
        lines: Vec::new(),
        what: "row",
        numbers: numbers_of,
        results,
        games,
        sides,
        sides_asked: plan.side.is_some(),
        unreadable,
        strange,
    })
}

/// The rows without a number: few, so that whole blocks are passed by.
fn gaps(numbers: &[f64]) -> Vec<u32> {
    let mut gaps = Vec::new();
    for (block, numbers) in numbers.chunks(256).enumerate() {
        if numbers.iter().fold(false, |any, x| any | x.is_nan()) {
            let rows = numbers.iter().zip(256 * block as u32..);
            gaps.extend(rows.filter(|(x, _)| x.is_nan()).map(|(_, row)| row));
        }
    }
    gaps
}

/// A numeric column, not a number where it has gaps or is not finite; none of
/// another type.
fn numbers(column: &ArrayRef) -> Option<Vec<f64>> {
    fn of<T: ArrowPrimitiveType>(column: &ArrayRef, to: impl Fn(T::Native) -> f64) -> Vec<f64> {
        let array = column.as_primitive::<T>();
        if array.null_count() == 0 {
            return array.values().iter().map(|&x| to(x)).collect();
        }
        array.iter().map(|x| x.map_or(f64::NAN, &to)).collect()
    }
    let finite = |x: f64| if x.is_finite() { x } else { f64::NAN };
    Some(match column.data_type() {
        DataType::Int8 => of::<Int8Type>(column, f64::from),
        DataType::Int16 => of::<Int16Type>(column, f64::from),
        DataType::Int32 => of::<Int32Type>(column, f64::from),
        DataType::Int64 => of::<Int64Type>(column, |x| x as f64),
        DataType::UInt8 => of::<UInt8Type>(column, f64::from),
        DataType::UInt16 => of::<UInt16Type>(column, f64::from),
        DataType::UInt32 => of::<UInt32Type>(column, f64::from),
        DataType::UInt64 => of::<UInt64Type>(column, |x| x as f64),
        DataType::Float32 => of::<Float32Type>(column, |x| finite(f64::from(x))),
        DataType::Float64 => of::<Float64Type>(column, finite),
        DataType::Boolean => {
            let truth = |x: Option<bool>| x.map_or(f64::NAN, |x| f64::from(u8::from(x)));
            column.as_boolean().iter().map(truth).collect()
        }
        _ => return None,
    })
}

/// A column of texts; none of another type.
fn texts(column: &ArrayRef) -> Option<Box<dyn Iterator<Item = Option<&str>> + '_>> {
    match column.data_type() {
        DataType::Utf8 => Some(Box::new(column.as_string::<i32>().iter())),
        DataType::LargeUtf8 => Some(Box::new(column.as_string::<i64>().iter())),
        DataType::Utf8View => Some(Box::new(column.as_string_view().iter())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SheetColumns;
    use arrow_array::{Float32Array, Int64Array, RecordBatch, StringArray};
    use arrow_schema::{Field, Schema};
    use parquet::arrow::ArrowWriter;
    use std::sync::Arc;

    /// 70,000 rows of games of 25, in row groups that end within games.
    fn file(path: &Path) {
        let schema = Arc::new(Schema::new(vec![
            Field::new("result", DataType::Utf8, false),
            Field::new("game", DataType::Int64, false),
            Field::new("x", DataType::Float32, true),
            Field::new("odd", DataType::Utf8, false),
        ]));
        let rows = 0..70_000_i64;
        let result = rows.clone().map(|i| ["1-0", "1/2-1/2", "0-1", "*"][i as usize / 25 % 4]);
        let columns: Vec<ArrayRef> = vec![
            Arc::new(StringArray::from_iter_values(result)),
            Arc::new(Int64Array::from_iter_values(rows.clone().map(|i| i / 25))),
            Arc::new(rows.clone().map(|i| (i != 7).then_some(i as f32)).collect::<Float32Array>()),
            Arc::new(StringArray::from_iter_values(rows.map(|_| "?"))),
        ];
        let record = RecordBatch::try_new(Arc::clone(&schema), columns).unwrap();
        let mut writer = ArrowWriter::try_new(File::create(path).unwrap(), schema, None).unwrap();
        for first in (0..70_000).step_by(9_990) {
            writer.write(&record.slice(first, 9_990.min(70_000 - first))).unwrap();
            writer.flush().unwrap();
        }
        writer.close().unwrap();
    }

    #[test]
    fn columns_step_through_the_file_side_by_side() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("table.parquet");
        file(&path);
        let sheet = Sheet::open(&path).unwrap();
        assert_eq!(sheet.names(), ["result", "game", "x", "odd"]);
        let mut wanted = SheetColumns {
            numbers: vec!["x".into()],
            result: "result".into(),
            game: Some("game".into()),
            ..SheetColumns::default()
        };
        let (mut rows, mut games, mut sum) = (0, std::collections::HashSet::new(), 0.0);
        let faults = sheet
            .read(&wanted, |batch| -> Result<(), DataError> {
                rows += batch.len();
                games.extend(batch.games);
                sum += batch.numbers[0].iter().filter(|x| !x.is_nan()).sum::<f64>();
                Ok(())
            })
            .unwrap();
        assert_eq!(
            (faults.rows, faults.dropped(), rows, games.len()),
            (70_000, 17_500, 52_500, 2_100)
        );
        let expected: i64 = (0..70_000).filter(|i| i / 25 % 4 != 3 && *i != 7).sum();
        assert_eq!(sum, expected as f64);
        assert!(faults.to_text().contains("row 8, \"null\""), "{}", faults.to_text());

        wanted.numbers = vec!["odd".into()];
        let error = sheet.read(&wanted, |_| Ok::<(), DataError>(())).unwrap_err().to_string();
        assert!(error.contains("odd") && error.contains("number"), "{error}");
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
        assert!(Sheet::open(&path).is_err());
    }
}
