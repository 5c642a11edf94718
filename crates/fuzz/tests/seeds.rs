//! Replays the seeds of every fuzz target, as they are and damaged in a few places.

#![expect(clippy::unwrap_used, reason = "tests")]

use evalsmith_fuzz_targets::TARGETS;
use std::collections::BTreeSet;
use std::fs;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};

/// Places of a seed that are damaged.
const PLACES: usize = 24;

fn seeds() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/seeds"))
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<_> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

#[test]
fn every_target_has_seeds_and_every_folder_of_seeds_a_target() {
    let targets: BTreeSet<String> = TARGETS.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(targets.len(), TARGETS.len(), "two targets of one name");
    let name = |path: &PathBuf| path.file_name().unwrap().to_str().unwrap().to_owned();
    let folders: BTreeSet<String> =
        entries(seeds()).iter().filter(|path| path.is_dir()).map(name).collect();
    assert_eq!(targets, folders);
    for target in targets {
        assert!(!entries(&seeds().join(&target)).is_empty(), "{target} has no seeds");
    }
}

/// Cut off at some lengths, with one byte changed at some places.
fn damaged(seed: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    let places = PLACES.min(seed.len());
    (0..places).flat_map(move |place| {
        // The middle of each of so many equal parts.
        let at = (2 * place + 1) * seed.len() / (2 * places);
        let flipped = [0x01, 0x20, 0x80].map(|bit| {
            let mut bytes = seed.to_vec();
            bytes[at] ^= bit;
            bytes
        });
        flipped.into_iter().chain([seed[..at].to_vec()])
    })
}

#[test]
fn no_seed_nor_a_damaged_one_breaks_a_promise() {
    let replay = |(name, target): &(&str, fn(&[u8]))| -> Vec<String> {
        let mut broken = Vec::new();
        for path in entries(&seeds().join(name)) {
            let seed = fs::read(&path).unwrap();
            for bytes in std::iter::once(seed.clone()).chain(damaged(&seed)) {
                if catch_unwind(|| target(&bytes)).is_err() {
                    let text = String::from_utf8_lossy(&bytes).into_owned();
                    broken.push(format!("{}: {text:?}", path.display()));
                }
            }
        }
        broken
    };
    let broken: Vec<_> = TARGETS.iter().flat_map(replay).collect();
    assert!(broken.is_empty(), "{broken:#?}");
}
