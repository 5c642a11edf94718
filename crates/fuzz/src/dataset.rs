//! The manifest of a dataset.

use crate::scratch::with_file;
use evalsmith_data::{Dataset, Manifest};
use std::path::Path;

/// `dataset.json`, as it is and with a correct digest.
pub(crate) fn dataset(bytes: &[u8]) {
    with_file("dataset.json", bytes, open);
    if let Ok(mut manifest) = serde_json::from_slice::<Manifest>(bytes) {
        manifest.digest = manifest.computed_digest();
        let sealed = serde_json::to_vec(&manifest).expect("a manifest is plain JSON");
        with_file("dataset.json", &sealed, open);
    }
}

fn open(path: &Path) {
    let folder = path.parent().expect("the file lies in a folder");
    let _ = Manifest::read(folder);
    if let Ok(dataset) = Dataset::open(folder) {
        let _ = (dataset.written(), dataset.digest(), dataset.rows().count());
    }
}
