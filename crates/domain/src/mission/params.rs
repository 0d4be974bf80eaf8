use std::collections::BTreeMap;
use std::fmt;

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::block::{NAME, blocks};
use crate::forge::Project;
use crate::text::{nearest, short_line};

pub(super) const FIELDS: [&str; 7] = [
    "gitlab_project_id",
    "github_repo",
    "source_branch_name",
    "review_request_url",
    "generated_at",
    "service_name",
    "mode",
];

const LONGEST_BRANCH: usize = 250;
const LONGEST_VALUE: usize = 2_000;

/// What a ticket says about the review it wants.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CodeReviewParams {
    /// `gitlab_project_id`; for GitHub `github_repo`.
    pub project: Project,
    pub source_branch_name: String,
    /// Not checked yet: it may lead anywhere.
    pub review_request_url: String,
    pub generated_at: Timestamp,
    /// Whose documentation is read, if not what the ticket is about.
    pub service_name: Option<String>,
    /// If the ticket demands one.
    pub mode: Option<MissionMode>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum MissionMode {
    LinearDeterministic,
    AgenticActLoop,
}

/// Why there are no parameters: everything that is wrong with them, one line each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParamsProblem {
    pub problems: Vec<String>,
}

impl fmt::Display for ParamsProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.problems.join("; "))
    }
}

impl std::error::Error for ParamsProblem {}

impl ParamsProblem {
    fn one(problem: impl Into<String>) -> ParamsProblem {
        ParamsProblem { problems: vec![problem.into()] }
    }
}

impl MissionMode {
    pub fn as_str(self) -> &'static str {
        match self {
            MissionMode::LinearDeterministic => "LINEAR_DETERMINISTIC",
            MissionMode::AgenticActLoop => "AGENTIC_ACT_LOOP",
        }
    }
}

/// Reads the parameters out of a description, whatever its editor did to them. Two blocks are fine if they say the same.
pub fn find_params(description: &str) -> Result<CodeReviewParams, ParamsProblem> {
    let mut found = Vec::new();
    for block in blocks(description) {
        let params = read(&block)?;
        if !found.contains(&params) {
            found.push(params);
        }
    }
    match found.len() {
        0 => Err(ParamsProblem::one(format!(
            "the description has no `{NAME}`: add them as YAML, best in a code block, with {}",
            FIELDS[0..1].iter().chain(&FIELDS[2..5]).copied().collect::<Vec<_>>().join(", ")
        ))),
        1 => found.pop().ok_or_else(|| ParamsProblem::one("nothing was found")),
        count => Err(ParamsProblem::one(format!("the description has {count} different `{NAME}`: keep one"))),
    }
}

fn read(yaml: &str) -> Result<CodeReviewParams, ParamsProblem> {
    let document: BTreeMap<String, Option<BTreeMap<String, Value>>> =
        crate::config::from_yaml(NAME, yaml, "").map_err(|error| {
            let at = error.at.map(|(line, _)| format!("line {line} of it: ")).unwrap_or_default();
            ParamsProblem::one(format!("`{NAME}` is no valid YAML: {at}{}", short_line(&error.message)))
        })?;
    let fields = document.into_values().flatten().next().unwrap_or_default();
    Fields { fields, problems: Vec::new() }.into_params()
}

struct Fields {
    fields: BTreeMap<String, Value>,
    problems: Vec<String>,
}

impl Fields {
    fn into_params(mut self) -> Result<CodeReviewParams, ParamsProblem> {
        self.refuse_unknown();
        let project = self.project();
        let source_branch_name = self.required("source_branch_name").and_then(|name| self.branch(name));
        let review_request_url = self.required("review_request_url");
        let generated_at = self.required("generated_at").and_then(|text| self.moment(&text));
        let service_name = self.text("service_name");
        let mode = self.text("mode").and_then(|name| self.mode(&name));
        let all = project.zip(source_branch_name).zip(review_request_url).zip(generated_at);
        match (all, self.problems.is_empty()) {
            (Some((((project, source_branch_name), review_request_url), generated_at)), true) => {
                Ok(CodeReviewParams {
                    project,
                    source_branch_name,
                    review_request_url,
                    generated_at,
                    service_name,
                    mode,
                })
            }
            (Some(_) | None, _) => Err(ParamsProblem { problems: self.problems }),
        }
    }

