//! JSON Schemas of everything that is exchanged as JSON or YAML, made from the types themselves.

use schemars::{JsonSchema, generate::SchemaSettings};
use serde_json::{Value, json};

use super::code_review_report::CodeReviewReport;
use super::contexts::{RevisionContext, TicketReviewContext};
use super::findings_document::FindingsDocument;
use super::qa_findings::QaFinding;
use super::review_report::ReviewReport;
use super::task_document::TaskDocument;
use crate::config::Config;
use crate::epic::{EpicDocument, EpicState};
use crate::review::Review;

type Generate = fn(&'static str) -> Value;

const SCHEMAS: [(&str, &str, Generate); 11] = [
    ("review-report", "ReviewReport", of::<ReviewReport>),
    ("ticket-review-context", "TicketReviewContext", of::<TicketReviewContext>),
    ("revision-context", "RevisionContext", of::<RevisionContext>),
    ("qa-findings", "QAFindings", of::<Vec<QaFinding>>),
    ("code-review-report", "CodeReviewReport", of::<CodeReviewReport>),
    ("findings-document", "FindingsDocument", of::<FindingsDocument>),
    ("task", "Task", of::<TaskDocument>),
    ("config", "countersign.yaml", of::<Config>),
    ("review", "Review", of::<Review>),
    ("epic", "Epic", epic),
    ("epic-state", "epic-state.json", of::<EpicState>),
];

/// The names [`schema`] knows.
pub fn names() -> impl Iterator<Item = &'static str> {
    SCHEMAS.iter().map(|(name, _, _)| *name)
}

/// The schema of that name, draft 2020-12, complete in itself.
pub fn schema(name: &str) -> Option<Value> {
    let (_, title, generate) = SCHEMAS.iter().find(|(known, _, _)| *known == name)?;
    Some(generate(title))
}

fn of<T: JsonSchema>(title: &'static str) -> Value {
    let mut schema = SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<T>();
    schema.insert("title".to_owned(), title.into());
    schema.to_value()
}

/// Of an epic, a key without a value is as good as absent.
fn epic(title: &'static str) -> Value {
    let mut schema = of::<EpicDocument>(title);
    let definitions = schema.get_mut("$defs").and_then(Value::as_object_mut);
    definitions.into_iter().flat_map(|all| all.values_mut()).for_each(may_be_empty);
    may_be_empty(&mut schema);
    schema
}

