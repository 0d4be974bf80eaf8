use std::str::FromStr;

/// How the work of a chain goes, if nobody is killed. What the engineer does with a branch is in `engineer.sh`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Story {
    /// Nothing to object to.
    Clean,
    /// Mended after the first review.
    Mended,
    /// Mended after the second.
    Late,
    /// Mended after the first, by a command that fails once before it works.
    Flaky,
    /// Never mended.
    Stubborn,
    /// No review at all: one task for the engineer.
    Plain,
}

impl Story {
    const ALL: [Story; 6] =
        [Story::Clean, Story::Mended, Story::Late, Story::Flaky, Story::Stubborn, Story::Plain];

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Story::Clean => "clean",
            Story::Mended => "mended",
            Story::Late => "late",
            Story::Flaky => "flaky",
            Story::Stubborn => "stubborn",
            Story::Plain => "plain",
        }
    }

    /// Reviews that have to have taken place in the end.
    pub(crate) fn reviews(self) -> u32 {
        match self {
            Story::Plain => 0,
            Story::Clean => 1,
            Story::Mended | Story::Flaky => 2,
            Story::Late | Story::Stubborn => 3,
        }
    }

    /// Each review but the last sends the work back.
    pub(crate) fn fixes(self) -> u32 {
        self.reviews().saturating_sub(1)
    }

    /// What the last review says.
    pub(crate) fn ends(self) -> Ending {
        match self {
            Story::Stubborn => Ending::Escalated,
            Story::Clean | Story::Mended | Story::Late | Story::Flaky | Story::Plain => Ending::Completed,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    Completed,
    Escalated,
}

/// A first task and all that follows from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Chain {
    pub(crate) number: u32,
    pub(crate) story: Story,
}

impl Chain {
    pub(crate) fn numbered(number: u32) -> Chain {
        Chain { number, story: Story::ALL[number as usize % Story::ALL.len()] }
    }

    /// Its branch, and how its tasks are told from others.
    pub(crate) fn name(&self) -> String {
        format!("{}-{}", self.story.as_str(), self.number)
    }

    /// Of the task it begins with.
    pub(crate) fn first_task(&self) -> String {
        format!("crash-{}", self.name())
    }
}

impl FromStr for Chain {
    type Err = ();

    fn from_str(name: &str) -> Result<Chain, ()> {
        let number = name.rsplit_once('-').and_then(|(_, number)| number.parse().ok()).ok_or(())?;
        let chain = Chain::numbered(number);
        if chain.name() == name { Ok(chain) } else { Err(()) }
    }
}
