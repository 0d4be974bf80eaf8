use std::path::PathBuf;
use std::time::Instant;

use domain::change::{Change, RepoPath, Scope, Side};
use domain::config::{Config, FILE_NAME};
use domain::formats::review_report::ReviewReport;
use domain::formats::{github, markdown, rdjson, sarif};
use domain::ports::Sources;
use domain::words::Severity;
use domain::work::WorkOrder;
use git::{Ask, Repository, What};
use jiff::Timestamp;
use rules::RulesReviewer;

use crate::documents::Documents;
use crate::failure::Failure;
use crate::output::{self, Exit};
use crate::pretty::{self, Look, Run};
use crate::progress::Progress;

/// Review a change and let the gate decide.
///
/// Without options it reviews what the current branch adds to the default branch; if there is nothing
/// newer, the latest commit. Policy comes from countersign.yaml at the base commit. Nothing in the
/// repository is touched.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    countersign review                              this branch against the default branch\n  \
    countersign review --staged                     what is about to be committed\n  \
    countersign review --worktree                   everything not committed yet, new files included\n  \
    countersign review --base v1.2 --head topic     any two revisions, from their merge base\n  \
    countersign review --format sarif --output review.sarif\n\n\
    Exit codes: 0 pass, 1 the gate said no, 2 usage or configuration, 3 inconclusive.")]
pub(crate) struct Review {
    /// The repository, or any folder in it.
    #[arg(long, value_name = "PATH", default_value = ".")]
    repo: PathBuf,

    /// What the change is compared with [default: the upstream default branch, main or master]
    #[arg(long, value_name = "REV")]
    base: Option<String>,

    /// The newest commit of the change [default: HEAD]
    #[arg(long, value_name = "REV", conflicts_with_all = ["staged", "worktree"])]
    head: Option<String>,

    /// Review what is staged for the next commit.
    #[arg(long, conflicts_with = "worktree")]
    staged: bool,

    /// Review all uncommitted work, untracked files included.
    #[arg(long)]
    worktree: bool,

    #[command(flatten)]
    documents: Documents,

    /// Who reviews.
    #[arg(long, value_name = "NAME", default_value = "rules")]
    reviewer: ReviewerName,

    /// Findings of this severity or worse block [default: gate.fail_on of the policy, else MAJOR]
    #[arg(long, value_name = "SEVERITY")]
    fail_on: Option<Severity>,

    /// How the report is written.
    #[arg(long, default_value = "pretty")]
    format: Format,

    /// Write the report to a file instead of standard output.
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum ReviewerName {
    /// The built-in reviewer: offline, deterministic, no key.
    Rules,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// For people, with the code in question.
    Pretty,
    /// The ReviewReport (`countersign schema review-report`).
    Json,
    /// SARIF 2.1.0, for code scanning.
    Sarif,
    /// For a pull request comment or a job summary.
    Markdown,
    /// For reviewdog.
    Rdjson,
    /// Workflow annotations of GitHub Actions.
    Github,
}

impl Review {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let started = Instant::now();
        let progress = Progress::start("Reading the change");
        let order = self.documents.read()?;
        let repository = Repository::discover(&self.repo)?;
        let scope = repository.resolve(&self.ask())?;
        let change = repository.change(&scope)?;
        let sources = repository.sources(&scope)?;
        let (config, policy) = self.policy(&scope, &sources)?;

        progress.step(format!("Reviewing {} files", change.files.len()));
        let review = self.review(&change, &sources, &config, &order)?;
        drop(progress);

        let run = Run { review: &review, change: &change, policy: &policy, elapsed: started.elapsed() };
        self.deliver(&run)?;
        Ok(review.verdict().into())
    }

    fn ask(&self) -> Ask {
        let what = match (self.staged, self.worktree) {
            (true, _) => What::Staged,
            (false, true) => What::Worktree,
            (false, false) => What::Commits,
        };
        Ask { what, base: self.base.clone(), head: self.head.clone() }
    }

    fn review(
        &self,
        change: &Change,
        sources: &dyn Sources,
        config: &Config,
        order: &WorkOrder,
    ) -> Result<domain::review::Review, Failure> {
        let reviewer = match self.reviewer {
            ReviewerName::Rules => RulesReviewer::default(),
        };
        let order = engine::ReviewOrder {
            change,
            sources,
            config,
            order,
            revision_count: 0,
            now: Timestamp::now(),
            redact: rules::redact,
        };
        Ok(engine::review(&order, &reviewer)?)
    }

    /// The policy in force and what to call it. A change cannot bring its own.
    fn policy(&self, scope: &Scope, sources: &dyn Sources) -> Result<(Config, String), Failure> {
        let name = match &scope.base {
            Some(base) => format!("{FILE_NAME} at {}", base.short()),
            None => FILE_NAME.to_owned(),
        };
        let text = sources.read_path(&RepoPath::from(FILE_NAME), Side::Old)?;
        let variable = |name: &str| std::env::var(name).ok();
        let mut config = match &text {
            Some(bytes) => Config::parse_with(&name, &String::from_utf8_lossy(bytes), variable)?,
            None => Config::parse_with(FILE_NAME, "", variable)?,
        };
        if let Some((unknown, nearest)) = rules::unknown_rules(&config.rules).into_iter().next() {
            let hint = match nearest {
                Some(nearest) => format!("did you mean `{nearest}`?"),
                None => "`countersign rules list` shows the rules there are".to_owned(),
            };
            return Err(Failure::new(format!("{name}: there is no rule `{unknown}`"), hint));
        }
        if let Some(severity) = self.fail_on {
            config.gate.fail_on = severity;
        }
        Ok((config, if text.is_some() { name } else { "the default policy".to_owned() }))
    }

    fn deliver(&self, run: &Run<'_>) -> Result<(), Failure> {
        let text = self.render(run)?;
        let Some(path) = &self.output else { return output::print(&text) };
        output::write_file(path, &text)?;
        pretty::note(&format!("{} Written to {}.", pretty::verdict_line(run.review), path.display()));
        Ok(())
    }

    fn render(&self, run: &Run<'_>) -> Result<String, Failure> {
        let version = env!("CARGO_PKG_VERSION");
        match self.format {
            Format::Pretty => {
                let look = if self.output.is_some() { Look::for_file() } else { Look::of_terminal() };
                Ok(pretty::render(run, &look))
            }
            Format::Json => output::json(&ReviewReport::from(run.review)),
            Format::Sarif => output::json(&sarif::render(run.review, version, &rules::descriptions())),
            Format::Rdjson => output::json(&rdjson::render(run.review, version)),
            Format::Markdown => Ok(markdown::render(run.review)),
            Format::Github => Ok(github::render(run.review)),
        }
    }
}
