use std::fmt::Write;
use std::path::{Path, PathBuf};

use domain::epic::state_file::FILE_NAME;
use domain::epic::{Plan, Problem, ProblemSeverity};
use domain::text::clean_line;
use serde::Serialize;

use super::load::{Loaded, load};
use crate::epics::{own_name, whose};
use crate::failure::Failure;
use crate::output::{self, Exit, Listing};

/// Check an epic and its tickets, and say everything that is wrong.
///
/// Nothing is changed and nothing is run. Warnings alone leave the exit code 0.
#[derive(Debug, clap::Args)]
#[command(after_help = "Exit codes: 0 it can be run, 2 it cannot.")]
pub(crate) struct Validate {
    /// The epic.
    #[arg(value_name = "EPIC.yaml")]
    epic: PathBuf,

    #[arg(long, default_value = "pretty")]
    format: Listing,
}

/// What `--format json` prints.
#[derive(Serialize)]
struct Answer {
    valid: bool,
    problems: Vec<Problem>,
    /// How many more there are.
    left_out: usize,
    /// Whether the tickets were looked at: they are not while the epic itself is wrong.
    tickets_read: bool,
    /// What to know of another epic in the same folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    shared: Option<String>,
    /// The ids of the tickets, wave by wave; empty if the epic cannot be read.
    waves: Vec<Vec<String>>,
}

impl Validate {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let answer = match load(&self.epic)? {
            Ok(loaded) => Answer {
                valid: loaded.problems.iter().all(|problem| problem.severity == ProblemSeverity::Warning),
                shared: shared(&self.epic, &loaded),
                waves: waves(&loaded),
                problems: loaded.problems,
                left_out: 0,
                tickets_read: true,
            },
            Err(wrong) => Answer {
                valid: false,
                problems: wrong.problems,
                left_out: wrong.left_out,
                tickets_read: false,
                shared: None,
                waves: vec![],
            },
        };
        let text = match self.format {
            Listing::Json => output::json(&answer)?,
            Listing::Pretty => page(&self.epic.display().to_string(), &answer),
        };
        // A line that is quoted may hold what nobody should log.
        output::print(&rules::redact(&text))?;
        Ok(if answer.valid { Exit::Ok } else { Exit::Invalid })
    }
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
