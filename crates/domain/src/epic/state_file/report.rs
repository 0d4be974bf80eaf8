use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;

use crate::formats::review_report::ReviewReport;

/// The report of the latest review. One that was read is written back as it stood, with whatever others had added
/// anywhere in it.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedReport {
    report: Box<ReviewReport>,
    as_read: Option<Box<Value>>,
}

impl RecordedReport {
    pub(super) fn read(value: Value) -> Result<RecordedReport, serde_json::Error> {
        let report = ReviewReport::deserialize(&value)?;
        Ok(RecordedReport { report: Box::new(report), as_read: Some(Box::new(value)) })
    }

    pub fn report(&self) -> &ReviewReport {
        &self.report
    }

    /// The same review, whatever else stands in it.
    pub(super) fn is_of(&self, other: &RecordedReport) -> bool {
        self.report == other.report
    }
}

impl From<ReviewReport> for RecordedReport {
    fn from(report: ReviewReport) -> Self {
        RecordedReport { report: Box::new(report), as_read: None }
    }
}

impl Serialize for RecordedReport {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.as_read {
            Some(value) => value.serialize(serializer),
            None => self.report.serialize(serializer),
        }
    }
}

impl JsonSchema for RecordedReport {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        ReviewReport::schema_name()
    }

    fn schema_id() -> std::borrow::Cow<'static, str> {
        ReviewReport::schema_id()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        ReviewReport::json_schema(generator)
    }
}
