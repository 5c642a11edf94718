//! The envelope in which every kind of model lies on disk: safetensors, with a JSON
//! header in its metadata.
//!
//! Python opens the same file with `safetensors.safe_open`; the metadata's one key,
//! `evalsmith`, holds what the model is and what made it. It ends in a digest, which older
//! files do without, that finds damage to it and to the numbers. Nothing in a file is
//! believed before it is checked, and nothing of the file's size is read before its length
//! is known to be right.

use crate::LearnError;
use evalsmith_core::digest::{Digest, Hasher};
use evalsmith_core::files::write_atomically;
use safetensors::{
    Dtype,
    tensor::{Metadata, TensorInfo, TensorView},
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// The format this program writes and reads.
const FORMAT: u64 = 1;
/// The metadata's key for the header.
const HEADER: &str = "evalsmith";
/// What stands before the digest at the header's end.
const DIGEST: &str = ",\"digest\":\"";
/// The longest header safetensors allows.
const LARGEST_HEADER: u64 = 100_000_000;

/// What a model says of itself.
#[derive(Serialize, Deserialize)]
pub(crate) struct Header<S> {
    pub(crate) format: u64,
    pub(crate) version: String,
    pub(crate) game: String,
    pub(crate) kind: String,
    /// What it needs to know of a position.
    pub(crate) features: Vec<String>,
    pub(crate) stages: usize,
    /// How a kind that needs it is put together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) structure: Option<S>,
    pub(crate) made_by: serde_json::Value,
}

/// What every format, older or newer, says of itself.
#[derive(Deserialize)]
struct Version {
    format: u64,
    version: String,
}

/// What tells one kind from another before the rest is read.
#[derive(Deserialize)]
struct Kind {
    kind: String,
}

impl<S> Header<S> {
    pub(crate) fn new(game: &str, kind: &str, made_by: &serde_json::Value) -> Self {
        Self {
            format: FORMAT,
            version: env!("CARGO_PKG_VERSION").into(),
            game: game.into(),
            kind: kind.into(),
            features: Vec::new(),
            stages: 0,
            structure: None,
            made_by: made_by.clone(),
        }
    }
}

/// A number as it lies in a tensor.
pub(crate) trait Number: Copy {
    const DTYPE: Dtype;
    fn append(self, bytes: &mut Vec<u8>);
    fn all(bytes: &[u8]) -> Vec<Self>;
}

macro_rules! numbers {
    ($($number:ty => $dtype:ident),*) => {$(
        impl Number for $number {
            const DTYPE: Dtype = Dtype::$dtype;
            fn append(self, bytes: &mut Vec<u8>) {
                bytes.extend(self.to_le_bytes());
            }
            fn all(bytes: &[u8]) -> Vec<Self> {
                bytes.as_chunks().0.iter().map(|&b| Self::from_le_bytes(b)).collect()
            }
        }
    )*};
}
numbers!(i16 => I16, u16 => U16, u32 => U32, f32 => F32, f64 => F64);

/// A tensor to be written.
pub(crate) struct Tensor {
    name: &'static str,
    dtype: Dtype,
    shape: Vec<usize>,
    bytes: Vec<u8>,
}

impl Tensor {
    pub(crate) fn new<N: Number>(
        name: &'static str,
        shape: Vec<usize>,
        numbers: impl IntoIterator<Item = N>,
    ) -> Self {
        let mut bytes = Vec::new();
        numbers.into_iter().for_each(|number| number.append(&mut bytes));
        Self { name, dtype: N::DTYPE, shape, bytes }
    }
}

/// The bytes of a file.
pub(crate) fn bytes<S: Serialize>(header: &Header<S>, tensors: &[Tensor]) -> io::Result<Vec<u8>> {
    let mut views = Vec::with_capacity(tensors.len());
    for Tensor { name, dtype, shape, bytes } in tensors {
        let view = TensorView::new(*dtype, shape.clone(), bytes).map_err(io::Error::other)?;
        views.push((*name, view));
    }
    let header = serde_json::to_string(header)?;
    let mut parts: Vec<_> = tensors.iter().map(|t| (t.name, &t.shape[..], &t.bytes[..])).collect();
    let digest = digest(&header, &mut parts);
    let header = format!("{}{DIGEST}{digest}\"}}", header.strip_suffix('}').unwrap_or(&header));
    let metadata = HashMap::from([(HEADER.to_owned(), header)]);
    safetensors::serialize(views, Some(metadata)).map_err(io::Error::other)
}

/// The digest of a header and of tensors, in whatever order they lie.
fn digest(header: &str, tensors: &mut [(&str, &[usize], &[u8])]) -> Digest {
    tensors.sort_unstable();
    let mut hasher = Hasher::new();
    hasher.write(header.as_bytes());
    for (name, shape, bytes) in tensors {
        hasher.write(name.as_bytes());
        shape.iter().for_each(|&n| hasher.write_u64(n as u64));
        hasher.write(bytes);
    }
    hasher.finish()
}

/// Writes a file, under a temporary name first; an existing file is replaced.
pub(crate) fn save(path: &Path, bytes: io::Result<Vec<u8>>) -> Result<(), LearnError> {
    let written = bytes.and_then(|bytes| write_atomically(path, |file| file.write_all(&bytes)));
    written.map_err(|source| LearnError::Io { action: "write", path: path.to_owned(), source })
}

/// The kind of the model at a path, where there is one that says it.
pub(crate) fn kind_at(path: &Path) -> Option<String> {
    let mut file = File::open(path).ok()?;
    let length = file.metadata().ok()?.len();
    kind(header_in(&read_metadata(&mut file, length, path).ok()?)?)
}

/// The kind of the model in a file's bytes, where they say it.
pub(crate) fn kind_in(mut bytes: &[u8]) -> Option<String> {
    let length = bytes.len() as u64;
    kind(header_in(&read_metadata(&mut bytes, length, Path::new("")).ok()?)?)
}

fn header_in(metadata: &Metadata) -> Option<&String> {
    metadata.metadata().as_ref()?.get(HEADER)
}

/// Whether header or numbers are not what the digest was made of, where there is one.
fn is_damaged(metadata: &Metadata, header: &str, data: &[u8]) -> bool {
    let sealed = header.rsplit_once(DIGEST);
    let sealed = sealed.and_then(|(begin, end)| Some((begin, end.strip_suffix("\"}")?)));
    sealed.is_some_and(|(begin, told)| {
        let tensors = metadata.tensors();
        let mut parts: Vec<_> = tensors
            .iter()
            .map(|(name, info)| {
                let (from, to) = info.data_offsets;
                (name.as_str(), &info.shape[..], data.get(from..to).unwrap_or_default())
            })
            .collect();
        digest(&format!("{begin}}}"), &mut parts).to_string() != told
    })
}

fn kind(header: &str) -> Option<String> {
    serde_json::from_str::<Kind>(header).ok().map(|kind| kind.kind)
}

/// An opened envelope.
pub(crate) struct Envelope<S> {
    pub(crate) header: Header<S>,
    path: PathBuf,
    metadata: Metadata,
    data: Vec<u8>,
}

impl<S: DeserializeOwned> Envelope<S> {
    /// Opens a file of one of these kinds.
    ///
    /// # Errors
    /// When the system refuses, or the file is truncated, foreign, or of another
    /// version or kind.
    pub(crate) fn load(path: &Path, kinds: &[&str]) -> Result<Self, LearnError> {
        let failed = |source| LearnError::Io { action: "read", path: path.to_owned(), source };
        let file = File::open(path).map_err(failed)?;
        let length = file.metadata().map_err(failed)?.len();
        Self::read(file, length, path, kinds)
    }

    /// The same from a file's bytes; `origin` stands for the path in errors.
    pub(crate) fn from_bytes(
        bytes: &[u8],
        origin: &str,
        kinds: &[&str],
    ) -> Result<Self, LearnError> {
        Self::read(bytes, bytes.len() as u64, Path::new(origin), kinds)
    }

    fn read(
        mut file: impl Read,
        length: u64,
        path: &Path,
        kinds: &[&str],
    ) -> Result<Self, LearnError> {
        let foreign = |reason: String| LearnError::Foreign { path: path.to_owned(), reason };
        let metadata = read_metadata(&mut file, length, path)?;
        let header =
            header_in(&metadata).ok_or_else(|| foreign("it has no evalsmith header".into()))?;
        check_format(header, path)?;
        let kind = kind(header).ok_or_else(|| foreign("its header names no kind".into()))?;
        if !kinds.contains(&kind.as_str()) {
            let wanted = kinds.iter().map(|kind| (*kind).to_owned()).collect();
            return Err(LearnError::Kind { path: path.to_owned(), kind, wanted });
        }
        let mut data = Vec::new();
        file.read_to_end(&mut data).map_err(|source| LearnError::Io {
            action: "read",
            path: path.to_owned(),
            source,
        })?;
        if is_damaged(&metadata, header, &data) {
            return Err(LearnError::Damaged { path: path.to_owned() });
        }
        let header = serde_json::from_str(header).map_err(|e| foreign(e.to_string()))?;
        Ok(Self { header, path: path.to_owned(), metadata, data })
    }

    /// How the model is put together.
    ///
    /// # Errors
    /// When the header does not say.
    pub(crate) fn structure(&mut self) -> Result<S, LearnError> {
        let structure = self.header.structure.take();
        structure.ok_or_else(|| self.inconsistent("its header has no structure".into()))
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.metadata.info(name).is_some()
    }

    /// The shape and the numbers of a tensor.
    ///
    /// # Errors
    /// When there is none of that name and type.
    pub(crate) fn tensor<N: Number>(&self, name: &str) -> Result<(&[usize], Vec<N>), LearnError> {
        let TensorInfo { dtype, shape, data_offsets: (from, to) } = self
            .metadata
            .info(name)
            .ok_or_else(|| self.inconsistent(format!("it has no tensor {name:?}")))?;
        if *dtype != N::DTYPE {
            let (found, asked) = (dtype, N::DTYPE);
            return Err(self.inconsistent(format!("its {name} are {found:?}, not {asked:?}")));
        }
        Ok((shape, N::all(self.data.get(*from..*to).unwrap_or_default())))
    }

    /// The error of a file that contradicts itself.
    pub(crate) fn inconsistent(&self, reason: String) -> LearnError {
        LearnError::Shape { path: self.path.clone(), reason }
    }

    /// The same error with the file's name in it, where it is about a weight or about
    /// how the model is put together.
    pub(crate) fn blame(&self, error: LearnError) -> LearnError {
        match error {
            LearnError::WeightNotFinite { feature, stage, value, .. } => {
                LearnError::WeightNotFinite { path: Some(self.path.clone()), feature, stage, value }
            }
            other => self.inconsistent(other.to_string()),
        }
    }
}

/// Checks that a model is one of this game.
pub(crate) fn check_game(model: &str, game: &str) -> Result<(), LearnError> {
    if model == game {
        return Ok(());
    }
    Err(LearnError::OtherGame { model: model.into(), game: game.into() })
}

/// Checks that a model's groups of stages are those of a game with so many.
pub(crate) fn check_stages(model: usize, game: usize) -> Result<(), LearnError> {
    let game = game.max(1);
    if model == game { Ok(()) } else { Err(LearnError::Stages { model, game }) }
}

fn check_format(header: &str, path: &Path) -> Result<(), LearnError> {
    let foreign =
        |e: serde_json::Error| LearnError::Foreign { path: path.to_owned(), reason: e.to_string() };
    let version: Version = serde_json::from_str(header).map_err(foreign)?;
    if version.format == FORMAT {
        return Ok(());
    }
    Err(LearnError::Version {
        path: path.to_owned(),
        found: version.format,
        writer: version.version,
        known: FORMAT,
    })
}

/// Reads the safetensors header, and checks that the numbers which follow are as
/// many as it says, before anything of the file's size is read.
fn read_metadata(file: &mut impl Read, length: u64, path: &Path) -> Result<Metadata, LearnError> {
    let failed = |source| LearnError::Io { action: "read", path: path.to_owned(), source };
    let foreign = |reason: String| LearnError::Foreign { path: path.to_owned(), reason };
    let truncated = |reason: String| LearnError::Truncated { path: path.to_owned(), reason };

    let mut first = Vec::new();
    file.by_ref().take(9).read_to_end(&mut first).map_err(failed)?;
    let Some((&size, rest)) = first.split_first_chunk() else {
        return Err(truncated(format!("it has only {length} bytes")));
    };
    let size = u64::from_le_bytes(size);
    if size > LARGEST_HEADER || rest.first().is_some_and(|&b| b != b'{') {
        return Err(foreign("it does not begin with a safetensors header".into()));
    }
    if length < 8 + size {
        return Err(truncated(format!("its header alone needs more than its {length} bytes")));
    }
    let mut header = rest.to_vec();
    file.by_ref().take(size.saturating_sub(1)).read_to_end(&mut header).map_err(failed)?;
    let metadata: Metadata = serde_json::from_slice(&header).map_err(|e| foreign(e.to_string()))?;
    let (held, told) = (length - 8 - size, metadata.data_len() as u64);
    match held.cmp(&told) {
        Ordering::Equal => Ok(metadata),
        Ordering::Less => {
            Err(truncated(format!("it holds {held} of the {told} bytes of its numbers")))
        }
        Ordering::Greater => {
            let reason = format!("{} bytes follow its numbers", held - told);
            Err(LearnError::Shape { path: path.to_owned(), reason })
        }
    }
}

/// A file's bytes as they were before there were digests, for tests of everything else
/// that is checked.
#[cfg(test)]
pub(crate) fn without_digest(bytes: &[u8]) -> Vec<u8> {
    let size = u64::from_le_bytes(*bytes.first_chunk().unwrap()) as usize;
    let (header, numbers) = bytes[8..].split_at(size);
    let header = std::str::from_utf8(header).unwrap();
    let (begin, sealed) = header.split_once(r#",\"digest\":\""#).unwrap();
    let (_, end) = sealed.split_once(r#"\""#).unwrap();
    let header = [begin, end].concat();
    [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), numbers].concat()
}
