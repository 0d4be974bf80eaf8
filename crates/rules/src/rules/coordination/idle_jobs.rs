//! Jobs of a pipeline that are still written down, and that nothing runs any more.

use std::collections::HashSet;

use crate::context::FileContext;

/// The name of a job of GitLab that became a template, or of one of CircleCI that no workflow names any more.
pub(super) fn idle_job(file: &FileContext<'_>) -> Option<String> {
    let path = file.change.path().as_bytes();
    match () {
        () if path.ends_with(b".gitlab-ci.yml") || path.starts_with(b".gitlab/ci/") => hidden(file),
        () if path.starts_with(b".circleci/") => unlisted(file),
        () => None,
    }
}

/// `test:` that is called `.test:` now.
fn hidden(file: &FileContext<'_>) -> Option<String> {
    let gone: HashSet<String> = file
        .change
        .removed()
        .filter_map(|(_, line)| top_key(line))
        .filter(|key| !key.starts_with('.'))
        .collect();
    let mut come = file.added().filter_map(|line| top_key(line.text)?.strip_prefix('.').map(str::to_owned));
    come.find(|name| gone.contains(name))
}

fn top_key(line: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(line).ok()?.trim_end();
    let key = text.strip_suffix(':').filter(|_| !line.starts_with(b" ") && !line.starts_with(b"\t"))?;
    Some(key.to_owned())
}

/// `- test` that stood in a workflow, of a job that is still there.
fn unlisted(file: &FileContext<'_>) -> Option<String> {
    let text = String::from_utf8_lossy(file.head()?.text()).into_owned();
    let item = |line: &str| {
        let name = line.trim().strip_prefix("- ")?.trim().trim_end_matches(':');
        let is_name = !name.is_empty()
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
        is_name.then(|| name.to_owned())
    };
    let mut listed: HashSet<String> = text.lines().filter_map(item).collect();
    listed.extend(text.lines().flat_map(in_brackets));
    let defined: HashSet<&str> =
        text.lines().filter_map(|line| line.strip_prefix("  ")?.strip_suffix(':')).collect();
    let removed = || file.change.removed().filter_map(|(_, line)| std::str::from_utf8(line).ok());
    let mut gone = removed().filter_map(item).chain(removed().flat_map(in_brackets));
    gone.find(|name| defined.contains(name.as_str()) && !listed.contains(name))
}

/// `jobs: [test, build]`.
fn in_brackets(line: &str) -> Vec<String> {
    let list = line.trim().strip_prefix("jobs:").map(str::trim).and_then(|list| list.strip_prefix('['));
    let names = list.unwrap_or_default().trim_end_matches(']').split(',').map(str::trim);
    names.filter(|name| !name.is_empty()).map(str::to_owned).collect()
}
