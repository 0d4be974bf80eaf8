use std::borrow::Cow;
use std::collections::HashSet;

use domain::change::{Content, RepoPath, Side};
use domain::config::{Config, ConfigError, FILE_NAME};
use domain::review::Confidence;
use domain::words::{Category, Dimension, Severity};

use super::policy_diff::{differences, is_loosened};
use crate::context::{ChangeContext, FileContext};
use crate::data::ProjectRules;
use crate::pattern::Pattern;
use crate::reporter::{Draft, Reporter};
use crate::rule::{ChangeRule, RuleInfo, text};
use crate::source::Source;

static INFO: RuleInfo = RuleInfo {
    id: text("policy-changed"),
    title: text("The change edits the rules it is judged by"),
    why: text("Later changes will be held to the new policy; somebody has to want that"),
    fix: text(
        "Make the change of policy a change of its own, and have it approved by whoever owns the policy",
    ),
    severity: Severity::High,
    category: Category::BestPractices,
    dimension: Dimension::COORDINATION_COMPLIANCE,
    confidence: Confidence::High,
    languages: Cow::Borrowed(&[]),
    examples: Cow::Borrowed(&[]),
};

/// Attributes that take files out of diffs and reviews.
static HIDING: Pattern =
    Pattern::new(r"\s(?:linguist-(?:generated|vendored)(?:=(?:true|set))?|-diff|binary)(?:\s|$)");

/// Attributes that keep files in which would be taken out for their name or by another line.
static KEEPING: Pattern = Pattern::new(
    r"\s(?:[-!]linguist-(?:generated|vendored)|linguist-(?:generated|vendored)=(?:false|unset)|diff|[-!]binary)(?:\s|$)",
);

/// Patterns for what no diff shows anyway: images, fonts, archives, and lock files.
static NOT_SOURCE: Pattern = Pattern::new(
    r"(?i)^\S*(?:\.(?:png|jpe?g|gif|ico|icns|webp|bmp|tiff?|psd|pdf|zip|gz|tgz|bz2|xz|7z|jar|war|exe|dll|so|dylib|a|lib|o|bin|dat|woff2?|ttf|otf|eot|mp[34]|mov|avi|wav|ogg|webm|sqlite|db|p12|keystore|lock)|lock\.(?:json|yaml)|go\.sum)\s",
);

/// What most projects hide, and nobody writes by hand: snapshots, bundles, other people's code.
static ORDINARY: Pattern = Pattern::new(
    r"(?i)^\s*(?:/?(?:\*\*/)?(?:vendor|third_party|node_modules|dist|__snapshots__)/\S*|\S*\.(?:snap|lock|min\.js|min\.css|map|svg))\s",
);

pub(crate) struct PolicyChanged;

impl ChangeRule for PolicyChanged {
    fn info(&self) -> &RuleInfo {
        &INFO
    }

    fn check(&self, change: &ChangeContext<'_>, report: &mut Reporter<'_>) {
        let alone = change.files.iter().all(|file| {
            let mut sides = [&file.change.old, &file.change.new].into_iter().flatten();
            sides.all(|side| is_policy_path(&side.path))
        });
        let policy = Policy { alone };
        for file in change.files {
            let sides = [&file.change.old, &file.change.new].into_iter().flatten();
            let touches = |test: fn(&RepoPath) -> bool| sides.clone().any(|side| test(&side.path));
            if touches(|path| path.as_bytes() == FILE_NAME.as_bytes()) {
                policy.report(report, file, policy_draft(file));
            } else if touches(|path| path.as_bytes().starts_with(b".countersign/")) {
                policy.report(report, file, own_rules_draft(change, file));
            } else if touches(is_attributes)
                && let Some(draft) = attributes_draft(file)
            {
                policy.report(report, file, draft);
            }
        }
    }
}

/// Whether the change touches nothing else: then it cannot be told to become a change of its own.
struct Policy {
    alone: bool,
}

