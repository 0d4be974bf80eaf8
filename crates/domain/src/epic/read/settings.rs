use super::super::TicketId;
use super::super::document::Commands;
use super::super::limits::MOST_SECONDS;
use super::super::yaml::{Node, Value};
use super::reader::{Fields, Reader, found};
use super::ticket_id;
use crate::assignments::BranchName;
use crate::cycle::ReviewMode;
use crate::text::brief_line;

pub(super) fn id(reader: &mut Reader, node: &Node) -> Option<TicketId> {
    let text = reader.text(node, "id")?;
    ticket_id(reader, node, &text)
}

pub(super) fn branch(reader: &mut Reader, node: &Node, name: &str) -> Option<BranchName> {
    let text = reader.text(node, name)?;
    match BranchName::parse(&text) {
        Ok(branch) => Some(branch),
        Err(invalid) => {
            let message = format!("`{name}` is `{}`, which {}", brief_line(&text), invalid.reason);
            reader.error(node.spot, message, "the name of a branch, as `epic/auth`");
            None
        }
    }
}

/// The epic branch is neither its own base nor in the way of the tickets' branches.
pub(super) fn branches_apart(
    reader: &mut Reader,
    fields: &Fields<'_>,
    base: Option<&BranchName>,
    branch: Option<&BranchName>,
) {
    let (Some(branch), Some(node)) = (branch, fields.get("branch")) else { return };
    if base == Some(branch) {
        let message = format!("`branch` is `{branch}`, and so is `base_branch`");
        reader.error(node.spot, message, "a branch of its own, so that unfinished work stays off its base");
    }
    let name = branch.as_str();
    if name == "ticket" || name.starts_with("ticket/") {
        let message = format!("`branch` is `{branch}`, which is in the way of the tickets' branches");
        reader.error(node.spot, message, "a branch that is not `ticket` or below `ticket/`");
    }
}

/// `on` and `off`, which some readers of YAML take for yes and no.
pub(super) fn review(reader: &mut Reader, node: &Node) -> Option<ReviewMode> {
    let mode = match &node.value {
        Value::Bool { value, .. } => Some(if *value { ReviewMode::On } else { ReviewMode::Off }),
        Value::Text(text) if text == "on" => Some(ReviewMode::On),
        Value::Text(text) if text == "off" => Some(ReviewMode::Off),
        Value::Text(text) if reader.takes_what_was_begun() => match text.to_ascii_lowercase().as_str() {
            "on" | "yes" | "y" => Some(ReviewMode::On),
            "off" | "no" | "n" => Some(ReviewMode::Off),
            _ => None,
        },
        Value::Text(_) | Value::Nothing | Value::Number { .. } | Value::List(_) | Value::Map(_) => None,
    };
    if mode.is_none() {
        reader.error(node.spot, format!("`review` is {}", found(node)), "`on` or `off`");
    }
    mode
}

/// Whether there is such an agent, `countersign.yaml` decides.
pub(super) fn brain(reader: &mut Reader, node: &Node, name: &str) -> Option<String> {
    let text = reader.words(node, name)?;
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '@' | ':');
    if text.len() > 64 || !text.chars().all(plain) {
        let expected = "`rules`, `model`, or the name of an agent of countersign.yaml";
        reader.error(node.spot, format!("`{name}` is `{}`", brief_line(&text)), expected);
        return None;
    }
    Some(text)
}

pub(super) fn commands(reader: &mut Reader, node: &Node) -> Commands {
    const KEYS: [&str; 6] = ["test", "lint", "coverage", "coverage_minimum", "timeout", "environment"];
    let Some(fields) = reader.fields(node, "`commands`", &KEYS) else { return Commands::default() };
    let mut command = |key: &str| fields.get(key).and_then(|node| reader.text(node, key));
    let (test, lint, coverage) = (command("test"), command("lint"), command("coverage"));
    let minimum = fields
        .get("coverage_minimum")
        .and_then(|node| reader.whole(node, "coverage_minimum", 0..=100))
        .and_then(|minimum| u8::try_from(minimum).ok());
    let timeout = fields.get("timeout").and_then(|node| reader.whole_u32(node, "timeout", 1..=MOST_SECONDS));
    let environment = fields.get("environment").map(|node| variables(reader, node));
    Commands { test, lint, coverage, coverage_minimum: minimum, timeout, environment }
}

fn variables(reader: &mut Reader, node: &Node) -> Vec<String> {
    let mut names = Vec::new();
    for item in reader.list(node, "environment", "a list of variables, `[CI, DATABASE_URL]`") {
        let Some(name) = reader.words(item, "environment") else { continue };
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if !name.chars().all(plain) || name.starts_with(|c: char| c.is_ascii_digit()) {
            let message = format!("`{}` is not the name of a variable", brief_line(&name));
            reader.error(
                item.spot,
                message,
                "names alone, as `DATABASE_URL`; values come from the environment",
            );
        } else {
            names.push(name);
        }
    }
    names
}
