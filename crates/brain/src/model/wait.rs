//! How long to wait for a service that is busy.

use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::time::Duration;

use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimeParser;
use reqwest::header::HeaderMap;

const FIRST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_secs(60);

/// What the service asks for, never less; otherwise twice as long each time. A little is added at random, so
/// that those who were turned away together do not come back together.
pub(super) fn before_next(waits: u32, asked_for: Option<Duration>) -> Duration {
    let base = asked_for.unwrap_or_else(|| FIRST.saturating_mul(1 << waits.min(6)).min(LONGEST));
    let most = base.mul_f64(0.25).max(Duration::from_millis(50));
    base + most.mul_f64(random_share())
}

/// Between 0 and 1.
fn random_share() -> f64 {
    let random = RandomState::new().build_hasher().finish();
    (random >> 11) as f64 / (1u64 << 53) as f64
}

/// Seconds, milliseconds or a date: all are in use.
pub(super) fn asked_for(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    if let Some(milliseconds) = text("retry-after-ms").and_then(|value| value.parse().ok()) {
        return Some(Duration::from_millis(milliseconds));
    }
    let value = text("retry-after")?;
    if let Ok(seconds) = value.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let at = DateTimeParser::new().parse_timestamp(value).ok()?;
    let seconds = at.as_second().saturating_sub(Timestamp::now().as_second());
    Some(Duration::from_secs(u64::try_from(seconds).unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(name: &'static str, value: &str) -> HeaderMap {
        HeaderMap::from_iter([(reqwest::header::HeaderName::from_static(name), value.parse().unwrap())])
    }

    #[test]
    fn a_wait_is_never_shorter_than_the_service_asks_for() {
        for seconds in [0, 1, 7, 600] {
            let asked = Duration::from_secs(seconds);
            assert!(before_next(0, Some(asked)) >= asked);
        }
    }

    #[test]
    fn waits_grow_and_stay_bounded() {
        assert!(before_next(4, None) >= Duration::from_secs(16));
        assert!(before_next(u32::MAX, None) <= LONGEST.mul_f64(1.25));
    }

    #[test]
    fn all_three_forms_of_retry_after_are_understood() {
        assert_eq!(asked_for(&headers("retry-after", "7")), Some(Duration::from_secs(7)));
        assert_eq!(asked_for(&headers("retry-after-ms", "250")), Some(Duration::from_millis(250)));
        let past = asked_for(&headers("retry-after", "Wed, 21 Oct 2015 07:28:00 GMT"));
        assert_eq!(past, Some(Duration::ZERO));
        let future = asked_for(&headers("retry-after", "Wed, 21 Oct 2099 07:28:00 GMT"));
        assert!(future.is_some_and(|wait| wait > Duration::from_secs(3600)));
    }

    #[test]
    fn nonsense_in_retry_after_is_no_reason_to_fail() {
        for nonsense in ["-3", "soon", "1e400", "NaN", ""] {
            assert_eq!(asked_for(&headers("retry-after", nonsense)), None, "{nonsense}");
        }
    }
}
