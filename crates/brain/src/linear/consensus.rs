//! Several minds, of which more than half have to agree.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};

use domain::review::{Confidence, Finding, Verdict};

use super::merge::{Found, Opinion};
use super::similar::{Gist, merged};

/// How many findings of one file a finding is compared with.
const MAX_COMPARED: usize = 200;

/// A finding and who has it.
struct Cluster {
    found: Found,
    gist: Gist,
    minds: BTreeSet<usize>,
}

/// One opinion out of those of all minds, each with its name.
///
/// A finding that no more than half of them have becomes advice, saying so. Scores then follow from what is
/// left. The trouble of any mind is the trouble of all: its vote might have decided.
pub(super) fn consensus(opinions: Vec<(String, Opinion)>) -> Opinion {
    let count = opinions.len();
    let mut agreed = Opinion::default();
    let mut claims = Vec::new();
    let mut clusters = Clusters::default();
    for (mind, (name, opinion)) in opinions.into_iter().enumerate() {
        claims.push(opinion.claimed);
        agreed.unplaced = agreed.unplaced.max(opinion.unplaced);
        agreed.splits += opinion.splits;
        agreed.told.add(opinion.told);
        agreed.troubles.extend(opinion.troubles.into_iter().map(|mut trouble| {
            if !trouble.message.starts_with(&name) {
                trouble.message = format!("{name}: {}", trouble.message);
            }
            trouble
        }));
        clusters.add(mind, opinion.found);
    }
    agreed.claimed = [Verdict::Fail, Verdict::Pass]
        .into_iter()
        .find(|verdict| claims.iter().filter(|claimed| **claimed == Some(*verdict)).count() * 2 > count);
    agreed.found = clusters.all.into_iter().map(|cluster| weighed(cluster, count)).collect();
    agreed
}

fn weighed(cluster: Cluster, count: usize) -> Found {
    let Cluster { mut found, minds, .. } = cluster;
    if minds.len() * 2 <= count {
        found.finding.confidence = Confidence::Low;
        found.finding.note(&format!("Only {} of {count} reviewers found this.", minds.len()));
    }
    found
}

#[derive(Default)]
struct Clusters {
    all: Vec<Cluster>,
    by_file: HashMap<String, Vec<usize>>,
}

impl Clusters {
    /// Each finding of a mind goes into another cluster: what one mind tells apart stays apart.
    fn add(&mut self, mind: usize, mut found: Vec<Found>) {
        found.sort_by_cached_key(|found| place(&found.finding));
        for found in found {
            let gist = Gist::of(&found.finding);
            match self.same(mind, &found.finding, &gist) {
                Some(index) => self.join(index, mind, found),
                None => {
                    self.by_file.entry(place(&found.finding).0).or_default().push(self.all.len());
                    self.all.push(Cluster { found, gist, minds: BTreeSet::from([mind]) });
                }
            }
        }
    }

    /// By the same code and category; of several the one that says it most alike. Else by what it says.
    fn same(&self, mind: usize, finding: &Finding, gist: &Gist) -> Option<usize> {
        let in_file = self.by_file.get(&place(finding).0).into_iter().flatten().take(MAX_COMPARED);
        let free = in_file.filter_map(|index| {
            let cluster = self.all.get(*index).filter(|cluster| !cluster.minds.contains(&mind))?;
            let (at_code, resembles) = (cluster.gist.is_at_the_code_of(gist), cluster.gist.resembles(gist));
            let at_line = cluster.found.finding.line() == finding.line();
            let likeness = cluster.gist.likeness(gist);
            // The first of equals.
            let rank = (resembles, at_line, at_code, likeness, Reverse(*index));
            (at_code || resembles).then_some((rank, *index))
        });
        free.max_by_key(|(rank, _)| *rank).map(|(_, index)| index)
    }

    fn join(&mut self, index: usize, mind: usize, found: Found) {
        let Some(cluster) = self.all.get_mut(index) else { return };
        cluster.minds.insert(mind);
        cluster.found = merged(cluster.found.clone(), found);
        cluster.gist = Gist::of(&cluster.found.finding);
    }
}

fn place(finding: &Finding) -> (String, Option<u32>) {
    (finding.path().map(ToString::to_string).unwrap_or_default(), finding.line())
}
