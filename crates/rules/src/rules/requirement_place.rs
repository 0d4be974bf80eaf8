//! Where in a ticket a line stands, which decides how much it orders.

use domain::work::heading;

use crate::pattern::Pattern;

/// What the lines of a section are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// A list of what the work is accepted for: it orders whatever it speaks of.
    Criteria,
    /// How things are and why that is bad.
    Story,
    /// What somebody else or nobody shall do.
    OutOfScope,
    Elsewhere,
}

static CRITERIA: Pattern = Pattern::new(
    r"(?i)\b(?:acceptance (?:criteria|criterion|tests?|conditions?)|definition of done|done when|acceptance$)",
);
static OUT_OF_SCOPE: Pattern = Pattern::new(
    r"(?i)\b(?:out[ -]of[ -]scope|non-?goals?|not (?:in scope|part of)|later|future|follow-?ups?|alternatives?|ideas?|rejected)\b",
);
static STORY: Pattern = Pattern::new(
    r"(?i)\b(?:background|context|motivation|why|problem|currents?|currently|actual|today|status quo|steps? to reproduce|repro\w*|references?|related|links?|see also|notes?|logs?|stack ?trace|dependenc\w+)\b",
);
/// Jira's headings: `h3. Acceptance criteria`, `*Acceptance criteria*`.
static OTHER_HEADING: Pattern = Pattern::new(r"^(?:h[1-6]\.\s+(.+)|\*([^*]+)\*:?)$");
/// A list may be announced by a sentence that ends in a colon, too.
static ANNOUNCED: Pattern =
    Pattern::new(r"(?i)^(?:acceptance criteria|definition of done|done when|acceptance)\s*:$");
/// `1. `, `1) `, `a) `, `- `, `- [ ] `, `AC1: `.
static ITEM: Pattern =
    Pattern::new(r"^\s*(?:(?:\d{1,3}[.)]|[a-z]\)|[-*+])\s+(?:\[[ xX]\]\s+)?|AC[ -]?\d{1,3}\s*[:.)]\s+)\S");
static BOX: Pattern = Pattern::new(r"^\s*(?:\d{1,3}[.)]|[-*+])\s+\[[ xX]\]\s+\S");

/// Lines outside of code, each with where it stands.
pub(super) fn placed(text: &str) -> impl Iterator<Item = (Place, &str)> {
    let (mut fenced, mut section) = (false, Section { place: Place::Elsewhere, depth: 0 });
    text.lines().filter_map(move |line| {
        let fence = line.trim_start().starts_with("```") || line.trim_start().starts_with("{code");
        fenced ^= fence;
        if fenced || fence {
            return None;
        }
        section = section.at(line);
        Some((section.place_of(line), line))
    })
}

#[derive(Clone, Copy)]
struct Section {
    place: Place,
    depth: usize,
}

/// Deeper than any heading: over with the list that it announces.
const ANNOUNCEMENT: usize = 99;

impl Section {
    fn at(self, line: &str) -> Section {
        let Some((depth, title)) = begins(line) else {
            let ends = self.depth == ANNOUNCEMENT
                && !line.trim().is_empty()
                && !line.starts_with([' ', '\t'])
                && !ITEM.regex().is_match(line.as_bytes());
            return if ends { Section { place: Place::Elsewhere, depth: 0 } } else { self };
        };
        match Place::of_heading(title) {
            // A deeper heading that says nothing of its own is part of the section.
            Place::Elsewhere if depth > self.depth && self.place != Place::Elsewhere => self,
            place => Section { place, depth },
        }
    }

    /// Below criteria only the items are; a box to tick is one anywhere.
    fn place_of(self, line: &str) -> Place {
        let is = |pattern: &Pattern| pattern.regex().is_match(line.as_bytes());
        match self.place {
            Place::Criteria if is(&ITEM) => Place::Criteria,
            Place::Elsewhere if is(&BOX) => Place::Criteria,
            Place::Criteria | Place::Elsewhere => Place::Elsewhere,
            place @ (Place::Story | Place::OutOfScope) => place,
        }
    }
}

impl Place {
    fn of_heading(title: &str) -> Place {
        let says = |pattern: &Pattern| pattern.regex().is_match(title.trim().as_bytes());
        match () {
            () if says(&OUT_OF_SCOPE) => Place::OutOfScope,
            () if says(&CRITERIA) => Place::Criteria,
            () if says(&STORY) => Place::Story,
            () => Place::Elsewhere,
        }
    }
}

fn begins(line: &str) -> Option<(usize, &str)> {
    let trimmed = line.trim();
    let other = || {
        let groups = OTHER_HEADING.regex().captures(trimmed.as_bytes())?;
        let title = groups.get(1).or_else(|| groups.get(2))?;
        Some((7, trimmed.get(title.range())?))
    };
    let announced = || {
        ANNOUNCED.regex().is_match(trimmed.as_bytes()).then(|| (ANNOUNCEMENT, trimmed.trim_end_matches(':')))
    };
    heading(line).or_else(other).or_else(announced)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn criteria(text: &str) -> Vec<&str> {
        placed(text).filter(|(place, _)| *place == Place::Criteria).map(|(_, line)| line).collect()
    }

    #[test]
    fn numbered_items_below_acceptance_are_criteria() {
        for (text, expected) in [
            (
                "# A\n1. no\n## Acceptance criteria\n1. a\n2) b\n- c\nprose\n## Steps\n1. d\n",
                &["1. a", "2) b", "- c"][..],
            ),
            ("**Acceptance criteria:**\n1. a\n\n2. b\n", &["1. a", "2. b"]),
            ("h3. Acceptance criteria\n1. a\nh3. Other\n1. b\n", &["1. a"]),
            ("*Definition of done*\n- a\n", &["- a"]),
            ("Acceptance criteria:\n1. a\n   more\n2. b\nAnd then:\n1. c\n", &["1. a", "2. b"]),
            ("AC1: no\n## Acceptance\nAC1: a\nAC-2: b\n### More\na) c\n", &["AC1: a", "AC-2: b", "a) c"]),
            ("## Acceptance criteria\n```\n1. a\n```\n### Out of scope\n1. b\n", &[]),
            ("Do:\n- [ ] a\n- b\n", &["- [ ] a"]),
            ("## Steps\n1. a\n2. b\n", &[]),
        ] {
            assert_eq!(criteria(text), expected, "{text}");
        }
    }

    #[test]
    fn stories_and_what_is_out_of_scope_are_known() {
        let places: Vec<Place> = placed("## Background\na\n### x\nb\n## Do\nc\n## Out of scope\nd\n")
            .map(|(place, _)| place)
            .collect();
        use Place::{Elsewhere, OutOfScope, Story};
        assert_eq!(places, [Story, Story, Story, Story, Elsewhere, Elsewhere, OutOfScope, OutOfScope]);
    }
}
