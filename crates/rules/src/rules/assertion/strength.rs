//! How strictly an assertion asks, by the words that frameworks have for it.

use crate::pattern::Pattern;

/// How much an assertion asks for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Strength {
    /// One value.
    Exact,
    /// A value as near as this; `None` where the framework decides.
    Close(Option<f64>),
    /// That something is part of it, or that it has a shape.
    Part,
    /// A side of a value, or anything but one.
    Order,
    /// That it is there, true, or of a type.
    Presence,
    /// That something fails, in a way that is named.
    Failure,
    /// That something fails, however it may.
    AnyFailure,
    /// Something that only its author knows.
    Custom,
    /// Whatever a function of the same file asks for, which is called here.
    Helper,
}

/// What the word asks for, in lower case.
#[rustfmt::skip]
pub(crate) fn strength_of(word: &str) -> Option<Strength> {
    Some(match word {
        "assert_eq" | "debug_assert_eq" | "prop_assert_eq" | "assertequal" | "assertequals" | "assertsame" | "assertis"
        | "tobe" | "toequal" | "tostrictequal" | "equal" | "equals" | "strictequal" | "deepequal" | "deepstrictequal"
        | "isequalto" | "issameas" | "issameinstanceas" | "eql" | "eq" | "areequal" | "be" | "is" | "shouldbe"
        | "shouldequal" | "xctassertequal" | "expect_eq" | "assert_streq" | "expect_streq" | "beequivalentto"
        | "assertcountequal" | "assertlistequal" | "assertdictequal" | "assertsetequal" | "asserttupleequal"
        | "containsexactly" | "equalvalues" | "exactly" | "elementsmatch" | "jsoneq" | "tomatchsnapshot"
        | "tomatchinlinesnapshot" | "assert_snapshot" | "assert_debug_snapshot" | "assert_json_snapshot"
        | "assert_equal" | "assert_called_once_with" | "assert_called_with" | "tohavebeencalledwith"
        | "tohavebeencalledtimes" | "assertarrayequals" | "assertiterableequals" | "isnull" | "assertnull"
        | "assertisnone" | "tobenull" | "tobeundefined" | "bethesameas" | "benull" | "benil" | "assertidentical"
        | "assertjsonstringequalsjsonstring" | "assert_array_equal" | "assert_frame_equal" | "expect_that"
        | "comparesequal" | "assertcontentequals" | "sameinstance" | "assertequalscanonicalizing"
        | "hasvalue" | "streq" | "isequaltocomparingfieldbyfield" | "assertmultilineequal" | "be_nil" | "assert_nil"
        | "equalto" | "same" | "sameas" | "assert_eql" | "mustbe" | "mustequal" | "tobeempty" | "tohavecount"
        | "sequenceequal" | "xctassertnil" | "assertthatobject" | "expect_float_eq" | "expect_double_eq" => Strength::Exact,
        "assertalmostequal" | "assertalmostequals" | "tobecloseto" | "iscloseto" | "indelta" | "inepsilon"
        | "assert_relative_eq" | "assert_abs_diff_eq" | "assert_approx_eq" | "assert_allclose" | "be_within"
        | "beapproximately" | "beclosetoto" | "assert_almost_equal" | "assert_in_delta" | "closeto" | "approximately"
        | "assert_ulps_eq" | "expect_near" | "assert_near" | "assertequalswithdelta" | "iscloseenough"
        | "assert_array_almost_equal" => Strength::Close(None),
        "contains" | "tocontain" | "tocontainequal" | "tomatch" | "tomatchobject" | "assertin" | "assertregex"
        | "startswith" | "endswith" | "haskey" | "containskey" | "tohaveproperty" | "assertcontains" | "contain"
        | "assertstringcontainsstring" | "matches" | "assert_matches" | "match" | "include" | "includes" | "hassize"
        | "tohavelength" | "len" | "assertcount" | "havecount" | "containsstring" | "subset" | "assertmatches"
        | "matchesregex" | "start_with" | "end_with" | "containselement" | "assert_includes" | "assert_match"
        | "assertarrayhaskey" | "doesnotcontain" | "assertnotin" | "hasitem" | "hasitems" | "length"
        | "assertstringstartswith" | "property" | "assertdictcontainssubset" | "assertarraysubset" => Strength::Part,
        "assertgreater" | "assertgreaterequal" | "assertless" | "assertlessequal" | "tobegreaterthan"
        | "tobegreaterthanorequal" | "tobelessthan" | "tobelessthanorequal" | "isgreaterthan"
        | "isgreaterthanorequalto" | "islessthan" | "islessthanorequalto" | "assert_ne" | "prop_assert_ne"
        | "assertnotequal" | "assertnotequals" | "notequal" | "assert_gt" | "assert_ge" | "assert_lt" | "assert_le"
        | "expect_gt" | "expect_ge" | "expect_lt" | "expect_le" | "expect_ne" | "assertnotsame" | "isnotequalto"
        | "arenotequal" | "notstrictequal" | "notdeepequal" | "greater" | "greaterorequal" | "less" | "lessorequal"
        | "assert_not_equal" | "refute_equal" | "xctassertnotequal" | "xctassertgreaterthan" | "xctassertlessthan"
        | "assertgreaterthan" | "assertlessthan" | "begreaterthan" | "belessthan" | "ispositive" | "isbetween"
        | "xctassertgreaterthanorequal" | "xctassertlessthanorequal" | "assertgreaterthanorequal" | "isnotsameas"
        | "shouldnotbe" | "greaterthan" | "greaterthanorequalto" | "lessthan" | "lessthanorequalto" | "positive"
        | "assert_operator" | "notzero" | "notequals" | "isnotzero" | "shouldbegreaterthan" | "shouldbelessthan"
        | "shouldbepositive" | "beatleast" | "benumerically" | "above" | "below" | "least" | "most"
        | "begreaterthanorequalto" | "belessthanorequalto" => Strength::Order,
        "assert" | "asserttrue" | "assertfalse" | "assertnotnull" | "assertisnotnone" | "tobetruthy" | "tobedefined"
        | "tobefalsy" | "isnotnull" | "ok" | "true" | "false" | "istrue" | "isfalse" | "notnil" | "notnull" | "nil"
        | "noerror" | "assert_ok" | "assertisinstance" | "assertinstanceof" | "isinstanceof" | "tobeinstanceof"
        | "xctasserttrue" | "xctassertfalse" | "xctassertnotnil" | "xctassert" | "prop_assert" | "debug_assert"
        | "expect_true" | "expect_false" | "assert_true" | "assert_false" | "exist" | "exists" | "isnotempty"
        | "notempty" | "empty" | "isempty" | "ispresent" | "isdefined" | "exactlyone" | "refute" | "assert_not_nil"
        | "refute_nil" | "betrue" | "befalse" | "notbenull" | "bedefined" | "assertnotempty" | "assertempty"
        | "isnotnil" | "be_truthy" | "be_falsey" | "be_present" | "check" | "require" | "isinstance" | "instance_of"
        | "assert_called" | "assert_called_once" | "tohavebeencalled" | "tohavebeencalledonce" | "truthy" | "falsy"
        | "null" | "tobetrue" | "tobefalse" | "shouldnotbenull" | "shouldbetrue" | "shouldbefalse" | "refute_empty"
        | "assertdoesnotthrow" | "doesnotthrow" | "xctassertnothrow" | "expect_no_throw" | "assert_no_throw" | "notpanics"
        | "assert_nothing_raised" | "nothrow" | "notthrow" | "notthrows" | "assertisint" | "assertisstring"
        | "assertisarray" | "assertisbool" | "assertisfloat" | "assertisnumeric" | "assertisobject" | "assertisiterable"
        | "assertistype" | "istype" | "isassignablefrom" | "isinstanceoftype"
        | "isok" | "assert_called_any" | "benotnull" | "notbeempty" | "isnotnan" | "be_a" | "expect_call" => Strength::Presence,
        "raises" | "assertraises" | "assertraisesregex" | "assertthrows" | "assertthrowsexactly" | "tothrow"
        | "tothrowerror" | "throws" | "throwsasync" | "rejects" | "expectexception" | "raise_error" | "assert_raises"
        | "shouldthrow" | "expect_throw" | "assert_throw" | "xctassertthrowserror" | "throw" | "throwexactly"
        | "isinstanceofexception" | "assertthatthrownby" | "assertthatexceptionoftype" | "panics" | "errorcontains"
        | "errorspecific" | "erroris" | "equalerror" | "assertfailswith" | "warns" | "intercept" | "throwsexception"
        | "hasmessage" | "hasmessagecontaining" | "hasmessagestartingwith" | "hasmessagematching" | "withmessage"
        | "withmessagecontaining" | "hascauseinstanceof" | "hasrootcauseinstanceof"
        | "require_throws_as" | "check_throws_as" | "require_throws_with" | "throwsexactly" => Strength::Failure,
        "assertfails" | "throwsany" | "expect_any_throw" | "assert_any_throw" | "require_throws" | "check_throws"
        | "catch" | "shouldthrowany" | "error" => Strength::AnyFailure,
        _ => return by_parts(word),
    })
}

