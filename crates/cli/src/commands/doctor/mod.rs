mod brains;
mod connections;
mod missions;
mod programs;

use std::path::PathBuf;

use anstyle::{AnsiColor, Style};
use brain::process::UnderReview;
use domain::change::{RepoPath, Scope, Side};
use domain::config::{Config, FILE_NAME};
use domain::ports::Sources;
use git::{Ask, Repository, Version};
use serde::Serialize;

use crate::failure::Failure;
use crate::output::{self, Exit, Listing};
use crate::outward::Outward;
use crate::policy::Policy;
use crate::reviewers::under_review;
use crate::store::StoreArgs;
use brains::Asking;

/// Say what Countersign sees here and what would keep it from working.
///
/// Lists the coding agents that are installed, those of countersign.yaml, and what speaks the Agent Client Protocol for them, whether this kernel can
/// confine them, and which models can be asked. Of keys it says only whether they are set.
///
/// `doctor mission` asks forge, tracker and wiki instead: which server serves them, whether it starts and has the tools it
/// needs, whether the token is accepted, and whether reviews can be published and told from other people's words.
#[derive(Debug, clap::Args)]
pub(crate) struct Doctor {
    /// What is looked at [default: this repository and who can review it]
    #[arg(value_name = "WHAT")]
    what: Option<What>,

    /// The repository, or any folder in it.
    #[arg(long, value_name = "PATH", default_value = ".")]
    repo: PathBuf,

    /// Also ask every configured model and coding agent for a word, which costs a little, and every program that speaks
    /// the Agent Client Protocol for its name, which does not.
    #[arg(long)]
    ping: bool,

    #[arg(long, default_value = "pretty")]
    format: Listing,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum What {
    /// What `review --pr`, `submit`, workers and missions need.
    Mission,
}

#[derive(Debug, Serialize)]
struct Check {
    name: &'static str,
    state: State,
    detail: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum State {
    Ok,
    Warning,
    Problem,
}

impl Check {
    fn ok(name: &'static str, detail: impl ToString) -> Self {
        Check { name, state: State::Ok, detail: detail.to_string(), hint: None }
    }

    fn warning(name: &'static str, detail: impl ToString, hint: impl ToString) -> Self {
        Check { name, state: State::Warning, detail: detail.to_string(), hint: Some(hint.to_string()) }
    }

    fn problem(name: &'static str, detail: impl ToString, hint: impl ToString) -> Self {
        Check { name, state: State::Problem, detail: detail.to_string(), hint: Some(hint.to_string()) }
    }
}

impl Doctor {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let store = StoreArgs::of_repository(self.repo.clone());
        let outward = Outward::of(&store);
        let checks = match self.what {
            Some(What::Mission) => connections::mission(&outward?, self.asking())?,
            None => {
                let mut checks = self.checks();
                // What is wrong with the operator's file is said by whoever needs it.
                checks.extend(outward.iter().flat_map(connections::configured));
                checks
            }
        };
        let text = match self.format {
            Listing::Json => output::json(&checks)?,
            Listing::Pretty => checks.iter().map(line).collect(),
        };
        output::print(&text)?;
        match checks.iter().filter(|check| check.state == State::Problem).count() {
            0 => Ok(Exit::Ok),
            problems => Err(Failure::new(
                format!("{problems} of the checks above failed"),
                format!(
                    "follow the hints above, then run `countersign doctor{}` again",
                    match self.what {
                        Some(What::Mission) => " mission",
                        None => "",
                    }
                ),
            )),
        }
    }

    fn checks(&self) -> Vec<Check> {
        let mut checks = vec![Check::ok("version", env!("COUNTERSIGN_LONG_VERSION"))];
        let (config, under_review) = match Repository::discover(&self.repo) {
            Ok(repository) => {
                repository_checks(&repository, &mut checks);
                (config_at_base(&repository), under_review(&repository))
            }
            Err(error) => {
                checks.push(Check::problem("repository", &error, error.hint()));
                (Config::default(), UnderReview::default())
            }
        };
        checks.extend(environment());
        checks.push(Check::ok(
            "reviewer",
            format!("rules: {} built-in rules, offline", rules::descriptions().len()),
        ));
        checks.extend(brains::checks(&config, &under_review, self.asking()));
        checks
    }

