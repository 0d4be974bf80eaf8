use std::path::PathBuf;
use std::sync::Arc;

use domain::assignments::{BaseChoice, BranchName, BranchTrouble, Caller, Examined, Refusal, Role};
use domain::change::Oid;
use domain::config::Config;
use domain::ports::{ActivityLog, AssignmentError, Branches, LogLine};
use engine::assignments::{Desk, DeskRules};
use git::Repository;
use store::Store;

use crate::commands::ActivityLogs;
use crate::failure::Failure;
use crate::output::Listing;
use crate::pretty;
use crate::store::{StoreArgs, actor};

/// Who acts, and on which store.
#[derive(Debug, clap::Args)]
pub(crate) struct DeskArgs {
    /// Act as this agent or person [default: the user.name of git]
    #[arg(long = "as", value_name = "NAME", env = "COUNTERSIGN_AS")]
    name: Option<String>,

    /// What the one who acts is, unless countersign.yaml says so [default: person]
    #[arg(long, value_name = "ROLE", env = "COUNTERSIGN_ROLE")]
    role: Option<RoleName>,

    #[command(flatten)]
    pub(crate) store: StoreArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum RoleName {
    Coder,
    Reviewer,
    Person,
}

impl From<RoleName> for Role {
    fn from(role: RoleName) -> Role {
        match role {
            RoleName::Coder => Role::Coder,
            RoleName::Reviewer => Role::Reviewer,
            RoleName::Person => Role::Person,
        }
    }
}

/// Whether a command may make a store where there is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    Write,
}

/// What `work` is given.
pub(crate) struct AtDesk<'a> {
    pub(crate) desk: &'a Desk<Store>,
    pub(crate) caller: &'a Caller,
}

