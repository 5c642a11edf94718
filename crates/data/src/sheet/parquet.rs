//! Parquet: each wanted column has a reader of its own, and all of them step
//! through the file side by side, a step ahead of whoever takes the rows.

mod cells;

use super::Plan;
use super::meaning::{self, Raw};
use crate::DataError;
use arrow_schema::{DataType, Schema};
use cells::{Cells, Uses};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader,
    ParquetRecordBatchReaderBuilder,
};
use parquet::errors::ParquetError;
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::sync_channel;

/// Rows taken at a time: all columns of two steps stay in the second-level cache.
const ROWS: usize = 1 << 14;

/// What a file begins with.
pub(super) const MAGIC: &[u8] = b"PAR1";

pub(super) fn names(path: &Path) -> Result<Vec<String>, DataError> {
    let fields = guarded(path, || Ok(open(path)?.1.schema().fields().clone()))?;
    Ok(fields.iter().map(|field| field.name().clone()).collect())
}

/// Whether most cells of each column are numbers in the first rows. Without a row, all
/// are.
pub(super) fn look_for_numbers(path: &Path, places: &[usize]) -> Result<Vec<bool>, DataError> {
    let (_, metadata) = guarded(path, || open(path))?;
    let uses = Uses { number: true, result: false, game: false, side: false, first: None };
    let look = |&place: &usize| {
        guarded(path, || {
            let Some(record) = reader(path, place, metadata.clone())?.next() else {
                return Ok(true);
            };
            let record = record.map_err(|e| unreadable(path, &ParquetError::from(e)))?;
            let held = |cells: Cells| cells.numbers.iter().filter(|x| !x.is_nan()).count();
            let cells = Cells::read(record.column(0), &uses);
            Ok(cells.is_ok_and(|cells| 2 * held(cells) > record.num_rows()))
        })
    };
    places.iter().map(look).collect()
}

/// The decoder trusts some of what a damaged file says about itself.
fn guarded<T>(path: &Path, read: impl FnOnce() -> Result<T, DataError>) -> Result<T, DataError> {
    catch_unwind(AssertUnwindSafe(read))
        .unwrap_or_else(|_| Err(DataError::NotParquet { path: path.to_owned() }))
}

fn open(path: &Path) -> Result<(File, ArrowReaderMetadata), DataError> {
    let file = File::open(path).map_err(|e| DataError::io(path, e))?;
    let metadata = ArrowReaderMetadata::load(&file, ArrowReaderOptions::new());
    Ok((file, metadata.map_err(|e| unreadable(path, &e))?))
}

fn unreadable(path: &Path, error: &ParquetError) -> DataError {
    DataError::Parquet { path: path.to_owned(), reason: error.to_string() }
}

/// A file and the names of its columns.
#[derive(Clone, Copy)]
pub(super) struct Table<'a> {
    pub(super) path: &'a Path,
    pub(super) names: &'a [String],
}

/// Reads all rows.
pub(super) fn read<E: From<DataError>>(
    table: Table<'_>,
    plan: &Plan,
    hand_on: &mut impl FnMut(Raw) -> Result<(), E>,
) -> Result<(), E> {
    let mut steps = Steps::new(table, plan)?;
    std::thread::scope(|scope| {
        let (sender, receiver) = sync_channel(1);
        scope.spawn(move || {
            // Whoever takes the rows may want no more of them.
            while let Some(step) = steps.next().transpose() {
                let failed = step.is_err();
                if sender.send(step).is_err() || failed {
                    break;
                }
            }
        });
        receiver.into_iter().try_for_each(|raw| hand_on(raw?))
    })
}

/// The way through a file.
struct Steps<'a> {
    table: Table<'a>,
    plan: &'a Plan,
    columns: Vec<Column<'a>>,
    first_row: u64,
}

/// A column that is wanted, for whatever purposes.
struct Column<'a> {
    table: Table<'a>,
    place: usize,
    uses: Uses<'a>,
    reader: ParquetRecordBatchReader,
}

