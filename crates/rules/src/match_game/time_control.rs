//! Time a move and time a game, on the wall or of the processor, and whose flag
//! has fallen.
//!
//! Invariant: a player loses on time only by the clock it was declared to play
//! by, and only when it oversteps that by more than the margin; a smaller excess
//! empties the clock.

use evalsmith_core::{Choice, Clock, FaultKind, GameRecord, Player, PlayerError, Position, Side};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// What a clock counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Meter {
    /// Processor time of the player.
    Cpu,
    /// Time on the wall.
    Wall,
}

impl fmt::Display for Meter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Cpu => "CPU time",
            Self::Wall => "wall time",
        })
    }
}

/// How much time there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TimeBudget {
    /// For each move.
    Move(Duration),
    /// For the whole game.
    Game {
        /// At its beginning.
        base: Duration,
        /// Added after each move.
        increment: Duration,
    },
}

/// The time of one player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimeControl {
    /// What the clock counts.
    pub meter: Meter,
    /// How much there is.
    pub budget: TimeBudget,
    /// By how much a move may overstep it.
    pub margin: Duration,
}

/// The clocks of one game, indexed by [`Side`].
#[derive(Debug)]
pub(super) struct Clocks {
    controls: [Option<TimeControl>; 2],
    clock: Mutex<Clock>,
}

impl Clocks {
    /// The clocks at the beginning; a player without one is shown with its
    /// opponent's, since protocols know no other way.
    pub(super) fn new(controls: [Option<TimeControl>; 2]) -> Self {
        let of = |i: usize| match controls[i].map(|control| control.budget) {
            Some(TimeBudget::Game { base, increment }) => Some((base, increment)),
            _ => None,
        };
        let [first, second] = [of(0).or(of(1)), of(1).or(of(0))].map(Option::unwrap_or_default);
        let clock = Clock { remaining: [first.0, second.0], increment: [first.1, second.1] };
        Self { controls, clock: Mutex::new(clock) }
    }

    fn now(&self) -> Clock {
        *self.clock.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a move's time from a side's clock; the sentence to forfeit it by
    /// when there was not enough.
    fn charge<M>(&self, side: Side, choice: &Choice<M>) -> Result<(), (FaultKind, String)> {
        let Some(TimeControl { meter, budget, margin }) = self.controls[side.index()] else {
            return Ok(());
        };
        let used = match meter {
            Meter::Cpu => choice.cpu,
            Meter::Wall => choice.wall,
        };
        let Some(used) = used else {
            let reason = format!("its {meter} cannot be measured here; let the other clock count");
            return Err((FaultKind::Misconfigured, reason));
        };
        let mut clock = self.clock.lock().unwrap_or_else(PoisonError::into_inner);
        let allowed = match budget {
            TimeBudget::Move(time) => time,
            TimeBudget::Game { .. } => clock.remaining[side.index()],
        };
        if used > allowed.saturating_add(margin) {
            let reason = format!("lost on time: used {used:?} of {allowed:?} of {meter}");
            return Err((FaultKind::LostOnTime, reason));
        }
        if let TimeBudget::Game { increment, .. } = budget {
            clock.remaining[side.index()] = allowed.saturating_sub(used).saturating_add(increment);
        }
        Ok(())
    }
}

/// A player whose time is taken.
pub(super) struct Timed<'a, P: Position> {
    pub(super) player: &'a mut dyn Player<P>,
    pub(super) clocks: &'a Clocks,
}

impl<P: Position> Player<P> for Timed<'_, P> {
    fn name(&self) -> &str {
        self.player.name()
    }

    fn choose(&mut self, game: &GameRecord<P>) -> Result<Choice<P::Move>, PlayerError> {
        let side = game.side();
        let control = &self.clocks.controls[side.index()];
        if matches!(control, Some(TimeControl { budget: TimeBudget::Game { .. }, .. })) {
            self.player.set_clock(&self.clocks.now());
        }
        let choice = self.player.choose(game)?;
        self.clocks
            .charge(side, &choice)
            .map_err(|(kind, reason)| PlayerError::new(self.player.name(), reason).of_kind(kind))?;
        Ok(choice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    fn control(meter: Meter, budget: TimeBudget) -> TimeControl {
        TimeControl { meter, budget, margin: ms(5) }
    }

    fn used(cpu: u64, wall: u64) -> Choice<()> {
        Choice { cpu: Some(ms(cpu)), wall: Some(ms(wall)), ..Choice::blind(()) }
    }

    #[test]
    fn a_clock_runs_down_and_forgives_the_margin_once() {
        let game = TimeBudget::Game { base: ms(100), increment: ms(10) };
        let clocks = Clocks::new([Some(control(Meter::Wall, game)), None]);
        assert_eq!(clocks.now().remaining, [ms(100); 2]);
        clocks.charge(Side::First, &used(900, 30)).unwrap();
        assert_eq!(clocks.now().remaining, [ms(80), ms(100)]);
        clocks.charge(Side::Second, &used(900, 900)).unwrap();
        clocks.charge(Side::First, &used(0, 84)).unwrap();
        assert_eq!(clocks.now().remaining[0], ms(10), "empty, and the increment");
        let (kind, reason) = clocks.charge(Side::First, &used(0, 16)).unwrap_err();
        assert_eq!(kind, FaultKind::LostOnTime);
        assert_eq!(reason, "lost on time: used 16ms of 10ms of wall time");
    }

    #[test]
    fn each_move_has_its_own_time_by_the_declared_meter() {
        let clocks = Clocks::new([None, Some(control(Meter::Cpu, TimeBudget::Move(ms(20))))]);
        for _ in 0..3 {
            clocks.charge(Side::Second, &used(25, 900)).unwrap();
        }
        assert!(clocks.charge(Side::Second, &used(26, 1)).is_err());
        let unknown = Choice::blind(());
        let (kind, _) = clocks.charge(Side::Second, &unknown).unwrap_err();
        assert_eq!(kind, FaultKind::Misconfigured);
    }
}