    fn refuse_unknown(&mut self) {
        for key in self.fields.keys().filter(|key| !FIELDS.contains(&key.as_str())) {
            let hint =
                nearest(key, FIELDS).map(|known| format!(", did you mean `{known}`?")).unwrap_or_default();
            self.problems.push(format!("`{}` is no field of `{NAME}`{hint}", short_line(key)));
        }
    }

    /// Numbers and truth values are texts, too: a project's id is one.
    fn text(&mut self, key: &'static str) -> Option<String> {
        let text = match self.fields.get(key)? {
            Value::String(text) => text.trim().to_owned(),
            Value::Number(number) => number.to_string(),
            Value::Bool(truth) => truth.to_string(),
            Value::Null => return None,
            Value::Array(_) | Value::Object(_) => {
                self.problems.push(format!("`{key}` has to be a single value"));
                return None;
            }
        };
        if text.len() > LONGEST_VALUE {
            self.problems.push(format!("`{key}` is longer than {LONGEST_VALUE} characters"));
            return None;
        }
        (!text.is_empty()).then_some(text)
    }

    fn required(&mut self, key: &'static str) -> Option<String> {
        let before = self.problems.len();
        let text = self.text(key);
        if text.is_none() && self.problems.len() == before {
            self.problems.push(format!("`{key}` is missing"));
        }
        text
    }

    fn project(&mut self) -> Option<Project> {
        let key = if self.fields.contains_key("github_repo") { "github_repo" } else { "gitlab_project_id" };
        if self.fields.contains_key("github_repo") && self.fields.contains_key("gitlab_project_id") {
            self.problems.push("`gitlab_project_id` and `github_repo` are both given: keep one".to_owned());
        }
        let name = self.required(key)?;
        Project::parse(&name).map_err(|bad| self.problems.push(format!("`{key}`: {bad}"))).ok()
    }

    fn branch(&mut self, name: String) -> Option<String> {
        let forbidden = |c: char| c.is_control() || c.is_whitespace() || "~^:?*[\\".contains(c);
        let fits = name.len() <= LONGEST_BRANCH
            && !name.starts_with(['-', '/', '.'])
            && !name.ends_with(['/', '.'])
            && !name.contains("..")
            && !name.contains("//")
            && !name.contains("@{")
            && !name.ends_with(".lock")
            && !name.chars().any(forbidden);
        if !fits {
            self.problems
                .push(format!("`source_branch_name`: `{}` is no name of a branch", short_line(&name)));
        }
        fits.then_some(name)
    }

    fn moment(&mut self, text: &str) -> Option<Timestamp> {
        let in_utc = || text.parse::<DateTime>().ok()?.to_zoned(TimeZone::UTC).ok().map(|at| at.timestamp());
        let moment = text.parse::<Timestamp>().ok().or_else(in_utc);
        if moment.is_none() {
            let shown = short_line(text);
            self.problems.push(format!("`generated_at`: `{shown}` is no time such as 2026-11-15T10:00:00Z"));
        }
        moment
    }

