//! One file per group of tools, one type per tool.

mod assignments;
pub(crate) mod epic;
mod escalations;
mod pending;
mod queue;
mod reviews;
mod status;
mod task;

use std::future::Future;
use std::sync::{Arc, LazyLock};

use rmcp::model::{CallToolResult, ContentBlock, JsonObject, Tool as Listed, ToolAnnotations};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::arguments;
use super::clean::cleaned;
use super::progress::Progress;
use super::schema::{Side, schema};
use super::trouble::{Answer, Trouble};
use crate::workbench::{Stores, Workbench};
use domain::assignments::Caller;

/// Something an agent can call. The doc comments of its input are what the agent reads.
pub(crate) trait Tool {
    const NAME: &'static str;
    /// What it does and when to use it, in as few words as that takes.
    const DESCRIPTION: &'static str;
    const HINTS: Hints;
    type Input: DeserializeOwned + JsonSchema + Send;
    type Output: Serialize + JsonSchema + Send;

    fn call<S: Stores>(
        bench: &Arc<Workbench<S>>,
        call: Call,
        input: Self::Input,
    ) -> impl Future<Output = Answer<Self::Output>> + Send;
}

/// Who calls, and where to say how far it has come.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) caller: Caller,
    pub(crate) progress: Progress,
}

/// What a client may tell its user before it calls. None of them deletes anything or reaches beyond this store and
/// repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hints {
    Reads,
    /// Each call adds something.
    Adds,
    /// Called again with the same arguments it changes nothing further.
    Settles,
    /// Ends something that cannot be taken up again.
    Decides,
    /// Asks whoever reviews, which may be a model elsewhere.
    Reviews,
}

impl Hints {
    fn annotations(self) -> ToolAnnotations {
        let hints = ToolAnnotations::new().read_only(self == Hints::Reads).open_world(self == Hints::Reviews);
        match self {
            Hints::Reads => hints,
            Hints::Adds | Hints::Reviews => hints.destructive(false).idempotent(false),
            Hints::Settles => hints.destructive(false).idempotent(true),
            Hints::Decides => hints.destructive(true).idempotent(true),
        }
    }
}

/// A tool that takes nothing.
#[derive(Debug, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Nothing {}

/// How long a page may be.
fn page_size(limit: Option<u32>) -> Answer<u32> {
    let limit = limit.unwrap_or(20);
    match (1..=100).contains(&limit) {
        true => Ok(limit),
        false => {
            Err(Trouble::new("limit: is a number from 1 to 100", "call again with a limit in that range"))
        }
    }
}

fn listed<T: Tool>() -> Listed {
    Listed::new(T::NAME, T::DESCRIPTION, schema::<T::Input>(Side::Input))
        .with_raw_output_schema(schema::<T::Output>(Side::Output))
        .with_annotations(T::HINTS.annotations())
}

async fn run<T: Tool, S: Stores>(
    bench: &Arc<Workbench<S>>,
    call: Call,
    arguments: JsonObject,
) -> CallToolResult {
    let answer = async {
        let input = arguments::read(arguments, || schema::<T::Input>(Side::Input))?;
        let output = T::call(bench, call, input).await;
        if T::HINTS != Hints::Reads {
            bench.mirror.update().await;
        }
        let output = output?;
        serde_json::to_value(output).map_err(|error| {
            Trouble::ours("tell the person who runs Countersign", format!("{}: {error}", T::NAME))
        })
    };
    match answer.await {
        Ok(value) => CallToolResult::structured(cleaned(value)),
        Err(trouble) => {
            if let Some(aside) = &trouble.aside {
                (bench.tell)(&format!("{}: {aside}", T::NAME));
            }
            CallToolResult::error(vec![ContentBlock::text(trouble.text())])
        }
    }
}

/// The list of tools, written once: in the order in which clients show them.
macro_rules! tools {
    ($($tool:ty),* $(,)?) => {
        /// All tools as clients are told of them. Made once: they never change.
        pub(crate) fn all() -> &'static [Listed] {
            static ALL: LazyLock<Vec<Listed>> = LazyLock::new(|| vec![$(listed::<$tool>()),*]);
            &ALL
        }

        /// Nothing if there is no tool of that name.
        pub(crate) async fn call<S: Stores>(
            bench: &Arc<Workbench<S>>,
            name: &str,
            call: Call,
            arguments: JsonObject,
        ) -> Option<CallToolResult> {
            match name {
                $(<$tool>::NAME => Some(run::<$tool, S>(bench, call, arguments).await),)*
                _ => None,
            }
        }
    };
}

tools![
    queue::QueueTaskForAgent,
    status::GetQueueStatus,
    pending::ListPendingTasks,
    task::GetTaskDetails,
    epic::GetEpicProgress,
    assignments::GetMyAssignment,
    assignments::AcceptAssignment,
    assignments::SubmitForReview,
    assignments::SubmitReviewResult,
    assignments::CreateAssignment,
    assignments::ListAssignments,
    assignments::GetReviewFeedback,
    escalations::ListEscalations,
    escalations::ResolveEscalation,
    reviews::RequestReview,
    reviews::GetReviewReport,
    reviews::GetFindings,
];
