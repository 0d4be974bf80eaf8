use anstyle::{AnsiColor, Color, Style};
use domain::review::Verdict;
use domain::words::{Class, Severity};

const fn colour(colour: AnsiColor) -> Style {
    Style::new().fg_color(Some(Color::Ansi(colour)))
}

pub(super) const BOLD: Style = Style::new().bold();
pub(super) const DIM: Style = Style::new().dimmed();
pub(super) const NOTE: Style = colour(AnsiColor::Cyan);
pub(super) const GUTTER: Style = colour(AnsiColor::BrightBlue);
pub(super) const ADDED: Style = colour(AnsiColor::Green);
pub(super) const REMOVED: Style = colour(AnsiColor::Red);
pub(super) const GOOD: Style = colour(AnsiColor::Green);
pub(super) const BAD: Style = colour(AnsiColor::Red);

pub(super) fn severity(severity: Severity) -> Style {
    match severity.class() {
        Class::Critical => colour(AnsiColor::Red).bold(),
        Class::Important => colour(AnsiColor::Magenta).bold(),
        Class::Minor => colour(AnsiColor::Yellow),
    }
}

pub(super) fn verdict(verdict: Verdict) -> Style {
    match verdict {
        Verdict::Pass => colour(AnsiColor::Green).bold(),
        Verdict::Fail => colour(AnsiColor::Red).bold(),
        Verdict::Inconclusive => colour(AnsiColor::Yellow).bold(),
    }
}
