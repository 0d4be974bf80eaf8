//! What Java's own library and enumerations say about a value.

use tree_sitter::Node;

use super::arguments::Invocation;
use super::evaluate::{Fuel, is_constant_name};
use super::names::without_package;
use super::typed::{HARMLESS_TYPES, leaves_no_choice};
use super::{Flow, Origin, Value, sources};
use crate::language::Language;

/// A longer file is not searched for an enumeration.
const LONGEST_FILE: usize = 200_000;

/// Types of values that cannot hold a text, beside those of all languages.
const NUMBERS_AND_TIMES: [&str; 16] = [
    "Byte",
    "Character",
    "char",
    "BigDecimal",
    "BigInteger",
    "LocalDateTime",
    "LocalTime",
    "OffsetDateTime",
    "ZonedDateTime",
    "Instant",
    "Duration",
    "Year",
    "YearMonth",
    "Timestamp",
    "AtomicInteger",
    "AtomicLong",
];

/// Generic types that hold what they are given.
const CONTAINERS: [&str; 11] = [
    "List",
    "Set",
    "Collection",
    "Iterable",
    "ArrayList",
    "HashSet",
    "SortedSet",
    "LinkedHashSet",
    "Optional",
    "Stream",
    "Queue",
];

/// Calls that give a collection of what they are given, which nobody changes any more.
const FIXED: [&str; 15] = [
    "Map.of",
    "Map.ofEntries",
    "Map.entry",
    "entry",
    "Map.copyOf",
    "Set.of",
    "Set.copyOf",
    "EnumSet.of",
    "ImmutableMap.of",
    "ImmutableSet.of",
    "ImmutableList.of",
    "Collections.unmodifiableMap",
    "Collections.unmodifiableSet",
    "Collections.unmodifiableList",
    "Collections.singletonMap",
];

/// Classes whose `valueOf` takes any text.
const OPEN: [&str; 6] = ["String", "MediaType", "MimeType", "HttpMethod", "ByteString", "CacheControl"];

/// Functions named in the place of one that write a harmless value in another form.
const REWRITING: [&str; 10] = [
    "valueOf",
    "toString",
    "name",
    "trim",
    "strip",
    "toLowerCase",
    "toUpperCase",
    "intValue",
    "longValue",
    "ordinal",
];

/// Methods of a class that tell how the program calls it.
const NAMES_OF_CLASSES: [&str; 5] =
    ["getName", "getSimpleName", "getCanonicalName", "getTypeName", "getPackageName"];

/// How methods begin that make something of what they are given, and know nothing else.
const MAKING: [&str; 14] = [
    "do",
    "process",
    "transform",
    "convert",
    "translate",
    "format",
    "prefix",
    "quote",
    "wrap",
    "qualif",
    "table",
    "column",
    "schema",
    "identifier",
];

/// Words in the names of methods that may bring in what somebody else wrote, whatever they are given.
const BRINGING: [&str; 23] = [
    "read", "input", "prompt", "ask", "show", "load", "fetch", "query", "download", "receive", "next",
    "scan", "decode", "exec", "run", "param", "header", "cookie", "env", "property", "request", "body",
    "arg",
];

/// Whether a value of this type is a number, a date or one of an enumeration of the file.
pub(super) fn leaves_no_choice_in_java(flow: &Flow<'_>, declared: &str) -> bool {
    let declared = without_package(declared.trim_start_matches("final ").trim());
    if let Some(element) = declared.strip_suffix("[]") {
        // Bytes and characters in a row are a text again.
        return !matches!(element, "byte" | "char" | "Byte" | "Character") && leaves_no_choice(flow, element);
    }
    if let Some((outer, inner)) = declared.strip_suffix('>').and_then(|open| open.split_once('<')) {
        let is_text = matches!(inner, "Byte" | "Character");
        return CONTAINERS.contains(&outer) && !is_text && leaves_no_choice(flow, inner);
    }
    HARMLESS_TYPES.contains(&declared)
        || NUMBERS_AND_TIMES.contains(&declared)
        || flow.is_enumeration_of_java(declared)
}

impl<'t> Flow<'t> {
    /// Whether the file declares an enumeration of this name.
    fn is_enumeration_of_java(&self, name: &str) -> bool {
        let name = name.rsplit('.').next().unwrap_or(name);
        if !name.starts_with(|c: char| c.is_ascii_uppercase()) || self.text.len() > LONGEST_FILE {
            return false;
        }
        let declared = format!("enum {name}");
        memchr::memmem::find_iter(self.text, declared.as_bytes()).any(|at| {
            let behind = self.text.get(at + declared.len());
            behind.is_some_and(|byte| byte.is_ascii_whitespace() || *byte == b'{')
        })
    }

