//! Equal time, played by nodes.
//!
//! A clock in a match makes its result depend on the load of the machine, and a
//! resumed match differ from an undisturbed one. So the time that each player
//! needs for a node is measured once, stored, and every budget of time is
//! turned into a budget of nodes.

use crate::ArenaError;
use evalsmith_core::files::{MOST_SETTINGS, read_at_most, write_atomically};
use evalsmith_rules::Record;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

/// Lets a player think about a position: the nodes visited and the thread's CPU
/// time. Nothing remembered from earlier positions may help it.
pub type Measure<'a> = &'a mut dyn FnMut(&Record) -> (u64, Duration);

/// How long each player takes for a node, and how that was found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Calibration {
    /// Who was measured: names that tell one set of weights from another.
    pub players: Vec<String>,
    /// Nanoseconds of CPU time a node: the median over the rounds.
    pub ns_per_node: Vec<f64>,
    /// Nodes visited by each player.
    pub nodes_measured: Vec<u64>,
    /// Positions in a round.
    pub positions: u32,
    /// Times that every position was searched by each player.
    pub rounds: u32,
    /// The processor, where the system tells.
    pub cpu_model: Option<String>,
}

/// Measures players on the same positions.
///
/// The players take turns position by position, and who begins changes every
/// time, so that a machine that is loaded or warms up slows all alike; the
/// median over rounds forgets a disturbed one.
///
/// # Errors
/// When there is nothing to measure: no position, no round, no node, no time.
pub fn calibrate(
    names: &[&str],
    positions: &[Record],
    players: &mut [Measure<'_>],
    rounds: u32,
) -> Result<Calibration, ArenaError> {
    let count = players.len();
    let mut nodes_measured = vec![0_u64; count];
    let mut speeds = vec![Vec::new(); count];
    for round in 0..rounds as usize {
        let mut spent = vec![(0_u64, Duration::ZERO); count];
        for (turn, position) in positions.iter().enumerate() {
            for place in 0..count {
                let player = (round + turn + place) % count;
                let (visited, cpu) = players[player](position);
                spent[player].0 += visited;
                spent[player].1 += cpu;
            }
        }
        for (player, (nodes, time)) in spent.into_iter().enumerate() {
            nodes_measured[player] += nodes;
            let speed = time.as_nanos() as f64 / nodes as f64;
            if speed.is_finite() && speed > 0.0 {
                speeds[player].push(speed);
            }
        }
    }
    let medians = speeds.iter_mut().enumerate().map(|(player, speeds)| {
        median(speeds).ok_or_else(|| ArenaError::Unmeasured {
            player,
            reason: format!(
                "{rounds} rounds over {} positions took no measurable time or nodes; give more \
                 positions or more nodes a search",
                positions.len()
            ),
        })
    });
    Ok(Calibration {
        ns_per_node: medians.collect::<Result<_, _>>()?,
        players: names.iter().map(|&name| name.to_owned()).collect(),
        nodes_measured,
        positions: positions.len() as u32,
        rounds,
        cpu_model: cpu_model(),
    })
}

impl Calibration {
    /// The calibration of these players stored at `path`, as it is; without
    /// one, `measure`'s, which is then stored.
    ///
    /// # Errors
    /// When the stored one makes no sense or is of other players, measuring
    /// fails, or the file cannot be read or written.
    pub fn stored_or(
        path: &Path,
        players: &[&str],
        measure: impl FnOnce() -> Result<Self, ArenaError>,
    ) -> Result<Self, ArenaError> {
        match Self::load(path) {
            Err(ArenaError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
                let made = measure()?;
                made.save(path)?;
                Ok(made)
            }
            Ok(stored) if stored.players != players => Err(ArenaError::BadCalibration {
                path: path.to_owned(),
                reason: format!(
                    "it was made for {}, not for {}",
                    stored.players.join(" and "),
                    players.join(" and ")
                ),
            }),
            stored => stored,
        }
    }

    /// Reads a stored calibration.
    ///
    /// # Errors
    /// When the file cannot be read or makes no sense.
    pub fn load(path: &Path) -> Result<Self, ArenaError> {
        let bytes = read_at_most(path, MOST_SETTINGS).map_err(ArenaError::io(path))?;
        let bad = |reason| ArenaError::BadCalibration { path: path.to_owned(), reason };
        let stored: Self = serde_json::from_slice(&bytes).map_err(|e| bad(e.to_string()))?;
        if stored.ns_per_node.len() != stored.players.len() {
            return Err(bad("every player needs its nanoseconds a node".into()));
        }
        match stored.ns_per_node.iter().find(|ns| !(0.01..1e9).contains(*ns)) {
            Some(ns) => Err(bad(format!("{ns} ns a node is no speed"))),
            None => Ok(stored),
        }
    }

    /// Stores the calibration: beside first, then under its name.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn save(&self, path: &Path) -> Result<(), ArenaError> {
        let mut text = serde_json::to_string_pretty(self).expect("plain fields become JSON");
        text.push('\n');
        write_atomically(path, |file| file.write_all(text.as_bytes())).map_err(ArenaError::io(path))
    }
}

