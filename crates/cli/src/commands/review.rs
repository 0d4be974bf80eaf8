use std::future::pending;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use connect::waiting::end_of;
use domain::config::ReviewMode;
use domain::formats::review_report::ReviewReport;
use domain::formats::tool_report::{ToolReport, read_sarif};
use domain::formats::{github, markdown, rdjson, sarif};
use domain::words::Severity;
use engine::publish::PublishError;
use git::{Ask, What};
use tokio::signal::unix::{SignalKind, signal};

use crate::documents::{Documents, read_up_to};
use crate::failure::Failure;
use crate::output::{self, Exit};
use crate::outward::Outward;
use crate::patches::patches;
use crate::pretty::{self, Look, Run};
use crate::progress::Progress;
use crate::requests::{Forge, Who, Wish, told};
use crate::reviewers::{self, Heard, Trust};
use crate::reviewing::{Answers, Request, Wanted};
use crate::store::StoreArgs;

/// SARIF is talkative.
const LARGEST_REPORT: u64 = 64 << 20;

/// Review a change and let the gate decide.
///
/// Without options it reviews what the current branch adds to the default branch; if there is nothing
/// newer, the latest commit. Policy comes from countersign.yaml at the base commit. Nothing in the
/// repository is touched.
///
/// With --pr it reviews a pull or merge request of the forge that VCS_PROVIDER and VCS_BASE_URL name, from a mirror below
/// the user's cache. Nothing is posted without --publish; posted twice, it is there once.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    countersign review                              this branch against the default branch\n  \
    countersign review --staged                     what is about to be committed\n  \
    countersign review --worktree                   everything not committed yet, new files included\n  \
    countersign review --base v1.2 --head topic     any two revisions, from their merge base\n  \
    countersign review --format sarif --output review.sarif\n  \
    countersign review --reviewer model             also by a model: CODE_REVIEW_LLM_MODEL_PRIORITY=provider:model\n  \
    countersign review --pr https://github.com/acme/shop/pull/7 --publish\n  \
    countersign review --reviewer qa                also by the agent `qa` of countersign.yaml, with its `brain`\n\n\
    Exit codes: 0 pass, 1 the gate said no, 2 usage or configuration,\n\
    or a review that could not be posted, 3 inconclusive.")]
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

    /// Review a pull or merge request of the configured forge.
    #[arg(long, value_name = "URL", conflicts_with_all = ["base", "head", "staged", "worktree"])]
    pr: Option<String>,

    /// Post the review there: comments at their lines, a summary, and the verdict as a check of exactly that commit.
    #[arg(long, requires = "pr")]
    publish: bool,

    /// Those who publish with the same store take turns: a PostgreSQL address or a SQLite file
    /// [default: .agent-communication/countersign.db, if it is there]
    #[arg(long, value_name = "URL", env = "COUNTERSIGN_STORE", hide_env_values = true)]
    store: Option<String>,

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

/// Ends when somebody wants it to. Until it is first asked, signals do what they always do.
async fn asked_to_stop() {
    let (Ok(mut term), Ok(mut int)) = (signal(SignalKind::terminate()), signal(SignalKind::interrupt()))
    else {
        return pending().await;
    };
    tokio::select! {
        _ = term.recv() => {}
        _ = int.recv() => {}
    }
}

