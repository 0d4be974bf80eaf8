//! What C# writes otherwise than the languages that the rest of this folder speaks of: enough to know which queries hold only
//! constants, numbers and the names of their own parameters.

use tree_sitter::Node;

use super::arguments::{Invocation, receiver};
use super::evaluate::Fuel;
use super::names::{Part, unquoted};
use super::scope::{Assignment, Given, root_of};
use super::typed::leaves_no_choice;
use super::{Flow, Origin, Places, Value, text_of};
use crate::language::Language;

/// Calls whose results are numbers, names of the program or otherwise not what was put in.
const HARMLESS: [&str; 14] = [
    "nameof",
    "int.Parse",
    "long.Parse",
    "decimal.Parse",
    "Guid.Parse",
    "Guid.NewGuid",
    "Convert.ToInt16",
    "Convert.ToInt32",
    "Convert.ToInt64",
    "Convert.ToDecimal",
    "Convert.ToBoolean",
    "Enumerable.Range",
    "Math.Min",
    "Math.Max",
];

/// Methods that tell how many there are, or what the program calls its own.
const HARMLESS_METHODS: [&str; 5] = ["Count", "LongCount", "GetHashCode", "GetProperties", "GetProperty"];

/// Properties of the same kind.
const HARMLESS_PARTS: [&str; 3] = ["Length", "Count", "ParameterName"];

/// Methods that give what they are called on, or some of it, in another form.
const PASSING: [&str; 21] = [
    "FirstOrDefault",
    "ToArray",
    "ToList",
    "ToString",
    "ToLower",
    "ToUpper",
    "ToLowerInvariant",
    "ToUpperInvariant",
    "Trim",
    "TrimEnd",
    "TrimStart",
    "AsEnumerable",
    "Distinct",
    "Order",
    "OrderBy",
    "Reverse",
    "Skip",
    "Substring",
    "Take",
    "Where",
    "Cast",
];

/// Methods that leave what they are called on as it was, beside those.
const ONLY_READING: [&str; 10] =
    ["Select", "Any", "All", "Contains", "First", "Last", "IndexOf", "StartsWith", "EndsWith", "Equals"];

/// The same of those that give a variable what was asked for.
const ASKING: [&str; 4] = ["TryGetValue", "ContainsKey", "GetValueOrDefault", "TryParse"];

/// Calls that put nothing into the lists they are given.
const NEVER_FILLING: [&str; 6] = ["Join", "Concat", "Format", "AddRange", "Append", "WriteLine"];

/// What a list or a builder of text is called at the end of its type.
const COLLECTIONS: [&str; 6] = ["List", "HashSet", "Queue", "Stack", "StringBuilder", "Dictionary"];

/// What a node of C# calls what it stands for.
pub(super) fn part<'t>(node: Node<'t>, text: &'t [u8]) -> Part<'t> {
    let field = |name| node.child_by_field_name(name);
    match node.kind() {
        "predefined_type" => Part::Name(text_of(text, node)),
        "member_access_expression" | "qualified_name" => {
            match (field("expression").or_else(|| field("qualifier")), field("name")) {
                (Some(object), Some(name)) => Part::Of(object, bare(text_of(text, name))),
                _ => Part::Other,
            }
        }
        "invocation_expression" => field("function").map_or(Part::Other, Part::Result),
        "generic_name" => node.named_child(0).map_or(Part::Other, Part::Inside),
        "element_access_expression" => field("expression").map_or(Part::Other, Part::Inside),
        "postfix_unary_expression" => node.named_child(0).map_or(Part::Other, Part::Inside),
        _ => Part::Other,
    }
}

/// Parts of a request that its sender writes: `Request.Query`, `context.Request.Form`.
fn is_written(whole: &str) -> bool {
    const WRITTEN: [&str; 9] =
        ["Query", "Form", "Headers", "Cookies", "QueryString", "Params", "RouteValues", "RawUrl", "Body"];
    let part = whole.strip_prefix("Request.").or_else(|| whole.split_once(".Request.").map(|(_, part)| part));
    part.is_some_and(|part| WRITTEN.contains(&part.split('.').next().unwrap_or(part)))
}

/// Without the types that a name is given: `Select<int>`.
fn bare(name: &str) -> &str {
    name.split('<').next().unwrap_or(name)
}

