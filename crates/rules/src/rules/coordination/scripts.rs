//! The scripts of a package by which its tests and linters are run.

use serde_json::{Map, Value};

use crate::context::FileContext;
use crate::pattern::Pattern;
use crate::source::Source;

/// What runs nothing.
static IDLE: Pattern =
    Pattern::new(r"^\s*(?:echo\b[^&|;]*|true|:|exit 0|exit|)\s*(?:(?:&&|;)\s*(?:exit 0|true)\s*)?$");

/// The line of a script that looked for mistakes before, and does nothing now.
pub(super) fn idle_script(file: &FileContext<'_>) -> Option<u32> {
    const CHECKS: [&str; 8] =
        ["test", "tests", "lint", "check", "typecheck", "type-check", "test:unit", "test:ci"];
    if file.change.path().file_name() != b"package.json" {
        return None;
    }
    let (was, is) = (scripts(file.base()?)?, scripts(file.head()?)?);
    let text =
        |all: &Map<String, Value>, name: &str| all.get(name).and_then(Value::as_str).map(str::to_owned);
    let is_idle = |script: &str| IDLE.regex().is_match(script.as_bytes());
    let name = CHECKS.into_iter().find(|name| match (text(&was, name), text(&is, name)) {
        (Some(was), Some(is)) => !is_idle(&was) && !was.contains("no test specified") && is_idle(&is),
        _ => false,
    })?;
    let key = format!("\"{name}\"");
    let mut lines = file.added().filter(|line| memchr::memmem::find(line.text, key.as_bytes()).is_some());
    lines.next().map(|line| line.number)
}

fn scripts(source: &Source) -> Option<Map<String, Value>> {
    match serde_json::from_slice::<Value>(source.text()).ok()?.get_mut("scripts")?.take() {
        Value::Object(scripts) => Some(scripts),
        _ => None,
    }
}
