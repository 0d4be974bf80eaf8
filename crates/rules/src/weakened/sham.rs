use crate::pattern::Pattern;

/// Ways in which a test runs, asserts, and proves nothing. How often each is there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Shams([usize; 4]);

/// Each with what it makes of a test.
static SHAMS: [(Pattern, &str); 4] = [
    (
        Pattern::new(
            r"\breturn\b[ \t]*(?:None|[Tt]rue|False|false|0|Ok\(\(\)\)|null|nil|undefined)?[ \t]*(?:;|\r?\n|\}|$)",
        ),
        "is left early",
    ),
    (
        Pattern::new(
            r"\bexcept\s*:|\bexcept\b[^:\n]*\b(?:AssertionError|Exception|BaseException)\b|\bsuppress\s*\([^)\n]*(?:AssertionError|Exception)|\bcatch\b|\bcatch_unwind\b|\brecover\(\)",
        ),
        "catches what its assertions raise",
    ),
    (
        Pattern::new(
            r"\b(?:if|while)\b\s*\(?\s*(?:False|false|0|None|not\s+True|!\s*true|null|undefined)\s*\)?\s*(?:and\b[^:\n]*|&&[^{\n]*)?[:{]",
        ),
        "has code that never runs",
    ),
    (
        Pattern::new(r"\bor\s+(?:True|1)\b|\bTrue\s+or\b|\|\|\s*(?:true|1)\b|\btrue\s*\|\|"),
        "has a condition that is always met",
    ),
];

impl Shams {
    /// Of the code of a test, without comments and strings.
    pub(super) fn of(code: &[u8]) -> Shams {
        Shams(SHAMS.each_ref().map(|(pattern, _)| pattern.regex().find_iter(code).count()))
    }

    pub(super) fn add(&mut self, other: &Shams) {
        self.0.iter_mut().zip(other.0).for_each(|(sum, more)| *sum += more);
    }

    /// What there is more of than before.
    pub(super) fn beyond(&self, before: &Shams) -> impl Iterator<Item = &'static str> {
        let more: Vec<bool> = self.0.iter().zip(before.0).map(|(now, was)| *now > was).collect();
        SHAMS.iter().zip(more).filter(|(_, more)| *more).map(|((_, told), _)| *told)
    }
}