impl<'a> Steps<'a> {
    fn new(table: Table<'a>, plan: &'a Plan) -> Result<Self, DataError> {
        let wanted =
            plan.numbers.iter().copied().chain([plan.result]).chain(plan.game).chain(plan.side);
        let places: BTreeSet<usize> = wanted.collect();
        let path = table.path;
        let (_, metadata) = guarded(path, || open(path))?;
        let column = |place: usize| -> Result<_, DataError> {
            let uses = Uses {
                number: plan.numbers.contains(&place),
                result: plan.result == place,
                game: plan.game == Some(place),
                side: plan.side == Some(place),
                first: plan.first.as_deref(),
            };
            let metadata =
                if uses.number { metadata.clone() } else { with_views(&metadata, place) };
            let reader = guarded(path, || reader(path, place, metadata))?;
            Ok(Column { table, place, uses, reader })
        };
        let columns = places.into_iter().map(column).collect::<Result<_, _>>()?;
        Ok(Self { table, plan, columns, first_row: 1 })
    }

    /// The next rows; none at the end.
    fn next(&mut self) -> Result<Option<Raw>, DataError> {
        let columns = &mut self.columns;
        let step = || columns.par_iter_mut().map(Column::next).collect::<Result<Vec<_>, _>>();
        let step = guarded(self.table.path, step)?;
        let Some(cells) = step.into_iter().collect::<Option<Vec<_>>>() else { return Ok(None) };
        let raw = self.rows(cells);
        self.first_row += raw.results.len() as u64;
        Ok(Some(raw))
    }

    fn rows(&self, mut cells: Vec<Cells>) -> Raw {
        let plan = self.plan;
        let at = |place: usize| {
            let at = self.columns.iter().position(|column| column.place == place);
            at.expect("a reader for each wanted column")
        };
        let mut raw = Raw {
            first_line: self.first_row,
            what: "row",
            results: std::mem::take(&mut cells[at(plan.result)].results),
            sides_asked: plan.side.is_some(),
            ..Raw::default()
        };
        for (column, &place) in plan.numbers.iter().enumerate() {
            let cells = &mut cells[at(place)];
            let gaps = cells.gaps.iter();
            raw.unreadable.extend(gaps.map(|&row| (column as u32, row, "null".to_owned())));
            // A column may be wanted twice.
            let last = !plan.numbers[column + 1..].contains(&place);
            let numbers = &mut cells.numbers;
            raw.numbers.push(if last { std::mem::take(numbers) } else { numbers.clone() });
        }
        raw.games = match plan.game {
            Some(place) => std::mem::take(&mut cells[at(place)].games),
            None => (self.first_row..).take(raw.results.len()).map(meaning::spread).collect(),
        };
        if let Some(place) = plan.side {
            raw.sides = std::mem::take(&mut cells[at(place)].sides);
        }
        raw.strange = cells.into_iter().flat_map(|cells| cells.strange).collect();
        raw
    }
}

impl Column<'_> {
    /// The next piece of the column; none at the end.
    fn next(&mut self) -> Result<Option<Cells>, DataError> {
        let path = self.table.path;
        let Some(record) = self.reader.next() else { return Ok(None) };
        let record = record
            .map_err(|e| DataError::Parquet { path: path.to_owned(), reason: e.to_string() })?;
        let array = record.column(0);
        let cells = Cells::read(array, &self.uses).map_err(|wanted| DataError::WrongType {
            path: path.to_owned(),
            column: self.table.names[self.place].clone(),
            found: array.data_type().to_string(),
            wanted: wanted.to_owned(),
        })?;
        Ok(Some(cells))
    }
}

fn reader(
    path: &Path,
    place: usize,
    metadata: ArrowReaderMetadata,
) -> Result<ParquetRecordBatchReader, DataError> {
    let file = File::open(path).map_err(|e| DataError::io(path, e))?;
    let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(file, metadata);
    let mask = ProjectionMask::roots(builder.parquet_schema(), [place]);
    let reader = builder.with_projection(mask).with_batch_size(ROWS).build();
    reader.map_err(|e| unreadable(path, &e))
}

