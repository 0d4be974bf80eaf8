//! Guards that the change takes away: who may call something is asked no more.

mod names;
mod opened;
mod places;

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};

use domain::change::FileChange;
use domain::review::Confidence;
use domain::words::{Category, Dimension, Severity};

use self::names::{CHANGES, EVEN, HIGH, LOW, PLAIN, SENDS_AWAY, is_guard};
use self::places::{Guard, Place, Places, places};
use super::words::words;
use crate::context::{AddedLine, FileContext};
use crate::language::Language;
use crate::reporter::{Draft, Reporter};
use crate::rule::{Example, FileRule, Interest, RuleInfo, text};
use crate::syntax::{Tree, functions};

static INFO: RuleInfo = RuleInfo {
    id: text("guard-removed"),
    title: text("A check of who may call something that the change takes away or weakens"),
    why: text("Whoever reaches this place is let in, whether they may or not"),
    fix: text(
        "Put the guard back, or say in a comment that this is public on purpose and accept the finding",
    ),
    severity: Severity::Major,
    category: Category::Security,
    dimension: Dimension::SECURITY_PERFORMANCE,
    confidence: Confidence::Medium,
    languages: Cow::Borrowed(&[
        Language::Python,
        Language::JavaScript,
        Language::TypeScript,
        Language::Go,
        Language::Java,
        Language::Kotlin,
        Language::CSharp,
        Language::Ruby,
        Language::Php,
    ]),
    examples: Cow::Borrowed(&[
        Example::edit_bad(
            "src/a.py",
            "@app.post(\"/orders\")\n@login_required\ndef create():\n    return save()\n",
            "@app.post(\"/orders\")\ndef create():\n    return save()\n",
            &[2],
        ),
        Example::edit_good(
            "src/a.py",
            "@app.post(\"/orders\")\n@login_required\ndef create():\n    return save()\n",
            "@app.before_request\n@login_required\ndef known():\n    pass\n\n\n@app.post(\"/orders\")\ndef create():\n    return save()\n",
        ),
    ]),
};

pub(crate) struct GuardRemoved;

impl FileRule for GuardRemoved {
    fn info(&self) -> &RuleInfo {
        &INFO
    }

    fn interest(&self) -> Interest {
        Interest::Literals {
            added: &[b"skip_before_action", b"AllowAnonymous"],
            removed: &[
                b"auth",
                b"login",
                b"require",
                b"permission",
                b"role",
                b"admin",
                b"secured",
                b"guard",
                b"forbid",
                b"denied",
                b"401",
                b"403",
                b"verify",
                b"user_passes",
                b"depends(",
                b"compare_digest",
                b"timingSafeEqual",
                b"ConstantTimeCompare",
                b"isEqual",
                b"hash_equals",
                b"secure_compare",
                b"FixedTimeEquals",
            ],
        }
    }

    fn check(&self, file: &FileContext<'_>, _: &[AddedLine<'_>], report: &mut Reporter<'_>) {
        if !INFO.languages.contains(&file.language) || file.is_test_file() {
            return;
        }
        let (Some(base), Some(head)) = file.sides() else { return };
        let was = places(base);
        let after = After::of(file, places(head));
        let mut found = skipped(file);
        found.extend(was.iter().filter_map(|(key, before)| after.told(before, after.places.get(key)?)));
        found.extend(uneven(file, base, head));
        found.extend(opened::opened(file, base, head));
        found.sort_by_key(|(line, ..)| *line);
        found.dedup_by_key(|(line, ..)| *line);
        let Some(source) = file.head() else { return };
        for (line, severity, message) in found.into_iter().filter(|(line, ..)| !file.in_test(*line)) {
            report.add(Draft::lines(source, line, line, message).severity(severity));
        }
    }
}

type Found = (u32, Severity, String);

enum Lost {
    Guard(String),
    Weakened(String, Severity),
}

/// The file after the change, and what there is in it and beside it that may have taken a guard over.
struct After<'f, 't> {
    file: &'f FileContext<'f>,
    places: Places<'t>,
    /// `router.use("/", requireAuth)`
    guards_all: bool,
    said: OnceCell<Said>,
}

impl<'f, 't> After<'f, 't> {
    fn of(file: &'f FileContext<'f>, places: Places<'t>) -> Self {
        let guards_all =
            places.iter().any(|(key, place)| key.starts_with("route use ") && !place.guards.is_empty());
        After { file, places, guards_all, said: OnceCell::new() }
    }

