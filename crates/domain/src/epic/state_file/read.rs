use jiff::Timestamp;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use super::{EpicState, HistoryEntry, RecordedReport, TicketState};
use crate::cycle::TicketStatus;
use crate::formats::contexts::ReviewHistoryEntry;
use crate::formats::timestamp;
use crate::text::short_line;

/// A state file that cannot be read. The store can write it anew.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadState {
    #[error("it is not JSON: {0}")]
    NotJson(String),
    #[error("{field}: {reason}")]
    Field { field: String, reason: String },
}

impl EpicState {
    /// Fields that are missing have their defaults, fields nobody knows are kept, and one of the wrong type is named
    /// with its place.
    pub fn parse(text: &str) -> Result<EpicState, BadState> {
        let value: Value =
            serde_json::from_str(text).map_err(|error| BadState::NotJson(error.to_string()))?;
        let mut fields = Fields::of(value, "the state")?;
        let mut state = EpicState {
            epic_id: fields.take("epic_id")?,
            epic_branch: fields.take("epic_branch")?,
            base_branch: fields.take("base_branch")?,
            base_commit: fields.take("base_commit")?,
            epic_commit: fields.take("epic_commit")?,
            started_at: fields.time("started_at")?,
            completed_at: fields.time("completed_at")?,
            updated_at: fields.time("updated_at")?,
            stopped: fields.take("stopped")?,
            ..EpicState::default()
        };
        if let Some(tickets) = fields.below("tickets")? {
            for (id, ticket) in tickets.rest {
                let place = format!("tickets.{}", short_line(&id));
                state.tickets.insert(id, TicketState::read(Fields::of(ticket, &place)?)?);
            }
        }
        state.other = fields.rest;
        Ok(state)
    }
}

impl TicketState {
    fn read(mut fields: Fields) -> Result<TicketState, BadState> {
        let mut history = Vec::new();
        for (index, entry) in fields.take::<Vec<Value>>("review_history")?.into_iter().flatten().enumerate() {
            let place = format!("{}.review_history[{index}]", fields.place);
            history.push(HistoryEntry::read(Fields::of(entry, &place)?)?);
        }
        let report = fields.take::<Value>("current_review_report")?.filter(|value| !value.is_null());
        let report = report.map(RecordedReport::read).transpose();
        Ok(TicketState {
            status: fields.take("status")?.unwrap_or(TicketStatus::Pending),
            depends_on: fields.take("depends_on")?.unwrap_or_default(),
            branch: fields.take("branch")?,
            base_commit: fields.take("base_commit")?,
            final_commit: fields.take("final_commit")?,
            started_at: fields.time("started_at")?,
            completed_at: fields.time("completed_at")?,
            failure_reason: fields.take("failure_reason")?,
            stopped: fields.take("stopped")?,
            merged_commit: fields.take("merged_commit")?,
            revision_count: fields.take("revision_count")?.unwrap_or(0),
            review_started_at: fields.time("review_started_at")?,
            review_completed_at: fields.time("review_completed_at")?,
            review_approved: fields.take("review_approved")?,
            review_history: history,
            current_review_report: report.map_err(|error| fields.bad("current_review_report", &error))?,
            other: fields.rest,
        })
    }
}

impl HistoryEntry {
    fn read(mut fields: Fields) -> Result<HistoryEntry, BadState> {
        let entry = ReviewHistoryEntry {
            attempt: fields.required("attempt")?,
            reviewed_at: fields.required::<Time>("reviewed_at")?.0,
            status: fields.required("status")?,
            overall_score: fields.required("overall_score")?,
            blocking_issues_count: fields.take("blocking_issues_count")?.unwrap_or(0),
            revision_notes: fields.take("revision_notes")?,
            corrected: fields.take("corrected")?,
        };
        Ok(HistoryEntry { entry, other: fields.rest })
    }
}

/// An object from which known fields are taken; what is left nobody knows.
struct Fields {
    place: String,
    rest: Map<String, Value>,
}

impl Fields {
    fn of(value: Value, place: &str) -> Result<Fields, BadState> {
        match value {
            Value::Object(rest) => Ok(Fields { place: place.to_owned(), rest }),
            other => Err(BadState::Field {
                field: place.to_owned(),
                reason: format!("expected an object, found {}", kind(&other)),
            }),
        }
    }

    /// Absent and null are the same.
    fn take<T: DeserializeOwned>(&mut self, key: &str) -> Result<Option<T>, BadState> {
        match self.rest.shift_remove(key) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => T::deserialize(value).map(Some).map_err(|error| self.bad(key, &error)),
        }
    }

    fn required<T: DeserializeOwned>(&mut self, key: &str) -> Result<T, BadState> {
        self.take(key)?
            .ok_or_else(|| BadState::Field { field: self.name(key), reason: "it is missing".to_owned() })
    }

    fn time(&mut self, key: &str) -> Result<Option<Timestamp>, BadState> {
        Ok(self.take::<Time>(key)?.map(|time| time.0))
    }

    fn below(&mut self, key: &str) -> Result<Option<Fields>, BadState> {
        let name = self.name(key);
        self.take::<Value>(key)?.map(|value| Fields::of(value, &name)).transpose()
    }

    fn name(&self, key: &str) -> String {
        if self.place.starts_with("tickets.") { format!("{}.{key}", self.place) } else { key.to_owned() }
    }

    fn bad(&self, key: &str, error: &serde_json::Error) -> BadState {
        BadState::Field { field: self.name(key), reason: short_line(&error.to_string()) }
    }
}

/// With or without an offset, as other programs write it.
struct Time(Timestamp);

impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        timestamp(deserializer).map(Time)
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
