//! What a player gets for its thinking: plies, nodes, time a move or time a game.

use evalsmith_arena::{Meter, TimeBudget};
use evalsmith_core::{Malformed, Plies};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// The limits of one player.
///
/// ```
/// use evalsmith_lab::prelude::Pace;
/// for text in ["depth=4", "nodes=10000", "cpu=1500us", "wall=50ms", "cpu=10s+100ms"] {
///     assert_eq!(text.parse::<Pace>()?.to_string(), text);
/// }
/// assert_eq!("wall=0.05s".parse::<Pace>()?.to_string(), "wall=50ms");
/// # Ok::<(), evalsmith_lab::prelude::Malformed>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Pace {
    /// Plies of search.
    Depth(u8),
    /// Positions visited for a move.
    Nodes(u64),
    /// Time, which players in this process count in calibrated nodes.
    Time(Meter, TimeBudget),
}

impl Pace {
    /// Microseconds of CPU time for each move.
    pub const fn cpu_micros(micros: u64) -> Self {
        Self::Time(Meter::Cpu, TimeBudget::Move(Duration::from_micros(micros)))
    }

    /// In words, for tables, when both players have it.
    pub fn describe(self) -> String {
        match self {
            Self::Depth(depth) => format!("equal depth, {}", Plies::from(depth)),
            Self::Nodes(nodes) => format!("equal nodes, {nodes} a move"),
            Self::Time(meter, TimeBudget::Move(time)) => {
                format!("equal {meter}, {} a move", Written(time))
            }
            Self::Time(meter, TimeBudget::Game { base, increment }) => {
                format!("equal {meter}, {} a game and {} a move", Written(base), Written(increment))
            }
        }
    }

    /// The same with `factor` times the time; only where time is limited.
    pub fn stretched(self, factor: f64) -> Option<Self> {
        let stretch = |time: Duration| {
            Duration::from_micros((time.as_micros() as f64 * factor).round().max(1.0) as u64)
        };
        let Self::Time(meter, budget) = self else { return None };
        let budget = match budget {
            TimeBudget::Move(time) => TimeBudget::Move(stretch(time)),
            TimeBudget::Game { base, increment } if increment.is_zero() => {
                TimeBudget::Game { base: stretch(base), increment }
            }
            TimeBudget::Game { base, increment } => {
                TimeBudget::Game { base: stretch(base), increment: stretch(increment) }
            }
        };
        Some(Self::Time(meter, budget))
    }
}

/// A time in the largest unit that writes it without a fraction.
struct Written(Duration);

impl fmt::Display for Written {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let micros = self.0.as_micros();
        match micros {
            _ if micros.is_multiple_of(1_000_000) => write!(f, "{}s", micros / 1_000_000),
            _ if micros.is_multiple_of(1000) => write!(f, "{}ms", micros / 1000),
            _ => write!(f, "{micros}us"),
        }
    }
}

impl fmt::Display for Pace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |meter: &Meter| match meter {
            Meter::Cpu => "cpu",
            Meter::Wall => "wall",
        };
        match self {
            Self::Depth(depth) => write!(f, "depth={depth}"),
            Self::Nodes(nodes) => write!(f, "nodes={nodes}"),
            Self::Time(meter, TimeBudget::Move(time)) => {
                write!(f, "{}={}", name(meter), Written(*time))
            }
            Self::Time(meter, TimeBudget::Game { base, increment }) => {
                write!(f, "{}={}+{}", name(meter), Written(*base), Written(*increment))
            }
        }
    }
}

const REMEDY: &str = "write depth=PLIES (60 at most), nodes=N, cpu=TIME or wall=TIME for each \
                      move, cpu=TIME+TIME or wall=TIME+TIME for a game and each move of it; times \
                      like 50ms, 2s, 1m, and none of them zero but what is added";

impl FromStr for Pace {
    type Err = Malformed;

    fn from_str(text: &str) -> Result<Self, Malformed> {
        let wrong = || Malformed::new("limit", text, REMEDY);
        let (what, amount) = text.split_once('=').ok_or_else(wrong)?;
        let meter = match what {
            "depth" => {
                let depth = amount.parse().ok().filter(|depth| (1..=60).contains(depth));
                return depth.map(Self::Depth).ok_or_else(wrong);
            }
            "nodes" => {
                let nodes = amount.parse().ok().filter(|&nodes| nodes > 0);
                return nodes.map(Self::Nodes).ok_or_else(wrong);
            }
            "cpu" => Meter::Cpu,
            "wall" => Meter::Wall,
            _ => return Err(wrong()),
        };
        let budget = match amount.split_once('+') {
            None => time(amount).filter(|time| !time.is_zero()).map(TimeBudget::Move),
            Some((base, increment)) => time(base)
                .zip(time(increment))
                .filter(|(base, _)| !base.is_zero())
                .map(|(base, increment)| TimeBudget::Game { base, increment }),
        };
        budget.map(|budget| Self::Time(meter, budget)).ok_or_else(wrong)
    }
}

/// A time of at most a day, to the microsecond.
fn time(text: &str) -> Option<Duration> {
    let units = [("us", 1.0), ("ms", 1e3), ("s", 1e6), ("m", 6e7)];
    let (number, micros) =
        units.iter().find_map(|(unit, micros)| Some((text.strip_suffix(unit)?, micros)))?;
    let micros = (number.parse::<f64>().ok()? * micros).round();
    (0.0..=86_400e6).contains(&micros).then(|| Duration::from_micros(micros as u64))
}

impl From<Pace> for String {
    fn from(pace: Pace) -> Self {
        pace.to_string()
    }
}

impl TryFrom<String> for Pace {
    type Error = Malformed;
    fn try_from(text: String) -> Result<Self, Malformed> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broken_limits_are_refused() {
        for text in [
            "",
            "4",
            "depth",
            "depth=0",
            "depth=61",
            "depth=-1",
            "nodes=0",
            "cpu=1",
            "cpu=s",
            "cpu=0ms",
            "cpu=-1s",
            "wall=1e9s",
            "wall=NaNs",
            "wall=1s+",
            "wall=+1s",
            "time=1s",
        ] {
            let error = text.parse::<Pace>().unwrap_err();
            assert!(error.to_string().contains("depth=PLIES"), "{text}: {error}");
        }
    }

    #[test]
    fn time_stretches_and_nothing_else_does() {
        let half =
            |text: &str| text.parse::<Pace>().unwrap().stretched(0.5).map(|pace| pace.to_string());
        assert_eq!(half("cpu=3ms").as_deref(), Some("cpu=1500us"));
        assert_eq!(half("wall=10s+0s").as_deref(), Some("wall=5s+0s"));
        assert_eq!(half("wall=10s+100ms").as_deref(), Some("wall=5s+50ms"));
        assert_eq!(half("nodes=100"), None);
    }
}
