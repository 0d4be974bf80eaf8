use std::collections::HashSet;

use crate::context::FileContext;
use crate::rules::switches_off;

/// Lines that a change adds to files of tests and that switch tests off, whatever reason they give: `path:line`.
pub(super) fn added(file: &FileContext<'_>) -> Vec<String> {
    let Some(head) = file.head() else { return Vec::new() };
    let before: HashSet<&[u8]> = file.change.removed().map(|(_, text)| text.trim_ascii()).collect();
    let is_support = file.change.path().to_str().is_some_and(|path| path.ends_with("conftest.py"));
    let here = |number: u32| is_support || file.in_test(number);
    let is_new = |text: &[u8]| !before.contains(text.trim_ascii());
    file.added()
        .filter(|line| is_new(line.text) && here(line.number) && switches_off(line, file, head))
        .map(|line| format!("{}:{}", file.change.path(), line.number))
        .collect()
}
