//! Conditions and variables that a change puts on checks which ran without them: what they leave out may be right, and
//! somebody should look at it.

use super::exempt::is_usual_path;
use super::listing::lists_of_yaml;
use super::options::compared;
use super::parts::Part;
use super::steps::Steps;
use super::tools::check_in;
use crate::context::{AddedLine, FileContext};
use crate::pattern::Pattern;

/// A condition of a step or a job.
static CONDITION: Pattern = Pattern::new(r"^\s*-?\s*(?:if|condition|only|except|when)\s*:\s*(.*)$");

/// Conditions by which a check still looks at each proposal, or at more than before.
static WIDE: Pattern = Pattern::new(
    r#"(?i)always\(\)|!\s*cancell?ed\(\)|succeeded|success\(\)|event_name\s*==\s*["']pull_request|merge_request|pull_request\.draft\b|github\.repository|\bfork\b|^\s*(?:always|on_success|delayed)\b"#,
);

/// Branches and events without which each proposal is still looked at.
static NARROW_EXCEPTION: Pattern =
    Pattern::new(r"(?i)^[\[\s'-]*(?:tags?|schedules?|triggers|gh-pages|pages)\b");

/// A variable that a check takes options from.
static VARIABLE: Pattern = Pattern::new(
    r#"^\s*-?\s*(?:export\s+)?["']?(PYTEST_ADDOPTS|RUSTFLAGS|RUSTDOCFLAGS|GOFLAGS|MAVEN_OPTS|MAVEN_ARGS|MAVEN_CLI_OPTS|GRADLE_OPTS)["']?\s*[:=]\s*(.*)$"#,
);

/// Files that a hook does not look at.
static EXCLUDED: Pattern = Pattern::new(r#"^\s*exclude\s*:\s*["']?([^"'\s|>].*?)["']?\s*$"#);

/// Why a check may look at less, with the line that says so.
pub(super) struct Narrower<'a> {
    pub(super) line: AddedLine<'a>,
    pub(super) by: String,
}

/// The first added line that narrows a check which was there before the change.
pub(super) fn narrower<'a>(file: &FileContext<'a>, part: Part) -> Option<Narrower<'a>> {
    file.change.old.as_ref()?;
    let steps = Steps::of(file);
    let left_out = file.change.removed().any(|(_, line)| EXCLUDED.regex().is_match(line));
    let had_condition = file.change.removed().any(|(_, line)| CONDITION.regex().is_match(line));
    file.added().find_map(|line| {
        let is_narrower = (!had_condition && is_condition(&steps, &line))
            || is_weaker_variable(file, line.text)
            || (part == Part::Hook && !left_out && leaves_files_out(line.text));
        is_narrower.then(|| {
            let by = String::from_utf8_lossy(line.text.trim_ascii()).chars().take(120).collect();
            Narrower { line, by }
        })
    })
}

fn is_condition(steps: &Steps<'_, '_>, line: &AddedLine<'_>) -> bool {
    let Some(found) = CONDITION.regex().captures(line.text) else { return false };
    let behind = found.get(1).map(|behind| behind.as_bytes()).unwrap_or_default();
    let is_except = line.text.trim_ascii().starts_with(b"except");
    let harmless = if is_except { &NARROW_EXCEPTION } else { &WIDE };
    let is_said = |text: &[u8]| !text.is_empty() && !harmless.regex().is_match(text);
    let is_narrow = match behind.is_empty() {
        false => is_said(behind),
        // The first of what is listed below it.
        true => steps.below(line.number).is_some_and(|text| is_said(text.trim_ascii())),
    };
    is_narrow && steps.older_check(line.number)
}

fn is_weaker_variable(file: &FileContext<'_>, line: &[u8]) -> bool {
    let value = VARIABLE.regex().captures(line).and_then(|found| found.get(2));
    let (Some(value), Some(base), Some(head)) = (value, file.base(), file.head()) else { return false };
    compared(b"", value.as_bytes(), base.text(), head.text()).is_some()
}

fn leaves_files_out(line: &[u8]) -> bool {
    let pattern = EXCLUDED.regex().captures(line).and_then(|found| found.get(1));
    pattern.is_some_and(|pattern| !is_usual_path(&String::from_utf8_lossy(pattern.as_bytes())))
}

/// The check that a job of GitLab ran, and that it only runs now when its result counts no more.
pub(super) fn too_late(file: &FileContext<'_>) -> Option<String> {
    const KEYS: [&str; 2] = ["script", "after_script"];
    let path = file.change.path().as_bytes();
    if !path.ends_with(b".gitlab-ci.yml") && !path.starts_with(b".gitlab/ci/") {
        return None;
    }
    let (base, head) = (file.base()?, file.head()?);
    memchr::memmem::find(head.text(), b"after_script")?;
    let (was, is) = (lists_of_yaml(base.text(), &KEYS), lists_of_yaml(head.text(), &KEYS));
    let checks = |all: &[(&'static str, String, u32)], key: &str| -> std::collections::HashSet<String> {
        let own = all.iter().filter(|(of, _, _)| *of == key);
        own.filter_map(|(_, line, _)| {
            Some(String::from_utf8_lossy(check_in(line.as_bytes())?.word).into_owned())
        })
        .collect()
    };
    let (before, after) = (checks(&was, "script"), checks(&is, "script"));
    let (late_before, late) = (checks(&was, "after_script"), checks(&is, "after_script"));
    let mut moved: Vec<String> = late.difference(&late_before).cloned().collect();
    moved.sort();
    moved.into_iter().find(|one| before.contains(one) && !after.contains(one))
}
