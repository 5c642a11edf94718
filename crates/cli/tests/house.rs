//! The plan of the house, kept by a test: which crate may use which, and which
//! licences a dependency may have. Both are read from `cargo metadata`.

use cargo_metadata::{DependencyKind, Metadata, MetadataCommand};
use std::collections::{BTreeMap, BTreeSet};

/// Who may use whom (`ARCHITECTURE.md`). A crate that is not listed fails.
const MAY_USE: &[(&str, &[&str])] = &[
    ("core", &[]),
    ("stats", &[]),
    ("othello", &["core"]),
    ("chess", &["core"]),
    ("go", &["core"]),
    ("malawi", &["core"]),
    ("shogi", &["core"]),
    ("search", &["core"]),
    ("protocol", &["core"]),
    ("engine-othello", &["core", "othello", "learn"]),
    ("learn", &["core", "stats"]),
    ("rules", &["core", "search", "learn"]),
    ("data", &["core", "search", "rules"]),
    ("curves", &["core", "stats", "learn"]),
    ("arena", &["core", "stats", "rules", "data", "protocol"]),
    ("report", &["core", "stats"]),
    (
        "lab",
        &[
            "core", "stats", "search", "learn", "rules", "data", "curves", "arena", "protocol",
            "report",
        ],
    ),
    ("registry", &["othello", "engine-othello", "malawi", "chess", "shogi", "go", "lab"]),
    ("server", &["lab", "report"]),
    (
        "fuzz-targets",
        &[
            "core",
            "othello",
            "chess",
            "go",
            "shogi",
            "engine-othello",
            "learn",
            "data",
            "curves",
            "arena",
            "rules",
            "lab",
            "server",
        ],
    ),
    ("examples", &[]),
];

/// Licences that let the project be MIT OR Apache-2.0.
const FITTING: &[&str] = &[
    "MIT",
    "MIT-0",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
    "0BSD",
];

fn metadata() -> Metadata {
    MetadataCommand::new()
        .manifest_path(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"))
        .other_options(vec!["--locked".into(), "--offline".into()])
        .exec()
        .expect("`cargo fetch` brought the dependencies of all platforms")
}

#[test]
fn every_crate_knows_only_whom_it_may() {
    let metadata = metadata();
    let plan: BTreeMap<_, BTreeSet<_>> =
        MAY_USE.iter().map(|(name, uses)| (*name, uses.iter().copied().collect())).collect();
    let mut offences = Vec::new();
    for package in metadata.workspace_packages() {
        let Some(name) = package.name.strip_prefix("evalsmith-") else { continue };
        let uses = package
            .dependencies
            .iter()
            .filter(|d| d.kind != DependencyKind::Development)
            .filter_map(|d| d.name.strip_prefix("evalsmith-"));
        match plan.get(name) {
            None => offences.push(format!("{name} has no place in the plan")),
            Some(allowed) => offences
                .extend(uses.filter(|u| !allowed.contains(u)).map(|u| format!("{name} uses {u}"))),
        }
    }
    assert!(offences.is_empty(), "against the plan of the house: {offences:#?}");
}

#[test]
fn every_licence_fits() {
    let unfit: Vec<_> = metadata()
        .packages
        .iter()
        .filter(|p| !p.license.as_deref().is_some_and(fits))
        .map(|p| format!("{} {}: {:?}", p.name, p.version, p.license))
        .collect();
    assert!(unfit.is_empty(), "licences that do not fit MIT OR Apache-2.0: {unfit:#?}");
}

/// Whether an SPDX expression can be satisfied by fitting licences alone.
/// Reads what crates use: AND, OR, the old slash for OR, WITH, and parentheses.
fn fits(expression: &str) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let mut words: Vec<&str> = spaced.split_whitespace().rev().collect();
    any_of(&mut words) == Some(true) && words.is_empty()
}

/// `None` where the expression is broken.
fn any_of(words: &mut Vec<&str>) -> Option<bool> {
    let mut fits = all_of(words)?;
    while words.pop_if(|w| *w == "OR").is_some() {
        fits |= all_of(words)?;
    }
    Some(fits)
}

fn all_of(words: &mut Vec<&str>) -> Option<bool> {
    let mut fits = one(words)?;
    while words.pop_if(|w| *w == "AND").is_some() {
        fits &= one(words)?;
    }
    Some(fits)
}

fn one(words: &mut Vec<&str>) -> Option<bool> {
    let word = words.pop()?;
    if word == "(" {
        let fits = any_of(words)?;
        return (words.pop()? == ")").then_some(fits);
    }
    if words.pop_if(|w| *w == "WITH").is_some() {
        let exception = words.pop()?;
        return Some(FITTING.contains(&format!("{word} WITH {exception}").as_str()));
    }
    Some(FITTING.contains(&word))
}

#[test]
fn licence_expressions_are_read_rightly() {
    for good in ["MIT", "MIT/Apache-2.0", "(MIT OR GPL-3.0) AND BSD-3-Clause", "GPL-2.0 OR MIT"] {
        assert!(fits(good), "{good}");
    }
    for bad in ["GPL-3.0", "MIT AND GPL-3.0", "", "(MIT", "MIT OR", "MIT MIT"] {
        assert!(!fits(bad), "{bad}");
    }
}
