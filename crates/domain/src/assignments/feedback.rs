use crate::tasks::Invalid;
use crate::text::visible;

const LONGEST: usize = 64 * 1024;

/// What a reviewer tells the coder: visible text of bounded length, kept whole or not taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Feedback(String);

impl Feedback {
    /// Nothing if there is nothing to read in it.
    pub fn parse(text: &str) -> Result<Option<Feedback>, Invalid> {
        // Cutting what is too long could turn its meaning round.
        if text.len() > LONGEST {
            return Err(Invalid::new(
                "feedback",
                format!(
                    "has {} bytes; {LONGEST} are allowed, so leave out what is least important",
                    text.len()
                ),
            ));
        }
        let text: String = visible(text).filter(|c| *c != '\r').collect();
        let text = text.trim();
        Ok((!text.is_empty()).then(|| Feedback(text.to_owned())))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}
