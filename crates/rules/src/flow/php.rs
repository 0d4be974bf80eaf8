//! What PHP writes otherwise than the languages that the rest of this folder speaks of. What is not known here by name is
//! unknown, and nobody is told about it.

use tree_sitter::Node;

use super::arguments::Invocation;
use super::evaluate::Fuel;
use super::guards::Checked;
use super::names::Part;
use super::php_tables::{
    CONVERTING, HARMLESS, HARMLESS_PREFIXES, METHODS_OF_REQUESTS, PASSING_ARRAYS, REQUESTS, TEXTUAL,
};
use super::{Flow, Origin, Places, Value, sources, text_of};

/// Calls of methods, which are one node with their name.
pub(super) const METHODS: [&str; 3] =
    ["member_call_expression", "nullsafe_member_call_expression", "scoped_call_expression"];

/// What is called without brackets.
pub(super) const SPOKEN: [&str; 7] = [
    "echo_statement",
    "print_intrinsic",
    "include_expression",
    "include_once_expression",
    "require_expression",
    "require_once_expression",
    "shell_command_expression",
];

/// What a node of PHP calls what it stands for.
pub(super) fn part<'t>(node: Node<'t>, text: &'t [u8]) -> Option<Part<'t>> {
    let field = |name| node.child_by_field_name(name);
    Some(match node.kind() {
        "variable_name" | "name" | "relative_scope" => {
            Part::Name(text_of(text, node).trim_start_matches('\\'))
        }
        "qualified_name" if field("qualifier").is_none() => {
            Part::Name(text_of(text, node).trim_start_matches('\\'))
        }
        kind if METHODS.contains(&kind) => Part::Of(
            field("object").or_else(|| field("scope"))?,
            field("name").map(|name| text_of(text, name))?,
        ),
        "member_access_expression" | "nullsafe_member_access_expression" if field("object").is_some() => {
            Part::Of(field("object")?, text_of(text, field("name")?))
        }
        "function_call_expression" => Part::Result(field("function")?),
        "shell_command_expression" => Part::Name("`"),
        "print_intrinsic" => Part::Name("print"),
        "echo_statement" => Part::Name("echo"),
        kind if SPOKEN.contains(&kind) => Part::Name(match kind {
            "include_expression" => "include",
            "include_once_expression" => "include_once",
            "require_expression" => "require",
            _ => "require_once",
        }),
        _ => return None,
    })
}

/// `foreach ($list as $key => $value)`: what gets each of the list, and the list.
pub(super) fn looped(node: Node<'_>) -> Option<(Node<'_>, Node<'_>, bool)> {
    let (list, target) = (node.named_child(0)?, node.named_child(1)?);
    let kinds = ["variable_name", "pair", "by_ref", "list_literal"];
    kinds.contains(&target.kind()).then_some((target, list, false))
}

/// Whether a type leaves no choice of text: `int`, `?float`, `int|null`.
pub(super) fn holds_numbers(declared: &str) -> bool {
    const TYPES: [&str; 6] = ["int", "float", "bool", "null", "false", "true"];
    declared.trim_start_matches('?').split('|').all(|one| TYPES.contains(&one.trim()))
}

impl<'t> Flow<'t> {
    pub(super) fn evaluate_php(&self, node: Node<'t>, fuel: &mut Fuel) -> Option<Value> {
        let field = |name| node.child_by_field_name(name);
        Some(match node.kind() {
            "variable_name" => match self.text_of(node) {
                name if REQUESTS.contains(&name) => Value::of(Origin::Tainted),
                "$this" => Value::unknown(),
                name => self.named(name, node, fuel),
            },
            "encapsed_string" | "heredoc_body" | "shell_command_expression" => self.in_text(node, fuel),
            "heredoc" => self.inside(field("value"), fuel),
            "nowdoc" | "boolean" => Value::constant(self.text_of(node)),
            "subscript_expression" => self.element_of_php(node, fuel),
            "binary_expression" => self.binary_of_php(node, fuel),
            "cast_expression" => {
                let kind = field("type").map_or("", |kind| self.text_of(kind)).to_ascii_lowercase();
                match kind.as_str() {
                    "string" | "array" | "object" | "binary" => self.inside(field("value"), fuel),
                    _ => Value::of(Origin::Clean),
                }
            }
            "conditional_expression" => {
                self.either_of([field("body").or_else(|| field("condition")), field("alternative")], fuel)
            }
            "array_creation_expression" | "sequence_expression" => self.all_inside(node, fuel),
            "array_element_initializer" | "error_suppression_expression" | "argument" => {
                self.last_inside(node, fuel)
            }
            // What a class or a file calls a constant.
            "class_constant_access_expression"
            | "name"
            | "qualified_name"
            | "unary_op_expression"
            | "update_expression"
            | "print_intrinsic" => Value::of(Origin::Clean),
            "member_access_expression" | "nullsafe_member_access_expression" => {
                let value = self.inside(field("object"), fuel);
                match value.origin {
                    Origin::Tainted => Value::part_of(&value),
                    _ => Value::unknown(),
                }
            }
            "function_call_expression" => self.function_of_php(node, fuel),
            kind if METHODS.contains(&kind) => self.method_of_php(node),
            "object_creation_expression" => Value::unknown(),
            _ => return None,
        })
    }