/// The value of `interpolation`, which stands between braces of its own.
fn put_in(interpolation: Node<'_>) -> Option<Node<'_>> {
    let mut cursor = interpolation.walk();
    interpolation.named_children(&mut cursor).find(|child| child.kind() != "interpolation_brace")
}

fn initializer(made: Node<'_>) -> Option<Node<'_>> {
    let mut cursor = made.walk();
    made.named_children(&mut cursor).find(|child| child.kind() == "initializer_expression")
}

/// Whether a type holds numbers, dates or the like, alone or many of them.
pub(super) fn holds_numbers(declared: &str) -> bool {
    const TYPES: [&str; 14] = [
        "int", "long", "short", "byte", "uint", "ulong", "ushort", "bool", "double", "float", "decimal",
        "Guid", "DateTime", "DateOnly",
    ];
    let mut inner = declared.trim();
    for _ in 0..4 {
        inner = inner.trim_end_matches('?').trim_end_matches("[]").trim();
        match inner.split_once('<').and_then(|(_, rest)| rest.strip_suffix('>')) {
            Some(held) => inner = held.trim(),
            None => break,
        }
    }
    TYPES.contains(&inner)
}

/// Words in the names of types that hold a text, or may.
const TEXTS: [&str; 22] = [
    "string",
    "String",
    "char",
    "object",
    "dynamic",
    "Text",
    "Name",
    "Json",
    "JToken",
    "JObject",
    "Uri",
    "Path",
    "Query",
    "Sql",
    "Builder",
    "Filter",
    "Clause",
    "Expression",
    "Value",
    "Object",
    "Identifier",
    "Fragment",
];

/// Whether a parameter of this type is put into a text as the program writes it: `SortBy sort`. Whoever writes a text
/// of an object that is neither a number nor an enumeration gets the name of its class.
pub(super) fn is_own_type(declared: &str) -> bool {
    let declared = declared.trim().trim_end_matches('?');
    let last = declared.rsplit('.').next().unwrap_or(declared);
    let is_name = last.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let mut letters = last.chars();
    let is_class = letters.next().is_some_and(char::is_uppercase)
        && letters.next().is_some_and(|second| second.is_lowercase() || second == '_');
    is_name && is_class && !TEXTS.iter().any(|word| last.contains(word))
}

impl<'t> Flow<'t> {
    pub(super) fn evaluate_csharp(&self, node: Node<'t>, fuel: &mut Fuel) -> Value {
        let field = |name| node.child_by_field_name(name);
        match node.kind() {
            "interpolated_string_expression" => self.interpolated(node, fuel),
            "verbatim_string_literal" => {
                Value::constant(unquoted(self.text_of(node).trim_start_matches('@')))
            }
            "real_literal" => Value::constant(self.text_of(node)),
            "typeof_expression" => Value::of(Origin::Clean),
            "invocation_expression" => self.call(node, fuel),
            "member_access_expression" => {
                let value = self.part_in_csharp(node, fuel);
                match self.scopes_around(node).into_iter().next().filter(|_| value.is_dynamic()) {
                    Some(scope) => {
                        self.checked(self.text_of(node), node.start_byte(), &scope).leave_of(value)
                    }
                    None => value,
                }
            }
            "element_access_expression" => {
                let value = self.inside(field("expression"), fuel);
                if value.is_dynamic() { Value::part_of(&value) } else { Value::of(Origin::Clean) }
            }
            "argument" | "postfix_unary_expression" => self.last_inside(node, fuel),
            "initializer_expression" | "collection_expression" => self.all_inside(node, fuel),
            "implicit_array_creation_expression" => self.inside(initializer(node), fuel),
            "implicit_object_creation_expression" if self.is_new_collection(node) => {
                self.held_at_first(node, fuel)
            }
            _ => Value::unknown(),
        }
    }

    /// A variable that is put into a text by itself, and whose type says that no text of others is in it.
    pub(super) fn own_in_csharp(&self, node: Node<'t>) -> Option<Value> {
        let around = node.parent().filter(|_| node.kind() == "identifier")?;
        let is_put_in = matches!(around.kind(), "interpolation" | "binary_expression");
        (is_put_in && is_own_type(&self.type_of(node))).then(|| Value::of(Origin::Clean))
    }

    fn interpolated(&self, node: Node<'t>, fuel: &mut Fuel) -> Value {
        let mut cursor = node.walk();
        let children: Vec<Node<'t>> = node.named_children(&mut cursor).take(200).collect();
        children.into_iter().fold(Value::constant(""), |value, child| match child.kind() {
            "interpolation" => value.followed_by(self.inside(put_in(child), fuel)),
            "string_content" | "escape_sequence" => value.followed_by(Value::constant(self.text_of(child))),
            _ => value,
        })
    }

    /// `new string[n]` and `new[] { "a" }`.
    pub(super) fn array_of_csharp(&self, node: Node<'t>, fuel: &mut Fuel) -> Value {
        initializer(node).map_or_else(|| Value::constant(""), |held| self.evaluate(held, fuel))
    }

    fn part_in_csharp(&self, node: Node<'t>, fuel: &mut Fuel) -> Value {
        let whole = self.name_of(node);
        let last = whole.rsplit('.').next().unwrap_or_default();
        if HARMLESS_PARTS.contains(&last) {
            return Value::of(Origin::Clean);
        }
        if is_written(&whole) {
            return Value::of(Origin::Tainted);
        }
        if matches!(whole.as_str(), "string.Empty" | "String.Empty") {
            return Value::constant("");
        }
        let Some(object) = receiver(node) else { return Value::unknown() };
        if matches!(self.text_of(object), "this" | "base") {
            return self.named(last, node, fuel);
        }
        let value = self.inside(Some(object), fuel);
        match value.origin {
            Origin::Tainted | Origin::Local | Origin::Parameter => Value::part_of(&value),
            // Of a type, or of its properties.
            Origin::Clean if last == "Name" => Value::of(Origin::Clean),
            Origin::Constant | Origin::Clean | Origin::Unknown => Value::unknown(),
        }
    }

    /// What a call of C# gives back, as far as its name tells.
    pub(super) fn called_in_csharp(&self, node: Node<'t>, whole: &str, fuel: &mut Fuel) -> Option<Value> {
        if self.language != Language::CSharp {
            return None;
        }
        if node.kind() == "object_creation_expression" {
            return self.is_new_collection(node).then(|| self.held_at_first(node, fuel));
        }
        let call = Invocation::of(node)?;
        let last = whole.rsplit('.').next().unwrap_or(whole);
        let arguments = call.values();
        let mut values = arguments.iter().map(|one| self.evaluate(*one, fuel));
        match whole {
            "string.Join" | "String.Join" | "string.Concat" | "String.Concat" => {
                return Some(values.reduce(Value::followed_by).unwrap_or_else(|| Value::constant("")));
            }
            "string.Format" | "String.Format" => {
                let format = values.next()?;
                return Some(format.filled_with(values.collect(), Places::Braces));
            }
            "Enumerable.Repeat" => return values.next(),
            _ if last == "GetValueOrDefault" => {
                let table = self.inside(call.receiver, fuel);
                let other = arguments.get(1).map(|other| self.evaluate(*other, fuel));
                let given = other.into_iter().fold(table, Value::or);
                return Some(if given.is_dynamic() { given } else { Value::of(Origin::Clean) });
            }
            _ if HARMLESS.contains(&whole) => return Some(Value::of(Origin::Clean)),
            _ => {}
        }
        let is_method = whole.contains('.');
        if is_method && HARMLESS_METHODS.contains(&last) {
            return Some(Value::of(Origin::Clean));
        }
        let receiver = call.receiver.filter(|_| PASSING.contains(&last))?;
        Some(self.evaluate(receiver, fuel))
    }

    /// `new List<string>()`, `new StringBuilder("a")`, or `new()` where the declaration says so.
    fn is_new_collection(&self, made: Node<'t>) -> bool {
        let declaration =
            || self.parent(self.parent(made)?).filter(|one| one.kind() == "variable_declaration");
        let declared =
            made.child_by_field_name("type").or_else(|| declaration()?.child_by_field_name("type"));
        let declared = declared.map_or("", |declared| bare(self.text_of(declared)));
        COLLECTIONS.iter().any(|kind| declared.ends_with(kind))
    }

    fn held_at_first(&self, made: Node<'t>, fuel: &mut Fuel) -> Value {
        let mut cursor = made.walk();
        let lists = ["argument_list", "initializer_expression"];
        let given: Vec<Node<'t>> =
            made.named_children(&mut cursor).filter(|child| lists.contains(&child.kind())).collect();
        let values = given.into_iter().map(|list| self.all_inside(list, fuel));
        values.reduce(Value::with).unwrap_or_else(|| Value::constant(""))
    }

    /// What a variable or a field is declared to hold.
    pub(super) fn collect_declared(&self, declarator: Node<'t>, found: &mut Vec<Assignment<'t>>) {
        let Some(name) = declarator.child_by_field_name("name") else { return };
        let count = u32::try_from(declarator.named_child_count()).unwrap_or_default();
        let value = declarator.named_child(count.saturating_sub(1)).filter(|value| value.id() != name.id());
        let declaration = self.parent(declarator);
        let declared = declaration.and_then(|one| one.child_by_field_name("type"));
        let field =
            declaration.and_then(|one| self.parent(one)).filter(|one| one.kind() == "field_declaration");
        // Any method may have given a field something else.
        let may_change = field.is_some_and(|field| {
            let head = self.text_of(field);
            let head = head.split(['=', ';']).next().unwrap_or(head);
            !head.split_whitespace().any(|word| matches!(word, "const" | "readonly"))
        });
        let given = match value {
            _ if declared.is_some_and(|one| leaves_no_choice(self, self.text_of(one))) => {
                Given::From(Origin::Clean)
            }
            Some(_) if may_change => Given::From(Origin::Unknown),
            Some(value) => Given::Value(value),
            None => return,
        };
        found.push(self.assignment(self.text_of(name), given, declarator));
    }

    /// What calls put into the variables they are made on, and into those they are passed.
    pub(super) fn collect_called_in_csharp(&self, call: Node<'t>, found: &mut Vec<Assignment<'t>>) {
        let Some(invoked) = Invocation::of(call) else { return };
        let whole = self.name_of(invoked.callee);
        let last = whole.rsplit('.').next().unwrap_or_default();
        let arguments = call.child_by_field_name("arguments");
        let is_reading = PASSING.contains(&last) || ONLY_READING.contains(&last);
        if let (Some(object), Some(arguments)) = (invoked.receiver.and_then(root_of), arguments)
            && !is_reading
            && !ASKING.contains(&last)
            && !HARMLESS_METHODS.contains(&last)
        {
            found.push(self.assignment(self.text_of(object), Given::Listed(arguments), call));
        }
        let is_filling = !is_reading && !NEVER_FILLING.contains(&last);
        let Some(arguments) = arguments.filter(|_| is_filling) else { return };
        let mut cursor = arguments.walk();
        for argument in arguments.named_children(&mut cursor) {
            if let Some(given) = self.declared_by_call(argument, &invoked, last) {
                found.push(self.assignment(given.0, given.1, call));
                continue;
            }
            let is_written = ["out ", "ref "].iter().any(|word| self.text_of(argument).starts_with(word));
            let Some(passed) = argument.named_child(0).filter(|one| one.kind() == "identifier") else {
                continue;
            };
            let name = self.text_of(passed);
            let made = found.iter().rev().filter(|one| one.name == name).find_map(|one| match one.given {
                Given::Value(value) => Some(value),
                Given::Added(_) | Given::Listed(_) | Given::From(_) | Given::Nothing => None,
            });
            if is_written || made.is_some_and(|made| self.may_be_filled(made)) {
                found.push(self.assignment(name, Given::From(Origin::Unknown), call));
            }
        }
    }

    /// `TryGetValue(key, out var value)`, `int.TryParse(text, out var number)`: what the call gives a new variable.
    fn declared_by_call(
        &self,
        argument: Node<'t>,
        call: &Invocation<'t>,
        method: &str,
    ) -> Option<(&'t str, Given<'t>)> {
        let declared = argument.named_child(0).filter(|one| one.kind() == "declaration_expression")?;
        let name = self.text_of(declared.child_by_field_name("name")?);
        let kind = declared.child_by_field_name("type").map_or("", |kind| self.text_of(kind));
        let object = call.receiver.map_or("", |object| self.text_of(object));
        let is_number =
            leaves_no_choice(self, kind) || leaves_no_choice(self, object) || object.ends_with("Enum");
        let given = match (method, call.receiver) {
            _ if leaves_no_choice(self, kind) => Given::From(Origin::Clean),
            ("TryParse", _) if is_number => Given::From(Origin::Clean),
            ("TryGetValue", Some(table)) => Given::Value(table),
            _ => Given::From(Origin::Unknown),
        };
        Some((name, given))
    }

    /// Whether whoever is passed a value may put something into it.
    fn may_be_filled(&self, made: Node<'t>) -> bool {
        made.kind() == "array_creation_expression" || self.is_new_collection(made)
    }
}

#[cfg(test)]
mod tests {
    use crate::flow::Origin;
    use crate::flow::tests::sunk;
    use crate::language::Language;

    fn is_harmless(body: &str) -> bool {
        let head = "const string Table = \"users\"; string filter = \"\"; static readonly string Key = \"id\"; static readonly Dictionary<string, string> Sorts = new() { [\"a\"] = \"b\" };";
        let text = format!(
            "class A {{ {head} void F(List<string> ids, string name, int n, SortBy sort, Form form, KeyName key) {{ {body} }} }}"
        );
        sunk(Language::CSharp, &text).origin <= Origin::Clean
    }

    #[test]
    fn names_of_parameters_hold_nothing_of_what_they_stand_for() {
        for body in [
            "var marks = string.Join(\",\", ids.Select((_, i) => \"@p\" + i)); sink($\"in ({marks})\");",
            "var marks = ids.Select((id, i) => $\"@id{i}\").ToArray(); sink(\"in (\" + string.Join(\",\", marks) + \")\");",
            "sink($\"in ({string.Join(\",\", Enumerable.Repeat(\"?\", ids.Count))})\");",
            "sink(string.Join(\",\", Enumerable.Range(0, n).Select(i => \"@p\" + i)));",
            "var l = new List<string>(); for (int i = 0; i < n; i++) { var p = \"@p\" + i; l.Add(p); c.AddWithValue(p, ids[i]); } sink(string.Join(\",\", l));",
            "List<string> l = new(); l.Add(\"a = @a\"); sink(string.Join(\" AND \", l));",
            "var l = new string[n]; for (int i = 0; i < n; i++) { l[i] = \"@p\" + i; } sink(string.Join(\",\", l));",
            "var b = new StringBuilder(); b.Append(\"a = @a\"); sink($\"where {b}\");",
            "var p = typeof(T).GetProperties(); sink(string.Join(\",\", p.Select(one => \"@\" + one.Name)));",
        ] {
            assert!(is_harmless(body), "{body}");
        }
        for body in [
            "var marks = string.Join(\",\", ids.Select(id => \"'\" + id + \"'\")); sink($\"in ({marks})\");",
            "var marks = ids.Select((_, i) => ids[i]); sink(string.Join(\",\", marks));",
            "var l = new List<string>(); l.Add(name); sink(string.Join(\",\", l));",
            "var l = new List<string> { name }; sink(string.Join(\",\", l));",
            "var l = new List<string>(); Fill(l); sink(string.Join(\",\", l));",
            "var l = new string[] { name }; sink(string.Join(\",\", l));",
            "var b = new StringBuilder(); b.AppendLine(name); sink($\"where {b}\");",
            "var marks = ids.Select(_ => \"?\"); sink($\"a = '{name}'\");",
            "sink(string.Join(\",\", Enumerable.Repeat(name, n)));",
        ] {
            assert!(!is_harmless(body), "{body}");
        }
    }

    #[test]
    fn constants_and_numbers_are_harmless_and_other_fields_are_not() {
        for body in [
            "sink($\"from {Table}\");",
            "sink(\"a\" + this.Key);",
            "sink($\"limit {n}\");",
            "var m = int.Parse(name); sink($\"limit {m}\");",
            "sink($\"limit {(int)kind}\");",
            "if (!Allowed.Contains(name)) { return; } sink($\"by {name}\");",
            "sink(@\"a\" + $@\"b {nameof(A)}\");",
            "sink($\"by {sort}\");",
            "var c = Sorts.TryGetValue(name, out var s) ? s : \"a\"; sink($\"by {c}\");",
            "if (!int.TryParse(name, out var m)) { return; } sink($\"by {m}\");",
            "sink($\"by {Sorts.GetValueOrDefault(name, \"a\")}\");",
            "sink($\"by {Sorts[name]}\");",
            "if (name is not (\"a\" or \"b\")) { return; } sink($\"by {name}\");",
            "if (!name.All(char.IsLetterOrDigit)) throw new ArgumentException(); sink($\"by {name}\");",
            "foreach (var t in new[] { \"a\", \"b\" }) { sink($\"from {t}\"); }",
        ] {
            assert!(is_harmless(body), "{body}");
        }
        for body in [
            "sink($\"from {filter}\");",
            "var c = Sorts.TryGetValue(name, out var s) ? s : name; sink($\"by {c}\");",
            "cache.TryGetValue(name, out var s); sink($\"by {s}\");",
            "sink($\"by {form.Title}\");",
            "sink($\"by {key}\");",
            "if (!name.All(c => c != ';')) return; sink($\"by {name}\");",
            "sink($\"from {this.filter}\");",
            "sink($\"from {Load()}\");",
            "sink($\"from {name.Trim()}\");",
            "string q = \"a\"; Read(out q); sink($\"from {q}\");",
            "string.Format(\"a {0}\", n); sink(string.Format(\"a {0}\", name));",
        ] {
            assert!(!is_harmless(body), "{body}");
        }
    }
}