    pub(super) fn called_in_java(&self, node: Node<'t>, whole: &str, fuel: &mut Fuel) -> Option<Value> {
        if self.language != Language::Java {
            return None;
        }
        let call = Invocation::of(node)?;
        let last = whole.rsplit('.').next().unwrap_or(whole);
        let arguments = call.values();
        let harmless = |value: &Value| value.origin <= Origin::Clean;
        match (last, arguments.as_slice()) {
            _ if FIXED.contains(&whole) => {
                let held = arguments.iter().map(|one| self.evaluate(*one, fuel)).reduce(Value::with);
                Some(held.unwrap_or_else(|| Value::constant(""))).filter(harmless)
            }
            ("ordinal", []) => Some(Value::of(Origin::Clean)),
            (_, []) if NAMES_OF_CLASSES.contains(&last) && self.is_class(call.receiver) => {
                Some(Value::of(Origin::Clean))
            }
            (_, [_, ..]) if self.is_given_constants_only(call, whole, fuel) => Some(Value::of(Origin::Clean)),
            ("valueOf", [_]) => {
                // It throws for what is none of its values.
                let class = call.receiver.map(|class| self.text_of(class)).unwrap_or_default();
                let class = class.rsplit('.').next().unwrap_or(class);
                let is_class =
                    class.starts_with(|c: char| c.is_ascii_uppercase()) && !is_constant_name(class);
                let is_enumeration = is_class || self.is_enumeration_of_java(class);
                (is_enumeration && !OPEN.contains(&class)).then(|| Value::of(Origin::Clean))
            }
            ("getOrDefault", [_, other]) => {
                let table = self.inside(call.receiver, fuel);
                let other = harmless(&table).then(|| self.evaluate(*other, fuel))?;
                Some(Value::of(Origin::Clean).or(other))
            }
            ("map" | "mapToObj" | "filter", [named]) if named.kind() == "method_reference" => {
                self.through_named(last, *named, call, fuel)
            }
            (_, []) => {
                let one = call.receiver.filter(|one| self.is_of_enumeration(*one))?;
                Some(self.evaluate(one, fuel)).filter(harmless)
            }
            _ => None,
        }
    }

    /// `Config.get("table")`, `naming.tableOf("users")`: what a class gives, or makes of, nothing but the program's own texts.
    fn is_given_constants_only(&self, call: Invocation<'t>, whole: &str, fuel: &mut Fuel) -> bool {
        let last = whole.rsplit('.').next().unwrap_or(whole);
        let lower = last.to_ascii_lowercase();
        let is_of_class = last.starts_with(|c: char| c.is_ascii_lowercase()) && self.is_module(call.receiver);
        let makes = is_of_class || MAKING.iter().any(|verb| last.starts_with(verb));
        let is_known =
            sources::is_converting(whole) || sources::is_formatting(whole) || sources::is_textual(whole);
        makes
            && !is_known
            && !BRINGING.iter().any(|word| lower.contains(word))
            && call.values().into_iter().all(|one| self.evaluate(one, fuel).origin == Origin::Constant)
    }

    /// `User.class`, `getClass()`.
    fn is_class(&self, object: Option<Node<'t>>) -> bool {
        object.is_some_and(|object| {
            object.kind() == "class_literal" || self.text_of(object).ends_with("getClass()")
        })
    }

    /// Whether this is a value of an enumeration of the file, by its name: `Sort.Name`.
    pub(super) fn is_value_of_enumeration(&self, object: Node<'t>) -> bool {
        self.language == Language::Java && self.is_enumeration_of_java(self.text_of(object))
    }

    /// Whether the class declares a field of a type that leaves no choice of text.
    pub(super) fn is_field_of_numbers(&self, name: &str) -> bool {
        self.language == Language::Java && leaves_no_choice(self, &self.field_type(name))
    }

    /// `ids.stream().map(String::valueOf)`, `names.stream().filter(ALLOWED::contains)`.
    fn through_named(
        &self,
        last: &str,
        named: Node<'t>,
        call: Invocation<'t>,
        fuel: &mut Fuel,
    ) -> Option<Value> {
        let (class, method) = self.text_of(named).split_once("::")?;
        let name = format!("{class}.{method}");
        if last == "filter" {
            let is_list =
                method == "contains" && self.inside(named.named_child(0), fuel).origin <= Origin::Clean;
            return is_list.then(|| Value::of(Origin::Clean));
        }
        if sources::is_harmless(&name) {
            return Some(Value::of(Origin::Clean));
        }
        let list = call.receiver.filter(|_| REWRITING.contains(&method))?;
        Some(self.evaluate(list, fuel)).filter(|list| list.origin <= Origin::Clean)
    }

