//! Checks that no `if` makes: conversions that fail, a `switch` over a few constants, and folders that a path is in.

use tree_sitter::Node;

use super::Flow;
use super::arguments::Invocation;
use super::conditions::{alternatives, compact, has_word};
use super::guards::{Asks, Guard, Says};
use crate::language::Language;

/// Calls of Python that fail for what is no number, address or date.
const CONVERTING: [&str; 11] = [
    "int",
    "float",
    "uuid.UUID",
    "decimal.Decimal",
    "ipaddress.ip_address",
    "ipaddress.ip_network",
    "ipaddress.IPv4Address",
    "ipaddress.IPv6Address",
    "datetime.date.fromisoformat",
    "datetime.datetime.fromisoformat",
    "datetime.fromisoformat",
];

/// A `switch` with more cases is generated.
const MOST_CASES: usize = 200;

impl<'t> Flow<'t> {
    /// `path.relative_to(ROOT)`, `int(number)` by itself: what comes after it is only reached if that did not fail.
    pub(super) fn attempts(&self, node: Node<'t>) -> Option<Guard<'t>> {
        if self.language != Language::Python || node.kind() != "expression_statement" {
            return None;
        }
        let first = node.named_child(0)?;
        let call = if first.kind() == "assignment" { first.child_by_field_name("right")? } else { first };
        if call.kind() != "call" || !self.may_fail(call) {
            return None;
        }
        let block = node.parent()?;
        let tried = block.parent().filter(|tried| tried.kind() == "try_statement");
        let is_tried = |tried: &Node<'t>| tried.child_by_field_name("body") == Some(block);
        let end = match tried.filter(is_tried) {
            Some(tried) if self.gives_up(tried) => self.end_around(tried),
            _ => block.end_byte(),
        };
        Some(Guard::passed(Asks::Attempt, call, node.end_byte()..end))
    }

    /// Whether a call is one that tells what is allowed from what is not.
    fn may_fail(&self, call: Node<'t>) -> bool {
        let Some(callee) = call.child_by_field_name("function") else { return false };
        let whole = self.name_of(callee);
        whole.ends_with(".relative_to") || CONVERTING.contains(&whole.as_str()) || self.is_enumeration(&whole)
    }

    /// Whether whatever goes wrong in a `try` ends the function.
    fn gives_up(&self, tried: Node<'t>) -> bool {
        let mut cursor = tried.walk();
        let mut caught = tried.named_children(&mut cursor).filter(|child| child.kind() == "except_clause");
        caught.all(|clause| {
            let mut cursor = clause.walk();
            let mut inside = clause.named_children(&mut cursor);
            inside.find(|child| child.kind() == "block").is_some_and(|block| self.leaves(block))
        })
    }

    pub(super) fn says_of_attempt(&self, call: Node<'t>, name: &str) -> Says {
        let Some(made) = Invocation::of(call) else { return Says::Nothing };
        let is_asked = |node: Node<'t>| {
            let text = self.text_of(node);
            text == name || text.strip_suffix(".resolve()") == Some(name)
        };
        if self.text_of(made.callee).ends_with(".relative_to") {
            return if made.receiver.is_some_and(is_asked) { Says::StaysBelow } else { Says::Nothing };
        }
        if made.at(0).is_some_and(is_asked) { Says::Allowed } else { Says::Nothing }
    }

