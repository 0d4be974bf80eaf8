use domain::assignments::{BranchTrouble, Refusal as AssignmentRefusal};
use domain::ports::{AssignmentError, EpicError, StoreError};
use domain::tasks::{Invalid, Refusal};
use domain::text::clean_line;
use engine::escalation::{EscalationError, StoryTrouble};

/// Why a tool did not do what it was asked: one sentence on what is the matter, one on what to do next. Shown to the
/// caller as it is, so nothing about the machine belongs here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Trouble {
    pub(crate) what: String,
    pub(crate) next: String,
    /// What the operator should know besides.
    pub(crate) aside: Option<String>,
}

pub(crate) type Answer<T> = Result<T, Trouble>;

impl Trouble {
    pub(crate) fn new(what: impl AsRef<str>, next: impl AsRef<str>) -> Trouble {
        Trouble { what: clean_line(what.as_ref()), next: clean_line(next.as_ref()), aside: None }
    }

    pub(crate) fn text(&self) -> String {
        format!("{}. Next: {}.", self.what.trim_end_matches('.'), self.next.trim_end_matches('.'))
    }

    /// Something about the server itself. The caller is told that much, the operator the rest.
    pub(crate) fn ours(next: &str, aside: String) -> Trouble {
        let mut trouble = Trouble::new("the store does not answer as it should", next);
        trouble.aside = Some(aside);
        trouble
    }
}

impl From<Invalid> for Trouble {
    fn from(invalid: Invalid) -> Trouble {
        Trouble::new(invalid.to_string(), "mend the field and call again; nothing was stored")
    }
}

impl From<StoreError> for Trouble {
    fn from(error: StoreError) -> Trouble {
        match error {
            StoreError::Refused(refusal) => refusal.into(),
            StoreError::Unavailable { .. } => {
                Trouble::ours("try again in a few seconds; nothing was stored", error.to_string())
            }
            StoreError::Corrupt { .. } => {
                Trouble::ours("tell the person who runs Countersign", error.to_string())
            }
        }
    }
}

impl From<EpicError> for Trouble {
    fn from(error: EpicError) -> Trouble {
        match error {
            EpicError::Store(error) => error.into(),
            EpicError::Superseded(_) | EpicError::Outdated(_) => {
                Trouble::new(error.to_string(), "call again")
            }
        }
    }
}

impl From<AssignmentError> for Trouble {
    fn from(error: AssignmentError) -> Trouble {
        match error {
            AssignmentError::Store(error) => error.into(),
            AssignmentError::Refused(AssignmentRefusal::Branch(BranchTrouble::Unreadable(detail))) => {
                let mut trouble =
                    Trouble::new("the repository cannot be read", "tell the person who runs Countersign");
                trouble.aside = Some(detail);
                trouble
            }
            // A refusal says what is the matter and, behind a semicolon, what to do next.
            AssignmentError::Refused(refusal) => match refusal.to_string().split_once("; ") {
                Some((what, next)) => Trouble::new(what, next),
                None if matches!(refusal, AssignmentRefusal::Invalid(_)) => {
                    Trouble::new(refusal.to_string(), "mend the field and call again; nothing was stored")
                }
                None => Trouble::new(refusal.to_string(), "get_my_assignment says where your work stands"),
            },
        }
    }
}

impl From<EscalationError> for Trouble {
    fn from(error: EscalationError) -> Trouble {
        let what = error.to_string();
        let next = match error {
            EscalationError::Work(error) => return error.into(),
            EscalationError::Story(trouble) => return trouble.into(),
            EscalationError::NotEscalated(_) => "list_escalations shows what waits for a person",
            EscalationError::Ambiguous { .. } => "say which one is meant",
            EscalationError::NotOffered { .. } => "call again with one of those",
            EscalationError::ReasonNeeded(_) => "say in note why; it is kept with the findings and your name",
        };
        Trouble::new(what, next)
    }
}

/// What a story's trouble says is for whoever sits at the machine.
impl From<StoryTrouble> for Trouble {
    fn from(trouble: StoryTrouble) -> Trouble {
        let mut told = match &trouble {
            StoryTrouble::Held { .. } => {
                Trouble::new("a loop is at work on this story", "wait until it is done, then look again")
            }
            StoryTrouble::Unusable { .. } => Trouble::new(
                "the loops of this repository cannot be used",
                "tell the person who runs Countersign",
            ),
        };
        told.aside = Some(trouble.to_string());
        told
    }
}

impl From<Refusal> for Trouble {
    fn from(refusal: Refusal) -> Trouble {
        let next = match &refusal {
            Refusal::Duplicate(_) => "call again: a new id is made each time",
            Refusal::QueueFull { .. } => {
                "wait until some of them are done; get_queue_status shows how many there are"
            }
            Refusal::UnknownDependency { .. } => {
                "queue the task it depends on first, and use the id you are given"
            }
            Refusal::DependencyCycle(_) => "leave one of the dependencies out",
            Refusal::NotFound(_) => {
                "list_pending_tasks shows what waits; ids are as queue_task_for_agent gave them"
            }
            Refusal::Illegal(_) => "get_task_details says where it stands",
            Refusal::StaleLease { .. } => "somebody else has it by now; get_task_details says who",
            Refusal::Invalid(_) => "mend the field and call again; nothing was stored",
        };
        Trouble::new(refusal.to_string(), next)
    }
}
