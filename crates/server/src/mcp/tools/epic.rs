use std::collections::BTreeMap;
use std::sync::Arc;

use domain::cycle::{TaskStatus, TicketStatus};
use domain::epic::TicketId;
use domain::epic::run::{EpicKey, StoredEpic};
use domain::tasks::{StoredTask, Task, TaskFilter};
use domain::work::WorkItem;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Call, Hints, Tool};
use crate::mcp::trouble::{Answer, Trouble};
use crate::workbench::{Stores, Workbench};

/// How far back an epic's tasks are looked for, and how many at a time.
const MOST_TASKS: usize = 10_000;
const AT_A_TIME: u32 = 500;
/// More of an epic's tasks than this are counted, not listed.
const MOST_LISTED: usize = 100;
/// Where tasks say which epic they belong to.
const KEYS: [&str; 3] = ["epic_key", "epic_id", "epic"];

pub(crate) struct GetEpicProgress;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct OneEpic {
    /// Its id, or as the tasks' context has it: PROJ-1.
    epic_key: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct EpicProgress {
    pub(crate) epic_key: String,
    pub(crate) total: usize,
    pub(crate) completed: usize,
    /// Of those that were not cancelled.
    pub(crate) percent_complete: u8,
    /// How many are in each status.
    pub(crate) by_status: BTreeMap<String, usize>,
    /// Newest first.
    pub(crate) tasks: Vec<EpicTask>,
    /// Older tasks were not looked at.
    pub(crate) truncated: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct EpicTask {
    task_id: String,
    #[serde(rename = "type")]
    kind: String,
    status: &'static str,
    agent_id: String,
    title: String,
}

impl Tool for GetEpicProgress {
    const NAME: &'static str = "get_epic_progress";
    const DESCRIPTION: &'static str =
        "How far an epic is: its tickets, and the tasks whose context names it, by status.";
    const HINTS: Hints = Hints::Reads;
    type Input = OneEpic;
    type Output = EpicProgress;

    async fn call<S: Stores>(bench: &Arc<Workbench<S>>, _: Call, input: OneEpic) -> Answer<EpicProgress> {
        let progress = progress(bench, &input.epic_key).await?;
        if progress.total == 0 {
            return Err(Trouble::new(
                format!(
                    "there is no epic {}, and no task names it",
                    domain::text::short_line(&input.epic_key)
                ),
                "check the spelling: the id is in the epic's file, and list_pending_tasks shows the context of tasks",
            ));
        }
        Ok(progress)
    }
}

/// Of an epic that is not run and that no task names, nothing is counted.
pub(crate) async fn progress<S: Stores>(bench: &Arc<Workbench<S>>, epic: &str) -> Answer<EpicProgress> {
    let mut progress = EpicProgress {
        epic_key: epic.to_owned(),
        total: 0,
        completed: 0,
        percent_complete: 0,
        by_status: BTreeMap::new(),
        tasks: Vec::new(),
        truncated: false,
    };
    if let Some(run) = run_of(bench, epic).await? {
        progress.count_tickets(&run);
    }
    let (mut after, mut seen) = (None, 0);
    loop {
        let page = bench.store.list(&TaskFilter::default(), after, AT_A_TIME).await?;
        seen += page.tasks.len();
        page.tasks
            .iter()
            .filter(|stored| belongs(&stored.task, epic))
            .for_each(|stored| progress.count(stored));
        after = page.next;
        progress.truncated = after.is_some() && seen >= MOST_TASKS;
        if after.is_none() || progress.truncated {
            break;
        }
    }
    let cancelled = progress.by_status.get(TaskStatus::Cancelled.as_str()).copied().unwrap_or_default();
    let wanted = progress.total - cancelled;
    let percent = (progress.completed * 100).checked_div(wanted).unwrap_or_default();
    progress.percent_complete = u8::try_from(percent).unwrap_or(100);
    Ok(progress)
}

/// The run of an epic of this repository.
async fn run_of<S: Stores>(bench: &Arc<Workbench<S>>, epic: &str) -> Answer<Option<StoredEpic>> {
    let (Some(repository), Ok(id)) = (&bench.repository, TicketId::parse(epic)) else { return Ok(None) };
    Ok(bench.store.epic(&EpicKey { repository: repository.clone(), id }).await?)
}

/// Every epic that is run in this repository, and every one that one of the newest tasks names.
pub(crate) async fn epics<S: Stores>(bench: &Arc<Workbench<S>>) -> Answer<Vec<String>> {
    let page = bench.store.list(&TaskFilter::default(), None, AT_A_TIME).await?;
    let mut names: Vec<String> =
        page.tasks.iter().filter_map(|stored| epic_of(&stored.task)).map(str::to_owned).collect();
    if let Some(repository) = &bench.repository {
        let runs = bench.store.epics(repository).await?;
        names.extend(runs.into_iter().map(|stored| stored.run.order.id.to_string()));
    }
    names.sort();
    names.dedup();
    Ok(names)
}

fn epic_of(task: &Task) -> Option<&str> {
    KEYS.iter()
        .find_map(|key| task.context.get(*key).or_else(|| task.extra.get(*key)).and_then(Value::as_str))
}

fn belongs(task: &Task, epic: &str) -> bool {
    epic_of(task) == Some(epic)
}

impl EpicProgress {
    fn count_tickets(&mut self, stored: &StoredEpic) {
        let order = &stored.run.order;
        for ticket in &stored.tickets {
            let status = ticket.status();
            self.total += 1;
            self.completed += usize::from(status == TicketStatus::Completed);
            *self.by_status.entry(status.as_str().to_owned()).or_default() += 1;
            if self.tasks.len() < MOST_LISTED {
                let text = order.tickets.iter().find(|text| text.id == ticket.id);
                let title = text.map(|text| WorkItem::parse(&text.path, &text.text).title);
                self.tasks.push(EpicTask {
                    task_id: ticket.id.to_string(),
                    kind: "ticket".to_owned(),
                    status: status.as_str(),
                    agent_id: order.builder.clone(),
                    title: title.unwrap_or_default(),
                });
            }
        }
    }

    fn count(&mut self, stored: &StoredTask) {
        let task = &stored.task;
        self.total += 1;
        self.completed += usize::from(task.status == TaskStatus::Completed);
        *self.by_status.entry(task.status.as_str().to_owned()).or_default() += 1;
        if self.tasks.len() < MOST_LISTED {
            self.tasks.push(EpicTask {
                task_id: task.id.to_string(),
                kind: task.kind.clone(),
                status: task.status.as_str(),
                agent_id: task.assigned_to.clone(),
                title: task.title.clone(),
            });
        }
    }
}
