//! A review: what was found, where, how sure we are that all was seen, and what follows from it.

mod anchor;
mod continued;
mod coverage;
mod evidence;
mod finding;
mod fingerprint;
mod patch;
mod posting;
mod raise;
mod recognise;
mod score;
mod skip;
mod suppress;
mod usage;
mod verdict;
mod wording;

pub use anchor::{Anchor, Claim, Place};
pub use coverage::{Coverage, FileCoverage, HunkCoverage, RULES, tool_of, tool_seen};
pub use evidence::{
    Evidence, NOTES_RULE, Review, Subject, Suppressed, Told, Trouble, notes_as_advice, notes_as_finding,
};
pub(crate) use finding::REVIEWER_RULE;
pub use finding::{Confidence, Finding, JUDGED};
pub use fingerprint::Fingerprint;
pub use patch::Patch;
pub use posting::{CheckOutcome, CheckPosted, Posting, SummaryPosted};
pub use raise::raise;
pub(crate) use raise::says_any;
pub use recognise::{Statement, recognise};
pub use score::{ADVICE_CAP, Scores, at_most, score};
pub use skip::SkipReason;
pub use suppress::{
    BARE_SUPPRESSION_RULE, POLICY_RULE, STEERING_RULE, SuppressionComments, SuppressionPolicy, names,
    rules_named, suppress,
};
pub use usage::Usage;
pub use verdict::Verdict;
pub use wording::Wording;
