//! Assertions, read as syntax: what a test asks for, and what it asks less for than before.

mod called;
mod cases;
mod compare;
mod covered;
mod credit;
mod derived;
mod failure;
mod find;
mod read;
mod removed;
mod replaced;
mod scan;
mod strength;
mod trivial;
mod twin;
mod units;

pub(super) use called::called;
pub(super) use compare::losses;
pub(super) use covered::{is_among_cases, is_kept};
pub(super) use credit::Credit;
pub(crate) use find::{Unit, asserting, marker_nodes, units};
pub(super) use find::{assertions_in, key, name_of, receiver};
pub(super) use read::Assertion;
pub(super) use removed::AssertionRemoved;
pub(super) use scan::{in_brackets, is_fixed, is_literal, listed_up_to, normalised};
pub(super) use strength::Strength;
pub(crate) use trivial::Trivial;
pub(super) use twin::has_twin;
pub(crate) use units::{Paired, Pairing, pairs};
pub(super) use units::{hides, lost_words, words};

/// What `t` of ava and tape checks.
const SCRIPT_CHECKS: [&str; 20] = [
    "is",
    "not",
    "deepequal",
    "notdeepequal",
    "truthy",
    "falsy",
    "true",
    "false",
    "throws",
    "throwsasync",
    "notthrows",
    "regex",
    "snapshot",
    "like",
    "equal",
    "same",
    "ok",
    "notok",
    "pass",
    "fail",
];
