//! What one gets of a list or of the keys of a dictionary, one by one, and checks that each of them has passed.

use tree_sitter::Node;

use super::arguments::Invocation;
use super::conditions::{alternatives, compact, has_word};
use super::evaluate::Fuel;
use super::guards::{Asks, Checked, Guard, Says};
use super::scope::{Given, Scope};
use super::{Flow, Origin, Value};
use crate::language::Language;

/// So many names lead to other names before nobody asks any more.
const LONGEST_TRAIL: u32 = 6;

/// Longer conditions are not read.
const LONGEST: usize = 400;

/// Calls of Python that give what they go through, in another form.
const GOING_THROUGH: [&str; 8] = ["list", "sorted", "tuple", "set", "frozenset", "reversed", "iter", "dict"];

impl<'t> Flow<'t> {
    fn has_lists(&self) -> bool {
        matches!(self.language, Language::Python | Language::JavaScript | Language::TypeScript)
    }

    /// Whether an assignment gives its name one after the other.
    pub(super) fn goes_through(&self, whole: Node<'t>) -> bool {
        self.has_lists() && matches!(whole.kind(), "for_statement" | "for_in_clause" | "for_in_statement")
    }

    /// What is gone through in pairs: `for key, value in fields.items()`, `for (const [key, value] of Object.entries(fields))`.
    pub(super) fn paired(&self, target: Node<'t>, value: Node<'t>) -> Option<Node<'t>> {
        let is_pair = matches!(target.kind(), "pattern_list" | "tuple_pattern" | "array_pattern")
            && target.named_child_count() == 2
            && self.has_lists();
        let call = Invocation::of(value).filter(|_| is_pair)?;
        match self.text_of(call.callee) {
            "Object.entries" => call.at(0),
            callee if callee.ends_with(".items") => call.receiver,
            _ => None,
        }
    }

    /// What stands in a list, or the keys of a dictionary.
    pub(super) fn each_of(&self, node: Node<'t>, fuel: &mut Fuel) -> Value {
        self.each_along(node, LONGEST_TRAIL, fuel)
    }

    fn each_along(&self, node: Node<'t>, trail: u32, fuel: &mut Fuel) -> Value {
        let Some(trail) = trail.checked_sub(1).filter(|_| self.has_lists()) else {
            return self.evaluate(node, fuel);
        };
        match node.kind() {
            "identifier" | "attribute" | "member_expression" => match self.list_behind(node) {
                Behind::Checked(checked) => checked.leave_of(self.evaluate(node, fuel)),
                Behind::Made(list) => self.each_along(list, trail, fuel),
                Behind::Unknown => self.evaluate(node, fuel),
            },
            "dictionary_comprehension" => {
                let key = node.child_by_field_name("body").and_then(|pair| pair.child_by_field_name("key"));
                self.inside(key, fuel)
            }
            "dictionary" | "object" if has_plain_keys(node) => Value::of(Origin::Clean),
            "call" | "call_expression" => match self.gone_through(node) {
                Some(list) => self.each_along(list, trail, fuel),
                None => self.evaluate(node, fuel),
            },
            _ => self.evaluate(node, fuel),
        }
    }

    /// What a call gives in another form: `list(fields)`, `fields.keys()`, `Object.keys(fields)`.
    fn gone_through(&self, node: Node<'t>) -> Option<Node<'t>> {
        let call = Invocation::of(node)?;
        let callee = self.text_of(call.callee);
        match self.language {
            Language::Python if GOING_THROUGH.contains(&callee) => call.at(0),
            Language::Python if callee.ends_with(".keys") => call.receiver,
            Language::JavaScript | Language::TypeScript
                if matches!(callee, "Object.keys" | "Object.entries" | "Array.from") =>
            {
                call.at(0)
            }
            _ => None,
        }
    }

    fn list_behind(&self, node: Node<'t>) -> Behind<'t> {
        let (name, at) = (self.text_of(node), node.start_byte());
        for scope in self.scopes_around(node) {
            let checked = self.each_checked(name, at, &scope);
            if checked != Checked::Not {
                return Behind::Checked(checked);
            }
            let mut given = scope.of_name(name);
            let Some(first) = given.next() else { continue };
            return match (first.given, given.next()) {
                (Given::Value(list), None) if !self.goes_through(first.whole) => Behind::Made(list),
                _ => Behind::Unknown,
            };
        }
        Behind::Unknown
    }

    /// What each of a list can only be by the checks that let the list through.
    fn each_checked(&self, name: &str, at: usize, scope: &Scope<'t>) -> Checked {
        let mut known = Checked::Not;
        for guard in &scope.guards {
            let holds = match &guard.fails {
                _ if guard.holds.contains(&at) => true,
                Some(fails) if fails.contains(&at) => false,
                _ => continue,
            };
            let Some(left) = self.checks.get().checked_sub(1) else { break };
            self.checks.set(left);
            known = known.and(match guard.asks {
                // Whoever is behind the loop has not met one for which it held.
                Asks::Each { element, list } if list == name => {
                    self.says(guard.condition, element).leaves(false)
                }
                Asks::Condition => self.says_of_each(guard.condition, name, scope).leaves(holds),
                Asks::Each { .. } | Asks::Attempt | Asks::Cases => Checked::Not,
            });
        }
        known
    }

    fn says_of_each(&self, condition: Node<'t>, name: &str, scope: &Scope<'t>) -> Says {
        let text = compact(self.text_of(condition));
        // `unknown = set(fields) - ALLOWED`, then `if unknown:`.
        let asked = text.trim_start_matches("not ").trim_start_matches('!').trim_end_matches(".length > 0");
        let asked = asked.trim_end_matches(".length");
        let mut given = scope.of_name(asked);
        let whole = match (given.next().map(|one| one.given), given.next()) {
            (Some(Given::Value(value)), None) => text.replacen(asked, &compact(self.text_of(value)), 1),
            _ => text,
        };
        if whole.len() > LONGEST || !has_word(&whole, name) {
            return Says::Nothing;
        }
        if alternatives(&whole).any(|part| says_of_all(part, name) == Says::Refused) {
            return Says::Refused;
        }
        let mut parts = whole.split(" and ").flat_map(|part| part.split("&&"));
        let is_alone = alternatives(&whole).count() == 1;
        let allows = parts.any(|part| says_of_all(part.trim(), name) == Says::Allowed);
        if is_alone && allows { Says::Allowed } else { Says::Nothing }
    }

    /// `for name in fields: if name not in ALLOWED: raise`: after that all of them are allowed.
    pub(super) fn checked_loop(&self, node: Node<'t>) -> Option<Guard<'t>> {
        if !self.goes_through(node) || node.kind() == "for_in_clause" {
            return None;
        }
        let field = |name| node.child_by_field_name(name);
        let (target, list, body) = (field("left")?, field("right")?, field("body")?);
        let pairs = self.paired(target, list);
        let element = if pairs.is_some() { target.named_child(0)? } else { target };
        let list = pairs.or_else(|| self.gone_through(list)).unwrap_or(list);
        let mut cursor = body.walk();
        let check = body.named_children(&mut cursor).find(|child| child.kind() == "if_statement")?;
        let then = check.child_by_field_name("consequence")?;
        let goes_on = ["continue", "break"].iter().any(|word| self.text_of(then).contains(word));
        if element.kind() != "identifier" || goes_on || !self.leaves(then) {
            return None;
        }
        let asks = Asks::Each { element: self.text_of(element), list: self.text_of(list) };
        let holds = node.end_byte()..self.end_around(node);
        Some(Guard::passed(asks, check.child_by_field_name("condition")?, holds))
    }

    /// What `names.filter((name) => ALLOWED.includes(name))` has let through.
    pub(super) fn filtered(&self, node: Node<'t>) -> Checked {
        let is_script = matches!(self.language, Language::JavaScript | Language::TypeScript);
        let said = || {
            let call = Invocation::of(node).filter(|_| is_script)?;
            let method = call.callee.child_by_field_name("property")?;
            let function = call.at(0).filter(|one| one.kind() == "arrow_function")?;
            let field = |name| function.child_by_field_name(name);
            let only = field("parameter").or_else(|| {
                let listed = field("parameters").filter(|all| all.named_child_count() == 1)?;
                let first = listed.named_child(0)?;
                first.child_by_field_name("pattern").or(Some(first))
            });
            let name = only.filter(|name| name.kind() == "identifier" && self.text_of(method) == "filter")?;
            Some(self.says(field("body")?, self.text_of(name)).leaves(true))
        };
        said().unwrap_or(Checked::Not)
    }
}

enum Behind<'t> {
    Checked(Checked),
    Made(Node<'t>),
    Unknown,
}

/// Whether all keys of a literal are written down.
fn has_plain_keys(literal: Node<'_>) -> bool {
    let mut cursor = literal.walk();
    literal.named_children(&mut cursor).filter(|child| !child.is_extra()).all(|child| match child.kind() {
        "pair" => child
            .child_by_field_name("key")
            .is_some_and(|key| matches!(key.kind(), "string" | "property_identifier" | "number" | "integer")),
        kind => matches!(kind, "shorthand_property_identifier" | "method_definition"),
    })
}

/// `set(name) <= ALLOWED`, `set(name) - ALLOWED`, `all(one in ALLOWED for one in name)`,
/// `Object.keys(name).every((key) => ALLOWED.includes(key))`, each of them with a `not` or without.
fn says_of_all(condition: &str, name: &str) -> Says {
    let denied = condition.strip_prefix("not ").or_else(|| condition.strip_prefix('!'));
    let asked = compact(denied.unwrap_or(condition));
    let asks = |words: &[&str]| words.iter().any(|word| asked.contains(word));
    let lists = [
        format!("set({name})"),
        format!("set({name}.keys())"),
        format!("{name}.keys()"),
        format!("Object.keys({name})"),
        name.to_owned(),
    ];
    let behind = lists.iter().find_map(|list| asked.strip_prefix(list.as_str()));
    let goes_through = || {
        let inner = asked.trim_end_matches([')', ']', '}']);
        let (_, list) = inner.rsplit_once(" in ").unwrap_or_default();
        let list = list.trim_end_matches(['(', ')']).trim_end_matches(".keys");
        list == name
    };
    let is_asked = asks(&[".includes(", ".has(", ".test(", " in "]);
    let only_allowed = match behind {
        Some(rest) if rest.starts_with(" <= ") || rest.starts_with(".issubset(") => Some(true),
        Some(rest) if rest.starts_with(" - ") || rest.starts_with(".difference(") => Some(false),
        Some(rest) if rest.starts_with(".every(") && is_asked && !asks(&["=> !"]) => Some(true),
        Some(rest) if rest.starts_with(".some(") && is_asked && asks(&["=> !"]) => Some(false),
        // An empty list of JavaScript holds as well.
        Some(rest) if rest.starts_with(".filter(") && is_asked && asks(&["=> !"]) && asks(&[".length"]) => {
            Some(false)
        }
        _ if asked.starts_with("all(") && asks(&[" in "]) && !asks(&[" not in "]) && goes_through() => {
            Some(true)
        }
        _ if asked.starts_with("any(") && asks(&[" not in "]) && goes_through() => Some(false),
        _ if asked.starts_with(['[', '{'])
            && asks(&[" not in "])
            && asked.contains(&format!(" in {name} if ")) =>
        {
            Some(false)
        }
        _ => None,
    };
    match only_allowed.map(|only_allowed| only_allowed != denied.is_some()) {
        Some(true) => Says::Allowed,
        Some(false) => Says::Refused,
        None => Says::Nothing,
    }
}

#[cfg(test)]
mod tests {
    use crate::flow::tests::sunk;
    use crate::language::Language;

    const JOINED: &str = "sink(', '.join(f'{n} = ?' for n in a))";

    #[test]
    fn a_list_of_which_each_is_allowed_is_harmless_one_by_one() {
        for (check, harmless) in [
            ("for n in a:\n        if n not in COLUMNS:\n            raise Bad(n)", true),
            ("for n, v in a.items():\n        if n not in COLUMNS:\n            raise Bad(n)", true),
            ("if not set(a) <= set(COLUMNS):\n        raise Bad", true),
            ("if set(a) - set(COLUMNS):\n        raise Bad", true),
            ("unknown = set(a) - set(COLUMNS)\n    if unknown:\n        raise Bad(unknown)", true),
            ("if not a or not set(a).issubset(COLUMNS):\n        raise Bad", true),
            ("if any(n not in COLUMNS for n in a):\n        raise Bad", true),
            ("if not all(n in COLUMNS for n in a):\n        raise Bad", true),
            ("assert set(a) <= COLUMNS", true),
            ("for n in a:\n        if n not in COLUMNS:\n            continue", false),
            ("for n in a:\n        if n not in COLUMNS:\n            log(n)", false),
            ("for n in b:\n        if n not in COLUMNS:\n            raise Bad(n)", false),
            ("if set(a) <= set(COLUMNS):\n        raise Bad", false),
            ("if not set(b) <= set(COLUMNS):\n        raise Bad", false),
            ("if set(COLUMNS) - set(a):\n        raise Bad", false),
            ("if any(n in COLUMNS for n in a):\n        raise Bad", false),
        ] {
            let text = format!("def f(a, b):\n    {check}\n    {JOINED}\n");
            assert_eq!(!sunk(Language::Python, &text).is_dynamic(), harmless, "{text}");
        }
        for (check, harmless) in [
            ("if (!Object.keys(a).every((k) => COLUMNS.includes(k))) return;", true),
            ("if (Object.keys(a).some((k) => !COLUMNS.includes(k))) throw new Error();", true),
            ("for (const k of Object.keys(a)) { if (!COLUMNS.includes(k)) throw new Error(k); }", true),
            ("if (Object.keys(a).some((k) => COLUMNS.includes(k))) throw new Error();", false),
            ("for (const k of Object.keys(a)) { if (!COLUMNS.includes(k)) continue; }", false),
        ] {
            let text =
                format!("function f(a) {{ {check} sink(Object.keys(a).map((k) => `${{k}} = ?`).join()); }}");
            assert_eq!(!sunk(Language::JavaScript, &text).is_dynamic(), harmless, "{text}");
        }
    }

    #[test]
    fn a_list_of_which_each_begins_as_it_must_is_still_no_command() {
        let text = "def f(a):\n    for n in a:\n        if not n.startswith('img-'):\n            raise Bad(n)\n    sink(' '.join(a))\n";
        assert!(sunk(Language::Python, text).is_dynamic());
        let text = "function f(a) { const b = a.filter((n) => n.startsWith('img-')); sink(b.join()); }";
        assert!(sunk(Language::JavaScript, text).is_dynamic());
    }

    #[test]
    fn the_keys_that_were_kept_are_harmless_and_what_stands_under_them_is_not() {
        let kept = "b = {k: v for k, v in a.items() if k in COLUMNS}";
        for (sunken, harmless) in [
            ("', '.join(f'{k} = ?' for k in b)", true),
            ("', '.join(b)", true),
            ("', '.join(f'{k} = ?' for k, v in b.items())", true),
            ("', '.join(f'{v} = ?' for k, v in b.items())", false),
            ("', '.join(b.values())", false),
            ("', '.join(a)", false),
        ] {
            let text = format!("def f(a):\n    {kept}\n    sink({sunken})\n");
            assert_eq!(!sunk(Language::Python, &text).is_dynamic(), harmless, "{text}");
        }
        let checked = "for k in a:\n        if k not in COLUMNS:\n            raise Bad(k)";
        let text = format!(
            "def f(a):\n    {checked}\n    sink(', '.join(f\"{{k}} = '{{v}}'\" for k, v in a.items()))\n"
        );
        assert!(sunk(Language::Python, &text).is_dynamic());
    }

    #[test]
    fn what_a_filter_let_through_is_harmless() {
        for (body, harmless) in [
            ("const b = a.split(',').filter((c) => COLUMNS.includes(c)); sink('x' + b.join());", true),
            ("const b = a.filter(c => COLUMNS.has(c)); sink(`x ${b.map((c) => c + '!').join()}`);", true),
            ("const b = a.filter((c) => c.length > 2); sink('x' + b.join());", false),
            ("const b = a.filter((c) => !COLUMNS.includes(c)); sink('x' + b.join());", false),
        ] {
            let text = format!("function f(a) {{ {body} }}");
            assert_eq!(!sunk(Language::JavaScript, &text).is_dynamic(), harmless, "{text}");
        }
    }
}