/// Lets nothing stand for every property that does not have to be there.
fn may_be_empty(object: &mut Value) {
    let required = object.get("required").cloned().unwrap_or_default();
    let is_required = |name: &String| required.as_array().is_some_and(|all| all.contains(&json!(name)));
    let properties = object.get_mut("properties").and_then(Value::as_object_mut);
    for (_, property) in properties.into_iter().flatten().filter(|(name, _)| !is_required(name)) {
        let Some(said) = property.as_object_mut() else { continue };
        if let Some(to) = said.remove("$ref") {
            said.insert("anyOf".to_owned(), json!([{ "$ref": to }, { "type": "null" }]));
        } else if let Some(Value::String(kind)) = said.get("type") {
            let kind = json!([kind, "null"]);
            said.insert("type".to_owned(), kind);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::change::Change;
    use crate::cycle::TicketStatus;
    use crate::epic::TicketState;
    use crate::formats::contexts::{ReviewHistoryEntry, TestSuiteStatus};
    use crate::formats::fixture;
    use crate::work::{WorkItem, WorkOrder};

    const WHOLE_EPIC: &str = include_str!("../epic/read/whole.yaml");

    /// A sample of each format, and how to spoil it: a pointer into it and the value to put there.
    fn sample(name: &str) -> (Value, &'static str, Value) {
        let review = fixture::review();
        let report = ReviewReport::from(&review);
        let ticket = WorkItem::parse("tickets/a.md", "# A\n- [ ] b\n");
        let change = Change { scope: review.subject.scope.clone(), files: vec![] };
        let order = WorkOrder { ticket: Some(ticket.clone()), ..WorkOrder::default() };
        let json = |value: Result<Value, serde_json::Error>| value.unwrap();
        match name {
            "review-report" => (json(serde_json::to_value(report)), "/overall_score", json!(101)),
            "ticket-review-context" => {
                let context = TicketReviewContext::new(&order, &change, TestSuiteStatus::Passing, 0, None);
                (json(serde_json::to_value(context)), "/test_suite_status", json!("green"))
            }
            "revision-context" => {
                let context = RevisionContext::new(&ticket, report, &[]).unwrap();
                (json(serde_json::to_value(context)), "/review_report/status", json!("maybe"))
            }
            "qa-findings" => {
                let findings: Vec<_> = review.findings.iter().map(QaFinding::from).collect();
                (json(serde_json::to_value(findings)), "/0/severity", json!("BAD"))
            }
            "code-review-report" => {
                let report = CodeReviewReport::from(&review);
                (json(serde_json::to_value(report)), "/findings/0/severity", json!("BAD"))
            }
            "findings-document" => {
                let document = FindingsDocument::from(&review);
                (json(serde_json::to_value(document)), "/critical/0/severity", json!("BAD"))
            }
            "task" => {
                let id = crate::tasks::TaskId::parse("review-qa-1738588800000-a1b2c3").unwrap();
                let task = crate::tasks::Task::new(id, "review", "qa", "Review PR #456");
                (json(serde_json::to_value(task)), "/priority", json!(101))
            }
            "config" => (json(serde_json::to_value(Config::default())), "/gate/fail_on", json!("BAD")),
            "review" => (json(serde_json::to_value(review)), "/decision/verdict", json!("maybe")),
            "epic" => {
                let epic = EpicDocument::parse("epic.yaml", WHOLE_EPIC).unwrap();
                (json(serde_json::to_value(epic)), "/tickets/0/id", json!("../x"))
            }
            "epic-state" => {
                let mut ticket = TicketState::new(TicketStatus::NeedsRevision);
                ticket.review_history = vec![ReviewHistoryEntry::from(&report).into()];
                ticket.current_review_report = Some(report.into());
                let tickets = [("a".to_owned(), ticket)].into();
                let state = EpicState { tickets, ..EpicState::default() };
                (json(serde_json::to_value(state)), "/tickets/a/status", json!("sleeping"))
            }
            _ => panic!("no sample for {name}"),
        }
    }

    #[test]
    fn what_we_write_fits_its_own_schema_and_what_is_spoilt_does_not() {
        for name in names() {
            let validator = jsonschema::draft202012::new(&schema(name).unwrap()).unwrap();
            let (mut sample, pointer, spoilt) = sample(name);
            let complaints: Vec<_> = validator.iter_errors(&sample).map(|error| error.to_string()).collect();
            assert_eq!(complaints, Vec::<String>::new(), "{name}");
            *sample.pointer_mut(pointer).unwrap() = spoilt;
            assert!(!validator.is_valid(&sample), "{name}{pointer}");
        }
    }

    #[test]
    fn every_schema_names_itself_and_its_draft() {
        for name in names() {
            let schema = schema(name).unwrap();
            assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema", "{name}");
            assert!(schema["title"].is_string() && schema.get("$id").is_none(), "{name}");
        }
        assert_eq!(schema("nothing"), None);
    }

    #[test]
    fn severities_are_an_enumeration() {
        let text = schema("qa-findings").unwrap().to_string();
        for severity in crate::words::Severity::ALL {
            assert!(text.contains(&format!("\"{severity}\"")), "{text}");
        }
        let report = schema("review-report").unwrap();
        assert_eq!(report["$defs"]["ReportStatus"]["enum"], json!(["pass", "fail"]));
        assert_eq!(report["$defs"]["Level"]["enum"], json!(["info", "warning", "error"]));
    }

    #[test]
    fn reports_of_others_fit_without_our_key_but_not_without_theirs() {
        let validator = jsonschema::draft202012::new(&schema("review-report").unwrap()).unwrap();
        let (mut report, _, _) = sample("review-report");
        let fields = report.as_object_mut().unwrap();
        assert!(fields.remove("countersign").is_some());
        assert!(validator.is_valid(&report));
        for key in ["ticket_id", "dimension_scores", "blocking_issues", "pass_criteria_met"] {
            let mut without = report.clone();
            without.as_object_mut().unwrap().remove(key);
            assert!(!validator.is_valid(&without), "{key}");
        }
    }

    #[test]
    fn an_epic_fits_in_its_short_forms_and_not_with_a_misspelt_key() {
        let validator = jsonschema::draft202012::new(&schema("epic").unwrap()).unwrap();
        let epic: Value = serde_saphyr::from_str(WHOLE_EPIC).unwrap();
        let complaints: Vec<_> = validator.iter_errors(&epic).map(|error| error.to_string()).collect();
        assert_eq!(complaints, Vec::<String>::new());
        for place in
            ["", "/tickets/0", "/tickets/1/limits", "/commands", "/limits", "/coordination_requirements"]
        {
            let mut misspelt = epic.clone();
            misspelt.pointer_mut(place).unwrap()["titel"] = json!(1);
            assert!(!validator.is_valid(&misspelt), "{place}");
        }
        assert!(validator.is_valid(&json!({ "id": "e", "tickets": [{ "id": "a", "path": "a.md" }] })));
        assert!(!validator.is_valid(&json!({ "id": "e", "tickets": [] })));
    }

    #[test]
    fn a_state_of_before_there_were_reviews_fits() {
        let validator = jsonschema::draft202012::new(&schema("epic-state").unwrap()).unwrap();
        let old = json!({ "tickets": { "a": { "status": "pending", "phase": 1 } }, "other": {} });
        assert!(validator.is_valid(&old));
    }

    #[test]
    fn the_schema_of_an_epic() {
        insta::assert_snapshot!(serde_json::to_string_pretty(&schema("epic").unwrap()).unwrap());
    }

    #[test]
    fn the_schema_of_qa_findings() {
        insta::assert_snapshot!(serde_json::to_string_pretty(&schema("qa-findings").unwrap()).unwrap());
    }
}