    fn mode(&mut self, name: &str) -> Option<MissionMode> {
        let modes = [MissionMode::LinearDeterministic, MissionMode::AgenticActLoop];
        let mode = modes.into_iter().find(|mode| mode.as_str().eq_ignore_ascii_case(name));
        if mode.is_none() {
            let shown = short_line(name);
            self.problems
                .push(format!("`mode`: `{shown}` is neither LINEAR_DETERMINISTIC nor AGENTIC_ACT_LOOP"));
        }
        mode
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const FIELDS_AS_WRITTEN: &str = "code_review_params:\n  gitlab_project_id: 42\n  source_branch_name: feature/PROJ-1\n  \
        review_request_url: https://gitlab.example.com/a/b/-/merge_requests/7\n  generated_at: 2026-11-15T10:00:00Z\n";

    fn expected() -> CodeReviewParams {
        CodeReviewParams {
            project: Project::parse("42").unwrap(),
            source_branch_name: "feature/PROJ-1".to_owned(),
            review_request_url: "https://gitlab.example.com/a/b/-/merge_requests/7".to_owned(),
            generated_at: "2026-11-15T10:00:00Z".parse().unwrap(),
            service_name: None,
            mode: None,
        }
    }

    fn problems(description: &str) -> String {
        find_params(description).unwrap_err().to_string()
    }

    #[test]
    fn parameters_are_found_in_whatever_an_editor_made_of_them() {
        let url = "https://gitlab.example.com/a/b/-/merge_requests/7";
        for description in [
            FIELDS_AS_WRITTEN.to_owned(),
            format!("Please review.\n\n```yaml\n{FIELDS_AS_WRITTEN}```\nThanks: all\n"),
            format!("h2. Review\n{{code:yaml}}\n{FIELDS_AS_WRITTEN}{{code}}\nmore: text\n"),
            format!("{{code:title=x|borderStyle=solid}}{FIELDS_AS_WRITTEN}{{code}}"),
            format!("{{noformat}}{FIELDS_AS_WRITTEN}{{noformat}}"),
            format!(
                "{{code}}x{{code}} {{noformat}}{}{{noformat}}",
                FIELDS_AS_WRITTEN.replace("feature/PROJ-1", "\"feature/PROJ-1\" # {code}")
            ),
            format!(
                "{{code:yaml}}{}{{code}} {{noformat}}",
                FIELDS_AS_WRITTEN.replace("feature/PROJ-1", "feature/PROJ-1 # {noformat} {noformat}")
            ),
            format!(
                "{{code}}x{{code}}\n```yaml\n{}```\n",
                FIELDS_AS_WRITTEN.replace("feature/PROJ-1", "\"feature/PROJ-1\" # {code}")
            ),
            format!("```\n{{code:yaml}}\n{FIELDS_AS_WRITTEN}{{code}}\n"),
            FIELDS_AS_WRITTEN.replace("  ", "\t"),
            FIELDS_AS_WRITTEN.replace('\n', "\r\n"),
            FIELDS_AS_WRITTEN.replace("  ", "\u{a0}\u{a0}"),
            // An editor that eats indentation, and prose behind it.
            format!("{}\nThat is all: thank you.\n", FIELDS_AS_WRITTEN.replace("  ", "")),
            FIELDS_AS_WRITTEN.replace("  ", "* "),
            FIELDS_AS_WRITTEN.replace(url, &format!("[{url}|{url}|smart-link]")),
            FIELDS_AS_WRITTEN.replace(url, &format!("[{url}]")),
            FIELDS_AS_WRITTEN.replace(url, &format!("<{url}>")),
            FIELDS_AS_WRITTEN.replace(url, &format!("[the request]({url})")),
            FIELDS_AS_WRITTEN.replace('_', "\\_"),
            FIELDS_AS_WRITTEN.replace("feature/PROJ-1", "\u{201c}feature/PROJ-1\u{201d}"),
            FIELDS_AS_WRITTEN.replace("feature/PROJ-1", "{{feature/PROJ\\-1}}"),
            format!("{FIELDS_AS_WRITTEN}\n----\n{FIELDS_AS_WRITTEN}"),
            FIELDS_AS_WRITTEN.replace("code_review_params:", "*code_review_params:*"),
        ] {
            assert_eq!(find_params(&description), Ok(expected()), "{description}");
        }
    }

    /// As mcp-atlassian 0.23 gives them where they stand outside of a code block.
    #[test]
    fn underscores_that_a_server_took_for_emphasis_are_restored() {
        let mangled = "code*review*params:\n  gitlab*project*id: my*group/my*shop_app\n  \
            source*branch*name: feature/a*b-c*d\n  \
            review*request*url: https://h.example/my*group/my*shop*app/-/merge*requests/7\n  \
            generated_at: 2026-11-15T10:00:00Z\n";
        let url = "https://h.example/my*group/my*shop*app/-/merge*requests/7";
        let linked = mangled.replace(url, &format!("[{url}]({url})"));
        for description in [mangled, &linked, &format!("Please review this.\n\n{mangled}\nThanks")] {
            let found = find_params(description).unwrap();
            assert_eq!(found.project.as_str(), "my_group/my_shop_app");
            assert_eq!(found.source_branch_name, "feature/a_b-c_d");
            assert_eq!(found.review_request_url, "https://h.example/my_group/my_shop_app/-/merge_requests/7");
        }
    }

    #[test]
    fn every_field_is_validated_and_every_problem_is_named() {
        let said = problems(
            "code_review_params:\n  gitlab_project_id: ../../x\n  source_branch_nam: a\n  review_request_url: [1, 2]\n  generated_at: soon\n",
        );
        for part in [
            "`gitlab_project_id`: `../../x` is not a project",
            "`source_branch_nam` is no field of `code_review_params`, did you mean `source_branch_name`?",
            "`source_branch_name` is missing",
            "`review_request_url` has to be a single value",
            "`generated_at`: `soon` is no time",
        ] {
            assert!(said.contains(part), "{part} in {said}");
        }
    }

    #[test]
    fn a_ticket_without_parameters_says_which_are_wanted() {
        let said = problems("Please review my merge request");
        assert!(said.contains("no `code_review_params`") && said.contains("review_request_url"), "{said}");
    }

    #[test]
    fn two_different_blocks_are_not_guessed_between() {
        let other = FIELDS_AS_WRITTEN.replace("42", "43");
        assert!(problems(&format!("{FIELDS_AS_WRITTEN}\n\n{other}")).contains("2 different"));
    }

    #[test]
    fn broken_yaml_is_a_problem_and_not_a_crash() {
        for broken in [
            "code_review_params: [",
            "code_review_params:\n  gitlab_project_id: *nothing\n",
            "code_review_params:\n  - a\n  - b\n",
            "code_review_params: 5\n",
            "code_review_params:\n",
        ] {
            assert!(find_params(broken).is_err(), "{broken}");
        }
    }

    #[test]
    fn a_hostile_branch_is_refused() {
        for name in ["--upload-pack=x", "a..b", "a b", "a\\\\b", "../x", "x.lock"] {
            let description = FIELDS_AS_WRITTEN.replace("feature/PROJ-1", &format!("'{name}'"));
            assert!(problems(&description).contains("is no name of a branch"), "{name}");
        }
    }

    #[test]
    fn a_bomb_of_aliases_ends_quickly() {
        let mut yaml = String::from("code_review_params:\n  a: &a [x, x, x, x, x, x, x, x, x]\n");
        for (from, to) in [("a", "b"), ("b", "c"), ("c", "d"), ("d", "e"), ("e", "f"), ("f", "g"), ("g", "h")]
        {
            yaml.push_str(&format!(
                "  {to}: &{to} [*{from}, *{from}, *{from}, *{from}, *{from}, *{from}, *{from}, *{from}]\n"
            ));
        }
        assert!(find_params(&yaml).is_err());
    }

    proptest! {
        #[test]
        fn no_description_makes_it_panic(text in "(?s).{0,400}") {
            let _ = find_params(&text);
            let _ = find_params(&format!("{{code}}code_review_params:{text}"));
        }
    }
}