    /// Where a `switch` or `match` has let through only its constants: its cases, and what comes after it if the default
    /// leaves.
    pub(super) fn chosen_cases(&self, node: Node<'t>) -> Vec<Guard<'t>> {
        let (asked, body) = match node.kind() {
            "switch_statement" => (node.child_by_field_name("value"), node.child_by_field_name("body")),
            "match_statement" => (node.child_by_field_name("subject"), node.child_by_field_name("body")),
            _ => return Vec::new(),
        };
        let (Some(asked), Some(body)) = (asked, body) else { return Vec::new() };
        if body.named_child_count() > MOST_CASES {
            return Vec::new();
        }
        let mut cursor = body.walk();
        let (mut cases, mut default): (Vec<Node<'t>>, Option<Node<'t>>) = (Vec::new(), None);
        for case in body.named_children(&mut cursor).filter(|case| !case.is_extra()) {
            match self.case(case) {
                Case::Default if default.is_none() => default = Some(case),
                Case::Constant if default.is_none() => cases.push(case),
                // What falls out of the default is not known, nor what a pattern lets through.
                Case::Default | Case::Constant | Case::Other => return Vec::new(),
            }
        }
        let leaves = default.is_some_and(|default| self.leaves_from(default));
        let after = leaves.then(|| node.end_byte()..self.end_around(node));
        let inside = cases.first().zip(cases.last()).map(|(first, last)| first.start_byte()..last.end_byte());
        let ranges = inside.into_iter().chain(after);
        ranges.map(|holds| Guard::passed(Asks::Cases, asked, holds)).collect()
    }

    fn leaves_from(&self, default: Node<'t>) -> bool {
        let mut cursor = default.walk();
        let last = default.named_children(&mut cursor).filter(|child| !child.is_extra()).last();
        // A `break` leaves the `switch` alone.
        let leaves = |node: Node<'t>| self.leaves(node) && !self.text_of(node).contains("break");
        leaves(default) || last.is_some_and(leaves)
    }

    fn case(&self, case: Node<'t>) -> Case {
        let is_constant = |text: &str| {
            let text = text.trim();
            text.len() > 1 && text.starts_with(['"', '\'']) && text.ends_with(['"', '\''])
                || !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
        };
        match case.kind() {
            "switch_default" => Case::Default,
            "switch_case" => {
                let value = case.child_by_field_name("value").map_or("", |value| self.text_of(value));
                if is_constant(value) { Case::Constant } else { Case::Other }
            }
            "case_clause" => {
                let pattern = case.named_child(0).map_or("", |pattern| self.text_of(pattern));
                let is_guarded = case.child_by_field_name("guard").is_some();
                match pattern {
                    _ if is_guarded => Case::Other,
                    "_" => Case::Default,
                    _ if pattern.split('|').all(is_constant) => Case::Constant,
                    _ => Case::Other,
                }
            }
            _ => Case::Other,
        }
    }
}

enum Case {
    Constant,
    Default,
    Other,
}

/// `list.includes(name as Kind)` asks for the name.
pub(super) fn without_types(condition: &str) -> String {
    let mut parts = condition.split(" as ");
    let mut kept = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let is_type = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '<' | '>' | '[' | ']' | '$');
        kept.push_str(part.trim_start_matches(is_type));
    }
    kept
}

/// `name.slice(0, ROOT.length)`, `name[:len(ROOT)]`.
fn is_beginning(side: &str, name: &str) -> bool {
    const CUTS: [&str; 4] = [".slice(0, ", ".substring(0, ", ".substr(0, ", "[:len("];
    side.strip_prefix(name).is_some_and(|rest| CUTS.iter().any(|cut| rest.starts_with(cut)))
}

/// `name.indexOf(ROOT)`, which is 0 for what begins with it; a step up is no folder.
fn finds_first(side: &str, name: &str) -> bool {
    let passed = side
        .strip_prefix(name)
        .and_then(|rest| rest.strip_prefix(".indexOf(").or_else(|| rest.strip_prefix(".lastIndexOf(")));
    passed.is_some_and(|passed| !passed.starts_with("'.") && !passed.starts_with("\"."))
}

/// `path.dirname(name) !== ROOT`, `ROOT not in name.resolve().parents`, `name.is_relative_to(ROOT)`,
/// `os.path.commonpath([ROOT, name]) == ROOT`.
pub(super) fn says_of_folder(condition: &str, name: &str) -> Says {
    let says = |part: &str| {
        let part = compact(part);
        let (is_denied, asked) = match part.strip_prefix("not ").or_else(|| part.strip_prefix('!')) {
            Some(rest) => (true, rest.trim()),
            None => (false, part.as_str()),
        };
        let of_name = |rest: &str| [format!("{name}{rest}"), format!("{name}.resolve(){rest}")];
        let parents = of_name(".parents");
        let relative = of_name(".is_relative_to(");
        let parent = of_name(".parent");
        let is_inside = if let Some((_, listed)) = asked.split_once(" not in ") {
            parents.iter().any(|one| one == listed).then_some(false)
        } else if let Some((_, listed)) = asked.split_once(" in ") {
            parents.iter().any(|one| one == listed).then_some(true)
        } else if relative.iter().any(|one| asked.starts_with(one.as_str())) {
            Some(true)
        } else {
            let denied = asked.split_once("!==").or_else(|| asked.split_once("!="));
            let sides = denied.or_else(|| asked.split_once("===")).or_else(|| asked.split_once("=="));
            let of_folder = |side: &str| {
                let side = side.trim();
                let passed = side.split_once("path.dirname(").or_else(|| side.split_once("commonpath("));
                parent.iter().any(|one| one == side)
                    || passed.is_some_and(|(_, passed)| has_word(passed, name))
                    || is_beginning(side, name)
            };
            let is_folder = sides.is_some_and(|(left, right)| {
                of_folder(left) || of_folder(right) || right.trim() == "0" && finds_first(left.trim(), name)
            });
            is_folder.then_some(denied.is_none())
        };
        is_inside.map(|is_inside| is_inside != is_denied)
    };
    // Whoever refuses more in the same breath refuses this as well.
    if alternatives(condition).any(|part| says(part) == Some(false)) {
        return Says::LeadsUp;
    }
    let mut all = condition.split(" and ").flat_map(|part| part.split("&&"));
    let is_alone = alternatives(condition).count() == 1;
    if is_alone && all.any(|part| says(part) == Some(true)) { Says::StaysBelow } else { Says::Nothing }
}