    /// Whether something is declared with an enumeration of the file, or made by its `valueOf`.
    fn is_of_enumeration(&self, one: Node<'t>) -> bool {
        match one.kind() {
            "identifier" => self.is_enumeration_of_java(&self.type_of(one)),
            "method_invocation" => {
                let name = self.name_of(one);
                name.strip_suffix(".valueOf").is_some_and(|class| self.is_enumeration_of_java(class))
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::flow::Origin;
    use crate::flow::tests::sunk;
    use crate::language::Language;

    fn is_harmless(members: &str, value: &str) -> bool {
        let parameters = "Sort sort, List<Integer> ids, int[] numbers, byte[] bytes, List<String> names, java.time.LocalDate day, String a, Kind kind";
        let text = format!("class A {{ {members} void f({parameters}) {{ sink(\"a \" + {value}); }} }}");
        sunk(Language::Java, &text).origin <= Origin::Clean
    }

    #[test]
    fn one_of_an_enumeration_is_one_of_a_few() {
        let sorts = "enum Sort { NAME, PRICE; String column() { return \"a\"; } }";
        for value in ["sort", "sort.name()", "sort.name().toLowerCase()", "sort.column()", "Sort.valueOf(a)"]
        {
            assert!(is_harmless(sorts, value), "{value}");
        }
        assert!(is_harmless(sorts, "Sort.valueOf(a).name()"));
        assert!(is_harmless("", "kind.ordinal()"));
        for value in ["kind", "kind.name()", "String.valueOf(a)", "MediaType.valueOf(a)", "a.trim()"] {
            assert!(!is_harmless(sorts, value), "{value}");
        }
    }

    #[test]
    fn numbers_and_dates_are_no_text_one_by_one_or_in_lists() {
        for value in [
            "day",
            "ids",
            "numbers[0]",
            "ids.stream().map(String::valueOf).collect(Collectors.joining(\",\"))",
            "names.stream().map(Integer::parseInt).collect(Collectors.toList())",
        ] {
            assert!(is_harmless("", value), "{value}");
        }
        for value in
            ["bytes", "names", "names.stream().map(String::valueOf).collect(Collectors.joining(\",\"))"]
        {
            assert!(!is_harmless("", value), "{value}");
        }
    }

    #[test]
    fn a_table_that_nobody_changes_gives_what_is_written_in_it() {
        let sorts = "static final Map<String, String> SORTS = Map.of(\"a\", \"b\");";
        assert!(is_harmless(sorts, "SORTS.get(a)"));
        assert!(is_harmless(sorts, "SORTS.getOrDefault(a, \"b\")"));
        assert!(!is_harmless(sorts, "SORTS.getOrDefault(a, a)"));
        let cache = "static final Map<String, String> CACHE = new ConcurrentHashMap<>();";
        assert!(!is_harmless(cache, "CACHE.get(a)"));
        assert!(!is_harmless("Map<String, String> sorts = Map.of(\"a\", read());", "sorts.get(a)"));
        let allowed = "static final Set<String> ALLOWED = Set.of(\"a\");";
        assert!(is_harmless(
            allowed,
            "String.join(\",\", names.stream().filter(ALLOWED::contains).toList())"
        ));
        assert!(!is_harmless(allowed, "String.join(\",\", names.stream().filter(seen::contains).toList())"));
    }

    #[test]
    fn what_only_the_program_s_own_texts_went_into_is_its_own() {
        for value in
            ["Settings.get(\"a\")", "kind.tableOf(\"a\")", "kind.doIt(\"a\", 3)", "A.class.getName()"]
        {
            assert!(is_harmless("", value), "{value}");
        }
        for value in [
            "Settings.get(a)",
            "kind.get(\"a\")",
            "kind.tableOf(a)",
            "Dialog.prompt(\"a\")",
            "System.getenv(\"A\")",
            "kind.getName()",
        ] {
            assert!(!is_harmless("", value), "{value}");
        }
    }

    #[test]
    fn fields_of_numbers_and_values_of_enumerations_are_no_text() {
        let fields = "enum Kind { Small } static int count; private Long total; String text;";
        for value in ["count", "this.total", "total", "Kind.Small", "Integer.toString(count)"] {
            assert!(is_harmless(fields, value), "{value}");
        }
        for value in ["text", "this.text", "Other.Small"] {
            assert!(!is_harmless(fields, value), "{value}");
        }
    }
}
