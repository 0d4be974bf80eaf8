//! Sentences that order something without the word for it: `parse_config()` must reject it, the command gets a flag.

use super::requirement_place::Place;
use crate::pattern::Pattern;

/// What a name looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Call,
    Flag,
    Route,
    /// A compound word, a type, a variable: it can also be a column, a tool or a build.
    Word,
}

/// A name and the prose around it: up to the names beside it, and to the ends of its sentence.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mention<'t> {
    pub(super) name: &'t str,
    pub(super) form: Form,
    pub(super) just_before: &'t str,
    pub(super) just_behind: &'t str,
    pub(super) before: &'t str,
    pub(super) behind: &'t str,
    pub(super) place: Place,
}

/// The beginning of a sentence or of a list item, perhaps with an article and what it is.
static STARTS: Pattern = Pattern::new(
    r"(?i)(?:^|[.;:!] )\s*(?:[-*+] |\d{1,3}[.)] |[a-z]\) |AC[ -]?\d{1,3}\s*[:.)] )?(?:\[[ x]\] )?(?:the |a |an |calling |requests? to |a request to )?(?:function |method |flag |option |endpoint |route )?$",
);
/// What something does when it is there, and not what is wrong with it.
static DOES: Pattern = Pattern::new(
    r"^ (?:returns?|sets?|lets?|unlocks?|lists?|creates?|deletes?|updates?|prints?|shows?|writes?|reads?|sends?|accepts?|gives?|answers?|responds?|enables?|disables?|limits?|counts?|computes?|checks?|validates?|converts?|parses?|loads?|saves?|stores?|turns?|makes?|takes?|allows?|rejects?|refuses?)\b",
);
static MUST: Pattern = Pattern::new(
    r"^ (?:must|should|shall|will|has to|have to|needs? to) (?:also |always |only |now |then )?(?:return|set|let|unlock|list|create|delete|update|print|show|write|read|send|accept|give|answer|respond|enable|disable|limit|count|compute|check|validate|convert|parse|load|save|store|turn|make|take|allow|reject|refuse|raise|throw|fail|support|handle|log|report|emit|ignore|skip|retry|exit|respect|honou?r|redirect|expose|yield|produce|normali[sz]e)\b",
);
/// What is said of something that shall be there, of a word that may be anything else.
static THERE: Pattern = Pattern::new(
    r"^ (?:(?:must|should|shall|will|has to|needs to) be |is |are )(?:also |now )?(?:exposed|available|configurable|provided|offered|supported|added|shown|displayed|reported|exported)\b",
);

/// `a --dry-run flag`: that there is to be one.
static KIND_BEHIND: Pattern = Pattern::new(
    r"(?i)^ (?:command[ -]line )?(?:flag|option|switch|endpoint|route|function|method|helper|field|property|setting|parameter|column|class|type|hook|subcommand)\b",
);
static ARTICLE: Pattern = Pattern::new(r"(?i)\b(?:a|an|another|new)\s+(?:new\s+|optional\s+)?(?:\w+\s+)?$");
static KIND_BEFORE: Pattern = Pattern::new(
    r"(?i)\b(?:a|an|another|new)\s+(?:new\s+)?(?:command[ -]line\s+)?(?:flag|option|switch|endpoint|route|function|method|helper|field|property|setting|parameter|column|class|type|hook|subcommand)\s+(?:named\s+|called\s+)?$",
);
/// Who orders: something of ours gets it.
static GETS: Pattern = Pattern::new(
    r"(?i)(?:\b(?:gets?|gains?|receives?|needs?|(?:must|should|shall|will|has to|needs to|need to) (?:also |now )?(?:have|get|gain|support|accept|take|offer|expose|understand|provide|know))\s+(?:also\s+|now\s+)?|\bthere\s+(?:must|should|shall|has to|needs to)\s+be\s+)",
);
/// In a criterion the present is what shall be.
static HAS: Pattern =
    Pattern::new(r"(?i)\b(?:has|have|accepts?|takes?|supports?|offers?|exposes?|understands?|provides?)\s+");
static NEEDED: Pattern = Pattern::new(
    r"(?i)^ (?:command[ -]line )?(?:flag|option|switch|endpoint|route|function|method|helper)s? (?:is (?:needed|wanted|missing)|(?:must|should|shall) (?:exist|be (?:available|added|provided|offered|supported)))\b",
);
/// How a criterion calls a program with a flag.
static CALLED_WITH: Pattern = Pattern::new(
    r"(?i)(?:^|[.;:!] )\s*(?:[-*+] |\d{1,3}[.)] |[a-z]\) )?(?:\[[ x]\] )?(?:with|passing|given|running (?:\w+ ){0,3}with|when (?:run|called|invoked|started) with)\s+(?:the\s+)?(?:flag\s+|option\s+)?$",
);

