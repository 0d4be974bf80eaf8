//! What breaks the users of libraries in other languages than Rust, case by case.

use std::collections::{BTreeMap, BTreeSet};

use crate::support::Scenario;

const RULE: &str = "breaking-change";
const CASES: &str = include_str!("../cases/breaking-languages.txt");

pub(crate) struct Case<'t> {
    pub(crate) title: &'t str,
    /// By path: the lines of both states, as in a diff.
    files: BTreeMap<&'t str, Vec<&'t str>>,
}

/// A heading with the language, then files: ` === path`, and below it lines of both states, of the old or of the new
/// one.
pub(crate) fn read(cases: &'static str) -> Vec<Case<'static>> {
    let blocks = cases.split("## ").filter(|block| !block.is_empty());
    blocks
        .map(|block| {
            let (title, lines) = block.split_once('\n').unwrap();
            let mut files: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
            let mut path = "";
            for line in lines.lines() {
                match line.strip_prefix(" === ") {
                    Some(next) => path = next,
                    None => files.entry(path).or_default().push(line),
                }
            }
            Case { title, files }
        })
        .collect()
}

fn cases() -> Vec<Case<'static>> {
    read(CASES)
}

impl Case<'_> {
    fn language(&self) -> &str {
        self.title.trim_start_matches("ok ").split(':').next().unwrap()
    }

    fn scenario(&self) -> Scenario {
        let (manifest, text) = match self.language() {
            "python" => ("pyproject.toml", "[project]\nname = \"pkg\"\n"),
            "typescript" | "javascript" => ("package.json", "{ \"name\": \"pkg\" }\n"),
            "go" => ("go.mod", "module acme.io/pkg\n"),
            "java" => ("pom.xml", "<project><artifactId>pkg</artifactId></project>\n"),
            other => panic!("no manifest for {other}"),
        };
        self.change(Scenario::default().and_keeping(manifest, text))
    }

    pub(crate) fn change(&self, scenario: Scenario) -> Scenario {
        self.files.iter().fold(scenario, |scenario, (path, lines)| {
            let side = |other: char| -> Option<String> {
                let kept: Vec<&str> = lines.iter().filter(|line| !line.starts_with(other)).copied().collect();
                let text = |line: &&str| line.get(1..).unwrap_or_default().to_owned() + "\n";
                (!kept.is_empty()).then(|| kept.iter().map(text).collect())
            };
            match (side('+'), side('-')) {
                (Some(old), Some(new)) if old == new => scenario.and_keeping(path, &old),
                (Some(old), Some(new)) => scenario.and_changing(path, &old, &new),
                (Some(old), None) => scenario.and_removing(path, &old),
                (None, Some(new)) => scenario.and_adding(path, new),
                (None, None) => scenario,
            }
        })
    }
}

#[test]
fn each_break_of_another_language_is_found() {
    let missed: Vec<&str> = cases()
        .iter()
        .filter(|case| !case.title.starts_with("ok ") && case.scenario().findings(RULE).is_empty())
        .map(|case| case.title)
        .collect();
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

#[test]
fn what_breaks_nobody_in_another_language_is_not_told() {
    let mut wrong = Vec::new();
    for case in cases().iter().filter(|case| case.title.starts_with("ok ")) {
        let findings = case.scenario().findings(RULE);
        wrong.extend(findings.iter().map(|one| format!("{}: {}", case.title, one.message)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_language_has_three_of_both() {
    let all = cases();
    let languages: BTreeSet<&str> = all.iter().map(Case::language).collect();
    for language in languages {
        let of_it = all.iter().filter(|case| case.language() == language);
        let (fine, broken): (Vec<_>, Vec<_>) = of_it.partition(|case| case.title.starts_with("ok "));
        assert!(fine.len() >= 3 && broken.len() >= 3, "{language}");
    }
}
