//! Names that a ticket writes without backticks, where nothing but a name can stand.

use std::borrow::Cow;
use std::ops::Range;

use crate::pattern::Pattern;

/// A call, perhaps of something inside a type or a module: `parse_header()`, `Store.loadUser(id)`.
static CALL: Pattern =
    Pattern::new(r#"(?:^|[\s(\["'*>,;:])((?:[A-Za-z_]\w*(?:::|\.|#))*([A-Za-z_]\w*)\(([^()`]{0,120})\))"#);

/// What introduces one that may be called by any word.
static INTRODUCED: Pattern = Pattern::new(r"(?i)\b(?:function|method|fn|func|def|procedure|macro)\s+$");

/// `a method named fooBar`, `class SessionStore`, `the variable APP_TOKEN`.
static BEHIND_KIND: Pattern = Pattern::new(
    r"\b(?i:(?:function|method|fn|func|class|struct|enum|trait|interface|record|protocol|exception|variable|constant|field|column)s?\s+(?:(?:named|called)\s+)?|(?:type|property|attribute|parameter|argument|helper|hook|component|module|setting|table|event|command|job|service)\s+(?:named|called)\s+)([a-z][a-z0-9]*(?:_[a-z0-9]+)+|[a-z][a-z0-9]+(?:[A-Z][a-z0-9]+)+|(?:[A-Z][a-z0-9]+){2,}|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)",
);

/// `the fooBar method`, `a user_id column`, `the APP_TOKEN environment variable`. Types alone are called like
/// `SessionStore`: in `a TypeScript function` that is no name.
static BEFORE_KIND: Pattern = Pattern::new(
    r"(?:^|\s)(?:([a-z][a-z0-9]*(?:_[a-z0-9]+)+|[a-z][a-z0-9]+(?:[A-Z][a-z0-9]+)+)\s+(?:function|method|helper|hook|field|column|property|attribute|parameter|argument|struct|enum|variable|constant|setting|table)|([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)\s+(?:environment\s+variable|env\s+var|variable|constant|setting)|((?:[A-Z][a-z0-9]+){2,})\s+(?:class|struct|enum|trait|exception|record|protocol))\b",
);
/// What may stand behind a kind that ends its noun: in `a TypeScript class loader` it does not.
static NOUN_ENDS: Pattern = Pattern::new(
    r"^(?:$|[.,;:!?)*]|\s+(?:that|which|whose|with|for|to|in|into|and|or|of|so|is|on|at|as|by|from|when|where|returns?|holds?|takes?)\b|\s*$|\s+(?:[(-]|—|–))",
);

/// Flags that somebody speaks of or asks for, and not those of a command that is quoted.
static FLAGS: Pattern = Pattern::new(
    r#"(?:(?i)\b(?:flags?|options?|switch(?:es)?|arguments?|parameters?|add|adds|introduce|introduces|implement|implements|provide|provides|expose|exposes|new)\s+(?:named\s+|called\s+|a\s+|an\s+|the\s+)*["'(]?|^\s*(?:[-*+]\s+|\d+[.)]\s+)?(?:\[[ xX]\]\s+)?)--[a-z][a-z0-9-]+(?:(?:,|\s+and|\s+or|,\s+and)\s+--[a-z][a-z0-9-]+)*"#,
);
static FLAG_OF_KIND: Pattern =
    Pattern::new(r"(?:^|[\s(])(--[a-z][a-z0-9]*(?:-[a-z0-9]+)*)\s+(?:flag|option|switch)\b");
static FLAG: Pattern = Pattern::new(r"--[a-z][a-z0-9]*(?:-[a-z0-9]+)*");

/// `POST /api/users`, `the endpoint /api/users`.
static ROUTE: Pattern = Pattern::new(
    r"(?:^|[\s(])(?:((?:GET|POST|PUT|PATCH|DELETE)\s+/[a-z][\w-]*(?:/[\w{}:<>-]+)*)|(?:[Ee]ndpoint|[Rr]oute)\s+(/[a-z][\w-]*(?:/[\w{}:<>-]+)*))",
);
/// Where a route ends: not in the middle of a file's name or of a query.
static ROUTE_ENDS: Pattern = Pattern::new(r#"^/?(?:$|[\s,;)"'*]|[.:!?](?:\s|$))"#);

/// Written like names of types, and none: languages, services, and ways to write names.
const NO_NAMES: [&str; 26] = [
    "javascript",
    "typescript",
    "coffeescript",
    "actionscript",
    "appscript",
    "powershell",
    "github",
    "gitlab",
    "bitbucket",
    "wordpress",
    "youtube",
    "linkedin",
    "mongodb",
    "fastapi",
    "openapi",
    "numpy",
    "pytorch",
    "tensorflow",
    "snake_case",
    "camelcase",
    "pascalcase",
    "kebab_case",
    "lowercamelcase",
    "uppercamelcase",
    "upper_case",
    "lower_case",
];

/// The line as if whoever wrote it had put its names into backticks. Ordinary words stay as they are, and so does code
/// that is set apart by its indentation.
pub(super) fn quoting(line: &str) -> Cow<'_, str> {
    let parts: Vec<&str> = line.split('`').collect();
    if parts.len().is_multiple_of(2) || is_set_apart(line) {
        return Cow::Borrowed(line);
    }
    let mut quoted = String::with_capacity(line.len());
    let mut changed = false;
    for (index, part) in parts.iter().enumerate() {
        if index > 0 {
            quoted.push('`');
        }
        let names = if index % 2 == 0 { names_in(part) } else { Vec::new() };
        changed |= !names.is_empty();
        push_quoted(&mut quoted, part, &names);
    }
    if changed { Cow::Owned(quoted) } else { Cow::Borrowed(line) }
}

/// Code, or a line of a stack trace.
fn is_set_apart(line: &str) -> bool {
    let begun = line.trim_start();
    let is_item =
        begun.starts_with(['-', '*', '+', '[']) || begun.starts_with(|first: char| first.is_ascii_digit());
    let is_indented = line.len() - begun.len() >= 4 || line.starts_with('\t');
    (is_indented && !is_item) || begun.starts_with("at ")
}

fn push_quoted(into: &mut String, part: &str, names: &[Range<usize>]) {
    let mut done = 0;
    for name in names {
        let (Some(before), Some(text)) = (part.get(done..name.start), part.get(name.clone())) else {
            continue;
        };
        into.push_str(before);
        into.push('`');
        into.push_str(text);
        into.push('`');
        done = name.end;
    }
    into.push_str(part.get(done..).unwrap_or_default());
}

/// In order, and none inside another.
fn names_in(prose: &str) -> Vec<Range<usize>> {
    let text = prose.as_bytes();
    let mut found: Vec<Range<usize>> = Vec::new();
    found.extend(calls(text));
    found.extend(routes(text));
    found.extend(flags(text));
    found.extend(words(text));
    found.sort_by_key(|range| (range.start, std::cmp::Reverse(range.end)));
    let mut end = 0;
    found.retain(|range| {
        let apart = range.start >= end;
        end = end.max(range.end);
        apart
    });
    found
}

fn calls(text: &[u8]) -> impl Iterator<Item = Range<usize>> {
    CALL.regex().captures_iter(text).filter_map(move |groups| {
        let (whole, name, arguments) = (groups.get(1)?, groups.get(2)?.as_bytes(), groups.get(3)?.as_bytes());
        let begun = &text[..whole.start()];
        let is_call = match arguments.trim_ascii() {
            b"" => true,
            given => are_arguments(given) && (is_compound(name) || INTRODUCED.regex().is_match(begun)),
        };
        is_call.then(|| whole.range())
    })
}

/// `snake_case` or `camelCase`. Brands begin with one small letter or with a capital: `iPhone(s)`, `GitHub(Enterprise)`.
fn is_compound(name: &[u8]) -> bool {
    let small = name.iter().take_while(|byte| byte.is_ascii_lowercase()).count();
    small >= 2 && name.iter().any(|byte| *byte == b'_' || byte.is_ascii_uppercase())
}

/// Not the ending of a word, as in `call(s)`, and no sentence.
fn are_arguments(text: &[u8]) -> bool {
    let is_ending = [&b"s"[..], b"es", b"ies", b"d", b"ed"].contains(&text);
    let is_argument = |one: &[u8]| {
        (1..=4).contains(&one.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).count())
    };
    !is_ending && text.split(|byte| *byte == b',').all(is_argument)
}

