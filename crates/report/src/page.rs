//! One self-contained HTML document: text, tables, charts, provenance.
//!
//! Invariant: the document asks the network for nothing (no script, no font, no
//! image), so that a report opened in ten years looks as it does today.

use crate::append::Append;
use crate::escape::Escaped;
use crate::{Icicle, LineChart, Table};

/// A report.
///
/// ```
/// use evalsmith_report::{Page, Section};
/// let page = Page::new("A curve & its band")
///     .fact("seed", "7")
///     .section(Section::new("Result").paragraph("It rises."));
/// assert!(page.to_html().contains("<h1>A curve &amp; its band</h1>"));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Page {
    /// The heading, also the name of the browser's tab.
    pub title: String,
    /// A sentence or two under the heading; none when empty.
    pub lead: String,
    /// The parts of the report.
    pub sections: Vec<Section>,
    /// What made the report: commands, seeds, versions, digests.
    pub provenance: Vec<(String, String)>,
}

/// A part of a report under its own heading.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Section {
    /// The heading.
    pub heading: String,
    /// What stands below it, in order.
    pub blocks: Vec<Block>,
}

/// Something that stands in a section.
#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    /// Running text.
    Paragraph(String),
    /// A table.
    Table(Table),
    /// A chart with its caption.
    Figure {
        /// The chart.
        chart: Box<LineChart>,
        /// What to see in it; none when empty.
        caption: String,
    },
    /// A tree, drawn.
    Tree(Box<Icicle>),
    /// Text whose lines and spaces stand as they are: a board, a log.
    Verbatim(String),
    /// Names and what they stand for.
    Facts(Vec<(String, String)>),
}

impl Page {
    /// An empty report.
    pub fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), ..Self::default() }
    }

    /// Says what the report is about.
    #[must_use]
    pub fn lead(mut self, lead: impl Into<String>) -> Self {
        self.lead = lead.into();
        self
    }

    /// Adds a part.
    #[must_use]
    pub fn section(mut self, section: Section) -> Self {
        self.sections.push(section);
        self
    }

    /// Adds a line to the provenance.
    #[must_use]
    pub fn fact(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.provenance.push((name.into(), value.into()));
        self
    }

    /// The document.
    pub fn to_html(&self) -> String {
        let title = Escaped(&self.title);
        let mut html = String::from("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n");
        html.line(format_args!("<meta charset=\"utf-8\">"));
        html.line(format_args!(
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
        ));
        html.line(format_args!("<title>{title}</title>"));
        html.line(format_args!("<style>\n{}</style>", include_str!("page.css")));
        html.line(format_args!("</head>\n<body>\n<main>\n<h1>{title}</h1>"));
        if !self.lead.is_empty() {
            html.line(format_args!("<p class=\"lead\">{}</p>", Escaped(&self.lead)));
        }
        let provenance = (!self.provenance.is_empty()).then(|| {
            Section::new("How this was made").block(Block::Facts(self.provenance.clone()))
        });
        let sections: Vec<_> = self.sections.iter().chain(&provenance).collect();
        if sections.len() > 2 {
            html.line(format_args!("<nav aria-label=\"Contents\"><ol>"));
            for (number, section) in (1..).zip(&sections) {
                let heading = Escaped(&section.heading);
                html.line(format_args!("<li><a href=\"#part-{number}\">{heading}</a></li>"));
            }
            html.line(format_args!("</ol></nav>"));
        }
        for (number, section) in (1..).zip(&sections) {
            let heading = Escaped(&section.heading);
            html.line(format_args!("<section>\n<h2 id=\"part-{number}\">{heading}</h2>"));
            section.blocks.iter().for_each(|block| block.write(&mut html));
            html.line(format_args!("</section>"));
        }
        html.line(format_args!("</main>\n</body>\n</html>"));
        html
    }
}

impl Section {
    /// An empty part.
    pub fn new(heading: impl Into<String>) -> Self {
        Self { heading: heading.into(), blocks: Vec::new() }
    }

