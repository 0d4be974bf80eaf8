//! One review of a round: fresh, of the branch as it is.

use std::path::Path;
use std::time::Instant;

use domain::change::{RepoPath, Target};
use domain::config::Config;
use domain::work::{WorkItem, WorkOrder};
use engine::story::{Order, Reviewed, Story};
use git::{Ask, Repository, What};
use jiff::Timestamp;

use super::{Documents, Place};
use crate::failure::Failure;
use crate::policy::Policy;
use crate::reviewers::{Choice, Heard, Reviewing, Trust};

pub(super) struct RoundReview<'a> {
    pub(super) repository: &'a Repository,
    pub(super) place: &'a Place,
    pub(super) documents: &'a Documents,
    pub(super) heard: Heard,
}

impl RoundReview<'_> {
    pub(super) fn of(&self, story: &Story) -> Result<Reviewed, Failure> {
        let order = &story.order;
        let started = Instant::now();
        let scope = scope_of(self.repository, story)?;
        let Target::Commit(head) = scope.head.clone() else {
            return Err(Failure::new("a branch is reviewed by its commits", "please report this as a bug"));
        };
        let mut change = self.repository.change(&scope)?;
        change.files.retain(|file| !self.documents.is_one(file.path()));
        let sources = self.repository.sources(&scope)?;
        let policy = Policy::at_base(&scope, &sources, None)?;
        let choice = Choice::named(&order.reviewer, &policy.config)?;
        let work = work_order(order);
        let reviewing = Reviewing {
            repository: self.repository,
            change: &change,
            order: engine::ReviewOrder {
                change: &change,
                sources: &sources,
                config: &policy.config,
                policy: &policy.name,
                order: &work,
                revision_count: story.cycle.round().saturating_sub(1),
                now: Timestamp::now(),
                redact: rules::redact,
            },
            reports: &[],
            task: None,
            scratch: Some(self.place.scratch.join("scratch")),
            withheld: self.withheld(&choice, &scope)?,
            trust: Trust::Own,
            heard: self.heard.clone(),
        };
        let review = reviewing.by(&choice)?;
        let remarks = self.remarks(story, &head)?;
        Ok(Reviewed { review, head, took: started.elapsed(), remarks })
    }

    /// Findings documents of earlier rounds that somebody committed.
    fn withheld(&self, choice: &Choice, scope: &domain::change::Scope) -> Result<Vec<RepoPath>, Failure> {
        match choice {
            Choice::Rules | Choice::Model { .. } | Choice::Answered { .. } => Ok(Vec::new()),
            Choice::Agent(_) => {
                let files = self.repository.files(scope)?;
                Ok(files.into_iter().filter(|path| self.documents.is_one(path)).collect())
            }
        }
    }

    /// What happened to branch and base since the loop looked last.
    fn remarks(&self, story: &Story, head: &domain::change::Oid) -> Result<Vec<String>, Failure> {
        let order = &story.order;
        let mut remarks = Vec::new();
        let (_, tip) = self.repository.base_of(&order.base)?;
        if tip != order.base_tip {
            let compared = match trusted_base(self.repository, story)? == order.base {
                true => "what is compared is where both sides parted",
                false => "it holds commits of the branch, so what is compared is where it was",
            };
            let (was, is) = (order.base_tip.short(), tip.short());
            remarks.push(format!("{} moved from {was} to {is} since the loop began; {compared}", order.base));
        }
        if let Some(last) = story.round()
            && !self.repository.is_ancestor(&last.head, head)?
        {
            remarks.push(format!(
                "the history of {} was rewritten since round {}: it was at {} and is at {} now",
                order.branch,
                last.number,
                last.head.short(),
                head.short()
            ));
        }
        Ok(remarks)
    }
}

/// What the branch of a story is compared with: its base as it is now, unless that took in commits that the first review
/// was about. Then it is where the base was when the loop began, for whoever moved it could have had the change vanish.
pub(super) fn trusted_base(repository: &Repository, story: &Story) -> Result<String, Failure> {
    let order = &story.order;
    let Some(first) = story.rounds.first() else { return Ok(order.base.clone()) };
    let (_, tip) = repository.base_of(&order.base)?;
    let same = tip == order.base_tip || repository.part_alike(&tip, &order.base_tip, &first.head)?;
    Ok(if same { order.base.clone() } else { order.base_tip.to_string() })
}

/// What a story's branch changes.
pub(super) fn scope_of(repository: &Repository, story: &Story) -> Result<domain::change::Scope, Failure> {
    let mut scope = scope(repository, &trusted_base(repository, story)?, &story.order.branch)?;
    scope.base_name.clone_from(&story.order.base);
    Ok(scope)
}

/// `base...branch`, with the branch as the local one, whatever tags there are.
pub(super) fn scope(
    repository: &Repository,
    base: &str,
    branch: &str,
) -> Result<domain::change::Scope, Failure> {
    repository.branch_tip(branch)?;
    let ask =
        Ask { what: What::Commits, base: Some(base.to_owned()), head: Some(format!("refs/heads/{branch}")) };
    let mut scope = repository.resolve(&ask)?;
    scope.head_name = branch.to_owned();
    Ok(scope)
}

/// The policy that holds for a branch.
pub(crate) fn policy(repository: &Repository, base: &str, branch: &str) -> Result<Config, Failure> {
    let scope = scope(repository, base, branch)?;
    let sources = repository.sources(&scope)?;
    Ok(Policy::at_base(&scope, &sources, None)?.config)
}

/// The policy that holds for a story that was begun.
pub(super) fn policy_of(repository: &Repository, story: &Story) -> Result<Config, Failure> {
    let scope = scope_of(repository, story)?;
    let sources = repository.sources(&scope)?;
    Ok(Policy::at_base(&scope, &sources, None)?.config)
}

/// Findings name the story's file, and where it lies on this machine is nobody's business.
fn work_order(order: &Order) -> WorkOrder {
    let file = order.story_file.as_deref().and_then(|path| Path::new(path).file_name());
    let path =
        file.map_or_else(|| format!("{}.md", order.story_id), |name| name.to_string_lossy().into_owned());
    let mut item = WorkItem::parse(&path, &order.story_text);
    item.id.clone_from(&order.story_id);
    item.title.clone_from(&order.title);
    WorkOrder { story: Some(item), ..WorkOrder::default() }
}
