//! What services say when they have had enough, and for how long.

use std::time::Duration;

use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimeParser;

use super::reply::Reply;

/// GitHub asks for a minute where it does not say.
const UNNAMED: Duration = Duration::from_secs(60);

/// How long the service wants to be left alone, if that is why it refused.
pub(super) fn asked_to_wait(reply: &Reply, now: Timestamp) -> Option<Duration> {
    let status = reply.status.as_u16();
    let is_limit = match status {
        429 => true,
        // GitHub's limits: the hourly one is told by its headers, the others by their words.
        403 => is_used_up(reply) || reply.header("retry-after").is_some() || speaks_of_limit(reply),
        _ => false,
    };
    if !is_limit {
        return None;
    }
    let until_reset = || reset(reply, now).filter(|_| status == 429 || is_used_up(reply));
    Some(retry_after(reply, now).or_else(until_reset).unwrap_or(UNNAMED))
}

/// Of any answer: seconds or a date.
pub(super) fn retry_after(reply: &Reply, now: Timestamp) -> Option<Duration> {
    let value = reply.header("retry-after")?;
    if let Ok(seconds) = value.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    DateTimeParser::new().parse_timestamp(value).ok().map(|at| until(at, now))
}

fn is_used_up(reply: &Reply) -> bool {
    ["x-ratelimit-remaining", "ratelimit-remaining"].iter().any(|name| reply.header(name) == Some("0"))
}

fn speaks_of_limit(reply: &Reply) -> bool {
    reply.details().iter().any(|detail| detail.to_ascii_lowercase().contains("rate limit"))
}

/// Seconds since 1970, or a time as Jira writes it.
fn reset(reply: &Reply, now: Timestamp) -> Option<Duration> {
    let value = reply.header("x-ratelimit-reset").or_else(|| reply.header("ratelimit-reset"))?;
    let at = match value.parse::<i64>() {
        Ok(seconds) => Timestamp::from_second(seconds).ok()?,
        Err(_) => value.parse().ok()?,
    };
    Some(until(at, now))
}

/// A second more than it takes: their clock is not ours.
fn until(at: Timestamp, now: Timestamp) -> Duration {
    let seconds = at.as_second().saturating_sub(now.as_second()).saturating_add(1);
    Duration::from_secs(u64::try_from(seconds).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use reqwest::StatusCode;
    use reqwest::header::{HeaderMap, HeaderName};

    fn wait(status: u16, headers: &[(&'static str, &str)], body: &str) -> Option<u64> {
        let headers = headers
            .iter()
            .map(|(name, value)| (HeaderName::from_static(name), value.parse().unwrap()))
            .collect::<HeaderMap>();
        let status = StatusCode::from_u16(status).unwrap();
        let reply = Reply { status, headers, body: body.as_bytes().to_vec() };
        asked_to_wait(&reply, Timestamp::from_second(1_000).unwrap()).map(|wait| wait.as_secs())
    }

    #[test]
    fn the_hourly_limit_ends_when_its_header_says() {
        let headers = [("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "1010")];
        assert_eq!(wait(403, &headers, ""), Some(11));
        assert_eq!(wait(429, &headers, ""), Some(11));
    }

    #[test]
    fn the_other_limits_end_after_retry_after_or_a_minute() {
        assert_eq!(wait(403, &[("retry-after", "7")], ""), Some(7));
        assert_eq!(wait(429, &[("retry-after", "7")], ""), Some(7));
        let body = r#"{"message": "You have exceeded a secondary rate limit."}"#;
        assert_eq!(
            wait(403, &[("x-ratelimit-remaining", "4000"), ("x-ratelimit-reset", "9000")], body),
            Some(60)
        );
    }

    #[test]
    fn a_refusal_is_no_limit() {
        assert_eq!(wait(403, &[("x-ratelimit-remaining", "4000")], r#"{"message": "Must be admin"}"#), None);
        assert_eq!(wait(404, &[("x-ratelimit-remaining", "0")], ""), None);
    }

    #[test]
    fn nonsense_is_a_minute() {
        for nonsense in ["-3", "soon", "1e400", "NaN", ""] {
            assert_eq!(wait(429, &[("retry-after", nonsense)], ""), Some(60), "{nonsense}");
        }
        assert_eq!(wait(429, &[("x-ratelimit-reset", "99999999999999999")], ""), Some(60));
    }
}
