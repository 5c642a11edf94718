//! Line charts: curves with bands, a histogram on the same axis, reference lines.
//!
//! A chart is plain data; [`LineChart::to_svg`] lays it out and draws it. A
//! point whose numbers are not finite is a gap in its line. Invariant: the same
//! chart gives the same bytes, whatever it holds, and never an empty frame.

mod axis;
mod draw;
mod frame;

use crate::append::Append;
use crate::number::significant;
use frame::Frame;

/// How a series is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Style {
    /// A line: a fitted or theoretical curve.
    Line,
    /// Dots: single measurements.
    Dots,
    /// A line through dots: a measured curve.
    #[default]
    Both,
}

/// One curve.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// Its name in the legend; without a name it is not listed, and belongs to the
    /// series before it, whose colour it has.
    pub name: String,
    /// Its points, in the order of the line.
    pub points: Vec<(f64, f64)>,
    /// The lower and upper limit at each point.
    pub band: Option<Vec<(f64, f64)>>,
    /// How it is drawn.
    pub style: Style,
}

impl Series {
    /// A measured curve without a band.
    pub fn new(name: impl Into<String>, points: Vec<(f64, f64)>) -> Self {
        Self { name: name.into(), points, ..Self::default() }
    }

    /// Adds the limits at each point.
    #[must_use]
    pub fn band(mut self, limits: Vec<(f64, f64)>) -> Self {
        self.band = Some(limits);
        self
    }

    /// Says how it is drawn.
    #[must_use]
    pub fn style(mut self, style: Style) -> Self {
        self.style = style;
        self
    }
}

/// Counts drawn below the chart, on the same horizontal axis.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Histogram {
    /// The middle of each bar and its count.
    pub bars: Vec<(f64, f64)>,
    /// The width of a bar in the unit of the horizontal axis.
    pub width: f64,
    /// What is counted.
    pub label: String,
}

/// A reference line.
#[derive(Clone, Debug, PartialEq)]
pub enum Mark {
    /// Across the chart at a height.
    Horizontal {
        /// The height.
        y: f64,
        /// What it means.
        label: String,
    },
    /// Down the chart (and its histogram) at a place.
    Vertical {
        /// The place.
        x: f64,
        /// What it means.
        label: String,
    },
}

/// A line chart.
///
/// ```
/// use evalsmith_report::{LineChart, Series};
/// let chart = LineChart {
///     title: "Win probability".into(),
///     series: vec![Series::new("measured", vec![(-1.0, 0.3), (0.0, 0.5), (1.0, 0.7)])],
///     y_range: Some((0.0, 1.0)),
///     ..LineChart::default()
/// };
/// assert!(chart.to_svg().starts_with("<svg xmlns="));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LineChart {
    /// The heading.
    pub title: String,
    /// What runs to the right, with its unit.
    pub x_label: String,
    /// What runs upwards, with its unit.
    pub y_label: String,
    /// The curves.
    pub series: Vec<Series>,
    /// The horizontal range; without one, all that is drawn.
    pub x_range: Option<(f64, f64)>,
    /// The vertical range; without one, all that is drawn, to the next ticks.
    pub y_range: Option<(f64, f64)>,
    /// Counts below the chart.
    pub histogram: Option<Histogram>,
    /// Reference lines.
    pub marks: Vec<Mark>,
}

/// Which numbers stand where in a drawing: what a pointer over it means.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct XAxis {
    /// The numbers at both ends.
    pub values: (f64, f64),
    /// Their places, in the drawing's own units.
    pub pixels: (f64, f64),
    /// The drawing's width in these units.
    pub width: f64,
}

impl LineChart {
    /// The chart as an SVG document of its own, which may also stand inside a
    /// page. It adapts to light and dark surroundings.
    pub fn to_svg(&self) -> String {
        draw::chart(self, &Frame::of(self))
    }

    /// Where the horizontal axis lies in the drawing.
    pub fn x_axis(&self) -> XAxis {
        let axis = Frame::of(self).x;
        XAxis {
            values: (axis.domain.low, axis.domain.high),
            pixels: (axis.start, axis.end),
            width: frame::WIDTH,
        }
    }

