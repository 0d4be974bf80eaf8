//! One file per command; its doc comment is its help.

mod agent;
mod assignment;
mod completions;
mod doctor;
mod epic;
mod escalation;
mod init;
mod loop_;
mod man;
mod mcp;
mod metrics;
mod mission;
mod review;
mod rules;
mod schema;
mod serve;
mod submit;
mod task;

pub(crate) use agent::ActivityLogs;

use crate::failure::Failure;
use crate::output::Exit;

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    Review(review::Review),
    Loop(loop_::Loop),
    #[command(subcommand)]
    Epic(epic::Epic),
    Init(init::Init),
    Doctor(doctor::Doctor),
    #[command(subcommand)]
    Rules(rules::Rules),
    #[command(subcommand)]
    Task(task::Task),
    #[command(subcommand)]
    Agent(agent::Agent),
    #[command(subcommand)]
    Assignment(assignment::Assignment),
    #[command(subcommand)]
    Escalation(escalation::Escalation),
    Metrics(metrics::Metrics),
    Mission(mission::Mission),
    Submit(submit::Submit),
    #[command(subcommand)]
    Mcp(mcp::Mcp),
    Serve(serve::Serve),
    Schema(schema::Schema),
    Completions(completions::Completions),
    Man(man::Man),
}

impl Command {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        match self {
            Command::Review(command) => command.run(),
            Command::Loop(command) => command.run(),
            Command::Epic(command) => command.run(),
            Command::Init(command) => command.run(),
            Command::Doctor(command) => command.run(),
            Command::Rules(command) => command.run(),
            Command::Task(command) => command.run(),
            Command::Agent(command) => command.run(),
            Command::Mcp(command) => command.run(),
            Command::Serve(command) => command.run(),
            Command::Assignment(command) => command.run(),
            Command::Escalation(command) => command.run(),
            Command::Metrics(command) => command.run(),
            Command::Mission(command) => command.run(),
            Command::Submit(command) => command.run(),
            Command::Schema(command) => command.run(),
            Command::Completions(command) => command.run(),
            Command::Man(command) => command.run(),
        }
    }
}
