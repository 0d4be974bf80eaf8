//! Where what a variable holds was made.

use std::ops::Range;

use tree_sitter::Node;

use super::Flow;
use super::scope::Given;

impl<'t> Flow<'t> {
    /// The places before a variable, in the innermost function that has it, at which it was given something.
    pub(crate) fn made_at(&self, variable: Node<'t>) -> Vec<Range<usize>> {
        let (name, at) = (self.text_of(variable), variable.start_byte());
        for scope in self.scopes_around(variable) {
            let given = scope.of_name(name);
            let before = given.filter(|one| one.after <= at && !matches!(one.given, Given::From(_)));
            let found: Vec<Range<usize>> = before.map(|one| one.whole.byte_range()).collect();
            if !found.is_empty() {
                return found;
            }
        }
        Vec::new()
    }
}