impl Policy {
    fn report(&self, report: &mut Reporter<'_>, file: &FileContext<'_>, draft: Draft) {
        let fix = "Have a human who owns the policy merge it: no change can approve its own policy";
        report.add_in(file.change, if self.alone && !draft.has_fix() { draft.fix(fix) } else { draft });
    }
}

fn is_policy_path(path: &RepoPath) -> bool {
    let bytes = path.as_bytes();
    bytes == FILE_NAME.as_bytes() || bytes.starts_with(b".countersign/") || is_attributes(path)
}

/// One finding for the whole file, so that no comment beside a line can answer for it.
fn attributes_draft(file: &FileContext<'_>) -> Option<Draft> {
    let (added, removed) = (attribute_lines(file, Side::New), attribute_lines(file, Side::Old));
    let hiding: Vec<&[u8]> = matching(&added, &HIDING).collect();
    let kept: HashSet<&[u8]> = matching(&added, &KEEPING).filter_map(first_word).collect();
    let lost: Vec<&[u8]> = matching(&removed, &KEEPING)
        .filter(|line| !first_word(line).is_some_and(|files| kept.contains(files)))
        .collect();
    let ordinary = lost.is_empty() && hiding.iter().all(|line| ORDINARY.regex().is_match(line));
    let said: Vec<String> = [("adds", hiding), ("takes away", lost)]
        .into_iter()
        .filter_map(|(verb, lines)| Some(format!("{verb} {}", first_of(&lines)?)))
        .collect();
    let message = format!(
        "The change {}, and with that hides files from later diffs and reviews; the base's attributes were in \
         force",
        said.join(" and "),
    );
    let severity = if ordinary { Severity::Low } else { Severity::High };
    (!said.is_empty()).then(|| Draft::file(message).severity(severity))
}

/// What the side has and the other does not: by the diff, or all of it where the diff does not tell, because
/// the file came from elsewhere, went elsewhere, or is shown as binary.
fn attribute_lines<'a>(file: &'a FileContext<'_>, side: Side) -> Vec<&'a [u8]> {
    let change = file.change;
    let Some(here) = change.side(side).filter(|here| is_attributes(&here.path)) else { return Vec::new() };
    let there = change.side(if side == Side::New { Side::Old } else { Side::New });
    let same_place = there.is_none_or(|there| there.path == here.path);
    match (&change.content, side) {
        (Content::Text(_), Side::New) if same_place => change.added().map(|(_, line)| line).collect(),
        (Content::Text(_), Side::Old) if same_place => change.removed().map(|(_, line)| line).collect(),
        _ => {
            let whole = if side == Side::New { file.head() } else { file.base() };
            whole.map(|whole| whole.text().split(|byte| *byte == b'\n').collect()).unwrap_or_default()
        }
    }
}

fn is_attributes(path: &RepoPath) -> bool {
    path.file_name() == b".gitattributes"
}

fn matching<'l>(lines: &[&'l [u8]], pattern: &'static Pattern) -> impl Iterator<Item = &'l [u8]> {
    lines.iter().copied().filter(|line| {
        !line.trim_ascii_start().starts_with(b"#")
            && pattern.regex().is_match(line)
            && !NOT_SOURCE.regex().is_match(line)
    })
}

/// The files that a line of attributes is about.
fn first_word(line: &[u8]) -> Option<&[u8]> {
    line.split(u8::is_ascii_whitespace).find(|word| !word.is_empty())
}

fn first_of(lines: &[&[u8]]) -> Option<String> {
    let first = String::from_utf8_lossy(lines.first()?.trim_ascii()).chars().take(200).collect::<String>();
    Some(match lines.len() - 1 {
        0 => format!("`{first}`"),
        more => format!("`{first}` and {more} more like it"),
    })
}

