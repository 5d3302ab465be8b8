//! The report as a page: one file, plots drawn as SVG, no script, nothing from elsewhere. Every text is escaped.

use std::fmt::Write;

use memfold::{MeasureReport, ReplayReport, SearchKind, Tally};

use super::{ROWS, of, recorded, share};
use crate::numbers;
use crate::render::agent;

const HEAD: &str = "<!doctype html>
<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">
<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">
<title>How agents searched</title><style>
:root{color-scheme:light dark;--text:#1b1f24;--faint:#656d76;--line:#d8dee4;--page:#fff;
--c0:#0969da;--c1:#54aeff;--c2:#8250df;--c3:#c297ff;--c4:#bf8700;--c5:#1a7f37;--c6:#4ac26b;--c7:#cf222e}
@media(prefers-color-scheme:dark){:root{--text:#e6edf3;--faint:#8d96a0;--line:#30363d;--page:#0d1117}}
body{font:15px/1.5 system-ui,sans-serif;color:var(--text);background:var(--page);max-width:60rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.6rem}h2{font-size:1.1rem;margin:2rem 0 .3rem}p{color:var(--faint);margin:.2rem 0 .6rem}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}td,th{padding:.2rem .6rem;border-bottom:1px solid var(--line);text-align:right}
td:first-child,th:first-child{text-align:left}.i1{padding-left:1.6rem!important;color:var(--faint)}.i2{padding-left:3rem!important;color:var(--faint)}
svg{width:100%;height:auto}svg text{font-size:13px;fill:var(--text)}svg .n{fill:var(--faint)}
ul.key{list-style:none;padding:0;display:flex;flex-wrap:wrap;gap:.2rem 1.2rem;font-size:.85rem}ul.key b{display:inline-block;width:.8em;height:.8em;border-radius:2px;margin-right:.4em}
.wide{overflow-x:auto}
</style></head><body>
";

/// Columns of a plot: where bars begin, how long the longest is, and all of it.
const LEFT: f64 = 150.0;
const LONG: f64 = 560.0;
const WIDTH: f64 = 800.0;
/// A bar's height with the gap below it, and without.
const STEP: f64 = 28.0;
const THICK: f64 = 18.0;

/// What a plot's bars are made of: a name, and how much of it some logs have.
type Part = (&'static str, fn(&Tally) -> u64);

const KINDS: &[Part] = &[
    ("grep in a shell", |tally| {
        tally.of(SearchKind::ShellGrep).calls
    }),
    ("the host's grep", |tally| {
        tally.of(SearchKind::ToolGrep).calls
    }),
    ("names in a shell", |tally| {
        tally.of(SearchKind::ShellNames).calls
    }),
    ("the host's glob", |tally| {
        tally.of(SearchKind::ToolNames).calls
    }),
    ("the host's ranked search", |tally| {
        tally.of(SearchKind::Ranked).calls
    }),
    ("index-search repo", |tally| {
        tally.of(SearchKind::Repo).calls
    }),
    ("index-search conversation", |tally| {
        tally.of(SearchKind::Conversation).calls
    }),
    ("earlier tasks", |tally| tally.of(SearchKind::Earlier).calls),
];
const EXPRESSIONS: &[Part] = &[
    ("three or more guessed names", |tally| {
        tally.expressions.alternations
    }),
    ("others", |tally| {
        tally
            .expressions
            .searches
            .saturating_sub(tally.expressions.alternations)
    }),
];
const IN_RUNS: &[Part] = &[
    ("in a run of three or more", |tally| tally.runs.searches),
    ("others", |tally| {
        tally
            .all_searches()
            .calls
            .saturating_sub(tally.runs.searches)
    }),
];
const BYTES: &[Part] = &[
    ("of searches", |tally| tally.all_searches().bytes),
    ("of other calls", |tally| {
        tally
            .result_bytes
            .saturating_sub(tally.all_searches().bytes)
    }),
];
const AGAIN: &[Part] = &[
    ("first time", |tally| {
        tally.reads.reads.saturating_sub(tally.reads.again)
    }),
    ("other lines", |tally| tally.reads.other),
    ("edited since", |tally| tally.reads.edited),
    ("it had left the window", |tally| tally.reads.elided),
    ("by the same call", |tally| tally.reads.same),
];

/// The page.
pub(crate) fn page(report: &MeasureReport, day: &str) -> String {
    let mut out = HEAD.to_owned();
    let total = &report.total;
    let _ = write!(
        out,
        "<h1>How agents searched</h1>\n<p>{}: {}, {}, {} of results. Made by memfold on {}.</p>\n",
        escape(&report.project),
        numbers::of(total.logs, "log"),
        numbers::of(total.calls, "call"),
        numbers::size(total.result_bytes),
        escape(day)
    );
    for note in &report.notes {
        let _ = writeln!(out, "<p>Note: {}</p>", escape(note));
    }
    let plots: [(&str, &str, &[Part]); 5] = [
        ("Searches by kind", "Calls.", KINDS),
        (
            "Regular expressions",
            "Three or more names in one expression: looking for a thing by listing what it might be called.",
            EXPRESSIONS,
        ),
        (
            "Searches in a row",
            "A run is three or more, with no other call and no message of the person between.",
            IN_RUNS,
        ),
        (
            "Bytes of results",
            "What searches put into the models' windows.",
            BYTES,
        ),
        (
            "Files read",
            "Why a file was read again, the first reason that holds.",
            AGAIN,
        ),
    ];
    for (title, about, parts) in plots {
        let _ = writeln!(out, "<h2>{}</h2>\n<p>{}</p>", escape(title), escape(about));
        plot(&mut out, report, title, parts);
    }
    if let Some(asked) = report.asked.as_ref().filter(|asked| !asked.is_empty()) {
        out.push_str("<h2>As memfold recorded</h2>\n");
        for line in recorded(asked) {
            let _ = writeln!(out, "<p>{}</p>", escape(&line));
        }
    }
    if let Some(replay) = &report.replay {
        replayed(&mut out, replay);
    }
    table(&mut out, report);
    out.push_str("</body></html>\n");
    out
}

/// A bar for each agent, as long as its share of what the plot counts.
fn plot(out: &mut String, report: &MeasureReport, title: &str, parts: &[Part]) {
    let rows: Vec<(&str, Vec<u64>)> = report
        .agents
        .iter()
        .map(|of| {
            let values = parts.iter().map(|(_, value)| value(&of.counted)).collect();
            (agent(of.agent), values)
        })
        .collect();
    let names: Vec<&str> = parts.iter().map(|(name, _)| *name).collect();
    bars(out, title, &names, &rows);
}

/// Stacked bars, with a key.
fn bars(out: &mut String, title: &str, names: &[&str], rows: &[(&str, Vec<u64>)]) {
    let sum = |values: &[u64]| values.iter().copied().fold(0, u64::saturating_add);
    let longest = rows
        .iter()
        .map(|(_, values)| sum(values))
        .max()
        .unwrap_or(0)
        .max(1);
    let height = STEP * rows.len() as f64;
    let _ = writeln!(
        out,
        "<svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"{}\">",
        escape(title)
    );
    for (at, (label, values)) in rows.iter().enumerate() {
        let top = STEP * at as f64 + 4.0;
        let base = top + THICK - 4.0;
        let _ = writeln!(
            out,
            "<text x=\"0\" y=\"{base:.0}\">{}</text>",
            escape(label)
        );
        let mut from = LEFT;
        for (color, (name, value)) in names.iter().zip(values).enumerate() {
            let long = LONG * (*value as f64) / (longest as f64);
            if *value > 0 {
                let _ = writeln!(
                    out,
                    "<rect x=\"{from:.1}\" y=\"{top:.0}\" width=\"{:.1}\" height=\"{THICK}\" fill=\"var(--c{})\"><title>{}: {} of {}</title></rect>",
                    long.max(0.5),
                    color % 8,
                    escape(name),
                    numbers::count(*value),
                    numbers::count(sum(values))
                );
            }
            from += long;
        }
        let _ = writeln!(
            out,
            "<text class=\"n\" x=\"{:.1}\" y=\"{base:.0}\">{}</text>",
            from + 6.0,
            numbers::count(sum(values))
        );
    }
    out.push_str("</svg>\n<ul class=\"key\">");
    for (color, name) in names.iter().enumerate() {
        let of_name = rows.iter().filter_map(|(_, values)| values.get(color));
        let all = of_name.copied().fold(0, u64::saturating_add);
        let whole = rows
            .iter()
            .map(|(_, values)| sum(values))
            .fold(0, u64::saturating_add);
        let _ = write!(
            out,
            "<li><b style=\"background:var(--c{})\"></b>{} {}</li>",
            color % 8,
            escape(name),
            share(all, whole)
        );
    }
    out.push_str("</ul>\n");
}

fn replayed(out: &mut String, replay: &ReplayReport) {
    let _ = writeln!(
        out,
        "<h2>Asked again as plain words</h2>\n<p>Searches by expression that led to a file they had found, asked of {} of {}: where \
         did that file stand? The expressions themselves had found {} at the median.</p>",
        numbers::of(replay.files, "file"),
        escape(&replay.root.to_string_lossy()),
        numbers::of(replay.expressions.found_median, "file")
    );
    let rows: Vec<(&str, Vec<u64>)> = [
        ("all expressions", replay.expressions),
        ("guessed names", replay.alternations),
    ]
    .map(|(label, ranks)| {
        let rest = ranks.replayed.saturating_sub(ranks.five);
        (
            label,
            vec![ranks.first, ranks.five.saturating_sub(ranks.first), rest],
        )
    })
    .into();
    bars(
        out,
        "Where the file stood",
        &["first", "second to fifth", "further down, or not found"],
        &rows,
    );
}

fn table(out: &mut String, report: &MeasureReport) {
    out.push_str("<h2>All of it</h2>\n<div class=\"wide\"><table><tr><th>measure</th><th>all</th>");
    for of in &report.agents {
        let _ = write!(out, "<th>{}</th>", escape(agent(of.agent)));
    }
    out.push_str("</tr>\n");
    for row in ROWS {
        let _ = write!(
            out,
            "<tr><td class=\"i{}\">{}</td>",
            row.indent,
            escape(row.name)
        );
        let agents = report.agents.iter().map(|of| &of.counted);
        for tally in std::iter::once(&report.total).chain(agents) {
            let _ = write!(out, "<td>{}</td>", escape(&(row.value)(tally)));
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</table></div>\n");
    if let Some(replay) = &report.replay {
        let runs = replay.runs;
        let _ = writeln!(
            out,
            "<p>Of {} that led to a file of the tree, it stood among the first five for the first search's words in {}, for all \
             their words in {}.</p>",
            numbers::of(runs.replayed, "run"),
            of(runs.first_words, runs.replayed),
            of(runs.all_words, runs.replayed)
        );
    }
}

/// Text as HTML holds it, in an attribute too. What a terminal hides, a page would hide too.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in crate::safe::inline(text).chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::super::samples::measured;
    use super::*;

    #[test]
    fn one_file_without_a_script_and_with_every_text_escaped() {
        let mut report = measured();
        report.project = "<script>alert('x')</script>".into();
        report.notes = vec!["a \"quoted\" & odd\u{202e} note".into()];
        if let Some(replay) = &mut report.replay {
            replay.root = "/p/<b>".into();
        }
        let page = page(&report, "2026-11-30");
        for forbidden in [
            "<script", "http://", "https://", "src=", "url(", "@import", "\u{202e}", "<b>",
        ] {
            assert!(!page.contains(forbidden), "{forbidden}");
        }
        assert!(page.contains("&lt;script&gt;alert(&#39;x&#39;)"));
        assert_eq!(page.matches("<svg").count(), 6);
        assert_eq!(page.matches("<svg").count(), page.matches("</svg>").count());
        assert_eq!(page.matches("<tr>").count(), ROWS.len() + 1);
    }

    #[test]
    fn nothing_counted_draws_nothing_and_divides_by_nothing() {
        let report = MeasureReport {
            total: Tally::default(),
            replay: None,
            ..measured()
        };
        let page = page(&report, "2026-11-30");
        assert!(!page.contains("NaN") && !page.contains("inf"));
    }
}
