//! Which line of a pipeline belongs to which: steps to their job, settings to their step.

use super::checks::is_code;
use super::tools::check_in;
use crate::source::Source;

/// Read once, from the indentation alone, so that any number of lines can be asked about.
pub(super) struct Outline<'s> {
    source: &'s Source,
    /// By line: the one it belongs to, and the last one that belongs to it. Zero for none.
    lines: Vec<Place>,
    /// How many lines up to each run a check.
    checks: Vec<u32>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Place {
    parent: u32,
    last: u32,
}

/// A key that lines below it may belong to.
struct Open {
    number: u32,
    column: usize,
    starts_item: bool,
}

impl<'s> Outline<'s> {
    pub(super) fn of(source: &'s Source) -> Self {
        let count = source.line_count();
        let mut lines = vec![Place::default(); count as usize + 1];
        let mut checks = vec![0; count as usize + 1];
        let mut open: Vec<Open> = Vec::new();
        let mut last_code = 0;
        let mut known = 0;
        for number in 1..=count {
            let line = source.line(number);
            let at = number as usize;
            if is_code(line) {
                let (column, starts_item) = (key_column(line), starts_item(line));
                let holds = |one: &Open| {
                    one.column < column || (one.column == column && one.starts_item && !starts_item)
                };
                while open.last().is_some_and(|one| !holds(one)) {
                    close(&mut lines, &mut open, last_code);
                }
                lines[at].parent = open.last().map_or(0, |one| one.number);
                open.push(Open { number, column, starts_item });
                known += u32::from(check_in(line).is_some());
                last_code = number;
            }
            checks[at] = known;
        }
        while !open.is_empty() {
            close(&mut lines, &mut open, last_code);
        }
        Outline { source, lines, checks }
    }

    fn place(&self, number: u32) -> Place {
        self.lines.get(number as usize).copied().unwrap_or_default()
    }

    pub(super) fn parent(&self, number: u32) -> Option<u32> {
        Some(self.place(number).parent).filter(|parent| *parent > 0)
    }

    /// The lines around one, from the inside.
    pub(super) fn around(&self, number: u32) -> impl Iterator<Item = u32> {
        std::iter::successors(self.parent(number), |number| self.parent(*number))
    }

    /// A line and all that belong to it.
    pub(super) fn block(&self, number: u32) -> std::ops::RangeInclusive<u32> {
        number..=self.place(number).last.max(number)
    }

    /// Whether a line or one that belongs to it runs a check.
    pub(super) fn runs_check(&self, number: u32) -> bool {
        let known = |number: u32| self.checks.get(number as usize).copied().unwrap_or_default();
        known(*self.block(number).end()) > known(number.saturating_sub(1))
    }

    pub(super) fn starts_item(&self, number: u32) -> bool {
        starts_item(self.source.line(number))
    }

    /// What stands before the colon.
    pub(super) fn key(&self, number: u32) -> String {
        key(self.source.line(number))
    }

    /// Keys above steps and jobs: what stands directly below them is a step or a job of its own.
    pub(super) fn is_list(&self, number: u32) -> bool {
        const LISTS: [&str; 8] =
            ["jobs", "steps", "stages", "workflows", "repos", "hooks", "include", "commands"];
        let line = self.source.line(number);
        line.trim_ascii_end().ends_with(b":") && LISTS.contains(&key(line).as_str())
    }
}

fn close(lines: &mut [Place], open: &mut Vec<Open>, last: u32) {
    if let Some(place) = open.pop().and_then(|one| lines.get_mut(one.number as usize)) {
        place.last = last;
    }
}

pub(super) fn key(line: &[u8]) -> String {
    let text =
        String::from_utf8_lossy(line.split(|byte| *byte == b':').next().unwrap_or_default()).into_owned();
    text.trim().trim_start_matches("- ").trim().trim_matches(['"', '\'']).to_owned()
}

/// Where the key begins, behind the dash of an item.
fn key_column(line: &[u8]) -> usize {
    line.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'-')).count()
}

fn starts_item(line: &[u8]) -> bool {
    line.trim_ascii_start().starts_with(b"- ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Language;

    #[test]
    fn settings_belong_to_their_step_and_steps_to_their_job() {
        let text = "jobs:\n  a:\n    if: x\n    steps:\n      - name: T\n        # why\n        run: pytest\n        if: y\n      - run: make\n  b:\n    runs-on: z\n";
        let source = Source::new(bytes::Bytes::from(text), Language::Settings);
        let outline = Outline::of(&source);
        assert_eq!(outline.around(8).collect::<Vec<_>>(), [5, 4, 2, 1]);
        assert_eq!(outline.parent(3), Some(2));
        assert_eq!((outline.block(2), outline.block(5)), (2..=9, 5..=8));
        assert!(
            outline.runs_check(5)
                && outline.runs_check(2)
                && !outline.runs_check(9)
                && !outline.runs_check(10)
        );
        assert!(outline.is_list(4) && !outline.is_list(2));
        assert_eq!(outline.key(5), "name");
    }

    #[test]
    fn a_pile_of_lines_is_read_once() {
        let text = "  - if: x\n".repeat(80_000);
        let source = Source::new(bytes::Bytes::from(text), Language::Settings);
        let outline = Outline::of(&source);
        assert!((1..=80_000).all(|number| outline.parent(number).is_none() && !outline.runs_check(number)));
    }
}
