//! Makes the file of patterns that the engine embeds: a pattern model without the counts of
//! positions behind each weight, compressed by zstd.
//!
//! `cargo run --release -p evalsmith-engine-othello --example pack_patterns -- MODEL OUT`
//!
//! `zstd -d OUT` gives a model file again.
#![expect(clippy::print_stdout, reason = "figures")]

use evalsmith_learn::{PatternFile, PatternModel, RoundedGroup};
use std::error::Error;
use std::path::{Path, PathBuf};

/// The strongest compression whose decompression needs no more memory than the usual one.
const LEVEL: i32 = 19;

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [model, out] = &words[..] else { return Err("usage: pack_patterns MODEL OUT".into()) };
    let bytes = bytes_without_counts(model, out)?;
    let packed = zstd::encode_all(&bytes[..], LEVEL)?;
    std::fs::write(out, &packed)?;
    println!("{} bytes without counts, {} compressed", bytes.len(), packed.len());
    Ok(())
}

/// Writes the stripped model to `out`, which the compressed one replaces, and reads it back.
fn bytes_without_counts(model: &Path, out: &Path) -> Result<Vec<u8>, Box<dyn Error>> {
    let PatternFile { game, made_by, model } = PatternFile::load(model)?;
    let groups = (0..model.groups().count()).map(|group| RoundedGroup {
        scale: model.scales()[group],
        steps: model.steps_of(group).to_vec(),
        counts: None,
    });
    let (plan, valid) = (model.plan().clone(), model.valid().to_vec());
    let stripped = PatternModel::new(plan, model.groups(), model.unit(), groups.collect())?;
    PatternFile { game, made_by, model: stripped.with_valid(valid) }.save(out)?;
    Ok(std::fs::read(out)?)
}
