//! Several minds, of which more than half have to agree.

use std::collections::{BTreeSet, HashMap};

use domain::review::{Confidence, Finding, Fingerprint, Verdict};

use super::merge::{Found, Opinion};
use super::similar::{Gist, worse};

/// How many findings of one file a finding is compared with.
const MOST_COMPARED: usize = 200;

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
    by_print: HashMap<(Fingerprint, domain::words::Category), usize>,
    by_file: HashMap<String, Vec<usize>>,
}

impl Clusters {
    fn add(&mut self, mind: usize, mut found: Vec<Found>) {
        found.sort_by_cached_key(|found| place(&found.finding));
        Fingerprint::assign(found.iter_mut().map(|found| &mut found.finding));
        for mut found in found {
            let print = (std::mem::take(&mut found.finding.fingerprint), found.finding.category);
            let gist = Gist::of(&found.finding);
            match self.same(&print, &found.finding, &gist) {
                Some(index) => self.join(index, mind, found),
                None => {
                    let index = self.all.len();
                    self.by_print.insert(print, index);
                    self.by_file.entry(place(&found.finding).0).or_default().push(index);
                    self.all.push(Cluster { found, gist, minds: BTreeSet::from([mind]) });
                }
            }
        }
    }

    /// By fingerprint, which tells the same code, and category; else by what it says.
    fn same(
        &self,
        print: &(Fingerprint, domain::words::Category),
        finding: &Finding,
        gist: &Gist,
    ) -> Option<usize> {
        let in_file =
            || self.by_file.get(&place(finding).0).into_iter().flatten().take(MOST_COMPARED).copied();
        let alike = |index: &usize| self.all.get(*index).is_some_and(|cluster| cluster.gist.resembles(gist));
        self.by_print.get(print).copied().or_else(|| in_file().find(alike))
    }

    fn join(&mut self, index: usize, mind: usize, found: Found) {
        let Some(cluster) = self.all.get_mut(index) else { return };
        cluster.minds.insert(mind);
        let stays = worse(cluster.found.finding.clone(), found.finding.clone());
        if stays != cluster.found.finding {
            cluster.found = found;
        }
    }
}

fn place(finding: &Finding) -> (String, Option<u32>) {
    (finding.path().map(ToString::to_string).unwrap_or_default(), finding.line())
}
