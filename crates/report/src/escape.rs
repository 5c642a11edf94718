//! Text made safe inside markup.
//!
//! Invariant: whatever the string, the result may stand between tags or inside
//! a quoted attribute of HTML and of XML 1.0.

use std::fmt::{self, Display, Write};

/// A string that writes itself escaped.
pub(crate) struct Escaped<'a>(pub(crate) &'a str);

impl Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in self.0.chars() {
            match c {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\'' => f.write_str("&#39;")?,
                // XML 1.0 has no way to write these, not even by number.
                '\0'..='\x08' | '\x0b' | '\x0c' | '\x0e'..='\x1f' | '\u{fffe}' | '\u{ffff}' => {
                    f.write_char('\u{fffd}')?;
                }
                c => f.write_char(c)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
pub(crate) mod check {
    //! A tiny judge of well-formedness, for the tests of this crate.

    /// Panics unless every tag of `markup` is closed in order, attributes are
    /// quoted, and entities are known. `void` elements of HTML need no end.
    pub(crate) fn well_formed(markup: &str) {
        let void = ["meta", "br", "hr", "img"];
        let mut open: Vec<&str> = Vec::new();
        let mut rest = markup.strip_prefix("<!DOCTYPE html>").unwrap_or(markup);
        while let Some(start) = rest.find('<') {
            text(&rest[..start]);
            let end = start + rest[start..].find('>').expect("a tag ends");
            let tag = &rest[start + 1..end];
            rest = &rest[end + 1..];
            if let Some(name) = tag.strip_prefix('/') {
                assert_eq!(open.pop(), Some(name), "a tag is closed out of order");
                continue;
            }
            let (name, attributes) = tag.split_once([' ', '\n']).unwrap_or((tag, ""));
            let closed = attributes.ends_with('/') || name.ends_with('/');
            attributes_quoted(attributes.trim_end_matches('/'));
            let name = name.trim_end_matches('/');
            assert!(!name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric()), "{tag}");
            if !closed && !void.contains(&name) {
                open.push(name);
            }
        }
        text(rest);
        assert!(open.is_empty(), "never closed: {open:?}");
    }

    fn text(text: &str) {
        assert!(!text.contains(['>', '\0', '\x0b', '\u{ffff}']), "stray character in {text:?}");
        for (at, _) in text.match_indices('&') {
            let known = ["&amp;", "&lt;", "&gt;", "&quot;", "&#39;"];
            assert!(known.iter().any(|e| text[at..].starts_with(e)), "stray & in {text:?}");
        }
    }

    fn attributes_quoted(mut attributes: &str) {
        attributes = attributes.trim();
        while !attributes.is_empty() {
            let (name, value) = attributes.split_once("=\"").expect("an attribute has a value");
            assert!(!name.contains(['"', '<', ' ']), "{attributes}");
            let (value, rest) = value.split_once('"').expect("a value ends");
            text(value);
            attributes = rest.trim();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The inverse, for text without forbidden characters.
    fn unescape(text: &str) -> String {
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")]
            .iter()
            .fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
    }

    #[test]
    fn markup_becomes_text() {
        let evil = "<script>alert(\"x\")</script> & 'co'\0";
        let escaped = Escaped(evil).to_string();
        assert_eq!(
            escaped,
            "&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt; &amp; &#39;co&#39;\u{fffd}"
        );
    }

    proptest! {
        #[test]
        fn any_string_is_safe_and_keeps_its_meaning(text in any::<String>()) {
            let escaped = Escaped(&text).to_string();
            check::well_formed(&format!("<p title=\"{escaped}\">{escaped}</p>"));
            let kept: String = text
                .chars()
                .map(|c| if c.is_control() && !c.is_whitespace() { '\u{fffd}' } else { c })
                .collect();
            if kept == text && !text.contains(['\x0b', '\x0c', '\u{fffe}', '\u{ffff}']) {
                prop_assert_eq!(unescape(&escaped), text);
            }
        }
    }
}
