//! What the text of a condition says of a name in it.

use super::asked::matches_wholly;
use super::guards::{Checked, Says};
use super::letters;

/// What a check says that does not ask for steps up by their dots.
pub(super) fn says_of(compact: &str, name: &str) -> Says {
    let speaks_of_it = speaks_of_host(compact) || compact.contains(&format!("{name}.origin "));
    match says_of_value(compact, name) {
        Says::Nothing if speaks_of_it => says_of_host(compact),
        said => said,
    }
}

fn says_of_value(compact: &str, name: &str) -> Says {
    if let Some(said) =
        letters::says_of_letters(compact, name).or_else(|| letters::says_of_pattern(compact, name))
    {
        return said;
    }
    let is_local = compact.contains("IsLocal(");
    // One that may let through anything else as well says nothing.
    let joined = [" or ", "||"].iter().any(|word| compact.contains(word));
    let either = compact.contains("&&") || compact.contains(" and ");
    if none_equal(compact, name) || is_no_number(compact, name) {
        return Says::Refused;
    }
    let tested = match tests(compact, name) {
        Checked::Wholly if is_local => Checked::Below,
        tested => tested,
    };
    let is_tested = tested != Checked::Not;
    let is_listed = |words: [&str; 3]| words.iter().any(|word| compact.contains(&word.replace('$', name)));
    if is_listed(["$ not in ", "$ !in ", "not $ in "]) {
        return if either { Says::Nothing } else { Says::Refused };
    }
    if (compact.starts_with('!') || compact.starts_with("not ")) && is_tested
        || ["indexOf", "Index"].iter().any(|word| compact.contains(word))
            && is_tested
            && (compact.contains("< 0") || compact.contains("== -1") || compact.contains("=== -1"))
    {
        return if either { Says::Nothing } else { Says::of(tested).turned() };
    }
    if joined && !all_equal(compact, name) {
        return Says::Nothing;
    }
    if compact.contains(&format!("{name} in ")) && !compact.contains("for ") || all_equal(compact, name) {
        return Says::Allowed;
    }
    let is_found = !compact.contains("indexOf") || compact.contains("!= -1") || compact.contains("!== -1");
    if is_found { Says::of(tested) } else { Says::Nothing }
}

/// What is asked for with an `or` in between.
pub(super) fn alternatives(condition: &str) -> impl Iterator<Item = &str> {
    condition.split(" or ").flat_map(|part| part.split("||")).map(str::trim)
}

