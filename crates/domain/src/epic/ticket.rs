//! The markdown of a ticket, as far as an epic needs it to be complete.

use super::yaml::Spot;
use super::{Excerpt, Position, Problem, ProblemSeverity};
use crate::work::item::{heading, is_fence, is_nearly_a_criterion, numbered_prose, speaks_of_acceptance};
use crate::work::{TitleOrigin, WorkItem};

/// What keeps a ticket from being worked on, and what its author may have forgotten, each where it was expected.
/// `file` is how messages call it.
pub fn check(file: &str, ticket: &WorkItem) -> Vec<Problem> {
    let page = Page { file, lines: ticket.text.lines().collect() };
    let mut problems = Vec::new();
    if ticket.title_origin == TitleOrigin::FileName || ticket.title.trim().is_empty() {
        let expected = "a first line such as `# Users can log in`, with a space after the `#`";
        let spot = page.whole(title_line(&ticket.text));
        problems.push(page.problem(ProblemSeverity::Error, spot, "the ticket has no title", expected));
    }
    if ticket.criteria.is_empty() {
        problems.push(no_criteria(&page, &ticket.text));
    }
    let nearly = numbered_prose(&ticket.text).filter(|(_, line)| is_nearly_a_criterion(line));
    problems.extend(nearly.map(|(line, _)| {
        let message = "this line is not read as an acceptance criterion";
        let expected = "`- [ ] A wrong password is refused`, or `- [x] ...` where it is met already";
        page.problem(ProblemSeverity::Warning, page.whole(line), message, expected)
    }));
    if !problems.is_empty()
        && let Some(fence) = open_fence(&ticket.text)
    {
        let message = "the code block that begins here does not end, so nothing below it is read";
        let spot = page.whole(fence);
        problems.push(page.problem(
            ProblemSeverity::Warning,
            spot,
            message,
            "a line of \"```\" where it ends",
        ));
    }
    problems.sort_by_key(|problem| problem.at);
    problems
}

fn no_criteria(page: &Page<'_>, text: &str) -> Problem {
    let accepts =
        |(_, line): &(u64, &str)| heading(line).is_some_and(|(_, title)| speaks_of_acceptance(title));
    let (spot, message, expected) = match numbered_prose(text).find(accepts) {
        Some((line, _)) => (
            page.whole(line),
            "nothing below this heading is an acceptance criterion, so nobody can say when the ticket is done",
            "a checklist, each line such as `- [ ] A wrong password is refused`",
        ),
        None => (
            page.end(),
            "the ticket has no acceptance criteria, so nobody can say when it is done",
            "a heading `## Acceptance criteria`, and below it lines such as `- [ ] A wrong password is refused`",
        ),
    };
    page.problem(ProblemSeverity::Warning, spot, message, expected)
}

/// What was perhaps meant as the title, or else the first line.
fn title_line(text: &str) -> u64 {
    numbered_prose(text).find(|(_, line)| line.starts_with('#')).map_or(1, |(line, _)| line)
}

/// The last fence, if it opens a block.
fn open_fence(text: &str) -> Option<u64> {
    let fences: Vec<u64> =
        (1..).zip(text.lines()).filter(|(_, line)| is_fence(line)).map(|(line, _)| line).collect();
    if fences.len() % 2 == 1 { fences.last().copied() } else { None }
}

/// A ticket as it is shown.
struct Page<'a> {
    file: &'a str,
    lines: Vec<&'a str>,
}

impl Page<'_> {
    /// A line, from its beginning.
    fn whole(&self, line: u64) -> Spot {
        Spot { at: Position { line, column: 1 }, length: self.width(line) }
    }

    /// Behind the last character.
    fn end(&self) -> Spot {
        let line = (self.lines.len() as u64).max(1);
        Spot { at: Position { line, column: self.width(line) as u64 + 1 }, length: 1 }
    }

    fn width(&self, line: u64) -> usize {
        let index = usize::try_from(line).unwrap_or(usize::MAX).saturating_sub(1);
        self.lines.get(index).map_or(0, |line| line.chars().count())
    }

    fn problem(&self, severity: ProblemSeverity, spot: Spot, message: &str, expected: &str) -> Problem {
        let excerpt = Excerpt::from(&self.lines, spot.at, spot.length);
        super::read::reader::problem_at(self.file, spot, excerpt, severity, message, expected)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> Vec<(ProblemSeverity, String)> {
        let problems = check("a.md", &WorkItem::parse("a.md", text));
        problems.into_iter().map(|problem| (problem.severity, problem.message)).collect()
    }

    fn places(text: &str) -> Vec<String> {
        check("a.md", &WorkItem::parse("a.md", text)).iter().map(Problem::location).collect()
    }

    #[test]
    fn a_ticket_needs_a_title_and_should_have_criteria() {
        assert_eq!(said("# Log in\n- [ ] works\n"), []);
        assert!(matches!(&said("Log in\n- [ ] works\n")[..], [(ProblemSeverity::Error, _)]));
        assert!(matches!(&said("# Log in\n- works\n")[..], [(ProblemSeverity::Warning, _)]));
        assert_eq!(said("").len(), 2);
    }

    #[test]
    fn every_problem_stands_where_something_was_expected() {
        assert_eq!(places(""), ["a.md:1:1", "a.md:1:1"]);
        assert_eq!(places("Log in\n\n- [ ] works\n"), ["a.md:1:1"]);
        assert_eq!(places("\n#Log in\n\n- [ ] works\n"), ["a.md:2:1"]);
        assert_eq!(places("\n# \n- [ ] works\n"), ["a.md:2:1"]);
        assert_eq!(places("# Log in\n\nBy mail\n"), ["a.md:3:8"]);
        assert_eq!(places("# Log in\r\n\r\nBy mail\r\n"), ["a.md:3:8"]);
        assert_eq!(
            places("# Log in\n\n## Acceptance criteria\n\n- works\n\n## Notes\n- [ ] later\n"),
            ["a.md:3:1"]
        );
    }

    #[test]
    fn what_is_nearly_a_criterion_is_told_of() {
        let text =
            "# A\n- [ ] a\n- [] b\n[ ] c\n- [-] d\n- [X ] e\n- [f](g) h\n- [1] i\n1. [x] j\n[x]: k\n- [ ]\n";
        assert_eq!(places(text), ["a.md:3:1", "a.md:4:1", "a.md:5:1", "a.md:6:1"]);
    }

    #[test]
    fn a_code_block_that_does_not_end_is_what_hides_the_criteria() {
        let text = "# Log in\n```\ncode\n\n## Acceptance criteria\n- [ ] works\n";
        assert_eq!(places(text), ["a.md:2:1", "a.md:6:12"]);
        assert_eq!(places(&text.replace("code\n", "code\n```\n")), [""; 0]);
    }

    #[test]
    fn missing_criteria_are_shown_with_what_to_write() {
        let text = "# Log in\n\n## Acceptance criteria\n\n- works\n";
        let problems = check("a.md", &WorkItem::parse("a.md", text));
        insta::assert_snapshot!(problems[0]);
    }
}
