//! Corrections that need no judgement.

use std::borrow::Cow;
use std::collections::HashSet;

use domain::change::Side;
use domain::review::{Anchor, Finding, Place};

use crate::data::{Bank, MendedSpots, ProjectRules, built_in, has_fix, mend_by_patterns, reads_no_worse};
use crate::language::Language;
use crate::pattern::Pattern;

/// Statements that do nothing but stop the program or print, alone on their line and without calling anything else.
static REMOVABLE: [Pattern; 4] = [
    Pattern::new(
        r"^\s*(?:debugger;?|breakpoint\(\);?|(?:import i?pdb; ?)?(?:i?pdb|pudb)\.set_trace\(\)|binding\.(?:pry|irb)|byebug|runtime\.Breakpoint\(\)|xdebug_break\(\);)\s*$",
    ),
    Pattern::new(r"^\s*dbg!\([^()]*\);\s*$"),
    Pattern::new(r"^\s*console\.(?:log|debug|dir|table|trace)\([^()]*\);\s*$"),
    Pattern::new(
        r#"^\s*(?:print|var_dump|print_r|println|fmt\.Println|System\.out\.println|Console\.WriteLine)\([^()]*\);?\s*$"#,
    ),
];

static FOCUS: Pattern = Pattern::new(r"\b(it|test|describe|context|suite|specify)((?:\.\w+)?)\.only\b");
static FOCUSED_NAME: Pattern = Pattern::new(r"(^|[^\w.$])f(it|describe|context)(\s*\()");

/// Rules whose findings can be corrected line by line.
const BY_LINE: [&str; 4] = ["debugger-stop", "debug-leftover", "focused-test", "hidden-unicode"];

/// Whether it is worth trying to [`mend`] what a rule found in a file of a language.
pub fn can_mend(rule: &str, language: Language, project: &ProjectRules) -> bool {
    BY_LINE.contains(&rule) || has_fix(rule, language, &banks(project))
}

/// As [`mend_with`], by the rules that come with the product.
pub fn mend(text: &str, language: Language, findings: &[&Finding]) -> Option<String> {
    mend_with(text, language, findings, &ProjectRules::default())
}

/// The text of a file with those of `findings` corrected that can be without judgement; nothing if none can. A finding
/// whose line is no longer what it was is passed over. What comes out is read again, and has no more errors than before.
pub fn mend_with(
    text: &str,
    language: Language,
    findings: &[&Finding],
    project: &ProjectRules,
) -> Option<String> {
    mend_together(text, language, findings, project).mended().map(|mended| mended.text)
}

/// A file with findings corrected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mended<'f> {
    pub text: String,
    /// Those that were.
    pub findings: Vec<&'f Finding>,
}

/// As [`mend_with`], for many findings of one file, of which one may spoil the rest: they are tried together, and by halves only
/// where that fails. So the file is read a few times and not once for each.
pub fn mend_most<'f>(
    text: &str,
    language: Language,
    findings: &[&'f Finding],
    project: &ProjectRules,
) -> Option<Mended<'f>> {
    match mend_together(text, language, findings, project) {
        Together::Mended(mended) => return Some(mended),
        Together::Nothing => return None,
        Together::Spoilt if findings.len() < 2 => return None,
        Together::Spoilt => {}
    }
    let (first, second) = findings.split_at(findings.len() / 2);
    let halves = [first, second].map(|half| mend_most(text, language, half, project));
    let [Some(first), Some(second)] = halves else { return halves.into_iter().flatten().next() };
    let both = [first.findings.as_slice(), &second.findings].concat();
    mend_together(text, language, &both, project).mended().or(Some(first))
}

/// What comes of all corrections at once.
enum Together<'f> {
    Mended(Mended<'f>),
    /// None of the findings can be mended.
    Nothing,
    /// Some can, but not all of these in one go.
    Spoilt,
}

impl<'f> Together<'f> {
    fn mended(self) -> Option<Mended<'f>> {
        match self {
            Together::Mended(mended) => Some(mended),
            Together::Nothing | Together::Spoilt => None,
        }
    }
}

fn mend_together<'f>(
    text: &str,
    language: Language,
    findings: &[&'f Finding],
    project: &ProjectRules,
) -> Together<'f> {
    let by_patterns = mend_by_patterns(text, language, findings, &banks(project));
    let before = text;
    let (text, mut mended) = match by_patterns {
        Some(MendedSpots { text, spots }) => (Cow::Owned(text), spots),
        None => (Cow::Borrowed(text), HashSet::new()),
    };
    let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
    let mut spots: Vec<(&Finding, &Anchor)> =
        findings.iter().filter_map(|finding| Some((*finding, anchor(finding)?))).collect();
    // From the end, so that numbers of lines stay true while lines go.
    spots.sort_by_key(|(_, anchor)| std::cmp::Reverse(anchor.start));
    spots.dedup_by_key(|(finding, anchor)| (anchor.start, finding.rule.clone()));
    for (finding, anchor) in spots {
        if mend_line(&mut lines, language, finding, anchor).is_some() {
            mended.insert((finding.rule.clone(), anchor.start));
        }
    }
    if mended.is_empty() {
        return Together::Nothing;
    }
    let after = match language {
        Language::Go => without_idle_imports(before, lines),
        _ => Some(lines.concat()),
    };
    let is_mended = |finding: &&&Finding| {
        anchor(finding).is_some_and(|anchor| mended.contains(&(finding.rule.clone(), anchor.start)))
    };
    match after.filter(|after| reads_no_worse(before, after, language)) {
        Some(text) => {
            Together::Mended(Mended { text, findings: findings.iter().filter(is_mended).copied().collect() })
        }
        None => Together::Spoilt,
    }
}

