//! Drawing a laid-out chart: panels, curves, bars, reference lines, legend.

use super::axis::{Axis, usable};
use super::frame::{Frame, SAMPLE, WIDTH};
use super::{Histogram, LineChart, Mark, Series, Style};
use crate::number;
use crate::svg::{Anchor, Pen, text_width};

/// Colours in the style sheet; later series repeat them with other dashes.
const COLOURS: usize = 6;
/// Dots above this number are drawn smaller.
const MANY: usize = 120;

pub(super) fn chart(chart: &LineChart, frame: &Frame) -> String {
    let mut pen = Pen::new(WIDTH, frame.height, &chart.title, &chart.description());
    pen.rect("ground", 0.0, 0.0, WIDTH, frame.height);
    for (y, line) in &frame.title {
        pen.text("title", (Frame::LEFT, *y), Anchor::Start, line);
    }
    legend(&mut pen, chart, frame);
    panel(&mut pen, frame, &frame.y, &frame.y_ticks, &chart.y_label);
    if let (Some(histogram), Some(counts)) = (&chart.histogram, &frame.counts) {
        panel(&mut pen, frame, counts, &frame.count_ticks, &histogram.label);
        bars(&mut pen, frame, counts, histogram);
    }
    horizontal_axis(&mut pen, chart, frame);
    marks(&mut pen, chart, frame);
    let (x, y) = (&frame.x, &frame.y);
    // Dots on the edge of the range are not cut in half.
    let room = 5.0;
    let area =
        (x.start - room, y.end - room, x.end - x.start + 2.0 * room, y.start - y.end + 2.0 * room);
    pen.clipped(area, |pen| {
        for (hue, series) in hues(chart).zip(&chart.series) {
            band(pen, frame, hue, series);
        }
        for (hue, series) in hues(chart).zip(&chart.series) {
            curve(pen, frame, hue, series);
        }
    });
    notes(&mut pen, chart, frame);
    pen.finish()
}

fn legend(pen: &mut Pen, chart: &LineChart, frame: &Frame) {
    let hues: Vec<_> = hues(chart).collect();
    for key in &frame.keys {
        let (hue, series) = (hues[key.series], &chart.series[key.series]);
        let middle = key.y - 4.0;
        let end = key.x + SAMPLE - 8.0;
        if series.band.is_some() {
            let class = format!("band {}", colour(hue));
            pen.rect(&class, key.x, middle - 6.0, SAMPLE - 8.0, 12.0);
        }
        if series.style != Style::Dots {
            pen.line(&line_class(hue), (key.x, middle), (end, middle));
        }
        if series.style != Style::Line {
            dot(pen, hue, (f64::midpoint(key.x, end), middle), 3.4, "");
        }
        pen.text("key", (key.x + SAMPLE, key.y), Anchor::Start, &series.name);
    }
}

/// Grid, tick labels and heading of a panel.
fn panel(pen: &mut Pen, frame: &Frame, y: &Axis, ticks: &[(f64, String)], label: &str) {
    for (x, _) in &frame.x_ticks {
        let x = frame.x.place(*x);
        pen.line("grid", (x, y.start), (x, y.end));
    }
    for (value, text) in ticks {
        let at = y.place(*value);
        pen.line("grid", (frame.x.start, at), (frame.x.end, at));
        pen.text("tick", (frame.x.start - 8.0, at + 4.0), Anchor::End, text);
    }
    pen.line("axis", (frame.x.start, y.start), (frame.x.end, y.start));
    pen.text("label", (Frame::LEFT, y.end - 15.0), Anchor::Start, label);
}

fn horizontal_axis(pen: &mut Pen, chart: &LineChart, frame: &Frame) {
    let floor = frame.floor();
    for (value, text) in &frame.x_ticks {
        let x = frame.x.place(*value);
        pen.line("axis", (x, floor), (x, floor + 4.0));
        pen.text("tick", (x, floor + 18.0), Anchor::Middle, text);
    }
    let middle = f64::midpoint(frame.x.start, frame.x.end);
    pen.text("label", (middle, floor + 40.0), Anchor::Middle, &chart.x_label);
}

fn bars(pen: &mut Pen, frame: &Frame, counts: &Axis, histogram: &Histogram) {
    let width = frame.x.length(histogram.width);
    // A hairline between bars where they are wide enough to spare it.
    let gap = if width > 4.0 { 1.0 } else { 0.0 };
    let area = (frame.x.start, counts.end, frame.x.end - frame.x.start, counts.start - counts.end);
    pen.clipped(area, |pen| {
        for &(x, count) in &histogram.bars {
            if usable(x) && usable(count) && count > 0.0 && width.is_finite() {
                let top = counts.place(count);
                let left = frame.x.place(x) - width / 2.0 + gap / 2.0;
                pen.rect("bar", left, top, (width - gap).max(0.5), counts.start - top);
            }
        }
    });
}

