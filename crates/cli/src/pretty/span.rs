use jiff::Timestamp;

/// `12s`, `3m 12s`, `2h 5m`, `3d 4h`: as exact as anybody wants to know. Clocks that disagree give `0s`.
pub(crate) fn span(from: Timestamp, to: Timestamp) -> String {
    let seconds = to.duration_since(from).as_secs().max(0);
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86_400);
    match (days, hours, minutes) {
        (0, 0, 0) => format!("{seconds}s"),
        (0, 0, _) => pair(minutes, "m", seconds % 60, "s"),
        (0, _, _) => pair(hours, "h", minutes % 60, "m"),
        (_, _, _) => pair(days, "d", hours % 24, "h"),
    }
}

fn pair(large: i64, unit: &str, small: i64, small_unit: &str) -> String {
    match small {
        0 => format!("{large}{unit}"),
        _ => format!("{large}{unit} {small}{small_unit}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_as_exact_as_anybody_wants_to_know() {
        let after = |seconds: i64| {
            let from = Timestamp::from_second(1_000_000).unwrap();
            span(from, Timestamp::from_second(1_000_000 + seconds).unwrap())
        };
        assert_eq!(
            [0, 59, 192, 3600, 7500, 273_600, -5].map(after),
            ["0s", "59s", "3m 12s", "1h", "2h 5m", "3d 4h", "0s"]
        );
    }
}