fn median(values: &mut [f64]) -> Option<f64> {
    values.sort_unstable_by(f64::total_cmp);
    let middle = values.len() / 2;
    let upper = *values.get(middle)?;
    Some(if values.len() % 2 == 1 { upper } else { f64::midpoint(values[middle - 1], upper) })
}

/// The processor's name as Linux gives it.
fn cpu_model() -> Option<String> {
    let info = fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = info.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Openings;
    use crate::testing::nim;
    use std::cell::RefCell;

    fn positions(count: u32) -> Vec<Record> {
        Openings::random(&nim(), 2, count, 1).unwrap().first(99)
    }

    #[test]
    fn players_take_turns_and_medians_forget_a_disturbed_round() {
        let positions = positions(4);
        let calls = RefCell::new(String::new());
        let loaded = || {
            // The third round of eight calls runs on a loaded machine.
            if (16..24).contains(&calls.borrow().len()) { 50 } else { 1 }
        };
        let mut first = |_: &Record| {
            let slow = loaded();
            calls.borrow_mut().push('a');
            (100, Duration::from_nanos(20_000 * slow))
        };
        let mut second = |_: &Record| {
            let slow = loaded();
            calls.borrow_mut().push('b');
            (10, Duration::from_nanos(5_000 * slow))
        };
        let made = calibrate(&["a", "b"], &positions, &mut [&mut first, &mut second], 5).unwrap();
        assert_eq!(made.ns_per_node, [200.0, 500.0]);
        assert_eq!(made.nodes_measured, [2000, 200]);
        assert_eq!((made.positions, made.rounds), (4, 5));
        assert_eq!(&calls.borrow()[..16], "abbaabbabaabbaab");
    }

    #[test]
    fn an_even_number_of_rounds_takes_the_middle() {
        assert_eq!(median(&mut []), None);
        assert_eq!(median(&mut [3.0]), Some(3.0));
        assert_eq!(median(&mut [9.0, 1.0, 3.0, 2.0]), Some(2.5));
    }

    #[test]
    fn nothing_to_measure_is_an_error() {
        let mut works = |_: &Record| (5, Duration::from_nanos(5));
        let mut idle = |_: &Record| (0, Duration::from_nanos(5));
        let mut timeless = |_: &Record| (5, Duration::ZERO);
        let some = positions(2);
        let mut refuse = |positions, second: Measure<'_>, rounds| {
            let error =
                calibrate(&["a", "b"], positions, &mut [&mut works, second], rounds).unwrap_err();
            assert!(matches!(error, ArenaError::Unmeasured { .. }), "{error}");
        };
        refuse(&some[..0], &mut idle, 3);
        refuse(&some, &mut idle, 3);
        refuse(&some, &mut timeless, 3);
        refuse(&some, &mut timeless, 0);
    }

    #[test]
    fn what_is_stored_is_used_as_it_is() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("calibration.json");
        let made = Calibration {
            players: vec!["a".into(), "b".into()],
            ns_per_node: vec![100.1, 1.0 / 3.0],
            nodes_measured: vec![7, 8],
            positions: 3,
            rounds: 5,
            cpu_model: None,
        };
        let first = Calibration::stored_or(&path, &["a", "b"], || Ok(made.clone())).unwrap();
        let other = Calibration::stored_or(&path, &["a", "c"], || panic!("measured again"));
        assert!(other.unwrap_err().to_string().contains("made for a and b, not for a and c"));
        let second =
            Calibration::stored_or(&path, &["a", "b"], || panic!("measured twice")).unwrap();
        assert_eq!((&first, &second), (&made, &made));
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "no file is left beside");
    }

    #[test]
    fn a_spoilt_file_is_refused_and_kept() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("calibration.json");
        let zero = r#"{"players":["a","b"],"ns_per_node":[1.0,0.0],"nodes_measured":[1,1],"positions":1,"rounds":1,
            "cpu_model":null}"#;
        let missing = r#"{"players":["a","b"],"ns_per_node":[1.0],"nodes_measured":[1],
            "positions":1,"rounds":1,"cpu_model":null}"#;
        for text in ["", "{", zero, missing] {
            fs::write(&path, text).unwrap();
            let error =
                Calibration::stored_or(&path, &["a", "b"], || panic!("measured")).unwrap_err();
            assert!(matches!(error, ArenaError::BadCalibration { .. }), "{error}");
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
    }
}
