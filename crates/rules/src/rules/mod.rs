//! The rules that come with the product, one file each.

mod agent_steering;
mod answer_for_tests;
mod assertion;
mod blanket_suppression;
mod commented_out_code;
mod commented_out_shell;
mod complexity;
mod conflict_marker;
mod consistency;
mod coordination;
mod copied_code;
mod criterion_unmet;
mod debug_leftover;
mod debugger_stop;
mod expectation_changed;
mod fixed_condition;
mod fixed_names;
mod focused_test;
mod full_switch;
mod guards;
mod hidden_unicode;
mod logic_moved;
mod measure;
mod mocked_answer;
mod mocked_subject;
mod mocked_words;
mod not_written;
mod performance;
mod policy_changed;
mod policy_diff;
mod proof;
mod proof_words;
mod python;
mod requirement_missing;
mod requirement_names;
mod requirement_obliged;
mod requirement_place;
mod requirement_prose;
mod requirement_scope;
mod requirement_ticked;
mod running;
mod secret;
mod self_compared;
mod skip_marks;
mod skipped_test;
mod snapshot_rerecorded;
mod source_as_binary;
mod source_unread;
mod spot;
mod stray_print;
mod stub;
mod stub_replaced;
mod subject_redefined;
mod submodule_moved;
mod swallowed;
mod swallowed_assertion;
mod symlink_outside;
mod test_body;
mod test_functions;
mod test_habit;
mod test_redefined;
mod test_removed;
mod test_sleep;
mod test_without_assertion;
mod ticket_file_untouched;
mod todo_comment;
mod trivial_assertion;
mod unreachable_code;
mod unreached_assertion;
mod untested_change;
mod unused_function;
mod unused_import;
mod words;

pub(crate) use assertion::{Pairing, Trivial, Unit, asserting, marker_nodes, pairs, units};
pub use coordination::{defines, may_define_functions};
pub(crate) use secret::{Keychain, Reading, secrets_in, secrets_read_as, tells_of_secrets};
pub(crate) use skip_marks::switches_off;
pub(crate) use words::words;

use crate::rule::{ChangeRule, FileRule};

pub(crate) fn file_rules() -> Vec<Box<dyn FileRule>> {
    vec![
        Box::new(secret::Secret),
        Box::new(secret::credential::HardcodedCredential),
        Box::new(hidden_unicode::HiddenUnicode),
        Box::new(agent_steering::AgentSteering),
        Box::new(source_as_binary::SourceAsBinary),
        Box::new(symlink_outside::SymlinkOutside),
        Box::new(submodule_moved::SubmoduleMoved),
        Box::new(conflict_marker::ConflictMarker),
        Box::new(stub::Stub),
        Box::new(swallowed::SwallowedError),
        Box::new(unreachable_code::UnreachableCode),
        Box::new(commented_out_code::CommentedOutCode),
        Box::new(complexity::ComplexFunction),
        Box::new(unused_import::UnusedImport),
        Box::new(unused_function::UnusedFunction),
        Box::new(stray_print::StrayPrint),
        Box::new(performance::QueryInLoop),
        Box::new(performance::BlockingInAsync),
        Box::new(performance::QuadraticLoop),
        Box::new(performance::EndlessLoop),
        Box::new(performance::UnboundedGrowth),
        Box::new(performance::UnboundedRead),
        Box::new(performance::UnclosedResource),
        Box::new(consistency::DuplicateDependency),
        Box::new(debugger_stop::DebuggerStop),
        Box::new(debug_leftover::DebugLeftover),
        Box::new(todo_comment::TodoComment),
        Box::new(blanket_suppression::BlanketSuppression),
        Box::new(test_without_assertion::TestWithoutAssertion),
        Box::new(trivial_assertion::TrivialAssertion),
        Box::new(skipped_test::SkippedTest),
        Box::new(focused_test::FocusedTest),
        Box::new(test_redefined::TestRedefined),
        Box::new(swallowed_assertion::SwallowedAssertion),
        Box::new(unreached_assertion::UnreachedAssertion),
        Box::new(mocked_subject::MockedSubject),
        Box::new(test_sleep::TestSleep),
        Box::new(stub_replaced::LogicReplaced),
        Box::new(guards::GuardRemoved),
        Box::new(answer_for_tests::AnswerForTests),
        Box::new(source_unread::SourceUnread),
    ]
}

pub(crate) fn change_rules() -> Vec<Box<dyn ChangeRule>> {
    vec![
        Box::new(untested_change::UntestedChange),
        Box::new(test_removed::TestRemoved),
        Box::new(assertion::AssertionRemoved),
        Box::new(expectation_changed::ExpectationChanged),
        Box::new(subject_redefined::SubjectRedefined),
        Box::new(snapshot_rerecorded::SnapshotRerecorded),
        Box::new(policy_changed::PolicyChanged),
        Box::new(copied_code::CopiedCode),
        Box::new(consistency::NamingHabit),
        Box::new(consistency::WrapperBypassed),
        Box::new(coordination::FunctionProfiles),
        Box::new(coordination::DirectoryStructure),
        Box::new(coordination::BreakingChange),
        Box::new(coordination::SharedInterfaces),
        Box::new(coordination::ChecksChanged),
        Box::new(ticket_file_untouched::TicketFileUntouched),
        Box::new(criterion_unmet::CriterionUnmet),
        Box::new(requirement_missing::TicketNameMissing),
        Box::new(requirement_ticked::TickedWithoutChange),
        Box::new(requirement_scope::OutsideScope),
    ]
}
