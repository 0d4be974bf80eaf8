use std::sync::OnceLock;

use regex::Regex;

use super::document::{Quality, TestDocument};
use super::read::Wrong;
use super::shapes::{OneOrMany, Selector};
use super::slow::is_slow;
use crate::flow::{ENTRY_HOLE, Flow, HOLE, OWN_HOLE, Origin, SEEN_HOLE, Use, Value};
use crate::pattern::Pattern;

/// A condition on a part of what was found, ready to be asked.
#[derive(Debug)]
pub(super) struct Test {
    pub(super) subject: Subject,
    is: Vec<Quality>,
    not: Vec<Quality>,
    matches: Option<Expression>,
    differs: Option<Expression>,
    of_type: Option<Expression>,
    named: Option<Expression>,
    pub(super) missing: bool,
    /// What its rule speaks of.
    used: Use,
}

/// What a value is where a rule finds it.
pub(super) fn use_of(rule: &str) -> Use {
    match rule {
        "command-injection"
        | "sql-injection"
        | "code-injection"
        | "template-injection"
        | "cross-site-scripting"
        | "ldap-injection"
        | "xpath-injection"
        | "nosql-injection" => Use::Code,
        "path-traversal" | "archive-extraction" => Use::Path,
        "request-forgery" | "open-redirect" => Use::Address,
        _ => Use::Other,
    }
}

/// A regular expression of a document, compiled when it is first asked: hundreds of documents have one, and a change meets
/// few of them.
#[derive(Debug)]
struct Expression {
    source: String,
    /// `None` for what is no regular expression, which [`Test::check`] tells.
    compiled: OnceLock<Option<Regex>>,
}

impl Expression {
    fn new(source: &str) -> Self {
        Expression { source: source.to_owned(), compiled: OnceLock::new() }
    }

    fn is_match(&self, text: &str) -> bool {
        let compiled = self.compiled.get_or_init(|| compile(&self.source).ok());
        compiled.as_ref().is_some_and(|regex| regex.is_match(text))
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Subject {
    Argument(Vec<Selector>),
    /// Any of the arguments.
    Any,
    Variable(String),
}

impl Test {
    pub(super) fn new(document: &TestDocument, used: Use) -> Result<Test, Wrong> {
        let subject = match (&document.argument, &document.variable) {
            (Some(OneOrMany::One(Selector::Name(any))), None) if any == "any" => Subject::Any,
            (Some(argument), None) => Subject::Argument(argument.as_slice().to_vec()),
            (None, Some(variable)) => Subject::Variable(variable.trim_start_matches('$').to_owned()),
            _ => {
                let wrong = "a condition is about an `argument` or a `variable`, one of the two";
                return Err(Wrong::new(wrong, "`argument: 0`, `argument: shell` or `variable: RECEIVER`"));
            }
        };
        let list = |qualities: &OneOrMany<Quality>| qualities.as_slice().to_vec();
        Ok(Test {
            subject,
            is: list(&document.is),
            not: list(&document.not),
            matches: document.matches.as_deref().map(Expression::new),
            differs: document.differs.as_deref().map(Expression::new),
            of_type: document.of_type.as_deref().map(Expression::new),
            named: document.named.as_deref().map(Expression::new),
            missing: document.missing,
            used,
        })
    }

    pub(super) fn is_about(&self, used: Use) -> bool {
        self.used == used
    }

    /// Whether it asks for a query, and what this one was put together from is not shown to come from outside and stands where
    /// whole clauses stand: what a helper gives is more often written in the program than not.
    pub(super) fn doubts<'t>(&self, part: Option<tree_sitter::Node<'t>>, flow: &Flow<'t>) -> bool {
        self.is.contains(&Quality::Sql)
            && part.map(|part| flow.value(part)).is_some_and(|value| {
                value.origin == Origin::Unknown && is_put_together_of_clauses(&value.text)
            })
    }

    /// Whether it asks for something, and its regular expressions are such.
    pub(super) fn check(&self) -> Result<(), Wrong> {
        let all = [&self.matches, &self.differs, &self.of_type, &self.named];
        if self.is.is_empty() && self.not.is_empty() && !self.missing && all.iter().all(|one| one.is_none()) {
            let hint = "add one of `is`, `not`, `matches`, `differs`, `type`, `named` and `missing: true`";
            return Err(Wrong::new("this condition says what it is about, and not what has to be so", hint));
        }
        all.into_iter().flatten().try_for_each(|one| compile(&one.source).map(drop))
    }

    /// Whether the part is as it has to be. `None`: it is not there.
    pub(super) fn holds<'t>(&self, part: Option<tree_sitter::Node<'t>>, flow: &Flow<'t>) -> bool {
        let Some(part) = part else {
            return self.missing
                || self.is.is_empty()
                    && self.matches.is_none()
                    && self.of_type.is_none()
                    && self.named.is_none();
        };
        if self.missing {
            return false;
        }
        if self.of_type.as_ref().is_some_and(|pattern| !pattern.is_match(&flow.type_of(part))) {
            return false;
        }
        if self.named.as_ref().is_some_and(|pattern| !pattern.is_match(&flow.name_of(part))) {
            return false;
        }
        let value = flow.value(part);
        let value = match value.is_dynamic() && value.is_harmless_as(self.used) {
            true => Value { origin: Origin::Clean, ..value },
            false => value,
        };
        let text = match (value.origin, part.kind()) {
            (_, "object" | "dictionary") => flow.text_of(part),
            (Origin::Constant, _) => value.text.as_str(),
            _ => flow.text_of(part),
        };
        (self.is.is_empty() || self.is.iter().any(|quality| has(*quality, &value)))
            && !self.not.iter().any(|quality| has(*quality, &value))
            && self.matches.as_ref().is_none_or(|pattern| pattern.is_match(text))
            && !self.differs.as_ref().is_some_and(|pattern| pattern.is_match(text))
    }
}

