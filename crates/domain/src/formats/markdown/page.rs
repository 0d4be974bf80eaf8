/// Bytes, so that the page is short enough however a forge counts: GitHub's limit is 65,536 characters.
pub(crate) const SIZE: usize = 60_000;

/// Kept free for the lines that say what was left out and for closing what was opened.
const RESERVE: usize = 1_500;

/// A text that takes only what fits.
pub(crate) struct Page {
    text: String,
    size: usize,
}

impl Page {
    /// `head` has to be bounded by whoever makes it.
    pub(crate) fn new(head: String, size: usize) -> Self {
        Page { text: head, size }
    }

    /// Adds `piece`, or nothing if it is too long.
    pub(crate) fn push(&mut self, piece: &str) -> bool {
        let fits = self.text.len() + piece.len() <= self.size.saturating_sub(RESERVE);
        if fits {
            self.text.push_str(piece);
        }
        fits
    }

    /// Adds a short line from the reserve.
    pub(crate) fn push_reserved(&mut self, line: &str) {
        self.text.push_str(line);
    }

    /// Adds a folded list, as much of it as fits; nothing if there are no items.
    pub(crate) fn details(&mut self, summary: &str, items: impl Iterator<Item = String>) {
        let mut items = items.peekable();
        if items.peek().is_none() {
            return;
        }
        self.push_reserved(&format!("\n<details>\n<summary>{summary}</summary>\n\n"));
        while let Some(item) = items.next() {
            if !self.push(&item) {
                self.push_reserved(&format!("- And {} more.\n", 1 + items.count()));
                break;
            }
        }
        self.push_reserved("\n</details>\n");
    }

    pub(crate) fn finish(self) -> String {
        self.text
    }
}
