//! What the players of a game thought, and what it cost them.

use evalsmith_core::{Choice, Score};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// What the players thought, move by move after the opening.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notes {
    /// The value for whoever moved, in thousandths of a log-odd.
    pub value: Vec<Option<Score>>,
    /// Plies searched.
    pub depth: Vec<u8>,
    /// Positions visited.
    pub nodes: Vec<u64>,
    /// Microseconds, on the wall or else of the processor; empty where no player
    /// was timed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub micros: Vec<u64>,
}

impl Notes {
    /// Forgets all moves but the first.
    pub(super) fn truncate(&mut self, moves: usize) {
        self.value.truncate(moves);
        self.depth.truncate(moves);
        self.nodes.truncate(moves);
        self.micros.truncate(moves);
    }
}

/// What a game cost each player.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GameCost {
    /// Positions visited by each player.
    pub nodes: [u64; 2],
    /// Processor time each player answers for, where known.
    pub cpu: [Option<Duration>; 2],
    /// Time on the wall each player answers for, where known.
    pub wall: [Option<Duration>; 2],
}

impl GameCost {
    /// Whole microseconds of [`cpu`](GameCost::cpu).
    pub fn cpu_micros(&self) -> [Option<u64>; 2] {
        self.cpu.map(|time| time.map(micros))
    }

    /// Whole microseconds of [`wall`](GameCost::wall).
    pub fn wall_micros(&self) -> [Option<u64>; 2] {
        self.wall.map(|time| time.map(micros))
    }

    pub(super) fn add<M>(&mut self, player: usize, choice: &Choice<M>, notes: &mut Notes) {
        let add = |sum: &mut Option<Duration>, time: Option<Duration>| {
            if let Some(time) = time {
                *sum = Some(sum.unwrap_or_default().saturating_add(time));
            }
        };
        self.nodes[player] = self.nodes[player].saturating_add(choice.nodes);
        add(&mut self.cpu[player], choice.cpu);
        add(&mut self.wall[player], choice.wall);
        let Notes { value, depth, nodes, micros: times } = notes;
        if let Some(time) = choice.wall.or(choice.cpu) {
            times.resize(value.len(), 0);
            times.push(micros(time));
        } else if !times.is_empty() {
            times.push(0);
        }
        value.push(choice.value);
        depth.push(choice.depth);
        nodes.push(choice.nodes);
    }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}
