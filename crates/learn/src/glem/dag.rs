//! The configurations of a model as a graph from general to specific (buro98 section 4).
//!
//! An edge leads from a configuration to each one that specialises it with none in
//! between. Of the configurations that a position matches, only the *most specific*
//! count: a depth-first search from the empty one follows the edges whose relations
//! hold, and keeps what it cannot leave.
//!
//! The one invariant to know: a configuration counts exactly when the position matches
//! it and no configuration of the graph that specialises it.

use super::Relation;
use std::collections::HashMap;

/// Relations of a configuration whose subsets are always tried one by one: a thousand.
const SHORT: usize = 10;

/// A set of configurations, ready to be searched.
#[derive(Clone, Debug)]
pub struct ConfigurationDag {
    configurations: Vec<Vec<Relation>>,
    /// Where each node's edges begin; the last node is the empty configuration.
    first: Vec<u32>,
    edges: Vec<Edge>,
}

#[derive(Clone, Copy, Debug)]
struct Edge {
    /// What the child asks beyond its parent, or the first of it.
    relation: Relation,
    /// Whether it asks more than that.
    more: bool,
    child: u32,
}

/// What a search through the graph uses again and again.
#[derive(Clone, Debug, Default)]
pub struct DagScratch {
    /// The search that met a node last.
    met: Vec<u32>,
    search: u32,
    open: Vec<u32>,
}

impl ConfigurationDag {
    /// Links configurations, each a list of relations in the order of their atoms.
    ///
    /// # Panics
    /// When there are more than 2^32 of them, or one is empty or there twice.
    pub fn new(configurations: Vec<Vec<Relation>>) -> Self {
        let root = u32::try_from(configurations.len()).expect("fewer than 2^32 configurations");
        let mut numbers: HashMap<&[Relation], u32> = HashMap::from([(&[][..], root)]);
        for (number, configuration) in (0..).zip(&configurations) {
            let before = numbers.insert(configuration, number);
            assert!(before.is_none(), "configurations are not empty and stand once");
        }
        let mut children: Vec<Vec<Edge>> = vec![Vec::new(); configurations.len() + 1];
        for (child, configuration) in (0..).zip(&configurations) {
            for parent in parents(configuration, &configurations, &numbers) {
                let own: &[Relation] =
                    configurations.get(parent as usize).map_or(&[], Vec::as_slice);
                let mut extra = configuration.iter().filter(|relation| !own.contains(relation));
                let relation = *extra.next().expect("a specialisation asks more");
                let more = extra.next().is_some();
                children[parent as usize].push(Edge { relation, more, child });
            }
        }
        let mut first = vec![0];
        let mut edges = Vec::new();
        for mut own in children {
            own.sort_by_key(|edge| (edge.relation, edge.child));
            edges.extend(own);
            first.push(edges.len() as u32);
        }
        Self { configurations, first, edges }
    }

    /// The configurations, by number.
    pub fn configurations(&self) -> &[Vec<Relation>] {
        &self.configurations
    }

    /// Appends the numbers of the most specific configurations that a position with
    /// these atoms matches.
    pub fn append_active(&self, atoms: &[u8], scratch: &mut DagScratch, out: &mut Vec<u32>) {
        self.search(atoms, scratch, |node, specific| {
            if specific {
                out.push(node);
            }
        });
    }

    /// Appends the numbers of all configurations that a position with these atoms
    /// matches.
    pub fn append_matching(&self, atoms: &[u8], scratch: &mut DagScratch, out: &mut Vec<u32>) {
        self.search(atoms, scratch, |node, _| out.push(node));
    }

    /// Tells of every configuration that matches, and whether none that matches
    /// specialises it.
    #[inline]
    fn search(&self, atoms: &[u8], scratch: &mut DagScratch, mut tell: impl FnMut(u32, bool)) {
        let DagScratch { met, search, open } = scratch;
        if met.len() != self.first.len() || *search == u32::MAX {
            met.clear();
            met.resize(self.first.len(), 0);
            *search = 0;
        }
        *search += 1;
        let holds = |relation: &Relation| atoms[usize::from(relation.atom)] == relation.value;
        let root = self.configurations.len() as u32;
        open.push(root);
        while let Some(node) = open.pop() {
            let of = node as usize;
            let mut specific = true;
            for edge in &self.edges[self.first[of] as usize..self.first[of + 1] as usize] {
                let child = edge.child as usize;
                if !holds(&edge.relation)
                    || (edge.more && !self.configurations[child].iter().all(holds))
                {
                    continue;
                }
                specific = false;
                if met[child] != *search {
                    met[child] = *search;
                    open.push(edge.child);
                }
            }
            if node != root {
                tell(node, specific);
            }
        }
    }
}

/// The largest configurations that this one specialises: by leaving relations out where
/// there are few, else by looking at all configurations.
fn parents(
    configuration: &[Relation],
    all: &[Vec<Relation>],
    numbers: &HashMap<&[Relation], u32>,
) -> Vec<u32> {
    let few = configuration.len() <= SHORT || 1 << configuration.len().min(63) <= all.len();
    let found = if few { by_layers(configuration, numbers) } else { by_size(configuration, all) };
    found.iter().map(|parent| numbers[parent.as_slice()]).collect()
}