/// What C's frameworks ask for, which have a word for every type: `TEST_ASSERT_EQUAL_INT`, `ck_assert_int_eq`.
fn by_parts(word: &str) -> Option<Strength> {
    const BEGINNINGS: [&str; 7] =
        ["test_assert", "ck_assert", "cr_assert", "cr_expect", "assert_", "boost_check", "boost_require"];
    let parts = BEGINNINGS.iter().find_map(|beginning| word.strip_prefix(beginning))?;
    let parts: Vec<&str> = parts.split('_').filter(|part| !part.is_empty()).collect();
    let has = |words: &[&str]| parts.iter().any(|part| words.contains(part));
    let null = has(&["null", "nonnull"]);
    Some(match () {
        () if has(&["not", "ne", "neq", "gt", "ge", "lt", "le", "greater", "less", "range"]) && !null => {
            Strength::Order
        }
        () if has(&["within", "close", "tol", "delta"]) => Strength::Close(None),
        () if has(&["equal", "eq", "hex", "bits"]) => Strength::Exact,
        () if null || parts.is_empty() || has(&["true", "false", "message"]) => Strength::Presence,
        () => return None,
    })
}

static BY_NAME: Pattern = Pattern::new(
    r"\b(?:delta|epsilon|eps|rel_tol|abs_tol|rel|abs|atol|rtol|accuracy|tolerance|max_relative|precision)\s*[=:]\s*([0-9][\w.\-+]*)",
);
static BY_DIGITS: Pattern = Pattern::new(
    r"(?:Assert\.Equal\([^()]*(?:\([^()]*\)[^()]*)*,[^,()]*(?:\([^()]*\)[^,()]*)*,\s*|\bplaces\s*=\s*|\.toBeCloseTo\([^()]*(?:\([^()]*\)[^()]*)*,\s*|decimal\s*=\s*)(-?\d+)\b",
);
static BY_PLACE: Pattern = Pattern::new(
    r"(?:InDelta|InEpsilon|assertEquals|assertEqualsWithDelta|EXPECT_NEAR|ASSERT_NEAR|assert_in_delta|AreEqual)\([^()]*(?:\([^()]*\)[^()]*)*,[^()]*(?:\([^()]*\)[^()]*)*,\s*(\d*\.\d[\w.\-+]*|\de-\d+)\s*[,)]",
);
static CHAINED: Pattern = Pattern::new(
    r"(?:\bplusOrMinus\s+|(?:[wW]ithin|margin|offset|be_within|Offset\.offset|_WITHIN)\(\s*|closeTo\([^,()]*,\s*)([0-9][\w.\-+]*)\s*(?:[,)]|$)",
);
static LOOSE: Pattern = Pattern::new(r"\bapprox\(");

/// How far off a value may be, where the assertion says so.
pub(super) fn tolerance(text: &[u8]) -> Option<f64> {
    let of = |pattern: &Pattern| number(&pattern.regex().captures(text)?[1]);
    if let Some(digits) = of(&BY_DIGITS) {
        return Some(10f64.powf(-digits));
    }
    of(&BY_NAME)
        .or_else(|| of(&BY_PLACE))
        .or_else(|| of(&CHAINED))
        .or_else(|| LOOSE.regex().is_match(text).then_some(1e-6))
}

pub(super) fn number(text: &[u8]) -> Option<f64> {
    let text = std::str::from_utf8(text).ok()?.replace('_', "");
    let plain = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let typed = text.find(['f', 'F', 'd', 'D', 'm']).map_or(text.as_str(), |at| &text[..at]);
    text.parse().or_else(|_| typed.parse()).or_else(|_| plain.parse()).ok()
}