/// In one line, and without the brackets around it.
pub(super) fn compact(condition: &str) -> String {
    let text = condition.trim();
    let text = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')).unwrap_or(text);
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

pub(super) fn speaks_of_host(condition: &str) -> bool {
    ["netloc", ".hostname", ".host", ".Host", ".getHost"].iter().any(|part| condition.contains(part))
}

/// `urlparse(name)`, `new URL(name)`, `url.Parse(name)`, `URI.create(name)`.
pub(super) fn parses(value: &str, name: &str) -> bool {
    const PARSERS: [&str; 6] = ["urlparse(", "urlsplit(", "URL(", "Parse(", "URI(", "create("];
    PARSERS.iter().any(|parser| {
        let passed = value.split_once(parser).map(|(_, passed)| passed);
        passed.is_some_and(|passed| passed.split([',', ')']).next().is_some_and(|first| first.trim() == name))
    })
}

/// `urlparse(name).netloc not in HOSTS`, `new URL(name).hostname === HOST`, `!HOSTS.includes(parts.hostname)`,
/// `not urlparse(name).netloc`.
pub(super) fn says_of_host(condition: &str) -> Says {
    let has = |words: &[&str]| words.iter().any(|word| condition.contains(word));
    let is_asked = has(&["includes(", "ontains(", "has(", "equals(", "equalsIgnoreCase(", "["]);
    if has(&["not in ", "!="]) {
        Says::AtOther
    } else if is_asked && (condition.starts_with('!') || condition.starts_with("not ")) {
        if has(&["&&", " and "]) { Says::Nothing } else { Says::AtOther }
    } else if has(&[" or ", "||"]) {
        Says::Nothing
    } else if is_asked || has(&[" in ", "=="]) || condition.starts_with("not ") || condition.starts_with('!')
    {
        Says::AtHost
    } else {
        Says::AtOther
    }
}

/// `allowed.includes(name)`, `ALLOWED.contains(name)`, `re.fullmatch("…", name)`, `isValid(name)`, `name.isalnum()`.
fn tests(condition: &str, name: &str) -> Checked {
    const ASKED: [&str; 22] = [
        "includes",
        "has",
        "contains",
        "containsKey",
        "Contains",
        "hasOwnProperty",
        "hasOwn",
        "match",
        "fullmatch",
        "MatchString",
        "test",
        "matches",
        "indexOf",
        "IsLocal",
        "some",
        "find",
        "in_array",
        "array_key_exists",
        "ctype_alnum",
        "ctype_alpha",
        "ctype_digit",
        "is_numeric",
    ];
    const ASKED_IN_RUBY: [&str; 5] = ["include", "key", "has_key", "member", "match"];
    const OF_ITSELF: [&str; 10] = [
        ".isalnum()",
        ".isdigit()",
        ".isnumeric()",
        ".isidentifier()",
        ".isalpha()",
        ".matches(",
        ".isdecimal()",
        ".match(/^",
        ".match?(/\\A",
        " =~ /\\A",
    ];
    if OF_ITSELF.iter().any(|method| condition.contains(&format!("{name}{method}"))) {
        return Checked::Wholly;
    }
    if matches_wholly(condition, name) {
        return Checked::Wholly;
    }
    let mut rest = condition;
    while let Some(open) = rest.find('(') {
        // Ruby's questions end in their mark.
        let asked = rest[..open].trim_end_matches('?');
        let callee = asked.rsplit(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.'))).next();
        let callee = callee.unwrap_or_default();
        let method = callee.rsplit('.').next().unwrap_or_default();
        let lower = method.to_ascii_lowercase();
        let is_question = asked.len() < open;
        // `isPathInside(name, ROOT)`
        let is_inside = ["inside", "within", "issub", "is_sub"].iter().any(|word| lower.contains(word));
        let asks = is_inside
            || ASKED.contains(&method)
            || is_question && ASKED_IN_RUBY.contains(&method)
            || [
                "isvalid", "is_valid", "validate", "is_safe", "issafe", "allowed", "islocal", "is_local",
                "trusted",
            ]
            .iter()
            .any(|word| lower.contains(word));
        let close = rest[open..].find(')').map_or(rest.len(), |end| open + end);
        let passed = &rest[open + 1..close];
        let is_it = |one: &str| {
            let one = one.trim().trim_start_matches(['&', '*']);
            one == name || one.strip_suffix(".as_str(") == Some(name)
        };
        let is_passed =
            passed.rsplit(',').next().is_some_and(is_it) || passed.split(',').next().is_some_and(is_it);
        // Which text Go's is in, and not which of a list it is.
        let is_in_text = callee == "strings.Contains";
        if asks && is_passed && !is_in_text && !callee.starts_with(&format!("{name}.")) {
            if is_inside {
                return Checked::Inside;
            }
            // `isSafeUrl(name)` knows where it leads, and nothing of quotes; a name of a host has none.
            let is_of_address = ["url", "redirect"].iter().any(|word| lower.contains(word));
            return if is_of_address { Checked::AtHost } else { Checked::Wholly };
        }
        rest = &rest[open + 1..];
    }
    // A table with what is allowed: `allowed[name]`.
    let held = [" != undefined", " !== undefined", " != null", " !== null", ""];
    let is_held = held.iter().any(|rest| condition.ends_with(&format!("[{name}]{rest}")))
        || condition.contains("isset(")
            && condition.contains(&format!("[{name}])"))
            && !condition.contains("$_");
    if is_held { Checked::Wholly } else { begins_as_it_must(condition, name) }
}

/// `name.startswith(ROOT)`, `os.path.abspath(name).startswith(ROOT)`; a scheme, or a host without what ends it, says nothing about an
/// address.
fn begins_as_it_must(condition: &str, name: &str) -> Checked {
    let begins = |asked: &&str| {
        let (before, after) = condition.split_once(asked)?;
        let prefix = after.split(')').next().unwrap_or_default();
        let is_scheme = prefix.contains("http") && !prefix.contains('.');
        // Dots lead elsewhere.
        let is_step =
            ["..", ".'", ".\""].iter().any(|dots| prefix.get(1..).is_some_and(|rest| rest.starts_with(dots)));
        // `https://a.example` is also how `https://a.example.evil` begins.
        let ends_in_a_host = prefix.split_once("://").is_some_and(|(_, host)| !host.contains('/'));
        let is_it = has_word(before, name) || *asked == "HasPrefix(" && has_word(prefix, name);
        let is_address = prefix.contains("://") || speaks_of_host(before);
        (is_it && !is_scheme && !is_step && !ends_in_a_host).then_some(if is_address {
            Checked::AtHost
        } else {
            Checked::Inside
        })
    };
    [".startswith(", ".startsWith(", "HasPrefix("].iter().find_map(begins).unwrap_or(Checked::Not)
}

/// `strings.Contains(name, "..") || strings.Contains(name, "/")`, `name.includes("..")`, `".." in name`: where that does not
/// hold, no step of the name leads up.
pub(super) fn refuses_steps_up(condition: &str, name: &str) -> bool {
    let by_pattern = format!("/\\.\\./.test({name})");
    condition.contains("..") && alternatives(condition).any(|part| asks_for_steps_up(part, name))
        || alternatives(condition).any(|part| part == by_pattern)
}

/// `!strings.Contains(name, "..") && known`: where that holds, no step of the name leads up.
pub(super) fn keeps_from_steps_up(condition: &str, name: &str) -> bool {
    let mut parts = condition.split(" and ").flat_map(|part| part.split("&&")).map(str::trim);
    condition.contains("..")
        && alternatives(condition).count() == 1
        && parts.any(|part| {
            let denied = part.strip_prefix('!').or_else(|| part.strip_prefix("not "));
            denied.is_some_and(|part| asks_for_steps_up(part.trim(), name))
                || ['"', '\''].iter().any(|quote| part == format!("{quote}..{quote} not in {name}"))
        })
}

fn asks_for_steps_up(part: &str, name: &str) -> bool {
    let Some(step) = ["\"..\"", "'..'"].into_iter().find(|step| part.contains(step)) else { return false };
    [
        format!("Contains({name}, {step})"),
        format!("{name}.includes({step})"),
        format!("{name}.contains({step})"),
        format!("{step} in {name}"),
    ]
    .contains(&part.trim_start_matches("strings.").to_owned())
        || part
            .strip_prefix(&format!("{name}.indexOf({step})"))
            .is_some_and(|rest| [">= 0", "> -1", "!= -1", "!== -1"].contains(&rest.trim()))
}

/// `name == "a" || name == "b"`.
fn all_equal(condition: &str, name: &str) -> bool {
    alternatives(condition).all(|part| {
        let constant =
            |side: &str| side.len() > 2 && side.starts_with(['"', '\'']) && side.ends_with(['"', '\'']);
        let sides = part.split_once("===").or_else(|| part.split_once("=="));
        let equal = sides.is_some_and(|(left, right)| {
            let (left, right) = (left.trim(), right.trim());
            left == name && constant(right) || right == name && constant(left)
        });
        let equals = part.strip_suffix(&format!(".equals({name})")).is_some_and(constant)
            || part
                .strip_prefix(&format!("{name}.equals("))
                .and_then(|rest| rest.strip_suffix(')'))
                .is_some_and(constant);
        equal || equals
    })
}

/// `name != "a" && name != "b"`, `!"a".equals(name) && !"b".equals(name)`.
fn none_equal(condition: &str, name: &str) -> bool {
    let parts = condition.split(" and ").flat_map(|part| part.split("&&")).map(str::trim);
    parts.into_iter().all(|part| match part.strip_prefix('!') {
        Some(rest) => rest.contains(".equals(") && all_equal(rest, name),
        None => part.contains("!=") && all_equal(&part.replace("!==", "==").replace("!=", "=="), name),
    })
}

/// `_, err := strconv.Atoi(name)`, asked for the error.
fn is_no_number(condition: &str, name: &str) -> bool {
    ["Atoi(", "ParseInt(", "ParseUint(", "uuid.Parse("].iter().any(|parser| {
        condition.split_once(parser).is_some_and(|(before, passed)| {
            before.contains("err")
                && passed.split([',', ')']).next().is_some_and(|first| first.trim() == name)
        })
    })
}

pub(super) fn speaks_of_parts(condition: &str, name: &str) -> bool {
    has_word(condition, name) && (speaks_of_host(condition) || condition.contains(&format!("{name}.origin ")))
}

pub(super) fn has_word(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        !text[..at].ends_with(is_name) && !text[at + name.len()..].starts_with(is_name)
    })
}
