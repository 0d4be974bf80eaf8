//! The rules that come with the product, one file each.

mod conflict_marker;
mod criterion_unmet;
mod debug_leftover;
mod debugger_stop;
mod focused_test;
mod function_profile;
mod hidden_unicode;
mod parameters;
mod policy_changed;
mod policy_diff;
mod python;
mod secret;
mod skipped_test;
mod source_as_binary;
mod spot;
mod stub;
mod test_functions;
mod test_without_assertion;
mod ticket_file_untouched;
mod todo_comment;
mod untested_change;

pub(crate) use secret::secrets_in;

use crate::rule::{ChangeRule, FileRule};

pub(crate) fn file_rules() -> Vec<Box<dyn FileRule>> {
    vec![
        Box::new(secret::Secret),
        Box::new(hidden_unicode::HiddenUnicode),
        Box::new(source_as_binary::SourceAsBinary),
        Box::new(conflict_marker::ConflictMarker),
        Box::new(stub::Stub),
        Box::new(debugger_stop::DebuggerStop),
        Box::new(debug_leftover::DebugLeftover),
        Box::new(todo_comment::TodoComment),
        Box::new(test_without_assertion::TestWithoutAssertion),
        Box::new(skipped_test::SkippedTest),
        Box::new(focused_test::FocusedTest),
    ]
}

pub(crate) fn change_rules() -> Vec<Box<dyn ChangeRule>> {
    vec![
        Box::new(untested_change::UntestedChange),
        Box::new(policy_changed::PolicyChanged),
        Box::new(function_profile::FunctionProfiles),
        Box::new(ticket_file_untouched::TicketFileUntouched),
        Box::new(criterion_unmet::CriterionUnmet),
    ]
}
