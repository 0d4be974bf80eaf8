//! The words by which a test says that it expects something. Generous: a test that may well assert is left alone.

use crate::language::Language;
use crate::syntax::Call;

const RUST: [&str; 12] = [
    "assert",
    "check",
    "verif",
    "expect",
    "ensure",
    "snapshot",
    "should",
    "panic",
    "must",
    "unwrap",
    "compile_fail",
    "unreachable",
];

const PYTHON: [&str; 16] = [
    "assert",
    "check",
    "verify",
    "expect",
    "raises",
    "warns",
    "ensure",
    "should",
    "validate",
    "must",
    "fail",
    "compare",
    "snapshot",
    "approve",
    "benchmark",
    "skip",
];

const SCRIPT: [&str; 13] = [
    "assert",
    "expect",
    "verify",
    "check",
    "should",
    "snapshot",
    "ensure",
    "must",
    "fail",
    "throw",
    "reject",
    "invariant",
    "validate",
];
const SCRIPT_BEGINNINGS: [&str; 7] =
    ["getby", "getallby", "findby", "findallby", "waitfor", "compare", "bench"];

const GO: [&str; 9] =
    ["assert", "check", "verify", "expect", "must", "require", "should", "ensure", "compare"];
const GO_METHODS: [&str; 9] =
    ["Error", "Errorf", "Fatal", "Fatalf", "Fail", "FailNow", "Skip", "Skipf", "SkipNow"];
const GO_PACKAGES: [&[u8]; 17] = [
    b"require",
    b"assert",
    b"is",
    b"qt",
    b"expect",
    b"must",
    b"check",
    b"gomega",
    b"convey",
    b"so",
    b"testify",
    b"approvals",
    b"snaps",
    b"suite",
    b"goleak",
    b"testscript",
    b"analysistest",
];

const JVM: [&str; 17] = [
    "assert",
    "verif",
    "expect",
    "should",
    "fail",
    "check",
    "require",
    "validate",
    "ensure",
    "must",
    "match",
    "approve",
    "snapshot",
    "await",
    "statuscode",
    "hassize",
    "stepverifier",
];
const JVM_BEGINNINGS: [&str; 5] = ["isequal", "istrue", "isfalse", "isnull", "isnot"];

const OTHERS: [&str; 24] = [
    "assert",
    "verif",
    "expect",
    "should",
    "must",
    "wont_",
    "fail",
    "check",
    "require",
    "ensure",
    "validate",
    "match",
    "approve",
    "snapshot",
    "raise",
    "throw",
    "refute",
    "received",
    "intercept",
    "forall",
    "fulfill",
    "wait",
    "skip",
    "boost_",
];

/// Whether a word that stands in a test says so.
pub(super) fn asserts_by_word(word: &str, language: Language) -> bool {
    let word = word.to_ascii_lowercase();
    let holds = |words: &[&str]| words.iter().any(|one| word.contains(one));
    let begins = |words: &[&str]| words.iter().any(|one| word.starts_with(one));
    match language {
        Language::Rust => holds(&RUST) || ["pass", "run", "err"].contains(&word.as_str()),
        Language::Python => holds(&PYTHON),
        Language::JavaScript | Language::TypeScript => {
            holds(&SCRIPT) || begins(&SCRIPT_BEGINNINGS) || ["cy", "tape"].contains(&word.as_str())
        }
        Language::Java | Language::Kotlin => holds(&JVM) || begins(&JVM_BEGINNINGS),
        _ => holds(&OTHERS) || begins(&["ck_", "cr_", "mock_", "isequal"]),
    }
}

/// Whether a call says so, by its name, what it is called on, or what it is given.
pub(super) fn asserts_by_call(call: &Call<'_>, name: &str, receiver: &[u8], language: Language) -> bool {
    match language {
        Language::Go => {
            let word = name.to_ascii_lowercase();
            GO_PACKAGES.contains(&receiver)
                || (!receiver.is_empty() && GO_METHODS.contains(&name))
                || GO.iter().any(|one| word.contains(one))
                || ["panic", "RunSpecs"].contains(&name)
                || call.arguments().any(|given| given.bytes() == b"t")
        }
        Language::JavaScript | Language::TypeScript => {
            receiver == b"t"
                || (name == "done" && call.arguments().next().is_some())
                || (receiver == b"I" && (name.starts_with("see") || name.starts_with("dontSee")))
                || asserts_by_word(name, language)
        }
        _ => asserts_by_word(name.trim_end_matches('!'), language),
    }
}

/// Functions, methods and macros that everybody knows to assert nothing.
#[rustfmt::skip]
pub(super) fn is_harmless(word: &str) -> bool {
    matches!(
        word,
        "print" | "println" | "printf" | "eprint" | "eprintln" | "dbg" | "pprint" | "log" | "logf" | "info" | "debug"
            | "warn" | "warning" | "format" | "format_args" | "sprintf" | "sprint" | "sprintln" | "new" | "default"
            | "clone" | "deepcopy" | "sleep" | "push" | "append" | "len" | "length" | "vec" | "to_string"
            | "tostring" | "to_owned" | "to_vec" | "into" | "as_str" | "as_ref" | "as_bytes" | "iter" | "into_iter"
            | "collect" | "enumerate" | "range" | "drop" | "str" | "int" | "float" | "bool" | "list" | "dict"
            | "tuple" | "bytes" | "repr" | "sorted" | "string" | "make" | "cap" | "parallel" | "helper" | "aslist"
            | "listof" | "mapof" | "setof" | "arrayof" | "stringify" | "with_capacity"
    )
}
