use std::path::Path;

use git::Repository;
use rules::{ProjectRules, RULES_FOLDER};

use crate::failure::Failure;

/// The rules that the working tree holds; none outside a repository.
pub(super) fn own_rules(place: &Path) -> Result<ProjectRules, Failure> {
    let Ok(repository) = Repository::discover(place) else { return Ok(ProjectRules::default()) };
    let Some(root) = repository.work_tree() else { return Ok(ProjectRules::default()) };
    let Ok(entries) = std::fs::read_dir(root.join(RULES_FOLDER)) else { return Ok(ProjectRules::default()) };
    let mut files = Vec::new();
    for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        let is_rules = path.extension().is_some_and(|ending| ending == "yml" || ending == "yaml");
        let Some(name) = path.file_name().and_then(|name| name.to_str()).filter(|_| is_rules) else {
            continue;
        };
        let bytes = std::fs::read(&path).map_err(|error| {
            Failure::new(
                format!("cannot read {RULES_FOLDER}/{name}: {error}"),
                "check the permissions of the file",
            )
        })?;
        files.push((format!("{RULES_FOLDER}/{name}"), bytes));
    }
    Ok(ProjectRules::of(files.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())))?)
}
