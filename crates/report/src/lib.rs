//! Charts as SVG, tables, one self-contained HTML page.
