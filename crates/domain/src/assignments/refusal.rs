use super::{AssignmentId, BranchName, BranchTrouble};
use crate::change::Oid;
use crate::cycle::Illegal;
use crate::tasks::{Invalid, TaskId};

/// Why an assignment was not changed. Every one says what to do next; nothing has changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("there is no assignment {0}; list the assignments to see which there are")]
    NotFound(AssignmentId),
    #[error(
        "there is no task {0} that the assignment could belong to; leave task_id out or queue the task first"
    )]
    UnknownTask(TaskId),
    #[error("assignment {id} is for {agent}, not for {caller}; ask which one is yours")]
    NotYours { id: AssignmentId, agent: String, caller: String },
    #[error("{caller} reviews and cannot take assignment {id} for {agent}; {agent} has to accept it itself")]
    ReviewerCannotAccept { id: AssignmentId, agent: String, caller: String },
    #[error("assignment {id} was accepted already and is {status}; look at it to see where it stands")]
    AlreadyAccepted { id: AssignmentId, status: &'static str },
    #[error("assignment {id} is {status}; accept it before you submit the work")]
    AcceptFirst { id: AssignmentId, status: &'static str },
    #[error("assignment {id} was submitted already and waits for its review of {head}; wait for the verdict")]
    AlreadySubmitted { id: AssignmentId, head: String },
    #[error("{head} was rejected already; commit the corrections to {branch} first, then submit again")]
    NothingNew { head: Oid, branch: String },
    #[error(
        "assignment {id} is to be done on {held}, not on {named}; bring the work to {held} and submit that"
    )]
    OtherBranch { id: AssignmentId, held: BranchName, named: BranchName },
    #[error("assignment {id} is compared with {held}, not with {named}; leave base out or name {held}")]
    OtherBase { id: AssignmentId, held: String, named: String },
    #[error(
        "assignment {id} is escalated and waits for a person; nothing can be submitted until one has decided"
    )]
    WaitsForPerson { id: AssignmentId },
    #[error("assignment {id} is {status} and takes no more work; ask which one is yours")]
    Over { id: AssignmentId, status: &'static str },
    #[error("{caller} wrote assignment {id} and cannot review it; another reviewer has to")]
    OwnWork { id: AssignmentId, caller: String },
    #[error("{caller} is a coder here and cannot review assignment {id}; a reviewer or a person has to")]
    NotAReviewer { id: AssignmentId, caller: String },
    #[error(
        "assignment {id} is to be reviewed by {reviewer}, not by {caller}; ask which one is yours to review"
    )]
    NotTheReviewer { id: AssignmentId, reviewer: String, caller: String },
    #[error(
        "{caller} has rejected assignment {id} before, and attempt {attempt} is for fresh eyes: leave it to {others}"
    )]
    AnotherReviewer { id: AssignmentId, caller: String, attempt: u32, others: String },
    #[error("assignment {id} is {status}, and there is nothing to review until its coder submits work")]
    NothingSubmitted { id: AssignmentId, status: &'static str },
    #[error("this attempt of assignment {id} has its verdict already: it is {status}; ask for the next one")]
    AlreadyReviewed { id: AssignmentId, status: &'static str },
    #[error(
        "attempt {named} of assignment {id} is not under review, attempt {attempt} is; review that one and name it"
    )]
    WrongAttempt { id: AssignmentId, named: u32, attempt: u32 },
    #[error("{named} is not the commit that was submitted, {submitted} is; review that one and name it")]
    WrongCommit { named: Oid, submitted: Oid },
    #[error(
        "{branch} has moved on since {submitted} was submitted; review that commit and name it as head_commit"
    )]
    BranchMoved { branch: String, submitted: Oid },
    #[error(
        "{branch} is gone, where {submitted} was submitted; review that commit and name it as head_commit"
    )]
    BranchGone { branch: String, submitted: Oid },
    #[error("a rejection needs feedback that says what to change; send it again with `feedback`")]
    FeedbackMissing,
    #[error(
        "what is escalated is for a person to resolve, and {caller} is a {role}; ask a person to run `countersign escalation resolve`"
    )]
    OnlyPeopleResolve { caller: String, role: &'static str },
    #[error("{caller} wrote assignment {id} and cannot decide about it; another person has to")]
    OwnEscalation { id: AssignmentId, caller: String },
    #[error("assignment {id} is {status}, not escalated; there is nothing to resolve")]
    NotEscalated { id: AssignmentId, status: &'static str },
    #[error("assignment {id} cannot be resolved so; choose one of: {}", .options.join(", "))]
    ResolutionNotOffered { id: AssignmentId, options: Vec<&'static str> },
    #[error(transparent)]
    Branch(#[from] BranchTrouble),
    #[error(transparent)]
    Invalid(#[from] Invalid),
    #[error(transparent)]
    Illegal(#[from] Illegal),
}
