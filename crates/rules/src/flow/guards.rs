//! Checks that a value has passed before it is used: membership in a list, equality with a constant, a pattern.

use std::ops::Range;

use tree_sitter::Node;

use super::asked::matches_wholly;
use super::attempts::{says_of_folder, without_types};
use super::scope::{Given, Scope};
use super::{Flow, Origin, Value, letters};
use crate::language::Language;

/// Longer conditions are not read.
const LONGEST: usize = 400;

/// How a call begins that ends the function or the program.
const LEAVING: [&str; 14] = [
    "abort(",
    "sys.exit(",
    "exit(",
    "panic(",
    "process.exit(",
    "log.Fatal",
    "die(",
    "wp_die(",
    "raise ",
    "raise(",
    "fail ",
    "bail!(",
    "anyhow::bail!(",
    "panic!(",
];

/// A function with more checks is not read to its end.
pub(super) const MOST: usize = 200;

/// A condition, and where it is known to hold or not to hold.
#[derive(Debug)]
pub(super) struct Guard<'t> {
    pub(super) asks: Asks<'t>,
    pub(super) condition: Node<'t>,
    pub(super) holds: Range<usize>,
    pub(super) fails: Option<Range<usize>>,
    /// What is done where it holds, and what comes after that whether it held or not.
    pub(super) then: Node<'t>,
    pub(super) after: Range<usize>,
}

/// What kind of check it is.
#[derive(Debug, Clone, Copy)]
pub(super) enum Asks<'t> {
    /// Whether something is so.
    Condition,
    /// For a conversion, which fails for what is not allowed.
    Attempt,
    /// For one of a few constants.
    Cases,
    /// For each of a list.
    Each { element: &'t str, list: &'t str },
}

impl<'t> Guard<'t> {
    /// A check after which the program goes on only if it was passed.
    pub(super) fn passed(asks: Asks<'t>, condition: Node<'t>, holds: Range<usize>) -> Self {
        Guard { asks, condition, holds, fails: None, then: condition, after: 0..0 }
    }
}

/// What a value is known to be that has passed checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Checked {
    Not,
    /// No step of it leads up. Of a command or a query that says nothing.
    Below,
    /// One of a few.
    Wholly,
}

impl Checked {
    /// What there is still to say of a value after that.
    pub(super) fn leave_of(self, value: Value) -> Value {
        match self {
            Checked::Not => value,
            Checked::Below => value.kept_below(),
            Checked::Wholly => Value::of(Origin::Clean),
        }
    }
}

/// What a check says about a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Says {
    Nothing,
    /// Where it holds, the value is one of a few.
    Allowed,
    /// Where it holds, the value is none of them.
    Refused,
    /// Where it holds, no step leads up.
    StaysBelow,
    /// Where it holds, one may.
    LeadsUp,
}

