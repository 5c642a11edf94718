//! One Parquet file of a dataset: the rows of consecutive games.
//!
//! The file carries a checksum of itself: the key-value entry
//! `evalsmith.checksum` is written as sixteen zeros, the whole file is hashed,
//! and the zeros are replaced by the digest. Reading puts the zeros back, hashes
//! and compares, before any byte reaches the Parquet decoder. So a flipped or
//! lost byte anywhere is found, and damage cannot pass for data.

use crate::batch::check_schema;
use crate::encode::Columns;
use crate::manifest::part_path;
use crate::{Batch, BatchBuilder, DataError, Digest, Hasher, Manifest, Tally};
use evalsmith_core::files::write_atomically;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{WriterProperties, WriterPropertiesBuilder};
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

const MAGIC: &[u8; 4] = b"PAR1";
const PART: &str = "evalsmith.part";
const CHECKSUM: &str = "evalsmith.checksum";
const UNSEALED: &str = "0000000000000000";

/// A part that was checked: whole, of this run, with the right columns.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub(crate) path: PathBuf,
    pub(crate) tally: Tally,
    pub(crate) rows: u64,
    pub(crate) bytes: u64,
}

/// Compression for every table this program writes. Level 1 is the fastest that
/// still matches; higher ones gain a few hundredths on packed positions.
pub(crate) fn properties() -> WriterPropertiesBuilder {
    let level = ZstdLevel::try_new(1).expect("a level that zstd has");
    WriterProperties::builder()
        .set_compression(Compression::ZSTD(level))
        .set_created_by(concat!("evalsmith ", env!("CARGO_PKG_VERSION")).to_owned())
}

/// Writes part `index` under its final name, whole or not at all.
pub(crate) fn write(
    dir: &Path,
    index: usize,
    manifest: &Manifest,
    tally: &Tally,
    rows: &Batch,
) -> Result<(), DataError> {
    let mut encoder = Encoder::new(manifest);
    encoder.push(rows);
    encoder.write(dir, index, manifest, tally)
}

/// A part in the making. Rows come in batches, so that they are still in the
/// cache when they are encoded.
pub(crate) struct Encoder {
    /// The first failure stands for all that come after it.
    columns: Result<Columns, ParquetError>,
}

impl Encoder {
    pub(crate) fn new(manifest: &Manifest) -> Self {
        Self { columns: Columns::new(manifest.label_names()) }
    }

    pub(crate) fn push(&mut self, rows: &Batch) {
        if let Ok(columns) = &mut self.columns
            && let Err(e) = columns.push(rows)
        {
            self.columns = Err(e);
        }
    }

    /// Writes the part under its final name, whole or not at all.
    pub(crate) fn write(
        self,
        dir: &Path,
        index: usize,
        manifest: &Manifest,
        tally: &Tally,
    ) -> Result<(), DataError> {
        let path = part_path(dir, index);
        let bytes = self.finish(index, manifest, tally).map_err(|e| {
            let (path, reason) = (path.clone(), e.to_string());
            DataError::Parquet { path, reason }
        })?;
        write_atomically(&path, |file| file.write_all(&bytes)).map_err(|e| DataError::io(&path, e))
    }

    fn finish(
        self,
        index: usize,
        manifest: &Manifest,
        tally: &Tally,
    ) -> Result<Vec<u8>, ParquetError> {
        let mut bytes = self.columns?.finish(properties(), metadata(index, manifest, tally))?;
        seal(&mut bytes);
        Ok(bytes)
    }
}

/// What a part tells of itself, with a checksum still to be made.
fn metadata(index: usize, manifest: &Manifest, tally: &Tally) -> [KeyValue; 9] {
    let json = |value: serde_json::Result<String>| value.expect("provenance is plain JSON");
    [
        ("evalsmith.game", manifest.game.clone()),
        ("evalsmith.version", manifest.version.clone()),
        ("evalsmith.command", manifest.command.clone()),
        ("evalsmith.configuration", manifest.configuration.to_string()),
        ("evalsmith.labels", json(serde_json::to_string(&manifest.labels))),
        ("evalsmith.digest", manifest.digest.to_string()),
        (PART, index.to_string()),
        ("evalsmith.tally", json(serde_json::to_string(tally))),
        (CHECKSUM, UNSEALED.to_owned()),
    ]
    .map(|(key, value)| KeyValue::new(key.to_owned(), value))
}

