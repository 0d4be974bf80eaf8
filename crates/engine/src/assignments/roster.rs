use domain::assignments::{AssignmentDraft, Caller, Role};
use domain::config::Config;
use domain::tasks::Invalid;

/// Who there is to work and to review.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Roster {
    callers: Vec<Caller>,
    strangers: Strangers,
}

/// What becomes of names that the configuration does not know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Strangers {
    /// It names no agents at all, so they may be called anything.
    Taken,
    Refused,
}

impl Roster {
    pub fn of(config: &Config) -> Roster {
        let strangers = if config.agents.is_empty() { Strangers::Taken } else { Strangers::Refused };
        Roster { callers: config.callers(), strangers }
    }

    /// Spells the coder and the reviewer as the configuration does. Work that nobody could take or review is refused.
    pub(super) fn fill_in(&self, mut draft: AssignmentDraft) -> Result<AssignmentDraft, Invalid> {
        // Without a name, the draft itself says what is missing.
        if !draft.agent.is_empty()
            && let Some(coder) = self.find("agent", &draft.agent)?
        {
            draft.agent = coder.name().to_owned();
        }
        let named = draft.reviewer.as_deref().filter(|name| !name.is_empty());
        let Some(named) = named else { return Ok(draft) };
        if let Some(reviewer) = self.find("reviewer", named)? {
            if reviewer.role() == Role::Coder && !reviewer.is_also(&draft.agent) {
                let who = reviewer.name();
                return Err(Invalid::new(
                    "reviewer",
                    format!("{who} is a coder here and reviews nothing; name a reviewer or a person"),
                ));
            }
            draft.reviewer = Some(reviewer.name().to_owned());
        }
        Ok(draft)
    }

    fn find(&self, field: &str, name: &str) -> Result<Option<Caller>, Invalid> {
        match (Caller::among(&self.callers, name), self.strangers) {
            (None, Strangers::Refused) => {
                let known = self.callers.iter().map(|it| format!("{it} ({})", it.role().as_str()));
                let known = known.collect::<Vec<_>>().join(", ");
                Err(Invalid::new(field, format!("nobody here goes by that name; there are {known}")))
            }
            (found, Strangers::Taken | Strangers::Refused) => Ok(found),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEAM: &str = "agents:\n  - {id: green}\n  - {id: purple, role: reviewer}\npeople: [mia]\n";

    fn filled_in(config: &str, agent: &str, reviewer: &str) -> Result<(String, Option<String>), String> {
        let roster = Roster::of(&Config::parse("countersign.yaml", config).unwrap());
        let draft = AssignmentDraft {
            agent: agent.to_owned(),
            reviewer: Some(reviewer.to_owned()),
            ..AssignmentDraft::default()
        };
        roster
            .fill_in(draft)
            .map(|draft| (draft.agent, draft.reviewer))
            .map_err(|invalid| invalid.to_string())
    }

    #[test]
    fn names_are_spelt_as_the_configuration_does() {
        let expected = Ok(("green".to_owned(), Some("purple".to_owned())));
        assert_eq!(filled_in(TEAM, "Green", "PURPLE"), expected);
        assert_eq!(filled_in(TEAM, "green-2", "mia").unwrap().0, "green-2");
    }

    #[test]
    fn nobody_is_given_work_that_nobody_could_take_or_review() {
        let unknown = filled_in(TEAM, "gren", "purple").unwrap_err();
        assert!(unknown.starts_with("agent: nobody here") && unknown.contains("green (coder)"), "{unknown}");
        assert!(filled_in(TEAM, "green", "pruple").unwrap_err().starts_with("reviewer: nobody here"));
        let team = "agents:\n  - {id: green}\n  - {id: blue}\n";
        assert!(filled_in(team, "green", "Blue").unwrap_err().contains("blue is a coder here"));
    }

    #[test]
    fn without_configured_agents_they_may_be_called_anything() {
        assert!(filled_in("", "gren", "anybody").is_ok());
        assert!(filled_in("", "gren", "engineer").is_err());
    }
}