/// Nothing new is ordered by a sentence that says these.
static NOT_NEW: Pattern = Pattern::new(
    r"(?i)\b(?:existing|already|removed?|removes|deleted?|renamed?|renames|replaced?|replaces|deprecat\w*|obsolete|unused|gone|disappears?|vanish\w*|retired?|inlined?|merged?|moved?|moves|superseded|dropped|drop|drops|not|never|no|none|nothing|nobody|stops?|avoid|instead|optional\w*|maybe|might|could|e\.g|unchanged|untouched|still|stays?|remains?|keeps?|kept|continues?|again|before|upstream|third[ -]party|library|librar(?:y|ies)|framework|built-?in|wrong\w*|broken|bugs?|crash\w*|hangs?|slow\w*|twice|sometimes|currently|today|too)\b|n't|n’t",
);
/// In front of a name: it is there to be used.
static USED: Pattern = Pattern::new(
    r"(?i)\b(?:like|as|see|from|via|using|uses|use|used|calls?|called by|without|when|whenever|if|while|because|since|after|until|git|docker|podman|npm|yarn|pnpm|cargo|kubectl|helm|curl|terraform|pytest|gradle|maven|make|stripe|github|gitlab|slack|aws|google)\b",
);

impl Mention<'_> {
    /// Whether it is said of something what it does or that it is to be there, as only a ticket about it would.
    pub(super) fn is_obliged(&self) -> bool {
        matches!(self.place, Place::Criteria | Place::Elsewhere)
            && !is_others(self.name, self.form)
            && (self.acts() || self.is_given() || self.is_called_with())
    }

    fn acts(&self) -> bool {
        let starts = STARTS.regex().is_match(self.just_before.as_bytes());
        let verb = [&DOES, &MUST].iter().find_map(|verb| verb.regex().find(self.just_behind.as_bytes()));
        let said = match (self.form, verb) {
            (Form::Call | Form::Flag | Form::Route, Some(verb)) => verb.end(),
            (Form::Call | Form::Flag | Form::Route, None)
                if self.place == Place::Criteria && !self.has_owner() =>
            {
                0
            }
            (Form::Word, _) if self.is_there() => 0,
            _ => return false,
        };
        // What it does may be to remove something.
        let rest = self.behind.get(said..).unwrap_or_default();
        starts && is_new(self.before) && is_new(rest)
    }

    /// `React.memo()`: what has an owner may be somebody else's, whatever is said of it.
    fn has_owner(&self) -> bool {
        self.form == Form::Call
            && self.name.split('(').next().is_some_and(|path| path.contains(['.', ':', '#']))
    }

    /// That something is there is the present, except where it is what the work is accepted for.
    fn is_there(&self) -> bool {
        let there = THERE.regex().is_match(self.just_behind.as_bytes());
        there && (self.place == Place::Criteria || !self.just_behind.starts_with(" is "))
    }

    fn is_given(&self) -> bool {
        let has = |pattern: &Pattern, text: &str| pattern.regex().is_match(text.as_bytes());
        let one = (has(&ARTICLE, self.just_before) && has(&KIND_BEHIND, self.just_behind))
            || has(&KIND_BEFORE, self.just_before);
        let given = has(&GETS, self.before)
            || (self.place == Place::Criteria && has(&HAS, self.before))
            || has(&NEEDED, self.just_behind);
        one && given && !has(&USED, self.before) && is_new(self.before) && is_new(self.behind)
    }

    fn is_called_with(&self) -> bool {
        self.form == Form::Flag
            && self.place == Place::Criteria
            && CALLED_WITH.regex().is_match(self.just_before.as_bytes())
            && is_new(self.before)
            && !PASSES.regex().is_match(self.behind.as_bytes())
    }
}

fn is_new(prose: &str) -> bool {
    !NOT_NEW.regex().is_match(prose.as_bytes())
}

/// Builds and tests are run with the flags of others.
static PASSES: Pattern =
    Pattern::new(r"(?i)\b(?:builds?|compiles?|tests?|suite|lint\w*|clippy|pass|passes|ci|green)\b");

/// Whether a name belongs to a language, its library or a tool: a ticket may speak of it, and nobody writes it.
pub(super) fn is_others(name: &str, form: Form) -> bool {
    match form {
        Form::Call => {
            let path = name.split('(').next().unwrap_or(name);
            let mut parts = path.split(['.', ':', '#']).filter(|part| !part.is_empty());
            let (first, more) = (parts.next().unwrap_or_default(), parts.next().is_some());
            // A module is called with a small letter, and mostly it is one of a library: `json.loads()`.
            let of_module = more && first.starts_with(|c: char| c.is_ascii_lowercase());
            of_module || (more && GLOBALS.contains(&first)) || (!more && FUNCTIONS.contains(&first))
        }
        Form::Flag => {
            let flag = name.trim_start_matches('-').split([' ', '=']).next().unwrap_or_default();
            FLAGS.contains(&flag)
        }
        Form::Route | Form::Word => false,
    }
}

