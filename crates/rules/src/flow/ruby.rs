//! What Ruby writes otherwise than the languages that the rest of this folder speaks of. What is not known here by name is
//! unknown, and nobody is told about it.

use tree_sitter::Node;

use super::arguments::Invocation;
use super::evaluate::Fuel;
use super::guards::{Asks, Guard};
use super::names::Part;
use super::{Flow, Origin, Places, Value, sources, text_of};
use crate::language::Language;

/// Methods and functions whose results are numbers, digests, escaped or otherwise not what was put in.
const HARMLESS: [&str; 40] = [
    "to_i",
    "to_f",
    "to_r",
    "to_d",
    "to_date",
    "to_time",
    "to_datetime",
    "to_json",
    "Integer",
    "Float",
    "count",
    "size",
    "length",
    "hash",
    "hexdigest",
    "digest",
    "base64digest",
    "hex",
    "uuid",
    "h",
    "u",
    "j",
    "e",
    "strip_tags",
    "url_encode",
    "encode_www_form_component",
    "encode_www_form",
    "parameterize",
    "strftime",
    "ordinalize",
    "iso8601",
    "number_to_currency",
    "number_with_delimiter",
    "table_name",
    "model_name",
    "controller_name",
    "action_name",
    "to_query",
    "to_param",
    "abs",
];

/// Methods that give much the same text as what they are called on, or some of what it holds.
const PASSING: [&str; 41] = [
    "to_s",
    "to_str",
    "to_sym",
    "to_h",
    "to_unsafe_h",
    "to_a",
    "strip",
    "lstrip",
    "rstrip",
    "chomp",
    "chop",
    "downcase",
    "upcase",
    "capitalize",
    "squish",
    "dup",
    "clone",
    "freeze",
    "presence",
    "html_safe",
    "split",
    "first",
    "last",
    "join",
    "tr",
    "delete",
    "slice",
    "reverse",
    "force_encoding",
    "encode",
    "unicode_normalize",
    "require",
    "permit",
    "dig",
    "values",
    "keys",
    "compact",
    "uniq",
    "concat",
    "prepend",
    "itself",
];

/// Functions of modules that hand on what they are given in another form.
const CONVERTING: [&str; 14] = [
    "File.join",
    "File.expand_path",
    "CGI.unescape",
    "URI.decode_www_form_component",
    "URI.parse",
    "URI",
    "Base64.decode64",
    "Base64.strict_decode64",
    "Base64.urlsafe_decode64",
    "JSON.parse",
    "String",
    "Array",
    "Arel.sql",
    "raw",
];

/// What a node of Ruby calls what it stands for.
pub(super) fn part<'t>(node: Node<'t>, text: &'t [u8]) -> Option<Part<'t>> {
    let field = |name| node.child_by_field_name(name);
    Some(match node.kind() {
        "constant" | "instance_variable" => Part::Name(text_of(text, node)),
        "subshell" => Part::Name("`"),
        "scope_resolution" => match (field("scope"), field("name")) {
            (Some(scope), Some(name)) => Part::Of(scope, text_of(text, name)),
            (None, Some(name)) => Part::Name(text_of(text, name)),
            _ => return None,
        },
        "call" => match (field("receiver"), field("method")) {
            (Some(receiver), Some(method)) => Part::Of(receiver, text_of(text, method)),
            (None, Some(method)) => Part::Name(text_of(text, method)),
            _ => return None,
        },
        "element_reference" => Part::Inside(field("object")?),
        _ => return None,
    })
}

impl<'t> Flow<'t> {
    pub(super) fn evaluate_ruby(&self, node: Node<'t>, fuel: &mut Fuel) -> Option<Value> {
        let field = |name| node.child_by_field_name(name);
        Some(match node.kind() {
            "identifier" => {
                let value = self.named(self.text_of(node), node, fuel);
                match (self.text_of(node), value.origin) {
                    // Nobody has given it anything else.
                    ("params" | "cookies", Origin::Unknown) => Value::of(Origin::Tainted),
                    _ => value,
                }
            }
            "instance_variable" => self.named(self.text_of(node), node, fuel),
            "constant" | "scope_resolution" | "unary" | "self" => Value::of(Origin::Clean),
            "subshell" | "heredoc_body" | "bare_string" => self.string(node, fuel),
            "chained_string" => self.in_sequence(node, fuel),
            "simple_symbol" | "hash_key_symbol" | "symbol" | "character" => {
                Value::constant(self.text_of(node))
            }
            "element_reference" => self.element_of_ruby(node, fuel),
            "call" => self.called_in_ruby(node, fuel),
            "binary" => self.binary_of_ruby(node, fuel),
            "then" | "else" | "body_statement" | "parenthesized_statements" | "begin" | "splat_argument" => {
                self.last_inside(node, fuel)
            }
            "string_array" | "symbol_array" | "hash" | "argument_list" => self.all_inside(node, fuel),
            "assignment" => self.inside(field("right"), fuel),
            "rescue_modifier" => self.all_inside(node, fuel),
            _ => return None,
        })
    }

