//! One Parquet file of a dataset: the rows of consecutive games.
//!
//! The file carries a checksum of itself: the key-value entry
//! `evalsmith.checksum` is written as sixteen zeros, the whole file is hashed,
//! and the zeros are replaced by the digest. Reading puts the zeros back, hashes
//! and compares, before any byte reaches the Parquet decoder. So a flipped or
//! lost byte anywhere is found, and damage cannot pass for data.

use crate::atomic::write_atomically;
use crate::batch::{Batch, check_schema};
use crate::manifest::part_path;
use crate::{DataError, Digest, Hasher, Manifest, Tally};
use arrow_array::RecordBatch;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{WriterProperties, WriterPropertiesBuilder};
use parquet::schema::types::ColumnPath;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

const MAGIC: &[u8; 4] = b"PAR1";
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

/// Compression for every table this program writes.
pub(crate) fn properties() -> WriterPropertiesBuilder {
    let level = ZstdLevel::try_new(3).expect("a level that zstd has");
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
    let path = part_path(dir, index);
    let bytes = encode(manifest, tally, &rows.to_record())
        .map_err(|reason| DataError::Parquet { path: path.clone(), reason })?;
    write_atomically(&path, |file| file.write_all(&bytes)).map_err(|e| DataError::io(&path, e))
}

fn encode(manifest: &Manifest, tally: &Tally, rows: &RecordBatch) -> Result<Vec<u8>, String> {
    let json = |value: serde_json::Result<String>| value.expect("provenance is plain JSON");
    let metadata = [
        ("evalsmith.game", manifest.game.clone()),
        ("evalsmith.seed", manifest.configuration.seed.to_string()),
        ("evalsmith.version", manifest.version.clone()),
        ("evalsmith.command", manifest.command.clone()),
        ("evalsmith.function", manifest.function.clone()),
        ("evalsmith.configuration", json(serde_json::to_string(&manifest.configuration))),
        ("evalsmith.labels", json(serde_json::to_string(&manifest.labels))),
        ("evalsmith.digest", manifest.digest.to_string()),
        ("evalsmith.tally", json(serde_json::to_string(tally))),
        (CHECKSUM, UNSEALED.to_owned()),
    ];
    let metadata = metadata.map(|(key, value)| KeyValue::new(key.to_owned(), value)).to_vec();
    let properties = properties()
        .set_key_value_metadata(Some(metadata))
        // Positions hardly repeat: a dictionary of them would only cost.
        .set_column_dictionary_enabled(ColumnPath::from("position"), false)
        .build();
    let mut writer = ArrowWriter::try_new(Vec::new(), rows.schema(), Some(properties))
        .map_err(|e| e.to_string())?;
    writer.write(rows).map_err(|e| e.to_string())?;
    let mut bytes = writer.into_inner().map_err(|e| e.to_string())?;
    seal(&mut bytes);
    Ok(bytes)
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
        let games = manifest.games_of(index);
        if tally.first_game != games.start || tally.games as usize != games.len() {
            let reason = format!("it holds {} games from {}", tally.games, tally.first_game);
            return Err(foreign(reason));
        }
        check_schema(reader.schema(), manifest.label_names(), &path)?;
        let rows = u64::try_from(file.num_rows()).unwrap_or(0);
        Ok(Self { path, tally, rows, bytes: size })
    }
}

/// Opens a Parquet file for reading.
pub(crate) fn reader(path: &Path) -> Result<ParquetRecordBatchReaderBuilder<File>, DataError> {
    let file = File::open(path).map_err(|e| DataError::io(path, e))?;
    ParquetRecordBatchReaderBuilder::try_new(file)
        .map_err(|e| DataError::Parquet { path: path.to_owned(), reason: e.to_string() })
}
