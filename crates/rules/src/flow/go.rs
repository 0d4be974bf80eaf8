//! What is Go's own: what a list or a map holds under an index, and types of a file that hold one of a few.

use tree_sitter::Node;

use super::arguments::Invocation;
use super::conditions::has_word;
use super::evaluate::{Fuel, is_constant_name};
use super::scope::{Given, Scope, root_of};
use super::walk::{Step, walk};
use super::{Flow, Origin, Value};
use crate::language::Language;

/// Of a longer function nothing is known.
const MOST_NODES: u32 = 20_000;

/// A longer file is not searched for what a type is.
const LONGEST_FILE: usize = 200_000;

/// Longer methods are not read.
const LONGEST_METHOD: usize = 800;

/// So many variables lead from a file's name to the form it came with.
const LONGEST_TRAIL: usize = 4;

/// Parts of a request that hold uploaded files.
const UPLOADED: [&str; 3] = [".FormFile(", ".MultipartForm", ".MultipartReader("];

/// What the types of numbers are called.
const NUMBERS: [&str; 12] = [
    "int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64", "float64",
    "bool",
];

/// What a list or a map holds, in order, each with its key if it has one.
type Held<'t> = Vec<(Option<&'t str>, Node<'t>)>;

impl<'t> Flow<'t> {
    /// `list[0]` after `list = append(list, value)`, `table["a"]` after `table["a"] = value`: the value. Nothing where what
    /// was put in cannot be told.
    pub(super) fn indexed_in_go(&self, node: Node<'t>, fuel: &mut Fuel) -> Option<Value> {
        if self.language != Language::Go || node.kind() != "index_expression" {
            return None;
        }
        let object = node.child_by_field_name("operand").filter(|one| one.kind() == "identifier")?;
        let key = node.child_by_field_name("index")?;
        let scope = self.scopes_around(node).into_iter().next()?;
        let text = self.text_of(key);
        let wanted = match key.kind() {
            "interpreted_string_literal" | "int_literal" => self.held(object, &scope)?,
            _ => return None,
        };
        let found = match key.kind() {
            "int_literal" => wanted.get(text.parse::<usize>().ok()?).filter(|(key, _)| key.is_none()),
            _ => wanted.iter().rev().find(|(key, _)| *key == Some(text)),
        };
        found.map(|(_, value)| self.evaluate(*value, fuel))
    }

