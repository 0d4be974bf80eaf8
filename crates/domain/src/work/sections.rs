use super::item::heading;

const DESCRIPTION: [&str; 4] = ["description", "summary", "overview", "context"];
const DETAILS: [&str; 4] = ["technical", "implementation", "approach", "design"];

/// The text of the two sections of a ticket that are prose. Code in them stays.
pub(super) fn description_and_details(text: &str) -> (String, String) {
    let (mut opening, mut description, mut details) = (String::new(), String::new(), String::new());
    let mut place = Place::Opening;
    let mut fenced = false;
    for line in text.lines() {
        fenced ^= line.trim_start().starts_with("```");
        let begins = if fenced { None } else { heading(line) };
        if let Some((depth, title)) = begins {
            let next = place.after(depth, title);
            if next != place || !matches!(place, Place::Section { .. }) {
                place = next;
                continue;
            }
        }
        let section = match place {
            Place::Opening => &mut opening,
            Place::Section { is: Section::Description, .. } => &mut description,
            Place::Section { is: Section::Details, .. } => &mut details,
            Place::Elsewhere => continue,
        };
        section.push_str(line);
        section.push('\n');
    }
    let description = if description.trim().is_empty() { opening } else { description };
    (description.trim().to_owned(), details.trim().to_owned())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Below the title, or above everything.
    Opening,
    Section {
        is: Section,
        depth: usize,
    },
    Elsewhere,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Section {
    Description,
    Details,
}

impl Place {
    fn after(self, depth: usize, title: &str) -> Place {
        let title = title.to_lowercase();
        let criteria = title.contains("acceptance");
        let says = |words: &[&str]| !criteria && words.iter().any(|word| title.contains(word));
        match self {
            // A deeper heading is part of its section.
            Place::Section { depth: open, .. } if depth > open => self,
            Place::Opening | Place::Section { .. } | Place::Elsewhere => {
                if depth > 1 && says(&DESCRIPTION) {
                    Place::Section { is: Section::Description, depth }
                } else if depth > 1 && says(&DETAILS) {
                    Place::Section { is: Section::Details, depth }
                } else if depth == 1 {
                    Place::Opening
                } else {
                    Place::Elsewhere
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_prose_below_the_title_is_the_description() {
        let (description, details) =
            description_and_details("# Log in\n\nBy mail.\n\n## Acceptance criteria\n- [ ] a\n");
        assert_eq!((description.as_str(), details.as_str()), ("By mail.", ""));
    }

    #[test]
    fn sections_hold_their_deeper_headings_and_code() {
        let text = "# A\nintro\n## Description\nWhat.\n### Why\nBecause.\n## Technical Details\n```sh\n# not a heading\n```\n\
                    ## Files\n- `src/a.rs`\n";
        let (description, details) = description_and_details(text);
        assert_eq!(description, "What.\n### Why\nBecause.");
        assert_eq!(details, "```sh\n# not a heading\n```");
    }

    #[test]
    fn acceptance_criteria_are_neither_description_nor_details() {
        let (description, details) =
            description_and_details("# A\nWhat.\n## Acceptance criteria of the implementation\n- [ ] a\n");
        assert_eq!((description.as_str(), details.as_str()), ("What.", ""));
    }

    #[test]
    fn a_line_in_bold_is_a_heading_too() {
        let (description, details) =
            description_and_details("# A\n**Summary**\nWhat.\n**Technical details:**\nHow.\n");
        assert_eq!((description.as_str(), details.as_str()), ("What.", "How."));
    }
}
