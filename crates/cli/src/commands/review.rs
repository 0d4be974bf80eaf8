use std::path::PathBuf;
use std::time::Instant;

use domain::formats::review_report::ReviewReport;
use domain::formats::{github, markdown, rdjson, sarif};
use domain::words::Severity;
use git::{Ask, What};

use crate::documents::Documents;
use crate::failure::Failure;
use crate::output::{self, Exit};
use crate::pretty::{self, Look, Run};
use crate::progress::Progress;
use crate::reviewing::Request;

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
        let request =
            Request { repository: &self.repo, ask: &self.ask(), order: &order, fail_on: self.fail_on };
        let (review, change) = match self.reviewer {
            ReviewerName::Rules => request.review(|step| progress.step(step))?,
        };
        drop(progress);

        let run = Run { review: &review, change: &change, elapsed: started.elapsed() };
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

    fn deliver(&self, run: &Run<'_>) -> Result<(), Failure> {
        let text = self.render(run)?;
        let Some(path) = self.output.as_ref().filter(|path| path.as_os_str() != "-") else {
            return output::print_report(&text);
        };
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
