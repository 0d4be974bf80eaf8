use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use super::id::check_type;
use super::{Invalid, Task, TaskId, check_agent_name};
use crate::cycle::TaskStatus;

pub(super) const PRIORITIES: RangeInclusive<u8> = 1..=100;
const LONGEST_LINE: usize = 500;
pub(super) const LONGEST_TEXT: usize = 256 * 1024;
const LARGEST_TASK: usize = 1024 * 1024;
const MOST_LINKS: usize = 200;
const MOST_ITEMS: usize = 1000;

impl Task {
    /// Whether it may come into the store. The first thing that is wrong is named.
    pub fn validate(&self) -> Result<(), Invalid> {
        check_type(&self.kind)?;
        if self.status != TaskStatus::Pending {
            return Err(Invalid::new("status", "a new task is `pending`"));
        }
        if !PRIORITIES.contains(&self.priority) {
            return Err(bad_priority());
        }
        check_agent_name("assigned_to", &self.assigned_to)?;
        check_line("created_by", &self.created_by)?;
        check_time(&self.created_at)?;
        if self.title.trim().is_empty() {
            return Err(Invalid::new("title", "is missing"));
        }
        check_line("title", &self.title)?;
        check_size("description", &self.description, LONGEST_TEXT)?;
        check_links("depends_on", &self.depends_on)?;
        check_links("blocks", &self.blocks)?;
        check_items("acceptance_criteria", &self.acceptance_criteria)?;
        check_items("deliverables", &self.deliverables)?;
        check_items("notes", &self.notes)?;
        self.check_whole()
    }

    fn check_whole(&self) -> Result<(), Invalid> {
        let size =
            serde_json::to_string(self).map_err(|error| Invalid::new("task", error.to_string()))?.len();
        if size > LARGEST_TASK {
            return Err(Invalid::new(
                "task",
                format!("has {size} bytes of JSON; {LARGEST_TASK} are allowed"),
            ));
        }
        Ok(())
    }
}

pub(super) fn bad_priority() -> Invalid {
    Invalid::new("priority", "is a number from 1 (most urgent) to 100")
}

pub(crate) fn check_line(field: &str, text: &str) -> Result<(), Invalid> {
    check_size(field, text, LONGEST_LINE)?;
    if text.chars().any(char::is_control) {
        return Err(Invalid::new(field, "holds a line break or control character"));
    }
    Ok(())
}

pub(crate) fn check_size(field: &str, text: &str, longest: usize) -> Result<(), Invalid> {
    if text.len() > longest {
        return Err(Invalid::new(field, format!("is longer than {longest} bytes")));
    }
    Ok(())
}

fn check_time(text: &str) -> Result<(), Invalid> {
    if text.is_empty() {
        return Ok(());
    }
    match text.parse::<jiff::Timestamp>() {
        Ok(_) => Ok(()),
        Err(_) => Err(Invalid::new("created_at", "is not a time such as 2026-02-03T10:00:00.000Z")),
    }
}

fn check_links(field: &str, links: &[TaskId]) -> Result<(), Invalid> {
    if links.len() > MOST_LINKS {
        return Err(Invalid::new(field, format!("names more than {MOST_LINKS} tasks")));
    }
    if links.iter().collect::<BTreeSet<_>>().len() < links.len() {
        return Err(Invalid::new(field, "names a task twice"));
    }
    Ok(())
}

fn check_items(field: &str, items: &[String]) -> Result<(), Invalid> {
    if items.len() > MOST_ITEMS {
        return Err(Invalid::new(field, format!("has more than {MOST_ITEMS} entries")));
    }
    items.iter().try_for_each(|item| check_size(field, item, LONGEST_TEXT))
}
