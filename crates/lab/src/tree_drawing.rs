//! Trees as people look at them: as text, as a drawing, as tables.

use evalsmith_core::LogOdds;
use evalsmith_learn::{Judged, Tree, TreeSummary};
use evalsmith_report::{Align, Bar, Icicle, LineChart, Series, Style, Table, number};
use std::fmt::Write;

/// Levels that a text shows when nobody asks for more.
pub const SHOWN_LEVELS: usize = 4;
/// Levels of a drawing.
const DRAWN_LEVELS: usize = 18;

/// The upper levels of a tree as text: each node with its winning chance, its
/// vectors and the question it asks.
pub fn tree_text(tree: &Tree, levels: usize) -> String {
    let mut text = String::new();
    // The node, its level, and what stands before it.
    let mut stack = vec![(0_usize, 0_usize, String::new(), String::new())];
    while let Some((at, level, lead, indent)) = stack.pop() {
        let node = &tree.growth().nodes()[at];
        let chance = number::percent(LogOdds(tree.node_log_odds(at)).win_prob().0, 0);
        let _ = write!(text, "{lead}{chance} of {}", count(node.weight));
        if node.is_leaf() {
            text.push('\n');
            continue;
        }
        let name = tree.feature_name(node.feature as usize);
        if level == levels {
            let _ = writeln!(text, "  (goes on: {name} <= {})", node.threshold);
            continue;
        }
        let _ = writeln!(text, "  {name} <= {}?", node.threshold);
        let left = node.left as usize;
        stack.push((left + 1, level + 1, format!("{indent}└ no:  "), format!("{indent}  ")));
        stack.push((left, level + 1, format!("{indent}├ yes: "), format!("{indent}│ ")));
    }
    text
}

/// A tree as a drawing: every node as wide as its share of the vectors.
pub fn tree_drawing(tree: &Tree, title: &str) -> Icicle {
    let nodes = tree.growth().nodes();
    let total = nodes[0].weight.max(f64::MIN_POSITIVE);
    let mut bars = Vec::new();
    let mut stack = vec![(0_usize, 0_usize, 0.0)];
    while let Some((at, level, from)) = stack.pop() {
        let node = &nodes[at];
        let to = from + node.weight / total;
        let chance = LogOdds(tree.node_log_odds(at)).win_prob().0;
        let percent = number::percent(chance, 0);
        let question = if node.is_leaf() {
            percent.clone()
        } else {
            format!("{} <= {}", tree.feature_name(node.feature as usize), node.threshold)
        };
        bars.push(Bar {
            level,
            span: (from, to),
            tone: 2.0 * chance - 1.0,
            hint: format!("{percent} of {} vectors; {question}", count(node.weight)),
            text: question,
        });
        // Nothing below a bar that cannot be seen can be seen.
        if !node.is_leaf() && level + 1 < DRAWN_LEVELS && node.weight / total > 5e-4 {
            let left = node.left as usize;
            stack.push((left + 1, level + 1, from + nodes[left].weight / total));
            stack.push((left, level + 1, from));
        }
    }
    let TreeSummary { nodes, leaves, depth, .. } = TreeSummary::of(tree);
    let note = format!(
        "{} nodes, {} leaves, {depth} levels; as wide as their share of the vectors, blue wins, orange loses",
        number::thousands(nodes as u64),
        number::thousands(leaves as u64)
    );
    Icicle { title: title.into(), note, bars }
}

/// Which features a tree asks for, the most useful first.
pub fn tree_table(summary: &TreeSummary) -> Table {
    let mut uses: Vec<_> = summary.uses.iter().filter(|u| u.splits > 0).collect();
    uses.sort_by(|a, b| b.gain.total_cmp(&a.gain));
    let mut table = Table::new(["feature", "nodes", "loss of impurity", "on the path of"])
        .align([Align::Left, Align::Right, Align::Right, Align::Right])
        .caption(format!(
            "{} nodes, {} leaves, {} levels ({} on average){}",
            summary.nodes,
            summary.leaves,
            summary.depth,
            number::fixed(summary.mean_depth, 1),
            summary
                .impurity
                .map_or(String::new(), |u| format!(", impurity {}", number::fixed(u, 4)))
        ));
    for used in uses {
        table.push([
            used.name.clone(),
            used.splits.to_string(),
            number::fixed(used.gain, 5),
            number::percent(used.reached, 1),
        ]);
    }
    table
}

