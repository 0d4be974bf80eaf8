//! Types and schemas that leave whoever fills them no choice of text: enumerations, the fields of models, `z.enum(…)`.

use tree_sitter::Node;

use super::Flow;
use super::arguments::{Invocation, property, receiver};
use super::scope::{Given, Scope};
use super::typed::leaves_no_choice;
use crate::language::Language;

/// So many statements of a file are looked at for one type.
const MOST_STATEMENTS: usize = 2_000;

/// What checks a value by a schema and gives it back.
const PARSING: [&str; 4] = ["parse", "parseAsync", "safeParse", "validateSync"];

/// Schemas of zod and its like for numbers, dates and one of a few.
const STRICT: [&str; 14] = [
    ".enum(",
    ".nativeEnum(",
    ".literal(",
    ".number(",
    ".boolean(",
    ".bigint(",
    ".date(",
    ".uuid(",
    ".cuid(",
    ".int(",
    ".coerce.number(",
    ".coerce.boolean(",
    ".coerce.date(",
    ".coerce.bigint(",
];

/// Schemas that let other text through, or have parts that may.
const LOOSE: [&str; 7] = [".union(", ".or(", ".any(", ".unknown(", ".transform(", ".object(", ".record("];

impl<'t> Flow<'t> {
    fn is_script(&self) -> bool {
        matches!(self.language, Language::JavaScript | Language::TypeScript)
    }

