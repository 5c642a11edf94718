//! Axes: from numbers to pixels, with ticks at round numbers.
//!
//! Invariant: a domain is finite and not empty, whatever the data, so that every
//! pixel is a number.

use crate::number;

/// Whether a number can be drawn: finite, and differences with others stay so.
pub(crate) fn usable(x: f64) -> bool {
    x.abs() < 1e300
}

/// The numbers an axis shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Domain {
    pub(crate) low: f64,
    pub(crate) high: f64,
}

impl Domain {
    /// The range a caller asked for, where it is one.
    pub(crate) fn given(range: Option<(f64, f64)>) -> Option<Self> {
        let (low, high) = range?;
        (usable(low) && usable(high) && low < high).then_some(Self { low, high })
    }

    /// The smallest domain that holds `values`; 0 to 1 where there are none.
    pub(crate) fn of(values: impl Iterator<Item = f64>) -> Self {
        let (low, high) = values
            .filter(|&x| usable(x))
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
        if low > high {
            return Self { low: 0.0, high: 1.0 };
        }
        let room = (1e-9 * low.abs().max(high.abs())).max(1e-290);
        if high - low > room {
            return Self { low, high };
        }
        // One value alone: give it room on both sides.
        let half = (0.1 * high.abs()).max(0.5);
        Self { low: low - half, high: high + half }
    }

    /// A little wider on both sides.
    pub(crate) fn padded(self, share: f64) -> Self {
        let room = share * (self.high - self.low);
        Self { low: self.low - room, high: self.high + room }
    }

    /// Widened to the next ticks.
    pub(crate) fn rounded(self, target: usize) -> Self {
        let step = step(self, target);
        let low = (self.low / step + 1e-6).floor() * step;
        let high = (self.high / step - 1e-6).ceil() * step;
        if low < high { Self { low, high } } else { self }
    }
}

/// The number among 1, 2 and 5 times powers of ten that parts the domain into
/// about `target` pieces.
fn step(domain: Domain, target: usize) -> f64 {
    let raw = (domain.high - domain.low) / target.max(1) as f64;
    let power = 10_f64.powf(raw.log10().floor());
    let factor = match raw / power {
        m if m < 2_f64.sqrt() => 1.0,
        m if m < 10_f64.sqrt() => 2.0,
        m if m < 50_f64.sqrt() => 5.0,
        _ => 10.0,
    };
    factor * power
}

/// An axis on the page: `start` is the pixel of the domain's low end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Axis {
    pub(crate) domain: Domain,
    pub(crate) start: f64,
    pub(crate) end: f64,
}

impl Axis {
    /// The pixel of a number.
    pub(crate) fn place(&self, x: f64) -> f64 {
        let share = (x - self.domain.low) / (self.domain.high - self.domain.low);
        self.start + share * (self.end - self.start)
    }

    /// The pixels of a number of the axis's unit.
    pub(crate) fn length(&self, x: f64) -> f64 {
        (x / (self.domain.high - self.domain.low) * (self.end - self.start)).abs()
    }

    /// Whether a number is on the axis.
    pub(crate) fn shows(&self, x: f64) -> bool {
        (self.domain.low..=self.domain.high).contains(&x)
    }
}

/// Round numbers inside the domain, about `target` of them, with their labels.
pub(crate) fn ticks(domain: Domain, target: usize) -> Vec<(f64, String)> {
    let step = step(domain, target);
    let first = (domain.low / step - 1e-6).ceil();
    let last = (domain.high / step + 1e-6).floor();
    let count = (last - first + 1.0).clamp(0.0, 100.0) as usize;
    let values = (0..count).map(|i| (first + i as f64) * step).filter(|&x| usable(x));
    let largest = domain.low.abs().max(domain.high.abs());
    values.map(|x| (x, label(x, step, largest))).collect()
}

/// The label of a tick: all labels of an axis share their unit and decimals.
fn label(x: f64, step: f64, largest: f64) -> String {
    let (unit, suffix) = match largest {
        l if l >= 1e9 => (1e9, "G"),
        l if l >= 1e6 => (1e6, "M"),
        l if l >= 1e4 => (1e3, "k"),
        _ => (1.0, ""),
    };
    let decimals = (-(step / unit).log10() - 1e-9).ceil().max(0.0);
    let text = if x == 0.0 {
        "0".to_owned()
    } else if decimals > 6.0 || largest >= 1e12 {
        let digits = (largest / step).log10().ceil().clamp(0.0, 14.0) as usize + 1;
        number::significant(x, digits)
    } else {
        number::fixed(x / unit, decimals as usize) + suffix
    };
    text.replace('-', "\u{2212}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn labels(low: f64, high: f64, target: usize) -> Vec<String> {
        ticks(Domain { low, high }, target).into_iter().map(|t| t.1).collect()
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!(labels(0.0, 1.0, 5), ["0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(
            labels(-10.0, 10.0, 9),
            ["−10", "−8", "−6", "−4", "−2", "0", "2", "4", "6", "8", "10"]
        );
        assert_eq!(labels(0.0, 42_000.0, 4), ["0", "10k", "20k", "30k", "40k"]);
        assert_eq!(labels(0.0, 2.4e6, 5), ["0", "0.5M", "1.0M", "1.5M", "2.0M"]);
        assert_eq!(labels(20_000.0, 20_004.0, 2), ["20.000k", "20.002k", "20.004k"]);
        assert_eq!(labels(0.31, 0.36, 5), ["0.31", "0.32", "0.33", "0.34", "0.35", "0.36"]);
    }

    #[test]
    fn a_domain_is_never_empty() {
        assert_eq!(Domain::of([].into_iter()), Domain { low: 0.0, high: 1.0 });
        assert_eq!(Domain::of([f64::NAN, 3.0].into_iter()), Domain { low: 2.5, high: 3.5 });
        assert_eq!(Domain::given(Some((1.0, f64::NAN))), None);
        assert_eq!(Domain::given(Some((1.0, 1.0))), None);
    }

    proptest! {
        #[test]
        fn ticks_rise_inside_the_domain(
            a in any::<f64>(), b in any::<f64>(), target in 1_usize..12,
        ) {
            let domain = Domain::of([a, b].into_iter());
            let (ticks, span) = (ticks(domain, target), domain.high - domain.low);
            prop_assert!(ticks.len() <= 2 * target + 2, "{} ticks", ticks.len());
            for (x, label) in &ticks {
                prop_assert!(*x >= domain.low - 1e-3 * span && *x <= domain.high + 1e-3 * span);
                prop_assert!(!label.is_empty() && label != "n/a");
            }
            prop_assert!(ticks.windows(2).all(|w| w[0].0 < w[1].0));
            let axis = Axis { domain, start: 10.0, end: 700.0 };
            prop_assert!((axis.place(domain.low) - 10.0).abs() < 1e-6);
            prop_assert!((axis.place(domain.high) - 700.0).abs() < 1e-6);
        }
    }
}
