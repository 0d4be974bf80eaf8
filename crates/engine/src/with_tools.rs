use domain::config::RulesPolicy;
use domain::ports::{ReviewRequest, Reviewer, ReviewerError};
use domain::review::{Evidence, Finding, SuppressionComments, tool_seen};

use crate::told_once::ToldOnce;

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
        let found = self.found.iter().filter_map(|found| as_the_policy_has_it(found, &request.config.rules));
        let comments = SuppressionComments::of(request.change, &request.config.suppressions);
        let own = std::mem::take(&mut evidence.findings);
        let (accepted, own) = own.into_iter().partition(|finding| comments.reason(finding).is_some());
        let mut told = ToldOnce::of(own, accepted, request.config.gate.fail_on);
        found.for_each(|finding| told.add(finding));
        evidence.findings = told.finish();
        self.looked.iter().for_each(|tool| evidence.coverage.also_seen_by(&tool_seen(tool)));
        evidence.remarks.extend(self.remarks.iter().cloned());
        Ok(evidence)
    }
}

/// Programs do not know the policy of ours.
fn as_the_policy_has_it(found: &Finding, policy: &RulesPolicy) -> Option<Finding> {
    let severity = policy.severity_of(&found.rule).unwrap_or(found.severity);
    (!policy.disables(&found.rule)).then(|| Finding { severity, ..found.clone() })
}
