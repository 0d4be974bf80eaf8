use std::fmt;

use domain::text::short_line;

/// What must never be seen in a message: keys, and passwords in addresses.
#[derive(Clone, Default)]
pub(super) struct Secrets(Vec<String>);

/// Enough of an answer to find a reason in.
const READ: usize = 16 * 1024;
/// Enough of a reason for a person to go on with.
const SHOWN: usize = 300;

impl Secrets {
    /// What is too short to be a secret would blank out ordinary words.
    pub(super) fn new(secrets: impl IntoIterator<Item = String>) -> Secrets {
        Secrets(secrets.into_iter().filter(|secret| secret.len() >= 6).collect())
    }

    /// A short line for people, cleaned, with every secret blanked out.
    pub(super) fn excerpt(&self, text: &str) -> String {
        let end = text.char_indices().map(|(at, _)| at).take_while(|at| *at <= READ).last().unwrap_or(0);
        let text = if text.len() <= READ { text } else { &text[..end] };
        // Again afterwards: a key with something invisible in its middle is a key once that has been cleaned.
        let line = self.mask(&short_line(&self.mask(text)));
        match line.char_indices().nth(SHOWN) {
            Some((end, _)) => format!("{}...", line[..end].trim_end()),
            None => line,
        }
    }

    pub(super) fn mask(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, secret| text.replace(secret.as_str(), "***"))
    }
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secrets(***)")
    }
}
