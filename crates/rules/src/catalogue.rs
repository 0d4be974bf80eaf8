use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{LazyLock, OnceLock};

use domain::config::RulesPolicy;
use domain::formats::RuleDescription;
use domain::text::{is_typing_error, nearest};

use crate::data::{Bank, ProjectRules, built_in};
use crate::prefilter::Prefilter;
use crate::rule::{ChangeRule, FileRule, RuleInfo};
use crate::rules;
use crate::suppressions::{MISSPELT, WITHOUT_REASON};

/// Rules that are run together. The order is the order of the catalogue.
pub struct RuleSet {
    files: Vec<Box<dyn FileRule>>,
    changes: Vec<Box<dyn ChangeRule>>,
    /// Those that are data. Opened when they are first needed: an empty change needs none of them.
    bank: Option<fn() -> &'static Bank>,
    prefilter: OnceLock<Prefilter>,
    /// A review has begun: it reads by itself what it needs.
    is_busy: AtomicBool,
}

static BUILT_IN: LazyLock<RuleSet> = LazyLock::new(|| {
    let ours = RuleSet::new(rules::file_rules(), rules::change_rules());
    RuleSet { bank: Some(built_in), ..ours }
});

/// The rules that are data, with languages and examples: more to read than a review needs.
static WHOLE: LazyLock<Vec<RuleInfo>> = LazyLock::new(|| built_in().whole_infos());

impl RuleSet {
    pub fn new(files: Vec<Box<dyn FileRule>>, changes: Vec<Box<dyn ChangeRule>>) -> Self {
        RuleSet { files, changes, bank: None, prefilter: OnceLock::new(), is_busy: AtomicBool::new(false) }
    }

    /// The rules that come with the product.
    pub fn built_in() -> &'static RuleSet {
        &BUILT_IN
    }

    /// Makes ready what every review needs, and then what it may need, language by language, while whoever asks for one still
    /// waits for something else.
    pub fn warm_up(&self) {
        self.prefilter();
        let Some(bank) = self.bank() else { return };
        for language in bank.languages() {
            if self.is_busy.load(Ordering::Relaxed) {
                return;
            }
            bank.loaded(language);
        }
    }

    pub(crate) fn is_reviewing(&self) {
        self.is_busy.store(true, Ordering::Relaxed);
    }

    /// Of rules that are data without their languages and examples.
    pub fn infos(&self) -> impl Iterator<Item = &RuleInfo> {
        self.coded().chain(self.bank().into_iter().flat_map(Bank::heads))
    }

    fn coded(&self) -> impl Iterator<Item = &RuleInfo> {
        let run =
            self.files.iter().map(|rule| rule.info()).chain(self.changes.iter().map(|rule| rule.info()));
        run.chain([&MISSPELT, &WITHOUT_REASON])
    }

    pub(crate) fn bank(&self) -> Option<&'static Bank> {
        self.bank.map(|open| open())
    }

    pub(crate) fn files(&self) -> &[Box<dyn FileRule>] {
        &self.files
    }

    pub(crate) fn changes(&self) -> &[Box<dyn ChangeRule>] {
        &self.changes
    }

    pub(crate) fn prefilter(&self) -> &Prefilter {
        self.prefilter.get_or_init(|| Prefilter::new(&self.files))
    }
}

impl fmt::Debug for RuleSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.infos().map(|info| &info.id)).finish()
    }
}

/// Every built-in rule with all there is to say about it, for listings and documentation.
pub fn catalogue() -> Vec<&'static RuleInfo> {
    RuleSet::built_in().coded().chain(WHOLE.iter()).collect()
}

/// What reports say of each built-in rule.
pub fn descriptions() -> Vec<RuleDescription> {
    RuleSet::built_in().infos().map(RuleDescription::from).collect()
}

/// A built-in rule by its id.
pub fn rule(id: &str) -> Option<&'static RuleInfo> {
    RuleSet::built_in().coded().chain(WHOLE.iter()).find(|info| info.id == id)
}

/// The ids of all built-in rules.
pub(crate) fn ids() -> Vec<&'static str> {
    RuleSet::built_in().infos().map(|info| info.id.as_ref()).collect()
}

/// Whether a rule comes with the product.
pub fn is_built_in(id: &str) -> bool {
    RuleSet::built_in().infos().any(|info| info.id == id)
}

