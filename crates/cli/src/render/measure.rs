//! How agents searched, as a table: a measure a row, an agent a column.

mod page;

use memfold::{AskedTally, MeasureReport, Ranks, ReplayReport, SearchKind, Tally};

pub(crate) use page::page;

use super::{Look, Page, agent};
use crate::numbers;
use crate::safe;
use crate::style::{FAINT, Line, PLAIN, TITLE};
use crate::table::{Align, Table};

/// The report as text.
pub(crate) fn measure(report: &MeasureReport, look: &Look) -> String {
    let mut page = Page::new(look);
    if !look.quiet {
        let total = &report.total;
        let mut line = Line::new().with(TITLE, "how agents searched");
        line.push(
            PLAIN,
            format!(
                ": {}, {}, {} of results",
                numbers::of(total.logs, "log"),
                numbers::of(total.calls, "call"),
                numbers::size(total.result_bytes)
            ),
        );
        page.line(line);
    }
    if report.total.logs > 0 {
        for line in table(report).lines(look.width) {
            page.whole(line);
        }
    }
    if let Some(asked) = report.asked.as_ref().filter(|asked| !asked.is_empty()) {
        page.line(Line::new().with(TITLE, "as memfold recorded"));
        for line in recorded(asked) {
            page.line(line);
        }
    }
    if let Some(replay) = &report.replay {
        replayed(replay, &mut page);
    }
    page.notes(&report.notes);
    page.done()
}

/// A measure: its name, how far it is indented, and what it says of some logs.
pub(crate) struct Row {
    pub(crate) name: &'static str,
    pub(crate) indent: usize,
    pub(crate) value: fn(&Tally) -> String,
}

/// Every measure, in the order of the table.
pub(crate) const ROWS: &[Row] = &[
    row("logs", 0, |tally| numbers::count(tally.logs)),
    row("calls of tools", 0, |tally| numbers::count(tally.calls)),
    row("searches", 0, |tally| {
        of(tally.all_searches().calls, tally.calls)
    }),
    row("grep, rg, ag, git grep in a shell", 1, |tally| {
        kind(tally, SearchKind::ShellGrep)
    }),
    row("the host's grep", 1, |tally| {
        kind(tally, SearchKind::ToolGrep)
    }),
    row("find, fd, rg --files in a shell", 1, |tally| {
        kind(tally, SearchKind::ShellNames)
    }),
    row("the host's glob", 1, |tally| {
        kind(tally, SearchKind::ToolNames)
    }),
    row("the host's ranked search", 1, |tally| {
        kind(tally, SearchKind::Ranked)
    }),
    row("index-search repo", 1, |tally| {
        kind(tally, SearchKind::Repo)
    }),
    row("index-search conversation", 1, |tally| {
        kind(tally, SearchKind::Conversation)
    }),
    row("earlier tasks", 1, |tally| kind(tally, SearchKind::Earlier)),
    row("by regular expression", 0, |tally| {
        numbers::count(tally.expressions.searches)
    }),
    row("three or more guessed names", 1, |tally| {
        of(tally.expressions.alternations, tally.expressions.searches)
    }),
    row("runs of three or more searches", 0, |tally| {
        numbers::count(tally.runs.runs)
    }),
    row("the searches in them", 1, |tally| {
        of(tally.runs.searches, tally.all_searches().calls)
    }),
    row("the longest", 1, |tally| numbers::count(tally.runs.longest)),
    row("bytes of results", 0, |tally| {
        numbers::size(tally.result_bytes)
    }),
    row("of searches", 1, |tally| {
        share(tally.all_searches().bytes, tally.result_bytes)
    }),
    row("results that left the window", 0, |tally| {
        numbers::count(tally.window.results)
    }),
    row("logs in which any did", 1, |tally| {
        numbers::count(tally.window.logs)
    }),
    row("compactions", 1, |tally| {
        numbers::count(tally.window.compactions)
    }),
    row("single results cleared, times", 1, |tally| {
        numbers::count(tally.window.clearings)
    }),
    row("calls repeated after that", 0, |tally| {
        numbers::count(tally.repeated.calls)
    }),
    row("reads of an unedited file", 1, |tally| {
        numbers::count(tally.repeated.reads)
    }),
    row("recalls", 0, |tally| numbers::count(tally.recalls.calls)),
    row("of what had left the window", 1, |tally| {
        numbers::count(tally.recalls.elided)
    }),
    row("of what was in it", 1, |tally| {
        numbers::count(tally.recalls.in_window)
    }),
    row("of earlier tasks", 1, |tally| {
        numbers::count(tally.recalls.earlier)
    }),
    row("files read", 0, |tally| numbers::count(tally.reads.reads)),
    row("again", 1, |tally| of(tally.reads.again, tally.reads.reads)),
    row("edited since", 2, |tally| {
        numbers::count(tally.reads.edited)
    }),
    row("it had left the window", 2, |tally| {
        numbers::count(tally.reads.elided)
    }),
    row("by the same call", 2, |tally| {
        numbers::count(tally.reads.same)
    }),
    row("other lines", 2, |tally| numbers::count(tally.reads.other)),
];