    fn held(&self, object: Node<'t>, scope: &Scope<'t>) -> Option<Held<'t>> {
        let (name, at) = (self.text_of(object), object.start_byte());
        let mut before = scope.of_name(name).rev().filter(|one| one.after <= at);
        let made = before.find(|one| matches!(one.given, Given::Value(_) | Given::From(_)))?;
        let Given::Value(value) = made.given else { return None };
        let is_certain = made.block.contains(&at) && !is_in_turn(object, made.after);
        if value.kind() != "composite_literal" || !is_certain {
            return None;
        }
        let mut held = self.written_in(value)?;
        let mut is_known = true;
        let mut left = MOST_NODES;
        walk(scope.function?, |node| {
            left = left.saturating_sub(1);
            is_known &= left > 0;
            if node.start_byte() >= at || !is_known {
                return Step::Over;
            }
            if node.kind() == "identifier" && node.start_byte() > made.after && self.text_of(node) == name {
                match self.done_to(node, at) {
                    Some(more) => held.extend(more),
                    None => is_known = false,
                }
            }
            Step::Into
        });
        Some(held).filter(|_| is_known)
    }

    fn written_in(&self, literal: Node<'t>) -> Option<Held<'t>> {
        let body = literal.child_by_field_name("body")?;
        let mut cursor = body.walk();
        let inner = |node: Node<'t>| match node.kind() {
            "literal_element" => node.named_child(0).unwrap_or(node),
            _ => node,
        };
        let one = |element: Node<'t>| match element.kind() {
            "keyed_element" => {
                let key = inner(element.named_child(0)?);
                let is_text = key.kind() == "interpreted_string_literal";
                is_text.then_some((Some(self.text_of(key)), inner(element.named_child(1)?)))
            }
            _ => Some((None, inner(element))),
        };
        body.named_children(&mut cursor).filter(|child| !child.is_extra()).map(one).collect()
    }

    /// What is put into a list or a map where it is named here. Nothing where it may be anything.
    fn done_to(&self, name: Node<'t>, used: usize) -> Option<Held<'t>> {
        let parent = name.parent()?;
        let certain = |statement: Node<'t>| {
            let block = statement.parent().filter(|block| block.byte_range().contains(&used));
            block.map(|_| statement)
        };
        match parent.kind() {
            // `list = append(list, more)`
            "expression_list" => {
                let statement = assigned_to(parent).and_then(certain)?;
                let right =
                    statement.child_by_field_name("right").filter(|one| one.named_child_count() == 1)?;
                let call = Invocation::of(right.named_child(0)?)?;
                let is_append = self.text_of(call.callee) == "append" && !call.is_open();
                let mut passed = call.values().into_iter();
                let is_itself = passed.next().is_some_and(|list| self.text_of(list) == self.text_of(name));
                let is_only = parent.named_child_count() == 1;
                (is_append && is_itself && is_only).then(|| passed.map(|one| (None, one)).collect())
            }
            "index_expression" if parent.child_by_field_name("operand") == Some(name) => {
                let Some(target) = parent.parent().filter(|list| list.kind() == "expression_list") else {
                    return Some(Vec::new());
                };
                let Some(statement) = assigned_to(target) else { return Some(Vec::new()) };
                let key = parent.child_by_field_name("index")?;
                let is_text = key.kind() == "interpreted_string_literal" && target.named_child_count() == 1;
                let value = certain(statement)?.child_by_field_name("right")?.named_child(0)?;
                is_text.then(|| vec![(Some(self.text_of(key)), value)])
            }
            "argument_list" => {
                let call = parent.parent().and_then(Invocation::of)?;
                matches!(self.text_of(call.callee), "len" | "append").then(Vec::new)
            }
            "range_clause" => Some(Vec::new()),
            _ => None,
        }
    }

    /// What is Go's own about a field: capitals make no constant of one, and the name of an uploaded file is cut to its last
    /// part where the form is read.
    pub(super) fn field_of_go(&self, node: Node<'t>, last: &str, fuel: &mut Fuel) -> Option<Value> {
        let is_asked = last == "Filename" || is_constant_name(last) && last != "ID";
        let object =
            node.child_by_field_name("operand").filter(|_| self.language == Language::Go && is_asked)?;
        let whole = self.evaluate(object, fuel);
        let part = Some(Value::part_of(&whole)).filter(|part| part.origin == Origin::Tainted)?;
        match last {
            "Filename" => self.is_uploaded(object).then(|| part.kept_inside()),
            _ => Some(part),
        }
    }

    /// `_, header, err := r.FormFile("file")`, `for _, header := range r.MultipartForm.File["files"]`.
    fn is_uploaded(&self, object: Node<'t>) -> bool {
        let mut object = object;
        for _ in 0..LONGEST_TRAIL {
            if UPLOADED.iter().any(|word| self.text_of(object).contains(word)) {
                return true;
            }
            let Some(made) = root_of(object).and_then(|root| self.last_assignment(root)) else {
                return false;
            };
            let Given::Value(value) = made.given else { return false };
            object =
                if value.kind() == "expression_list" { value.named_child(0).unwrap_or(value) } else { value };
        }
        false
    }

    /// Whether the file makes a number out of a type: `type Column int`.
    pub(super) fn is_number_of_go(&self, name: &str) -> bool {
        self.made_of_in_go(name).is_some_and(|kind| NUMBERS.contains(&kind))
    }

    fn made_of_in_go(&self, name: &str) -> Option<&'t str> {
        let is_name =
            name.starts_with(|c: char| c.is_alphabetic()) && name.chars().all(char::is_alphanumeric);
        let text =
            std::str::from_utf8(self.text).ok().filter(|text| is_name && text.len() <= LONGEST_FILE)?;
        text.match_indices(&format!("{name} ")).find_map(|(at, found)| {
            let line = text[..at].rsplit('\n').next().unwrap_or_default().trim();
            let kind = text[at + found.len()..].split('\n').next().unwrap_or_default();
            let kind = kind.split("//").next().unwrap_or_default().trim();
            let is_kind = !kind.is_empty() && kind.chars().all(char::is_alphanumeric);
            (line == "type" && is_kind).then_some(kind)
        })
    }

    /// Whether a method of the file, of a text that the file has made a type of, compares it with constants.
    pub(super) fn compares_itself(&self, method: &str, is_its: impl Fn(&str) -> bool) -> bool {
        let Ok(text) = std::str::from_utf8(self.text) else { return false };
        let head = format!(") {method}() bool {{");
        text.len() <= LONGEST_FILE
            && text.match_indices(&head).any(|(at, found)| {
                let line = text[..at].rsplit('\n').next().unwrap_or_default();
                let Some((own, kind)) = line.strip_prefix("func (").and_then(|own| own.split_once(' '))
                else {
                    return false;
                };
                let body = text[at + found.len()..].split("\n}").next().unwrap_or_default();
                let body =
                    if body.starts_with('\n') { body } else { body.split('\n').next().unwrap_or(body) };
                let compares = body.contains(&format!("{own} == "))
                    || body.contains(&format!("switch {own} {{"))
                    || body.contains(&format!("[{own}]"));
                is_its(kind)
                    && self.made_of_in_go(kind) == Some("string")
                    && body.len() <= LONGEST_METHOD
                    && compares
                    && has_word(body, own)
            })
    }
}