impl<'t> Flow<'t> {
    /// The check that a branch makes. It fails in the `else`, and after a branch that leaves.
    pub(super) fn guard(&self, node: Node<'t>) -> Option<Guard<'t>> {
        if let Some(guard) = self.required(node).or_else(|| self.guard_of_ruby(node)) {
            return Some(guard);
        }
        let field = |name| node.child_by_field_name(name);
        let (condition, then, other) = match node.kind() {
            "if_statement" | "elif_clause" | "ternary_expression" | "else_if_clause" => {
                let then = field("consequence").or_else(|| field("body"))?;
                (field("condition")?, then, field("alternative"))
            }
            "conditional_expression" if field("condition").is_none() => {
                (node.named_child(1)?, node.named_child(0)?, node.named_child(2))
            }
            "if_expression" | "conditional_expression" => {
                let (then, other) = (field("consequence"), field("alternative"));
                (
                    field("condition")?,
                    then.or(node.named_child(1))?,
                    other.or(node.named_child(2).filter(|_| then.is_none())),
                )
            }
            "assert_statement" => {
                let holds = node.end_byte()..self.end_around(node);
                return Some(Guard::passed(Asks::Condition, node.named_child(0)?, holds));
            }
            // Of a comprehension, or of a case.
            "if_clause" => {
                let holds = node.parent()?.byte_range();
                return Some(Guard::passed(Asks::Condition, node.named_child(0)?, holds));
            }
            _ => return None,
        };
        let fails = match other {
            Some(other) => Some(other.byte_range()),
            None => self.leaves(then).then(|| self.rest_of_block(node)),
        };
        // Go may ask in front of the condition: `if ok := allowed[name]; ok`, `if _, err := parse(name); err != nil`.
        let fails_first = self.text_of(condition).trim() == "err != nil";
        let asks_first = |_: &Node<'t>| condition.kind() == "identifier" || fails_first;
        let asked = field("initializer").filter(asks_first).unwrap_or(condition);
        let after = self.rest_of_block(node);
        Some(Guard { asks: Asks::Condition, condition: asked, holds: then.byte_range(), fails, then, after })
    }

    /// What a variable can only hold by the checks that let it through to where it is used here.
    pub(super) fn checked(&self, name: &str, at: usize, scope: &Scope<'t>) -> Checked {
        let mut known = Checked::Not;
        for guard in &scope.guards {
            let [wholly, below] = match &guard.fails {
                _ if guard.holds.contains(&at) => [Says::Allowed, Says::StaysBelow],
                Some(fails) if fails.contains(&at) => [Says::Refused, Says::LeadsUp],
                // What did not pass was replaced.
                _ if guard.after.contains(&at) && self.sets(guard.then, name) => {
                    [Says::Refused, Says::LeadsUp]
                }
                _ => continue,
            };
            let Some(left) = self.checks.get().checked_sub(1) else { break };
            self.checks.set(left);
            let said = match guard.asks {
                Asks::Condition => match self.says(guard.condition, name) {
                    Says::Nothing => self.says_of_parts(guard.condition, name, scope),
                    said => said,
                },
                Asks::Attempt => self.says_of_attempt(guard.condition, name),
                Asks::Cases if compact(self.text_of(guard.condition)) == name => Says::Allowed,
                Asks::Cases | Asks::Each { .. } => Says::Nothing,
            };
            let said = match said {
                Says::Nothing => self.says_further(guard.condition, name, scope),
                said => said,
            };
            if said == wholly {
                return Checked::Wholly;
            }
            if said == below {
                known = Checked::Below;
            }
        }
        known
    }

    /// What a check says about an address by the host that another variable has of it:
    /// `parts = urlparse(name)`, then `parts.hostname in HOSTS`.
    fn says_of_parts(&self, condition: Node<'t>, name: &str, scope: &Scope<'t>) -> Says {
        let text = self.text_of(condition);
        if text.len() > LONGEST || !speaks_of_host(text) && !text.contains(".origin") {
            return Says::Nothing;
        }
        let is_parsed = scope.assignments.iter().any(|parts| match parts.given {
            Given::Value(value) => speaks_of_parts(text, parts.name) && parses(self.text_of(value), name),
            Given::Added(_) | Given::Listed(_) | Given::From(_) | Given::Nothing => false,
        });
        if is_parsed { says_of_host(&compact(text)) } else { Says::Nothing }
    }

    /// Whether a block gives a variable another value.
    fn sets(&self, body: Node<'t>, name: &str) -> bool {
        let text = self.text_of(body);
        text.len() < LONGEST
            && text.match_indices(name).any(|(at, _)| {
                let rest = text[at + name.len()..].trim_start();
                rest.starts_with('=') && !rest.starts_with("==") && !text[..at].ends_with(['.', '_'])
            })
    }

    /// Whether a block ends by leaving the function or the turn of the loop.
    pub(super) fn leaves(&self, body: Node<'t>) -> bool {
        let last_of = |node: Node<'t>| {
            let count = u32::try_from(node.named_child_count()).unwrap_or_default();
            (0..count).rev().filter_map(|at| node.named_child(at)).find(|child| !child.is_extra())
        };
        let leaves = |node: Node<'_>| {
            matches!(
                node.kind(),
                "return_statement"
                    | "raise_statement"
                    | "throw_statement"
                    | "continue_statement"
                    | "break_statement"
                    | "return_expression"
                    | "throw_expression"
                    | "continue_expression"
                    | "break_expression"
                    | "exit_statement"
                    | "return"
                    | "next"
                    | "break"
            )
        };
        let last = last_of(body).unwrap_or(body);
        // Go keeps statements in a list of their own.
        let is_around = |kind| matches!(kind, "statement_list" | "expression_statement");
        let last = if is_around(last.kind()) { last_of(last).unwrap_or(last) } else { last };
        let text = self.text_of(last);
        leaves(body)
            || leaves(last)
            || LEAVING.iter().any(|word| text.starts_with(word))
            || body.kind() == "call" && LEAVING.iter().any(|word| self.text_of(body).starts_with(word))
            || matches!(text, "die" | "exit" | "raise")
            || text.ends_with(" and return")
            || self.language == Language::Kotlin && text.starts_with("error(")
    }

    /// What is left where the matches of a regular expression are replaced: it may take out all but a few characters, the
    /// brackets of markup, or steps up a path.
    pub(super) fn strips(&self, pattern: Node<'t>) -> Checked {
        let text = self.text_of(pattern);
        let flags = text.rsplit('/').next().unwrap_or_default();
        // `replaceAll("[^a-z]", "")` of Java.
        if pattern.kind() == "string_literal" && text.starts_with("\"[^") {
            return if text.contains(['.', '/', '<']) { Checked::Not } else { Checked::Wholly };
        }
        let takes_out = |harm: [&str; 2]| harm.iter().any(|harm| text.contains(harm));
        match pattern.kind() == "regex" && flags.contains('g') {
            true if takes_out(["[^", "<"]) => Checked::Wholly,
            true if takes_out(["\\.\\.", "\\/"]) => Checked::Below,
            _ => Checked::Not,
        }
    }

    pub(super) fn says(&self, condition: Node<'t>, name: &str) -> Says {
        let text = self.text_of(condition);
        if text.len() > LONGEST || !has_word(text, name) {
            return Says::Nothing;
        }
        let compact = match self.language {
            Language::TypeScript => without_types(&compact(text)),
            _ => compact(text),
        };
        match says_of_folder(&compact, name) {
            Says::Nothing => {}
            said => return said,
        }
        if !refuses_steps_up(&compact, name) {
            return says_of(&compact, name);
        }
        // Whoever refuses more in the same breath may have left but a few.
        let is_refused = alternatives(&compact).any(|part| says_of(part, name) == Says::Refused);
        if is_refused { Says::Refused } else { Says::LeadsUp }
    }
}

