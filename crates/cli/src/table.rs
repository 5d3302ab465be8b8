//! Tables that keep to the terminal: columns as wide as their widest cell; where that is too much, the columns that
//! may give way do, and never a line wraps.

use crate::style::{FAINT, Line, PLAIN, fit_end, width};

/// How a column stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Align {
    /// Words.
    Left,
    /// Numbers.
    Right,
    /// Words that may be cut at their end, down to so many columns.
    Cut(usize),
    /// Paths, which may be cut at their start, down to so many columns.
    CutStart(usize),
}

/// A table: a row of headings, and rows of as many cells.
pub(crate) struct Table {
    columns: Vec<(&'static str, Align)>,
    rows: Vec<Vec<Line>>,
}

const GAP: usize = 2;

impl Table {
    /// A table without rows.
    pub(crate) fn new(columns: &[(&'static str, Align)]) -> Table {
        Table {
            columns: columns.to_vec(),
            rows: Vec::new(),
        }
    }

    /// Adds a row.
    pub(crate) fn row(&mut self, cells: Vec<Line>) {
        self.rows.push(cells);
    }

    /// The lines, the headings first. Columns without a single cell are left out.
    pub(crate) fn lines(self, terminal: Option<usize>) -> Vec<Line> {
        let used: Vec<bool> = (0..self.columns.len())
            .map(|at| {
                self.rows
                    .iter()
                    .any(|row| row.get(at).is_some_and(|cell| cell.width() > 0))
            })
            .collect();
        let columns = keep(self.columns, &used);
        let rows: Vec<Vec<Line>> = self.rows.into_iter().map(|row| keep(row, &used)).collect();
        let mut widths: Vec<usize> = columns.iter().map(|(heading, _)| width(heading)).collect();
        for row in &rows {
            for (column, cell) in widths.iter_mut().zip(row) {
                *column = (*column).max(cell.width());
            }
        }
        if let Some(terminal) = terminal {
            give_way(&mut widths, &columns, terminal);
        }
        let headings = columns
            .iter()
            .map(|(heading, _)| Line::new().with(FAINT, *heading))
            .collect();
        std::iter::once(headings)
            .chain(rows)
            .map(|row| lay(row, &columns, &widths))
            .map(|line| match terminal {
                Some(terminal) => line.fit(terminal),
                None => line,
            })
            .collect()
    }
}

fn keep<T>(items: Vec<T>, used: &[bool]) -> Vec<T> {
    items
        .into_iter()
        .zip(used)
        .filter_map(|(item, used)| used.then_some(item))
        .collect()
}

/// Takes what is too much from the columns that may be cut, the widest first.
fn give_way(widths: &mut [usize], columns: &[(&'static str, Align)], terminal: usize) {
    let gaps = GAP * widths.len().saturating_sub(1);
    let mut over = (widths.iter().sum::<usize>() + gaps).saturating_sub(terminal);
    while over > 0 {
        let spare = |width: usize, align: Align| match align {
            Align::Cut(least) | Align::CutStart(least) => width.saturating_sub(least),
            Align::Left | Align::Right => 0,
        };
        let widest = widths
            .iter_mut()
            .zip(columns)
            .filter(|(width, (_, align))| spare(**width, *align) > 0)
            .max_by_key(|(width, _)| **width);
        let Some((column, _)) = widest else { break };
        *column -= 1;
        over -= 1;
    }
}

fn lay(row: Vec<Line>, columns: &[(&'static str, Align)], widths: &[usize]) -> Line {
    let last = widths.len().saturating_sub(1);
    let mut out = Line::new();
    for (at, ((cell, (_, align)), width)) in row.into_iter().zip(columns).zip(widths).enumerate() {
        if at > 0 {
            out.push(PLAIN, " ".repeat(GAP));
        }
        let cell = match align {
            Align::CutStart(_) => cell.map_text(|text| fit_end(&text, *width)),
            _ => cell.fit(*width),
        };
        let padding = " ".repeat(width.saturating_sub(cell.width()));
        match align {
            Align::Right => {
                out.push(PLAIN, padding);
                out.append(cell);
            }
            _ => {
                out.append(cell);
                // No blanks at the end of a line.
                if at < last {
                    out.push(PLAIN, padding);
                }
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text(table: Table, width: Option<usize>) -> String {
        let mut out = String::new();
        for line in table.lines(width) {
            line.write(&mut out, false);
            out.push('\n');
        }
        out
    }

    fn sample() -> Table {
        let mut table = Table::new(&[
            ("TASK", Align::Left),
            ("SIZE", Align::Right),
            ("NONE", Align::Left),
            ("TITLE", Align::Cut(6)),
            ("LOG", Align::CutStart(6)),
        ]);
        table.row(vec![
            "3f9a1c02".into(),
            "2.1 MB".into(),
            "".into(),
            "fix the denylist test".into(),
            "/logs/a.jsonl".into(),
        ]);
        table.row(vec![
            "7b".into(),
            "812 B".into(),
            "".into(),
            "x".into(),
            "/logs/deep/below/b.jsonl".into(),
        ]);
        table
    }

    #[test]
    fn columns_are_as_wide_as_they_need_and_empty_ones_are_left_out() {
        let expected = "\
TASK        SIZE  TITLE                  LOG
3f9a1c02  2.1 MB  fix the denylist test  /logs/a.jsonl
7b         812 B  x                      /logs/deep/below/b.jsonl
";
        assert_eq!(text(sample(), None), expected);
        assert_eq!(text(sample(), Some(80)), expected);
    }

    #[test]
    fn a_narrow_terminal_cuts_titles_at_the_end_and_paths_at_the_start() {
        let expected = "\
TASK        SIZE  TITLE         LOG
3f9a1c02  2.1 MB  fix the den…  …ogs/a.jsonl
7b         812 B  x             …low/b.jsonl
";
        assert_eq!(text(sample(), Some(44)), expected);
    }

    proptest! {
        #[test]
        fn no_line_is_wider_than_the_terminal(width in 1_usize..90) {
            for line in sample().lines(Some(width)) {
                prop_assert!(line.width() <= width);
            }
        }
    }
}