    /// Adds anything.
    #[must_use]
    pub fn block(mut self, block: Block) -> Self {
        self.blocks.push(block);
        self
    }

    /// Adds running text.
    #[must_use]
    pub fn paragraph(self, text: impl Into<String>) -> Self {
        self.block(Block::Paragraph(text.into()))
    }

    /// Adds a table.
    #[must_use]
    pub fn table(self, table: Table) -> Self {
        self.block(Block::Table(table))
    }

    /// Adds text whose lines and spaces stand as they are.
    #[must_use]
    pub fn verbatim(self, text: impl Into<String>) -> Self {
        self.block(Block::Verbatim(text.into()))
    }

    /// Adds a chart with its caption.
    #[must_use]
    pub fn figure(self, chart: LineChart, caption: impl Into<String>) -> Self {
        self.block(Block::Figure { chart: Box::new(chart), caption: caption.into() })
    }
}

impl Block {
    fn write(&self, html: &mut String) {
        match self {
            Self::Paragraph(text) => html.line(format_args!("<p>{}</p>", Escaped(text))),
            Self::Table(table) => html.push_str(&table.to_html()),
            Self::Tree(tree) => {
                html.line(format_args!("<figure>"));
                html.push_str(&tree.to_svg());
                html.line(format_args!("</figure>"));
            }
            Self::Figure { chart, caption } => {
                html.line(format_args!("<figure>\n<div class=\"scroll\" tabindex=\"0\">"));
                html.push_str(&chart.to_svg());
                html.line(format_args!("</div>"));
                if !caption.is_empty() {
                    html.line(format_args!("<figcaption>{}</figcaption>", Escaped(caption)));
                }
                html.line(format_args!("</figure>"));
            }
            Self::Verbatim(text) => html.line(format_args!("<pre>{}</pre>", Escaped(text))),
            Self::Facts(facts) => {
                html.line(format_args!("<dl>"));
                for (name, value) in facts {
                    let (name, value) = (Escaped(name), Escaped(value));
                    html.line(format_args!("<dt>{name}</dt><dd>{value}</dd>"));
                }
                html.line(format_args!("</dl>"));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::escape::check;
    use crate::{chart, table};
    use proptest::prelude::*;

    fn example() -> Page {
        Page::new("Evaluation curve of <linear> & friends")
            .lead("Positions of self-play games, valued by the fitted function.")
            .section(
                Section::new("Curve")
                    .paragraph("The curve rises everywhere & stays close to the ideal one.")
                    .figure(
                        chart::tests::example(),
                        "Bands are 95 % intervals, clustered by game.",
                    ),
            )
            .section(
                Section::new("Matches").table(table::tests::example()).verbatim("  a b <\n1 X O"),
            )
            .fact("command", "evalsmith curve draw --seed 7 \"my data\"")
            .fact("seed", "7")
    }

    #[test]
    fn a_report() {
        let html = example().to_html();
        check::well_formed(&html);
        insta::assert_snapshot!("page", html);
    }

    #[test]
    fn nothing_is_fetched() {
        let html = example().to_html().replace("http://www.w3.org/2000/svg", "");
        for word in ["http:", "https:", "//", "src=", "@import", "url(", "<script", "<link"] {
            assert!(!html.contains(word), "{word}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_only_text(texts in prop::collection::vec(any::<String>(), 8)) {
            let [title, lead, heading, text, name, value, caption, cell] = &texts[..] else {
                unreachable!("eight texts")
            };
            let chart = LineChart { title: title.clone(), ..LineChart::default() };
            let section = Section::new(heading)
                .paragraph(text)
                .verbatim(text)
                .figure(chart, caption)
                .table(Table::new([name]).row([cell]))
                .block(Block::Facts(vec![(name.clone(), value.clone())]));
            let page = Page::new(title).lead(lead).fact(name, value).section(section);
            check::well_formed(&page.to_html());
        }
    }
}
