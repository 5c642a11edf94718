//! Growing a tree by the greatest loss of impurity.
//!
//! Narrow columns are counted in histograms: those of a large node are made once,
//! the smaller child's by counting and the larger one's by subtraction, so that a
//! level costs at most half a pass over the vectors it still splits. Small nodes
//! visit only the values they have. Wide columns are sorted at each node, by
//! radix. In all this is O(D n log n) for trees of logarithmic height.
//!
//! Sums are whole numbers, so that a tree is the same on any number of threads.
//! Among equal splits the first feature and the lowest threshold win.

use super::expand::graft;
use super::fit::TreeParams;
use super::ranks::{Ranks, between};
use super::small::{Seen, sorted};
use super::{Growth, Node, Vectors};
use crate::LearnError;
use rayon::prelude::*;

/// Vectors from which a node's histogram is counted by several threads.
const SHARED: usize = 1 << 15;
/// Nodes with fewer vectors are grown to the end by one thread.
const TASK: usize = 1 << 14;
/// A node is counted densely when it has more vectors than one in so many bins.
const BINS_PER_ROW: usize = 8;
/// A gain below this share of the most that labels could give is rounding.
const ROUNDING: f64 = 1e-12;

/// Labels added up, and how many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Cell {
    pub(super) sum: i64,
    pub(super) count: i64,
}

impl Cell {
    #[inline]
    pub(super) fn add(&mut self, label: i32) {
        self.sum += i64::from(label);
        self.count += 1;
    }

    fn subtract(&mut self, other: Self) {
        self.sum -= other.sum;
        self.count -= other.count;
    }

    fn join(&mut self, other: Self) {
        self.sum += other.sum;
        self.count += other.count;
    }

    /// S^2/n, of no label at all zero.
    #[inline]
    fn explained(self) -> f64 {
        let sum = self.sum as f64;
        sum * sum / self.count as f64
    }
}

/// Grows a tree on checked vectors; with a price, splits by features that are not
/// yet known on the path have to earn what they cost.
///
/// # Errors
/// When the parameters make no sense, or the vectors are faulty.
pub fn grow(params: &TreeParams, vectors: &Vectors<'_>) -> Result<Growth, LearnError> {
    params.check(vectors.width())?;
    vectors.check()?;
    let mut ranks = Ranks::of(vectors);
    let (mut bytes, mut words, mut labels) = ranks.take_rows();
    let grower = Grower::new(params, &ranks);
    let rows = grower.rows(&mut bytes, &mut words, &mut labels);
    let nodes = grower.grow(rows, Prior::default());
    Ok(Growth { nodes, features: vectors.width() })
}

/// What a node knew before its vectors came.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Prior {
    pub(super) weight: f64,
    pub(super) sum: f64,
}

impl Prior {
    fn share(self, part: f64) -> Self {
        Self { weight: self.weight * part, sum: self.sum * part }
    }
}

/// The vectors of a node: a stretch of all of them.
pub(super) struct Rows<'a> {
    bytes: &'a mut [u8],
    words: &'a mut [u32],
    pub(super) labels: &'a mut [i32],
    narrow: usize,
    wide: usize,
}

impl Rows<'_> {
    pub(super) fn len(&self) -> usize {
        self.labels.len()
    }

    fn total(&self) -> Cell {
        let mut total = Cell::default();
        self.labels.iter().for_each(|&label| total.add(label));
        total
    }

    fn is_pure(&self) -> bool {
        self.labels.iter().all(|&label| label == self.labels[0])
    }

    #[inline]
    fn rank(&self, row: usize, column: Column) -> u32 {
        match column {
            Column::Narrow { at, .. } => self.bytes[row * self.narrow + at].into(),
            Column::Wide { at } => self.words[row * self.wide + at],
        }
    }

    fn swap(&mut self, a: usize, b: usize) {
        fn exchange<T>(rows: &mut [T], a: usize, b: usize, width: usize) {
            let (head, tail) = rows.split_at_mut(b * width);
            head[a * width..][..width].swap_with_slice(&mut tail[..width]);
        }
        self.labels.swap(a, b);
        exchange(self.bytes, a, b, self.narrow);
        exchange(self.words, a, b, self.wide);
    }

    /// Moves the rows of rank at most `last` to the front, and returns both parts.
    pub(super) fn part(mut self, column: Column, last: u32) -> [Self; 2] {
        let (mut front, mut back) = (0, self.len());
        loop {
            while front < back && self.rank(front, column) <= last {
                front += 1;
            }
            while front < back && self.rank(back - 1, column) > last {
                back -= 1;
            }
            if front == back {
                break;
            }
            self.swap(front, back - 1);
            front += 1;
            back -= 1;
        }
        self.split(front)
    }

    pub(super) fn split(self, at: usize) -> [Self; 2] {
        let Self { bytes, words, labels, narrow, wide } = self;
        let (bytes_left, bytes_right) = bytes.split_at_mut(at * narrow);
        let (words_left, words_right) = words.split_at_mut(at * wide);
        let (labels_left, labels_right) = labels.split_at_mut(at);
        [
            Rows { bytes: bytes_left, words: words_left, labels: labels_left, narrow, wide },
            Rows { bytes: bytes_right, words: words_right, labels: labels_right, narrow, wide },
        ]
    }
}