const fn row(name: &'static str, indent: usize, value: fn(&Tally) -> String) -> Row {
    Row {
        name,
        indent,
        value,
    }
}

fn kind(tally: &Tally, kind: SearchKind) -> String {
    of(tally.of(kind).calls, tally.all_searches().calls)
}

/// `917 (57%)`
pub(crate) fn of(part: u64, whole: u64) -> String {
    match part {
        0 => "0".to_owned(),
        part => format!("{} ({})", numbers::count(part), share(part, whole)),
    }
}

/// `57%`; what is some, but less than half of one in a hundred, is not none.
pub(crate) fn share(part: u64, whole: u64) -> String {
    if part == 0 || whole == 0 {
        return "0%".to_owned();
    }
    let percent = part as f64 * 100.0 / whole as f64;
    if percent < 0.5 {
        "<1%".to_owned()
    } else {
        format!("{percent:.0}%")
    }
}

fn table(report: &MeasureReport) -> Table {
    let mut columns = vec![("MEASURE", Align::Left)];
    // One agent's numbers are the total's.
    let agents = match report.agents.as_slice() {
        [_] => &[],
        several => several,
    };
    columns.push(("ALL", Align::Right));
    columns.extend(agents.iter().map(|of| (agent(of.agent), Align::Right)));
    let mut table = Table::new(&columns);
    for row in ROWS {
        let tallies = std::iter::once(&report.total).chain(agents.iter().map(|of| &of.counted));
        let name = format!("{}{}", "  ".repeat(row.indent), row.name);
        let style = if row.indent == 0 { PLAIN } else { FAINT };
        let mut cells = vec![Line::new().with(style, name)];
        cells.extend(tallies.map(|tally| Line::from((row.value)(tally))));
        table.row(cells);
    }
    table
}

/// What the record says, a line for each scope.
pub(crate) fn recorded(asked: &AskedTally) -> Vec<String> {
    let mut lines: Vec<String> = asked
        .searches
        .iter()
        .map(|(scope, tally)| {
            format!(
                "searches of {}: {}, {} weak, {} without a result",
                safe::inline(scope),
                numbers::count(tally.searches),
                of(tally.weak, tally.searches),
                of(tally.empty, tally.searches)
            )
        })
        .collect();
    lines.push(format!(
        "recalls: {}, of what a search had shown {}; updates of the index: {}",
        numbers::count(asked.recalls),
        of(asked.recalls_of_shown, asked.recalls),
        numbers::count(asked.updates)
    ));
    lines
}

fn replayed(replay: &ReplayReport, page: &mut Page<'_>) {
    let root = safe::path(&replay.root);
    let mut line = Line::new().with(TITLE, "asked again as plain words");
    line.push(
        PLAIN,
        format!(" of {root}: {}", numbers::of(replay.files, "file")),
    );
    page.line(line);
    let mut table = Table::new(&[
        ("SEARCHES THAT LED TO A FILE THEY FOUND", Align::Left),
        ("ALL", Align::Right),
        ("ITS FILE IS HERE", Align::Right),
        ("FIRST", Align::Right),
        ("FIRST FIVE", Align::Right),
        ("FOUND", Align::Right),
    ]);
    for (name, ranks) in [
        ("by expression", &replay.expressions),
        ("  three or more guessed names", &replay.alternations),
    ] {
        table.row(ranks_row(name, ranks));
    }
    for line in table.lines(page.look.width) {
        page.whole(line);
    }
    let runs = replay.runs;
    page.line(format!(
        "runs that led to a file: {}, here {}; among the first five by the first search's words {}, by all their words {}",
        numbers::count(runs.followed),
        numbers::count(runs.replayed),
        of(runs.first_words, runs.replayed),
        of(runs.all_words, runs.replayed)
    ));
    if !replay.complete {
        page.notes(&[
            "partial: the index is not whole; memfold update takes it further".to_owned(),
        ]);
    }
    page.notes(&replay.notes);
}