    /// The text between the quotes, and what is put into it.
    fn in_text(&self, node: Node<'t>, fuel: &mut Fuel) -> Value {
        let mut cursor = node.walk();
        let parts: Vec<Node<'t>> = node.named_children(&mut cursor).take(200).collect();
        parts.into_iter().fold(Value::constant(""), |value, part| match part.kind() {
            "string_content" | "escape_sequence" => value.followed_by(Value::constant(self.text_of(part))),
            _ => value.followed_by(self.evaluate(part, fuel)),
        })
    }

    fn element_of_php(&self, node: Node<'t>, fuel: &mut Fuel) -> Value {
        let whole = self.inside(node.named_child(0), fuel);
        if !whole.is_dynamic() {
            return Value::of(Origin::Clean);
        }
        let value = Value::part_of(&whole);
        let Some(scope) = self.scopes_around(node).into_iter().next() else { return value };
        // Inside of a text the key has other quotes than in the check before it.
        let text = self.text_of(node);
        let others = [text.to_owned(), text.replace('\'', "\""), text.replace('"', "'")];
        let checked = others.iter().map(|text| self.checked(text, node.start_byte(), &scope)).max();
        checked.map_or(value.clone(), |checked| checked.leave_of(value))
    }

    fn binary_of_php(&self, node: Node<'t>, fuel: &mut Fuel) -> Value {
        let operator = node.child_by_field_name("operator").map_or("", |operator| self.text_of(operator));
        let sides = ["left", "right"].map(|field| node.child_by_field_name(field));
        match operator {
            "." => {
                let [left, right] = sides.map(|side| self.inside(side, fuel));
                left.followed_by(right)
            }
            "??" => self.either_of(sides, fuel),
            _ => Value::of(Origin::Clean),
        }
    }

    fn function_of_php(&self, node: Node<'t>, fuel: &mut Fuel) -> Value {
        let Some(call) = Invocation::of(node) else { return Value::unknown() };
        let name = self.name_of(call.callee).to_ascii_lowercase();
        let arguments = call.values();
        if HARMLESS.contains(&name.as_str())
            || HARMLESS_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
            || sources::is_harmless(&name)
        {
            return Value::of(Origin::Clean);
        }
        let at = |place: usize, fuel: &mut Fuel| self.inside(arguments.get(place).copied(), fuel);
        let all = |fuel: &mut Fuel| {
            let values: Vec<Value> = arguments.iter().map(|one| self.evaluate(*one, fuel)).collect();
            values.into_iter().reduce(Value::with).unwrap_or_else(Value::unknown)
        };
        match name.as_str() {
            "sprintf" => {
                let mut values = arguments.iter().map(|one| self.evaluate(*one, fuel));
                let format = values.next().unwrap_or_else(Value::unknown);
                format.filled_with(values.collect(), Places::Percent)
            }
            // Without an argument that is the request itself.
            "request" if !arguments.is_empty() => Value::of(Origin::Tainted),
            "filter_var" | "filter_input" => {
                let filter = arguments.iter().map(|one| self.text_of(*one));
                let is_number =
                    |name: &str| ["_INT", "_FLOAT", "_BOOL", "_IP"].iter().any(|end| name.contains(end));
                match filter.into_iter().any(|one| one.starts_with("FILTER_") && is_number(one)) {
                    true => Value::of(Origin::Clean),
                    false => Value::unknown(),
                }
            }
            "preg_replace" | "str_replace" | "str_ireplace" => {
                let pattern = arguments.first().map_or("", |pattern| self.text_of(*pattern));
                strips(pattern).leave_of(at(2, fuel))
            }
            name if sources::gives_base_name(name) => Value::part_of(&at(0, fuel)).kept_inside(),
            name if TEXTUAL.contains(&name) => at(0, fuel),
            name if CONVERTING.contains(&name) => all(fuel),
            name if PASSING_ARRAYS.contains(&name) => all(fuel),
            _ => Value::unknown(),
        }
    }

