use crate::change::Oid;
use crate::forge::IssueKey;
use crate::publish::{PublishKey, TicketMark};

use super::CodeReviewParams;

const ABOUT: &str = "mission";
const RESULT: &str = "result";

/// What makes a mission the same one: whoever starts it, wherever and however often, comes to the same marks, and finds
/// what was told under them. Another commit or other parameters make another mission.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MissionIdentity<'a> {
    pub key: &'a IssueKey,
    /// Nothing where they cannot be read.
    pub params: Option<&'a CodeReviewParams>,
    /// Nothing where the forge does not say.
    pub head: Option<&'a Oid>,
    /// Empty, unless somebody asked for the same once more.
    pub again: &'a str,
}

/// What a ticket is told about its mission.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MissionNews<'a> {
    Start,
    /// Publishing takes long.
    Delay,
    /// The process ended before the mission did.
    Interruption,
    /// How the review came out.
    Result,
    /// The same, for whoever did not ask for it once more: below the result of each repetition.
    Repeated,
    /// There is none. Tried again and failed again for the same reason, it is no news, unless the ticket was told
    /// something else in between.
    Failure {
        step: &'a str,
        reason: &'a str,
        /// The id of the report that the ticket had from us before this one. Empty where there was none.
        since: &'a str,
    },
}

impl MissionIdentity<'_> {
    /// Whether a comment says how a mission ended, whichever it was.
    pub fn is_result(body: &str) -> bool {
        TicketMark::is_any(ABOUT, RESULT, body)
    }

    /// With a key, only its holders can make it: needed where a tracker does not say who wrote a comment.
    pub fn mark(&self, news: MissionNews<'_>, key: Option<&PublishKey>) -> TicketMark {
        let params = self.params.map(|params| serde_json::to_string(params).unwrap_or_default());
        let params = params.unwrap_or_default();
        let head = self.head.map_or("", |head| head.as_str());
        let (kind, step, reason) = match news {
            MissionNews::Start => ("start", "", String::new()),
            MissionNews::Delay => ("delay", "", String::new()),
            MissionNews::Interruption => ("interruption", "", String::new()),
            MissionNews::Result => (RESULT, "", String::new()),
            MissionNews::Repeated => ("repeated", "", String::new()),
            MissionNews::Failure { step, reason, since: "" } => (RESULT, step, without_numbers(reason)),
            MissionNews::Failure { step, reason, since } => {
                (RESULT, step, format!("{}\n{since}", without_numbers(reason)))
            }
        };
        let again = if news == MissionNews::Repeated { "" } else { self.again };
        TicketMark::sealed(ABOUT, &[self.key.as_str(), &params, head, again, kind, step, &reason], kind, key)
    }
}

/// Ports, seconds and counts differ from one try to the next. Where in a description something is wrong does not.
fn without_numbers(reason: &str) -> String {
    let mut words = String::new();
    let mut before = "";
    for word in reason.split(' ') {
        let is_place = matches!(before, "line" | "column");
        words.extend(word.chars().filter(|c| is_place || !c.is_ascii_digit()));
        words.push(' ');
        before = word;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_mission_has_the_same_marks_and_any_other_has_others() {
        let key = IssueKey::parse("PROJ-1").unwrap();
        let (one, two) = (Oid::parse(&"a".repeat(40)).unwrap(), Oid::parse(&"b".repeat(40)).unwrap());
        let first = MissionIdentity { key: &key, params: None, head: Some(&one), again: "" };
        let mark = |identity: MissionIdentity<'_>| identity.mark(MissionNews::Result, None);
        assert_eq!(mark(first), mark(first));
        assert_ne!(mark(first), mark(MissionIdentity { head: Some(&two), ..first }));
        assert_ne!(mark(first), mark(MissionIdentity { again: "x", ..first }));
        assert_ne!(mark(first), first.mark(MissionNews::Start, None));
    }

    #[test]
    fn a_failure_is_the_same_for_the_same_reason_whatever_it_counted() {
        let key = IssueKey::parse("PROJ-1").unwrap();
        let identity = MissionIdentity { key: &key, params: None, head: None, again: "" };
        let mark =
            |reason, since| identity.mark(MissionNews::Failure { step: "reviewing", reason, since }, None);
        assert_eq!(mark("no answer after 31 s", ""), mark("no answer after 4 s", ""));
        assert_ne!(mark("no answer after 31 s", ""), mark("the token is refused", ""));
        assert_ne!(mark("no answer after 31 s", "1"), mark("no answer after 31 s", "2"));
    }

    #[test]
    fn without_the_key_nobody_makes_the_mark() {
        let key = IssueKey::parse("PROJ-1").unwrap();
        let identity = MissionIdentity { key: &key, params: None, head: None, again: "" };
        let secret = PublishKey::new("a secret of sixteen").unwrap();
        assert_ne!(identity.mark(MissionNews::Start, Some(&secret)), identity.mark(MissionNews::Start, None));
    }

    #[test]
    fn another_place_in_the_description_is_another_reason() {
        let told = |reason| without_numbers(reason);
        assert_ne!(told("line 3: illegal"), told("line 4: illegal"));
        assert_eq!(told("no answer from port 8080 in 3 s"), told("no answer from port 9090 in 5 s"));
    }
}
