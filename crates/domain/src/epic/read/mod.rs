//! From the text of an epic to a checked [`EpicDocument`], or to everything that is wrong with it.

#[cfg(test)]
mod agreement;
pub(crate) mod coordination;
mod cycles;
mod limits;
pub(crate) mod reader;
mod settings;
mod syntax;
#[cfg(test)]
mod tests;
mod tickets;

use self::reader::{Fields, Reader, Taking, problem_at};
use super::document::{MOST_PARALLEL, default_parallel};
use super::yaml::{self, Node, Spot};
use super::{
    EpicDocument, Excerpt, Position, Problem, ProblemSeverity, Problems, TicketEntry, TicketId, TicketIndex,
};
use crate::assignments::BranchName;
use crate::config::ConfigError;
use crate::work::{Coordination, Epic};

pub(crate) const EXAMPLE: &str =
    "an epic has an `id`, and `tickets`, each with an `id`, a `path` and perhaps `depends_on: [...]`";

const KEYS: [&str; 12] = [
    "id",
    "title",
    "base_branch",
    "branch",
    "review",
    "builder",
    "reviewer",
    "parallel",
    "tickets",
    "coordination_requirements",
    "commands",
    "limits",
];

/// An epic that knows where its parts stand, so that what is found out later can still be pointed at.
#[derive(Debug, Clone, PartialEq)]
pub struct EpicFile {
    /// As messages call it.
    pub name: String,
    pub document: EpicDocument,
    text: String,
    spots: Spots,
}

/// A part of an epic of which only its surroundings say whether it is right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EpicPart {
    BaseBranch,
    Branch,
    Builder,
    Reviewer,
    /// The file of a ticket.
    Path(TicketIndex),
    /// The limits of a ticket, or of the epic where it has none of its own.
    Limits(TicketIndex),
}

/// Where the parts stand. What the epic does not say stands at its id.
#[derive(Debug, Clone, PartialEq)]
struct Spots {
    id: Spot,
    base_branch: Option<Spot>,
    branch: Option<Spot>,
    builder: Option<Spot>,
    reviewer: Option<Spot>,
    limits: Option<Spot>,
    tickets: Vec<TicketSpots>,
}

/// Where the parts of a ticket stand.
#[derive(Debug, Clone, PartialEq)]
struct TicketSpots {
    path: Spot,
    limits: Option<Spot>,
}

impl Spots {
    fn of(&self, part: EpicPart) -> Spot {
        let said = match part {
            EpicPart::BaseBranch => self.base_branch,
            EpicPart::Branch => self.branch,
            EpicPart::Builder => self.builder,
            EpicPart::Reviewer => self.reviewer,
            EpicPart::Path(ticket) => self.tickets.get(ticket.0).map(|ticket| ticket.path),
            EpicPart::Limits(ticket) => {
                self.tickets.get(ticket.0).and_then(|ticket| ticket.limits).or(self.limits)
            }
        };
        said.unwrap_or(self.id)
    }
}

impl EpicDocument {
    /// `file` is how messages call it.
    pub fn parse(file: &str, text: &str) -> Result<EpicDocument, Problems> {
        EpicFile::parse(file, text).map(|epic| epic.document)
    }
}

impl EpicFile {
    /// Everything that is wrong is found at once; only what is no YAML at all hides the rest.
    pub fn parse(file: &str, text: &str) -> Result<EpicFile, Problems> {
        EpicFile::taken(file, text, Taking::AsPublished)
    }

    /// The text that a run was begun with. What was taken then is taken now, also where it is no longer.
    pub fn parse_begun(file: &str, text: &str) -> Result<EpicFile, Problems> {
        EpicFile::taken(file, text, Taking::AsBegun)
    }

    fn taken(file: &str, text: &str, taking: Taking) -> Result<EpicFile, Problems> {
        let node = yaml::parse(file, text, EXAMPLE).map_err(|error| no_yaml(text, error))?;
        let mut reader = Reader::taking(taking);
        let read = reader.fields(&node, "the epic", &KEYS).and_then(|fields| document(&mut reader, &fields));
        match (reader.problems(file, text), read) {
            (None, Some((document, spots))) => {
                Ok(EpicFile { name: file.to_owned(), document, text: text.to_owned(), spots })
            }
            (Some(problems), _) => Err(problems),
            (None, None) => Err(Problems {
                problems: vec![Problem::about(ProblemSeverity::Error, file, "it is no epic", EXAMPLE)],
                left_out: 0,
            }),
        }
    }

    /// A problem with what the epic says there, shown where it says so.
    pub fn problem_with(
        &self,
        part: EpicPart,
        severity: ProblemSeverity,
        message: impl Into<String>,
        expected: impl Into<String>,
    ) -> Problem {
        let spot = self.spots.of(part);
        let lines: Vec<&str> = self.text.lines().collect();
        let excerpt = Excerpt::from(&lines, spot.at, spot.length);
        problem_at(&self.name, spot, excerpt, severity, &message.into(), &expected.into())
    }
}

