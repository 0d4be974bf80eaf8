use domain::change::Change;
use domain::formats::code_review_report::CodeReviewReport;
use domain::formats::prose::casts_doubt;
use domain::formats::qa_findings::{QaFinding, parse_findings};
use domain::gate::{GatePolicy, Objection};
use domain::review::{Confidence, Evidence, Finding, Fingerprint, Scores, Told, Verdict};
use domain::words::Dimension;
use serde_json::{Map, Value};

use super::place::{Placed, Said, place};
use super::shape::{ModelAnswer, ModelConfidence, ModelFinding, ModelVerdict};
use super::{RULE, Reading, Shape, extract, trouble};
use crate::clean::{self, Redact};

/// Nobody works off a longer list, and a model that writes one has lost its way.
const MOST_FINDINGS: usize = 500;
/// In characters.
const LONGEST_SUMMARY: usize = 600;

const CUT_OFF: &str = "the answer ran into its limit of tokens and broke off";
/// Told to a model that can still explain itself.
const UNEXPLAINED: &str = "/verdict: it is `fail`, but no finding keeps the change from being merged (MAJOR, HIGH or \
                           CRITICAL, with more than low confidence) and no score is too low; name what is wrong with the \
                           severity it deserves, or say `pass`";
/// The same of a `ReviewReport`.
const UNEXPLAINED_REPORT: &str = "/approved: the report does not approve in all of /status, /approved, /overall_score and \
                                  /pass_criteria_met, but /blocking_issues and /revision_notes are empty and no dimension \
                                  is too low; say in one of them what has to be done, or approve in all";
/// More that are wrong are not told.
const MOST_DIMENSIONS: usize = 20;
const NOT_ALONE: &str = "/: the words around the report leave open whether it is the answer; give the report with no words around it";

/// Whether there is anything in an answer that is in the shape that was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shaped {
    AsAsked,
    Otherwise,
}

/// Reads the answers of one review.
#[derive(Debug, Clone, Copy)]
pub struct Reader<'a> {
    pub shape: &'a Shape,
    pub change: &'a Change,
    pub gate: &'a GatePolicy,
    pub redact: Redact,
}

