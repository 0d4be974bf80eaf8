//! Which events start a workflow of GitHub.

use std::collections::HashSet;

use super::exempt::is_usual_path;
use super::listing::lists_of_yaml;
use super::tools::runs_checks;
use crate::context::FileContext;
use crate::source::Source;

/// How a workflow looks at fewer changes than before.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Fewer {
    /// Not at proposals any more, and perhaps at nothing.
    Proposals { runs_on_push: bool },
    /// Not where only such files changed.
    Paths { pattern: String },
}

/// Of a workflow that looked for mistakes.
pub(super) fn fewer(file: &FileContext<'_>) -> Option<Fewer> {
    const PROPOSED: [&str; 3] = ["pull_request", "pull_request_target", "merge_group"];
    if !file.change.path().as_bytes().starts_with(b".github/workflows/") {
        return None;
    }
    let (base, head) = (file.base()?, file.head()?);
    let (was, is) = (events(base), events(head));
    let is_same = was == is && !mentions_paths(head);
    if is_same || !runs_checks(base.text()) || !runs_checks(head.text()) {
        return None;
    }
    let asked = |events: &HashSet<String>| PROPOSED.iter().any(|event| events.contains(*event));
    let called = is.contains("workflow_call");
    if asked(&was) && !asked(&is) && !called && !is.is_empty() {
        return Some(Fewer::Proposals { runs_on_push: is.contains("push") });
    }
    let known: HashSet<String> = ignored(base).into_iter().collect();
    let pattern = ignored(head).into_iter().find(|one| !known.contains(one) && !is_usual_path(one))?;
    Some(Fewer::Paths { pattern })
}

fn mentions_paths(source: &Source) -> bool {
    memchr::memmem::find(source.text(), b"paths-ignore").is_some()
}

fn ignored(source: &Source) -> Vec<String> {
    if !mentions_paths(source) {
        return Vec::new();
    }
    let listed = lists_of_yaml(source.text(), &["paths-ignore"]);
    listed.into_iter().map(|(_, pattern, _)| pattern).collect()
}

/// `on: push`, `on: [push, pull_request]`, or as keys or items below it.
fn events(source: &Source) -> HashSet<String> {
    let text = String::from_utf8_lossy(source.text());
    let mut lines = text.lines().map(|line| line.split(" #").next().unwrap_or_default());
    let is_on = |line: &&str| ["on:", "\"on\":", "'on':"].iter().any(|key| line.starts_with(key));
    let Some(first) = lines.find(is_on) else { return HashSet::new() };
    let behind = first.split_once(':').map(|(_, behind)| behind).unwrap_or_default();
    let named = |text: &str| -> Vec<String> {
        let parts =
            text.split([',', '[', ']', '{', '}']).map(|part| part.split(':').next().unwrap_or_default());
        parts
            .map(|part| part.trim().trim_matches(['"', '\'']).to_owned())
            .filter(|part| !part.is_empty())
            .collect()
    };
    let mut found: HashSet<String> = named(behind).into_iter().collect();
    let mut level = None;
    for line in lines {
        let code = line.trim_start();
        let indent = line.len() - code.len();
        let is_item = code.starts_with("- ");
        if code.is_empty() || code.starts_with('#') {
            continue;
        }
        if indent == 0 && !is_item {
            break;
        }
        if *level.get_or_insert(indent) == indent {
            found.extend(named(code.trim_start_matches("- ")).into_iter().take(1));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Language;

    #[test]
    fn events_stand_behind_or_below() {
        let read = |text: &str| {
            let mut found: Vec<String> =
                events(&Source::new(bytes::Bytes::from(text.to_owned()), Language::Settings))
                    .into_iter()
                    .collect();
            found.sort();
            found
        };
        assert_eq!(read("on: push\njobs:\n"), ["push"]);
        assert_eq!(read("name: a\non: [push, pull_request] # all\n"), ["pull_request", "push"]);
        assert_eq!(
            read("on:\n  # x\n  push:\n    branches: [main]\n\n  pull_request:\njobs:\n  a:\n"),
            ["pull_request", "push"]
        );
        assert_eq!(read("'on':\n- push\n- merge_group\njobs:\n"), ["merge_group", "push"]);
    }
}