/// What a check says that does not ask for steps up by their dots.
pub(super) fn says_of(compact: &str, name: &str) -> Says {
    if speaks_of_host(compact) || compact.contains(&format!("{name}.origin ")) {
        return says_of_host(compact);
    }
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
    if compact.contains(&format!("{name} not in "))
        || compact.contains(&format!("{name} !in "))
        || compact.contains(&format!("not {name} in "))
        || (compact.starts_with('!') || compact.starts_with("not ")) && tests(compact, name)
        || ["indexOf", "Index"].iter().any(|word| compact.contains(word))
            && tests(compact, name)
            && (compact.contains("< 0") || compact.contains("== -1") || compact.contains("=== -1"))
    {
        return match (either, is_local) {
            (true, _) => Says::Nothing,
            (false, true) => Says::LeadsUp,
            (false, false) => Says::Refused,
        };
    }
    if joined && !all_equal(compact, name) {
        return Says::Nothing;
    }
    let allowed = compact.contains(&format!("{name} in ")) && !compact.contains("for ")
        || tests(compact, name) && !compact.contains("indexOf")
        || tests(compact, name) && (compact.contains("!= -1") || compact.contains("!== -1"))
        || all_equal(compact, name);
    match (allowed, is_local) {
        (false, _) => Says::Nothing,
        (true, true) => Says::StaysBelow,
        (true, false) => Says::Allowed,
    }
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

fn speaks_of_host(condition: &str) -> bool {
    ["netloc", ".hostname", ".host", ".Host", ".getHost"].iter().any(|part| condition.contains(part))
}

/// `urlparse(name)`, `new URL(name)`, `url.Parse(name)`, `URI.create(name)`.
fn parses(value: &str, name: &str) -> bool {
    const PARSERS: [&str; 6] = ["urlparse(", "urlsplit(", "URL(", "Parse(", "URI(", "create("];
    PARSERS.iter().any(|parser| {
        let passed = value.split_once(parser).map(|(_, passed)| passed);
        passed.is_some_and(|passed| passed.split([',', ')']).next().is_some_and(|first| first.trim() == name))
    })
}

/// `urlparse(name).netloc not in HOSTS`, `new URL(name).hostname === HOST`, `!HOSTS.includes(parts.hostname)`,
/// `not urlparse(name).netloc`.
fn says_of_host(condition: &str) -> Says {
    let has = |words: &[&str]| words.iter().any(|word| condition.contains(word));
    let is_asked = has(&["includes(", "ontains(", "has(", "equals(", "equalsIgnoreCase(", "["]);
    if has(&["not in ", "!="]) {
        Says::Refused
    } else if is_asked && (condition.starts_with('!') || condition.starts_with("not ")) {
        if has(&["&&", " and "]) { Says::Nothing } else { Says::Refused }
    } else if has(&[" or ", "||"]) {
        Says::Nothing
    } else if is_asked || has(&[" in ", "=="]) || condition.starts_with("not ") || condition.starts_with('!')
    {
        Says::Allowed
    } else {
        Says::Refused
    }
}

/// `allowed.includes(name)`, `ALLOWED.contains(name)`, `re.fullmatch("…", name)`, `isValid(name)`, `name.isalnum()`.
fn tests(condition: &str, name: &str) -> bool {
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
        return true;
    }
    if matches_wholly(condition, name) {
        return true;
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
        let asks = ASKED.contains(&method)
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
            return true;
        }
        rest = &rest[open + 1..];
    }
    // A table with what is allowed: `allowed[name]`.
    let held = [" != undefined", " !== undefined", " != null", " !== null", ""];
    held.iter().any(|rest| condition.ends_with(&format!("[{name}]{rest}")))
        || condition.contains("isset(")
            && condition.contains(&format!("[{name}])"))
            && !condition.contains("$_")
        || begins_as_it_must(condition, name)
}