/// Where a feature's ranks are.
#[derive(Clone, Copy, Debug)]
pub(super) enum Column {
    /// A byte a row, and the first of its bins among all.
    Narrow { at: usize, bin: usize, bins: usize },
    /// A word a row.
    Wide { at: usize },
}

/// Everything that is the same for all nodes.
pub(super) struct Grower<'a> {
    params: &'a TreeParams,
    ranks: &'a Ranks,
    /// By feature.
    columns: Vec<Column>,
    bins: usize,
    /// What a unit of cost takes from a vector's gain, in squared label units.
    price: f64,
}

/// A node about to be split.
struct Pending<'a> {
    rows: Rows<'a>,
    total: Cell,
    prior: Prior,
    histogram: Option<Vec<Cell>>,
    /// The features known on the path; empty where none has a price.
    known: Vec<bool>,
    slot: usize,
}

/// The best split found.
#[derive(Clone, Copy)]
struct Best {
    /// What both children explain, less what the feature costs.
    score: f64,
    feature: usize,
    /// The last rank that goes left, and the first that goes right.
    ranks: (u32, u32),
    left: Cell,
}

impl Best {
    /// Looks at all splits of a feature between its ranks, in order.
    #[inline]
    fn scan(
        &mut self,
        (feature, cost): (usize, f64),
        total: Cell,
        fewest: i64,
        cells: impl Iterator<Item = (u32, Cell)>,
    ) {
        let mut left = Cell::default();
        let mut before = 0;
        for (rank, cell) in cells {
            let mut right = total;
            right.subtract(left);
            if left.count >= fewest && right.count >= fewest {
                let score = left.explained() + right.explained() - cost;
                if score > self.score {
                    *self = Self { score, feature, ranks: (before, rank), left };
                }
            }
            left.join(cell);
            before = rank;
        }
    }
}

impl<'a> Grower<'a> {
    pub(super) fn new(params: &'a TreeParams, ranks: &'a Ranks) -> Self {
        let mut columns = vec![Column::Wide { at: 0 }; ranks.values.len()];
        let mut bin = 0;
        for (at, &feature) in ranks.narrow.iter().enumerate() {
            let bins = ranks.values[feature].len();
            columns[feature] = Column::Narrow { at, bin, bins };
            bin += bins;
        }
        for (at, &feature) in ranks.wide.iter().enumerate() {
            columns[feature] = Column::Wide { at };
        }
        let price = params.price / (ranks.unit * ranks.unit);
        Self { params, ranks, columns, bins: bin, price }
    }