    fn element_of_ruby(&self, node: Node<'t>, fuel: &mut Fuel) -> Value {
        let whole = self.inside(node.child_by_field_name("object"), fuel);
        if !whole.is_dynamic() {
            return Value::of(Origin::Clean);
        }
        self.once_checked(node, Value::part_of(&whole))
    }

    fn once_checked(&self, node: Node<'t>, value: Value) -> Value {
        match self.scopes_around(node).into_iter().next() {
            Some(scope) => self.checked(self.text_of(node), node.start_byte(), &scope).leave_of(value),
            None => value,
        }
    }

    fn binary_of_ruby(&self, node: Node<'t>, fuel: &mut Fuel) -> Value {
        let operator = node.child_by_field_name("operator").map_or("", |operator| self.text_of(operator));
        let sides = ["left", "right"].map(|field| node.child_by_field_name(field));
        match operator {
            "+" | "<<" => {
                let [left, right] = sides.map(|side| self.inside(side, fuel));
                left.followed_by(right)
            }
            "%" if sides[0].is_some_and(|left| left.kind() == "string") => {
                let [format, values] = sides.map(|side| self.inside(side, fuel));
                format.filled_with(vec![values], Places::Percent)
            }
            "||" | "or" | "&&" | "and" => self.either_of(sides, fuel),
            _ => Value::of(Origin::Clean),
        }
    }

    fn called_in_ruby(&self, node: Node<'t>, fuel: &mut Fuel) -> Value {
        let Some(call) = Invocation::of(node) else { return Value::unknown() };
        let whole = self.name_of(node);
        let last = whole.rsplit('.').next().unwrap_or_default();
        if HARMLESS.contains(&last) || last.ends_with('?') || sources::is_harmless(last) {
            return Value::of(Origin::Clean);
        }
        let arguments = call.values();
        let all = |fuel: &mut Fuel| {
            let values: Vec<Value> = arguments.iter().map(|one| self.evaluate(*one, fuel)).collect();
            values.into_iter().reduce(Value::with).unwrap_or_else(|| Value::constant(""))
        };
        match whole.as_str() {
            "request.params" | "request.query_string" | "request.query_parameters" => {
                return Value::of(Origin::Tainted);
            }
            "format" | "sprintf" => {
                let mut values = arguments.iter().map(|one| self.evaluate(*one, fuel));
                let format = values.next().unwrap_or_else(Value::unknown);
                return format.filled_with(values.collect(), Places::Percent);
            }
            name if sources::gives_base_name(name) => {
                let path = arguments.first().copied().or(call.receiver);
                return Value::part_of(&self.inside(path, fuel)).kept_inside();
            }
            "Rails.root().join" => return all(fuel),
            name if CONVERTING.contains(&name) => return all(fuel),
            _ => {}
        }
        let Some(receiver) = call.receiver else { return Value::unknown() };
        let is_class = matches!(receiver.kind(), "constant" | "scope_resolution")
            && !self.text_of(receiver).bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
        if is_class {
            return Value::unknown();
        }
        let value = self.evaluate(receiver, fuel);
        match last {
            "fetch" => {
                let other = arguments.get(1).map(|other| self.evaluate(*other, fuel));
                let given = other.into_iter().fold(value, Value::or);
                if given.is_dynamic() {
                    self.once_checked(node, Value::part_of(&given))
                } else {
                    Value::of(Origin::Clean)
                }
            }
            "gsub" | "sub" | "delete" | "tr" if self.keeps_a_few(last, &arguments) => {
                Value::of(Origin::Clean)
            }
            "gsub" | "sub" => value,
            name if PASSING.contains(&name) => value,
            _ => Value::unknown(),
        }
    }