/// Rules that cannot be read would stop every later review, also that of the change which repairs them. A new file of rules
/// can only ask for more.
fn own_rules_draft(change: &ChangeContext<'_>, file: &FileContext<'_>) -> Draft {
    let in_force = "this review was held by the rules of the base";
    let path = file.change.new.as_ref().map(|side| &side.path).filter(|path| ProjectRules::is_file_of(path));
    let after = path.map(|path| (path, rules_after(change)));
    match after {
        Some((path, Err(error))) if path.as_bytes() == error.file.as_bytes() => Draft::file(format!(
            "The change brings rules that cannot be used, so that nothing could be reviewed after it ({error}); {in_force}"
        ))
        .fix("Repair the rule; `countersign rules test` reads it from the working tree"),
        Some((_, Ok(_))) if file.change.old.is_none() => Draft::file(format!(
            "The change brings rules of the project's own, which later changes are held to; {in_force}"
        ))
        .severity(Severity::Low),
        _ => Draft::file(format!("The change edits the configuration of its own review; {in_force}")),
    }
}

/// The project's rules as they would be in force once the change has landed.
fn rules_after(change: &ChangeContext<'_>) -> Result<ProjectRules, ConfigError> {
    let sides = |file: &FileContext<'_>| [file.change.old.clone(), file.change.new.clone()];
    let touched: HashSet<RepoPath> =
        change.files.iter().flat_map(sides).flatten().map(|side| side.path).collect();
    let stays = |path: &RepoPath| !touched.contains(path);
    // What cannot be read at the base has stopped the review already.
    let mut files = ProjectRules::files_at_base(change.request.sources, stays).unwrap_or_default();
    for file in change.files {
        let path =
            file.change.new.as_ref().map(|side| &side.path).filter(|path| ProjectRules::is_file_of(path));
        if let (Some(path), Some(head)) = (path, file.head()) {
            files.push((path.to_string(), head.text().to_vec().into()));
        }
    }
    ProjectRules::of(files.iter().map(|(path, bytes)| (path.as_str(), bytes.as_ref())))
}

fn policy_draft(file: &FileContext<'_>) -> Draft {
    let is_policy = |side: &Option<domain::change::FileSide>| {
        side.as_ref().is_some_and(|side| side.path.as_bytes() == FILE_NAME.as_bytes())
    };
    let parse = |source: Option<&Source>| match source {
        Some(source) => Config::parse(FILE_NAME, &String::from_utf8_lossy(source.text())),
        None => Ok(Config::default()),
    };
    let (was_there, is_there) = (is_policy(&file.change.old), is_policy(&file.change.new));
    let in_force = "the base's policy was in force for this review";
    if !is_there {
        let message = format!("The change removes the review policy; {in_force}");
        return Draft::file(message);
    }
    let head = match parse(file.head()) {
        Ok(head) => head,
        Err(error) => {
            let message = format!("The new review policy cannot be read ({error}); {in_force}");
            return Draft::file(message);
        }
    };
    let base = parse(file.base().filter(|_| was_there)).unwrap_or_default();
    let differences = differences(&base, &head);
    let loosened = is_loosened(&base, &head, |id| crate::catalogue::rule(id).map(|info| info.severity));
    let (verb, severity) = if loosened { ("loosens", Severity::High) } else { ("changes", Severity::Low) };
    let message = if differences.is_empty() {
        format!("The change edits the file of the review policy, but no setting of it; {in_force}")
    } else {
        format!("The change {verb} the review policy: {}; {in_force}", listed(&differences))
    };
    Draft::file(message).severity(severity)
}

/// A message has to stay readable, whatever the file says.
const MOST_LISTED: usize = 20;

fn listed(differences: &[String]) -> String {
    let cut = |difference: &String| difference.chars().take(200).collect::<String>();
    let mut listed = differences.iter().take(MOST_LISTED).map(cut).collect::<Vec<_>>().join(", ");
    if differences.len() > MOST_LISTED {
        listed.push_str(&format!(", and {} more", differences.len() - MOST_LISTED));
    }
    listed
}