fn by_layers(
    configuration: &[Relation],
    numbers: &HashMap<&[Relation], u32>,
) -> Vec<Vec<Relation>> {
    let mut found: Vec<Vec<Relation>> = Vec::new();
    let mut layer = vec![configuration.to_vec()];
    // Layer by layer one relation less, without what a known parent contains.
    while !layer.is_empty() {
        let mut next: Vec<Vec<Relation>> = Vec::new();
        for larger in &layer {
            for left_out in 0..larger.len() {
                let mut smaller = larger.clone();
                smaller.remove(left_out);
                let inside = |known: &Vec<Relation>| smaller.iter().all(|r| known.contains(r));
                if next.contains(&smaller) || found.iter().any(inside) {
                    continue;
                }
                if numbers.contains_key(smaller.as_slice()) {
                    found.push(smaller);
                } else {
                    next.push(smaller);
                }
            }
        }
        layer = next;
    }
    found
}

fn by_size(configuration: &[Relation], all: &[Vec<Relation>]) -> Vec<Vec<Relation>> {
    let inside = |small: &[Relation], large: &[Relation]| small.iter().all(|r| large.contains(r));
    let smaller = |other: &&Vec<Relation>| other.len() < configuration.len();
    let mut general: Vec<&Vec<Relation>> =
        all.iter().filter(smaller).filter(|other| inside(other, configuration)).collect();
    general.sort_by_key(|other| std::cmp::Reverse(other.len()));
    let mut found: Vec<Vec<Relation>> = Vec::new();
    for other in general {
        if !found.iter().any(|known| inside(other, known)) {
            found.push(other.clone());
        }
    }
    // Only the empty configuration is left.
    if found.is_empty() {
        found.push(Vec::new());
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// Every configuration that matches, less those that another one specialises.
    fn slowly(configurations: &[Vec<Relation>], atoms: &[u8]) -> BTreeSet<u32> {
        let holds = |c: &[Relation]| c.iter().all(|r| atoms[usize::from(r.atom)] == r.value);
        let active: Vec<usize> =
            (0..configurations.len()).filter(|&i| holds(&configurations[i])).collect();
        let inside = |a: usize, b: usize| {
            a != b && configurations[a].iter().all(|r| configurations[b].contains(r))
        };
        let kept = active.iter().filter(|&&a| !active.iter().any(|&b| inside(a, b)));
        kept.map(|&i| i as u32).collect()
    }

    #[test]
    fn a_long_configuration_takes_no_longer_than_its_relations() {
        let long = |n: u16| (0..n).map(|atom| Relation { atom, value: 1 }).collect::<Vec<_>>();
        let dag = ConfigurationDag::new(vec![long(60), long(1), long(40)]);
        let mut found = Vec::new();
        dag.append_active(&[1; 60], &mut DagScratch::default(), &mut found);
        assert_eq!(found, [0]);
        found.clear();
        dag.append_matching(&[1; 60], &mut DagScratch::default(), &mut found);
        found.sort_unstable();
        assert_eq!(found, [0, 1, 2]);
    }

    proptest! {
        #[test]
        fn both_ways_to_parents_find_the_same(
            drawn in prop::collection::btree_set(1_u16..64, 1..30),
        ) {
            let relations = |bits: &u16| -> Vec<Relation> {
                let own = (0..6).filter(|atom| bits >> atom & 1 == 1);
                own.map(|atom| Relation { atom, value: 0 }).collect()
            };
            let all: Vec<_> = drawn.iter().map(relations).collect();
            let mut numbers: HashMap<&[Relation], u32> = HashMap::from([(&[][..], 99)]);
            numbers.extend((0..).zip(&all).map(|(number, own)| (own.as_slice(), number)));
            for own in &all {
                let sorted = |parents: Vec<Vec<Relation>>| BTreeSet::from_iter(parents);
                prop_assert_eq!(sorted(by_layers(own, &numbers)), sorted(by_size(own, &all)));
            }
        }

        #[test]
        fn the_search_keeps_what_nothing_active_specialises(
            drawn in prop::collection::vec(prop::collection::vec(0_u8..4, 5), 0..40),
            positions in prop::collection::vec(prop::collection::vec(0_u8..3, 5), 1..20),
        ) {
            // A value of 3 leaves the atom out.
            let relations = |values: &Vec<u8>| -> Vec<Relation> {
                let all = (0..).zip(values).map(|(atom, &value)| Relation { atom, value });
                all.filter(|relation| relation.value < 3).collect()
            };
            let drawn: BTreeSet<Vec<Relation>> = drawn.iter().map(relations).collect();
            let all: Vec<Vec<Relation>> = drawn.into_iter().filter(|c| !c.is_empty()).collect();
            let dag = ConfigurationDag::new(all.clone());
            let mut scratch = DagScratch::default();
            for atoms in positions {
                let mut found = Vec::new();
                dag.append_active(&atoms, &mut scratch, &mut found);
                let once: BTreeSet<u32> = found.iter().copied().collect();
                prop_assert_eq!(once.len(), found.len());
                prop_assert_eq!(once, slowly(&all, &atoms));
                found.clear();
                dag.append_matching(&atoms, &mut scratch, &mut found);
                let holds = |r: &Relation| atoms[usize::from(r.atom)] == r.value;
                let matching = all.iter().filter(|c| c.iter().all(holds)).count();
                prop_assert_eq!(found.len(), matching);
            }
        }
    }
}