/// Where the checksum's digits stand in the footer.
fn seal_at(bytes: &[u8]) -> Option<usize> {
    // In Thrift's compact protocol a string field is 0x18, its length, its bytes;
    // a control character cannot come from JSON or a name, so the match is unique.
    let mut mark = CHECKSUM.as_bytes().to_vec();
    mark.extend([0x18, UNSEALED.len() as u8]);
    let at = bytes.windows(mark.len()).rposition(|window| window == mark)? + mark.len();
    (at + UNSEALED.len() <= bytes.len()).then_some(at)
}

fn digest_without_seal(bytes: &[u8], at: usize) -> Digest {
    let mut hasher = Hasher::new();
    hasher.write(&bytes[..at]);
    hasher.write(UNSEALED.as_bytes());
    hasher.write(&bytes[at + UNSEALED.len()..]);
    hasher.finish()
}

fn seal(bytes: &mut [u8]) {
    let at = seal_at(bytes).expect("the footer holds the entry just written");
    let digits = digest_without_seal(bytes, at).to_string();
    bytes[at..at + digits.len()].copy_from_slice(digits.as_bytes());
}

/// Checks that bytes are a part exactly as written.
fn check_seal(bytes: &[u8], path: &Path) -> Result<(), DataError> {
    let path = path.to_owned();
    if bytes.len() < 12 || !bytes.starts_with(MAGIC) || !bytes.ends_with(MAGIC) {
        return Err(DataError::NotParquet { path });
    }
    let Some(at) = seal_at(bytes) else {
        return Err(DataError::Foreign { path, reason: format!("it has no {CHECKSUM}") });
    };
    let digits = &bytes[at..at + UNSEALED.len()];
    if digits != digest_without_seal(bytes, at).to_string().as_bytes() {
        return Err(DataError::Damaged { path });
    }
    Ok(())
}

impl Part {
    /// Opens part `index` of a run and checks it.
    pub(crate) fn open(dir: &Path, index: usize, manifest: &Manifest) -> Result<Self, DataError> {
        let path = part_path(dir, index);
        let bytes = std::fs::read(&path).map_err(|e| DataError::io(&path, e))?;
        check_seal(&bytes, &path)?;
        let size = bytes.len() as u64;
        drop(bytes);

        let reader = reader(&path)?;
        let file = reader.metadata().file_metadata();
        let entry = |key: &str| {
            let entries = file.key_value_metadata()?;
            entries.iter().find(|entry| entry.key == key)?.value.as_deref()
        };
        let foreign = |reason| DataError::Foreign { path: path.clone(), reason };
        let game = entry("evalsmith.game").unwrap_or_default();
        if game != manifest.game {
            let (found, wanted) = (game.to_owned(), manifest.game.clone());
            return Err(DataError::WrongGame { path, found, wanted });
        }
        let digest = entry("evalsmith.digest").unwrap_or_default();
        if digest != manifest.digest.to_string() {
            return Err(foreign(format!("it belongs to run {digest}, not {}", manifest.digest)));
        }
        let tally: Tally = serde_json::from_str(entry("evalsmith.tally").unwrap_or_default())
            .map_err(|e| foreign(format!("its tally cannot be read: {e}")))?;
        let part = entry(PART).unwrap_or_default();
        if part != index.to_string() {
            return Err(foreign(format!("it is part {part}, not {index}")));
        }
        check_schema(reader.schema(), manifest.label_names(), &path)?;
        let rows = u64::try_from(file.num_rows()).unwrap_or(0);
        Ok(Self { path, tally, rows, bytes: size })
    }

    /// All rows, with the labels of the manifest.
    pub(crate) fn whole(&self, manifest: &Manifest) -> Result<Batch, DataError> {
        let rows = usize::try_from(self.rows).unwrap_or(usize::MAX);
        let none = || BatchBuilder::new(manifest.label_names()).finish();
        if rows == 0 {
            Ok(none())
        } else {
            self.batches(rows)?.next().unwrap_or_else(|| Ok(none()))
        }
    }

    /// The rows, in batches of at most so many.
    pub(crate) fn batches(
        &self,
        rows: usize,
    ) -> Result<impl Iterator<Item = Result<Batch, DataError>>, DataError> {
        let unreadable = |reason: String| DataError::Parquet { path: self.path.clone(), reason };
        let reader = reader(&self.path)?
            .with_batch_size(rows)
            .build()
            .map_err(|e| unreadable(e.to_string()))?;
        Ok(reader.map(move |record| {
            let record = record.map_err(|e| unreadable(e.to_string()))?;
            Batch::from_record(&record, &self.path, 0)
        }))
    }
}

