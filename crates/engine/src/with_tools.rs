use domain::ports::{ReviewRequest, Reviewer, ReviewerError};
use domain::review::{Evidence, Finding, tool_seen};

use crate::informed::says_the_same;

/// A reviewer together with what other programs found in the same change. What both say is said once.
pub struct WithTools<'a> {
    pub reviewer: &'a dyn Reviewer,
    pub found: Vec<Finding>,
    /// Those that looked at the whole change, whether or not they found anything.
    pub looked: Vec<String>,
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
        self.looked.iter().for_each(|tool| evidence.coverage.also_seen_by(&tool_seen(tool)));
        evidence.remarks.extend(self.remarks.iter().cloned());
        Ok(evidence)
    }
}
