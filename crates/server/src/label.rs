//! What a model file says of itself, without its weights.
//!
//! A safetensors file begins with the length of its header in eight bytes, then the
//! header as JSON, in whose metadata the program keeps a text of its own. Reading just
//! that is quick enough to be done for every model of a folder at every look.

use crate::plain;
use serde::Deserialize;
use std::collections::HashMap;
use std::io::Read;
use std::path::Path;

/// Bytes of a header that are read; those of large trees have some hundred thousand.
const LONGEST: u64 = 16 << 20;

/// The game and the kind of a model.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct Label {
    pub(crate) game: String,
    pub(crate) kind: String,
}

#[derive(Deserialize)]
struct Header {
    #[serde(rename = "__metadata__")]
    metadata: HashMap<String, String>,
}

impl Label {
    /// The label of a file; none of one that is no model of this program.
    pub(crate) fn read(path: &Path) -> Option<Self> {
        let mut file = plain::open(path).ok()?;
        let mut length = [0; 8];
        file.read_exact(&mut length).ok()?;
        let length = u64::from_le_bytes(length);
        if length > LONGEST {
            return None;
        }
        let mut header = Vec::new();
        file.take(length).read_to_end(&mut header).ok()?;
        let header: Header = serde_json::from_slice(&header).ok()?;
        serde_json::from_str(header.metadata.get("evalsmith")?).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn label(bytes: &[u8]) -> Option<Label> {
        let temp = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(temp.path(), bytes).unwrap();
        Label::read(temp.path())
    }

    #[test]
    fn shipped_models_say_what_they_are() {
        let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
        for (name, kind) in [("othello", "linear"), ("othello-patterns", "patterns")] {
            let label = Label::read(&models.join(format!("{name}.safetensors"))).unwrap();
            assert_eq!((label.game.as_str(), label.kind.as_str()), ("othello", kind));
        }
    }

    #[test]
    fn what_is_no_model_has_no_label() {
        let bytes = |header: &str| {
            let length = (header.len() as u64).to_le_bytes();
            [&length[..], header.as_bytes()].concat()
        };
        let own = r#"{"__metadata__": {"evalsmith": "{\"game\": \"go\", \"kind\": \"tree\"}"}}"#;
        let wanted = Label { game: "go".into(), kind: "tree".into() };
        assert_eq!(label(&bytes(own)), Some(wanted));
        assert_eq!(label(&bytes(&own.replace("evalsmith", "other"))), None);
        assert_eq!(label(&bytes("{}")), None);
        assert_eq!(label(&bytes(own)[..20]), None);
        assert_eq!(label(&u64::MAX.to_le_bytes()), None);
        assert_eq!(label(b"abc"), None);
        let temp = tempfile::tempdir().unwrap();
        plain::tests::fifo(&temp.path().join("fifo"));
        assert_eq!(Label::read(&temp.path().join("fifo")), None);
    }
}
