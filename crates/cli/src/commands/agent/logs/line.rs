use serde::Serialize;

/// A line of `logs/<agent>.log`, taken apart: `16:17:23Z INFO [qa-1] [PROJ-123] Starting review of PR #456 [ID]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(in crate::commands::agent) struct Line {
    /// Of the day, in UTC: logs carry no date.
    pub(super) time: Option<String>,
    pub(super) level: Option<String>,
    pub(super) agent: String,
    /// The Jira key of what it is about.
    key: Option<String>,
    text: String,
}

impl Line {
    /// Any text is a line; one that is not in the form of a log is all text, said by whose log it stands in.
    pub(in crate::commands::agent) fn parse(log: &str, line: &str) -> Line {
        taken_apart(line).unwrap_or_else(|| Line {
            time: None,
            level: None,
            agent: log.to_owned(),
            key: None,
            text: line.to_owned(),
        })
    }
}

fn taken_apart(line: &str) -> Option<Line> {
    let (time, rest) = line.split_once(' ')?;
    second_of_day(time)?;
    let (level, rest) = rest.split_once(' ')?;
    let known = ["INFO", "WARNING", "ERROR", "DEBUG"].contains(&level);
    let (agent, rest) = rest.strip_prefix('[').filter(|_| known)?.split_once("] ")?;
    let (key, text) = match rest.strip_prefix('[').and_then(|rest| rest.split_once("] ")) {
        Some((key, text)) if is_key(key) => (Some(key.to_owned()), text),
        Some(_) | None => (None, rest),
    };
    Some(Line {
        time: Some(time.to_owned()),
        level: Some(level.to_owned()),
        agent: agent.to_owned(),
        key,
        text: text.to_owned(),
    })
}

/// `PROJ-123`, unlike `REVIEW-APPROVED`.
fn is_key(text: &str) -> bool {
    text.rsplit_once('-').is_some_and(|(project, number)| {
        !project.is_empty() && !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// Of `16:17:23Z` at the beginning of a line.
pub(super) fn second_of_day(line: &str) -> Option<i64> {
    let digits = |at: usize| line.get(at..at + 2).filter(|two| two.bytes().all(|b| b.is_ascii_digit()));
    let number = |at: usize, below: i64| digits(at)?.parse::<i64>().ok().filter(|number| *number < below);
    let colons = line.get(2..3) == Some(":") && line.get(5..6) == Some(":");
    // Lines of earlier versions do not say that they are in UTC.
    let rest = line.get(8..)?;
    let ends = rest.strip_prefix('Z').unwrap_or(rest).chars().next().is_none_or(|next| next == ' ');
    let (hours, minutes, seconds) = (number(0, 24)?, number(3, 60)?, number(6, 60)?);
    (colons && ends).then_some(hours * 3600 + minutes * 60 + seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(line: &str) -> String {
        serde_json::to_string(&Line::parse("qa", line)).unwrap()
    }

    #[test]
    fn a_line_is_taken_apart() {
        assert_eq!(
            json("16:17:23Z INFO [qa] [PROJ-123] Starting review of PR #456"),
            r#"{"time":"16:17:23Z","level":"INFO","agent":"qa","key":"PROJ-123","text":"Starting review of PR #456"}"#
        );
    }

    #[test]
    fn a_mark_is_no_key() {
        let line = Line::parse("qa", "16:17:23 WARNING [qa] [REVIEW-ESCALATION] task t-1");
        assert_eq!((line.key, line.text.as_str()), (None, "[REVIEW-ESCALATION] task t-1"));
    }

    #[test]
    fn what_is_no_log_line_is_all_text() {
        for text in ["", "é", "99:00:00 INFO [qa] x", "16:17:23 NOISE [qa] x", "16:17:23 INFO qa", "aé:bé:cé"]
        {
            let line = Line::parse("qa", text);
            assert_eq!((line.time, line.agent.as_str(), line.text.as_str()), (None, "qa", text));
        }
    }
}
