use domain::text::short_line;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Jira, OneIssue};
use crate::rest::{Ask, Fields as _, Kind, Trouble};
use crate::servers::ids::IssueKey;
use crate::servers::tool::{Answer, Hints, Tool};

pub(crate) struct GetTransitions;
pub(crate) struct TransitionIssue;

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Transitions {
    /// Where the issue is now.
    status: String,
    transitions: Vec<Transition>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Transition {
    id: String,
    name: String,
    to: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    to_category: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Move {
    issue_key: IssueKey,
    /// The name of the status to reach, or of the transition to take.
    status: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Moved {
    key: String,
    from: String,
    to: String,
    changed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    transition: Option<String>,
}

impl Tool for GetTransitions {
    const NAME: &'static str = "jira_get_transitions";
    const DESCRIPTION: &'static str = "Where an issue is and where it can go from there.";
    const HINTS: Hints = Hints::Reads;
    type Of = Jira;
    type Input = OneIssue;
    type Output = Transitions;

    async fn call(jira: &Jira, input: OneIssue) -> Answer<Transitions> {
        jira.transitions(&input.issue_key).await
    }
}

impl Tool for TransitionIssue {
    const NAME: &'static str = "jira_transition_issue";
    const DESCRIPTION: &'static str = "Move an issue to a status. Does nothing if it is there already; says what is possible if it cannot go there.";
    const HINTS: Hints = Hints::Settles;
    type Of = Jira;
    type Input = Move;
    type Output = Moved;

    async fn call(jira: &Jira, input: Move) -> Answer<Moved> {
        let Transitions { status: from, transitions } = jira.transitions(&input.issue_key).await?;
        let key = input.issue_key.to_string();
        if same(&from, &input.status) {
            return Ok(Moved { key, to: from.clone(), from, changed: false, transition: None });
        }
        let chosen = choose(&transitions, &input.status);
        let chosen = chosen.ok_or_else(|| impossible(&from, &input.status, &transitions))?;
        let path = jira.of_issue(&input.issue_key).await?.join(&"transitions");
        jira.rest.reply(&Ask::post(path, json!({"transition": {"id": chosen.id}}))).await?;
        Ok(Moved { key, from, to: chosen.to.clone(), changed: true, transition: Some(chosen.name.clone()) })
    }
}

impl Jira {
    async fn transitions(&self, key: &IssueKey) -> Answer<Transitions> {
        let issue = self.of_issue(key).await?;
        let (status, possible) =
            (Ask::get(issue.clone()).query("fields", "status"), Ask::get(issue.join(&"transitions")));
        let (status, possible) = tokio::try_join!(self.rest.json(&status), self.rest.json(&possible))?;
        Ok(Transitions {
            status: status.text("/fields/status/name")?,
            transitions: possible.list("/transitions").iter().map(Transition::of).collect::<Answer<_>>()?,
        })
    }
}

impl Transition {
    fn of(value: &Value) -> Answer<Transition> {
        Ok(Transition {
            id: value.text("/id")?,
            name: value.text("/name")?,
            to: value.text("/to/name")?,
            to_category: value.text_if("/to/statusCategory/key"),
        })
    }
}

/// By where it leads first: that is what people see on the issue.
fn choose<'a>(transitions: &'a [Transition], wanted: &str) -> Option<&'a Transition> {
    let leads_there = transitions.iter().find(|transition| same(&transition.to, wanted));
    leads_there.or_else(|| transitions.iter().find(|transition| same(&transition.name, wanted)))
}

/// `code_review` is "Code Review".
fn same(one: &str, other: &str) -> bool {
    let words = |text: &str| {
        let parts = text.split(|c: char| c.is_whitespace() || matches!(c, '_' | '-'));
        parts.filter(|part| !part.is_empty()).map(str::to_lowercase).collect::<Vec<_>>()
    };
    words(one) == words(other)
}

fn impossible(from: &str, wanted: &str, transitions: &[Transition]) -> Trouble {
    let possible =
        transitions.iter().map(|transition| short_line(&format!("{} -> {}", transition.name, transition.to)));
    let details: Vec<String> = possible.take(50).collect();
    let (what, next) = match details.is_empty() {
        true => (
            format!("the issue is in {from:?}, and the token's owner can move it nowhere from there"),
            "let somebody allow that transition in the workflow".to_owned(),
        ),
        false => (
            format!("the issue is in {from:?}, and no transition leads to {wanted:?} from there"),
            format!("call again with one of: {}", details.join(", ")),
        ),
    };
    Trouble::new(Kind::Invalid { details }, what, next)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn transition(name: &str, to: &str) -> Transition {
        Transition { id: name.to_owned(), name: name.to_owned(), to: to.to_owned(), to_category: None }
    }

    #[test]
    fn a_status_is_found_however_it_is_written() {
        for written in ["Code Review", "code_review", "CODE-REVIEW", " code  review "] {
            assert!(same("Code Review", written), "{written}");
        }
        assert!(!same("Code Review", "codereview") && !same("Done", ""));
    }

    #[test]
    fn where_it_leads_counts_before_its_name() {
        let transitions = [transition("Approved", "Rejected"), transition("Accept", "Approved")];
        assert_eq!(choose(&transitions, "approved").unwrap().name, "Accept");
        assert_eq!(choose(&transitions[..1], "approved").unwrap().to, "Rejected");
    }

    #[test]
    fn what_is_possible_is_said() {
        let trouble = impossible("Open", "done", &[transition("Start", "In Progress")]);
        assert_eq!(trouble.kind, Kind::Invalid { details: vec!["Start -> In Progress".to_owned()] });
        assert!(trouble.next.contains("Start -> In Progress"), "{}", trouble.next);
    }
}