fn compile(pattern: &str) -> Result<Regex, Wrong> {
    regex::RegexBuilder::new(pattern).size_limit(1 << 20).build().map_err(|error| {
        let reason = error.to_string();
        let last = reason.lines().last().unwrap_or_default().trim();
        let wrong = format!("`{pattern}` is not a regular expression: {last}");
        let hint = "they are those of Rust's `regex`, without look-around; in double quotes a backslash is written twice";
        Wrong::new(wrong, hint)
    })
}

static QUERY: Pattern = Pattern::new(
    r"(?i)(?:^|[\s(\x22'`;])(?:select\s|insert\s+into\s|update\s+\S+\s+set\s|delete\s+from\s|drop\s+(?:table|database|index|view|user)\s|create\s+(?:table|database|index|view|user)\s|alter\s+(?:table|user)\s|truncate\s+table\s|grant\s+(?:select|all|insert|update)\b|exec(?:ute)?\s+(?:sp_|dbo\.|@)|call\s+\w+\s*\(|merge\s+into\s|replace\s+into\s|union\s+(?:all\s+)?select|where\s+\S+\s*(?:=|like|in)|order\s+by\s|from\s+\S+\s+where\s)",
);

/// A little may stand between the shell and its option: another shell, where which of the two it is was chosen before.
static SHELL: Pattern = Pattern::new(
    r"(?i)(?:^|[\s/])(?:(?:ba|da|k|z|c)?sh|cmd(?:\.exe)?|powershell(?:\.exe)?)\s+(?:(?:\S*sh|cmd(?:\.exe)?|powershell(?:\.exe)?)\s+)?(?:-[a-z]*c\b|/c\b)",
);

static MARKUP: Pattern = Pattern::new(r"</?[a-zA-Z][a-zA-Z0-9]*(?:\s|>|/|\x01|\x02)");

