//! The markdown of a ticket, as far as an epic needs it to be complete.

use super::{Problem, ProblemSeverity};
use crate::work::{TitleOrigin, WorkItem};

/// What keeps a ticket from being worked on, and what its author may have forgotten. `file` is how messages call it.
pub fn check(file: &str, ticket: &WorkItem) -> Vec<Problem> {
    let mut problems = Vec::new();
    if ticket.title_origin == TitleOrigin::FileName || ticket.title.trim().is_empty() {
        let message = "the ticket has no title";
        problems.push(Problem::about(
            ProblemSeverity::Error,
            file,
            message,
            "a first line such as `# Users can log in`",
        ));
    }
    if ticket.criteria.is_empty() {
        let message = "the ticket has no acceptance criteria, so nobody can say when it is done";
        let expected = "a heading `## Acceptance criteria` and below it a list of `- [ ] ...`";
        problems.push(Problem::about(ProblemSeverity::Warning, file, message, expected));
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> Vec<(ProblemSeverity, String)> {
        let problems = check("a.md", &WorkItem::parse("a.md", text));
        problems.into_iter().map(|problem| (problem.severity, problem.message)).collect()
    }

    #[test]
    fn a_ticket_needs_a_title_and_should_have_criteria() {
        assert_eq!(said("# Log in\n- [ ] works\n"), []);
        assert!(matches!(&said("Log in\n- [ ] works\n")[..], [(ProblemSeverity::Error, _)]));
        assert!(matches!(&said("# Log in\n- works\n")[..], [(ProblemSeverity::Warning, _)]));
        assert_eq!(said("").len(), 2);
    }
}