/// What a reviewer needs of an epic, strictly; the rest of it is somebody else's business.
pub(crate) fn for_review(path: &str, text: &str) -> Result<Epic, ConfigError> {
    let node = yaml::parse(path, text, EXAMPLE)?;
    let mut reader = Reader::default();
    let read =
        reader.some_fields(&node, "the epic", &["id", "title", "coordination_requirements"]).map(|fields| {
            let id = reader.required(&fields, "id", "the epic", "a short name");
            Epic {
                path: path.to_owned(),
                id: id.and_then(|node| reader.text(node, "id")).unwrap_or_default(),
                title: fields.get("title").and_then(|node| reader.text(node, "title")).unwrap_or_default(),
                coordination: coordination(&mut reader, &fields),
            }
        });
    match (reader.problems(path, text), read) {
        (None, Some(epic)) => Ok(epic),
        (Some(problems), _) => Err(first(problems, path)),
        (None, None) => Err(ConfigError::new(path, "it is no epic", EXAMPLE)),
    }
}

fn first(problems: Problems, path: &str) -> ConfigError {
    match problems.problems.into_iter().next() {
        Some(problem) => ConfigError {
            file: problem.file,
            at: problem.at.map(|at| (at.line, at.column)),
            message: problem.message,
            hint: format!("expected: {}", problem.expected),
        },
        None => ConfigError::new(path, "it is no epic", EXAMPLE),
    }
}

fn no_yaml(text: &str, error: ConfigError) -> Problems {
    let (message, expected) = syntax::plainly(&error.message, &error.hint);
    let (line, column) = error.at.unwrap_or((1, 1));
    let spot = Spot { at: Position { line: line.max(1), column: column.max(1) }, length: 1 };
    let lines: Vec<&str> = text.lines().collect();
    let excerpt = Excerpt::from(&lines, spot.at, spot.length);
    let problem = problem_at(&error.file, spot, excerpt, ProblemSeverity::Error, &message, &expected);
    Problems { problems: vec![problem], left_out: 0 }
}

/// `None` if something without which there is no epic could not be read; that is among the problems then.
fn document(reader: &mut Reader, fields: &Fields<'_>) -> Option<(EpicDocument, Spots)> {
    let id = reader
        .required(fields, "id", "the epic", "a short name for its branch")
        .and_then(|node| settings::id(reader, node));
    let title = fields.get("title").and_then(|node| reader.text(node, "title")).unwrap_or_default();
    let base_branch =
        fields.get("base_branch").and_then(|node| settings::branch(reader, node, "base_branch"));
    let branch = fields.get("branch").and_then(|node| settings::branch(reader, node, "branch"));
    settings::branches_apart(reader, fields, base_branch.as_ref(), branch.as_ref());
    let review = fields.get("review").and_then(|node| settings::review(reader, node)).unwrap_or_default();
    let builder = fields.get("builder").and_then(|node| settings::brain(reader, node, "builder"));
    let reviewer = fields.get("reviewer").and_then(|node| settings::brain(reader, node, "reviewer"));
    let parallel =
        fields.get("parallel").and_then(|node| reader.whole_u32(node, "parallel", 1..=MOST_PARALLEL));
    let tickets = tickets::read(reader, fields);
    let coordination_requirements = coordination(reader, fields);
    let commands = fields.get("commands").map(|node| settings::commands(reader, node)).unwrap_or_default();
    let limits = fields.get("limits").map(|node| limits::epic(reader, node)).unwrap_or_default();
    let id = id?;
    let branch = branch.or_else(|| BranchName::parse(&format!("epic/{id}")).ok())?;
    let (tickets, places): (Vec<TicketEntry>, Vec<TicketSpots>) = tickets.into_iter().unzip();
    let spot = |key: &str| fields.get(key).map(|node| node.spot);
    let spots = Spots {
        id: spot("id")?,
        base_branch: spot("base_branch"),
        branch: spot("branch"),
        builder: spot("builder"),
        reviewer: spot("reviewer"),
        limits: fields.get("limits").map(limits::spot),
        tickets: places,
    };
    let document = EpicDocument {
        id,
        title,
        base_branch,
        branch,
        review,
        builder,
        reviewer,
        parallel: parallel.unwrap_or_else(default_parallel),
        tickets,
        coordination_requirements,
        commands,
        limits,
    };
    Some((document, spots))
}

fn coordination(reader: &mut Reader, fields: &Fields<'_>) -> Coordination {
    fields.get("coordination_requirements").map(|node| coordination::read(reader, node)).unwrap_or_default()
}

/// The id of a ticket or epic in a text, or a note of what is wrong with it.
fn ticket_id(reader: &mut Reader, node: &Node, text: &str) -> Option<TicketId> {
    match TicketId::parse(text) {
        Ok(id) => Some(id),
        Err(reason) => {
            let shown = crate::text::brief_line(text);
            reader.error(node.spot, format!("the id `{shown}` {reason}"), super::id::EXPECTED);
            None
        }
    }
}