fn marks(pen: &mut Pen, chart: &LineChart, frame: &Frame) {
    for mark in &chart.marks {
        match mark {
            Mark::Horizontal { y, .. } if frame.y.shows(*y) => {
                let y = frame.y.place(*y);
                pen.line("mark", (frame.x.start, y), (frame.x.end, y));
            }
            Mark::Vertical { x, .. } if frame.x.shows(*x) => {
                let x = frame.x.place(*x);
                pen.line("mark", (x, frame.y.start), (x, frame.y.end));
                if let Some(counts) = &frame.counts {
                    pen.line("mark", (x, counts.start), (x, counts.end));
                }
            }
            _ => {}
        }
    }
}

/// Labels of the reference lines, over the curves; those of vertical lines step
/// down where they would touch.
fn notes(pen: &mut Pen, chart: &LineChart, frame: &Frame) {
    let mut rows: Vec<Vec<(f64, f64)>> = Vec::new();
    for mark in &chart.marks {
        match mark {
            Mark::Horizontal { y, label } if frame.y.shows(*y) => {
                let at = frame.y.place(*y);
                let above = at - 6.0 > frame.y.end + 10.0;
                let y = if above { at - 6.0 } else { at + 14.0 };
                pen.text("note", (frame.x.end - 4.0, y), Anchor::End, label);
            }
            Mark::Vertical { x, label } if frame.x.shows(*x) => {
                let (at, width) = (frame.x.place(*x), text_width(label, 11.5));
                let fits = at + 6.0 + width < frame.x.end;
                let span = if fits { (at, at + width + 12.0) } else { (at - width - 12.0, at) };
                let free = |row: &Vec<(f64, f64)>| row.iter().all(|o| span.1 < o.0 || o.1 < span.0);
                let row = rows.iter().position(free).unwrap_or_else(|| {
                    rows.push(Vec::new());
                    rows.len() - 1
                });
                rows[row].push(span);
                let y = frame.y.end + 13.0 + 16.0 * row as f64;
                let (x, anchor) =
                    if fits { (at + 6.0, Anchor::Start) } else { (at - 6.0, Anchor::End) };
                pen.text("note", (x, y), anchor, label);
            }
            _ => {}
        }
    }
}

fn band(pen: &mut Pen, frame: &Frame, i: usize, series: &Series) {
    let Some(limits) = &series.band else { return };
    let rows: Vec<_> = series.points.iter().zip(limits).collect();
    let drawn =
        |row: &(&(f64, f64), &(f64, f64))| usable(row.0.0) && usable(row.1.0) && usable(row.1.1);
    for run in rows.split(|row| !drawn(row)).filter(|run| run.len() > 1) {
        let x = |row: &(&(f64, f64), _)| frame.x.place(row.0.0);
        let lower = run.iter().map(|row| (x(row), frame.y.place(row.1.0)));
        let upper = run.iter().rev().map(|row| (x(row), frame.y.place(row.1.1)));
        let outline: Vec<_> = lower.chain(upper).collect();
        pen.path(&format!("band {}", colour(i)), &outline, true, "");
    }
}

fn curve(pen: &mut Pen, frame: &Frame, i: usize, series: &Series) {
    let place = |&(x, y): &(f64, f64)| (frame.x.place(x), frame.y.place(y));
    let radius = if series.points.len() > MANY { 2.0 } else { 3.4 };
    for run in series.points.split(|(x, y)| !usable(*x) || !usable(*y)) {
        if series.style != Style::Dots && run.len() > 1 {
            let line: Vec<_> = run.iter().map(place).collect();
            pen.path(&line_class(i), &line, false, "");
        }
        // A point alone between gaps would vanish without its dot.
        if series.style != Style::Line || run.len() == 1 {
            for point in run {
                let (x, y) = (number::significant(point.0, 4), number::significant(point.1, 4));
                dot(pen, i, place(point), radius, &format!("{}: {x}, {y}", series.name));
            }
        }
    }
}

/// Shapes differ as well as colours, for those who see no colours.
fn dot(pen: &mut Pen, i: usize, (x, y): (f64, f64), r: f64, hint: &str) {
    let corners: &[(f64, f64)] = match i % 4 {
        0 => &[
            (-0.42, -1.0),
            (0.42, -1.0),
            (1.0, -0.42),
            (1.0, 0.42),
            (0.42, 1.0),
            (-0.42, 1.0),
            (-1.0, 0.42),
            (-1.0, -0.42),
        ],
        1 => &[(-0.95, -0.95), (0.95, -0.95), (0.95, 0.95), (-0.95, 0.95)],
        2 => &[(0.0, -1.35), (1.35, 0.0), (0.0, 1.35), (-1.35, 0.0)],
        _ => &[(0.0, -1.3), (1.25, 0.95), (-1.25, 0.95)],
    };
    let outline: Vec<_> = corners.iter().map(|(dx, dy)| (x + r * dx, y + r * dy)).collect();
    pen.path(&format!("dot {}", colour(i)), &outline, true, hint);
}

/// The colour of each series, by number.
fn hues(chart: &LineChart) -> impl Iterator<Item = usize> {
    chart.series.iter().scan(0_usize, |named, series| {
        *named += usize::from(!series.name.is_empty());
        Some(named.saturating_sub(1))
    })
}

fn colour(i: usize) -> String {
    format!("c{}", i % COLOURS)
}

fn line_class(i: usize) -> String {
    let dashes = ["", " d1", " d2"][i / COLOURS % 3];
    format!("line {}{dashes}", colour(i))
}
