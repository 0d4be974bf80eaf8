use std::collections::BTreeMap;

use domain::change::{Change, RepoPath, Side};
use domain::review::Place;

/// Where two commits differ, by the newer one's lines.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Touched {
    /// Added or changed lines, first and last, in order.
    files: BTreeMap<RepoPath, Vec<(u32, u32)>>,
}

impl Touched {
    pub fn of(change: &Change) -> Touched {
        let mut files: BTreeMap<RepoPath, Vec<(u32, u32)>> = BTreeMap::new();
        for file in &change.files {
            let spans = files.entry(file.path().clone()).or_default();
            for (number, _) in file.added() {
                match spans.last_mut() {
                    Some((_, last)) if *last + 1 == number => *last = number,
                    _ => spans.push((number, number)),
                }
            }
        }
        Touched { files }
    }

    /// Whether a finding there can come from what was touched. What is about the change as a whole always can.
    pub fn reaches(&self, place: &Place) -> bool {
        match place {
            Place::Summary => true,
            Place::File { path } => self.files.contains_key(path),
            Place::Lines(anchor) => self.files.get(&anchor.path).is_some_and(|spans| match anchor.side {
                Side::Old => true,
                Side::New => spans.iter().any(|(first, last)| *first <= anchor.end && anchor.start <= *last),
            }),
        }
    }
}
