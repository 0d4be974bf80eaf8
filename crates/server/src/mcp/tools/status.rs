use std::collections::BTreeSet;
use std::sync::Arc;

use domain::tasks::{QueueCounts, check_agent_name};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Call, Hints, Tool};
use crate::mcp::trouble::Answer;
use crate::workbench::{Stores, Workbench};

pub(crate) struct GetQueueStatus;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Which {
    /// Only this queue.
    #[serde(default)]
    agent_id: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Queues {
    queues: Vec<QueueStanding>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct QueueStanding {
    agent_id: String,
    pending: u32,
    in_progress: u32,
    failed: u32,
    escalated: u32,
    paused: bool,
}

impl Tool for GetQueueStatus {
    const NAME: &'static str = "get_queue_status";
    const DESCRIPTION: &'static str = "How many tasks each queue holds, by status, and whether it is paused.";
    const HINTS: Hints = Hints::Reads;
    type Input = Which;
    type Output = Queues;

    async fn call<S: Stores>(bench: &Arc<Workbench<S>>, _: Call, input: Which) -> Answer<Queues> {
        let names: BTreeSet<String> = match input.agent_id {
            Some(name) => {
                check_agent_name("agent_id", &name)?;
                BTreeSet::from([name])
            }
            None => {
                let configured = bench.config.agents().into_iter().map(|agent| agent.queue);
                configured.chain(bench.store.queues().await?).collect()
            }
        };
        let paused = bench.store.paused().await?;
        let mut queues = Vec::new();
        for name in names {
            let QueueCounts { pending, in_progress, failed, escalated } = bench.store.counts(&name).await?;
            let paused = paused.contains(&name);
            queues.push(QueueStanding { agent_id: name, pending, in_progress, failed, escalated, paused });
        }
        Ok(Queues { queues })
    }
}
