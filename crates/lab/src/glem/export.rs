//! A pattern model for other programs: a C header that evaluates by itself, or JSON.
//!
//! Both hold one weight for every state of a pattern. A state is a number in mixed
//! base: the value of the pattern's first atom counts one, that of the second as much
//! as the first has values, and so on; for Othello that is base three, with 1 for the
//! mover's discs and 2 for the opponent's.

use crate::LabError;
use evalsmith_core::files::write_atomically;
use evalsmith_core::{Game, Stage};
use evalsmith_learn::{PatternFile, PatternFunction};
use evalsmith_rules::{DynFeatures, DynGame};
use serde_json::json;
use std::fmt::Display;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// How a model is written for other programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatternExport {
    /// A C header.
    CHeader,
    /// JSON.
    Json,
}

/// Writes the model of a file for other programs.
///
/// # Errors
/// When the file is no pattern model of the game, or cannot be written.
pub fn export_patterns(
    game: &DynGame,
    model: &Path,
    format: PatternExport,
    out: &Path,
) -> Result<(), LabError> {
    let function = PatternFunction::open(game, PatternFile::load(model)?)?;
    if function.tables().is_sparse() {
        return Err(LabError::Unreadable {
            path: model.to_owned(),
            reason: "has sparse patterns, which other programs have no tables for; export a \
                     model without"
                .into(),
        });
    }
    let ranges = game.atoms().map(|atoms| atoms.ranges()).unwrap_or_default();
    let form = Form::new(&function, &ranges);
    let written: io::Result<()> = write_atomically(out, |file| {
        let mut file = BufWriter::new(file);
        match format {
            PatternExport::CHeader => form.c_header(&mut file)?,
            PatternExport::Json => form.json(&mut file)?,
        }
        file.flush()
    });
    written.map_err(LabError::io(out))
}

/// What both formats say.
struct Form<'a> {
    /// For each instance its pattern and its atoms, each with what its value counts.
    instances: Vec<(usize, Vec<(u16, u32)>)>,
    names: Vec<&'a str>,
    counts: Vec<(&'a str, i16, i16, u32)>,
    bases: &'a [u32],
    stride: usize,
    groups: Vec<usize>,
    log_odds: Vec<f64>,
    steps: &'a [i16],
}

impl<'a> Form<'a> {
    fn new(function: &'a PatternFunction<DynFeatures>, ranges: &[u8]) -> Self {
        let (model, tables) = (function.model(), function.tables());
        let placed = |(pattern, atoms): (usize, Vec<u16>)| {
            let mut counts = 1;
            let place = |&atom: &u16| {
                let own = counts;
                counts *= u32::from(ranges[usize::from(atom)]);
                (atom, own)
            };
            (pattern, atoms.iter().map(place).collect())
        };
        let counts = model.plan().counts.iter().zip(tables.count_bases());
        let groups = model.groups();
        Self {
            instances: function.set().instance_atoms().into_iter().map(placed).collect(),
            names: function.set().patterns().iter().map(|p| p.name.as_str()).collect(),
            counts: counts.map(|(c, base)| (c.feature.as_str(), c.low, c.high, base)).collect(),
            bases: tables.bases(),
            stride: tables.steps().len() / groups.count(),
            groups: (0..groups.stages()).map(|stage| groups.of(Stage(stage as u8))).collect(),
            log_odds: tables.log_odds_a_step(),
            steps: tables.steps(),
        }
    }

    fn json(&self, out: &mut impl Write) -> io::Result<()> {
        let instances = self.instances.iter().zip(self.bases).map(|((pattern, places), base)| {
            let (atoms, counts): (Vec<u16>, Vec<u32>) = places.iter().copied().unzip();
            json!({"pattern": self.names[*pattern], "atoms": atoms, "counts": counts, "base": base})
        });
        let counts = self.counts.iter().map(
            |(feature, low, high, base)| json!({"feature": feature, "low": low, "high": high, "base": base}),
        );
        let groups: Vec<&[i16]> = self.steps.chunks(self.stride).collect();
        let value = json!({
            "instances": instances.collect::<Vec<_>>(),
            "counts": counts.collect::<Vec<_>>(),
            "group_of_stage": self.groups,
            "log_odds_a_step": self.log_odds,
            "steps": groups,
        });
        serde_json::to_writer(&mut *out, &value)?;
        out.write_all(b"\n")
    }

    fn c_header(&self, out: &mut impl Write) -> io::Result<()> {
        let longest = self.instances.iter().map(|(_, places)| places.len()).max().unwrap_or(1);
        let (instances, counts) = (self.instances.len(), self.counts.len());
        writeln!(
            out,
            "/* Weights of patterns, made by evalsmith.\n   atoms: one value each, as the side to \
             move sees them; counts: the features\n   {}.\n   evalsmith_log_odds() is the value \
             for the side to move. */\n#ifndef EVALSMITH_PATTERNS_H\n#define EVALSMITH_PATTERNS_H\n",
            self.counts.iter().map(|c| c.0).collect::<Vec<_>>().join(", ")
        )?;
        for (name, value) in [
            ("INSTANCES", instances),
            ("LONGEST", longest),
            ("STRIDE", self.stride),
            ("COUNTS", counts),
        ] {
            writeln!(out, "#define EVALSMITH_{name} {value}")?;
        }
        let lengths = self.instances.iter().map(|(_, places)| places.len());
        array(out, "int evalsmith_length[]", lengths)?;
        let padded = |of: fn(&(u16, u32)) -> u32| {
            self.instances.iter().flat_map(move |(_, places)| {
                let filler = std::iter::repeat_n(0, longest - places.len());
                places.iter().map(of).chain(filler).collect::<Vec<_>>()
            })
        };
        array(out, "int evalsmith_atom[]", padded(|&(atom, _)| u32::from(atom)))?;
        array(out, "int evalsmith_counts_for[]", padded(|&(_, counts)| counts))?;
        array(out, "int evalsmith_base[]", self.bases.iter())?;
        array(out, "int evalsmith_group[]", self.groups.iter())?;
        array(out, "double evalsmith_step[]", self.log_odds.iter())?;
        let flat = |(_, low, high, base): &(&str, i16, i16, u32)| {
            [i64::from(*low), i64::from(*high), i64::from(*base)]
        };
        let limits = self.counts.iter().flat_map(flat);
        array(out, "int evalsmith_count[]", limits.chain((counts == 0).then_some(0)))?;
        array(out, "short evalsmith_weight[]", self.steps.iter())?;
        out.write_all(FUNCTION.as_bytes())
    }
}

