//! Rows as the columns of a Parquet file, encoded for speed.
//!
//! What is known of the columns lets their pages be written several times faster
//! than by a writer for any table: numbers change little from row to row, moves and
//! labels come again and again, positions are mostly of one length. The format's own
//! encodings say so: packed differences, dictionaries, bytes behind their lengths.
//!
//! Invariant: all columns of a part have the same rows; where their pages end is
//! each column's own matter.

mod chunk;
mod dictionary;
mod levels;
mod numbers;
mod values;

use crate::Batch;
use crate::batch::schema;
use arrow_array::Array;
use chunk::{Chunk, Packer};
use levels::Levels;
use parquet::arrow::{ArrowSchemaConverter, add_encoded_arrow_schema_to_metadata};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterPropertiesBuilder;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::ColumnDescPtr;
use std::sync::Arc;
use values::{Bytes, Numbers, Repeated, Values};

/// Rows that are taken at a time.
pub(crate) const BATCH_ROWS: usize = 1 << 13;
/// A page ends with the batch that reaches so many rows.
const PAGE_ROWS: usize = 1 << 15;

/// The columns of a part in the making.
pub(crate) struct Columns {
    packer: Packer,
    game: Column<Numbers>,
    ply: Column<Numbers>,
    stage: Column<Numbers>,
    side: Column<Numbers>,
    position: Column<Bytes>,
    mv: Column<Repeated>,
    result: Column<Numbers>,
    score: Column<Numbers>,
    labels: Vec<(String, Column<Repeated>)>,
}

impl Columns {
    /// No rows yet, and these labels.
    pub(crate) fn new<'a>(labels: impl Iterator<Item = &'a str>) -> Result<Self, ParquetError> {
        Ok(Self {
            packer: Packer::new()?,
            game: Column::full(),
            ply: Column::full(),
            stage: Column::full(),
            side: Column::full(),
            position: Column::full(),
            mv: Column::nullable(),
            result: Column::nullable(),
            score: Column::nullable(),
            labels: labels.map(|name| (name.to_owned(), Column::nullable())).collect(),
        })
    }

    /// Takes the next rows.
    ///
    /// # Panics
    /// When they lack a label.
    pub(crate) fn push(&mut self, rows: &Batch) -> Result<(), ParquetError> {
        (0..rows.len()).step_by(BATCH_ROWS).try_for_each(|at| {
            self.push_some(&rows.slice(at, BATCH_ROWS.min(rows.len() - at)))?;
            if self.game.rows >= PAGE_ROWS { self.end_page() } else { Ok(()) }
        })
    }

    fn push_some(&mut self, rows: &Batch) -> Result<(), ParquetError> {
        let packer = &mut self.packer;
        self.game.push(&rows.game, |values, cells| values.push(cells, |game| game as i32));
        self.ply.push(&rows.ply, |values, cells| values.push(cells, i32::from));
        self.stage.push(&rows.stage, |values, cells| values.push(cells, i32::from));
        self.side.push(&rows.side, |values, cells| values.push(cells, i32::from));
        self.position.push(&rows.position, Bytes::push);
        self.mv.push_repeated(&rows.mv, packer, Repeated::push_texts)?;
        self.result.push(&rows.score, |values, cells| {
            values.push(cells, |score| i32::from(score.signum()));
        });
        self.score.push(&rows.score, |values, cells| values.push(cells, i32::from));
        for (name, column) in &mut self.labels {
            let (_, cells) = rows.labels.iter().find(|(known, _)| known == name).expect("a label");
            column.push_repeated(cells, packer, Repeated::push_floats)?;
        }
        Ok(())
    }

    /// All columns in the order of the schema.
    fn all(&mut self) -> (impl Iterator<Item = &mut dyn Pages>, &mut Packer) {
        let first: [&mut dyn Pages; 8] = [
            &mut self.game,
            &mut self.ply,
            &mut self.stage,
            &mut self.side,
            &mut self.position,
            &mut self.mv,
            &mut self.result,
            &mut self.score,
        ];
        let labels = self.labels.iter_mut().map(|(_, column)| column as &mut dyn Pages);
        (first.into_iter().chain(labels), &mut self.packer)
    }

    fn end_page(&mut self) -> Result<(), ParquetError> {
        let (mut columns, packer) = self.all();
        columns.try_for_each(|column| column.end_page(packer))
    }

    /// The whole file, with this metadata.
    pub(crate) fn finish(
        mut self,
        properties: WriterPropertiesBuilder,
        metadata: impl IntoIterator<Item = KeyValue>,
    ) -> Result<Vec<u8>, ParquetError> {
        self.end_page()?;
        let schema = schema(self.labels.iter().map(|(name, _)| name.as_str()));
        let mut properties = properties.build();
        add_encoded_arrow_schema_to_metadata(&schema, &mut properties);
        let schema = ArrowSchemaConverter::new().convert(&schema)?;
        let root = schema.root_schema_ptr();
        let mut file = SerializedFileWriter::new(Vec::new(), root, Arc::new(properties))?;
        if self.game.chunk.rows() > 0 {
            let mut group = file.next_row_group()?;
            let (columns, packer) = self.all();
            for (column, name) in columns.zip(schema.columns()) {
                column.close(Arc::clone(name), packer, &mut group)?;
            }
            group.close()?;
        }
        for entry in metadata {
            file.append_key_value_metadata(entry);
        }
        file.into_inner()
    }
}

/// One column: the page in the making and those before it.
struct Column<V> {
    chunk: Chunk,
    rows: usize,
    levels: Option<Levels>,
    values: V,
    page: Vec<u8>,
}

