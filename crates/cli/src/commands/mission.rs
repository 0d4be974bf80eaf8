use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use domain::forge::IssueKey;
use domain::mission::{JiraWebhook, MissionMode};
use domain::review::{Review, Verdict};
use engine::mission::{Ended, Halt, Mission as Kept, Posted};
use engine::ticket::Telling;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::oneshot;

use crate::failure::Failure;
use crate::missions::{self, Asked, Came, Repeat};
use crate::output::{self, Exit, Listing};
use crate::pretty;
use crate::reviewers::Heard;
use crate::store::StoreArgs;

/// Review the merge request that a ticket names, and tell both how it went.
///
/// The ticket's description holds `code_review_params` as YAML: gitlab_project_id (or github_repo), source_branch_name,
/// review_request_url, generated_at. Everything outside is reached through MCP servers; what is set and what is missing,
/// `countersign doctor mission` says.
///
/// One that was interrupted is gone on with; SIGTERM and Ctrl-C tell the ticket. One whose result is inconclusive is reviewed
/// again, and a review that the forge did not take is posted. The same ticket with the same parameters and the same commit is the same mission:
/// started again, here or elsewhere, it says how the first one ended and posts nothing. A push, other parameters or --again
/// make it a new one, and one that failed is tried again.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    countersign mission PROJ-123\n  \
    countersign mission --webhook payload.json      as Jira sends it; `-` is standard input\n  \
    countersign mission PROJ-123 --mode agentic     the model explores by the tools of the ports\n  \
    countersign mission PROJ-123 --again            review the same commit once more\n\n\
    Exit codes: 0 reviewed and passed, 1 the gate said no, 2 usage or configuration, 3 inconclusive, 4 failed or not \
    reported: a human has to look.")]
pub(crate) struct Mission {
    /// The key of the ticket, such as PROJ-123.
    #[arg(value_name = "KEY", required_unless_present = "webhook", conflicts_with = "webhook")]
    key: Option<String>,

    /// What Jira sent, instead of a key.
    #[arg(long, value_name = "FILE")]
    webhook: Option<PathBuf>,

    /// How a model reviews [default: what the ticket says, else what fits the size of the change]
    #[arg(long, value_name = "MODE")]
    mode: Option<Mode>,

    /// Review a commit whose review is done once more, and tell the ticket again.
    #[arg(long)]
    again: bool,

    /// How the outcome is written.
    #[arg(long, default_value = "pretty")]
    format: Listing,

    #[command(flatten)]
    store: StoreArgs,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Mode {
    /// One structured answer: LINEAR_DETERMINISTIC.
    Linear,
    /// The model explores: AGENTIC_ACT_LOOP.
    Agentic,
}

impl Mission {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let asked = self.asked()?;
        let key = asked.key.clone();
        let stop = Arc::new(AtomicBool::new(false));
        let heard: Heard = Arc::new(|step: &str| pretty::note(&pretty::safe(step)));
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
        let runtime = runtime.map_err(|error| {
            Failure::new(format!("cannot start: {error}"), "the system is out of threads or file descriptors")
        })?;
        let came = runtime.block_on(async {
            let (give_up, given_up) = oneshot::channel();
            let listener = tokio::spawn(listen(Arc::clone(&stop), give_up));
            let came = tokio::select! {
                came = missions::run(asked, &self.store, stop, Arc::clone(&heard)) => Some(came),
                Ok(()) = given_up => None,
                () = missions::report_interrupted(&self.store, Some(&key), &heard) => None,
            };
            listener.abort();
            let is_stopped = match &came {
                None => true,
                Some(Ok(came)) => came.ended == Err(Halt::Stopped),
                Some(Err(_)) => false,
            };
            if is_stopped {
                tokio::select! {
                    () = missions::report_interruption(&key, &self.store, &heard) => {}
                    () = signalled() => {}
                }
            }
            came
        });
        // What is still under way is left as a kill would leave it.
        runtime.shutdown_background();
        match came {
            Some(came) => self.deliver(&key, came?),
            None => Err(stopped(&key)),
        }
    }

    fn asked(&self) -> Result<Asked, Failure> {
        let mode = self.mode.map(|mode| match mode {
            Mode::Linear => MissionMode::LinearDeterministic,
            Mode::Agentic => MissionMode::AgenticActLoop,
        });
        let repeat = if self.again { Repeat::Again } else { Repeat::Known };
        if let Some(file) = &self.webhook {
            let hook = JiraWebhook::parse(&payload(file)?)
                .map_err(|bad| Failure::new(bad, "give the body of the request as Jira sent it"))?;
            return Ok(Asked { key: hook.key, description: hook.description, mode, repeat });
        }
        let key = self.key.as_deref().unwrap_or_default();
        let key = IssueKey::parse(key)
            .map_err(|bad| Failure::new(bad, "keys are written in capital letters: PROJ-123"))?;
        Ok(Asked { key, description: String::new(), mode, repeat })
    }

    fn deliver(&self, key: &IssueKey, came: Came) -> Result<Exit, Failure> {
        let Came { mission, ended } = came;
        match ended {
            Err(Halt::Stopped) => Err(stopped(key)),
            Err(Halt::Failed { what, hint }) => Err(Failure::new(what, hint)),
            Ok(ended) => {
                match (self.format, ended) {
                    (Listing::Json, _) => output::print_report(&json(&mission, ended)?)?,
                    (Listing::Pretty, Ended::Known(verdict)) => {
                        output::print_report(&known(&mission.key, verdict))?;
                    }
                    (Listing::Pretty, _) => output::print_report(&outcome(&mission, ended))?,
                }
                Ok(exit(&mission, ended))
            }
        }
    }
}