const GLOBALS: [&str; 45] = [
    "JSON",
    "Math",
    "Object",
    "Array",
    "Promise",
    "Date",
    "String",
    "Number",
    "Map",
    "Set",
    "Intl",
    "Reflect",
    "Symbol",
    "Error",
    "Buffer",
    "URL",
    "Response",
    "Request",
    "React",
    "Vue",
    "Redux",
    "Arrays",
    "Collections",
    "System",
    "Files",
    "Paths",
    "Optional",
    "Objects",
    "Stream",
    "Thread",
    "Executors",
    "LocalDate",
    "Instant",
    "Duration",
    "Task",
    "Console",
    "Convert",
    "Path",
    "Regex",
    "Encoding",
    "Guid",
    "DateTime",
    "Environment",
    "Vec",
    "Option",
];

const FUNCTIONS: [&str; 36] = [
    "setTimeout",
    "setInterval",
    "clearTimeout",
    "fetch",
    "parseInt",
    "parseFloat",
    "require",
    "isinstance",
    "print",
    "printf",
    "println",
    "sprintf",
    "snprintf",
    "malloc",
    "calloc",
    "realloc",
    "free",
    "memcpy",
    "strcpy",
    "strncpy",
    "getenv",
    "setenv",
    "open",
    "close",
    "read",
    "write",
    "exit",
    "panic",
    "unwrap",
    "expect",
    "eval",
    "exec",
    "system",
    "toString",
    "equals",
    "hashCode",
];

const FLAGS: [&str; 24] = [
    "all-features",
    "no-default-features",
    "release",
    "workspace",
    "locked",
    "frozen",
    "frozen-lockfile",
    "no-verify",
    "no-cache",
    "no-deps",
    "coverage",
    "cov",
    "race",
    "max-warnings",
    "help",
    "version",
    "all-targets",
    "no-edit",
    "force-with-lease",
    "no-ff",
    "porcelain",
    "save-dev",
    "experimental-vm-modules",
    "no-emit",
];

#[cfg(test)]
mod tests {
    use super::super::requirement_names::names;

    fn obliged(text: &str) -> Vec<String> {
        names(text).into_iter().filter(|named| named.described).map(|named| named.name).collect()
    }

    #[test]
    fn what_something_does_is_said_of_what_shall_be_there() {
        for text in [
            "- [ ] `POST /api/unlock` unlocks an account",
            "`count_all(x)` returns it.",
            "The flag `--max-n N` sets it",
            "`parse_config()` must reject empty input.",
            "parse_config() must reject input without a name.",
            "`DELETE /api/users/{id}` deletes a user.",
            "GET /health returns 200.",
            "The method `Store.saveAll(x)` should return how many.",
            "The CLI gets a `--dry-run` flag.",
            "The `sync` command needs a new flag `--dry-run`.",
            "The server should expose an endpoint `GET /health`.",
            "A `--dry-run` flag is needed.",
            "`retry_count` must be exposed.",
            "## Acceptance criteria\n1. `parse_config()` raises for empty input",
            "## Acceptance criteria\n1) With `--dry-run` the plan is printed",
            "## Acceptance criteria\n1. The client has a `retry_count` property",
            "Acceptance criteria:\n1. `retry_count` is reported",
        ] {
            assert_eq!(obliged(text).len(), 1, "{text}");
        }
    }

    #[test]
    fn what_is_there_or_somebody_elses_is_left_alone() {
        for text in [
            "`load_user()` is slow.",
            "`loadUser` returns it.",
            "When `load_user()` returns it",
            "`load_user()` returns nothing without it",
            "`load_user()` must not return it.",
            "`load_user()` must be removed.",
            "`json.loads()` must reject it.",
            "`JSON.parse()` should accept it.",
            "`setTimeout()` should return it.",
            "`existing_call()` should still return it.",
            "`load_user()` returns the wrong user.",
            "Git has a `--porcelain` flag.",
            "The tool calls git with a `--porcelain-v2` flag.",
            "Deploying needs the `--force` flag.",
            "The upstream client has a `retry_count` property.",
            "The command already has a `--json` flag.",
            "## Background\n`load_user()` returns it.",
            "## Steps to reproduce\n1. `GET /api/users` returns 500",
            "## Out of scope\n`GET /api/users` returns 200.",
            "## Out of scope\nAdd `load_user()`.",
            "## Acceptance criteria\n1. `old_helper()` is removed",
            "## Acceptance criteria\n1. `old_helper()` is gone",
            "## Acceptance criteria\n1. `load_user()` stays as it is",
            "## Acceptance criteria\n1. `no_std` builds pass",
            "## Acceptance criteria\n1. With `--all-features` the build passes",
            "## Acceptance criteria\n1. With `--locked-mode` all tests pass",
            "## Acceptance criteria\n1. Users see why, as `load_user()` told",
            "1. `load_user()` somehow",
        ] {
            let found: Vec<String> = names(text)
                .into_iter()
                .filter(|named| named.described || named.asked_for)
                .map(|n| n.name)
                .collect();
            assert!(found.is_empty(), "{text}: {found:?}");
        }
    }
}
