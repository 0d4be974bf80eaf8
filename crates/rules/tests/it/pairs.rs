//! Two states of whole projects from a folder: not part of the tests, but what they are measured with.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::support::Scenario;

/// Each folder below the one that the variable names holds `old` and `new`, or `old` and in `patch` the files that
/// differ. What is found is printed, one line for each finding: project, severity, confidence, rule, path, message.
#[test]
#[ignore = "needs a folder of pairs: COUNTERSIGN_PAIRS"]
fn findings_of_pairs() {
    let Some(root) = std::env::var_os("COUNTERSIGN_PAIRS").map(PathBuf::from) else { return };
    let mut projects: Vec<PathBuf> = fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path()).collect();
    projects.sort();
    for project in projects {
        let name = project.file_name().unwrap().to_string_lossy().into_owned();
        let (scenario, lines) = scenario(&project);
        println!("PAIR\t{name}\t{lines}");
        for finding in scenario.review().findings {
            let path = finding.path().map(ToString::to_string).unwrap_or_default();
            let (severity, confidence) = (finding.severity, finding.confidence);
            println!(
                "FOUND\t{name}\t{severity:?}\t{confidence:?}\t{}\t{}\t{path}\t{}",
                finding.rule, finding.dimension, finding.message
            );
        }
    }
}

fn scenario(project: &Path) -> (Scenario, usize) {
    let (old, new, patch) = (project.join("old"), project.join("new"), project.join("patch"));
    let paths: BTreeSet<PathBuf> = [&old, &new, &patch].into_iter().flat_map(|root| files(root)).collect();
    let text = |root: &Path, path: &Path| fs::read_to_string(root.join(path)).ok();
    let mut scenario = Scenario::default();
    let mut lines = 0;
    for path in &paths {
        let before = text(&old, path);
        let after =
            if patch.exists() { text(&patch, path).or_else(|| before.clone()) } else { text(&new, path) };
        let shown = path.to_string_lossy().into_owned();
        scenario = match (before, after) {
            (Some(old), Some(new)) if old == new => scenario.and_keeping(&shown, &old),
            (Some(old), Some(new)) => {
                let known: BTreeSet<&str> = old.lines().collect();
                lines += new.lines().filter(|line| !known.contains(line)).count();
                scenario.and_changing(&shown, &old, &new)
            }
            (Some(old), None) => scenario.and_removing(&shown, &old),
            (None, Some(new)) => {
                lines += new.lines().count();
                scenario.and_adding(&shown, &new)
            }
            (None, None) => scenario,
        };
    }
    (scenario, lines)
}

/// Everything but what is hidden or was built, from the root.
fn files(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![root.to_path_buf()];
    while let Some(folder) = open.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for entry in entries.map(|entry| entry.unwrap().path()) {
            let name = entry.file_name().unwrap().to_string_lossy().into_owned();
            if entry.is_dir() && !name.starts_with('.') && name != "target" {
                open.push(entry);
            } else if entry.is_file() {
                found.extend(entry.strip_prefix(root).map(Path::to_path_buf));
            }
        }
    }
    found
}
