use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A ticket or a story: a markdown document with a title and a checklist of acceptance criteria.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkItem {
    /// The file's name without its ending.
    pub id: String,
    /// As the user gave it.
    pub path: String,
    pub title: String,
    pub criteria: Vec<AcceptanceCriterion>,
    /// File paths it names in backticks.
    pub files: Vec<String>,
    /// The whole document.
    pub text: String,
}

/// One line of the checklist, and whether its author ticked it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AcceptanceCriterion {
    pub criterion: String,
    pub met: bool,
}

impl WorkItem {
    /// Any text is a work item; what it does not say stays empty.
    pub fn parse(path: &str, text: &str) -> WorkItem {
        let name = path.rsplit('/').next().unwrap_or(path);
        let id = name.strip_suffix(".md").unwrap_or(name).to_owned();
        let prose = || prose_lines(text);
        let title = prose()
            .find_map(|line| line.strip_prefix("# "))
            .map_or_else(|| id.clone(), |title| title.trim().to_owned());
        let mut files: Vec<_> = prose().flat_map(quoted_paths).collect();
        files.sort();
        files.dedup();
        let criteria = prose().filter_map(criterion).collect();
        WorkItem { id, path: path.to_owned(), title, criteria, files, text: text.to_owned() }
    }
}

/// Lines outside fenced code blocks.
fn prose_lines(text: &str) -> impl Iterator<Item = &str> {
    let mut fenced = false;
    text.lines().filter(move |line| {
        let fence = line.trim_start().starts_with("```");
        fenced ^= fence;
        !fenced && !fence
    })
}

fn criterion(line: &str) -> Option<AcceptanceCriterion> {
    let item = line.trim_start().strip_prefix(['-', '*', '+'])?.trim_start();
    let (met, text) = match item.get(..3)? {
        "[ ]" => (false, &item[3..]),
        "[x]" | "[X]" => (true, &item[3..]),
        _ => return None,
    };
    let text = text.trim();
    (!text.is_empty()).then(|| AcceptanceCriterion { criterion: text.to_owned(), met })
}

/// `src/api/auth.ts` is a path; `a/b` without an ending or `cargo run` is not.
fn quoted_paths(line: &str) -> impl Iterator<Item = String> {
    line.split('`').skip(1).step_by(2).filter(|quoted| is_path(quoted)).map(str::to_owned)
}

fn is_path(text: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || "/._-".contains(c);
    let ending = text.rsplit('/').next().and_then(|name| name.rsplit_once('.')).map(|(_, ending)| ending);
    text.contains('/')
        && !text.starts_with('/')
        && !text.contains("..")
        && text.chars().all(plain)
        && ending.is_some_and(|ending| (1..=5).contains(&ending.len()) && !ending.contains('/'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn reads_title_criteria_and_files() {
        let text = "# Log in\n\nChange `src/auth.rs` and `a/b`, run `cargo test`.\n\n\
                    - [x] Users log in\n* [ ] Errors are shown\n```\n- [ ] not this\n```\n- plain\n";
        let item = WorkItem::parse("tickets/auth-base.md", text);
        assert_eq!((item.id.as_str(), item.title.as_str()), ("auth-base", "Log in"));
        let criteria: Vec<_> = item.criteria.iter().map(|c| (c.criterion.as_str(), c.met)).collect();
        assert_eq!(criteria, [("Users log in", true), ("Errors are shown", false)]);
        assert_eq!(item.files, ["src/auth.rs"]);
    }

    proptest! {
        #[test]
        fn never_panics(path in ".*", text in "(?s).*") {
            WorkItem::parse(&path, &text);
        }
    }
}
