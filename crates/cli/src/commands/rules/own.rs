use std::fs;
use std::path::{Path, PathBuf};

use domain::config::{Config, FILE_NAME};
use git::Repository;
use rules::{ProjectRules, RULES_FOLDER};

use super::shown::{Enabled, Listed, Origin};
use crate::failure::Failure;
use crate::policy::known_dimensions;

/// What the working tree makes of the rules: those it adds, and its policy.
#[derive(Debug, Default)]
pub(super) struct Own {
    pub(super) rules: ProjectRules,
    config: Config,
}

/// Folders are not nested deeper than this by people who want to find something again.
const DEEPEST: usize = 8;

impl Own {
    /// Whoever names a repository wants it looked at. Without a name there need not be one: the built-in rules are the same
    /// everywhere.
    pub(super) fn at(place: Option<&Path>) -> Result<Own, Failure> {
        let repository = match (Repository::discover(place.unwrap_or(Path::new("."))), place) {
            (Ok(repository), _) => repository,
            (Err(_), None) => return Ok(Own::default()),
            (Err(error), Some(_)) => return Err(error.into()),
        };
        let Some(root) = repository.work_tree() else { return Ok(Own::default()) };
        let text = fs::read_to_string(root.join(FILE_NAME)).unwrap_or_default();
        let config = Config::parse_with(FILE_NAME, &text, |name| std::env::var(name).ok())?;
        let mut files = Vec::new();
        for path in rule_files(root) {
            let name = path.strip_prefix(root).unwrap_or(&path).display().to_string();
            let bytes = fs::read(&path).map_err(|error| {
                Failure::new(format!("cannot read {name}: {error}"), "check the permissions of the file")
            })?;
            files.push((name, bytes));
        }
        let rules = ProjectRules::of(files.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())))?;
        known_dimensions(&config, &rules)?;
        Ok(Own { rules, config })
    }

    /// Ours and the project's, with what its policy says of them.
    pub(super) fn all(&self) -> Vec<Listed> {
        let ours = rules::catalogue().into_iter().cloned().map(|rule| (rule, Origin::BuiltIn));
        let own = self.rules.infos().into_iter().map(|rule| (rule, Origin::Project));
        let listed = ours.chain(own).map(|(info, origin)| Listed {
            severity: self.config.rules.severity_of(&info.id).unwrap_or(info.severity),
            enabled: if self.config.rules.disables(&info.id) { Enabled::No } else { Enabled::Yes },
            origin,
            info,
        });
        listed.collect()
    }
}

/// The files of rules in their folder and below it. Links are not followed: a review does not follow them either.
fn rule_files(root: &Path) -> Vec<PathBuf> {
    let mut open = vec![(root.join(RULES_FOLDER), 0)];
    let mut files = Vec::new();
    while let Some((folder, depth)) = open.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for entry in entries.flatten() {
            let path = entry.path();
            let is_rules = path.extension().is_some_and(|ending| ending == "yml" || ending == "yaml");
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && depth < DEEPEST => open.push((path, depth + 1)),
                Ok(kind) if kind.is_file() && is_rules => files.push(path),
                Ok(_) | Err(_) => {}
            }
        }
    }
    files
}
