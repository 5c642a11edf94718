//! The pages of one column of a part, compressed as they come.

use bytes::Bytes;
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::column::page::{CompressedPage, Page, PageWriter};
use parquet::column::writer::ColumnCloseResult;
use parquet::errors::ParquetError;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::writer::{SerializedPageWriter, SerializedRowGroupWriter, TrackedWrite};
use parquet::schema::types::ColumnDescPtr;
use zstd::zstd_safe::{CParameter, compress_bound};

/// The fastest level of zstd that still matches; higher ones gain a few hundredths
/// on packed positions.
const LEVEL: i32 = 1;

/// Compresses one page after another with the same tables.
pub(super) struct Packer {
    zstd: zstd::bulk::Compressor<'static>,
    packed: Vec<u8>,
}

impl Packer {
    pub(super) fn new() -> Result<Self, ParquetError> {
        let mut zstd = zstd::bulk::Compressor::new(LEVEL)?;
        // Positions are most like the few before them: a table that fits into the
        // nearest cache finds as much, and sooner.
        zstd.set_parameter(CParameter::HashLog(12))?;
        Ok(Self { zstd, packed: Vec::new() })
    }

    fn pack(&mut self, bytes: &[u8]) -> Result<&[u8], ParquetError> {
        self.packed.clear();
        self.packed.reserve(compress_bound(bytes.len()));
        self.zstd.compress_to_buffer(bytes, &mut self.packed)?;
        Ok(&self.packed)
    }
}

/// A column's pages so far.
pub(super) struct Chunk {
    pages: TrackedWrite<Vec<u8>>,
    /// Bytes of the pages before they were compressed, and rows in them.
    unpacked: usize,
    rows: u64,
    encodings: Vec<Encoding>,
}

impl Chunk {
    pub(super) fn new() -> Self {
        let pages = TrackedWrite::new(Vec::new());
        Self { pages, unpacked: 0, rows: 0, encodings: vec![Encoding::RLE] }
    }

    /// Rows in all pages.
    pub(super) fn rows(&self) -> u64 {
        self.rows
    }

    /// Appends a page of so many rows.
    pub(super) fn push(
        &mut self,
        page: &[u8],
        rows: usize,
        encoding: Encoding,
        packer: &mut Packer,
    ) -> Result<(), ParquetError> {
        self.rows += rows as u64;
        let data = Page::DataPage {
            buf: packer.pack(page)?.to_vec().into(),
            num_values: rows as u32,
            encoding,
            def_level_encoding: Encoding::RLE,
            rep_level_encoding: Encoding::RLE,
            statistics: None,
        };
        self.write(data, page.len())
    }

    fn write(&mut self, page: Page, unpacked: usize) -> Result<(), ParquetError> {
        let encoding = page.encoding();
        if !self.encodings.contains(&encoding) {
            self.encodings.push(encoding);
        }
        let page = CompressedPage::new(page, unpacked);
        let written = SerializedPageWriter::new(&mut self.pages).write_page(page)?;
        self.unpacked += written.uncompressed_size;
        Ok(())
    }

    /// Writes the column behind those before it, its dictionary of so many values
    /// at the front.
    pub(super) fn close(
        mut self,
        dictionary: Option<(&[u8], usize)>,
        column: ColumnDescPtr,
        packer: &mut Packer,
        out: &mut SerializedRowGroupWriter<'_, Vec<u8>>,
    ) -> Result<(), ParquetError> {
        let mut front = 0;
        let mut pages = Vec::new();
        if let Some((values, count)) = dictionary {
            let behind = std::mem::replace(&mut self.pages, TrackedWrite::new(pages));
            let page = Page::DictionaryPage {
                buf: packer.pack(values)?.to_vec().into(),
                num_values: count as u32,
                encoding: Encoding::PLAIN,
                is_sorted: false,
            };
            self.write(page, values.len())?;
            pages = self.pages.into_inner()?;
            front = pages.len();
            pages.append(&mut behind.into_inner()?);
        } else {
            pages = self.pages.into_inner()?;
        }
        let level = ZstdLevel::try_new(LEVEL).expect("a level that zstd has");
        let metadata = ColumnChunkMetaData::builder(column)
            .set_compression(Compression::ZSTD(level))
            .set_encodings(self.encodings)
            .set_num_values(self.rows as i64)
            .set_total_compressed_size(pages.len() as i64)
            .set_total_uncompressed_size(self.unpacked as i64)
            .set_dictionary_page_offset((front > 0).then_some(0))
            .set_data_page_offset(front as i64)
            .build()?;
        let close = ColumnCloseResult {
            bytes_written: pages.len() as u64,
            rows_written: self.rows,
            metadata,
            bloom_filter: None,
            column_index: None,
            offset_index: None,
        };
        out.append_column(&Bytes::from(pages), close)
    }
}
