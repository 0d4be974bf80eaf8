use serde_json::{Value, json};

use super::rules::Catalogue;
use super::{FIELD_LIMIT, ROOT, literal, word};
use crate::change::RepoPath;
use crate::formats::escape::{clip, one_line};
use crate::formats::shown::{Shown, body, level};
use crate::review::{Finding, Patch, Review};

/// One result, suppressed if somebody accepted the finding. `None` if there is no file to put it at.
pub(super) fn of(
    finding: &Finding,
    accepted: Option<&str>,
    review: &Review,
    stand_in: Option<&RepoPath>,
    catalogue: &mut Catalogue,
) -> Option<Value> {
    let shown = Shown::of(finding, stand_in);
    let path = shown.path?;
    let (start, end) = shown.lines.unwrap_or((1, 1));
    let (rule, index) = catalogue.entry(finding);
    let mut result = json!({
        "ruleId": rule,
        "ruleIndex": index,
        "level": word(level(finding)),
        "message": { "text": literal(&body(finding, shown.remark.as_deref(), FIELD_LIMIT)) },
        "locations": [{
            "physicalLocation": {
                "artifactLocation": { "uri": relative_uri(path), "uriBaseId": ROOT },
                "region": { "startLine": start, "endLine": end },
            },
        }],
        "partialFingerprints": {
            "primaryLocationLineHash": format!("{}:1", finding.fingerprint),
            "countersign/v1": finding.fingerprint.as_str(),
        },
        "properties": {
            "severity": finding.severity.as_str(),
            "category": finding.category.as_str(),
            "dimension": finding.dimension.as_str(),
            "confidence": finding.confidence,
            "blocking": accepted.is_none() && finding.blocks(review.decision.fail_on),
        },
    });
    if let Some(reason) = accepted {
        let justification = literal(&clip(&one_line(reason), FIELD_LIMIT));
        result["suppressions"] =
            json!([{ "kind": "inSource", "status": "accepted", "justification": justification }]);
    }
    if let Some(patch) = review.patches.get(&finding.fingerprint).filter(|_| accepted.is_none()) {
        result["fixes"] = json!([fix(patch, finding)]);
    }
    Some(result)
}

/// Lines that change stay between their line ends, whatever those are; lines that go take theirs with them.
fn fix(patch: &Patch, finding: &Finding) -> Value {
    let (end, column) = match patch.new.as_slice() {
        [] => (patch.end().saturating_add(1), 1),
        _ => (patch.end(), patch.old.last().map_or(0, |line| line.encode_utf16().count()) + 1),
    };
    let region = json!({ "startLine": patch.start, "startColumn": 1, "endLine": end, "endColumn": column });
    let mut replacement = json!({ "deletedRegion": region });
    if !patch.new.is_empty() {
        replacement["insertedContent"] = json!({ "text": patch.new.join("\n") });
    }
    let told = clip(&one_line(&finding.suggestion), FIELD_LIMIT);
    let description = if told.is_empty() { "A correction that needs no judgement".to_owned() } else { told };
    json!({
        "description": { "text": literal(&description) },
        "artifactChanges": [{
            "artifactLocation": { "uri": relative_uri(&patch.path), "uriBaseId": ROOT },
            "replacements": [replacement],
        }],
    })
}

/// Git knows no absolute paths; should one come from elsewhere, it does not leave the root.
fn relative_uri(path: &RepoPath) -> String {
    path.to_uri().trim_start_matches('/').to_owned()
}