impl Reader<'_> {
    /// An answer in the shape that was asked for, bare, fenced or in the middle of prose. The errors say what is
    /// wrong with what comes nearest to it. If there are several, because the model quotes one from the code it
    /// reviews, no finding of any is lost: neither of one that is in shape nor of one that is not.
    pub fn strict(&self, text: &str) -> Result<Reading, Vec<String>> {
        let text = extract::bounded(text);
        let whole = extract::whole(text);
        match whole.as_ref().and_then(|value| self.report(value)) {
            Some(Ok(reading)) if self.is_unexplained(&reading) => {
                return Err(vec![UNEXPLAINED_REPORT.to_owned()]);
            }
            Some(report) => return report,
            None => {}
        }
        let values = whole.map_or_else(|| extract::values(text), |value| vec![value]);
        if let [only] = values.as_slice()
            && !casts_doubt(&extract::around(text))
            && let Some(Ok(reading)) = self.report(only)
        {
            return match self.is_unexplained(&reading) {
                true => Err(vec![UNEXPLAINED_REPORT.to_owned()]),
                false => Ok(reading),
            };
        }
        let mut errors = Vec::new();
        let mut reading: Option<Reading> = None;
        let mut says_more = false;
        for value in values {
            match self.in_shape(&value) {
                Ok(found) => {
                    reading = Some(match reading {
                        Some(known) => known.and(found),
                        None => found,
                    });
                }
                Err(wrong) => {
                    let wrong = match self.report(&value) {
                        Some(Ok(_)) => vec![NOT_ALONE.to_owned()],
                        Some(Err(faults)) => faults,
                        None => wrong,
                    };
                    says_more |= self.value(&value).is_some_and(|loose| !loose.findings.is_empty());
                    errors = if errors.is_empty() || value.get("findings").is_some() { wrong } else { errors }
                }
            }
        }
        if errors.is_empty() {
            errors.push("/: there is no JSON object in the answer".to_owned());
        }
        match reading {
            Some(clean) if says_more && clean.findings.is_empty() => Err(errors),
            Some(reading) if self.is_unexplained(&reading) => Err(vec![UNEXPLAINED.to_owned()]),
            Some(reading) => Ok(reading),
            None => Err(errors),
        }
    }

    fn is_unexplained(&self, reading: &Reading) -> bool {
        let notes = &reading.told.notes;
        let objection =
            Objection::of(self.gate, reading.claimed, &reading.findings, reading.scores.as_ref(), notes);
        objection == Objection::Nothing
    }

    /// Whatever can be made out: other report formats, loosely written JSON, checklists and lines. That serves to
    /// lose no finding. Where there is none, only an answer in the shape that was asked for says so: anything else
    /// may be an error message, or a report of which we understood nothing.
    pub fn lenient(&self, text: &str) -> Reading {
        let text = extract::bounded(text);
        let (mut reading, shaped) = self.made_out(text);
        if !reading.troubles.is_empty() {
            return reading;
        }
        if self.is_unexplained(&reading) {
            reading.troubles.push(trouble(
                "unexplained",
                "the answer says that the change is not good enough, and names nothing that blocks: no finding of that \
                 severity, no score that is too low, no revision notes",
            ));
        } else if reading.findings.is_empty() && shaped == Shaped::Otherwise {
            let faults = self.strict(text).err().map(|errors| self.faults(&errors)).unwrap_or_default();
            reading.troubles.push(trouble(
                "unparsable",
                format!(
                    "the answer is not in the form that was asked for, and there is no finding in it{faults}"
                ),
            ));
        }
        reading
    }

    fn made_out(&self, text: &str) -> (Reading, Shaped) {
        let whole = extract::whole(text);
        let alone = whole.is_some();
        let values = whole.map_or_else(|| extract::values(text), |value| vec![value]);
        let is_answer = alone || !casts_doubt(&extract::around(text));
        let is_report = match values.as_slice() {
            [only] => is_answer && matches!(self.report(only), Some(Ok(_))),
            _ => false,
        };
        let shaped = match is_report || values.iter().any(|value| self.in_shape(value).is_ok()) {
            true => Shaped::AsAsked,
            false => Shaped::Otherwise,
        };
        let reading = values.iter().filter_map(|value| self.value(value)).reduce(Reading::and);
        let reading = match reading {
            Some(reading) if alone => reading,
            // A block that cannot be read may hold what is worst.
            Some(reading) if !reading.findings.is_empty() && parse_findings(text).broken_blocks > 0 => {
                reading.and(self.prose(text))
            }
            Some(reading) if !reading.findings.is_empty() || reading.claimed.is_some() => reading,
            Some(reading) if !reading.troubles.is_empty() => reading.and(self.prose(text)),
            Some(_) | None => self.prose(text),
        };
        (reading, shaped)
    }

    /// What was complete before the answer broke off. It stays inconclusive.
    pub fn cut_off(&self, text: &str) -> Reading {
        let text = extract::bounded(text);
        let entries = extract::cut_off_entries(text);
        let mut reading = if entries.is_empty() {
            let found = parse_findings(text).into_evidence(RULE, self.change, self.gate.fail_on).findings;
            Reading {
                findings: found.into_iter().map(|finding| self.cleaned(finding)).collect(),
                ..Reading::default()
            }
        } else {
            self.entries(&entries)
        };
        let kept = reading.findings.len();
        reading.troubles = vec![trouble(
            "cut_off",
            match kept {
                1 => format!("{CUT_OFF} after 1 complete finding"),
                kept => format!("{CUT_OFF} after {kept} complete findings"),
            },
        )];
        reading
    }

    fn in_shape(&self, value: &Value) -> Result<Reading, Vec<String>> {
        let scores = off_the_scale(value);
        let errors = if scores.is_empty() { self.shape.errors(value) } else { scores };
        if !errors.is_empty() {
            return Err(errors);
        }
        let answer: ModelAnswer =
            serde_json::from_value(value.clone()).map_err(|error| vec![format!("/: {error}")])?;
        let mut reading = self.findings(answer.findings);
        reading.summary = self.summary(&answer.summary);
        reading.scores = answer
            .dimension_scores
            .and_then(|scores| self.scores(scores.into_iter().map(|(name, score)| (name, Some(score)))));
        reading.claimed = Some(match answer.verdict {
            ModelVerdict::Pass => Verdict::Pass,
            ModelVerdict::Fail => Verdict::Fail,
        });
        Ok(reading)
    }

    fn value(&self, value: &Value) -> Option<Reading> {
        if let Ok(reading) = self.in_shape(value) {
            return Some(reading);
        }
        match self.report(value) {
            Some(Ok(reading)) => return Some(reading),
            Some(Err(faults)) => return Some(self.invalid(value, &faults)),
            None => {}
        }
        if let Ok(report) = serde_json::from_value::<CodeReviewReport>(value.clone()) {
            return Some(self.evidence(report.into_evidence(RULE, self.change)));
        }
        match value {
            Value::Array(items) => Some(self.entries(items)).filter(|reading| !reading.findings.is_empty()),
            Value::Object(fields) => self.object(fields),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
        }
    }

    pub(super) fn object(&self, fields: &Map<String, Value>) -> Option<Reading> {
        let list = ["findings", "issues", "comments"].iter().find_map(|key| fields.get(*key)?.as_array());
        let Some(list) = list else {
            // `{"review": {...}}`, or a single finding.
            let inner = fields.values().find(|value| value.get("findings").is_some());
            return match inner {
                Some(inner) => self.value(inner),
                None => Some(self.entries(&[Value::Object(fields.clone())]))
                    .filter(|one| !one.findings.is_empty()),
            };
        };
        let mut reading = self.entries(list);
        reading.claimed = claimed(fields);
        reading.summary = self.summary(fields.get("summary").and_then(Value::as_str).unwrap_or_default());
        let scores = fields.get("dimension_scores").and_then(Value::as_object);
        // Of scores that are none, not even the others are believed: the gate works out its own.
        let believed = |scores: &&Map<String, Value>| scores.values().all(is_on_the_scale);
        reading.scores = scores.filter(believed).and_then(|scores| {
            let score = |value: &Value| value.as_i64().or_else(|| value.get("score")?.as_i64());
            self.scores(scores.iter().map(|(name, value)| (name.clone(), score(value))))
        });
        Some(reading)
    }

    /// Lists and lines.
    fn prose(&self, text: &str) -> Reading {
        let reading = self.evidence(parse_findings(text).into_evidence(RULE, self.change, self.gate.fail_on));
        if reading.findings.is_empty() && reading.troubles.is_empty() {
            return Reading::trouble(
                "unparsable",
                "the answer says neither what is wrong nor that nothing is",
            );
        }
        reading
    }

    pub(super) fn evidence(&self, evidence: Evidence) -> Reading {
        let known = |scores: Scores| {
            self.scores(scores.into_iter().map(|(name, score)| (name.to_string(), Some(score.into()))))
        };
        Reading {
            findings: evidence.findings.into_iter().map(|finding| self.cleaned(finding)).collect(),
            scores: evidence.scores.and_then(known),
            claimed: evidence.claimed,
            troubles: evidence.troubles,
            told: Told {
                tickets: evidence.told.tickets.iter().map(|id| clean::line(id, self.redact)).collect(),
                notes: evidence.told.notes.iter().map(|note| clean::block(note, self.redact)).collect(),
                corrections: evidence.told.corrections,
            },
            ..Reading::default()
        }
    }

    fn entries(&self, entries: &[Value]) -> Reading {
        let read: Vec<_> = entries.iter().filter_map(entry).collect();
        let unreadable = entries.len() - read.len();
        let mut reading = self.findings(read);
        if unreadable > 0 {
            reading.troubles.push(trouble(
                "unparsable",
                format!(
                    "{} of the answer could not be read",
                    if unreadable == 1 { "1 entry".to_owned() } else { format!("{unreadable} entries") }
                ),
            ));
        }
        reading
    }

    fn findings(&self, mut findings: Vec<ModelFinding>) -> Reading {
        let mut reading = Reading::default();
        if findings.len() > MOST_FINDINGS {
            let surplus = findings.len() - MOST_FINDINGS;
            reading.troubles.push(trouble(
                "unparsable",
                format!("its findings are {surplus} too many to be worked with"),
            ));
            findings.truncate(MOST_FINDINGS);
        }
        for said in findings {
            let (finding, placed) = self.finding(&said);
            reading.unplaced += usize::from(placed == Placed::Somewhere);
            reading.findings.push(finding);
        }
        reading
    }

    fn finding(&self, said: &ModelFinding) -> (Finding, Placed) {
        let (place, placed) = place(
            Said {
                file: said.file.as_deref(),
                line: said.line,
                end_line: said.end_line,
                quote: said.quote.as_deref(),
            },
            self.change,
        );
        let finding = Finding {
            rule: RULE.to_owned(),
            severity: said.severity,
            category: said.category,
            dimension: self.dimension(&said.dimension).unwrap_or_else(|| said.category.dimension()),
            confidence: match said.confidence {
                ModelConfidence::Low => Confidence::Low,
                ModelConfidence::Medium => Confidence::Medium,
                ModelConfidence::High => Confidence::High,
            },
            place,
            message: said.message.clone(),
            impact: said.impact.clone().unwrap_or_default(),
            suggestion: said.suggestion.clone().unwrap_or_default(),
            fingerprint: Fingerprint::default(),
        };
        (self.cleaned(finding), placed)
    }

    fn cleaned(&self, mut finding: Finding) -> Finding {
        RULE.clone_into(&mut finding.rule);
        for text in [&mut finding.message, &mut finding.impact, &mut finding.suggestion] {
            *text = clean::block(text, self.redact);
        }
        if finding.message.is_empty() {
            finding.message = "The reviewer did not say what is wrong here".to_owned();
        }
        finding
    }

    /// One line that is no longer than a few sentences.
    fn summary(&self, said: &str) -> String {
        let line = clean::line(said, self.redact);
        match line.char_indices().nth(LONGEST_SUMMARY) {
            Some((end, _)) => format!("{}...", line[..end].trim_end()),
            None => line,
        }
    }

    fn dimension(&self, name: &str) -> Option<Dimension> {
        let known = self.gate.dimensions();
        known.into_iter().map(|(dimension, ..)| dimension).find(|dimension| dimension.as_str() == name.trim())
    }

    pub(super) fn scores(&self, said: impl Iterator<Item = (String, Option<i64>)>) -> Option<Scores> {
        let scores: Scores = said
            .filter_map(|(name, score)| Some((self.dimension(&name)?, score?.clamp(0, 100) as u8)))
            .collect();
        (scores.len() == self.gate.dimensions().len()).then_some(scores)
    }
}

