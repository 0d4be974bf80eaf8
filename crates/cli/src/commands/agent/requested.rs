//! Review tasks that name a pull or merge request: reviewed from its forge, posted there, and told to its ticket.

use std::future::pending;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use domain::config::{AgentConfig, Config};
use domain::ports::{PortError, PortErrorKind};
use domain::tasks::Task;
use domain::text::short_line;
use domain::work::WorkOrder;
use engine::publish::{LocalTurns, PublishError};
use engine::worker::Handled;
use store::Store;

use crate::failure::Failure;
use crate::outward::Outward;
use crate::requests::{
    About, Address, Concerned, Forge, Named, Outcome, Who, Wish, names_commits, told as told_of,
};
use crate::reviewers::Heard;
use crate::reviewing::Answers;

/// Whatever a service asks for: it may be mistaken.
const LONGEST_POSTPONED: Duration = Duration::from_secs(6 * 3600);

/// What it takes to review requests of a forge.
#[derive(Debug, Clone)]
pub(super) struct Requests {
    pub(super) root: PathBuf,
    pub(super) config: Config,
    pub(super) turns: Arc<LocalTurns>,
    /// Of all workers.
    pub(super) store: Store,
}

/// Where the commits of a review task are.
pub(super) enum Taken {
    /// In this repository. A note says why a request that the task names, too, is not what is reviewed.
    Here {
        note: Option<String>,
    },
    Request(Box<About>, Box<Forge>),
    /// Nowhere that can be reached: reviewing anything else would prove nothing.
    Missing(String),
    Unusable(String),
}

const NO_FORGE: &str = "the task names a request, and no forge is configured to fetch it from";
const HOW_TO_REACH: &str = "set VCS_PROVIDER (or connect.provider) and its token for this worker, or name local commits \
                            with branch_name or head_commit in the context of the task";

impl Requests {
    /// A request is reviewed from its forge. Where that is impossible, only commits that the task itself names are
    /// reviewed in its place, never what happens to be checked out.
    pub(super) fn take(&self, task: &Task, heard: &Heard) -> Taken {
        let named = Named::in_task(task);
        if named == Named::Nothing {
            return Taken::Here { note: None };
        }
        let outward = match Outward::at(&self.root, self.config.clone()) {
            Ok(outward) if !outward.names_a_forge() => return local_or(task, NO_FORGE, HOW_TO_REACH),
            Ok(outward) => outward.telling(Arc::clone(heard)),
            Err(failure) => return Taken::Unusable(reason(&failure)),
        };
        match (named, Forge::of(outward, Arc::clone(&self.turns))) {
            (Named::Nothing, _) => Taken::Here { note: None },
            (Named::Half(why), _) => {
                local_or(task, &why, "or name local commits with branch_name or head_commit")
            }
            (Named::Unusable(why), _) => Taken::Unusable(why),
            (_, Err(failure)) => Taken::Unusable(reason(&failure)),
            (Named::Request(about), Ok(forge)) if about.provider == forge.provider => {
                self.request(about, forge)
            }
            (Named::Request(about), Ok(forge)) => Taken::Unusable(format!(
                "the task names a request on {}, and the configured forge is {}",
                about.provider, forge.provider
            )),
            (Named::Address(address), Ok(forge)) => match forge.address(&address.url) {
                Ok(request) => {
                    let Address { ticket, commit, .. } = *address;
                    let about = About { provider: forge.provider, request, ticket, commit };
                    self.request(Box::new(about), forge)
                }
                Err(failure) => Taken::Unusable(reason(&failure)),
            },
        }
    }

    fn request(&self, about: Box<About>, forge: Forge) -> Taken {
        Taken::Request(about, Box::new(forge.sharing(Some(self.store.clone()))))
    }
}