/// `name.startswith(ROOT)`, `os.path.abspath(name).startswith(ROOT)`; a scheme, or a host without what ends it, says nothing about an
/// address.
fn begins_as_it_must(condition: &str, name: &str) -> bool {
    [".startswith(", ".startsWith(", "HasPrefix("].iter().any(|asked| {
        condition.split_once(asked).is_some_and(|(before, after)| {
            let prefix = after.split(')').next().unwrap_or_default();
            let is_scheme = prefix.contains("http") && !prefix.contains('.');
            // `https://a.example` is also how `https://a.example.evil` begins.
            let ends_in_a_host = prefix.split_once("://").is_some_and(|(_, host)| !host.contains('/'));
            !is_scheme
                && !ends_in_a_host
                && (has_word(before, name) || *asked == "HasPrefix(" && has_word(prefix, name))
        })
    })
}

/// `strings.Contains(name, "..") || strings.Contains(name, "/")`, `name.includes("..")`, `".." in name`: where that does not
/// hold, no step of the name leads up.
fn refuses_steps_up(condition: &str, name: &str) -> bool {
    let asks = |part: &str, step: &str| {
        let quoted = [format!("\"{step}\""), format!("'{step}'")];
        let Some(step) = quoted.iter().find(|step| part.contains(step.as_str())) else { return false };
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
    };
    condition.contains("..") && alternatives(condition).any(|part| asks(part, ".."))
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

fn speaks_of_parts(condition: &str, name: &str) -> bool {
    has_word(condition, name) && (speaks_of_host(condition) || condition.contains(&format!("{name}.origin ")))
}

pub(super) fn has_word(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        !text[..at].ends_with(is_name) && !text[at + name.len()..].starts_with(is_name)
    })
}
