//! How a wait for a rate limit is told.

use std::time::Duration;

use jiff::Timestamp;

/// By these words a line of our own servers is told from everything else that they say.
const ASKS: &str = " asks to wait ";

/// Hears what is being waited for.
pub type Heard = std::sync::Arc<dyn Fn(&str) + Send + Sync>;

/// `GitHub asks to wait 14:58 until 16:20:03 UTC (rate limit)`
pub fn asks_to_wait(who: &str, wait: Duration) -> String {
    asked(who, wait, Timestamp::now())
}

fn asked(who: &str, wait: Duration, now: Timestamp) -> String {
    let seconds = wait.as_secs().max(1);
    let (minutes, seconds, end) = (seconds / 60, seconds % 60, end(wait, now));
    format!("{who}{ASKS}{minutes}:{seconds:02} until {end} (rate limit)")
}

/// When a wait that begins now is over: `16:20:03 UTC`, with the day where it is not near.
pub fn end_of(wait: Duration) -> String {
    end(wait, Timestamp::now())
}

fn end(wait: Duration, now: Timestamp) -> String {
    const NEAR: u64 = 20 * 3600;
    let seconds = wait.as_secs().max(1);
    let end = i64::try_from(seconds).ok().and_then(|seconds| now.as_second().checked_add(seconds));
    match end.and_then(|end| Timestamp::from_second(end).ok()) {
        Some(end) if seconds < NEAR => end.strftime("%H:%M:%S UTC").to_string(),
        Some(end) => end.strftime("%Y-%m-%d %H:%M UTC").to_string(),
        None => "the end of time".to_owned(),
    }
}

pub(crate) fn is_told_by(line: &str) -> bool {
    line.contains(ASKS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_says_how_long_and_until_when() {
        let now = "2026-11-16T16:05:05Z".parse().unwrap();
        let told = |seconds| asked("GitHub", Duration::from_secs(seconds), now);
        assert_eq!(told(898), "GitHub asks to wait 14:58 until 16:20:03 UTC (rate limit)");
        assert_eq!(told(0), "GitHub asks to wait 0:01 until 16:05:06 UTC (rate limit)");
        assert!(told(86_400).contains("1440:00 until 2026-11-17 16:05 UTC"), "{}", told(86_400));
        assert!(is_told_by(&told(u64::MAX)));
    }
}