fn has(quality: Quality, value: &Value) -> bool {
    match quality {
        Quality::Constant => value.origin == Origin::Constant,
        Quality::Dynamic => value.is_dynamic(),
        Quality::Tainted => value.origin == Origin::Tainted,
        Quality::Input => value.origin >= Origin::Local,
        Quality::Outside => value.origin >= Origin::Parameter,
        Quality::Built => value.built && value.is_dynamic(),
        Quality::Sql => value.built && value.is_dynamic() && QUERY.regex().is_match(value.text.as_bytes()),
        Quality::SqlValue => {
            value.built && value.is_dynamic() && COMPARED.regex().is_match(value.text.as_bytes())
        }
        Quality::Html => value.built && value.is_dynamic() && MARKUP.regex().is_match(value.text.as_bytes()),
        Quality::Shell => value.is_dynamic() && SHELL.regex().is_match(value.text.as_bytes()),
        Quality::Entry => value.is_dynamic() && value.text.contains(ENTRY_HOLE),
        Quality::Below => value.below,
        Quality::OneLine => value.one_line,
        Quality::SlowPattern => value.origin == Origin::Constant && is_slow(&value.text),
        Quality::Target => value.origin == Origin::Tainted && names_host(&value.text),
    }
}

/// What a column is compared with, where that is not written in the program.
static COMPARED: Pattern =
    Pattern::new(r"(?i)\w\s*(?:[=<>]|\bi?like\b|\bin\b)\s*\(?\s*['\x22]?%?[\x01\x02\x04]");

/// What stands before a value in a query, and never before a clause or the name of a column.
static VALUE: Pattern = Pattern::new(r"(?i)(?:['\x22%=<>]|\b(?:i?like|rlike|regexp|between))\s*$");

/// Whether all that is put into a query stands where clauses do, and nothing of it is what a function was passed.
fn is_put_together_of_clauses(query: &str) -> bool {
    const LONGEST: usize = 24;
    let is_clause = |at: usize| !VALUE.regex().is_match(&query.as_bytes()[at.saturating_sub(LONGEST)..at]);
    let mut holes = query.match_indices(OWN_HOLE).map(|(at, _)| at).peekable();
    holes.peek().is_some() && !query.contains(SEEN_HOLE) && holes.all(is_clause)
}

/// Whether what is put in can decide where an address leads: nothing before it, constant or the program's own, says the
/// host. Of several possible addresses, each on its line, one is enough.
fn names_host(text: &str) -> bool {
    text.contains(HOLE) && text.lines().filter(|line| line.contains(HOLE)).any(line_names_host)
}

fn line_names_host(text: &str) -> bool {
    let before = text.split(HOLE).next().unwrap_or_default().trim_start();
    if before.contains(OWN_HOLE) {
        return false;
    }
    let path = match before.split_once("://") {
        Some((_, rest)) => rest.find('/'),
        None => match before.strip_prefix("//") {
            Some(rest) => rest.find('/'),
            None => before.find('/').filter(|_| before.len() > 1),
        },
    };
    path.is_none() && !before.contains(['?', '#'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_fixed_once_its_host_is() {
        for (text, open) in [
            ("\u{1}", true),
            ("https://\u{1}", true),
            ("https://\u{1}.example.com/", true),
            ("//\u{1}", true),
            ("https://example.com/\u{1}", false),
            ("/users/\u{1}", false),
            ("?next=\u{1}", false),
            ("index.html?next=\u{1}", false),
            ("//localhost/\u{1}", false),
            ("\u{2}\u{1}", false),
            ("https://\u{2}/\u{1}", false),
            ("\u{1}\u{2}", true),
            ("/home\n\u{1}", true),
        ] {
            assert_eq!(names_host(text), open, "{text:?}");
        }
    }

    #[test]
    fn queries_are_told_from_sentences() {
        let built = |text: &str| Value { built: true, text: text.to_owned(), ..Value::of(Origin::Parameter) };
        for query in
            ["SELECT * FROM a WHERE b = \u{1}", "delete from a where x=\u{1}", "UPDATE t SET a = '\u{1}'"]
        {
            assert!(has(Quality::Sql, &built(query)), "{query}");
        }
        for other in [
            "selected \u{1}",
            "please select\u{1}",
            "Call \u{1} not made",
            "could not execute \u{1}",
            "hello \u{1}",
            "/update/\u{1}/set",
        ] {
            assert!(!has(Quality::Sql, &built(other)), "{other}");
        }
    }
}
