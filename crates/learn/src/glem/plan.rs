//! What a pattern model looks at, and how it divides a game: as a person writes it
//! down, and as a model file keeps it.

use super::{Pattern, PatternSet, SparseRows, SparseSet};
use evalsmith_core::Stage;
use serde::{Deserialize, Serialize};

/// Patterns, and counts beside them (buro98's terms for features of a wide range).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PatternPlan {
    /// The patterns, each standing for all its symmetric copies.
    pub patterns: Vec<Pattern>,
    /// The counts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub counts: Vec<Count>,
    /// Patterns of which only states met often enough have a weight.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sparse: Vec<Pattern>,
}

/// A whole-numbered feature with one weight a value, held within limits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Count {
    /// The feature's name.
    pub feature: String,
    /// The smallest value told from smaller ones.
    pub low: i16,
    /// The largest value told from larger ones.
    pub high: i16,
}

impl Count {
    /// Values told apart.
    pub fn size(&self) -> usize {
        usize::try_from(i32::from(self.high) - i32::from(self.low) + 1).unwrap_or_default()
    }

    /// The place of a value in the count's table.
    #[inline]
    pub fn place(&self, value: f32) -> usize {
        let (low, high) = (f32::from(self.low), f32::from(self.high));
        // Not a number becomes the lowest.
        (value.round().max(low).min(high) - low) as usize
    }
}

impl PatternPlan {
    /// Weights of one group of stages without those of sparse patterns, which follow
    /// them; the patterns are of this set.
    pub fn weights(&self, set: &PatternSet) -> usize {
        set.weights() + self.counts.iter().map(Count::size).sum::<usize>()
    }

    /// The number of each count's first weight.
    pub fn count_bases(&self, set: &PatternSet) -> Vec<usize> {
        let mut base = set.weights();
        let mut own = |count: &Count| {
            base += count.size();
            base - count.size()
        };
        self.counts.iter().map(&mut own).collect()
    }

    /// No rows yet, with a column per instance, one per count and one per instance of a
    /// sparse pattern.
    pub fn rows(&self, set: &PatternSet, sparse: &SparseSet) -> SparseRows {
        let (mut bases, mut sizes) = (set.bases(), set.table_sizes());
        bases.extend(self.count_bases(set).into_iter().map(|base| base as u32));
        sizes.extend(self.counts.iter().map(|count| count.size() as u32));
        let first = self.weights(set);
        for (base, size) in sparse.columns() {
            bases.push(first as u32 + base);
            sizes.push(size);
        }
        SparseRows::with_tables(bases, sizes, first + sparse.weights())
    }
}

/// Which stages of a game share weights: groups of equal width counted from the
/// end of the game, and the first takes all that is left. Where it matters who has
/// the last move, stages of even and of odd number lie in groups of their own.
///
/// ```
/// use evalsmith_core::Stage;
/// use evalsmith_learn::StageGroups;
/// let groups = StageGroups::new(65, 4, 13).expect("buro98's");
/// assert_eq!([4, 16, 17, 61, 64].map(|discs| groups.of(Stage(discs))), [0, 0, 1, 12, 12]);
/// let apart = groups.alternating().expect("four are even and odd");
/// assert_eq!([4, 16, 17, 61, 64].map(|discs| apart.of(Stage(discs))), [0, 0, 3, 25, 24]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StageGroups {
    stages: usize,
    width: usize,
    count: usize,
    /// Whether each group is two: its even stages, and its odd ones.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    alternating: bool,
}

impl StageGroups {
    /// At most `count` groups of `width` of a game's stages; none where one of the
    /// numbers is zero, or a game has more stages than there can be.
    pub fn new(stages: usize, width: usize, count: usize) -> Option<Self> {
        let count = if width == 0 { 0 } else { count.min(stages.div_ceil(width)) };
        let groups = Self { stages, width, count, alternating: false };
        groups.is_sound().then_some(groups)
    }

    /// Twice as many groups, the even stages of each apart from its odd ones; none
    /// where a group has not both, or that makes too many.
    pub fn alternating(self) -> Option<Self> {
        let apart = Self { alternating: true, ..self };
        apart.is_sound().then_some(apart)
    }

