use super::Invalid;
use crate::text::{FIELD_LIMIT, clean_block, short_line};

const GUIDANCE: &str = "Guidance from ";

/// Something to be kept with a task for whoever works on it next: visible text of bounded length.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note(String);

impl Note {
    /// What a person tells the agent. It says whose word it is: notes may come from programs, too.
    pub fn guidance(from: &str, text: &str) -> Result<Note, Invalid> {
        // Cleaning cuts what is too long, and half an instruction may be the opposite of one.
        if text.chars().count() > FIELD_LIMIT {
            return Err(Invalid::new("guidance", format!("is longer than {FIELD_LIMIT} characters")));
        }
        let text = clean_block(text);
        if text.is_empty() {
            return Err(Invalid::new("guidance", "says nothing"));
        }
        Ok(Note(format!("{GUIDANCE}{}: {text}", short_line(from))))
    }

    /// Whether a task's note was given as guidance. Others are remarks of programs about that task alone.
    pub fn is_guidance(note: &str) -> bool {
        note.starts_with(GUIDANCE)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guidance_names_who_gave_it_and_holds_nothing_hidden() {
        let note = Note::guidance("mia\n", " Keep the API.\u{1b}[2J\nAsk first. ").unwrap();
        assert_eq!(note.as_str(), "Guidance from mia: Keep the API.\nAsk first.");
    }

    #[test]
    fn guidance_that_says_nothing_or_too_much_is_refused() {
        for text in ["", " \n\u{200b}", &"x".repeat(FIELD_LIMIT + 1)] {
            assert_eq!(Note::guidance("mia", text).unwrap_err().field, "guidance");
        }
    }
}
