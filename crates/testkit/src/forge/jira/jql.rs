//! What of Jira's query language finds tickets.

use super::adf;
use crate::forge::model::ticket::{Text, Ticket};
use crate::forge::query::{Clause, Query, has_words};

const FIELDS: [&str; 11] = [
    "project",
    "status",
    "key",
    "issue",
    "issuekey",
    "labels",
    "summary",
    "text",
    "description",
    "issuetype",
    "id",
];

pub(super) fn parse(text: &str) -> Result<Query, String> {
    Query::parse(text, &FIELDS)
}

pub(super) fn run<'a>(query: &Query, tickets: &'a [Ticket]) -> Vec<&'a Ticket> {
    let fits = |ticket: &&Ticket| {
        let holds = |clause: &Clause| {
            clause.holds(
                |value| equals(&clause.field, ticket, value),
                |value| contains(&clause.field, ticket, value),
            )
        };
        query.clauses.iter().all(holds)
    };
    let mut found: Vec<&Ticket> = tickets.iter().filter(fits).collect();
    if query.descending {
        found.reverse();
    }
    found
}

fn equals(field: &str, ticket: &Ticket, value: &str) -> bool {
    match field {
        "project" => ticket.project().eq_ignore_ascii_case(value),
        "status" => ticket.status.eq_ignore_ascii_case(value),
        "issuetype" => ticket.kind.eq_ignore_ascii_case(value),
        "labels" => ticket.labels.iter().any(|label| label == value),
        "id" => ticket.id.to_string() == value || ticket.key.eq_ignore_ascii_case(value),
        _ => ticket.key.eq_ignore_ascii_case(value),
    }
}

fn contains(field: &str, ticket: &Ticket, value: &str) -> bool {
    let description = match &ticket.description {
        Some(Text::Wiki(wiki)) => wiki.clone(),
        Some(Text::Document(document)) => adf::to_wiki(document),
        None => String::new(),
    };
    match field {
        "summary" => has_words(&ticket.summary, value),
        "description" => has_words(&description, value),
        _ => has_words(&format!("{} {description} {}", ticket.summary, ticket.said().join(" ")), value),
    }
}
