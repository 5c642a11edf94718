//! A pen that writes SVG.
//!
//! Invariant: text is escaped, coordinates have two decimals and stay within
//! ±100,000, so that equal pictures are equal bytes and every viewer can read
//! them. Looks are in the embedded style sheet, by class.

use crate::append::Append;
use crate::escape::Escaped;
use std::fmt::Display;

/// The drawing so far.
pub(crate) struct Pen {
    svg: String,
}

/// Where a text stands in relation to its point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// A coordinate: two decimals at most, no needless zeros.
pub(crate) struct Px(pub(crate) f64);

impl Display for Px {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let hundredths = (self.0.clamp(-1e5, 1e5) * 100.0).round() / 100.0;
        // Adding zero turns -0 into 0.
        write!(f, "{}", hundredths + 0.0)
    }
}

impl Pen {
    /// A drawing of this size, named and described for those who cannot see it.
    pub(crate) fn new(width: f64, height: f64, title: &str, description: &str) -> Self {
        let (width, height) = (Px(width), Px(height));
        let title = Escaped(title);
        let mut pen = Self { svg: String::new() };
        pen.svg.line(format_args!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"es-chart\" role=\"img\" \
             aria-label=\"{title}\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
             height=\"{height}\">"
        ));
        pen.svg.line(format_args!("<title>{title}</title>"));
        pen.svg.line(format_args!("<desc>{}</desc>", Escaped(description)));
        pen.svg.line(format_args!("<style>\n{}</style>", include_str!("chart.css")));
        pen
    }

    /// Looks that only some drawings need.
    pub(crate) fn style(&mut self, sheet: &str) {
        self.svg.line(format_args!("<style>\n{sheet}</style>"));
    }

    /// The finished document.
    pub(crate) fn finish(mut self) -> String {
        self.svg.line(format_args!("</svg>"));
        self.svg
    }

    pub(crate) fn rect(&mut self, class: &str, x: f64, y: f64, width: f64, height: f64) {
        let (x, y, width, height) = (Px(x), Px(y), Px(width), Px(height));
        self.svg.line(format_args!(
            "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\"/>"
        ));
    }

    pub(crate) fn line(&mut self, class: &str, from: (f64, f64), to: (f64, f64)) {
        let (x1, y1, x2, y2) = (Px(from.0), Px(from.1), Px(to.0), Px(to.1));
        self.svg.line(format_args!(
            "<line class=\"{class}\" x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\"/>"
        ));
    }

    pub(crate) fn text(&mut self, class: &str, at: (f64, f64), anchor: Anchor, text: &str) {
        let (x, y, text) = (Px(at.0), Px(at.1), Escaped(text));
        let anchor = match anchor {
            Anchor::Start => "",
            Anchor::Middle => " text-anchor=\"middle\"",
            Anchor::End => " text-anchor=\"end\"",
        };
        self.svg.line(format_args!(
            "<text class=\"{class}\" x=\"{x}\" y=\"{y}\"{anchor}>{text}</text>"
        ));
    }

    /// A line through the points, closed to a surface on demand; `hint` shows
    /// where the pointer rests.
    pub(crate) fn path(&mut self, class: &str, points: &[(f64, f64)], closed: bool, hint: &str) {
        let mut steps = String::new();
        for (i, &(x, y)) in points.iter().enumerate() {
            let step = if i == 0 { 'M' } else { 'L' };
            steps.put(format_args!("{step}{} {}", Px(x), Px(y)));
        }
        if closed {
            steps.push('Z');
        }
        if hint.is_empty() {
            self.svg.line(format_args!("<path class=\"{class}\" d=\"{steps}\"/>"));
        } else {
            let hint = Escaped(hint);
            self.svg.line(format_args!(
                "<path class=\"{class}\" d=\"{steps}\"><title>{hint}</title></path>"
            ));
        }
    }

    /// Draws in the coordinates of the page, cut off outside the rectangle.
    pub(crate) fn clipped(
        &mut self,
        (x, y, width, height): (f64, f64, f64, f64),
        draw: impl FnOnce(&mut Self),
    ) {
        let (x, y, width, height) = (Px(x), Px(y), Px(width), Px(height));
        self.svg.line(format_args!(
            "<svg x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"{x} {y} {width} {height}\">"
        ));
        draw(self);
        self.svg.line(format_args!("</svg>"));
    }
}

/// The width of a text, estimated for a plain sans-serif face; a little wide
/// rather than narrow, so that estimated texts do not touch.
pub(crate) fn text_width(text: &str, size: f64) -> f64 {
    let ems: f64 = text
        .chars()
        .map(|c| match c {
            'i' | 'j' | 'l' | 'I' | '.' | ',' | ':' | ';' | '|' | '\'' | '!' | ' ' => 0.34,
            'm' | 'w' | 'M' | 'W' | '%' | '@' => 0.95,
            'A'..='Z' => 0.7,
            c if (c as u32) < 0x2e80 => 0.6,
            _ => 1.05,
        })
        .sum();
    ems * size
}

/// The text in lines no wider than `width`, parted at spaces where that helps.
pub(crate) fn wrap(text: &str, size: f64, width: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if text_width(line, size) + text_width(word, size) + 4.0 < width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_are_short_and_bounded() {
        let text = |x| Px(x).to_string();
        assert_eq!(text(1.0 / 3.0), "0.33");
        assert_eq!(text(-0.000_1), "0");
        assert_eq!(text(12.5), "12.5");
        assert_eq!(text(-1e300), "-100000");
    }

    #[test]
    fn long_titles_wrap_at_words() {
        let lines = wrap("one two three four", 10.0, 50.0);
        assert_eq!(lines, ["one two", "three", "four"]);
        assert!(wrap("", 10.0, 60.0).is_empty());
    }
}