    /// The chart in words, for those who cannot see it.
    fn description(&self) -> String {
        let mut text = format!("Line chart of {} against {}.", self.y_label, self.x_label);
        for series in &self.series {
            let usable = |p: &&(f64, f64)| p.0.is_finite() && p.1.is_finite();
            let drawn: Vec<_> = series.points.iter().filter(usable).collect();
            text.put(format_args!(" {}: {} points", series.name, drawn.len()));
            if let [first, .., last] = drawn[..] {
                text.put(format_args!(" from {} to {}", place(first), place(last)));
            }
            text += if series.band.is_some() { ", with a band." } else { "." };
        }
        if let Some(histogram) = &self.histogram {
            text.put(format_args!(" Below, a histogram of {}.", histogram.label));
        }
        text
    }
}

fn place(&(x, y): &(f64, f64)) -> String {
    format!("({}, {})", significant(x, 3), significant(y, 3))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::escape::check;
    use proptest::prelude::*;

    /// A measured curve beside the ideal one, with everything a chart can hold.
    pub(crate) fn example() -> LineChart {
        let logistic = |x: f64| 1.0 / (1.0 + (-x).exp());
        let xs: Vec<f64> = (-12..=12).map(|i| f64::from(i) * 0.5).collect();
        let count = |x: f64| (42_000.0 * (-x * x / 8.0).exp()).round();
        let measured = |scale: f64, shift: f64| -> Vec<(f64, f64)> {
            xs.iter().map(|&x| (x, logistic(scale * x + shift + 0.15 * (2.3 * x).sin()))).collect()
        };
        let limits = |points: &[(f64, f64)], games: f64| -> Vec<(f64, f64)> {
            let half = |&(x, p): &(f64, f64)| {
                2.0 * (p * (1.0 - p) / (count(x) / games + 1.0)).sqrt() + 0.004
            };
            points.iter().map(|p| ((p.1 - half(p)).max(0.0), (p.1 + half(p)).min(1.0))).collect()
        };
        let (total, few) = (measured(0.85, 0.0), measured(0.6, -0.5));
        let (total_band, few_band) = (limits(&total, 30.0), limits(&few, 150.0));
        let ideal = (-60..=60).map(|i| f64::from(i) * 0.1).map(|x| (x, logistic(x))).collect();
        LineChart {
            title: "Evaluation curve: how often does the first player win?".into(),
            x_label: "value of the position, log-odds for the first player".into(),
            y_label: "share of games won".into(),
            series: vec![
                Series::new("all positions", total).band(total_band),
                Series::new("fewer than 17 discs", few).band(few_band),
                Series::new("true log-odds", ideal).style(Style::Line),
            ],
            x_range: None,
            y_range: Some((0.0, 1.0)),
            histogram: Some(Histogram {
                bars: xs.iter().map(|&x| (x, count(x))).collect(),
                width: 0.5,
                label: "positions per bin".into(),
            }),
            marks: vec![
                Mark::Horizontal { y: 0.5, label: "even".into() },
                Mark::Vertical { x: 0.0, label: "even by the function".into() },
            ],
        }
    }

    #[test]
    fn an_evaluation_curve() {
        let svg = example().to_svg();
        check::well_formed(&svg);
        insta::assert_snapshot!("evaluation_curve", svg);
    }

    #[test]
    fn a_small_chart_with_gaps() {
        let points =
            vec![(1.0, 2.0), (2.0, f64::NAN), (3.0, 5.0), (4.0, 4.0), (f64::INFINITY, 1.0)];
        let chart = LineChart {
            title: "Points & <gaps>".into(),
            series: vec![Series::new("\"alone\"", points).style(Style::Line)],
            ..LineChart::default()
        };
        let svg = chart.to_svg();
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        assert_eq!(svg.matches("class=\"dot").count(), 1, "the lone point");
        insta::assert_snapshot!("gaps", svg);
    }

    #[test]
    fn an_empty_chart_has_axes() {
        let svg = LineChart::default().to_svg();
        check::well_formed(&svg);
        assert!(svg.contains("class=\"axis\"") && svg.contains("class=\"tick\""));
        let empty = LineChart { series: vec![Series::default(); 3], ..LineChart::default() };
        check::well_formed(&empty.to_svg());
    }

    #[test]
    fn a_series_without_a_name_has_the_colour_of_the_one_before() {
        let pair = |name: &str, y: f64| {
            let points = vec![(0.0, y), (1.0, y)];
            [Series::new(name, points.clone()), Series::new("", points).style(Style::Line)]
        };
        let series = [pair("one", 1.0), pair("two", 2.0)].concat();
        let svg = LineChart { series, ..LineChart::default() }.to_svg();
        // Each colour once in the legend, once for the curve and once beside it.
        for (class, drawn) in [("line c0", 3), ("line c1", 3), ("line c2", 0), ("line c3", 0)] {
            assert_eq!(svg.matches(&format!("class=\"{class}\"")).count(), drawn, "{class}");
        }
    }

    /// The places and ends of all texts of a class, by the estimate of widths.
    fn spans(svg: &str, class: &str) -> Vec<(f64, f64, f64)> {
        let attribute = |element: &str, name: &str| -> f64 {
            let (_, rest) = element.split_once(&format!(" {name}=\"")).expect("an attribute");
            rest.split_once('"').expect("quoted").0.parse().expect("a number")
        };
        svg.lines()
            .filter(|l| l.starts_with(&format!("<text class=\"{class}\"")))
            .map(|l| {
                let text = l.split_once('>').expect("a tag").1.trim_end_matches("</text>");
                let (x, width) = (attribute(l, "x"), crate::svg::text_width(text, 12.0));
                let start = if l.contains("\"middle\"") {
                    x - width / 2.0
                } else if l.contains("\"end\"") {
                    x - width
                } else {
                    x
                };
                (attribute(l, "y"), start, start + width)
            })
            .collect()
    }

    fn number() -> impl Strategy<Value = f64> {
        prop_oneof![4 => -20.0..20.0, 2 => any::<f64>(), 1 => Just(f64::NAN)]
    }

    fn series() -> impl Strategy<Value = Series> {
        let points = prop::collection::vec((number(), number()), 0..12);
        let band = prop::option::of(prop::collection::vec((number(), number()), 0..12));
        (any::<String>(), points, band, 0..3).prop_map(|(name, points, band, style)| Series {
            name,
            points,
            band,
            style: [Style::Line, Style::Dots, Style::Both][style as usize],
        })
    }

    proptest! {
        #[test]
        fn anything_gives_a_sound_picture(
            title in any::<String>(),
            series in prop::collection::vec(series(), 0..8),
            range in prop::option::of((number(), number())),
            bars in prop::collection::vec((number(), number()), 0..8),
            width in number(),
            marks in prop::collection::vec((any::<bool>(), number(), any::<String>()), 0..4),
        ) {
            let marks = marks.into_iter().map(|(flat, at, label)| {
                if flat { Mark::Horizontal { y: at, label } } else { Mark::Vertical { x: at, label } }
            });
            let chart = LineChart {
                x_label: title.clone(),
                y_label: title.clone(),
                title,
                series,
                x_range: range,
                y_range: range,
                histogram: Some(Histogram { bars, width, label: "count".into() }),
                marks: marks.collect(),
            };
            let svg = chart.to_svg();
            check::well_formed(&svg);
            for broken in ["=\"NaN", "=\"inf", " NaN", "LNaN", "MNaN"] {
                let drawn = svg.lines().filter(|l| l.starts_with("<path") || l.starts_with("<rect"));
                prop_assert!(drawn.clone().all(|l| !l.split("<title>").next().unwrap_or("").contains(broken)));
            }
            prop_assert_eq!(svg, chart.to_svg());
        }

        #[test]
        fn tick_labels_never_touch(low in any::<f64>(), high in any::<f64>()) {
            let line = Series::new("", vec![(low, low), (high, high)]);
            let svg = LineChart { series: vec![line], ..LineChart::default() }.to_svg();
            let mut ticks = spans(&svg, "tick");
            ticks.sort_by(|a, b| a.partial_cmp(b).expect("finite"));
            for pair in ticks.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
                prop_assert!(pair[0].2 < pair[1].1, "{pair:?}");
            }
            prop_assert!(ticks.iter().all(|t| t.1 >= 0.0 && t.2 <= frame::WIDTH), "{ticks:?}");
        }
    }
}