/// Where a finding is, if that can be mended.
fn anchor(finding: &Finding) -> Option<&Anchor> {
    match &finding.place {
        Place::Lines(anchor) if anchor.side == Side::New => Some(anchor),
        Place::Lines(_) | Place::File { .. } | Place::Summary => None,
    }
}

fn banks(project: &ProjectRules) -> Vec<&Bank> {
    std::iter::once(built_in()).chain(project.bank()).collect()
}

/// Packages of Go whose statements are taken out. One that is imported and not used does not compile.
const EMPTIED: [&str; 2] = ["runtime", "fmt"];

/// Nothing if it is not clear whether an import is still used, or how it stands there.
fn without_idle_imports(before: &str, mut lines: Vec<String>) -> Option<String> {
    for package in EMPTIED {
        let was_used = before.lines().any(|line| used(package, line) == Some(Used::InCode));
        let uses: Vec<Used> = lines.iter().filter_map(|line| used(package, line)).collect();
        if !was_used || uses.contains(&Used::InCode) {
            continue;
        }
        let name = format!("\"{package}\"");
        let imports = |line: &String| {
            let line = line.trim();
            line.strip_prefix("import").map_or(line, str::trim_start) == name
        };
        lines.remove(lines.iter().position(imports).filter(|_| uses.is_empty())?);
    }
    Some(lines.concat())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Used {
    InCode,
    /// Behind what may be the beginning of a comment, or part of a text.
    BehindSlashes,
}

fn used(package: &str, line: &str) -> Option<Used> {
    let at = line.match_indices(package).find(|(at, name)| {
        let joined = line[..*at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '.');
        !joined && line[at + name.len()..].starts_with('.')
    })?;
    Some(if line[..at.0].contains("//") { Used::BehindSlashes } else { Used::InCode })
}

fn mend_line(lines: &mut Vec<String>, language: Language, finding: &Finding, anchor: &Anchor) -> Option<()> {
    let index = usize::try_from(anchor.start).ok()?.checked_sub(1)?;
    let line = lines.get(index)?.clone();
    if line.trim_end_matches(['\n', '\r']) != anchor.text.trim_end_matches('\r') {
        return None;
    }
    match finding.rule.as_str() {
        "debugger-stop" | "debug-leftover" => remove(lines, index, language),
        "focused-test" => replace(lines, index, without_focus(&line)),
        "hidden-unicode" => replace(lines, index, line.chars().filter(|c| !is_hidden(*c)).collect()),
        _ => None,
    }
}

fn replace(lines: &mut [String], index: usize, with: String) -> Option<()> {
    let line = lines.get_mut(index)?;
    (*line != with).then(|| *line = with)
}

fn without_focus(line: &str) -> String {
    let bytes = FOCUS.regex().replace_all(line.as_bytes(), &b"$1$2"[..]).into_owned();
    let bytes = FOCUSED_NAME.regex().replace_all(&bytes, &b"$1$2$3"[..]).into_owned();
    String::from_utf8(bytes).unwrap_or_else(|_| line.to_owned())
}

/// Never joiners, which natural languages and emoji need.
fn is_hidden(c: char) -> bool {
    matches!(c, '\u{200B}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{2064}'
        | '\u{2066}'..='\u{2069}' | '\u{FEFF}' | '\u{00AD}' | '\u{061C}' | '\u{180E}' | '\u{E0000}'..='\u{E007F}')
}

/// Takes a statement out, unless it may be the only one that something before it governs.
fn remove(lines: &mut Vec<String>, index: usize, language: Language) -> Option<()> {
    let line = lines.get(index)?;
    if !REMOVABLE
        .iter()
        .any(|pattern| pattern.regex().is_match(line.trim_end_matches(['\n', '\r']).as_bytes()))
    {
        return None;
    }
    let before = lines[..index].iter().rev().map(|line| line.trim()).find(|line| !line.is_empty());
    if language == Language::Python {
        return remove_python(lines, index);
    }
    let is_own = before.is_none_or(|before| {
        before.ends_with(['{', '}', ';', ',']) || before.starts_with("//") || before.ends_with("*/")
    }) || language == Language::Ruby;
    is_own.then(|| {
        lines.remove(index);
    })
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// A block needs a statement: where this was its only one, `pass` takes its place.
fn remove_python(lines: &mut Vec<String>, index: usize) -> Option<()> {
    let depth = indent(lines.get(index)?);
    let filled = |line: &&String| !line.trim().is_empty();
    let sibling = |line: Option<&String>| line.is_some_and(|line| indent(line) == depth);
    let opens = |line: Option<&String>| line.is_some_and(|line| line.trim_end().ends_with(':'));
    let (before, after) = (lines[..index].iter().rev().find(filled), lines[index + 1..].iter().find(filled));
    let needed = opens(before) && !sibling(after);
    if needed {
        let end = if lines[index].ends_with('\n') { "\n" } else { "" };
        let pass = format!("{}pass{end}", &lines[index][..depth]);
        lines[index] = pass;
    } else {
        lines.remove(index);
    }
    Some(())
}
