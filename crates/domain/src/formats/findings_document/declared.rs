use super::lines::{self, Section};
use super::{FindingsDocument, lenient};

/// How many findings the summary of a document says there are.
///
/// Only worth comparing for a document that a reviewer has just written: somebody who deletes a finding by
/// hand need not count again.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Declared {
    pub critical: Option<u64>,
    pub important: Option<u64>,
    pub minor: Option<u64>,
}

impl Declared {
    pub fn in_text(text: &str) -> Declared {
        let mut declared = Declared::default();
        let mut in_summary = false;
        for line in text.lines().map(str::trim_end) {
            in_summary = lines::section(line).map_or(in_summary, |section| section == Section::Summary);
            let count = |label: &str| {
                let value = line.trim().strip_prefix(label).filter(|_| in_summary)?;
                lenient::leading_number(value.trim()).0
            };
            declared.critical = count("- **Critical:**").or(declared.critical);
            declared.important = count("- **Important:**").or(declared.important);
            declared.minor = count("- **Minor:**").or(declared.minor);
        }
        declared
    }

    /// How many of them the document, as it was read, does not hold. More than none means that findings
    /// were written in a form nobody can read, and that the review proves nothing.
    pub fn missing_from(&self, document: &FindingsDocument) -> u64 {
        [
            (self.critical, document.critical.len()),
            (self.important, document.important.len()),
            (self.minor, document.minor.len()),
        ]
        .into_iter()
        .map(|(declared, read)| declared.unwrap_or(0).saturating_sub(read as u64))
        .fold(0, u64::saturating_add)
    }
}
