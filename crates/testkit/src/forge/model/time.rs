/// The forge's own clock ticks with every event, so that two runs of a test see the same dates. It starts on
/// 1 September 2026.
pub(in crate::forge) const START: u64 = 1_788_220_800;

/// `2026-09-01T00:00:00Z`, as GitHub writes it.
pub(in crate::forge) fn seconds(at: u64) -> String {
    let (date, time) = split(at);
    format!("{date}T{time}Z")
}

/// `2026-09-01T00:00:00.000Z`, as GitLab and Confluence write it.
pub(in crate::forge) fn millis(at: u64) -> String {
    let (date, time) = split(at);
    format!("{date}T{time}.000Z")
}

/// `2026-09-01T00:00:00.000+0000`, as Jira writes it.
pub(in crate::forge) fn offset(at: u64) -> String {
    let (date, time) = split(at);
    format!("{date}T{time}.000+0000")
}

fn split(at: u64) -> (String, String) {
    let (days, rest) = (at / 86_400, at % 86_400);
    let (year, month, day) = date(days);
    let time = format!("{:02}:{:02}:{:02}", rest / 3600, rest / 60 % 60, rest % 60);
    (format!("{year:04}-{month:02}-{day:02}"), time)
}

/// Civil date of a day since 1970 in the proleptic Gregorian calendar.
fn date(days: u64) -> (u64, u64, u64) {
    let shifted = days + 719_468;
    let era = shifted / 146_097;
    let of_era = shifted % 146_097;
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    (year_of_era + era * 400 + u64::from(month <= 2), month, day)
}