    pub(super) fn rows<'r>(
        &self,
        bytes: &'r mut [u8],
        words: &'r mut [u32],
        labels: &'r mut [i32],
    ) -> Rows<'r> {
        let (narrow, wide) = (self.ranks.narrow.len(), self.ranks.wide.len());
        Rows { bytes, words, labels, narrow, wide }
    }

    /// Where a feature's ranks are, and the last one at or below a threshold; none
    /// where every value lies above it.
    pub(super) fn place(&self, feature: usize, threshold: f32) -> (Column, Option<u32>) {
        let below = self.ranks.values[feature].partition_point(|&x| x <= threshold);
        (self.columns[feature], (below as u32).checked_sub(1))
    }

    /// A node's record.
    pub(super) fn node(&self, total: i64, count: usize, prior: Prior) -> Node {
        Node {
            weight: count as f64 + prior.weight,
            sum: total as f64 * self.ranks.unit + prior.sum,
            ..Node::default()
        }
    }

    /// The tree of these rows, its root first.
    pub(super) fn grow(&self, rows: Rows<'_>, prior: Prior) -> Vec<Node> {
        let total = rows.total();
        let mut nodes = vec![self.node(total.sum, rows.len(), prior)];
        let known = if self.price > 0.0 { vec![false; self.columns.len()] } else { Vec::new() };
        let root = Pending { rows, total, prior, histogram: None, known, slot: 0 };
        let mut tasks = Vec::new();
        let mut seen = Seen::default();
        let mut stack = vec![root];
        while let Some(pending) = stack.pop() {
            if pending.rows.len() < TASK {
                tasks.push(pending);
            } else if let Some([left, right]) = self.split(pending, &mut nodes, &mut seen) {
                stack.extend([right, left]);
            }
        }
        let grown: Vec<(usize, Vec<Node>)> =
            tasks.into_par_iter().map(|task| (task.slot, self.finish(task))).collect();
        for (slot, subtree) in grown {
            graft(&mut nodes, slot, &subtree);
        }
        nodes
    }

    /// The whole tree below a node, by one thread.
    fn finish(&self, mut root: Pending<'_>) -> Vec<Node> {
        let mut nodes = vec![self.node(root.total.sum, root.rows.len(), root.prior)];
        let mut seen = Seen::default();
        root.slot = 0;
        let mut stack = vec![root];
        while let Some(pending) = stack.pop() {
            if let Some([left, right]) = self.split(pending, &mut nodes, &mut seen) {
                stack.extend([right, left]);
            }
        }
        nodes
    }

    /// Splits a node where that pays.
    fn split<'r>(
        &self,
        mut pending: Pending<'r>,
        nodes: &mut Vec<Node>,
        seen: &mut Seen,
    ) -> Option<[Pending<'r>; 2]> {
        let count = pending.rows.len();
        if count < self.params.min_size.max(2) as usize || pending.rows.is_pure() {
            return None;
        }
        if pending.histogram.is_none() && self.is_dense(count) {
            pending.histogram = Some(self.histogram(&pending.rows));
        }
        let best = self.best(&pending, seen)?;
        let Pending { rows, total, prior, histogram, mut known, slot } = pending;
        let values = &self.ranks.values[best.feature];
        let (below, above) = best.ranks;
        let left = nodes.len();
        nodes[slot].feature = best.feature as u32;
        nodes[slot].threshold = between(values[below as usize], values[above as usize]);
        nodes[slot].left = left as u32;
        let parts = rows.part(self.columns[best.feature], below);
        let mut others = total;
        others.subtract(best.left);
        let totals = [best.left, others];
        let histograms = self.children(histogram, &parts);
        if let Some(known) = known.get_mut(best.feature) {
            *known = true;
        }
        let mut slot = left;
        let mut child = |rows: Rows<'r>, total: Cell, histogram, known| {
            let prior = prior.share(rows.len() as f64 / count as f64);
            nodes.push(self.node(total.sum, rows.len(), prior));
            slot += 1;
            Pending { rows, total, prior, histogram, known, slot: slot - 1 }
        };
        let [left, right] = parts;
        let [of_left, of_right] = histograms;
        Some([
            child(left, totals[0], of_left, known.clone()),
            child(right, totals[1], of_right, known),
        ])
    }

    fn is_dense(&self, count: usize) -> bool {
        count * BINS_PER_ROW >= self.bins
    }

    /// The histograms of two children: the smaller one's counted, the larger one's
    /// what is left of the parent's; none where a child is too small to need one.
    fn children(&self, parent: Option<Vec<Cell>>, parts: &[Rows<'_>; 2]) -> [Option<Vec<Cell>>; 2] {
        let Some(mut rest) = parent else { return [None, None] };
        let larger = usize::from(parts[1].len() > parts[0].len());
        if !self.is_dense(parts[larger].len()) {
            return [None, None];
        }
        let counted = self.histogram(&parts[1 - larger]);
        for (cell, &gone) in rest.iter_mut().zip(&counted) {
            cell.subtract(gone);
        }
        let smaller = self.is_dense(parts[1 - larger].len()).then_some(counted);
        if larger == 0 { [Some(rest), smaller] } else { [smaller, Some(rest)] }
    }

    fn histogram(&self, rows: &Rows<'_>) -> Vec<Cell> {
        let width = rows.narrow;
        if width == 0 {
            return Vec::new();
        }
        let starts: Vec<usize> = self.ranks.narrow.iter().map(|&f| self.bin(f)).collect();
        let count = |bytes: &[u8], labels: &[i32]| {
            let mut cells = vec![Cell::default(); self.bins];
            for (row, &label) in bytes.chunks_exact(width).zip(labels) {
                for (&rank, &start) in row.iter().zip(&starts) {
                    cells[start + usize::from(rank)].add(label);
                }
            }
            cells
        };
        if rows.len() < SHARED {
            return count(rows.bytes, rows.labels);
        }
        let chunks =
            rows.bytes.par_chunks(SHARED / 2 * width).zip(rows.labels.par_chunks(SHARED / 2));
        let empty = || vec![Cell::default(); self.bins];
        chunks.map(|(bytes, labels)| count(bytes, labels)).reduce(empty, |mut all, some| {
            all.iter_mut().zip(some).for_each(|(cell, more)| cell.join(more));
            all
        })
    }

    fn bin(&self, feature: usize) -> usize {
        match self.columns[feature] {
            Column::Narrow { bin, .. } => bin,
            Column::Wide { .. } => 0,
        }
    }

    fn best(&self, pending: &Pending<'_>, seen: &mut Seen) -> Option<Best> {
        let Pending { rows, total, histogram, known, .. } = pending;
        let count = rows.len() as f64;
        let most = 2.0_f64.powi(56) * count;
        let mut best = Best {
            score: total.explained() + ROUNDING * most,
            feature: usize::MAX,
            ranks: (0, 0),
            left: Cell::default(),
        };
        let fewest = ((count * self.params.min_share).ceil() as i64).max(1);
        for (feature, &column) in self.columns.iter().enumerate() {
            if self.ranks.values[feature].len() < 2 {
                continue;
            }
            let cost = match known.get(feature) {
                Some(false) => self.price * self.params.cost(feature) * count,
                _ => 0.0,
            };
            let priced = (feature, cost);
            match (column, histogram) {
                (Column::Narrow { bin, bins, .. }, Some(cells)) => {
                    let cells = (0..).zip(&cells[bin..bin + bins]);
                    let cells = cells.filter(|(_, cell)| cell.count > 0).map(|(r, &c)| (r, c));
                    best.scan(priced, *total, fewest, cells);
                }
                (Column::Narrow { at, .. }, None) => {
                    for (row, &label) in rows.bytes.chunks_exact(rows.narrow).zip(&*rows.labels) {
                        seen.add(row[at], label);
                    }
                    best.scan(priced, *total, fewest, seen.drain());
                }
                (Column::Wide { at }, _) => {
                    let ranks = rows.words.chunks_exact(rows.wide).map(|row| row[at]);
                    let distinct = self.ranks.values[feature].len();
                    let pairs = sorted(ranks.zip(rows.labels.iter().copied()), distinct);
                    let cells = pairs.chunk_by(|a, b| a.0 == b.0).map(|same| {
                        let mut cell = Cell::default();
                        for &(_, label) in same {
                            cell.add(label);
                        }
                        (same[0].0, cell)
                    });
                    best.scan(priced, *total, fewest, cells);
                }
            }
        }
        (best.feature != usize::MAX).then_some(best)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{PrunePath, slow};
    use super::*;
    use evalsmith_core::Columns;
    use proptest::prelude::*;

    /// Narrow and wide columns, copies among them, and labels of three kinds.
    fn table() -> impl Strategy<Value = (Vec<Vec<f32>>, Vec<f32>)> {
        (2_usize..400).prop_flat_map(|rows| {
            let narrow = prop::collection::vec((0_i8..6).prop_map(f32::from), rows);
            let wide = prop::collection::vec((0_i16..2000).prop_map(|n| f32::from(n) / 8.0), rows);
            let labels = prop_oneof![
                prop::collection::vec(prop::sample::select(vec![-1.0_f32, 1.0]), rows),
                prop::collection::vec(prop::sample::select(vec![-1.0_f32, 0.0, 1.0]), rows),
                prop::collection::vec((-64_i8..=64).prop_map(f32::from), rows),
            ];
            (narrow.clone(), narrow, wide, Just(vec![3.0; rows]), labels)
                .prop_map(|(a, b, c, d, labels)| (vec![a.clone(), b, c, d, a], labels))
        })
    }

    pub(in super::super) fn columns(table: &[Vec<f32>]) -> Columns {
        let mut columns = Columns::new((0..table.len()).map(|i| format!("x{i}")).collect());
        for row in 0..table[0].len() {
            columns.push(&table.iter().map(|column| column[row]).collect::<Vec<_>>());
        }
        columns
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(96))]
        #[test]
        fn the_tree_is_that_of_the_slow_grower(
            (table, labels) in table(),
            min_size in 2_u32..20,
            min_share in prop::sample::select(vec![0.0, 0.05, 0.3]),
            price in prop::sample::select(vec![0.0, 0.01]),
        ) {
            let games = vec![0; labels.len()];
            let features = columns(&table);
            let vectors = Vectors { features: &features, stages: None, labels: &labels, games: &games };
            let costs = vec![1.0, 2.0, 0.5, 1.0, 3.0];
            let params = TreeParams { min_size, min_share, price, costs, ..TreeParams::default() };
            let grown = grow(&params, &vectors).unwrap();
            let checked = Growth::new(grown.nodes.clone(), 5).unwrap();
            prop_assert_eq!(slow::told(&checked), slow::grow(&params, &table, &labels));
        }
    }

    #[test]
    fn threads_change_nothing() {
        // Large enough for shared histograms and tasks.
        let rows = 70_000_u32;
        let mixed = |i: u32, salt: u32| {
            (i.wrapping_mul(2_654_435_761) ^ salt.wrapping_mul(0x9E37_79B9)) >> 7
        };
        let table: Vec<Vec<f32>> = (0..6)
            .map(|f| {
                (0..rows)
                    .map(|i| (mixed(i, f).wrapping_mul(mixed(i, f + 9)) % (10 + 700 * f)) as f32)
                    .collect()
            })
            .collect();
        let labels: Vec<f32> =
            (0..rows as usize)
                .map(|i| {
                    if table[1][i] + table[4][i] / 3.0 > 600.0 + (i % 97) as f32 {
                        1.0
                    } else {
                        -1.0
                    }
                })
                .collect();
        let games = vec![0; labels.len()];
        let features = columns(&table);
        let vectors = Vectors { features: &features, stages: None, labels: &labels, games: &games };
        let on = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| grow(&TreeParams::default(), &vectors).unwrap())
        };
        let one = on(1);
        assert!(one.leaves() > 50, "{} leaves", one.leaves());
        assert_eq!(one, on(3));
    }

    #[test]
    fn a_tree_as_deep_as_its_vectors_needs_no_deep_stack() {
        // Each split takes one vector off the end: nothing explains more.
        let rows = 5000_u16;
        let column: Vec<f32> = (0..rows).map(f32::from).collect();
        let labels: Vec<f32> = (0..rows).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
        let features = columns(&[column]);
        let games = vec![0; labels.len()];
        let vectors = Vectors { features: &features, stages: None, labels: &labels, games: &games };
        let params = TreeParams { min_size: 2, min_share: 0.0, ..TreeParams::default() };
        let growth = grow(&params, &vectors).unwrap();
        assert_eq!(growth.leaves(), 5000);
        assert!(PrunePath::new(&growth).len() > 1);
    }

    #[test]
    fn nothing_to_split_leaves_one_leaf() {
        let games = [0; 4];
        let one = |table: &[Vec<f32>], labels: &[f32]| {
            let features = columns(table);
            let vectors = Vectors { features: &features, stages: None, labels, games: &games };
            let params = TreeParams { min_size: 2, ..TreeParams::default() };
            grow(&params, &vectors).unwrap().leaves()
        };
        assert_eq!(one(&[vec![1.0; 4], vec![2.0; 4]], &[1.0, -1.0, 1.0, -1.0]), 1, "constant");
        assert_eq!(one(&[vec![1.0, 2.0, 3.0, 4.0]], &[1.0; 4]), 1, "one class");
        let twice = [vec![1.0, 1.0, 2.0, 2.0]];
        assert_eq!(one(&twice, &[1.0, -1.0, 1.0, -1.0]), 1, "equal vectors, unequal labels");
        assert_eq!(one(&twice, &[1.0, 1.0, -1.0, -1.0]), 2);
    }
}
