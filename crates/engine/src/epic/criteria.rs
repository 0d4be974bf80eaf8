use std::collections::{BTreeMap, BTreeSet};

use domain::text::short_line;
use domain::work::AcceptanceCriterion;

/// What a builder says about the acceptance criteria of its ticket. Whether it is so, the review shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claims {
    /// All of them, `met` being what the builder says.
    pub criteria: Vec<AcceptanceCriterion>,
    /// Those that it does not say are met, by number from 1, with its reason.
    pub open: BTreeMap<usize, String>,
}

/// Reads `Met: 1, 3` and `Not met: 2 - why` out of what a builder said. A builder that says neither claims all of
/// them; one that names some claims only those.
pub fn read_criteria(said: &str, asked: &[AcceptanceCriterion]) -> Claims {
    let (mut met, mut unmet) = (BTreeSet::new(), BTreeMap::new());
    let mut named = false;
    for line in said.lines() {
        let line = line.trim_start_matches(|c: char| c.is_whitespace() || "-*#>_`".contains(c));
        let Some((label, rest)) = line.split_once(':') else { continue };
        let label = label.trim_matches(|c: char| !c.is_alphanumeric()).to_ascii_lowercase();
        let (numbers, reason) = rest.split_once(" - ").unwrap_or((rest, ""));
        let numbers = numbers
            .split(|c: char| !c.is_ascii_digit())
            .filter_map(|word| word.parse::<usize>().ok())
            .filter(|number| (1..=asked.len()).contains(number));
        match label.as_str() {
            "met" => {
                named = true;
                for number in numbers {
                    unmet.remove(&number);
                    met.insert(number);
                }
            }
            "not met" => {
                for number in numbers {
                    met.remove(&number);
                    unmet.insert(number, short_line(reason));
                }
            }
            _ => {}
        }
    }
    let mut open = BTreeMap::new();
    let criteria = (1..).zip(asked).map(|(number, criterion)| {
        let claimed = match unmet.get(&number) {
            Some(_) => false,
            None => !named || met.contains(&number),
        };
        if !claimed {
            open.insert(number, unmet.get(&number).cloned().unwrap_or_default());
        }
        AcceptanceCriterion { met: claimed, ..criterion.clone() }
    });
    let criteria = criteria.collect();
    Claims { criteria, open }
}

impl Claims {
    /// What is to be said to a builder that leaves criteria open; nothing if it does not.
    pub fn complaint(&self) -> Option<String> {
        let open: Vec<String> = self
            .open
            .iter()
            .filter_map(|(number, reason)| {
                let criterion = short_line(&self.criteria.get(number.checked_sub(1)?)?.criterion);
                let why = if reason.is_empty() { String::new() } else { format!(" ({reason})") };
                Some(format!("{number}. {criterion}{why}"))
            })
            .collect();
        (!open.is_empty()).then(|| {
            format!("not every acceptance criterion is addressed, by your own account: {}", open.join("; "))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(count: usize) -> Vec<AcceptanceCriterion> {
        (1..=count)
            .map(|number| AcceptanceCriterion { criterion: format!("c{number}"), met: false })
            .collect()
    }

    fn met(said: &str) -> Vec<bool> {
        read_criteria(said, &asked(3)).criteria.iter().map(|criterion| criterion.met).collect()
    }

    #[test]
    fn who_says_nothing_claims_everything() {
        assert_eq!(met("All done."), [true, true, true]);
        assert_eq!(read_criteria("done", &asked(3)).complaint(), None);
    }

    #[test]
    fn who_names_some_claims_only_those() {
        assert_eq!(met("Met: 1, 3"), [true, false, true]);
        assert_eq!(met("- **Met:** 1, 2, 3"), [true, true, true]);
    }

    #[test]
    fn what_is_not_met_is_told_with_its_reason() {
        let claims = read_criteria("Not met: 2 - there is no database", &asked(3));
        assert_eq!(claims.criteria.iter().filter(|criterion| criterion.met).count(), 2);
        let complaint = claims.complaint().unwrap();
        assert!(complaint.ends_with("2. c2 (there is no database)"), "{complaint}");
    }

    #[test]
    fn what_is_said_twice_was_said_last_and_other_numbers_are_nobodys() {
        assert_eq!(met("Not met: 1\nMet: 1, 2, 3, 4, 99999999999999999999"), [true, true, true]);
    }
}
