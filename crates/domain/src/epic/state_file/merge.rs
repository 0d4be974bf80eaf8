use serde_json::{Map, Value};

use super::{EpicState, HistoryEntry, TicketState};

impl EpicState {
    /// `new` as it is to be written over `old`: every field of ours is the new one, every field of others is kept.
    /// A ticket that only the old file knows stays in it.
    #[must_use]
    pub fn merged(old: Option<EpicState>, mut new: EpicState) -> EpicState {
        let Some(old) = old else { return new };
        keep(old.other, &mut new.other);
        for (id, ticket) in old.tickets {
            match new.tickets.get_mut(&id) {
                Some(newer) => newer.keep_of(ticket),
                None => {
                    new.tickets.insert(id, ticket);
                }
            }
        }
        new
    }
}

impl TicketState {
    fn keep_of(&mut self, old: TicketState) {
        keep(old.other, &mut self.other);
        for (newer, older) in self.review_history.iter_mut().zip(old.review_history) {
            if newer.is_of(&older) {
                keep(older.other, &mut newer.other);
            }
        }
        if let (Some(newer), Some(older)) = (&mut self.current_review_report, old.current_review_report)
            && newer.is_of(&older)
        {
            *newer = older;
        }
    }
}

impl HistoryEntry {
    fn is_of(&self, other: &HistoryEntry) -> bool {
        (self.entry.attempt, self.entry.reviewed_at) == (other.entry.attempt, other.entry.reviewed_at)
    }
}

fn keep(old: Map<String, Value>, new: &mut Map<String, Value>) {
    for (key, value) in old {
        new.entry(key).or_insert(value);
    }
}