    /// What there is to say of a place that had guards before.
    fn told(&self, before: &Place<'_>, after: &Place<'_>) -> Option<Found> {
        let said = || self.said.get_or_init(|| Said::of(self.file));
        let is_moved = |name: &str| said().added.contains(name) || said().brings_a_guard;
        match self.lost_guard(before, after) {
            Some(Lost::Guard(name)) if !is_moved(&name) => {
                let message = format!("`{name}` no longer guards {}", after.name);
                Some((after.line, Severity::Major, message))
            }
            Some(Lost::Weakened(message, severity)) => Some((after.line, severity, message)),
            _ if lost_refusal(self.file, before, after) && !said().brings_a_guard && !said().sends_away => {
                let message = format!("The check that sent callers of {} away is gone", after.name);
                Some((after.line, Severity::Major, message))
            }
            _ => None,
        }
    }

    /// The guard of a place that has fewer of them now, or one that asks for less.
    fn lost_guard(&self, before: &Place<'_>, after: &Place<'_>) -> Option<Lost> {
        let touched = self.file.touched_lines();
        let gone = || before.guards.iter().filter(|guard| touched.base(guard.node));
        let kept = |guard: &Guard<'_>| after.guards.iter().find(|kept| kept.name == guard.name);
        if let Some(lost) = gone().find_map(|guard| weakened(guard, kept(guard)?, after)) {
            return Some(lost);
        }
        if after.guards.len() >= before.guards.len() || self.guards_all || self.is_guarded_around(after) {
            return None;
        }
        gone().find(|guard| kept(guard).is_none()).map(|lost| Lost::Guard(lost.name.clone()))
    }

    /// Whether the type around it has a guard.
    fn is_guarded_around(&self, place: &Place<'_>) -> bool {
        let outer = place.container.rsplit('.').next().unwrap_or_default();
        self.places.get(&format!("type {outer}")).is_some_and(|outer| !outer.guards.is_empty())
    }
}

fn weakened(was: &Guard<'_>, now: &Guard<'_>, place: &Place<'_>) -> Option<Lost> {
    let (before, after) = (was.node.bytes(), now.node.bytes());
    if before == after {
        return None;
    }
    let has = |text: &[u8], word: &[u8]| memchr::memmem::find(text, word).is_some();
    let excepts = has(after, b"except:") && !has(before, b"except:") && !has(before, b"only:");
    let lowered = HIGH.regex().is_match(given(before))
        && !HIGH.regex().is_match(given(after))
        && LOW.regex().is_match(given(after));
    let severity =
        if lowered || CHANGES.regex().is_match(after) { Severity::Major } else { Severity::Medium };
    let message = format!("`{}` asks less of who reaches {} than before", was.name, place.name);
    (excepts || lowered).then_some(Lost::Weakened(message, severity))
}

/// What stands between the brackets.
fn given(mark: &[u8]) -> &[u8] {
    memchr::memchr(b'(', mark).map_or(&[][..], |at| &mark[at..])
}

/// Whether a branch that sent callers away is gone, and neither another nor a helper stands in its place.
fn lost_refusal(file: &FileContext<'_>, before: &Place<'_>, after: &Place<'_>) -> bool {
    let touched = file.touched_lines();
    let was = before.refusals.len();
    if !before.refusals.iter().any(|branch| touched.base(*branch)) || after.refusals.len() >= was {
        return false;
    }
    let sent_away = SENDS_AWAY.regex().find_iter(after.node.bytes()).take(was).count();
    let calls = |place: &Place<'_>| -> HashSet<String> {
        place.node.descendants().filter_map(|node| node.call()).map(|call| call.name()).collect()
    };
    let known = calls(before);
    let asks = |name: &String| {
        let name = name.to_ascii_lowercase();
        is_guard(&name)
            || ["own", "permi", "auth", "allow", "access", "check", "valid", "policy", "forbid", "403", "401"]
                .iter()
                .any(|word| name.contains(word))
    };
    sent_away < was
        && after.guards.len() <= before.guards.len()
        && !calls(after).iter().any(|name| !known.contains(name) && asks(name))
}