/// What is reviewed instead of a request that cannot be fetched.
fn local_or(task: &Task, why: &str, next: &str) -> Taken {
    match names_commits(task) {
        true => Taken::Here {
            note: Some(format!("Only local commits were reviewed: {why}; it was neither fetched nor told")),
        },
        false => Taken::Missing(format!("nothing was reviewed: {why}; {next}")),
    }
}

/// Reviews, posts and tells, in this order. Whoever is killed in between does it again, and finds what is there.
pub(super) async fn review(
    about: &About,
    forge: &Forge,
    agent: &AgentConfig,
    task: &Task,
    heard: Heard,
) -> Handled {
    let wish = wish(about, Who::Agent(Box::new(agent.clone())), task, &heard);
    let (mut outcome, published) = match forge.review_and_publish(&about.request, &wish, pending()).await {
        Ok(reviewed) => reviewed,
        Err(failure) => return put_back(reason(&failure), failure.passes_in()),
    };
    let (posted, unpublished) = match published {
        Ok(posted) => (short_line(&told_of(&posted)), None),
        Err(error) if comes_back(&error) => {
            return put_back(format!("the review was not published: {error}"), error.retry_after());
        }
        Err(error) => {
            let why = format!("{error}; {}", error.hint());
            (format!("The review was not published: {}", short_line(&why)), Some(why))
        }
    };
    let mut notes = vec![posted];
    if let Some(key) = &about.ticket {
        let concerned = Concerned { key, task: task.id.as_str() };
        match told(forge, concerned, &outcome, unpublished.as_deref()).await {
            Ok(said) => notes.push(said),
            Err(error) => return put_back(error.to_string(), error.retry_after()),
        }
    }
    for note in notes {
        heard(&note);
        outcome.review.remarks.push(note);
    }
    Handled::Reviewed { review: Box::new(outcome.review) }
}

/// Reviews a request and posts nothing: an agent that is a command posts what it has to say itself.
pub(super) async fn judge(about: &About, forge: &Forge, who: Who, task: &Task, heard: Heard) -> Handled {
    match forge.review(&about.request, &wish(about, who, task, &heard)).await {
        Ok(outcome) => Handled::Reviewed { review: Box::new(outcome.review) },
        Err(failure) => put_back(reason(&failure), failure.passes_in()),
    }
}

fn wish(about: &About, who: Who, task: &Task, heard: &Heard) -> Arc<Wish> {
    Arc::new(Wish {
        order: WorkOrder::default(),
        fail_on: None,
        who,
        mode: None,
        reports: Vec::new(),
        task: Some(task.id.to_string()),
        expected: about.commit.clone(),
        answers: Answers::Kept,
        heard: Arc::clone(heard),
    })
}

/// A tracker that nobody configured, that does not know the ticket or that does not let us in will not do so in the next
/// attempt either: the review stands, and says so.
async fn told(
    forge: &Forge,
    concerned: Concerned<'_>,
    outcome: &Outcome,
    unpublished: Option<&str>,
) -> Result<String, PortError> {
    match forge.tell_reviewed(concerned, outcome, unpublished).await {
        Err(error) if !error.is_transient() && !error.may_have_happened() => {
            let next = match &error.kind {
                PortErrorKind::NotConfigured => "; set JIRA_URL and its token for this worker",
                _ => "",
            };
            Ok(format!("{} was not told: {error}{next}", concerned.key))
        }
        answer => answer,
    }
}

/// Whoever asks to be left alone is left alone for as long as that, and it costs the task nothing.
fn put_back(reason: String, wait: Option<Duration>) -> Handled {
    match wait {
        Some(wait) => Handled::Postponed { reason, wait: wait.min(LONGEST_POSTPONED) },
        None => Handled::Failed { reason },
    }
}

/// Somebody who pushes all the time is reviewed by a later attempt.
fn comes_back(error: &PublishError) -> bool {
    error.is_transient() || matches!(error, PublishError::Cannot(_))
}

fn reason(failure: &Failure) -> String {
    format!("{}; {}", failure.what(), failure.hint())
}