/// A column of texts is read as views, which are made without copying and show at a
/// glance that a text stands again; texts by number, as pandas writes categories, are
/// texts like any other.
fn with_views(metadata: &ArrowReaderMetadata, place: usize) -> ArrowReaderMetadata {
    let is_text = |kind: &DataType| matches!(kind, DataType::Utf8 | DataType::LargeUtf8);
    let mut fields = metadata.schema().fields().to_vec();
    let text = match fields[place].data_type() {
        DataType::Dictionary(_, of) => is_text(of),
        kind => is_text(kind),
    };
    if !text {
        return metadata.clone();
    }
    fields[place] = Arc::new((*fields[place]).clone().with_data_type(DataType::Utf8View));
    let options = ArrowReaderOptions::new().with_schema(Arc::new(Schema::new(fields)));
    let changed = ArrowReaderMetadata::try_new(Arc::clone(metadata.metadata()), options);
    changed.unwrap_or_else(|_| metadata.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Sheet, SheetColumns};
    use arrow_array::types::Int32Type;
    use arrow_array::{
        ArrayRef, DictionaryArray, Float32Array, Int64Array, RecordBatch, StringArray,
    };
    use arrow_schema::Field;
    use parquet::arrow::ArrowWriter;

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
        let named = ["x", "game", "odd"].map(String::from);
        let mut looked = Sheet::open(&path).unwrap();
        assert_eq!(looked.columns_of_numbers(&named).unwrap(), ["x", "game"]);
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
        let sheet = Sheet::open(&path).unwrap();
        let error = sheet.read(&wanted, |_| Ok::<(), DataError>(())).unwrap_err().to_string();
        assert!(error.contains("odd") && error.contains("number"), "{error}");
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
        assert!(Sheet::open(&path).is_err());
    }

    #[test]
    fn categories_are_texts_and_what_is_strange_is_shown() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("table.parquet");
        let results = ["1-0", "1-0", "0-1", "?", "1/2-1/2"];
        let results: DictionaryArray<Int32Type> = results.into_iter().collect();
        let sides: StringArray = ["w", "b", "w", "w", "x"].map(Some).into_iter().collect();
        let x = Float32Array::from_iter_values([1.0, 2.0, 3.0, 4.0, 5.0]);
        let columns: [(&str, ArrayRef); 3] =
            [("result", Arc::new(results)), ("side", Arc::new(sides)), ("x", Arc::new(x))];
        let record = RecordBatch::try_from_iter(columns).unwrap();
        let file = File::create(&path).unwrap();
        let mut writer = ArrowWriter::try_new(file, record.schema(), None).unwrap();
        writer.write(&record).unwrap();
        writer.close().unwrap();
        let wanted = SheetColumns {
            numbers: vec!["x".into(), "x".into()],
            result: "result".into(),
            side: Some("side".into()),
            first: Some("w".into()),
            ..SheetColumns::default()
        };
        let mut batches = Vec::new();
        let faults = Sheet::open(&path)
            .unwrap()
            .read(&wanted, |batch| -> Result<(), DataError> {
                batches.push(batch);
                Ok(())
            })
            .unwrap();
        let [batch] = &batches[..] else { panic!("{} batches", batches.len()) };
        assert_eq!((&batch.half_points[..], batch.games.len()), (&[2, 2, 0][..], 3));
        assert_eq!(batch.numbers, [[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]]);
        assert_eq!(batch.second_to_move, [false, true, false]);
        let told = faults.to_text();
        assert!(told.contains("row 4, \"?\"") && told.contains("row 5, \"x\""), "{told}");
    }

    #[test]
    fn a_loss_of_minus_one_is_found_among_the_first_rows() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("table.parquet");
        let rows = 3 * ROWS as i64;
        let result = Int64Array::from_iter_values((0..rows).map(|i| -i64::from(i == rows - 1)));
        let record =
            RecordBatch::try_from_iter([("result", Arc::new(result) as ArrayRef)]).unwrap();
        let file = File::create(&path).unwrap();
        let mut writer = ArrowWriter::try_new(file, record.schema(), None).unwrap();
        writer.write(&record).unwrap();
        writer.close().unwrap();
        let wanted = SheetColumns { result: "result".into(), ..SheetColumns::default() };
        let mut half_points = Vec::new();
        let faults = Sheet::open(&path)
            .unwrap()
            .read(&wanted, |batch| -> Result<(), DataError> {
                half_points.extend(batch.half_points);
                Ok(())
            })
            .unwrap();
        assert_eq!((faults.rows, faults.dropped()), (rows as u64, 0));
        assert!(half_points[..half_points.len() - 1].iter().all(|half| *half == 1));
        assert_eq!(half_points.last(), Some(&0));
    }
}
