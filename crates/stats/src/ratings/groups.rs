//! Whether a table can be rated: groups that never met, and parts that never
//! scored (Ford 1957).

use super::CrossTable;
use crate::elo::Sample;

/// The groups of players linked by games, each in the table's order.
pub(super) fn linked(table: &CrossTable) -> Vec<Vec<usize>> {
    let mut group_of: Vec<Option<usize>> = vec![None; table.names().len()];
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for first in 0..group_of.len() {
        if group_of[first].is_none() {
            let mut group = reached(table, first, |_| true);
            group.sort_unstable();
            for &player in &group {
                group_of[player] = Some(groups.len());
            }
            groups.push(group);
        }
    }
    groups
}

/// Whether in every split of the players each part took points from the other.
pub(super) fn every_part_scored(table: &CrossTable) -> bool {
    let players = table.names().len();
    reached(table, 0, |share| share > 0.0).len() == players
        && reached(table, 0, |share| share < 1.0).len() == players
}

/// The players found from one by going to opponents against whom the share of
/// the points is to the liking.
fn reached(table: &CrossTable, from: usize, likes: impl Fn(f64) -> bool) -> Vec<usize> {
    let players = table.names().len();
    let mut seen = vec![false; players];
    seen[from] = true;
    let mut found = vec![from];
    let mut next = 0;
    while next < found.len() {
        let player = found[next];
        for (other, seen) in seen.iter_mut().enumerate() {
            if !*seen && table.between(player, other).share().is_some_and(&likes) {
                *seen = true;
                found.push(other);
            }
        }
        next += 1;
    }
    found
}
