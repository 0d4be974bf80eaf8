use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::Read;
use std::path::{Path, PathBuf};

use domain::config::AgentConfig;
use domain::ports::TaskStore;
use domain::tasks::{Invalid, NewTask, QueueLimit, Refusal, Task, TaskId};
use domain::text::nearest;
use jiff::Timestamp;

use super::view;
use crate::failure::Failure;
use crate::output::{self, Exit, Listing};
use crate::pretty;
use crate::store::StoreArgs;

/// No task needs more; the same limit holds for files in the mailbox.
const MAX_BYTES: u64 = 1024 * 1024;

/// Queue a task and print its id.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    countersign task add --agent qa --title \"Review the login\" --context branch_name=login\n  \
    countersign task add --agent qa --title \"PR #7\" --context pr_url=https://github.com/o/r/pull/7\n  \
    countersign task add --from task.json")]
pub(crate) struct Add {
    /// Whose queue it goes into.
    #[arg(long, value_name = "AGENT", required_unless_present = "from")]
    agent: Option<String>,

    /// What kind of work: review, fix, implementation, ...
    #[arg(long = "type", value_name = "TYPE", default_value = "review")]
    kind: String,

    /// One line on what is to be done.
    #[arg(long, value_name = "TEXT", required_unless_present = "from")]
    title: Option<String>,

    /// Everything else that the agent has to know, in 262144 bytes at most.
    #[arg(long, value_name = "TEXT", default_value = "")]
    description: String,

    /// 1 is the most urgent, 100 the least.
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u8).range(1..=100))]
    priority: u8,

    /// Run it only after this task has completed. May be given several times.
    #[arg(long, value_name = "ID")]
    depends_on: Vec<String>,

    /// How many reviews the work may have before a person decides [default: limits.max_review_cycles, else 3]
    #[arg(long, value_name = "N")]
    max_review_cycles: Option<u32>,

    /// Something the work has to fulfil. May be given several times.
    #[arg(long, value_name = "TEXT")]
    criterion: Vec<String>,

    /// What the agent has to know, as KEY=VALUE; the value may be JSON. May be given several times.
    #[arg(long, value_name = "KEY=VALUE", value_parser = key_value)]
    context: Vec<(String, serde_json::Value)>,

    /// Read the whole task from a JSON file instead (`-` for standard input).
    #[arg(long, value_name = "FILE", conflicts_with_all = ["agent", "title", "depends_on", "max_review_cycles", "criterion", "context"])]
    from: Option<PathBuf>,

    /// How many unfinished tasks the agent's queue may hold [default: safeguards.max_queue_size, else 100]
    #[arg(long, value_name = "N")]
    max_queue_size: Option<u32>,

    #[command(flatten)]
    store: StoreArgs,

    /// With json, the task as it was stored.
    #[arg(long, default_value = "pretty")]
    format: Listing,
}

impl Add {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let task = match &self.from {
            Some(path) => Task::parse(&read(path)?).map_err(|invalid| unfit(&invalid))?,
            None => self.task().map_err(|invalid| unfit(&invalid))?,
        };
        let config = self.store.operator_config()?;
        let limits = config.limits_for(&task.assigned_to);
        let task = NewTask::new(task, limits).map_err(|invalid| unfit(&invalid))?;
        let limit = QueueLimit::AtMost(self.max_queue_size.unwrap_or(config.safeguards.max_queue_size));
        let (stored, moment) = self.store.with_store(async |store| {
            store.add(std::slice::from_ref(&task), limit).await?;
            let stored = store.get(&task.task().id).await?;
            let stored = stored.ok_or_else(|| Refusal::NotFound(task.task().id.clone()))?;
            Ok((stored, view::Moment { now: store.now().await?, paused: store.paused().await? }))
        })?;
        if let Some(warning) = unserved(&config.agents(), &stored.task.assigned_to) {
            pretty::note(&warning);
        }
        output::print(&match self.format {
            Listing::Pretty => format!("{}\n", stored.task.id),
            Listing::Json => output::json(&view::json(&stored, &moment))?,
        })?;
        Ok(Exit::Ok)
    }

    fn task(&self) -> Result<Task, Invalid> {
        let agent = self.agent.as_deref().unwrap_or_default();
        let now = u64::try_from(Timestamp::now().as_millisecond()).unwrap_or_default();
        let random = RandomState::new().build_hasher().finish() as u32;
        let id = TaskId::generate(&self.kind, agent, now, random)?;
        let mut task = Task::new(id, &self.kind, agent, self.title.as_deref().unwrap_or_default());
        task.description.clone_from(&self.description);
        task.priority = self.priority;
        task.max_review_cycles = self.max_review_cycles;
        task.created_by = self.store.actor();
        task.depends_on = self.depends_on.iter().map(|id| dependency(id)).collect::<Result<_, _>>()?;
        task.acceptance_criteria.clone_from(&self.criterion);
        task.context = self.context.iter().cloned().collect();
        Ok(task)
    }
}

fn dependency(id: &str) -> Result<TaskId, Invalid> {
    TaskId::parse(id).map_err(|invalid| Invalid::new("depends_on", invalid.reason))
}

/// Other machines may serve queues that this one does not know; more often, it is a slip of the fingers.
fn unserved(agents: &[AgentConfig], queue: &str) -> Option<String> {
    let serves = |agent: &&AgentConfig| agent.queue == queue;
    match agents.iter().filter(serves).find(|agent| agent.enabled).or(agents.iter().find(serves)) {
        Some(agent) if agent.enabled => None,
        Some(agent) => {
            let id = &agent.id;
            Some(format!("Queued, but {id} is disabled in countersign.yaml: nobody here serves {queue}"))
        }
        None => {
            let names = agents.iter().map(|agent| agent.queue.as_str());
            let hint = nearest(queue, names.clone())
                .map(|name| format!("did you mean {name}?"))
                .unwrap_or_else(|| format!("the queues are {}", names.collect::<Vec<_>>().join(", ")));
            Some(format!("Queued, but no agent in countersign.yaml serves {queue}; {hint}"))
        }
    }
}

fn key_value(text: &str) -> Result<(String, serde_json::Value), String> {
    let (key, value) = text.split_once('=').ok_or("use KEY=VALUE")?;
    let value = serde_json::from_str(value).unwrap_or_else(|_| value.into());
    Ok((key.to_owned(), value))
}

fn unfit(invalid: &Invalid) -> Failure {
    Failure::new(format!("this is not a task: {invalid}"), "mend the field and try again; nothing was queued")
}

fn read(path: &Path) -> Result<String, Failure> {
    let mut text = String::new();
    let read = if path.as_os_str() == "-" {
        std::io::stdin().take(MAX_BYTES + 1).read_to_string(&mut text)
    } else {
        std::fs::File::open(path).and_then(|file| file.take(MAX_BYTES + 1).read_to_string(&mut text))
    };
    let failure = |reason: String| {
        Failure::new(format!("cannot read {}: {reason}", path.display()), "give a file with one task as JSON")
    };
    read.map_err(|error| failure(error.to_string()))?;
    if text.len() as u64 > MAX_BYTES {
        return Err(failure("it is larger than 1 MiB".to_owned()));
    }
    Ok(text)
}
