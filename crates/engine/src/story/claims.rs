use std::collections::BTreeMap;

use domain::review::Fingerprint;
use domain::text::short_line;
use serde::{Deserialize, Serialize};

/// What a fixer says about a finding. Whether it is so, the next review shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "says", rename_all = "snake_case")]
pub enum Claim {
    Addressed,
    NotAddressed { reason: String },
}

impl Claim {
    pub fn as_str(&self) -> &'static str {
        match self {
            Claim::Addressed => "addressed",
            Claim::NotAddressed { .. } => "not addressed",
        }
    }
}

/// What a fixer says about these findings, which the document it was given lists in this order.
pub fn read_claims(said: &str, findings: &[Fingerprint]) -> BTreeMap<Fingerprint, Claim> {
    let claims = claims_by_number(said).into_iter();
    claims
        .filter_map(|(number, claim)| Some((findings.get(number.checked_sub(1)?)?.clone(), claim)))
        .collect()
}

/// Reads `Addressed: 1, 3` and `Not addressed: 2 - why` out of what a fixer said. Numbers are those of the document it
/// was given; what it says twice, it said last.
pub fn claims_by_number(said: &str) -> BTreeMap<usize, Claim> {
    let mut claims = BTreeMap::new();
    for line in said.lines() {
        let line = line.trim_start_matches(|c: char| c.is_whitespace() || "-*#>_`".contains(c));
        let Some((label, rest)) = line.split_once(':') else { continue };
        let label = label.trim_matches(|c: char| !c.is_alphanumeric()).to_ascii_lowercase();
        let (numbers, reason) = rest.split_once(" - ").unwrap_or((rest, ""));
        let claim = match label.as_str() {
            "addressed" | "fixed" => Claim::Addressed,
            "not addressed" | "not fixed" | "could not fix" => {
                Claim::NotAddressed { reason: short_line(reason) }
            }
            _ => continue,
        };
        let numbers =
            numbers.split(|c: char| !c.is_ascii_digit()).filter_map(|word| word.parse::<usize>().ok());
        claims.extend(numbers.map(|number| (number, claim.clone())));
    }
    claims
}
