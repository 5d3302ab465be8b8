//! The tables as they are printed, and what falls short of its bar. A figure is held to a bar where one was set; whatever
//! falls short, or could not be measured, is named again at the end.

use std::fmt::Display;
use std::time::Duration;

/// What a figure must reach.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Bar {
    AtLeast(f64),
    AtMost(f64),
    /// Said, not held.
    None,
}

impl Bar {
    fn holds(self, figure: f64) -> bool {
        match self {
            Bar::AtLeast(least) => figure >= least,
            Bar::AtMost(most) => figure <= most,
            Bar::None => true,
        }
    }
}

impl Display for Bar {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Bar::AtLeast(least) => write!(f, "at least {least}"),
            Bar::AtMost(most) => write!(f, "at most {most}"),
            Bar::None => f.write_str("no bar"),
        }
    }
}

/// A figure measured several times.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Measure {
    pub(crate) median: f64,
    pub(crate) least: f64,
    pub(crate) most: f64,
}

impl Measure {
    /// Of one measurement at least; without any, not a number.
    pub(crate) fn of(figures: impl IntoIterator<Item = f64>) -> Measure {
        let mut figures: Vec<f64> = figures.into_iter().collect();
        figures.sort_by(f64::total_cmp);
        let at = |place: usize| figures.get(place).copied().unwrap_or(f64::NAN);
        Measure {
            median: at(figures.len() / 2),
            least: at(0),
            most: at(figures.len().saturating_sub(1)),
        }
    }
}

/// What is printed, and what is to be named at the end.
#[derive(Default)]
pub(crate) struct Report {
    short: Vec<String>,
    unmeasured: Vec<String>,
    /// The part of the report that is being printed.
    part: String,
}

impl Report {
    /// A part begins.
    pub(crate) fn part(&mut self, name: impl Into<String>) {
        let name = name.into();
        println!("\n## {name}");
        // The names of the list at the end are short.
        self.part = name.split(',').next().unwrap_or_default().to_owned();
    }

    /// A line of a table.
    pub(crate) fn line(&mut self, line: impl Display) {
        println!("{line}");
    }

    /// A figure beside its bar, the median of its rounds.
    pub(crate) fn hold(&mut self, what: &str, figure: Measure, bar: Bar) {
        let Measure {
            median,
            least,
            most,
        } = figure;
        let spread = if least < most {
            format!("({})", [three(least), three(most)].join(" to "))
        } else {
            String::new()
        };
        let verdict = match bar {
            Bar::None => String::new(),
            _ if bar.holds(median) => format!("{bar}: holds"),
            _ => format!("{bar}: falls short"),
        };
        println!("  {what:<46} {:>8} {spread:<18} {verdict}", three(median));
        if median.is_nan() {
            self.unmeasured(format!("{}: {what}", self.part));
        } else if !bar.holds(median) {
            self.short
                .push(format!("{}: {what}: {}, {bar}", self.part, three(median)));
        }
    }

    /// One figure beside its bar.
    pub(crate) fn hold_one(&mut self, what: &str, figure: f64, bar: Bar) {
        self.hold(what, Measure::of([figure]), bar);
    }

    /// Something could not be measured.
    pub(crate) fn unmeasured(&mut self, what: String) {
        println!("  not measured: {what}");
        self.unmeasured.push(what);
    }

    /// Prints what falls short. Says whether everything could be measured.
    pub(crate) fn end(self) -> bool {
        println!("\n## Below their bars: {}", self.short.len());
        for line in &self.short {
            println!("  {line}");
        }
        if !self.unmeasured.is_empty() {
            println!("\n## Not measured: {}", self.unmeasured.len());
            for line in &self.unmeasured {
                println!("  {line}");
            }
        }
        self.unmeasured.is_empty()
    }
}

/// A number in three digits, or as many as it has before the point.
pub(crate) fn three(figure: f64) -> String {
    let digits = match figure.abs() {
        100.0.. => 0,
        10.0.. => 1,
        1.0.. => 2,
        0.1.. => 3,
        _ => 4,
    };
    format!("{figure:.digits$}")
}

/// In milliseconds.
pub(crate) fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_falls_short_is_named_and_what_has_no_figure_is_told_apart() {
        let mut report = Report::default();
        report.part("build");
        report.hold("rate", Measure::of([3.0, 1.0, 2.0]), Bar::AtLeast(2.0));
        report.hold_one("size", 0.1, Bar::AtMost(0.08));
        report.hold_one("memory", 5.0, Bar::None);
        assert_eq!(report.short, ["build: size: 0.100, at most 0.08"]);
        assert!(report.unmeasured.is_empty());
        report.hold("nothing", Measure::of([]), Bar::AtMost(1.0));
        assert_eq!(report.unmeasured, ["build: nothing"]);
        assert!(!report.end());
    }
}