/// Rule ids of a policy that neither a built-in rule has nor one of the project, each with the nearest one that
/// exists. What other programs call their rules nobody knows; `tools` are those that are configured, and a name that is
/// nearly one of theirs is most likely misspelt.
pub fn unknown_rules<'t>(
    policy: &RulesPolicy,
    project: &ProjectRules,
    tools: impl IntoIterator<Item = &'t str>,
) -> Vec<(String, Option<String>)> {
    if policy.disable.is_empty() && policy.severity.is_empty() {
        return Vec::new();
    }
    let own = project.descriptions();
    let named = policy.disable.iter().chain(policy.severity.keys());
    let known: Vec<&str> = ids().into_iter().chain(own.iter().map(|rule| rule.id.as_str())).collect();
    let tools: Vec<&str> = tools.into_iter().collect();
    let mut unknown: Vec<_> = named
        .filter(|id| !known.contains(&id.as_str()))
        .filter_map(|id| match id.split_once('/') {
            Some((tool, rule)) => {
                misspelt(tool, &tools).map(|tool| (id.clone(), Some(format!("{tool}/{rule}"))))
            }
            None if tools.contains(&id.as_str()) => None,
            None => Some((id.clone(), nearest(id, known.iter().copied()).map(str::to_owned))),
        })
        .collect();
    unknown.sort();
    unknown.dedup();
    unknown
}

/// The configured program that was meant. One that is none of them may hand in its report by `--sarif`.
fn misspelt<'t>(tool: &str, tools: &[&'t str]) -> Option<&'t str> {
    if tools.iter().any(|known| known.eq_ignore_ascii_case(tool)) {
        return None;
    }
    tools.iter().copied().find(|known| is_typing_error(tool, known))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn ids_are_unique_and_well_formed() {
        let mut seen = HashSet::new();
        for info in catalogue() {
            let well_formed = info.id.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
            assert!(well_formed && seen.insert(&info.id), "{}", info.id);
            assert!(![&info.title, &info.why, &info.fix].iter().any(|text| text.is_empty()), "{}", info.id);
        }
    }

    #[test]
    fn category_and_dimension_agree() {
        use domain::words::{Category, Dimension};
        for info in catalogue() {
            let agreed = match info.category {
                Category::Readability => Dimension::CODE_QUALITY,
                // They are no question of what was asked for.
                Category::Correctness if ["conflict-marker", "debugger-stop"].contains(&info.id.as_ref()) => {
                    Dimension::CODE_QUALITY
                }
                Category::Correctness => Dimension::REQUIREMENT_ADHERENCE,
                Category::Testing => Dimension::TEST_QUALITY,
                Category::BestPractices if info.dimension == Dimension::COORDINATION_COMPLIANCE => continue,
                Category::BestPractices => Dimension::PATTERN_CONSISTENCY,
                Category::Security | Category::Performance => Dimension::SECURITY_PERFORMANCE,
            };
            assert_eq!(info.dimension, agreed, "{}", info.id);
        }
    }

    #[test]
    fn a_misspelt_rule_is_named_with_its_neighbour() {
        let policy = RulesPolicy {
            disable: vec![
                "debug-leftovers".into(),
                "stub".into(),
                domain::review::BARE_SUPPRESSION_RULE.into(),
            ],
            severity: [("zzz".to_owned(), domain::words::Severity::Low)].into(),
        };
        let expected =
            [("debug-leftovers".to_owned(), Some("debug-leftover".to_owned())), ("zzz".to_owned(), None)];
        assert_eq!(unknown_rules(&policy, &ProjectRules::default(), []), expected);
    }

    #[test]
    fn rules_of_other_programs_are_known_by_the_name_of_the_program() {
        let policy = RulesPolicy {
            disable: ["ruff/I001", "Ruff/*", "CodeQL/py/x", "rufff/F401"].map(str::to_owned).to_vec(),
            ..RulesPolicy::default()
        };
        let expected = [("rufff/F401".to_owned(), Some("ruff/F401".to_owned()))];
        assert_eq!(unknown_rules(&policy, &ProjectRules::default(), ["ruff"]), expected);
        assert_eq!(unknown_rules(&policy, &ProjectRules::default(), []), []);
    }
}