#[cfg(test)]
mod tests {
    use crate::flow::tests::sunk;
    use crate::language::Language;

    #[test]
    fn what_a_conversion_let_through_is_harmless() {
        for (body, harmless) in [
            ("try:\n        int(a)\n    except ValueError:\n        raise Bad(a)\n    sink('x' + a)", true),
            ("uuid.UUID(a)\n    sink('x' + a)", true),
            (
                "try:\n        ipaddress.ip_address(a)\n    except ValueError:\n        return\n    sink('x' + a)",
                true,
            ),
            ("try:\n        int(a)\n    except ValueError:\n        log(a)\n    sink('x' + a)", false),
            ("try:\n        str(a)\n    except ValueError:\n        raise\n    sink('x' + a)", false),
            ("assert a in ('b', 'c')\n    sink('x' + a)", true),
            ("assert a\n    sink('x' + a)", false),
            ("sink([x for x in a if x in ALLOWED])", true),
            ("sink([x for x in a if x])", false),
        ] {
            let text = format!("import uuid, ipaddress\ndef f(a):\n    {body}\n");
            assert_eq!(!sunk(Language::Python, &text).is_dynamic(), harmless, "{text}");
        }
    }

    #[test]
    fn what_is_in_a_folder_stays_there() {
        for (body, below) in [
            ("try:\n        a.relative_to(ROOT)\n    except ValueError:\n        raise\n    sink(a)", true),
            ("a.relative_to(ROOT)\n    sink(a)", true),
            ("if ROOT not in a.resolve().parents:\n        raise Bad\n    sink(a)", true),
            ("if not a.is_relative_to(ROOT):\n        raise Bad\n    sink(a)", true),
            ("if a.parent != ROOT or not a.exists():\n        raise Bad\n    sink(a)", true),
            ("if os.path.commonpath([ROOT, a]) != ROOT:\n        raise Bad\n    sink(a)", true),
            ("if ROOT in a.resolve().parents:\n        raise Bad\n    sink(a)", false),
            ("if ROOT not in b.parents:\n        raise Bad\n    sink(a)", false),
            ("try:\n        a.relative_to(ROOT)\n    except ValueError:\n        pass\n    sink(a)", false),
        ] {
            let text = format!("import os\ndef f(a, b):\n    {body}\n");
            assert_eq!(sunk(Language::Python, &text).below, below, "{text}");
        }
        for (check, below) in [
            ("if (path.dirname(a) !== ROOT) return;", true),
            ("if (path.dirname(a) === ROOT) return;", false),
            ("if (path.dirname(b) !== ROOT) return;", false),
        ] {
            let text = format!("function f(a, b) {{ {check} sink(a); }}");
            assert_eq!(sunk(Language::JavaScript, &text).below, below, "{text}");
        }
    }

    #[test]
    fn a_switch_lets_its_constants_through() {
        let cases = "case 'b': case 'c': break;";
        for (body, harmless) in [
            (format!("switch (a) {{ {cases} default: return; }} sink('x' + a);"), true),
            (format!("switch (a) {{ {cases} default: {{ throw new Error(a); }} }} sink('x' + a);"), true),
            ("switch (a) { case 'b': sink('x' + a); }".to_owned(), true),
            (format!("switch (a) {{ {cases} default: break; }} sink('x' + a);"), false),
            (format!("switch (a) {{ {cases} }} sink('x' + a);"), false),
            ("switch (a) { case b: break; default: return; } sink('x' + a);".to_owned(), false),
            ("switch (b) { case 'b': break; default: return; } sink('x' + a);".to_owned(), false),
        ] {
            let text = format!("function f(a, b) {{ {body} }}");
            assert_eq!(!sunk(Language::JavaScript, &text).is_dynamic(), harmless, "{text}");
        }
        let arms = "case 'b' | 'c':\n            pass\n        case _:\n            raise Bad";
        let text = format!("def f(a):\n    match a:\n        {arms}\n    sink('x' + a)\n");
        assert!(!sunk(Language::Python, &text).is_dynamic(), "{text}");
        let text = text.replace("raise Bad", "pass");
        assert!(sunk(Language::Python, &text).is_dynamic(), "{text}");
    }
}
