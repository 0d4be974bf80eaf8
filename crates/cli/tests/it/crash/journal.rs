use std::collections::BTreeMap;

use super::workshop::Workshop;

/// How often the engineer's command was begun and came to its end, by task. Work may be done more than once;
/// what is finished must have been done at least once.
#[derive(Debug, Default)]
pub(crate) struct Journal {
    begun: BTreeMap<String, u32>,
    ended: BTreeMap<String, u32>,
}

impl Journal {
    pub(crate) fn read(workshop: &Workshop) -> Journal {
        let mut journal = Journal::default();
        let text = std::fs::read_to_string(workshop.engineer().join("journal")).unwrap_or_default();
        for (word, task) in text.lines().filter_map(|line| line.split_once(' ')) {
            match word {
                "begin" => *journal.begun.entry(task.to_owned()).or_default() += 1,
                "end" => *journal.ended.entry(task.to_owned()).or_default() += 1,
                _ => {}
            }
        }
        journal
    }

    pub(crate) fn was_done(&self, task: &str) -> bool {
        self.ended.contains_key(task)
    }

    pub(crate) fn begun(&self) -> u32 {
        self.begun.values().sum()
    }

    pub(crate) fn ended(&self) -> u32 {
        self.ended.values().sum()
    }
}