    fn asking(&self) -> Asking {
        if self.ping { Asking::EverybodyConfigured } else { Asking::Nobody }
    }
}

fn repository_checks(repository: &Repository, checks: &mut Vec<Check>) {
    checks.push(match repository.version() {
        Ok(version) if version < Version::READS_ATTRIBUTES_FROM_THE_BASE => Check::warning(
            "git",
            version,
            format!(
                "from {} on, git reads .gitattributes from the base commit; with this one a change can hide files",
                Version::READS_ATTRIBUTES_FROM_THE_BASE
            ),
        ),
        Ok(version) => Check::ok("git", version),
        Err(error) => Check::problem("git", &error, error.hint()),
    });
    checks.push(match repository.work_tree() {
        Some(root) => Check::ok("repository", root.display()),
        None => Check::ok("repository", format!("{} (bare)", repository.git_dir().display())),
    });
    if repository.is_shallow() {
        checks.push(Check::warning(
            "history",
            "this clone is shallow",
            "if a review finds no merge base: git fetch --unshallow",
        ));
    }
    match repository.resolve(&Ask { what: git::What::Commits, base: None, head: None }) {
        Ok(scope) => {
            checks.push(Check::ok("base", format!("{} against {}", scope.head_name, scope.base_name)));
            checks.push(policy(repository, &scope));
        }
        Err(error) => checks.push(Check::problem("base", &error, error.hint())),
    }
}

/// As a review would be held to it. What is wrong with it has been said by then.
fn config_at_base(repository: &Repository) -> Config {
    let scope = repository.resolve(&Ask { what: git::What::Commits, base: None, head: None }).ok();
    let policy = scope.and_then(|scope| {
        let sources = repository.sources(&scope).ok()?;
        Policy::at_base(&scope, &sources, None).ok()
    });
    policy.map(|policy| policy.config).unwrap_or_default()
}

fn policy(repository: &Repository, scope: &Scope) -> Check {
    let read = |side| -> Result<Option<String>, Failure> {
        let bytes = repository.sources(scope)?.read_path(&RepoPath::from(FILE_NAME), side)?;
        Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
    };
    match (read(Side::Old), read(Side::New)) {
        (Ok(Some(text)), _) => match Config::parse(FILE_NAME, &text) {
            Ok(_) => Check::ok("policy", format!("{FILE_NAME} at {}", scope.base_name)),
            Err(error) => Check::problem("policy", &error, &error.hint),
        },
        (Ok(None), Ok(Some(text))) => match Config::parse(FILE_NAME, &text) {
            Ok(_) => Check::ok("policy", format!("defaults: {FILE_NAME} is not at {} yet", scope.base_name)),
            Err(error) => Check::problem("policy", &error, &error.hint),
        },
        (Ok(None), Ok(None)) => {
            let written = repository.work_tree().is_some_and(|root| root.join(FILE_NAME).exists());
            let state = if written { "is not committed yet" } else { "does not exist" };
            Check::ok("policy", format!("defaults: {FILE_NAME} {state}"))
        }
        (Err(failure), _) | (_, Err(failure)) => Check::problem("policy", failure.what(), failure.hint()),
    }
}

/// What the environment overrides, and what it seems to try to.
fn environment() -> Vec<Check> {
    let names: Vec<String> = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok()).collect();
    let known = Config::variables();
    let set = names.iter().filter(|name| known.contains(name));
    let mut checks: Vec<_> = set.map(|name| Check::ok("environment", format!("{name} is set"))).collect();
    if let Some(error) = Config::unknown_variable(names.iter().map(String::as_str)) {
        checks.push(Check::problem("environment", &error.message, &error.hint));
    }
    checks
}

fn line(check: &Check) -> String {
    let (word, colour) = match check.state {
        State::Ok => ("ok", AnsiColor::Green),
        State::Warning => ("warning", AnsiColor::Yellow),
        State::Problem => ("problem", AnsiColor::Red),
    };
    let tint = Style::new().fg_color(Some(colour.into()));
    let hint = check.hint.as_ref().map(|hint| format!("{:23}hint: {hint}\n", "")).unwrap_or_default();
    format!("{tint}{word:8}{tint:#} {:12}  {}\n{hint}", check.name, crate::pretty::safe(&check.detail))
}
