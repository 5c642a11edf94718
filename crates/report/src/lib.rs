//! Charts as SVG, tables, one self-contained HTML page.
//!
//! This room takes plain series and strings and returns text; it knows no game,
//! opens no file and fetches nothing. Every string it is given is escaped, and
//! equal input gives equal output, byte for byte.

mod append;
mod chart;
mod escape;
mod icicle;
pub mod number;
mod page;
mod svg;
mod table;

pub use chart::{Histogram, LineChart, Mark, Series, Style, XAxis};
pub use icicle::{Bar, Icicle};
pub use page::{Block, Page, Section};
pub use table::{Align, Table};

/// The style sheet that every chart embeds, for a page that holds many of them.
pub const CHART_STYLE: &str = include_str!("chart.css");
