//! Text appended to a string, which cannot fail.

use std::fmt::{Arguments, Write};

/// Formatting without a result nobody needs.
pub(crate) trait Append {
    /// Appends text.
    fn put(&mut self, text: Arguments<'_>);

    /// Appends text and the end of a line.
    fn line(&mut self, text: Arguments<'_>);
}

impl Append for String {
    fn put(&mut self, text: Arguments<'_>) {
        self.write_fmt(text).expect("writing to a string cannot fail");
    }

    fn line(&mut self, text: Arguments<'_>) {
        self.put(text);
        self.push('\n');
    }
}
