//! Everything that is known of an epic before it is run: what `validate` prints, and what keeps `run` from beginning.

use std::fmt::Write;
use std::path::Path;

use domain::epic::state_file::FILE_NAME;
use domain::epic::{Plan, Problem, ProblemSeverity};
use domain::text::clean_line;
use git::Repository;
use serde::Serialize;

use super::load::{Loaded, load};
use crate::epics::{Purpose, look_around, own_name, whose};
use crate::failure::Failure;
use crate::output::{self, Listing};
use crate::pretty;

/// What `--format json` prints.
#[derive(Serialize)]
pub(super) struct Answer {
    pub(super) valid: bool,
    pub(super) problems: Vec<Problem>,
    /// How many more there are.
    left_out: usize,
    /// Whether the tickets were looked at: they are not while the epic itself is wrong.
    tickets_read: bool,
    /// Why base branch, builder and reviewer were not looked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    unchecked: Option<String>,
    /// What to know of another epic in the same folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    shared: Option<String>,
    /// The ids of the tickets, wave by wave; empty if the epic cannot be read.
    waves: Vec<Vec<String>>,
}

impl Answer {
    /// `around` is the repository it would be run in, or why there is none.
    pub(super) fn about(
        epic: &Path,
        around: Result<&Repository, String>,
        purpose: Purpose<'_>,
    ) -> Result<Answer, Failure> {
        let loaded = match load(epic)? {
            Ok(loaded) => loaded,
            Err(wrong) => {
                return Ok(Answer {
                    valid: false,
                    problems: wrong.problems,
                    left_out: wrong.left_out,
                    tickets_read: false,
                    unchecked: None,
                    shared: None,
                    waves: vec![],
                });
            }
        };
        let (shared, waves) = (shared(epic, &loaded), waves(&loaded));
        let (mut problems, unchecked) = match around {
            Ok(repository) => (look_around(repository, &loaded.epic, purpose)?, None),
            Err(why) => (vec![], Some(why)),
        };
        problems.extend(loaded.problems);
        let valid = problems.iter().all(|problem| problem.severity == ProblemSeverity::Warning);
        Ok(Answer { valid, problems, left_out: 0, tickets_read: true, unchecked, shared, waves })
    }

    /// A line that is quoted may hold what nobody should log.
    pub(super) fn shown(&self, file: &str, format: Listing) -> Result<String, Failure> {
        let text = match format {
            Listing::Json => output::json(self)?,
            Listing::Pretty => page(file, self),
        };
        Ok(rules::redact(&text).into_owned())
    }
}

/// For whoever wanted something else than to hear this.
pub(super) fn told(problems: &[Problem]) {
    problems.iter().for_each(|problem| pretty::note_lines(&rules::redact(&problem.to_string())));
}

/// Two epics in one folder keep their states apart, and people should know where.
fn shared(epic: &Path, loaded: &Loaded) -> Option<String> {
    let id = &loaded.epic.document.id;
    let other = whose(epic).filter(|other| other != id.as_str())?;
    Some(format!(
        "{FILE_NAME} beside it is of epic {}: the state of this one is kept in {}",
        clean_line(&other),
        own_name(id, FILE_NAME)
    ))
}

fn waves(loaded: &Loaded) -> Vec<Vec<String>> {
    let epic = &loaded.epic.document;
    let ids = |wave: &Vec<_>| {
        wave.iter().map(|&domain::epic::TicketIndex(at)| epic.tickets[at].id.to_string()).collect()
    };
    Plan::of(epic).waves.iter().map(ids).collect()
}

fn page(file: &str, answer: &Answer) -> String {
    let mut page = String::new();
    for problem in &answer.problems {
        let _ = writeln!(page, "{problem}");
    }
    if answer.left_out > 0 {
        let _ = writeln!(page, "and {} more\n", answer.left_out);
    }
    if let Some(shared) = &answer.shared {
        let _ = writeln!(page, "warning: {shared}\n");
    }
    if let Some(unchecked) = &answer.unchecked {
        let _ = writeln!(page, "warning: base branch, builder and reviewer were not checked: {unchecked}\n");
    }
    let errors = answer.problems.iter().filter(|problem| problem.severity == ProblemSeverity::Error).count();
    let file = clean_line(file);
    if !answer.valid {
        let unread = if answer.tickets_read { "" } else { "; its tickets were not looked at yet" };
        let _ = writeln!(page, "{file} cannot be run: {}{unread}", count(errors + answer.left_out, "error"));
        return page;
    }
    let tickets: usize = answer.waves.iter().map(Vec::len).sum();
    let (tickets, waves) = (count(tickets, "ticket"), count(answer.waves.len(), "wave"));
    let _ = writeln!(page, "{file} is in order: {tickets} in {waves}");
    for (number, wave) in answer.waves.iter().enumerate() {
        let _ = writeln!(page, "  {:>3}  {}", number + 1, wave.join(", "));
    }
    page
}

fn count(number: usize, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}
