use domain::ports::{ReviewRequest, Reviewer, ReviewerError};
use domain::review::{Evidence, Finding};

use crate::informed::says_the_same;

/// A reviewer together with what other programs found in the same change. What both say is said once.
pub struct WithTools<'a> {
    pub reviewer: &'a dyn Reviewer,
    pub found: Vec<Finding>,
    /// What is to be known about those programs: which ran, and which could not.
    pub remarks: Vec<String>,
}

impl Reviewer for WithTools<'_> {
    fn name(&self) -> &str {
        self.reviewer.name()
    }

    fn review(&self, request: &ReviewRequest<'_>) -> Result<Evidence, ReviewerError> {
        let mut evidence = self.reviewer.review(request)?;
        let new = self
            .found
            .iter()
            .filter(|found| !evidence.findings.iter().any(|known| says_the_same(known, found)));
        let new: Vec<Finding> = new.cloned().collect();
        evidence.findings.extend(new);
        evidence.remarks.extend(self.remarks.iter().cloned());
        Ok(evidence)
    }
}
