//! A tree drawn as an icicle: every node a bar as wide as its share of the whole,
//! its children below it.
//!
//! Large trees stay readable: bars too narrow to see are left out, and so is the
//! text that does not fit.

use crate::svg::{Anchor, Pen, text_width};

const WIDTH: f64 = 960.0;
const MARGIN: f64 = 12.0;
const TOP: f64 = 56.0;
const ROW: f64 = 26.0;
/// Narrower bars are left out.
const NARROWEST: f64 = 0.7;

/// One bar.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    /// Rows from the root down.
    pub level: usize,
    /// Where it begins and ends, as shares of the whole.
    pub span: (f64, f64),
    /// Its colour: from -1 (the one end) to 1 (the other).
    pub tone: f64,
    /// What is written in it.
    pub text: String,
    /// What the pointer shows.
    pub hint: String,
}

/// A drawing of a tree.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Icicle {
    /// The heading.
    pub title: String,
    /// A line below it.
    pub note: String,
    /// The bars, in any order.
    pub bars: Vec<Bar>,
}

impl Icicle {
    /// The drawing as an SVG document of its own.
    pub fn to_svg(&self) -> String {
        let levels = self.bars.iter().map(|bar| bar.level + 1).max().unwrap_or(0);
        let height = TOP + ROW * levels as f64 + MARGIN;
        let mut pen = Pen::new(WIDTH, height, &self.title, &self.note);
        pen.style(include_str!("icicle.css"));
        pen.rect("ground", 0.0, 0.0, WIDTH, height);
        pen.text("title", (MARGIN, 24.0), Anchor::Start, &self.title);
        pen.text("label", (MARGIN, 44.0), Anchor::Start, &self.note);
        let inner = WIDTH - 2.0 * MARGIN;
        for bar in &self.bars {
            let (from, to) = bar.span;
            let width = inner * (to - from) - 0.5;
            if width < NARROWEST {
                continue;
            }
            let (x, y) = (MARGIN + inner * from, TOP + ROW * bar.level as f64);
            let corners = [(x, y), (x + width, y), (x + width, y + ROW - 1.0), (x, y + ROW - 1.0)];
            pen.path(tone(bar.tone), &corners, true, &bar.hint);
            if text_width(&bar.text, 11.5) + 6.0 < width {
                pen.text("note", (x + 3.0, y + 17.0), Anchor::Start, &bar.text);
            }
        }
        pen.finish()
    }
}

/// One of seven tones, by class.
fn tone(value: f64) -> &'static str {
    const TONES: [&str; 7] =
        ["icicle t0", "icicle t1", "icicle t2", "icicle t3", "icicle t4", "icicle t5", "icicle t6"];
    let place = (value.clamp(-1.0, 1.0) * 3.0).round() + 3.0;
    // NaN has the middle tone.
    TONES[if place.is_nan() { 3 } else { place as usize }]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bar(level: usize, span: (f64, f64), tone: f64, text: &str) -> Bar {
        Bar { level, span, tone, text: text.into(), hint: format!("{text} hint") }
    }

    #[test]
    fn bars_are_placed_toned_and_left_out() {
        let bars = vec![
            bar(0, (0.0, 1.0), 0.0, "root <&>"),
            bar(1, (0.0, 0.5), 1.0, "left"),
            bar(1, (0.5, 0.500_01), f64::NAN, "speck"),
        ];
        let svg = Icicle { title: "T".into(), note: "n".into(), bars }.to_svg();
        assert!(svg.contains("root &lt;&amp;&gt;") && svg.contains("left hint"));
        assert!(svg.contains("icicle t6") && svg.contains("icicle t3"));
        assert!(!svg.contains("speck"), "too narrow to see");
        assert!(Icicle::default().to_svg().ends_with("</svg>\n"));
    }
}
