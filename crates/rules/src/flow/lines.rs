//! Texts out of which the ends of lines were taken.

use tree_sitter::Node;

use super::arguments::Invocation;
use super::evaluate::Fuel;
use super::{Flow, Value};

/// Calls that put something in the place of a part of a text.
const REPLACING: [&str; 6] = ["replace", "replaceAll", "ReplaceAll", "Replace", "sub", "ReplaceAllString"];

impl<'t> Flow<'t> {
    /// What a call gives back.
    pub(super) fn call(&self, node: Node<'t>, fuel: &mut Fuel) -> Value {
        let value = self.called(node, fuel);
        if value.is_dynamic() && !value.one_line && self.takes_out_lines(node) {
            return value.in_one_line();
        }
        value
    }

    /// `text.replace("\n", "")`, `strings.ReplaceAll(text, "\n", " ")`, `re.sub(r"[\r\n]", "_", text)`.
    fn takes_out_lines(&self, node: Node<'t>) -> bool {
        let Some(call) = Invocation::of(node) else { return false };
        let whole = self.name_of(call.callee);
        if !REPLACING.contains(&whole.rsplit('.').next().unwrap_or_default()) {
            return false;
        }
        let is_literal = |one: &Node<'t>| one.kind() == "regex" || one.kind().contains("string");
        let mut literals = call.values().into_iter().filter(is_literal).map(|one| self.text_of(one));
        let ends = |text: &str| ["\\n", "\\R", "\\s", "\\p{Cntrl}"].iter().any(|end| text.contains(end));
        let keeps = |text: &str| text.contains("[^");
        literals.next().is_some_and(|out| ends(out) && !keeps(out)) && !literals.any(ends)
    }
}
