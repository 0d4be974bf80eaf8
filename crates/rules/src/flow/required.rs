//! Checks that end the function by themselves where they do not hold.

use tree_sitter::Node;

use super::Flow;
use super::arguments::Invocation;
use super::guards::{Asks, Guard};
use crate::language::Language;

impl<'t> Flow<'t> {
    /// Kotlin's `require(name.matches(…))` and Rust's `ensure!(…)`: what comes after has passed.
    pub(super) fn required(&self, node: Node<'t>) -> Option<Guard<'t>> {
        let (condition, mut whole) = match (self.language, node.kind()) {
            (Language::Kotlin, "call_expression") => {
                let call = Invocation::of(node)?;
                matches!(self.text_of(call.callee), "require" | "check").then_some(())?;
                (call.at(0)?, node)
            }
            (Language::Rust, "macro_invocation") => {
                let name = self.text_of(node.child_by_field_name("macro")?);
                matches!(name.rsplit("::").next()?, "ensure" | "assert").then_some(())?;
                (node.named_child(1)?, node)
            }
            _ => return None,
        };
        let is_around = |kind| matches!(kind, "call_expression" | "expression_statement");
        while let Some(around) = self.parent(whole).filter(|around| is_around(around.kind())) {
            whole = around;
        }
        let holds = whole.end_byte()..self.parent(whole)?.end_byte();
        Some(Guard { asks: Asks::Condition, condition, holds, fails: None, then: node, after: 0..0 })
    }
}