impl<V: Values + Default> Column<V> {
    /// A column without nulls.
    fn full() -> Self {
        Self { chunk: Chunk::new(), rows: 0, levels: None, values: V::default(), page: Vec::new() }
    }

    fn nullable() -> Self {
        Self { levels: Some(Levels::default()), ..Self::full() }
    }

    fn push<A: Array>(&mut self, cells: &A, take: impl FnOnce(&mut V, &A)) {
        take(&mut self.values, cells);
        self.rows += cells.len();
        if let Some(levels) = &mut self.levels {
            levels.push(cells);
        }
    }
}

impl Column<Repeated> {
    fn push_repeated<A: Array>(
        &mut self,
        cells: &A,
        packer: &mut Packer,
        take: impl Fn(&mut Repeated, &A) -> bool,
    ) -> Result<(), ParquetError> {
        if !take(&mut self.values, cells) {
            self.end_page(packer)?;
            self.values.give_up_numbering();
            take(&mut self.values, cells);
        }
        self.push(cells, |_, _| {});
        Ok(())
    }
}

/// A column, whatever its values are.
trait Pages {
    /// Compresses the page in the making, if it holds any row.
    fn end_page(&mut self, packer: &mut Packer) -> Result<(), ParquetError>;

    /// Writes the column into its file.
    fn close(
        &mut self,
        column: ColumnDescPtr,
        packer: &mut Packer,
        out: &mut SerializedRowGroupWriter<'_, Vec<u8>>,
    ) -> Result<(), ParquetError>;
}

impl<V: Values> Pages for Column<V> {
    fn end_page(&mut self, packer: &mut Packer) -> Result<(), ParquetError> {
        if self.rows == 0 {
            return Ok(());
        }
        self.page.clear();
        if let Some(levels) = &mut self.levels {
            levels.finish(&mut self.page);
        }
        let encoding = self.values.finish(&mut self.page);
        let rows = std::mem::take(&mut self.rows);
        self.chunk.push(&self.page, rows, encoding, packer)
    }

    fn close(
        &mut self,
        column: ColumnDescPtr,
        packer: &mut Packer,
        out: &mut SerializedRowGroupWriter<'_, Vec<u8>>,
    ) -> Result<(), ParquetError> {
        let chunk = std::mem::replace(&mut self.chunk, Chunk::new());
        chunk.close(self.values.dictionary(), column, packer, out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BatchBuilder, Row};
    use evalsmith_core::{Outcome, Side, Stage};
    use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
    use parquet::basic::Encoding;
    use parquet::file::properties::WriterProperties;
    use std::path::Path;

    /// Rows `from..to` of a table that has everything: nulls, many moves and labels,
    /// positions of several lengths.
    fn rows(from: u32, to: u32) -> Batch {
        let mut rows = BatchBuilder::new(["many", "none"]);
        for i in from..to {
            let mv = format!("move {i}");
            let row = Row {
                game: u32::MAX / 3 * (i / 50_000) + i / 60,
                ply: (i % 60) as u16 * 1000,
                stage: Stage((i / 7) as u8),
                side: if i % 2 == 0 { Side::First } else { Side::Second },
                position: &[i as u8; 9][..(i / 1000 % 10) as usize],
                mv: (i % 7 != 3).then_some(mv.as_str()),
                outcome: (i % 600 > 59).then(|| Outcome::by((i / 60) as i16)),
            };
            rows.push(&row, &[(i % 5 > 0).then_some(i as f32), None]);
        }
        rows.finish()
    }

    fn encoded(batches: &[Batch]) -> bytes::Bytes {
        let mut columns = Columns::new(["many", "none"].into_iter()).unwrap();
        for batch in batches {
            columns.push(batch).unwrap();
        }
        columns.finish(WriterProperties::builder(), []).unwrap().into()
    }

    #[test]
    fn pages_and_full_dictionaries_are_read_back() {
        // Enough for several pages; batches of odd sizes, and one of several pages.
        let ends = [0, 1, 8, 1000, 9191, 9193, 60_000, 130_003, 130_020];
        let batches: Vec<Batch> = ends.windows(2).map(|w| rows(w[0], w[1])).collect();
        let file = encoded(&batches);
        let reader = ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
        let group = reader.metadata().row_group(0);
        for column in ["move", "label.many"] {
            let chunk = group.columns().iter().find(|c| c.column_path().string() == column);
            let encodings: Vec<_> = chunk.unwrap().encodings().collect();
            for encoding in [Encoding::RLE_DICTIONARY, Encoding::PLAIN] {
                assert!(encodings.contains(&encoding), "{column}: {encodings:?}");
            }
        }
        let read = reader.with_batch_size(1 << 20).build().unwrap().next().unwrap().unwrap();
        let read = Batch::from_record(&read, Path::new("-"), 0).unwrap();
        let expected = rows(0, 130_020);
        assert_eq!(read.len(), expected.len());
        for i in 0..expected.len() {
            assert_eq!(read.row(i), expected.row(i), "row {i}");
        }
        for name in ["many", "none"] {
            assert!(read.label(name).unwrap().eq(expected.label(name).unwrap()), "{name}");
        }
    }

    #[test]
    fn a_part_may_have_no_rows() {
        let reader = ParquetRecordBatchReaderBuilder::try_new(encoded(&[])).unwrap();
        assert_eq!(reader.schema().fields().len(), 10);
        assert_eq!(reader.metadata().file_metadata().num_rows(), 0);
    }
}