fn routes(text: &[u8]) -> impl Iterator<Item = Range<usize>> {
    ROUTE.regex().captures_iter(text).filter_map(move |groups| {
        let route = groups.get(1).or_else(|| groups.get(2))?;
        ROUTE_ENDS.regex().is_match(&text[route.end()..]).then(|| route.range())
    })
}

fn flags(text: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let listed = FLAGS.regex().find_iter(text).flat_map(|list| {
        let start = list.start();
        FLAG.regex().find_iter(list.as_bytes()).map(move |flag| start + flag.start()..start + flag.end())
    });
    let kinds = FLAG_OF_KIND.regex().captures_iter(text).filter_map(|groups| Some(groups.get(1)?.range()));
    listed.chain(kinds)
}

fn words(text: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let is_name = |word: &[u8]| !NO_NAMES.iter().any(|none| none.as_bytes().eq_ignore_ascii_case(word));
    let behind = BEHIND_KIND.regex().captures_iter(text).filter_map(move |groups| {
        let name = groups.get(1)?;
        let ends = match &text[name.end()..] {
            [b'.' | b':', next, ..] => next.is_ascii_whitespace(),
            [next, ..] => !(next.is_ascii_alphanumeric() || b"_-/(".contains(next)),
            [] => true,
        };
        (ends && is_name(name.as_bytes())).then(|| name.range())
    });
    let before = BEFORE_KIND.regex().captures_iter(text).filter_map(move |groups| {
        let name = groups.iter().skip(1).flatten().next()?;
        let ends = NOUN_ENDS.regex().is_match(&text[groups.get(0)?.end()..]);
        (ends && is_name(name.as_bytes())).then(|| name.range())
    });
    behind.chain(before)
}

