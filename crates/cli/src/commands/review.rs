use std::io::IsTerminal;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use domain::config::ReviewMode;
use domain::formats::review_report::ReviewReport;
use domain::formats::tool_report::{ToolResult, read_sarif};
use domain::formats::{github, markdown, rdjson, sarif};
use domain::words::Severity;
use git::{Ask, What};

use crate::documents::{Documents, read_up_to};
use crate::failure::Failure;
use crate::output::{self, Exit};
use crate::pretty::{self, Look, Run};
use crate::progress::Progress;
use crate::reviewers::{self, Heard};
use crate::reviewing::{Request, Wanted};

/// SARIF is talkative.
const LARGEST_REPORT: u64 = 64 << 20;

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
    countersign review --format sarif --output review.sarif\n  \
    countersign review --reviewer model             also by a model: CODE_REVIEW_LLM_MODEL_PRIORITY=provider:model\n  \
    countersign review --reviewer qa                also by the agent `qa` of countersign.yaml, with its `brain`\n\n\
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

    /// Who reviews: `rules` (built in, offline), `model`, or an agent of countersign.yaml [default: rules]
    #[arg(long, value_name = "NAME")]
    reviewer: Option<String>,

    /// How a model reviews [default: model.mode of the policy, else auto]
    #[arg(long, value_name = "MODE")]
    mode: Option<Mode>,

    /// A SARIF file of another program: what it says about added lines are findings, too. May be given several times.
    #[arg(long, value_name = "FILE")]
    sarif: Vec<PathBuf>,

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
enum Mode {
    /// Linear, unless the change is too large for it or it failed.
    Auto,
    /// One structured answer for each bundle of hunks.
    Linear,
    /// The model explores with tools that Countersign runs.
    Agentic,
}

impl From<Mode> for ReviewMode {
    fn from(mode: Mode) -> ReviewMode {
        match mode {
            Mode::Auto => ReviewMode::Auto,
            Mode::Linear => ReviewMode::Linear,
            Mode::Agentic => ReviewMode::Agentic,
        }
    }
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
        let progress = Arc::new(Progress::start("Reading the change"));
        let order = self.documents.read()?;
        let reports = self.reports()?;
        let steps = Arc::clone(&progress);
        let heard: Heard = Arc::new(move |step: &str| steps.step(pretty::safe(step)));
        let request = Request {
            repository: &self.repo,
            ask: &self.ask(),
            order: &order,
            fail_on: self.fail_on,
            wanted: Wanted::Named(self.reviewer.as_deref().unwrap_or("rules")),
            mode: self.mode.map(ReviewMode::from),
            reports: &reports,
            task: None,
            heard,
        };
        let (review, change) = request.review()?;
        drop((request, progress));

        let run = Run { review: &review, change: &change, elapsed: started.elapsed() };
        self.deliver(&run)?;
        self.suggest();
        Ok(review.verdict().into())
    }

    fn reports(&self) -> Result<Vec<ToolResult>, Failure> {
        let mut all = Vec::new();
        for path in &self.sarif {
            let unusable = |reason: String| {
                let what = format!("cannot use {}: {reason}", path.display());
                Failure::new(
                    what,
                    "--sarif takes SARIF 2.1.0, as `ruff check --output-format sarif` writes it",
                )
            };
            let text = read_up_to(path, LARGEST_REPORT)?;
            all.extend(read_sarif(&text).map_err(|bad| unusable(bad.to_string()))?);
        }
        Ok(all)
    }

    /// Somebody who looks at the report and could have had a model's opinion is told so.
    fn suggest(&self) {
        let looks = self.format == Format::Pretty && self.output.is_none() && std::io::stdout().is_terminal();
        if self.reviewer.is_none()
            && looks
            && let Some(suggestion) = reviewers::suggestion(reviewers::variable)
        {
            pretty::note(&suggestion);
        }
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
