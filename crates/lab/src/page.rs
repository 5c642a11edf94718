//! The one page about a run, and curves as files.

use crate::LabError;
use crate::learn::{LearnPlan, LearnSummary, Sample};
use crate::text::{chosen, fit_table, quality_table, verdict};
use evalsmith_core::LogOdds;
use evalsmith_curves::{Curve, Draws};
use evalsmith_learn::StageFit;
use evalsmith_report::{
    Align, Histogram, LineChart, Mark, Page, Section, Series, Style, Table, number,
};

/// A curve in the form that a file's ending names: svg, html, csv or json.
///
/// # Errors
/// When the form is another.
pub fn curve_file(curve: &Curve, source: &str, form: &str) -> Result<String, LabError> {
    match form {
        "svg" => Ok(curve_chart(curve).to_svg()),
        "csv" => Ok(curve.to_csv()),
        "json" => {
            serde_json::to_string_pretty(curve).map_err(|e| LabError::Settings(e.to_string()))
        }
        "html" => Ok(Page::new("Evaluation curve")
            .section(curve_section(curve))
            .fact("values", source)
            .fact("program", program())
            .to_html()),
        _ => Err(LabError::Settings(format!(
            "a curve is written as svg, html, csv or json, not {form:?}"
        ))),
    }
}

pub(crate) fn program() -> String {
    format!("evalsmith {}", env!("CARGO_PKG_VERSION"))
}

/// The curve with its band, the fitted logistic and the histogram.
fn curve_chart(curve: &Curve) -> LineChart {
    let drawn: Vec<_> = curve.drawn().collect();
    let measured = Series::new("measured", drawn.iter().map(|(b, p)| (b.centre, *p)).collect())
        .band(drawn.iter().map(|(b, _)| (b.low, b.high)).collect());
    let mut series = vec![measured];
    if let (Some(fit), Some((first, _)), Some((last, _))) =
        (&curve.logistic, drawn.first(), drawn.last())
    {
        let steps = 80;
        let at =
            |i: usize| first.centre + (last.centre - first.centre) * i as f64 / f64::from(steps);
        let points = (0..=steps as usize).map(|i| (at(i), fit.win_prob(at(i)).0)).collect();
        series.push(Series::new("fitted logistic", points).style(Style::Line));
    }
    LineChart {
        title: "Evaluation curve".into(),
        x_label: "value for the first player, log-odds".into(),
        y_label: "share of games the first player wins".into(),
        series,
        y_range: Some((0.0, 1.0)),
        histogram: Some(Histogram {
            bars: curve.bins.iter().map(|b| (b.centre, b.count as f64)).collect(),
            width: curve.params.bin_width,
            label: "positions".into(),
        }),
        marks: vec![Mark::Horizontal { y: 0.5, label: String::new() }],
        ..LineChart::default()
    }
}

fn curve_section(curve: &Curve) -> Section {
    let draws = match curve.params.draws {
        Draws::LeftOut => format!(
            "{} positions of drawn games are left out",
            number::thousands(curve.draws_left_out)
        ),
        Draws::Half => "draws count half".into(),
    };
    let logistic = curve.logistic.as_ref().map_or(String::new(), |fit| {
        format!(
            " A logistic through all positions has the slope {} and the offset {}; a perfectly calibrated function has 1 and 0.",
            number::with_error(fit.scale, fit.scale_error),
            number::with_error(fit.offset, fit.offset_error)
        )
    });
    let shape = if curve.monotone {
        "No bin lies significantly below an earlier one."
    } else {
        "The curve is NOT monotone: somewhere a higher value wins significantly less often."
    };
    let caption = format!(
        "{} positions of {} games, bins of {} log-odds with at least {} positions; {draws}. The band is the 95 % interval, clustered by game. {shape}{logistic}",
        number::thousands(curve.positions),
        number::thousands(curve.games),
        curve.params.bin_width,
        curve.params.min_count,
    );
    Section::new("Evaluation curve").figure(curve_chart(curve), caption)
}

/// The page about a walk.
pub(crate) fn learn_page(
    summary: &LearnSummary,
    plan: &LearnPlan,
    command: &str,
    sample: Option<Sample>,
) -> String {
    let mut page = Page::new(format!("{}: from the rules to an evaluation function", summary.game))
        .lead(lead(summary))
        .section(matches_section(summary))
        .section(fit_section(summary));
    page = match &summary.curve {
        Some(curve) => page.section(curve_section(curve)),
        None => page.section(Section::new("Evaluation curve").paragraph(
            "Too few positions were held out to fill a single bin; play more games to draw it.",
        )),
    };
    if let Some(sample) = sample {
        page = page.section(sample_section(&sample));
    }
    page.section(data_section(summary, plan))
        .fact("program", program())
        .fact("command", command)
        .fact("plan", serde_json::to_string(plan).unwrap_or_default())
        .fact("data digest", &summary.fit.data_digest)
        .to_html()
}

