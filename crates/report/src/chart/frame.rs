//! Where the parts of a chart stand on the page.

use super::axis::{Axis, Domain, ticks};
use super::{LineChart, Mark};
use crate::svg::{text_width, wrap};

/// The width of every chart, in pixels.
pub(super) const WIDTH: f64 = 760.0;
const MARGIN: f64 = 20.0;
const PLOT_HEIGHT: f64 = 300.0;
const HISTOGRAM_HEIGHT: f64 = 84.0;
const TITLE_SIZE: f64 = 17.0;
const KEY_SIZE: f64 = 12.5;
const TICK_SIZE: f64 = 12.0;
/// The sample of a curve in the legend, with the gap after it.
pub(super) const SAMPLE: f64 = 34.0;
const VERTICAL_TICKS: usize = 5;

/// A legend entry: which series, and where it starts.
pub(super) struct Key {
    pub(super) series: usize,
    pub(super) x: f64,
    pub(super) y: f64,
}

/// The layout.
pub(super) struct Frame {
    pub(super) height: f64,
    pub(super) title: Vec<(f64, String)>,
    pub(super) keys: Vec<Key>,
    pub(super) x: Axis,
    pub(super) y: Axis,
    /// The vertical axis of the histogram.
    pub(super) counts: Option<Axis>,
    pub(super) x_ticks: Vec<(f64, String)>,
    pub(super) y_ticks: Vec<(f64, String)>,
    pub(super) count_ticks: Vec<(f64, String)>,
}

impl Frame {
    pub(super) const LEFT: f64 = MARGIN;

    pub(super) fn of(chart: &LineChart) -> Self {
        let mut top = MARGIN;
        let title: Vec<_> = wrap(&chart.title, TITLE_SIZE, WIDTH - 2.0 * MARGIN)
            .into_iter()
            .map(|line| {
                top += 22.0;
                (top - 6.0, line)
            })
            .collect();
        let keys = keys(chart, &mut top);
        if !chart.y_label.is_empty() {
            top += 24.0;
        }
        top += 16.0;

        let y_domain = y_domain(chart);
        let y_ticks = ticks(y_domain, VERTICAL_TICKS);
        let count_domain = chart.histogram.as_ref().map(|histogram| {
            let counts = histogram.bars.iter().map(|bar| bar.1);
            let highest = Domain::of(counts.chain([0.0])).high;
            Domain { low: 0.0, high: if highest > 1e-290 { 1.06 * highest } else { 1.0 } }
        });
        let count_ticks = count_domain.map_or_else(Vec::new, |domain| ticks(domain, 2));

        let widest = y_ticks.iter().chain(&count_ticks);
        let labels = widest.map(|(_, label)| text_width(label, TICK_SIZE)).fold(0.0, f64::max);
        let left = MARGIN + labels.max(18.0) + 10.0;
        let right = WIDTH - MARGIN - 8.0;
        let x = Axis { domain: x_domain(chart), start: left, end: right };
        let y = Axis { domain: y_domain, start: top + PLOT_HEIGHT, end: top };
        let mut bottom = y.start;
        let counts = count_domain.map(|domain| {
            bottom += if chart.histogram.as_ref().is_some_and(|h| h.label.is_empty()) {
                16.0
            } else {
                40.0
            };
            let end = bottom;
            bottom += HISTOGRAM_HEIGHT;
            Axis { domain, start: bottom, end }
        });
        bottom += if chart.x_label.is_empty() { 30.0 } else { 50.0 };
        Self {
            height: bottom + 8.0,
            title,
            keys,
            x_ticks: x_ticks(&x),
            x,
            y,
            counts,
            y_ticks,
            count_ticks,
        }
    }

    /// The lower edge of the lowest panel.
    pub(super) fn floor(&self) -> f64 {
        self.counts.map_or(self.y.start, |counts| counts.start)
    }
}

/// Legend entries in rows below `top`, which moves down past them.
fn keys(chart: &LineChart, top: &mut f64) -> Vec<Key> {
    let mut keys = Vec::new();
    let mut x = f64::INFINITY;
    for (series, name) in chart.series.iter().map(|s| &s.name).enumerate() {
        if name.is_empty() {
            continue;
        }
        let width = SAMPLE + text_width(name, KEY_SIZE) + 20.0;
        if x + width > WIDTH - MARGIN {
            x = MARGIN;
            *top += 21.0;
        }
        keys.push(Key { series, x, y: *top });
        x += width;
    }
    keys
}

fn x_domain(chart: &LineChart) -> Domain {
    let points = chart.series.iter().flat_map(|s| s.points.iter().map(|p| p.0));
    let bars = chart.histogram.iter().flat_map(|h| {
        let half = h.width.abs() / 2.0;
        h.bars.iter().flat_map(move |bar| [bar.0 - half, bar.0 + half])
    });
    let marks = chart.marks.iter().filter_map(|mark| match mark {
        Mark::Vertical { x, .. } => Some(*x),
        Mark::Horizontal { .. } => None,
    });
    Domain::given(chart.x_range)
        .unwrap_or_else(|| Domain::of(points.chain(bars).chain(marks)).padded(0.02))
}

fn y_domain(chart: &LineChart) -> Domain {
    let points = chart.series.iter().flat_map(|s| s.points.iter().map(|p| p.1));
    let bands = chart.series.iter().flat_map(|s| s.band.iter().flatten());
    let marks = chart.marks.iter().filter_map(|mark| match mark {
        Mark::Horizontal { y, .. } => Some(*y),
        Mark::Vertical { .. } => None,
    });
    let all = points.chain(bands.flat_map(|&(low, high)| [low, high])).chain(marks);
    Domain::given(chart.y_range).unwrap_or_else(|| Domain::of(all).rounded(VERTICAL_TICKS))
}

/// As many ticks as their labels leave room for, none of them off the page.
fn x_ticks(x: &Axis) -> Vec<(f64, String)> {
    let room = x.end - x.start;
    let width = |tick: &(f64, String)| text_width(&tick.1, TICK_SIZE);
    let fits = |ticks: &[(f64, String)]| {
        let widest = ticks.iter().map(width).fold(0.0, f64::max);
        (widest + 16.0) * ticks.len() as f64 <= room
    };
    let mut candidates = (2..=9).rev().map(|target| ticks(x.domain, target));
    let mut ticks = candidates.find(|ticks| fits(ticks)).unwrap_or_default();
    ticks.retain(|tick| x.place(tick.0) + width(tick) / 2.0 <= WIDTH);
    ticks
}
