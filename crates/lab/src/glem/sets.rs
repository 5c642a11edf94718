//! Which patterns: a set by name, or a TOML file with patterns as lists of atoms or
//! drawn on a board.
//!
//! ```toml
//! [[pattern]]
//! name = "corner"
//! board = """
//! ##......
//! ##......
//! """
//!
//! [[count]]
//! feature = "moves"
//! low = -20
//! high = 20
//! ```
//!
//! A board's first line is row 1, its first sign column a; `.` and `-` are left out. A
//! pattern with `sparse = true` has weights for states met often enough only. A named
//! set may be followed by the large patterns of buro98's Fig. 8, as in `buro98+A+B`.

use crate::LabError;
use evalsmith_core::files::{MOST_SETTINGS, read_text_at_most};
use evalsmith_learn::{Count, Pattern, PatternPlan};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::{Path, PathBuf};

/// The sets that have a name.
const NAMED: [(&str, &str); 3] = [
    ("buro98", include_str!("buro98.toml")),
    ("edax", include_str!("edax.toml")),
    ("evalsmith", include_str!("evalsmith.toml")),
];

/// The large patterns of buro98's Fig. 8, all sparse: the two outer rows, two edges that
/// meet in a corner with its X square, two opposite edges.
const LARGE: [(&str, &str); 3] = [
    ("A", "a1 b1 c1 d1 e1 f1 g1 h1 a2 b2 c2 d2 e2 f2 g2 h2"),
    ("B", "a1 b1 c1 d1 e1 f1 g1 h1 a2 a3 a4 a5 a6 a7 a8 b2"),
    ("C", "a1 b1 c1 d1 e1 f1 g1 h1 a8 b8 c8 d8 e8 f8 g8 h8"),
];

/// The names of the sets.
pub fn pattern_names() -> [&'static str; NAMED.len()] {
    NAMED.map(|(name, _)| name)
}

/// How a person names patterns.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", from = "String")]
pub enum PatternSource {
    /// A set by name.
    Named(String),
    /// A TOML file.
    File(PathBuf),
}

impl From<String> for PatternSource {
    fn from(text: String) -> Self {
        let mut parts = text.split('+');
        let named = parts.next().is_some_and(|first| pattern_names().contains(&first));
        if named && parts.all(|part| LARGE.iter().any(|(name, _)| *name == part)) {
            Self::Named(text)
        } else {
            Self::File(text.into())
        }
    }
}

impl From<PatternSource> for String {
    fn from(source: PatternSource) -> Self {
        source.to_string()
    }
}

impl fmt::Display for PatternSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Named(name) => f.write_str(name),
            Self::File(path) => write!(f, "{}", path.display()),
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    #[serde(default)]
    pattern: Vec<WrittenPattern>,
    #[serde(default)]
    count: Vec<Count>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenPattern {
    name: String,
    atoms: Option<Vec<String>>,
    board: Option<String>,
    #[serde(default)]
    sparse: bool,
}

impl PatternSource {
    /// Reads the patterns. Whether the game knows their atoms is not asked here.
    ///
    /// # Errors
    /// When the file cannot be read, is no such TOML, or a pattern is given both as
    /// atoms and as a board, or neither.
    pub fn read(&self) -> Result<PatternPlan, LabError> {
        match self {
            Self::Named(wanted) => {
                let mut parts = wanted.split('+');
                let first = parts.next().unwrap_or_default();
                let known = NAMED.iter().find(|(name, _)| *name == first);
                let (name, text) = known.ok_or_else(|| {
                    let known = pattern_names().join(", ");
                    LabError::Settings(format!(
                        "there are no patterns {wanted:?}; known are {known}"
                    ))
                })?;
                let mut plan = parse(text, Path::new(name))?;
                for part in parts {
                    let large = LARGE.iter().filter(|(name, _)| *name == part);
                    plan.sparse.extend(large.map(|(name, atoms)| Pattern {
                        name: (*name).into(),
                        atoms: atoms.split(' ').map(str::to_owned).collect(),
                    }));
                }
                Ok(plan)
            }
            Self::File(path) => {
                let text =
                    read_text_at_most(path, MOST_SETTINGS).map_err(|e| LabError::Unreadable {
                        path: path.clone(),
                        reason: format!(
                            "{e}; give a TOML file of patterns, or one of the sets {}",
                            pattern_names().join(", ")
                        ),
                    })?;
                parse(&text, path)
            }
        }
    }
}