/// Vectors, whole ones where they are.
fn count(weight: f64) -> String {
    if weight.fract() == 0.0 { format!("{weight:.0}") } else { number::fixed(weight, 1) }
}

/// How a tree was chosen, in a sentence.
pub(crate) fn chosen_text(judged: &Judged) -> String {
    // Scores have none: the penalty is about labels from -1 to 1.
    let penalty = judged.summary.impurity.map_or(String::new(), |_| {
        format!(", penalty {}", number::fixed(judged.chosen.penalty, 4))
    });
    format!(
        "Grown on {} vectors to {} leaves; of the {} trees of its pruning sequence the one with {} \
         leaves was chosen on {} others: mean squared error {}{penalty}, {} classified correctly \
         ({} labels are 0). A value asks for {} features on average.\n",
        judged.grown_on,
        judged.full_leaves,
        judged.trees,
        judged.chosen.leaves,
        judged.tested_on,
        number::fixed(judged.chosen.squared, 4),
        number::percent(judged.right, 1),
        judged.zeros,
        number::fixed(judged.asked, 1),
    )
}

/// The cost of the pruned trees over their size.
pub(crate) fn sequence_chart(judged: &Judged) -> LineChart {
    let series = |name: &str, of: fn(&evalsmith_learn::Step) -> f64| {
        let point = |s: &evalsmith_learn::Step| ((s.leaves as f64).log10(), of(s));
        Series::new(name, judged.sequence.iter().map(point).collect()).style(Style::Line)
    };
    LineChart {
        title: "The pruning sequence on the test set".into(),
        x_label: "leaves, decimal logarithm".into(),
        y_label: "mean cost of a vector".into(),
        series: [
            Some(series("squared error", |s| s.squared)),
            judged.summary.impurity.map(|_| series("penalty 1 - vc", |s| s.penalty)),
        ]
        .into_iter()
        .flatten()
        .collect(),
        ..LineChart::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evalsmith_learn::{Growth, Node, Response};

    fn tree() -> Tree {
        let node = |weight, sum, left| Node { weight, sum, feature: 0, threshold: 1.5, left };
        let nodes = vec![
            node(8.0, 0.0, 1),
            node(4.0, -2.0, 3),
            node(4.0, 2.0, 0),
            node(2.0, -1.0, 0),
            node(2.0, -1.0, 0),
        ];
        let growth = Growth::new(nodes, 1).expect("a tree");
        Tree::new(vec!["balls <&>".into()], 1, Response::Chance, growth).expect("a model")
    }

    #[test]
    fn text_shows_the_upper_levels() {
        let whole = tree_text(&tree(), 4);
        let lines: Vec<&str> = whole.lines().collect();
        assert_eq!(
            lines,
            [
                "50 % of 8  balls <&> <= 1.5?",
                "├ yes: 25 % of 4  balls <&> <= 1.5?",
                "│ ├ yes: 25 % of 2",
                "│ └ no:  25 % of 2",
                "└ no:  75 % of 4",
            ]
        );
        assert!(tree_text(&tree(), 1).contains("(goes on: balls <&> <= 1.5)"));
    }

    #[test]
    fn the_drawing_is_escaped_and_has_a_bar_a_node() {
        let svg = tree_drawing(&tree(), "a tree").to_svg();
        assert_eq!(svg.matches("class=\"icicle").count(), 5);
        assert!(svg.contains("balls &lt;&amp;&gt; &lt;= 1.5"));
        assert!(tree_table(&TreeSummary::of(&tree())).to_text().contains("balls"));
    }
}
