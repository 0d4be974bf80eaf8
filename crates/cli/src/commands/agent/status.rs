use domain::config::AgentConfig;
use domain::cycle::TaskStatus;
use domain::ports::TaskStore;
use domain::tasks::{StoredTask, TaskFilter};
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::output::{self, Exit, Listing};
use crate::pretty::safe;
use crate::store::StoreArgs;

/// More than this many tasks are not held at once by the agents of one store.
const MOST_HELD: u32 = 1000;

/// Say which agents there are, whether they are paused, and what they hold since when.
#[derive(Debug, clap::Args)]
pub(crate) struct Status {
    #[command(flatten)]
    store: StoreArgs,

    #[arg(long, default_value = "pretty")]
    format: Listing,
}

impl Status {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let agents = self.store.operator_config()?.agents();
        let filter = TaskFilter { status: Some(TaskStatus::InProgress), agent: None };
        let (held, paused) = self.store.with_store(async |store| {
            Ok((store.list(&filter, None, MOST_HELD).await?.tasks, store.paused().await?))
        })?;
        let rows: Vec<Value> = agents.iter().map(|agent| row(agent, &held, &paused)).collect();
        output::print(&match self.format {
            Listing::Json => output::json(&rows)?,
            Listing::Pretty => rows.iter().map(line).collect(),
        })?;
        Ok(Exit::Ok)
    }
}

fn row(agent: &AgentConfig, held: &[StoredTask], paused: &[String]) -> Value {
    let own = |name: &String| name == &agent.queue || name.starts_with(&format!("{}-", agent.id));
    let tasks: Vec<Value> = held
        .iter()
        .filter(|stored| stored.task.assigned_to == agent.queue)
        .filter_map(|stored| {
            let held = stored.held.as_ref()?;
            Some(json!({ "task": stored.task.id, "holder": held.holder, "since": held.since }))
        })
        .collect();
    json!({
        "id": agent.id,
        "name": agent.name,
        "queue": agent.queue,
        "enabled": agent.enabled,
        "paused": paused.iter().filter(|name| own(name)).collect::<Vec<_>>(),
        "holds": tasks,
    })
}

fn line(row: &Value) -> String {
    let text = |value: &Value| safe(value.as_str().unwrap_or_default());
    let paused: Vec<String> = row["paused"].as_array().into_iter().flatten().map(text).collect();
    let state = match (row["enabled"].as_bool(), paused.is_empty()) {
        (Some(false), _) => "disabled".to_owned(),
        (_, true) => "enabled".to_owned(),
        (_, false) => format!("paused ({})", paused.join(", ")),
    };
    let holds: String = row["holds"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|held| {
            format!(
                "  {} holds {} since {}\n",
                text(&held["holder"]),
                text(&held["task"]),
                text(&held["since"])
            )
        })
        .collect();
    format!("{:12}  {:10}  {}\n{holds}", text(&row["id"]), state, text(&row["name"]))
}