fn ranks_row(name: &str, ranks: &Ranks) -> Vec<Line> {
    let found = match ranks.replayed {
        0 => String::new(),
        _ => format!("{}, 9 in 10 up to {}", ranks.found_median, ranks.found_most),
    };
    vec![
        name.to_owned().into(),
        numbers::count(ranks.followed).into(),
        numbers::count(ranks.replayed).into(),
        of(ranks.first, ranks.replayed).into(),
        of(ranks.five, ranks.replayed).into(),
        found.into(),
    ]
}

#[cfg(test)]
mod tests {
    use super::super::samples::{look, measured, terminal};
    use super::*;
    use snapbox::{assert_data_eq, str};

    #[test]
    fn a_row_for_each_measure() {
        assert_data_eq!(
            measure(&measured(), &look()),
            str![[r#"
how agents searched: 3 logs, 403 calls, 2.0 MB of results
MEASURE                                   ALL    claude  codex
logs                                        3         2      1
calls of tools                            403       400      3
searches                             81 (20%)  81 (20%)      0
  grep, rg, ag, git grep in a shell  60 (74%)  60 (74%)      0
  the host's grep                           0         0      0
  find, fd, rg --files in a shell           0         0      0
  the host's glob                    20 (25%)  20 (25%)      0
  the host's ranked search                  0         0      0
  index-search repo                         0         0      0
  index-search conversation                 0         0      0
  earlier tasks                        1 (1%)    1 (1%)      0
by regular expression                      60        60      0
  three or more guessed names        34 (57%)  34 (57%)      0
runs of three or more searches              9         9      0
  the searches in them               41 (51%)  41 (51%)      0
  the longest                               8         8      0
bytes of results                       2.0 MB    2.0 MB    0 B
  of searches                             15%       15%     0%
results that left the window               70        70      0
  logs in which any did                     1         1      0
  compactions                               2         2      0
  single results cleared, times             0         0      0
calls repeated after that                   6         6      0
  reads of an unedited file                 5         5      0
recalls                                     0         0      0
  of what had left the window               0         0      0
  of what was in it                         0         0      0
  of earlier tasks                          0         0      0
files read                                 90        90      0
  again                              40 (44%)  40 (44%)      0
    edited since                           10        10      0
    it had left the window                  6         6      0
    by the same call                        4         4      0
    other lines                            20        20      0
as memfold recorded
searches of earlier: 7, 1 (14%) weak, 2 (29%) without a result
recalls: 3, of what a search had shown 2 (67%); updates of the index: 0
asked again as plain words of /home/ada/api: 712 files
SEARCHES THAT LED TO A FILE THEY FOUND  ALL  ITS FILE IS HERE     FIRST  FIRST FIVE                FOUND
by expression                            30                20  10 (50%)    16 (80%)  4, 9 in 10 up to 17
  three or more guessed names            30                20  10 (50%)    16 (80%)  4, 9 in 10 up to 17
runs that led to a file: 0, here 0; among the first five by the first search's words 0, by all their words 0

"#]]
        );
    }

    #[test]
    fn no_line_is_wider_than_the_terminal() {
        for line in measure(&measured(), &terminal(60)).lines() {
            assert!(crate::style::width(line) <= 60, "{line}");
        }
    }

    #[test]
    fn shares_of_little_and_of_nothing() {
        let shares =
            [(0, 0), (0, 9), (1, 1000), (57, 100), (9, 9)].map(|(part, whole)| share(part, whole));
        assert_eq!(shares, ["0%", "0%", "<1%", "57%", "100%"]);
    }
}
