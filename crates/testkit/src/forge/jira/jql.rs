//! As much of Jira's query language as finds tickets: comparisons joined by AND, with an order at the end.

use crate::forge::model::ticket::{Text, Ticket};

use super::adf;

#[derive(Debug, Clone)]
pub(super) struct Query {
    clauses: Vec<Clause>,
    descending: bool,
}

#[derive(Debug, Clone)]
struct Clause {
    field: String,
    operator: String,
    values: Vec<String>,
}

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

impl Query {
    pub(super) fn parse(text: &str) -> Result<Query, String> {
        let mut words = words(text)?;
        let lower: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
        let order = lower.windows(2).position(|pair| pair == ["order", "by"]);
        let descending = order.is_some_and(|at| lower[at..].iter().any(|word| word == "desc"));
        words.truncate(order.unwrap_or(words.len()));
        let mut clauses = Vec::new();
        let mut rest = words.as_slice();
        while !rest.is_empty() {
            let (clause, after) = clause(rest)?;
            clauses.push(clause);
            rest = match after {
                [and, after @ ..] if and.eq_ignore_ascii_case("and") && !after.is_empty() => after,
                [] => &[],
                [other, ..] => {
                    return Err(format!("Error in the JQL Query: Expecting 'AND' but got '{other}'."));
                }
            };
        }
        Ok(Query { clauses, descending })
    }

    /// Cloud refuses to search everything.
    pub(super) fn is_bounded(&self) -> bool {
        !self.clauses.is_empty()
    }

    pub(super) fn run<'a>(&self, tickets: &'a [Ticket]) -> Vec<&'a Ticket> {
        let mut found: Vec<&Ticket> =
            tickets.iter().filter(|ticket| self.clauses.iter().all(|clause| clause.holds(ticket))).collect();
        if self.descending {
            found.reverse();
        }
        found
    }
}

/// Quoted texts, brackets, commas and operators are words of their own.
fn words(text: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            quote @ ('"' | '\'') => {
                let mut word = String::new();
                loop {
                    match letters.next() {
                        Some('\\') => word.extend(letters.next()),
                        Some(end) if end == quote => break,
                        Some(inside) => word.push(inside),
                        None => {
                            return Err("Error in the JQL Query: The quoted string has not been completed."
                                .to_owned());
                        }
                    }
                }
                words.push(word);
            }
            '(' | ')' | ',' => words.push(letter.to_string()),
            '=' | '~' | '!' | '<' | '>' => {
                let mut word = letter.to_string();
                word.extend(letters.next_if(|next| matches!(next, '=' | '~')));
                words.push(word);
            }
            space if space.is_whitespace() => {}
            _ => {
                let mut word = letter.to_string();
                while let Some(next) =
                    letters.next_if(|next| !next.is_whitespace() && !"(),=~!<>\"'".contains(*next))
                {
                    word.push(next);
                }
                words.push(word);
            }
        }
    }
    Ok(words)
}

fn clause(words: &[String]) -> Result<(Clause, &[String]), String> {
    let [field, operator, rest @ ..] = words else {
        return Err("Error in the JQL Query: Expecting operator before the end of the query.".to_owned());
    };
    let field = field.to_lowercase();
    if !FIELDS.contains(&field.as_str()) {
        return Err(format!("Field '{field}' does not exist or you do not have permission to view it."));
    }
    let operator = operator.to_lowercase();
    let (operator, rest) = match (operator.as_str(), rest) {
        ("not", [word, rest @ ..]) if word.eq_ignore_ascii_case("in") => ("not in".to_owned(), rest),
        _ => (operator, rest),
    };
    match (operator.as_str(), rest) {
        ("in" | "not in", [open, rest @ ..]) if open == "(" => {
            let end =
                rest.iter().position(|word| word == ")").ok_or("Error in the JQL Query: Expecting ')'.")?;
            let values = rest[..end].iter().filter(|word| *word != ",").cloned().collect();
            Ok((Clause { field, operator, values }, &rest[end + 1..]))
        }
        ("=" | "!=" | "~" | "!~", [value, rest @ ..]) => {
            Ok((Clause { field, operator, values: vec![value.clone()] }, rest))
        }
        _ => Err(format!("Error in the JQL Query: Expecting operator but got '{operator}'.")),
    }
}

impl Clause {
    fn holds(&self, ticket: &Ticket) -> bool {
        let any = |test: &dyn Fn(&str) -> bool| self.values.iter().any(|value| test(value));
        match self.operator.as_str() {
            "=" | "in" => any(&|value| self.equals(ticket, value)),
            "!=" | "not in" => !any(&|value| self.equals(ticket, value)),
            "~" => any(&|value| self.contains(ticket, value)),
            _ => !any(&|value| self.contains(ticket, value)),
        }
    }

    fn equals(&self, ticket: &Ticket, value: &str) -> bool {
        match self.field.as_str() {
            "project" => ticket.project().eq_ignore_ascii_case(value),
            "status" => ticket.status.eq_ignore_ascii_case(value),
            "issuetype" => ticket.kind.eq_ignore_ascii_case(value),
            "labels" => ticket.labels.iter().any(|label| label == value),
            "id" => ticket.id.to_string() == value || ticket.key.eq_ignore_ascii_case(value),
            _ => ticket.key.eq_ignore_ascii_case(value),
        }
    }

    fn contains(&self, ticket: &Ticket, value: &str) -> bool {
        let description = match &ticket.description {
            Some(Text::Wiki(wiki)) => wiki.clone(),
            Some(Text::Document(document)) => adf::to_wiki(document),
            None => String::new(),
        };
        let within = match self.field.as_str() {
            "summary" => ticket.summary.clone(),
            "description" => description,
            _ => format!("{} {description} {}", ticket.summary, ticket.said().join(" ")),
        };
        let within = within.to_lowercase();
        value.to_lowercase().split_whitespace().all(|word| within.contains(word.trim_matches(['*', '"'])))
    }
}
