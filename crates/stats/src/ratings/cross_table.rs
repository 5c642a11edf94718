//! Who scored what against whom.

use crate::StatsError;
use crate::elo::Pentanomial;
use serde::Serialize;

/// The pairs of games between each two players.
///
/// ```
/// use evalsmith_stats::elo::Pentanomial;
/// use evalsmith_stats::ratings::CrossTable;
/// let mut table = CrossTable::new(["a", "b", "c"])?;
/// table.add(0, 1, &Pentanomial([0, 1, 4, 3, 2]))?;
/// table.add(2, 0, &Pentanomial([5, 0, 0, 0, 0]))?;
/// assert_eq!(table.between(1, 0).0, [2, 3, 4, 1, 0]);
/// assert_eq!(table.total(0).0, [0, 1, 4, 3, 7]);
/// # Ok::<(), evalsmith_stats::StatsError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CrossTable {
    names: Vec<String>,
    /// Pairs of player i against each j < i, as i sees them, row by row.
    lower: Vec<Pentanomial>,
}

impl CrossTable {
    /// An empty table.
    ///
    /// # Errors
    /// With fewer than two players, or two of one name.
    pub fn new<N: Into<String>>(names: impl IntoIterator<Item = N>) -> Result<Self, StatsError> {
        let names: Vec<String> = names.into_iter().map(Into::into).collect();
        if names.len() < 2 {
            return Err(StatsError::TooFewPlayers(names.len()));
        }
        let mut sorted: Vec<&String> = names.iter().collect();
        sorted.sort_unstable();
        if let Some(same) = sorted.windows(2).find(|two| two[0] == two[1]) {
            return Err(StatsError::SameName(same[0].clone()));
        }
        let lower = vec![Pentanomial::default(); names.len() * (names.len() - 1) / 2];
        Ok(Self { names, lower })
    }

    /// The players.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The place of the player of this name.
    ///
    /// # Errors
    /// When there is none.
    pub fn index(&self, name: &str) -> Result<usize, StatsError> {
        let missing = || self.missing(format!("{name:?}"));
        self.names.iter().position(|known| known == name).ok_or_else(missing)
    }

    fn missing(&self, player: String) -> StatsError {
        StatsError::NoSuchPlayer { player, players: self.names.len() }
    }

    /// Adds pairs of games, counted by the points of `first` against `second`.
    ///
    /// # Errors
    /// When there is no such player, or both are the same.
    pub fn add(
        &mut self,
        first: usize,
        second: usize,
        pairs: &Pentanomial,
    ) -> Result<(), StatsError> {
        if let Some(&unknown) = [first, second].iter().find(|&&i| i >= self.names.len()) {
            return Err(self.missing(unknown.to_string()));
        }
        match first.cmp(&second) {
            std::cmp::Ordering::Equal => {
                return Err(StatsError::AgainstItself(self.names[first].clone()));
            }
            std::cmp::Ordering::Greater => self.lower[cell(first, second)].add(pairs),
            std::cmp::Ordering::Less => self.lower[cell(second, first)].add(&pairs.mirrored()),
        }
        Ok(())
    }

    /// The pairs of `first` against `second`, as `first` sees them; none against
    /// itself.
    ///
    /// # Panics
    /// When there is no such player.
    pub fn between(&self, first: usize, second: usize) -> Pentanomial {
        match first.cmp(&second) {
            std::cmp::Ordering::Equal => Pentanomial::default(),
            std::cmp::Ordering::Greater => self.lower[cell(first, second)],
            std::cmp::Ordering::Less => self.lower[cell(second, first)].mirrored(),
        }
    }

    /// All pairs of a player, as it sees them.
    ///
    /// # Panics
    /// When there is no such player.
    pub fn total(&self, player: usize) -> Pentanomial {
        let mut total = Pentanomial::default();
        for other in 0..self.names.len() {
            total.add(&self.between(player, other));
        }
        total
    }

    /// Each two players who met, once, with the pairs as the first sees them.
    pub fn matches(&self) -> impl Iterator<Item = (usize, usize, &Pentanomial)> {
        let cells = (1..self.names.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
        let all = cells.zip(&self.lower).map(|((i, j), pairs)| (i, j, pairs));
        all.filter(|(_, _, pairs)| pairs.pairs() > 0)
    }
}

/// Where the pairs of `i` against `j < i` stand.
const fn cell(i: usize, j: usize) -> usize {
    i * (i - 1) / 2 + j
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mistakes_are_named() {
        assert_eq!(CrossTable::new(["a"]), Err(StatsError::TooFewPlayers(1)));
        assert_eq!(CrossTable::new(["a", "b", "a"]), Err(StatsError::SameName("a".into())));
        let mut table = CrossTable::new(["a", "b"]).unwrap();
        let error = table.add(0, 2, &Pentanomial::default()).unwrap_err();
        assert_eq!(error.to_string(), "no player 2 in a table of 2");
        assert!(matches!(
            table.add(1, 1, &Pentanomial::default()),
            Err(StatsError::AgainstItself(_))
        ));
        assert_eq!(table.index("b"), Ok(1));
        assert!(table.index("c").is_err());
    }
}