    /// A class of Python that the file makes.
    fn class(&self, name: &str) -> Option<Node<'t>> {
        if self.language != Language::Python || !name.starts_with(|c: char| c.is_ascii_uppercase()) {
            return None;
        }
        let is_its = |class: &Node<'t>| {
            class.child_by_field_name("name").is_some_and(|found| self.text_of(found) == name)
        };
        let mut cursor = self.root.walk();
        let inner = |child: Node<'t>| match child.kind() {
            "decorated_definition" => child.child_by_field_name("definition"),
            _ => Some(child),
        };
        self.root
            .named_children(&mut cursor)
            .take(MOST_STATEMENTS)
            .filter_map(inner)
            .filter(|child| child.kind() == "class_definition")
            .find(is_its)
    }

    /// Whether the file makes the type, and makes it an enumeration.
    pub(super) fn is_enumeration(&self, name: &str) -> bool {
        let bases = self.class(name).and_then(|class| class.child_by_field_name("superclasses"));
        bases.is_some_and(|bases| {
            let listed = self.text_of(bases).trim_matches(['(', ')']);
            listed.split(',').any(|base| base.trim().ends_with("Enum"))
        })
    }

    /// `Period(text)`, which fails for what is none, and `z.enum(["a", "b"]).parse(text)`.
    pub(super) fn makes_one_of_few(&self, call: Invocation<'t>) -> bool {
        match self.language {
            Language::Python => self.is_enumeration(self.text_of(call.callee)),
            Language::JavaScript | Language::TypeScript => {
                self.schema(call).is_some_and(|schema| is_strict(self.text_of(schema)))
            }
            _ => false,
        }
    }

    /// The schema by which a call checks what it is passed: `schema.parse(value)`.
    fn schema(&self, call: Invocation<'t>) -> Option<Node<'t>> {
        let method = call.callee.child_by_field_name("property").filter(|_| self.is_script())?;
        if !PARSING.contains(&self.text_of(method)) {
            return None;
        }
        let mut schema = call.receiver?;
        if schema.kind() == "identifier" {
            schema = match self.last_assignment(schema)?.given {
                Given::Value(value) => value,
                Given::Added(_) | Given::Listed(_) | Given::From(_) | Given::Nothing => return None,
            };
        }
        Invocation::of(schema).map(|_| schema)
    }

    /// Whether a part of a value is one of a few: `period.value` of an enumeration, `body.sort` of a model that declares it
    /// so, `query.sort` of a schema, or a value of a file of settings that is part of the program.
    pub(super) fn is_of_few(&self, node: Node<'t>, whole: &str) -> bool {
        let Some(object) = receiver(node) else { return false };
        let field = ["attribute", "property"].iter().find_map(|name| node.child_by_field_name(name));
        let Some(field) = field.map(|field| self.text_of(field)) else { return false };
        match self.language {
            Language::Python => {
                let declared = (object.kind() == "identifier").then(|| self.type_of(object));
                declared.is_some_and(|declared| self.declares_of_few(&declared, field))
            }
            Language::JavaScript | Language::TypeScript => {
                // `require("../package.json").version`
                whole.contains(".json.") && self.is_module(Some(object))
                    || self.checked_by(object).is_some_and(|schema| self.has_strict_field(schema, field))
            }
            _ => false,
        }
    }

    /// Whether a class of the file declares a field of a type that leaves no choice.
    fn declares_of_few(&self, class: &str, field: &str) -> bool {
        let body = self.class(class).and_then(|class| class.child_by_field_name("body"));
        let Some(body) = body else { return false };
        let mut cursor = body.walk();
        body.named_children(&mut cursor)
            .take(MOST_STATEMENTS)
            .filter_map(|statement| statement.named_child(0).filter(|first| first.kind() == "assignment"))
            .filter(|one| one.child_by_field_name("left").is_some_and(|left| self.text_of(left) == field))
            .any(|one| {
                let declared = one.child_by_field_name("type").map_or("", |declared| self.text_of(declared));
                leaves_no_choice(self, declared) || has_strict_pattern(self.text_of(one))
            })
    }

    /// The schema that a variable was checked by: of `const query = schema.parse(value)`, and of what is `.data` of a
    /// `safeParse`.
    fn checked_by(&self, object: Node<'t>) -> Option<Node<'t>> {
        let inner = match object.kind() {
            "member_expression" if self.text_of(object).ends_with(".data") => receiver(object)?,
            _ => object,
        };
        let given = self.last_assignment(Some(inner).filter(|inner| inner.kind() == "identifier")?)?.given;
        match given {
            Given::Value(value) => self.schema(Invocation::of(awaited(value))?),
            Given::Added(_) | Given::Listed(_) | Given::From(_) | Given::Nothing => None,
        }
    }

    /// `z.object({ sort: z.enum(["name", "price"]) })`
    fn has_strict_field(&self, schema: Node<'t>, field: &str) -> bool {
        let objects = Invocation::of(schema).map(|call| call.values()).unwrap_or_default();
        objects
            .first()
            .and_then(|object| property(*object, field, self))
            .is_some_and(|one| is_strict(self.text_of(one)))
    }

    /// The same for `const { sort } = schema.parse(value)`.
    pub(super) fn is_field_of_few(&self, name: &str, scope: &Scope<'t>) -> bool {
        if !self.is_script() {
            return false;
        }
        let mut given = scope.of_name(name);
        let (Some(only), None) = (given.next(), given.next()) else { return false };
        let pattern = only.whole.child_by_field_name("name");
        let is_taken = pattern.is_some_and(|pattern| pattern.kind() == "object_pattern");
        match only.given {
            Given::Value(value) if is_taken => Invocation::of(awaited(value))
                .and_then(|call| self.schema(call))
                .is_some_and(|schema| self.has_strict_field(schema, name)),
            _ => false,
        }
    }
}

fn awaited(value: Node<'_>) -> Node<'_> {
    match value.kind() {
        "await_expression" => value.named_child(0).unwrap_or(value),
        _ => value,
    }
}

fn is_strict(schema: &str) -> bool {
    let has = |one: &&str| schema.contains(*one);
    let is_text = schema.contains(".string(") && ![".uuid(", ".cuid("].iter().any(has);
    STRICT.iter().any(has) && !LOOSE.iter().any(has) && !is_text
}

/// `Query(pattern="^(name|price)$")`: a whole pattern of letters, digits and a few other harmless characters.
pub(super) fn has_strict_pattern(declared: &str) -> bool {
    ["pattern=", "regex="].iter().any(|key| {
        let Some((_, rest)) = declared.split_once(key) else { return false };
        let rest = rest.trim_start_matches('r');
        let Some(quote) = rest.chars().next().filter(|quote| matches!(quote, '"' | '\'')) else {
            return false;
        };
        let pattern = rest[1..].split(quote).next().unwrap_or_default();
        let inner = pattern.strip_prefix('^').and_then(|inner| inner.strip_suffix('$'));
        inner.is_some_and(|inner| {
            let is_harmless = |c: char| c.is_ascii_alphanumeric() || "_-|()[]{}+*?,:\\".contains(c);
            let escapes = inner.split('\\').skip(1).map(|rest| rest.chars().next());
            inner.chars().all(is_harmless)
                && escapes.into_iter().all(|one| matches!(one, Some('d' | 'w' | '-')))
        })
    })
}

#[cfg(test)]
mod tests {
    use crate::flow::tests::sunk;
    use crate::language::Language;

    #[test]
    fn a_declared_field_or_parameter_may_leave_no_choice() {
        let head = "import typing as t\nclass Period(enum.Enum):\n    DAY = 'day'\nclass Body(BaseModel):\n    sort: t.Literal['a', 'b']\n    name: str\n    code: str = Field(pattern='^[a-z]+$')\n";
        for (function, harmless) in [
            ("def f(a: t.Literal['b', 'c']):\n    sink('x' + a)", true),
            ("def f(a: Body):\n    sink('x' + a.sort)", true),
            ("def f(a: Body):\n    sink('x' + a.code)", true),
            ("def f(a: Body):\n    sink('x' + a.name)", false),
            ("def f(a: str = Query(pattern='^(b|c)$')):\n    sink('x' + a)", true),
            ("def f(a: str = Query(pattern='^.*$')):\n    sink('x' + a)", false),
            ("def f(a: str = Query(pattern='(b|c)')):\n    sink('x' + a)", false),
            ("def f(a):\n    sink('x' + Period(a).value)", true),
            ("def f(a):\n    b = Period(a)\n    sink('x' + b.value)", true),
            ("def f(a):\n    sink('x' + Body(a).value)", false),
        ] {
            let text = format!("{head}{function}\n");
            assert_eq!(!sunk(Language::Python, &text).is_dynamic(), harmless, "{function}");
        }
    }

    #[test]
    fn a_schema_may_leave_no_choice() {
        let schema = "const s = z.object({ a: z.enum(['b', 'c']), n: z.coerce.number(), t: z.string() });";
        for (body, harmless) in [
            ("const q = s.parse(req.query); sink('x' + q.a + q.n);", true),
            ("const { a } = await s.parseAsync(req.query); sink('x' + a);", true),
            ("const r = s.safeParse(req.query); sink('x' + r.data.a);", true),
            ("sink('x' + z.enum(['b']).parse(req.query.a));", true),
            ("const q = s.parse(req.query); sink('x' + q.t);", false),
            ("const { t } = s.parse(req.query); sink('x' + t);", false),
            ("const q = other.parse(req.query); sink('x' + q.a);", false),
        ] {
            let text = format!("{schema} app.get('/', async (req, res) => {{ {body} }});");
            assert_eq!(!sunk(Language::JavaScript, &text).is_dynamic(), harmless, "{body}");
        }
    }
}