/// One finding as models write it when they do not keep to the shape.
fn entry(value: &Value) -> Option<ModelFinding> {
    let known: QaFinding = serde_json::from_value(value.clone()).ok()?;
    let text = |keys: &[&str]| keys.iter().find_map(|key| value.get(*key)?.as_str()).map(str::to_owned);
    let number =
        |key: &str| value.get(key).and_then(Value::as_u64).and_then(|number| u32::try_from(number).ok());
    Some(ModelFinding {
        file: known.file.map(|path| path.to_string()),
        line: known.line_number,
        end_line: number("end_line"),
        quote: text(&["quote", "code", "snippet"]),
        severity: known.severity,
        category: known.category,
        dimension: text(&["dimension"]).unwrap_or_default(),
        confidence: match text(&["confidence"]).as_deref() {
            Some("low") => ModelConfidence::Low,
            Some("high") => ModelConfidence::High,
            Some(_) | None => ModelConfidence::Medium,
        },
        message: known.description,
        impact: text(&["impact"]),
        suggestion: Some(known.suggested_fix)
            .filter(|fix| !fix.is_empty())
            .or_else(|| text(&["recommendation"])),
    })
}

/// An outcome in one of the words there are for it.
fn claimed(fields: &Map<String, Value>) -> Option<Verdict> {
    if let Some(approved) = fields.get("approved").and_then(Value::as_bool) {
        return Some(if approved { Verdict::Pass } else { Verdict::Fail });
    }
    let word = ["verdict", "status", "result"].iter().find_map(|key| fields.get(*key)?.as_str())?;
    match word.trim().to_ascii_lowercase().as_str() {
        "pass" | "passed" | "approve" | "approved" => Some(Verdict::Pass),
        "fail" | "failed" | "reject" | "rejected" => Some(Verdict::Fail),
        _ => None,
    }
}

/// Scores in the form that was asked for that are none. Schemas that every provider takes cannot say it.
fn off_the_scale(value: &Value) -> Vec<String> {
    let scores = value.get("dimension_scores").and_then(Value::as_object).into_iter().flatten();
    let off = scores.filter(|(_, score)| score.is_number() && !is_on_the_scale(score));
    off.take(MOST_DIMENSIONS)
        .map(|(name, score)| {
            let name = domain::text::short_line(name);
            format!("/dimension_scores/{name}: it is {score}, expected is a whole number from 0 to 100")
        })
        .collect()
}

fn is_on_the_scale(score: &Value) -> bool {
    let score = score.get("score").unwrap_or(score);
    score.as_i64().is_some_and(|score| (0..=100).contains(&score))
}
