use bytes::Bytes;
use domain::change::{RepoPath, Side};
use domain::config::ConfigError;
use domain::formats::RuleDescription;
use domain::ports::{SourceError, Sources};
use domain::text::nearest;
use domain::words::Dimension;

use super::bank::{Bank, built_in};
use super::examples::ExampleReport;
use super::read::{Placed, documents};
use crate::rule::RuleInfo;

/// Where a project keeps rules of its own.
pub const RULES_FOLDER: &str = ".countersign/rules";

/// More is not read: nobody keeps so many rules, and somebody hostile might.
const MOST_FILES: usize = 100;
/// Of all files below the folder, whatever they are.
const MOST_LISTED: usize = 1_000;
const LARGEST_FILE: usize = 256 * 1024;
const MOST_DOCUMENTS: usize = 500;

/// Rules that a project brought, checked and ready to run.
#[derive(Default)]
pub struct ProjectRules {
    bank: Option<Bank>,
    /// Dimensions beside the built-in ones, with what there is to say if the policy does not know them.
    dimensions: Vec<(Dimension, ConfigError)>,
}

/// Why a project's rules cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ProjectRulesError {
    #[error(transparent)]
    Unreadable(#[from] SourceError),
    #[error(transparent)]
    Wrong(#[from] ConfigError),
}

impl ProjectRules {
    /// From the base commit, so that a change cannot bring or loosen its own. A document that cannot be used is an
    /// error: a rule that silently does not run is worse than none.
    pub fn at_base(sources: &dyn Sources) -> Result<ProjectRules, ProjectRulesError> {
        let files = ProjectRules::files_at_base(sources, |_| true)?;
        Ok(ProjectRules::of(files.iter().map(|(path, bytes)| (path.as_str(), bytes.as_ref())))?)
    }

    /// Those of its files that are wanted, by name.
    pub(crate) fn files_at_base(
        sources: &dyn Sources,
        wanted: impl Fn(&RepoPath) -> bool,
    ) -> Result<Vec<(String, Bytes)>, SourceError> {
        let paths = sources.list_base_below(&RepoPath::from(RULES_FOLDER), MOST_LISTED)?;
        let mut files = Vec::new();
        for path in paths.iter().filter(|path| ProjectRules::is_file_of(path) && wanted(path)) {
            let Some(bytes) = sources.read_path(path, Side::Old)? else { continue };
            files.push((path.to_string(), bytes));
        }
        Ok(files)
    }

    pub(crate) fn is_file_of(path: &RepoPath) -> bool {
        let inside = path.as_bytes().strip_prefix(RULES_FOLDER.as_bytes());
        inside.is_some_and(|rest| rest.starts_with(b"/"))
            && matches!(path.extension().as_str(), "yml" | "yaml")
    }

    /// Of files by name. Their order does not matter.
    pub fn of<'f>(files: impl IntoIterator<Item = (&'f str, &'f [u8])>) -> Result<ProjectRules, ConfigError> {
        let mut files: Vec<(&str, &[u8])> = files.into_iter().collect();
        files.sort_unstable();
        if files.is_empty() {
            return Ok(ProjectRules::default());
        }
        if files.len() > MOST_FILES {
            let wrong = format!("there are {} files of rules, more than {MOST_FILES}", files.len());
            return Err(ConfigError::new(
                RULES_FOLDER,
                wrong,
                "put several rules into a file, parted by `---`",
            ));
        }
        let mut placed = Vec::new();
        for (file, bytes) in files {
            if bytes.len() > LARGEST_FILE {
                let wrong = format!("the file has more than {} KiB", LARGEST_FILE / 1024);
                return Err(ConfigError::new(file, wrong, "split it"));
            }
            let Ok(text) = std::str::from_utf8(bytes) else {
                return Err(ConfigError::new(file, "this is not text", "write rules in YAML, as UTF-8"));
            };
            placed.extend(documents(file, text)?);
            if placed.len() > MOST_DOCUMENTS {
                let wrong = format!("there are more than {MOST_DOCUMENTS} documents");
                return Err(ConfigError::new(RULES_FOLDER, wrong, "remove rules that nobody needs"));
            }
        }
        let ours = crate::catalogue::ids();
        for one in &placed {
            if let Some(id) = one.document.id.as_deref().filter(|id| ours.iter().any(|known| known == id)) {
                let wrong = format!("`{id}` is the id of a built-in rule");
                let hint = "choose another, for example with the name of the project in front";
                return Err(one.error("id", wrong, hint));
            }
        }
        let dimensions = placed.iter().filter_map(own_dimension).collect();
        Ok(ProjectRules { bank: Some(Bank::of(&placed)?), dimensions })
    }

    /// An error for the first rule that counts against a dimension which nobody scores: what it finds would cost nothing.
    pub fn unknown_dimension(&self, known: &[Dimension]) -> Option<ConfigError> {
        let (dimension, error) = self.dimensions.iter().find(|(dimension, _)| !known.contains(dimension))?;
        let mut error = error.clone();
        if let Some(nearest) = nearest(dimension.as_str(), known.iter().map(Dimension::as_str)) {
            error.hint = format!("did you mean `{nearest}`? {}", error.hint);
        }
        Some(error)
    }

    pub(crate) fn bank(&self) -> Option<&Bank> {
        self.bank.as_ref()
    }

    /// With languages and examples.
    pub fn infos(&self) -> Vec<RuleInfo> {
        self.bank.as_ref().map(Bank::whole_infos).unwrap_or_default()
    }

    pub fn descriptions(&self) -> Vec<RuleDescription> {
        self.bank.iter().flat_map(Bank::heads).map(RuleDescription::from).collect()
    }

    /// Runs the examples of the project's rules, or of one of them.
    pub fn test(&self, only: Option<&str>) -> ExampleReport {
        self.bank.as_ref().map(|bank| bank.test(only)).unwrap_or_default()
    }
}

fn own_dimension(placed: &Placed) -> Option<(Dimension, ConfigError)> {
    let dimension = placed.document.dimension.clone()?;
    let built_in = Dimension::BUILT_IN.iter().any(|(known, _)| *known == dimension);
    let hint = "a dimension of the project stands under `gate.dimensions` in countersign.yaml";
    let error = || placed.error("dimension", format!("there is no dimension `{dimension}`"), hint);
    (!built_in).then(|| (dimension.clone(), error()))
}

impl std::fmt::Debug for ProjectRules {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.bank.iter().flat_map(Bank::heads).map(|info| &info.id)).finish()
    }
}

/// Runs the examples of the rules that come with the product and are data, or of one of them.
pub fn test_built_in(only: Option<&str>) -> ExampleReport {
    built_in().test(only)
}