    fn method_of_php(&self, node: Node<'t>) -> Value {
        let whole = self.name_of(node);
        let last = whole.rsplit('.').next().unwrap_or_default();
        if sources::is_harmless(last) {
            return Value::of(Origin::Clean);
        }
        let before = whole.strip_suffix(last).unwrap_or_default().trim_end_matches('.');
        let before = before.strip_prefix("$this.").unwrap_or(before);
        let root = before.split('.').next().unwrap_or_default();
        let is_request = matches!(root, "$request" | "request()" | "Request" | "Input")
            || matches!(before, "$req" | "$this.request" | "request");
        let is_given = is_request
            && METHODS_OF_REQUESTS.contains(&last)
            && Invocation::of(node).is_some_and(|call| !call.values().is_empty());
        if is_given { Value::of(Origin::Tainted) } else { Value::unknown() }
    }
}

/// What is left where a pattern or a list of texts is replaced.
fn strips(pattern: &str) -> Checked {
    let bare = pattern.trim_start_matches(['\'', '"']).trim_start_matches(['/', '#', '~', '@']);
    let is_class = bare.strip_prefix("[^").and_then(|class| class.split(']').next());
    match is_class {
        Some(class) if !class.contains(['\'', '"', '<', '/', ';']) => {
            if class.contains('.') {
                Checked::Below
            } else {
                Checked::Wholly
            }
        }
        _ if pattern.contains("..") || pattern.contains("\\.\\.") => Checked::Below,
        _ => Checked::Not,
    }
}

#[cfg(test)]
mod tests {
    use crate::flow::Origin;
    use crate::flow::tests::sunk;
    use crate::language::Language;

    fn origin(body: &str) -> Origin {
        sunk(
            Language::Php,
            &format!(
                "<?php\nclass A {{ const SORTS = ['a' => 'b'];\nfunction f($p, int $n) {{ {body} }} }}\n"
            ),
        )
        .origin
    }

    #[test]
    fn what_a_request_brings_is_followed_through_variables() {
        for body in [
            "sink($_GET['a']);",
            "$a = $_GET['a']; $b = trim($a); sink(\"x $b\");",
            "$a = $_POST['a'] ?? ''; $q = 'a = ' . $a; $q .= ' b'; sink($q);",
            "$a = $_GET['a']; sink(sprintf('a %s', $a));",
            "foreach ($_POST['all'] as $one) { sink(\"x {$one}\"); }",
            "$id = $request->input('id'); sink(\"x $id\");",
            "sink('x' . $request->query->get('id'));",
            "$a = $_GET['a']; if (!in_array($a, $list)) { log(); } sink($a);",
            "if (preg_match('/a/', $_GET['p'])) { sink($_GET['p']); }",
            "$q = <<<SQL\nselect {$_GET['a']}\nSQL;\nsink($q);",
        ] {
            assert_eq!(origin(body), Origin::Tainted, "{body}");
        }
    }

    #[test]
    fn checks_escapes_and_numbers_make_it_harmless() {
        for body in [
            "sink((int) $_GET['a']);",
            "$a = intval($_GET['a']); sink(\"x $a\");",
            "$a = htmlspecialchars($_GET['a']); sink(\"x $a\");",
            "sink('x ' . escapeshellarg($_GET['a']));",
            "sink(esc_html($_GET['a']));",
            "$a = $pdo->quote($_GET['a']); sink(\"x $a\");",
            "$s = self::SORTS[$_GET['s'] ?? 'a'] ?? 'b'; sink(\"x $s\");",
            "$t = ['a' => 'a.php']; sink($t[$_GET['p']] ?? 'home.php');",
            "$a = $_GET['a']; if (!in_array($a, ['b', 'c'], true)) { $a = 'b'; } sink(\"x $a\");",
            "if (!preg_match('/^[a-z]+$/', $_GET['p'])) { die(); } sink(\"x {$_GET['p']}\");",
            "if (!preg_match('/^(a|b)$/', $_GET['p'])) { exit; } sink($_GET['p']);",
            "$a = preg_replace('/[^a-z0-9]/', '', $_GET['a']); sink(\"x $a\");",
            "sink(\"x $n\");",
            "sink($_GET['a'] === 'b' ? 'c' : 'd');",
            "foreach (self::SORTS as $t) { sink(\"x $t\"); }",
            "$m = implode(',', array_fill(0, count($p), '?')); sink(\"in ($m)\");",
            "sink(sprintf('a %d', $_GET['a']));",
        ] {
            assert!(origin(body) <= Origin::Clean, "{body}");
        }
    }

    #[test]
    fn what_is_not_known_is_unknown() {
        for body in ["sink(clean($_GET['a']));", "sink(\"from {$this->table}\");", "sink($p->name);"] {
            assert_eq!(origin(body), Origin::Unknown, "{body}");
        }
        assert_eq!(origin("sink(\"a $p\");"), Origin::Parameter);
    }
}