fn array<T: Display>(
    out: &mut impl Write,
    name: &str,
    values: impl Iterator<Item = T>,
) -> io::Result<()> {
    write!(out, "static const {name} = {{")?;
    for (i, value) in values.enumerate() {
        let before = if i % 16 == 0 { "\n" } else { "" };
        write!(out, "{before}{value},")?;
    }
    out.write_all(b"};\n")
}

const FUNCTION: &str = "
static double evalsmith_log_odds(const unsigned char *atoms, const int *counts, int stage) {
  const short *weight = evalsmith_weight + (long)evalsmith_group[stage] * EVALSMITH_STRIDE;
  long sum = 0;
  for (int i = 0; i < EVALSMITH_INSTANCES; i++) {
    int state = 0;
    for (int k = 0; k < evalsmith_length[i]; k++) {
      int at = i * EVALSMITH_LONGEST + k;
      state += atoms[evalsmith_atom[at]] * evalsmith_counts_for[at];
    }
    sum += weight[evalsmith_base[i] + state];
  }
  for (int i = 0; i < EVALSMITH_COUNTS; i++) {
    const int *limit = evalsmith_count + 3 * i;
    int value = counts[i] < limit[0] ? limit[0] : counts[i] > limit[1] ? limit[1] : counts[i];
    sum += weight[limit[2] + value - limit[0]];
  }
  return sum * evalsmith_step[evalsmith_group[stage]];
}

#endif
";

#[cfg(test)]
mod tests {
    use super::super::some_model::{model_of, some_model};
    use super::*;
    use evalsmith_core::{Evaluate, Position, Window};
    use evalsmith_learn::{Count, Pattern, PatternPlan};
    use evalsmith_othello::Othello;
    use std::fs;
    use std::process::Command;

    /// Little enough for a C compiler.
    fn small() -> PatternFile {
        let pattern = |name: &str, atoms: &str| Pattern {
            name: name.into(),
            atoms: atoms.split(' ').map(str::to_owned).collect(),
        };
        let patterns = vec![pattern("row 3", "a3 b3 c3 d3 e3 f3"), pattern("centre", "d4 e4 d5")];
        let counts = vec![Count { feature: "moves".into(), low: -9, high: 9 }];
        model_of(PatternPlan { patterns, counts, sparse: Vec::new() })
    }

    #[test]
    #[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
    fn the_c_header_says_what_the_function_does() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        small().save(&at("m")).unwrap();
        let game = DynGame::new(Othello::new());
        export_patterns(&game, &at("m"), PatternExport::CHeader, &at("p.h")).unwrap();
        let record = Othello::new().parse_transcript("f5d6c3d3c4f4f6f3e6e7d7c5b6").unwrap();
        let board = record.position();
        let mut values = [0; 64];
        Othello::new().atoms().unwrap().write(board, &mut values);
        let moves =
            board.mobility().count_ones() as i32 - board.opponent_mobility().count_ones() as i32;
        let program = format!(
            "#include \"p.h\"\n#include <stdio.h>\nint main(void) {{ unsigned char a[] = {{{}}}; \
             int c[] = {{{moves}}}; printf(\"%.6f\", evalsmith_log_odds(a, c, {})); return 0; }}",
            values.map(|v| v.to_string()).join(","),
            board.stage().0
        );
        fs::write(at("p.c"), program).unwrap();
        let built = Command::new("cc").arg("-o").arg(at("p")).arg(at("p.c")).status();
        if !built.is_ok_and(|status| status.success()) {
            eprintln!("skipped: there is no C compiler here");
            return;
        }
        let output = Command::new(at("p")).output().unwrap();
        let found: f64 = String::from_utf8(output.stdout).unwrap().parse().unwrap();
        let function = PatternFunction::open(&Othello::new(), small()).unwrap();
        let expected = function.value(board, &function.start(board), Window::FULL).log_odds().0;
        assert!((found - expected).abs() < 1e-3, "{found} for {expected}");
    }

    #[test]
    fn json_holds_a_weight_for_every_state() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        some_model("buro98").save(&at("m")).unwrap();
        export_patterns(
            &DynGame::new(Othello::new()),
            &at("m"),
            PatternExport::Json,
            &at("p.json"),
        )
        .unwrap();
        let text = fs::read_to_string(at("p.json")).unwrap();
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["instances"].as_array().unwrap().len(), 46);
        assert_eq!(value["steps"].as_array().unwrap().len(), 13);
        assert_eq!(value["group_of_stage"][16], 0);
    }
}
