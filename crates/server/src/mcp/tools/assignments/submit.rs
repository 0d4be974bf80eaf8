use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Standing, number};
use crate::hand_ins::{HandInAsk, HandedIn, WhichRequest};
use crate::mcp::tools::{Call, Hints, Tool};
use crate::mcp::trouble::{Answer, Trouble};
use crate::reviews::ReviewTrouble;
use crate::workbench::{Stores, Workbench};

pub(crate) struct SubmitForReview;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Work {
    assignment_id: i64,
    /// Where the work is committed; the branch of the submission before, if left out.
    #[serde(default)]
    branch_name: Option<String>,
    /// Branch or commit it is compared with.
    #[serde(default)]
    base: Option<String>,
    /// Ticket to tell.
    #[serde(default)]
    jira_key: Option<String>,
    #[serde(default)]
    pr_number: Option<i64>,
    /// Open a request if there is none.
    #[serde(default)]
    create_pr: bool,
}

impl Tool for SubmitForReview {
    const NAME: &'static str = "submit_for_review";
    const DESCRIPTION: &'static str = "Coders: hand in committed work. The branch must hold commits its base does not; its \
        head is what is reviewed, later commits are not. jira_key, pr_number or create_pr: forge and ticket are told, too.";
    const HINTS: Hints = Hints::Adds;
    type Input = Work;
    type Output = Standing;

    async fn call<S: Stores>(bench: &Arc<Workbench<S>>, call: Call, input: Work) -> Answer<Standing> {
        let id = number(input.assignment_id)?;
        let request = request_number(input.pr_number)?;
        let (branch, base) = (input.branch_name.as_deref(), input.base.as_deref());
        let assignment = bench.assignments.submit_for_review(&call.caller, id, branch, base).await?;
        let mut message = format!(
            "Submitted for review, attempt {} of {}; get_my_assignment tells when there is rework",
            assignment.review_attempt(),
            assignment.max_cycles()
        );
        let mut review_task = None;
        let wanted = input.jira_key.is_some() || request.is_some() || input.create_pr;
        if let Some(branch) = assignment.branch.as_ref().filter(|_| wanted) {
            let ask = HandInAsk {
                branch: branch.to_string(),
                which: match (request, input.create_pr) {
                    (Some(number), _) => WhichRequest::Numbered(number),
                    (None, true) => WhichRequest::Created,
                    (None, false) => WhichRequest::OfBranch,
                },
                jira_key: input.jira_key,
                by: call.caller.name().to_owned(),
            };
            let (told, task) = tell(bench, ask).await;
            message = format!("{message}. {told}");
            review_task = task;
        }
        Ok(Standing { review_task, ..Standing::of(&assignment, message) })
    }
}

fn request_number(number: Option<i64>) -> Answer<Option<u64>> {
    let unfit =
        || Trouble::new("pr_number: is a number from 1 on", "call again with the number of the request");
    number.map(|number| u64::try_from(number).ok().filter(|number| *number > 0).ok_or_else(unfit)).transpose()
}

/// The assignment is handed in by now, whatever the forge says: what did not work out is told beside it. With the task of
/// the review, where there is one.
async fn tell<S: Stores>(bench: &Arc<Workbench<S>>, ask: HandInAsk) -> (String, Option<String>) {
    let hand_ins = Arc::clone(&bench.hand_ins);
    let answer = tokio::task::spawn_blocking(move || hand_ins.hand_in(&ask)).await;
    match answer {
        Ok(Ok(HandedIn { url, task, notes })) => {
            let told = std::iter::once(format!("{url} is handed in, its review is task {task}")).chain(notes);
            (told.collect::<Vec<_>>().join(". "), Some(task))
        }
        Ok(Err(ReviewTrouble { what, next })) => {
            (format!("Forge and tracker were not told: {what}. {next}"), None)
        }
        Err(error) => {
            (bench.tell)(&format!("submit_for_review: {error}"));
            ("Forge and tracker were not told: call again".to_owned(), None)
        }
    }
}
