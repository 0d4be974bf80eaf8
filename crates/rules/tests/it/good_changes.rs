//! Changes as good agents make them: nothing here may be held up.
//!
//! In the table `== title` opens a change, `@ path` a file of it as it is after the change, and `@old path` the
//! same as it was before, where the file is not new.

use domain::words::Severity;

use crate::support::Scenario;

const TABLE: &str = include_str!("../cases/good-changes.txt");

/// Tests that were written in another form, in another place or with another framework.
const TESTS: &str = include_str!("../cases/good-tests.txt");

#[derive(Default)]
struct File<'t> {
    path: &'t str,
    old: Option<String>,
    new: String,
}

fn files(change: &str) -> Vec<File<'_>> {
    let mut files: Vec<File<'_>> = Vec::new();
    let mut is_old = false;
    for line in change.lines().skip(1) {
        if let Some(path) = line.strip_prefix("@old ") {
            files.push(File { path, old: Some(String::new()), new: String::new() });
            is_old = true;
        } else if let Some(path) = line.strip_prefix("@ ") {
            if !(is_old && files.last().is_some_and(|file| file.path == path)) {
                files.push(File { path, ..File::default() });
            }
            is_old = false;
        } else if let Some(file) = files.last_mut() {
            let text = if is_old { file.old.get_or_insert_default() } else { &mut file.new };
            text.push_str(line);
            text.push('\n');
        }
    }
    files
}

#[test]
fn a_good_change_is_never_held_up() {
    let changes: Vec<&str> = [TABLE, TESTS].into_iter().flat_map(|table| table.split("\n== ")).collect();
    assert!(changes.len() >= 40, "{}", changes.len());
    let mut wrong = Vec::new();
    for change in changes {
        let scenario =
            files(change).iter().fold(Scenario::default(), |scenario, file| match file.old.as_deref() {
                Some(old) => scenario.and_changing(file.path, old, &file.new),
                None => scenario.and_adding(file.path, &file.new),
            });
        let held_up = scenario.review().findings.into_iter().filter(|found| found.blocks(Severity::Major));
        let title = change.lines().next().unwrap_or_default();
        wrong.extend(
            held_up.map(|found| format!("{title}: {} {}: {}", found.rule, found.location(), found.message)),
        );
    }
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
}