impl DeskArgs {
    /// Opens the store, does `work` as whoever acts, and closes it again.
    pub(crate) fn with_desk<T>(
        &self,
        access: Access,
        work: impl AsyncFnOnce(AtDesk<'_>) -> Result<T, AssignmentError>,
    ) -> Result<T, Failure> {
        let config = self.store.operator_config()?;
        let repository = Repository::discover(&self.store.root());
        let caller = self.caller(&config, repository.as_ref().ok())?;
        let branches: Arc<dyn Branches> = match repository {
            Ok(repository) => Arc::new(repository),
            Err(error) => Arc::new(NoRepository(error.to_string())),
        };
        let log = Arc::new(LogsOnDemand(self.store.root().join("logs")));
        let rules = DeskRules::of(&config);
        let act = async |store: &Store| {
            let desk = Desk { store: store.clone(), branches, log, rules };
            match work(AtDesk { desk: &desk, caller: &caller }).await {
                Err(AssignmentError::Store(error)) => Err(error),
                Err(AssignmentError::Refused(refusal)) => Ok(Err(refusal)),
                Ok(answer) => Ok(Ok(answer)),
            }
        };
        let answer = match access {
            Access::Read => self.store.with_store_to_read(act)?,
            Access::Write => self.store.with_store(act)?,
        };
        answer.map_err(|refusal| refused(&refusal))
    }

    /// What is escalated is for people, whatever it is.
    pub(crate) fn check_person(&self) -> Result<(), Failure> {
        let config = self.store.operator_config()?;
        let caller = self.caller(&config, Repository::discover(&self.store.root()).ok().as_ref())?;
        match caller.role() {
            Role::Person => Ok(()),
            role @ (Role::Coder | Role::Reviewer) => Err(refused(&Refusal::OnlyPeopleResolve {
                caller: caller.name().to_owned(),
                role: role.as_str(),
            })),
        }
    }

    fn caller(&self, config: &Config, repository: Option<&Repository>) -> Result<Caller, Failure> {
        let named = self.name.clone().filter(|name| !name.is_empty());
        let name = match named {
            Some(name) => name,
            None => actor(repository),
        };
        let role = self.role.map(Role::from);
        if let Some(known) = Caller::among(&config.callers(), &name) {
            return match role.filter(|role| *role != known.role()) {
                None => Ok(known),
                Some(role) => Err(Failure::new(
                    format!("{known} is a {} here, not a {}", known.role().as_str(), role.as_str()),
                    "leave --role out, or say who acts with --as NAME; countersign.yaml says who is what",
                )),
            };
        }
        Caller::new(&name, role.unwrap_or(Role::Person)).map_err(|invalid| {
            Failure::new(format!("nobody can act as this: {invalid}"), "say who acts with --as NAME")
        })
    }
}

/// What there is to try instead, in commands.
fn refused(refusal: &Refusal) -> Failure {
    let hint = match refusal {
        Refusal::NotFound(_) => "`countersign assignment list` shows the assignments there are".to_owned(),
        Refusal::UnknownTask(_) => "`countersign task list` shows the tasks there are".to_owned(),
        Refusal::NotYours { agent, .. } | Refusal::ReviewerCannotAccept { agent, .. } => {
            format!("`--as {agent}` acts for its coder")
        }
        Refusal::AcceptFirst { id, .. } => format!("`countersign assignment accept {id}` takes it"),
        Refusal::OwnWork { .. }
        | Refusal::NotAReviewer { .. }
        | Refusal::NotTheReviewer { .. }
        | Refusal::AnotherReviewer { .. } => {
            "say who reviews with --as NAME, or review as a person".to_owned()
        }
        Refusal::FeedbackMissing => "say what to change with --feedback TEXT".to_owned(),
        Refusal::BranchMoved { submitted, .. } => {
            format!("`--head {submitted}` says that this commit was reviewed")
        }
        Refusal::BranchGone { submitted, .. } => {
            format!("`--head {submitted}` says that this commit was reviewed")
        }
        Refusal::OtherBranch { held, .. } => format!("`--branch {held}` hands in what is there"),
        Refusal::OwnEscalation { .. } => "say who decides with --as NAME".to_owned(),
        Refusal::OtherBase { .. } => "leave --base out".to_owned(),
        Refusal::WrongCommit { submitted, .. } => format!("review {submitted}, and give that as --head"),
        Refusal::OnlyPeopleResolve { .. } => "leave --as and --role out to decide as yourself".to_owned(),
        Refusal::AlreadyAccepted { id, .. }
        | Refusal::AlreadySubmitted { id, .. }
        | Refusal::NothingSubmitted { id, .. }
        | Refusal::AlreadyReviewed { id, .. }
        | Refusal::WrongAttempt { id, .. }
        | Refusal::WaitsForPerson { id }
        | Refusal::Over { id, .. }
        | Refusal::NotEscalated { id, .. }
        | Refusal::ResolutionNotOffered { id, .. } => {
            format!("`countersign assignment show {id}` says where it stands")
        }
        Refusal::NothingNew { .. } | Refusal::Branch(_) => "nothing was handed in".to_owned(),
        Refusal::Invalid(_) | Refusal::Illegal(_) => {
            "mend that and try again; nothing was changed".to_owned()
        }
    };
    Failure::new(refusal, hint)
}

/// Most commands log nothing, and a folder should not appear for them.
struct LogsOnDemand(PathBuf);

impl ActivityLog for LogsOnDemand {
    fn write(&self, line: &LogLine) {
        match ActivityLogs::in_folder(self.0.clone(), Listing::Pretty) {
            Ok(logs) => logs.write(line),
            Err(error) => pretty::note(&format!("cannot write to {}: {error}", self.0.display())),
        }
    }
}

/// For a folder that is in no repository: everything works there but handing in.
struct NoRepository(String);

impl Branches for NoRepository {
    fn examine(&self, _: &BranchName, _: &BaseChoice) -> Result<Examined, BranchTrouble> {
        Err(BranchTrouble::Unreadable(self.0.clone()))
    }

    fn tip(&self, _: &BranchName) -> Result<Option<Oid>, BranchTrouble> {
        Err(BranchTrouble::Unreadable(self.0.clone()))
    }
}