/// Opens a Parquet file for reading.
pub(crate) fn reader(path: &Path) -> Result<ParquetRecordBatchReaderBuilder<File>, DataError> {
    let file = File::open(path).map_err(|e| DataError::io(path, e))?;
    ParquetRecordBatchReaderBuilder::try_new(file)
        .map_err(|e| DataError::Parquet { path: path.to_owned(), reason: e.to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::Making;
    use crate::{Dataset, Label, Row};
    use arrow_array::{ArrayRef, Int8Array, Int64Array, RecordBatch, StringArray, UInt8Array};
    use evalsmith_core::{Outcome, Side, Stage};
    use parquet::arrow::ArrowWriter;
    use proptest::prelude::*;
    use std::sync::Arc;

    fn manifest() -> Manifest {
        let label = |name: &str| Label { name: name.to_owned(), made: "by hand".to_owned() };
        let making = Making {
            game: "toy",
            verb: "generate",
            command: "make",
            configuration: serde_json::json!({ "games": 2 }),
            inputs: Vec::new(),
            labels: vec![label("search"), label("deep")],
        };
        Manifest::new(making, Some(1))
    }

    fn tally() -> Tally {
        Tally { games: 2, ..Tally::default() }
    }

    fn row(position: &[u8], margin: i16) -> Row<'_> {
        let (stage, side) = (Stage(3), Side::Second);
        Row { game: 1, ply: 4, stage, side, position, mv: None, outcome: Some(Outcome::by(margin)) }
    }

    /// A part of these columns, sealed as if all were well.
    fn part_of(rows: &RecordBatch, manifest: &Manifest) -> Vec<u8> {
        let mut writer = ArrowWriter::try_new(Vec::new(), rows.schema(), None).unwrap();
        writer.write(rows).unwrap();
        for entry in metadata(0, manifest, &tally()) {
            writer.append_key_value_metadata(entry);
        }
        let mut bytes = writer.into_inner().unwrap();
        seal(&mut bytes);
        bytes
    }

    /// A dataset whose only part is this.
    fn dataset_with(part: &[u8]) -> (tempfile::TempDir, Result<Dataset, DataError>) {
        let dir = tempfile::tempdir().unwrap();
        manifest().write(dir.path()).unwrap();
        std::fs::write(part_path(dir.path(), 0), part).unwrap();
        let opened = Dataset::open(dir.path());
        (dir, opened)
    }

    fn dataset_of(rows: &RecordBatch) -> (tempfile::TempDir, Result<Dataset, DataError>) {
        dataset_with(&part_of(rows, &manifest()))
    }

    fn encoded(rows: &Batch) -> Vec<u8> {
        let mut encoder = Encoder::new(&manifest());
        encoder.push(rows);
        encoder.finish(0, &manifest(), &tally()).unwrap()
    }

    /// Two good rows, with one column replaced or left out.
    fn rows_with(name: &str, column: Option<&ArrayRef>) -> RecordBatch {
        let mut rows = BatchBuilder::new(["search", "deep"]);
        rows.push(&row(b"a", -6), &[Some(0.5), None]);
        rows.push(&row(b"b", 0), &[None, None]);
        let record = rows.finish().to_record();
        let schema = record.schema();
        let columns = schema.fields().iter().zip(record.columns()).filter_map(|(field, found)| {
            let kept = if field.name() == name { column } else { Some(found) };
            Some((field.name().clone(), kept?.clone(), true))
        });
        RecordBatch::try_from_iter_with_nullable(columns).unwrap()
    }

    #[test]
    fn a_manifest_that_promises_endless_parts_is_refused_at_once() {
        let (dir, _) = dataset_of(&rows_with("", None));
        Manifest { parts: Some(usize::MAX), ..manifest() }.write(dir.path()).unwrap();
        let error = Dataset::open(dir.path()).unwrap_err();
        assert!(
            matches!(error, DataError::Unfinished { found: 1, planned: usize::MAX, .. }),
            "{error}"
        );
    }

    #[test]
    fn a_missing_column_is_named() {
        for name in ["game", "position", "result", "label.deep"] {
            let error = dataset_of(&rows_with(name, None)).1.unwrap_err();
            assert!(
                matches!(&error, DataError::MissingColumn { column, .. } if column == name),
                "{error}"
            );
        }
    }

    #[test]
    fn a_column_of_another_type_is_named() {
        for name in ["game", "move", "score", "label.search"] {
            let column: ArrayRef = Arc::new(Int64Array::from(vec![0, 1]));
            let error = dataset_of(&rows_with(name, Some(&column))).1.unwrap_err();
            assert!(
                matches!(&error, DataError::WrongType { column, found, .. }
                    if column == name && found == "Int64"),
                "{error}"
            );
        }
    }

    #[test]
    fn a_cell_that_means_nothing_is_named() {
        let cells: [(&str, ArrayRef); 4] = [
            ("side", Arc::new(UInt8Array::from(vec![1, 2]))),
            ("stage", Arc::new(UInt8Array::from(vec![Some(1), None]))),
            ("result", Arc::new(Int8Array::from(vec![-1, 1]))),
            ("score", Arc::new(arrow_array::Int16Array::from(vec![-6, i16::MIN]))),
        ];
        for (name, cells) in cells {
            // The smallest score has the sign of a loss.
            let mut rows = rows_with(name, Some(&cells));
            if name == "score" {
                let result: ArrayRef = Arc::new(Int8Array::from(vec![-1, -1]));
                let at = rows.schema().index_of("result").unwrap();
                let mut columns = rows.columns().to_vec();
                columns[at] = result;
                rows = RecordBatch::try_new(rows.schema(), columns).unwrap();
            }
            let (_dir, dataset) = dataset_of(&rows);
            let error = dataset.unwrap().rows().find_map(Result::err).unwrap();
            assert!(
                matches!(&error, DataError::Value { column, row: 1, .. } if column == name),
                "{error}"
            );
        }
    }

    #[test]
    fn further_columns_are_no_obstacle() {
        let rows = rows_with("", None);
        let mut columns: Vec<(String, ArrayRef, bool)> = rows
            .schema()
            .fields()
            .iter()
            .zip(rows.columns())
            .map(|(field, column)| (field.name().clone(), column.clone(), true))
            .collect();
        columns.push(("note".to_owned(), Arc::new(StringArray::from(vec!["x", "y"])), true));
        let rows = RecordBatch::try_from_iter_with_nullable(columns).unwrap();
        assert_eq!(dataset_of(&rows).1.unwrap().rows().count(), 1);
    }

    #[test]
    fn a_part_of_another_game_is_refused() {
        let (dir, dataset) = dataset_of(&rows_with("", None));
        dataset.unwrap();
        let other = Manifest { game: "other".to_owned(), ..manifest() };
        let part = part_of(&rows_with("", None), &other);
        std::fs::write(part_path(dir.path(), 0), part).unwrap();
        let error = Dataset::open(dir.path()).unwrap_err();
        assert!(
            matches!(&error, DataError::WrongGame { found, wanted, .. }
                if found == "other" && wanted == "toy"),
            "{error}"
        );
    }

    type Cells =
        (u32, u16, u8, bool, Vec<u8>, Option<String>, Option<i16>, Option<f32>, Option<f32>);

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn rows_and_labels_round_trip(cells: Vec<Cells>) {
            let mut rows = BatchBuilder::new(["search", "deep"]);
            for (game, ply, stage, second, position, mv, margin, search, deep) in &cells {
                let row = Row {
                    game: *game,
                    ply: *ply,
                    stage: Stage(*stage),
                    side: if *second { Side::Second } else { Side::First },
                    position,
                    mv: mv.as_deref(),
                    outcome: margin.map(|margin| Outcome::by(margin.max(-i16::MAX))),
                };
                rows.push(&row, &[*search, *deep]);
            }
            let rows = rows.finish();
            let (_dir, dataset) = dataset_with(&encoded(&rows));
            let read: Vec<Batch> = dataset.unwrap().rows().map(Result::unwrap).collect();
            prop_assert_eq!(read.iter().map(Batch::len).sum::<usize>(), cells.len());
            if let [read] = &read[..] {
                prop_assert!(read.rows().eq(rows.rows()));
                for name in ["search", "deep"] {
                    let bits = |v: Option<f32>| v.map(f32::to_bits);
                    let found = read.label(name).unwrap().map(bits);
                    prop_assert!(found.eq(rows.label(name).unwrap().map(bits)));
                }
                prop_assert!(read.label("absent").is_none());
            }
        }
    }
}