    /// Whether groups read from a file are such as [`new`](Self::new) makes.
    pub(super) fn is_sound(&self) -> bool {
        // All groups but the first are whole; the first needs a stage for each lane.
        let behind_first = self.count.saturating_sub(1).saturating_mul(self.width);
        (1..=256).contains(&self.stages)
            && (1..=256 / self.lanes()).contains(&self.count)
            && self.lanes() <= self.width
            && behind_first.saturating_add(self.lanes()) <= self.stages
    }

    /// Groups of the same time of the game: two where even and odd stages are apart. A
    /// group's neighbours are so many places away.
    pub fn lanes(&self) -> usize {
        1 + usize::from(self.alternating)
    }

    /// The game's stages.
    pub fn stages(&self) -> usize {
        self.stages
    }

    /// The number of groups.
    pub fn count(&self) -> usize {
        self.count * self.lanes()
    }

    /// The group of a stage.
    #[inline]
    pub fn of(&self, stage: Stage) -> usize {
        let from_end = (self.stages - 1).saturating_sub(stage.index()) / self.width;
        let band = (self.count - 1).saturating_sub(from_end);
        band * self.lanes() + stage.index() % self.lanes()
    }

    /// The first and the last stage of a group.
    pub fn bounds(&self, group: usize) -> (u8, u8) {
        let (band, lane) = (group / self.lanes(), group % self.lanes());
        let end = |band: usize| self.stages - 1 - self.width * (self.count - 1 - band);
        let first = if band == 0 { 0 } else { end(band - 1) + 1 };
        let last = end(band);
        let off = |stage: usize| usize::from(stage % self.lanes() != lane);
        ((first + off(first)) as u8, (last - off(last)) as u8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_cover_all_stages_in_order() {
        for (stages, width, count) in
            [(65, 4, 13), (65, 1, 61), (1, 4, 13), (7, 3, 2), (256, 1, 300)]
        {
            let groups = StageGroups::new(stages, width, count).unwrap();
            let mut next = 0;
            for group in 0..groups.count() {
                let (first, last) = groups.bounds(group);
                assert_eq!(usize::from(first), next);
                assert!((first..=last).all(|stage| groups.of(Stage(stage)) == group));
                next = usize::from(last) + 1;
            }
            assert_eq!(next, stages);
        }
        assert_eq!(StageGroups::new(65, 0, 13), None);
    }

    #[test]
    fn even_and_odd_stages_lie_apart_and_neighbours_are_alike() {
        for (stages, width, count) in [(65, 4, 13), (65, 2, 30), (7, 3, 2), (256, 2, 128)] {
            let together = StageGroups::new(stages, width, count).unwrap();
            let apart = together.alternating().unwrap();
            assert_eq!((apart.count(), apart.lanes()), (2 * together.count(), 2));
            for stage in (0..stages).map(|stage| Stage(stage as u8)) {
                let group = apart.of(stage);
                assert_eq!((group / 2, group % 2), (together.of(stage), stage.index() % 2));
                let (first, last) = apart.bounds(group);
                assert!((first..=last).contains(&stage.0));
                assert_eq!([first, last].map(|end| apart.of(Stage(end))), [group; 2]);
            }
        }
        let narrow = StageGroups::new(65, 1, 60).unwrap();
        let many = StageGroups::new(256, 2, 128).unwrap();
        assert_eq!(narrow.alternating(), None);
        assert!(StageGroups { width: 3, count: 129, ..many }.alternating().is_none());
        let lonely = StageGroups::new(65, 2, 33).unwrap();
        assert_eq!(lonely.bounds(0), (0, 0));
        assert_eq!(lonely.alternating(), None, "the first group has no odd stage");
    }

    #[test]
    fn groups_that_reach_before_the_first_stage_are_not_sound() {
        let sound = StageGroups::new(65, 4, 13).unwrap();
        assert!(sound.is_sound());
        for (width, count) in [(4, 18), (usize::MAX, 2), (0, 1), (65, 0)] {
            assert!(!StageGroups { width, count, ..sound }.is_sound(), "{width} {count}");
        }
    }

    #[test]
    fn counts_stay_within_their_limits() {
        let count = Count { feature: "moves".into(), low: -3, high: 2 };
        assert_eq!(count.size(), 6);
        assert_eq!(
            [-9.0, -3.0, 0.0, 2.0, 40.0, f32::NAN].map(|v| count.place(v)),
            [0, 0, 3, 5, 5, 0]
        );
        assert_eq!(Count { low: 2, high: -3, ..count }.size(), 0);
    }
}