#[cfg(test)]
mod tests {
    use super::quoting;

    #[test]
    fn what_can_only_be_a_name_is_one() {
        for (line, expected) in [
            ("Add a function parse_header() to it.", "Add a function `parse_header()` to it."),
            ("Add Store.loadUser(id, force).", "Add `Store.loadUser(id, force)`."),
            ("Add the function parse(text)", "Add the function `parse(text)`"),
            ("validate() returns it", "`validate()` returns it"),
            ("the endpoint POST /api/users.", "the endpoint `POST /api/users`."),
            ("a new endpoint /api/users/{id}, please", "a new endpoint `/api/users/{id}`, please"),
            ("a flag --dry-run", "a flag `--dry-run`"),
            ("Add flags --dry-run and --force", "Add flags `--dry-run` and `--force`"),
            ("- [ ] --verbose prints more", "- [ ] `--verbose` prints more"),
            ("Add the --json option", "Add the `--json` option"),
            ("add a method named fooBar", "add a method named `fooBar`"),
            ("Create the SessionStore class.", "Create the `SessionStore` class."),
            ("Add a class SessionStore, too", "Add a class `SessionStore`, too"),
            ("Add a user_id column to it", "Add a `user_id` column to it"),
            ("Read the APP_TOKEN environment variable", "Read the `APP_TOKEN` environment variable"),
            ("Add `a()` and b_c()", "Add `a()` and `b_c()`"),
        ] {
            assert_eq!(quoting(line), expected);
        }
    }

    #[test]
    fn ordinary_words_stay_words() {
        for line in [
            "Add tests for the item(s) and the function call(s).",
            "Add a JavaScript function, a TypeScript class and a GitHub class.",
            "Add a FooBar class loader",
            "Support iPhone(s) and GitHub(Enterprise).",
            "Add a step that runs cargo test --all-features",
            "It is slow --really slow-- and the new one is not",
            "See https://host.test/api/users and src/api/users.rs",
            "GET /index.html works, and GET /a?b=1",
            "Add a callback function called when it ends",
            "Use snake_case for the field names, and camelCase field names elsewhere",
            "    load_user()",
            "at com.host.Users.loadUser(id)",
            "Add an open `quote and load_user()",
            "Users and/or admins (new) can log in",
        ] {
            assert_eq!(quoting(line), line);
        }
    }
}
