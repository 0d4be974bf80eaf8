use domain::formats::qa_findings::parse_findings;
use domain::ports::{ReviewRequest, Reviewer, ReviewerError};
use domain::review::{Coverage, Evidence, JUDGED};

/// What a program of the operator answered about a change, read as findings. An answer that cannot be read to its end
/// proves nothing.
pub(super) struct AnsweredReviewer<'a> {
    pub(super) name: &'a str,
    pub(super) answer: &'a str,
}

impl Reviewer for AnsweredReviewer<'_> {
    fn name(&self) -> &str {
        self.name
    }

    fn review(&self, request: &ReviewRequest<'_>) -> Result<Evidence, ReviewerError> {
        let evidence =
            parse_findings(self.answer).into_evidence(JUDGED, request.change, request.config.gate.fail_on);
        let mut coverage = Coverage::plan(request.change);
        coverage.files.iter_mut().for_each(|file| file.see(self.name));
        Ok(Evidence { coverage, ..evidence })
    }
}