/// The assignment that a list of names on its left belongs to.
fn assigned_to(list: Node<'_>) -> Option<Node<'_>> {
    let statement = list.parent().filter(|one| one.kind() == "assignment_statement")?;
    let is_plain = statement.child_by_field_name("operator").is_none_or(|sign| sign.kind() == "=");
    (is_plain && statement.child_by_field_name("left") == Some(list)).then_some(statement)
}

/// Whether a loop stands around a node that began after `made`: an earlier turn of it may have done anything.
fn is_in_turn(node: Node<'_>, made: usize) -> bool {
    let around = std::iter::successors(node.parent(), Node::parent).take(64);
    around.into_iter().any(|around| around.kind() == "for_statement" && around.start_byte() >= made)
}

#[cfg(test)]
mod tests {
    use crate::flow::Origin;
    use crate::flow::tests::sunk;
    use crate::language::Language;

    fn origin(body: &str) -> Origin {
        let text = format!(
            "package a\nfunc f(w http.ResponseWriter, r *http.Request) {{\n\ta := r.FormValue(\"a\")\n{body}\n}}\n"
        );
        sunk(Language::Go, &text).origin
    }

    #[test]
    fn what_is_taken_out_is_what_was_put_in() {
        let list = "\tlist := []string{\"b\"}\n\tlist = append(list, a)\n";
        assert_eq!(origin(&format!("{list}\tsink(list[0])")), Origin::Constant);
        assert_eq!(origin(&format!("{list}\tsink(list[1])")), Origin::Tainted);
        let map = "\tm := map[string]string{\"a\": \"x\"}\n\tm[\"b\"] = a\n";
        assert_eq!(origin(&format!("{map}\tsink(m[\"a\"])")), Origin::Constant);
        assert_eq!(origin(&format!("{map}\tsink(m[\"b\"])")), Origin::Tainted);
    }

    #[test]
    fn what_others_had_in_hand_is_not_known() {
        let map = "\tm := map[string]string{\"a\": \"x\"}\n\tm[\"b\"] = a\n";
        assert_eq!(origin(&format!("{map}\tfill(m)\n\tsink(m[\"a\"])")), Origin::Tainted);
        assert_eq!(origin(&format!("{map}\tm[a] = a\n\tsink(m[\"a\"])")), Origin::Tainted);
        let list = "\tlist := []string{\"b\"}\n\tif a != \"\" {\n\t\tlist = append(list, a)\n\t}\n";
        assert_eq!(origin(&format!("{list}\tsink(list[0])")), Origin::Tainted);
    }

    #[test]
    fn a_number_under_another_name_is_a_number() {
        for (kind, harmless) in [("int", true), ("uint8 // of the table", true), ("string", false)] {
            let text = format!(
                "package a\ntype Column {kind}\nfunc f(c Column) {{\n\tsink(\"a \" + c.String())\n}}\n"
            );
            assert_eq!(sunk(Language::Go, &text).origin <= Origin::Clean, harmless, "{kind}");
        }
    }

    #[test]
    fn capitals_make_no_constant_of_a_field() {
        let made = "\tq := &Query{SQL: a, ID: a}\n";
        assert_eq!(origin(&format!("{made}\tsink(q.SQL)")), Origin::Tainted);
        assert_eq!(origin(&format!("{made}\tsink(q.ID)")), Origin::Clean);
        assert_eq!(origin("\tq := &Query{SQL: \"b\"}\n\tsink(q.SQL)"), Origin::Clean);
        assert_eq!(origin("\tsink(http.URL)"), Origin::Clean);
    }

    #[test]
    fn the_name_of_an_uploaded_file_has_no_folders() {
        let below = |body: &str| {
            let text = format!("package a\nfunc f(r *http.Request) {{\n{body}\n}}\n");
            sunk(Language::Go, &text).below
        };
        assert!(below("\tform := r.MultipartForm\n\tall, ok := form.File[\"a\"]\n\tsink(all[0].Filename)"));
        assert!(below("\t_, header, err := r.FormFile(\"a\")\n\tsink(header.Filename)"));
        assert!(below(
            "\tall := r.MultipartForm.File[\"a\"]\n\tfor _, one := range all {\n\t\tsink(one.Filename)\n\t}"
        ));
        assert!(!below(
            "\tvar order Order\n\tjson.NewDecoder(r.Body).Decode(&order)\n\tsink(order.Filename)"
        ));
    }
}