fn unpublished(error: &PublishError) -> Failure {
    let hint = match error.retry_after() {
        Some(wait) => {
            format!("run it again after {}: what is posted stays, and nothing is posted twice", end_of(wait))
        }
        None => error.hint().to_owned(),
    };
    Failure::new(format!("the review was not published: {error}"), hint)
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

impl Format {
    fn has_place_for_patches(self) -> bool {
        match self {
            Format::Pretty | Format::Json | Format::Sarif | Format::Markdown | Format::Rdjson => true,
            Format::Github => false,
        }
    }
}

impl Review {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let started = Instant::now();
        match &self.pr {
            Some(url) => self.run_on_forge(url, started),
            None => self.run_here(started),
        }
    }

    /// The report comes first: it is worth having even if it cannot be posted.
    fn run_on_forge(&self, url: &str, started: Instant) -> Result<Exit, Failure> {
        let store = StoreArgs::asked_for(self.repo.clone(), self.store.clone());
        let progress = Arc::new(Progress::start("Asking the forge"));
        let (steps, notes) = (Arc::clone(&progress), Arc::clone(&progress));
        let waits: Heard = Arc::new(move |waited: &str| notes.note(pretty::safe(waited)));
        let forge = Forge::of(Outward::of(&store)?.telling(waits), Arc::default())?;
        let wanted = forge.address(url)?;
        let wish = Arc::new(Wish {
            order: self.documents.read()?,
            fail_on: self.fail_on,
            who: Who::Named(self.reviewer().to_owned()),
            mode: self.mode.map(ReviewMode::from),
            reports: self.reports()?,
            task: None,
            expected: None,
            answers: Answers::Kept,
            heard: Arc::new(move |step: &str| steps.step(pretty::safe(step))),
        });
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| {
            Failure::new(format!("cannot start: {error}"), "the system is out of threads or file descriptors")
        })?;
        let (outcome, published) = runtime.block_on(async {
            match self.publish {
                true => {
                    let forge = forge.sharing(store.open_if_there().await?);
                    let reviewed = forge.review_and_publish(&wanted, &wish, asked_to_stop()).await;
                    drop(forge);
                    reviewed.map(|(outcome, published)| (outcome, Some(published)))
                }
                false => {
                    let reviewed = forge.review(&wanted, &wish).await;
                    drop(forge);
                    reviewed.map(|outcome| (outcome, None))
                }
            }
        })?;
        // Whoever may still say something goes before the report is shown.
        drop((runtime, wish, progress));
        let run = Run {
            review: &outcome.review,
            change: &outcome.change,
            elapsed: started.elapsed(),
            request: Some(&outcome.found.request.url),
        };
        self.deliver(&run)?;
        match published {
            Some(Ok(posted)) => {
                pretty::note(&format!("{}.", pretty::safe(&told(&posted))));
                posted.notes.iter().for_each(|note| pretty::note(&pretty::safe(note)));
            }
            Some(Err(error)) => {
                unpublished(&error).report();
                return Ok(match error {
                    PublishError::Stopped => Exit::Interrupted,
                    _ => Exit::Invalid,
                });
            }
            None => {}
        }
        Ok(outcome.review.verdict().into())
    }

    fn reviewer(&self) -> &str {
        self.reviewer.as_deref().unwrap_or("rules")
    }

    fn run_here(&self, started: Instant) -> Result<Exit, Failure> {
        let progress = Arc::new(Progress::start("Reading the change"));
        let order = self.documents.read()?;
        let reports = self.reports()?;
        let steps = Arc::clone(&progress);
        let heard: Heard = Arc::new(move |step: &str| steps.step(pretty::safe(step)));
        let request = Request {
            repository: &self.repo,
            ask: &self.ask(),
            names: None,
            trust: Trust::Own,
            order: &order,
            fail_on: self.fail_on,
            wanted: Wanted::Named(self.reviewer()),
            mode: self.mode.map(ReviewMode::from),
            reports: &reports,
            task: None,
            answers: Answers::Kept,
            heard,
        };
        let (mut review, change) = request.review()?;
        if self.format.has_place_for_patches() {
            review.patches = patches(&self.repo, &review)?;
        }
        drop((request, progress));

        let run = Run { review: &review, change: &change, elapsed: started.elapsed(), request: None };
        self.deliver(&run)?;
        self.suggest();
        Ok(review.verdict().into())
    }

    fn reports(&self) -> Result<Vec<ToolReport>, Failure> {
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
            all.push(read_sarif(&text).map_err(|bad| unusable(bad.to_string()))?);
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