fn parse(text: &str, path: &Path) -> Result<PatternPlan, LabError> {
    let wrong = |reason: String| LabError::Unreadable { path: path.to_owned(), reason };
    let written: Written = toml::from_str(text).map_err(|e| wrong(e.to_string()))?;
    let (mut patterns, mut large) = (Vec::new(), Vec::new());
    for WrittenPattern { name, atoms, board, sparse } in written.pattern {
        let atoms = match (atoms, board) {
            (Some(atoms), None) => atoms,
            (None, Some(board)) => drawn(&board)
                .map_err(|reason| wrong(format!("the board of pattern {name:?} {reason}")))?,
            _ => {
                let reason = format!("pattern {name:?} needs either atoms or a board");
                return Err(wrong(reason));
            }
        };
        if sparse { &mut large } else { &mut patterns }.push(Pattern { name, atoms });
    }
    for Count { feature, low, high } in &written.count {
        if low >= high {
            let reason = format!("the count of {feature:?} goes from {low} to {high}; low is less");
            return Err(wrong(reason));
        }
    }
    Ok(PatternPlan { patterns, counts: written.count, sparse: large })
}

/// The squares marked on a board, row by row.
fn drawn(board: &str) -> Result<Vec<String>, String> {
    let mut atoms = Vec::new();
    for (row, line) in board.lines().map(str::trim).filter(|line| !line.is_empty()).enumerate() {
        for (column, sign) in line.chars().filter(|c| !c.is_whitespace()).enumerate() {
            match (sign, u8::try_from(column)) {
                ('#', Ok(column @ 0..26)) => {
                    atoms.push(format!("{}{}", (b'a' + column) as char, row + 1));
                }
                ('.' | '-', _) => {}
                ('#', _) => return Err("is wider than 26 columns".into()),
                _ => return Err(format!("has {sign:?} in row {}; mark squares with #", row + 1)),
            }
        }
    }
    Ok(atoms)
}

#[cfg(test)]
mod tests {
    use super::*;
    use evalsmith_core::Game;
    use evalsmith_learn::{PatternSet, SparseSet, check_for_play};
    use evalsmith_othello::Othello;
    use std::fs;

    fn set(name: &str) -> (PatternPlan, PatternSet) {
        let plan = PatternSource::from(name.to_owned()).read().unwrap();
        let atoms = Othello::new().atoms().unwrap();
        let (names, ranges) = (atoms.names(), atoms.ranges());
        let set = PatternSet::new(plan.patterns.clone(), &names, &ranges, &atoms.symmetries());
        (plan, set.unwrap())
    }

    #[test]
    fn the_named_sets_are_what_is_told_of_them() {
        let (plan, buro98) = set("buro98");
        assert_eq!((buro98.instances(), buro98.weights()), (46, 113_877));
        assert_eq!((plan.counts.len(), 13 * plan.weights(&buro98)), (0, 1_480_401));
        let (plan, edax) = set("edax");
        assert_eq!((edax.instances(), plan.counts.len()), (46, 1));
        assert_eq!(plan.weights(&edax), 114_412);
        let (plan, ours) = set("evalsmith");
        assert_eq!((ours.instances(), plan.counts.len()), (54, 1));
        assert_eq!(plan.weights(&ours), 371_515);
        for name in pattern_names() {
            check_for_play(&set(name).1, &SparseSet::default()).unwrap();
        }
        let atoms = Othello::new().atoms().unwrap();
        let (plan, base) = set("buro98+A+B+C");
        let large =
            SparseSet::new(&plan.sparse, &atoms.names(), &atoms.ranges(), &atoms.symmetries());
        let large = large.unwrap();
        assert_eq!((base.instances(), large.instances()), (46, 10));
        check_for_play(&base, &large).unwrap();
        let unknown = PatternSource::from("buro98+D".to_owned());
        assert!(matches!(unknown, PatternSource::File(_)));
    }

    #[test]
    fn a_drawing_is_the_list_of_its_squares() {
        assert_eq!(drawn("\n#.-\n . # #\n").unwrap(), ["a1", "b2", "c2"]);
        assert!(drawn("#x").unwrap_err().contains("'x' in row 1"));
    }

    #[test]
    fn faults_name_file_and_remedy() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("p.toml");
        let error = |text: &str| {
            fs::write(&path, text).unwrap();
            let source = PatternSource::from(path.display().to_string());
            let error = source.read().unwrap_err().to_string();
            assert!(error.contains("p.toml"), "{error}");
            error
        };
        assert!(error("[[pattern]]\nname = \"x\"").contains("either atoms or a board"));
        assert!(error("[[pattern]]\nname = \"x\"\nsquares = 1").contains("squares"));
        assert!(error("[[pattern]]\nname = \"x\"\nboard = \"?\"").contains("mark squares with #"));
        assert!(error("[[count]]\nfeature = \"m\"\nlow = 3\nhigh = 3").contains("low is less"));
        let missing = PatternSource::from("no/such".to_owned()).read().unwrap_err().to_string();
        assert!(missing.contains("buro98, edax, evalsmith"), "{missing}");
    }
}