/// How long a mission has for the step that it is at, once somebody wants it to stop. It may be waiting for a limit.
const GRACE: Duration = Duration::from_secs(3);

/// Waits for a signal that comes from now on.
async fn signalled() {
    let (Ok(mut term), Ok(mut int)) = (signal(SignalKind::terminate()), signal(SignalKind::interrupt()))
    else {
        return std::future::pending().await;
    };
    tokio::select! {
        _ = term.recv() => {}
        _ = int.recv() => {}
    }
}

/// Asks for an end at the first signal, and gives up on it a little later or at the second.
async fn listen(stop: Arc<AtomicBool>, give_up: oneshot::Sender<()>) {
    signalled().await;
    stop.store(true, Ordering::SeqCst);
    // Whatever ends the wait, the mission has had its time.
    let _ = tokio::time::timeout(GRACE, signalled()).await;
    let _ = give_up.send(());
}

fn stopped(key: &IssueKey) -> Failure {
    Failure::new(
        format!("the mission of {key} was stopped"),
        format!("go on with `countersign mission {key}`: nothing is posted twice"),
    )
}

fn payload(file: &Path) -> Result<Vec<u8>, Failure> {
    const LARGEST: u64 = 4 << 20;
    let mut bytes = Vec::new();
    let read = match file.as_os_str() == "-" {
        true => std::io::stdin().take(LARGEST).read_to_end(&mut bytes),
        false => std::fs::File::open(file).and_then(|open| open.take(LARGEST).read_to_end(&mut bytes)),
    };
    read.map_err(|error| {
        Failure::new(format!("cannot read {}: {error}", file.display()), "check its spelling and permissions")
    })?;
    Ok(bytes)
}

fn exit(mission: &Kept, ended: Ended) -> Exit {
    match (ended, &mission.review) {
        (Ended::Done, Some(review)) => review.verdict().into(),
        (Ended::Known(Some(verdict)), _) => verdict.into(),
        (Ended::Done | Ended::Failed | Ended::Unreported | Ended::Known(None), _) => Exit::Escalated,
    }
}

/// The mission, and how this run of it came out.
fn json(mission: &Kept, ended: Ended) -> Result<String, Failure> {
    let mut shown = serde_json::to_value(mission).unwrap_or_default();
    let (ended, verdict) = match ended {
        Ended::Done => ("done", mission.review.as_ref().map(Review::verdict)),
        Ended::Failed => ("failed", None),
        Ended::Unreported => ("unreported", None),
        Ended::Known(verdict) => ("told_before", verdict),
    };
    if let Some(fields) = shown.as_object_mut() {
        if ended == "told_before" {
            fields.insert("told".to_owned(), "before".into());
        }
        fields.insert("ended".to_owned(), ended.into());
        fields.insert("verdict".to_owned(), verdict.map(Verdict::as_str).into());
    }
    output::json(&shown)
}

fn known(key: &IssueKey, verdict: Option<Verdict>) -> String {
    let said = match verdict {
        Some(Verdict::Pass) => format!("{key} was told before: the review passed."),
        Some(Verdict::Fail) => format!("{key} was told before: the review failed, changes are requested."),
        Some(Verdict::Inconclusive) => format!("{key} was told before: the review was inconclusive."),
        None => format!("{key} was told before, and does not show how the review ended."),
    };
    format!(
        "{said}\nNothing was posted. `countersign mission {key} --again` reviews the same commit once more.\n"
    )
}

fn outcome(mission: &Kept, ended: Ended) -> String {
    let mut text = String::new();
    if let Some(review) = &mission.review {
        text.push_str(&format!("{}\n", pretty::verdict_line(review)));
    }
    match &mission.posted {
        Some(Posted::Published { url, comments }) => {
            let comments = pretty::count(*comments, "new comment");
            text.push_str(&format!("Published at {} ({comments}).\n", pretty::safe(url)));
        }
        Some(Posted::Impossible { reason }) => {
            text.push_str(&format!(
                "Not published: {}. The ticket has the findings.\n",
                pretty::safe(reason)
            ));
        }
        None => {}
    }
    if mission.review.as_ref().is_some_and(|review| review.verdict() == Verdict::Inconclusive) {
        text.push_str(&format!("Review the same commit again with: countersign mission {}\n", mission.key));
    }
    if let Some(broken) = &mission.broken {
        text.push_str(&format!("Failed while {}: {}\n", broken.step, pretty::safe(&broken.reason)));
        if !broken.hint.is_empty() {
            text.push_str(&format!("  {}\n", pretty::safe(&broken.hint)));
        }
    }
    match (ended, &mission.unreported) {
        (Ended::Unreported, Some(reason)) => text.push_str(&format!(
            "{key} could not be told: {}. Tell it yourself, or have it told again: `countersign escalation show \
             mission/{key}` says how.\n",
            pretty::safe(reason).trim_end_matches('.'),
            key = mission.key,
        )),
        (Ended::Done | Ended::Failed | Ended::Unreported | Ended::Known(_), _) => {
            text.push_str(&match mission.told {
                Some(Telling::Before) => format!("{} knows that already; nothing was posted there.\n", mission.key),
                Some(Telling::Now) | None => format!("{} was told.\n", mission.key),
            });
        }
    }
    text
}
