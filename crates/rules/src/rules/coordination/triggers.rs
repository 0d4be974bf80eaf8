//! Which events start a workflow of GitHub.

use std::collections::HashSet;

use domain::words::Severity;

use super::exempt::is_usual_path;
use super::listing::lists_of_yaml;
use super::outline::Outline;
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
    /// Only where such files changed, which are no part of the program.
    OnlyPaths { pattern: String },
    /// Not for changes to such a branch.
    Branches { pattern: String, is_all: bool },
}

impl Fewer {
    /// As what somebody lets a workflow do.
    pub(super) fn told(&self) -> (String, Severity) {
        match self {
            Fewer::Proposals { runs_on_push: false } => {
                ("no longer run for changes".to_owned(), Severity::High)
            }
            Fewer::Proposals { runs_on_push: true } => {
                ("no longer run for pull requests".to_owned(), Severity::Medium)
            }
            Fewer::Paths { pattern } => (format!("no longer run for `{pattern}`"), Severity::Medium),
            Fewer::OnlyPaths { pattern } => (format!("only run for `{pattern}`"), Severity::Medium),
            Fewer::Branches { pattern, is_all } => {
                let severity = if *is_all { Severity::High } else { Severity::Medium };
                (format!("no longer run for the branches `{pattern}`"), severity)
            }
        }
    }
}

/// Of a workflow that looked for mistakes.
pub(super) fn fewer(file: &FileContext<'_>) -> Option<Fewer> {
    const PROPOSED: [&str; 3] = ["pull_request", "pull_request_target", "merge_group"];
    if !file.change.path().as_bytes().starts_with(b".github/workflows/") {
        return None;
    }
    let (base, head) = (file.base()?, file.head()?);
    let (was, is) = (events(base), events(head));
    let is_same = was == is && !mentions_paths(head) && !mentions(head, b"branches-ignore");
    if is_same || !runs_checks(base.text()) || !runs_checks(head.text()) {
        return None;
    }
    let asked = |events: &HashSet<String>| PROPOSED.iter().any(|event| events.contains(*event));
    let called = is.contains("workflow_call");
    if asked(&was) && !asked(&is) && !called && !is.is_empty() {
        return Some(Fewer::Proposals { runs_on_push: is.contains("push") });
    }
    fewer_branches(base, head, asked(&is)).or_else(|| fewer_paths(base, head))
}

fn fewer_branches(base: &Source, head: &Source, is_proposed: bool) -> Option<Fewer> {
    const KEY: &str = "branches-ignore";
    const MAIN: [&str; 5] = ["main", "master", "develop", "dev", "trunk"];
    if !mentions(head, KEY.as_bytes()) {
        return None;
    }
    let known: HashSet<String> = listed(base, KEY).into_iter().collect();
    let outline = Outline::of(head);
    // Where proposals are looked at, a push of the same commits need not be.
    let is_of_push =
        |line: u32| is_proposed && outline.around(line).any(|above| outline.key(above) == "push");
    let new = lists_of_yaml(head.text(), &[KEY]).into_iter();
    let mut new = new.filter(|(_, one, line)| !known.contains(one) && !is_of_push(*line));
    let is_all = |pattern: &str| pattern == "**" || pattern == "*";
    let (_, pattern, _) = new.find(|(_, one, _)| is_all(one) || MAIN.contains(&one.as_str()))?;
    Some(Fewer::Branches { is_all: is_all(&pattern), pattern })
}

fn fewer_paths(base: &Source, head: &Source) -> Option<Fewer> {
    let known: HashSet<String> = listed(base, "paths-ignore").into_iter().collect();
    let ignored =
        listed(head, "paths-ignore").into_iter().find(|one| !known.contains(one) && !is_usual_path(one));
    if let Some(pattern) = ignored {
        return Some(Fewer::Paths { pattern });
    }
    let (before, now) = (listed(base, "paths"), listed(head, "paths"));
    let is_elsewhere = before.is_empty() && now.iter().all(|one| is_usual_path(one));
    now.into_iter().next().filter(|_| is_elsewhere).map(|pattern| Fewer::OnlyPaths { pattern })
}

/// Whether a workflow is started by tags and releases alone: what it runs decides over no change.
pub(super) fn is_for_releases(source: &Source) -> bool {
    const STARTS: [&str; 4] = ["push", "release", "workflow_dispatch", "create"];
    let events = events(source);
    let by_tags = !listed(source, "tags").is_empty() && !mentions(source, b"branches");
    (by_tags || events.contains("release"))
        && events.iter().all(|event| STARTS.contains(&event.as_str()))
        && (by_tags || !events.contains("push"))
}

fn mentions(source: &Source, word: &[u8]) -> bool {
    memchr::memmem::find(source.text(), word).is_some()
}

fn mentions_paths(source: &Source) -> bool {
    mentions(source, b"paths-ignore") || mentions(source, b"paths:")
}

fn listed(source: &Source, key: &'static str) -> Vec<String> {
    if !mentions(source, key.as_bytes()) {
        return Vec::new();
    }
    let listed = lists_of_yaml(source.text(), &[key]);
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
