//! What of Confluence's query language finds pages.

use crate::forge::model::page::Page;
use crate::forge::query::{Clause, Query, has_words};

const FIELDS: [&str; 8] = ["title", "text", "space", "space.key", "label", "type", "id", "sitesearch"];

pub(super) fn parse(text: &str) -> Result<Query, String> {
    let query = Query::parse(text, &FIELDS)?;
    if query.clauses.is_empty() {
        return Err("The query is empty.".to_owned());
    }
    Ok(query)
}

pub(super) fn run<'a>(query: &Query, pages: &'a [Page]) -> Vec<&'a Page> {
    let fits = |page: &&Page| {
        let holds = |clause: &Clause| {
            clause.holds(
                |value| equals(&clause.field, page, value),
                |value| contains(&clause.field, page, value),
            )
        };
        query.clauses.iter().all(holds)
    };
    let mut found: Vec<&Page> = pages.iter().filter(fits).collect();
    if query.descending {
        found.reverse();
    }
    found
}

fn equals(field: &str, page: &Page, value: &str) -> bool {
    match field {
        "title" => page.title.eq_ignore_ascii_case(value),
        "space" | "space.key" => page.space.eq_ignore_ascii_case(value),
        "label" => page.labels.iter().any(|label| label == value),
        "type" => value == "page",
        "id" => page.id.to_string() == value,
        _ => contains(field, page, value),
    }
}

fn contains(field: &str, page: &Page, value: &str) -> bool {
    match field {
        "title" => has_words(&page.title, value),
        _ => has_words(&format!("{} {}", page.title, page.words()), value),
    }
}