fn lead(summary: &LearnSummary) -> String {
    let results: Vec<_> = summary.matches.iter().map(verdict).collect();
    format!(
        "A logistic regression was fitted for each stage of the game to {} positions of {} games of self-play. {}",
        number::thousands(summary.fit.rows),
        number::thousands(summary.fit.games),
        results.join(" ")
    )
}

fn matches_section(summary: &LearnSummary) -> Section {
    Section::new("Matches of the learned function")
        .table(summary.match_table())
        .paragraph(
            "Every opening is played twice with colours reversed, and no opening is used again. Errors are those of pairs; \
             'superior' is the likelihood that the learned function is the stronger one; the sign test counts decided pairs.",
        )
}

fn fit_section(summary: &LearnSummary) -> Section {
    let fits = &summary.fit.stages;
    let mut section = Section::new("The fit");
    if let Some(table) = quality_table(&summary.fit) {
        section = section.table(table);
    }
    if fits.len() > 1 {
        let caption = "Log-odds per unit of the feature, stage by stage, with 95 % intervals clustered by game.";
        section = section.figure(weights_chart(fits), caption);
    }
    let shown = chosen(fits, None);
    section
        .table(fit_table(&shown).caption(format!("{} of {} fitted stages", shown.len(), fits.len())))
        .paragraph(
            "'error' is clustered by game, since positions of one game are not independent; 'plain error' takes them as \
             independent and is too small. z, p and the interval rest on the clustered error.",
        )
}

/// The weights over the stages, one series a feature.
pub(crate) fn weights_chart(fits: &[StageFit]) -> LineChart {
    let names = fits.first().map(|f| &f.estimates[..]).unwrap_or_default();
    let series = |i: usize, name: &str| {
        let of = |f: &StageFit| f64::from(f.stage.0);
        let points = fits.iter().map(|f| (of(f), f.estimates[i].weight)).collect();
        let band = fits.iter().map(|f| (f.estimates[i].low, f.estimates[i].high)).collect();
        Series::new(name, points).band(band).style(Style::Line)
    };
    LineChart {
        title: "Weights by stage".into(),
        x_label: "stage".into(),
        y_label: "weight, log-odds per unit".into(),
        series: names.iter().enumerate().skip(1).map(|(i, e)| series(i, &e.name)).collect(),
        marks: vec![Mark::Horizontal { y: 0.0, label: String::new() }],
        ..LineChart::default()
    }
}

fn sample_section(sample: &Sample) -> Section {
    let mut table = Table::new(["term", "feature", "weight", "adds"]).align([
        Align::Left,
        Align::Right,
        Align::Right,
        Align::Right,
    ]);
    for term in &sample.explanation.terms {
        let shown = |x: Option<f64>| x.map_or(String::new(), |x| number::significant(x, 4));
        table.push([
            term.name.clone(),
            shown(term.feature),
            shown(term.weight),
            format!("{:+.3}", term.contribution),
        ]);
    }
    let chance = LogOdds(sample.explanation.total).win_prob().0;
    Section::new("Why the function says so")
        .paragraph(
            "The middle position of the first match game, term by term, for the side to move:",
        )
        .verbatim(&sample.board)
        .table(table)
        .paragraph(format!(
            "Together {:+.3} log-odds: {} to win.",
            sample.explanation.total,
            number::percent(chance, 1)
        ))
}

fn data_section(summary: &LearnSummary, plan: &LearnPlan) -> Section {
    let play = &plan.self_play;
    let solved = match play.solve_at {
        0 => "Games are played to their end.".to_owned(),
        n => format!("At {n} moves left a game is solved exactly and ends with its true result."),
    };
    Section::new("The games").paragraph(format!(
        "{} games between copies of the {} function, searched {} deep: {} random half-moves first, and a random \
         move with probability {} later. {solved} Every position after the random ones is recorded with its game's \
         result: {} positions.",
        number::thousands(summary.games),
        summary.baseline,
        evalsmith_core::Plies::from(play.depth),
        play.opening_plies,
        play.chance,
        number::thousands(summary.positions)
    ))
}
