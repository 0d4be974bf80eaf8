use domain::assignments::AssignmentDraft;

use super::view;
use crate::desk::{Access, DeskArgs};
use crate::failure::Failure;
use crate::output::{self, Exit, Listing};

/// Give a coder something to do, and print the assignment's number.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    countersign assignment create --agent green --title \"Add the login\" --reviewer purple\n  \
    countersign assignment create --agent green --title \"Add the login\" --context jira_key=PROJ-123")]
pub(crate) struct Create {
    /// Who is to do it.
    #[arg(long, value_name = "AGENT")]
    agent: String,

    /// One line on what is to be done.
    #[arg(long, value_name = "TEXT")]
    title: String,

    /// Everything else that the coder has to know.
    #[arg(long, value_name = "TEXT", default_value = "")]
    description: String,

    /// Who is to review it; left out, any reviewer but the coder.
    #[arg(long, value_name = "AGENT")]
    reviewer: Option<String>,

    /// The task it belongs to.
    #[arg(long, value_name = "ID")]
    task: Option<String>,

    /// The branch it is to be done on.
    #[arg(long, value_name = "BRANCH")]
    branch: Option<String>,

    /// What the branch is compared with; left out, the branch that a review would compare with.
    #[arg(long, value_name = "BRANCH")]
    base: Option<String>,

    /// How many reviews it may have [default: limits.max_review_cycles, else 3]
    #[arg(long, value_name = "N")]
    max_review_cycles: Option<u32>,

    /// What the coder has to know, as KEY=VALUE; the value may be JSON. May be given several times.
    #[arg(long, value_name = "KEY=VALUE", value_parser = key_value)]
    context: Vec<(String, serde_json::Value)>,

    #[command(flatten)]
    desk: DeskArgs,

    /// With json, the assignment as it was stored.
    #[arg(long, default_value = "pretty")]
    format: Listing,
}

impl Create {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let draft = AssignmentDraft {
            title: self.title,
            description: self.description,
            agent: self.agent,
            reviewer: self.reviewer,
            task_id: self.task,
            branch_name: self.branch,
            base: self.base,
            max_review_cycles: self.max_review_cycles,
            context: self.context.into_iter().collect(),
        };
        let made = self.desk.with_desk(Access::Write, async |at| at.desk.create(at.caller, draft).await)?;
        output::print(&match self.format {
            Listing::Pretty => format!("{}\n", made.id),
            Listing::Json => output::json(&view::json(&made))?,
        })?;
        Ok(Exit::Ok)
    }
}

fn key_value(text: &str) -> Result<(String, serde_json::Value), String> {
    let (key, value) = text.split_once('=').ok_or("use KEY=VALUE")?;
    let value = serde_json::from_str(value).unwrap_or_else(|_| value.into());
    Ok((key.to_owned(), value))
}