    /// `gsub(/[^a-z]/, "")`, `tr("^a-z", "")`, `delete("^a-z")`.
    fn keeps_a_few(&self, method: &str, arguments: &[Node<'t>]) -> bool {
        let Some(pattern) = arguments.first().map(|pattern| self.text_of(*pattern)) else { return false };
        let class = match method {
            "gsub" => pattern.strip_prefix("/[^"),
            "tr" | "delete" => pattern.strip_prefix("\"^").or_else(|| pattern.strip_prefix("'^")),
            _ => None,
        };
        let class = class.and_then(|class| class.split([']', '\'', '"']).next());
        class.is_some_and(|class| !class.contains(['.', '/', ';', '<']))
    }

    /// The check that Ruby's branches make, and what stands behind a statement: `return unless LIST.include?(name)`.
    pub(super) fn guard_of_ruby(&self, node: Node<'t>) -> Option<Guard<'t>> {
        if self.language != Language::Ruby {
            return None;
        }
        let field = |name| node.child_by_field_name(name);
        let (is_negated, then, other) = match node.kind() {
            "if" | "elsif" | "conditional" => (false, field("consequence")?, field("alternative")),
            "unless" => (true, field("consequence")?, field("alternative")),
            "if_modifier" => (false, field("body")?, None),
            "unless_modifier" => (true, field("body")?, None),
            _ => return None,
        };
        let condition = field("condition")?;
        let after = node.end_byte()..self.end_around(node);
        let rest = match other {
            Some(other) => Some(other.byte_range()),
            None => self.leaves(then).then(|| after.clone()),
        };
        let nowhere = 0..0;
        Some(match is_negated {
            false => {
                Guard { asks: Asks::Condition, condition, holds: then.byte_range(), fails: rest, then, after }
            }
            true => Guard {
                asks: Asks::Condition,
                condition,
                holds: rest.unwrap_or(nowhere.clone()),
                fails: Some(then.byte_range()),
                then,
                after: nowhere,
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::flow::Origin;
    use crate::flow::tests::sunk;
    use crate::language::Language;

    fn origin(body: &str) -> Origin {
        let text =
            format!("class A\n  SORTS = {{ 'a' => 'b' }}.freeze\n  def f(given)\n    {body}\n  end\nend\n");
        sunk(Language::Ruby, &text).origin
    }

    #[test]
    fn what_a_request_brings_is_followed_through_variables() {
        for body in [
            "sink(params[:a])",
            "a = params[:a]\n    b = a.strip\n    sink(\"x #{b}\")",
            "sql = 'x '\n    sql += params.fetch(:a, 'b')\n    sink(sql)",
            "@a = params[:user][:name]\n    sink('x' + @a)",
            "sink(File.join('/data', params[:file]))",
            "a = params[:a] || 'b'\n    sink(\"x #{a}\")",
            "sink(format('a %s', params[:a]))",
            "log unless SORTS.key?(params[:a])\n    sink(params[:a])",
        ] {
            assert_eq!(origin(body), Origin::Tainted, "{body}");
        }
    }

    #[test]
    fn checks_escapes_and_numbers_make_it_harmless() {
        for body in [
            "sink(params[:a].to_i)",
            "sink(Integer(params[:a]))",
            "a = Shellwords.escape(params[:a])\n    sink(\"x #{a}\")",
            "sink(\"x #{connection.quote_string(params[:a])}\")",
            "sink(sanitize_sql(params[:a]))",
            "sink(SORTS.fetch(params[:a], 'b'))",
            "sink(SORTS[params[:a]] || 'b')",
            "a = SORTS.key?(params[:a]) ? params[:a] : 'b'\n    sink(\"x #{a}\")",
            "return unless %w[a b].include?(params[:a])\n    sink(params[:a])",
            "a = params[:a]\n    raise 'bad' unless a.match?(/\\A[a-z]+\\z/)\n    sink(a)",
            "sink(params[:a].gsub(/[^a-z]/, ''))",
            "sink(h(params[:a]))",
        ] {
            assert!(origin(body) <= Origin::Clean, "{body}");
        }
    }

    #[test]
    fn what_is_not_known_is_unknown() {
        for body in ["sink(items_path(params[:a]))", "sink(user.name)", "sink(\"x #{clean(params[:a])}\")"] {
            assert_eq!(origin(body), Origin::Unknown, "{body}");
        }
        assert_eq!(origin("sink(\"x #{given}\")"), Origin::Parameter);
    }
}
