//! Half-moves in words.

use std::fmt;

/// A number of half-moves, as people read it.
///
/// ```
/// use evalsmith_core::Plies;
/// assert_eq!(Plies::from(1_u8).to_string(), "1 ply");
/// assert_eq!(Plies::from(8_u16).to_string(), "8 plies");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plies(u32);

impl<N: Into<u32>> From<N> for Plies {
    fn from(count: N) -> Self {
        Self(count.into())
    }
}

impl fmt::Display for Plies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.0, if self.0 == 1 { "ply" } else { "plies" })
    }
}