/// What the change says elsewhere of guards: one that moved is not gone.
#[derive(Default)]
struct Said {
    /// The names of guards in lines that are new.
    added: HashSet<String>,
    /// How many more of those lines have a name than had it before.
    more: HashMap<String, i64>,
    brings_a_guard: bool,
    sends_away: bool,
}

/// In larger changes only the file itself is asked.
const MOST_FILES: usize = 200;

impl Said {
    fn of(file: &FileContext<'_>) -> Self {
        let change = file.whole_change();
        let mut said = Said::default();
        let few = change.files.len() <= MOST_FILES;
        for other in change.files.iter().filter(|other| few || other.path() == file.change.path()) {
            said.read(other);
        }
        said.brings_a_guard = said.more.values().any(|more| *more > 0);
        said
    }

    fn read(&mut self, file: &FileChange) {
        // A route that stands as it stood says nothing. A mark that does may stand at something else.
        let before: HashSet<&[u8]> = file.removed().map(|(_, line)| line.trim_ascii()).collect();
        let now: HashSet<&[u8]> = file.added().map(|(_, line)| line.trim_ascii()).collect();
        let differs = |line: &&&[u8], others: &HashSet<&[u8]>| is_mark(line) || !others.contains(**line);
        for line in now.iter().filter(|line| is_code(line) && differs(line, &before)) {
            for name in guards_in(line) {
                *self.more.entry(name.clone()).or_default() += 1;
                self.added.insert(name);
            }
        }
        self.sends_away |= now.iter().any(|line| is_code(line) && SENDS_AWAY.regex().is_match(line));
        let gone = before.iter().filter(|line| is_code(line) && differs(line, &now));
        for name in gone.flat_map(|line| guards_in(line)) {
            *self.more.entry(name).or_default() -= 1;
        }
    }
}

fn is_mark(line: &[u8]) -> bool {
    [&b"@"[..], b"[", b"#[", b"before_action"].iter().any(|start| line.starts_with(start))
}

fn guards_in(line: &[u8]) -> impl Iterator<Item = String> {
    words(line).map(|word| String::from_utf8_lossy(word).into_owned()).filter(|word| is_guard(word))
}

/// Neither a comment, nor an import, nor what takes a guard away.
fn is_code(line: &[u8]) -> bool {
    const OTHER: [&[u8]; 9] =
        [b"#", b"//", b"*", b"/*", b"import ", b"from ", b"using ", b"use ", b"skip_before_action"];
    let line = line.trim_ascii_start();
    !OTHER.iter().any(|start| line.starts_with(start)) && memchr::memmem::find(line, b"require(").is_none()
}

/// `skip_before_action :verify_authenticity_token`, which may be right for an interface that programs use.
fn skipped(file: &FileContext<'_>) -> Vec<Found> {
    if file.language != Language::Ruby {
        return Vec::new();
    }
    let skips = file.added().filter(|line| line.text.trim_ascii_start().starts_with(b"skip_before_action"));
    let all = skips.filter(|line| guards_in(line.text).next().is_some());
    let all = all.filter(|line| memchr::memmem::find(line.text, b"only:").is_none());
    all.map(|line| {
        (line.number, Severity::Medium, "A guard is skipped for everything in this class".to_owned())
    })
    .collect()
}

/// Functions that compared secrets evenly, and now do as everything is compared.
fn uneven(file: &FileContext<'_>, base: &Tree, head: &Tree) -> Vec<Found> {
    let has_even = |(_, line): &(u32, &[u8])| EVEN.regex().is_match(line);
    if !file.change.removed().any(|line| has_even(&line)) || file.change.added().any(|line| has_even(&line)) {
        return Vec::new();
    }
    let touched = file.touched_lines();
    let compares: HashSet<String> = functions(base)
        .into_iter()
        .filter(|function| touched.base(function.node) && EVEN.regex().is_match(function.node.bytes()))
        .map(|function| function.path())
        .collect();
    let now = functions(head).into_iter().filter(|function| compares.contains(&function.path()));
    let plainly = now.filter_map(|function| {
        let (first, last) = function.lines();
        let line = touched.added_in(first, last).find(|line| {
            file.head().is_some_and(|head| PLAIN.regex().is_match(head.code_line(*line)))
        })?;
        let is_even = EVEN.regex().is_match(function.node.bytes());
        (!is_even).then(|| (line, Severity::Major, "A comparison that took the same time for every guess now tells by its time how much of it is right".to_owned()))
    });
    plainly.collect()
}
