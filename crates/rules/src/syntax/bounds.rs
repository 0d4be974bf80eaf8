//! What hostile and broken text may not do, and what growing a tree from another has to give.

use bytes::Bytes;
use proptest::prelude::*;

use super::fixtures::{shown, tree};
use super::*;

#[test]
fn what_stands_around_an_error_is_still_seen() {
    let text =
        "fn a(x: u8) {}\nfn ??? broken {{{ (\nfn b() { let x = ; }\nfn c(,,) {}\nfn d(y: u8, z: u8) {}\n";
    let seen = shown("a.rs", text);
    assert!(
        seen.contains(&"a 1 own".to_owned()) && !seen.iter().any(|one| one.starts_with("c ")),
        "{seen:?}"
    );
    let seen = shown("a.py", "def a(x): pass\nclass ( :\ndef b(x, y): pass\n");
    assert!(seen.contains(&"a 1 pub".to_owned()), "{seen:?}");
}

#[test]
fn endless_nesting_neither_overflows_nor_hangs() {
    for language in languages::ALL.into_iter().chain([&languages::TSX]) {
        for (piece, times) in [
            ("(", 100_000),
            ("[", 100_000),
            ("{", 100_000),
            ("f(", 900),
            ("!\n", 10_000),
            ("a.", 5_000),
            ("x=>", 50_000),
            ("A<", 50_000),
            ("A< ", 5_000),
            // Long enough to overflow the stack of a thread that has no more than usual.
            ("/* \n", 20_000),
            ("\"\n", 20_000),
            ("if a\n", 20_000),
            // What the parser would pile up to gigabytes.
            ("* x= ", 3_800),
            ("x= ^ \n", 20_000),
            ("await <!-- not\n", 20_000),
        ] {
            if let Some(tree) = parse(&Bytes::from(piece.repeat(times)), language) {
                functions(&tree);
                items(&tree);
            }
        }
    }
}

#[test]
fn operators_of_real_code_are_no_pile() {
    let sum = format!("x = a{};\n", "\n  + -b * *c && !d".repeat(300));
    let banner = "// ======== /* == | == */ ========\n".repeat(60);
    let list = format!("x = [{}];\n", "-1, *a, &b, !c,\n".repeat(5_000));
    for text in [sum, banner, list] {
        assert_eq!(refusal(text.as_bytes()), None, "{}", &text[..60]);
    }
    assert!(refusal("* x= ".repeat(1_100).as_bytes()).is_some());
}

impl Tree {
    /// Whether the parser took over something large enough to be copied.
    fn shares_with(&self, other: &Tree) -> bool {
        let large = |tree: &Tree| {
            let (mut ids, mut open) =
                (std::collections::HashSet::new(), vec![tree.raw().unwrap().root_node()]);
            while let Some(node) = open.pop().filter(|node| node.descendant_count() >= 20) {
                ids.insert(node.id());
                open.extend(node.children(&mut node.walk()));
                open.retain(|node| node.descendant_count() >= 20);
            }
            ids
        };
        !large(self).is_disjoint(&large(other))
    }
}

fn same(a: &Tree, b: &Tree) -> bool {
    let shape = |tree: &Tree| tree.raw().unwrap().root_node().to_sexp();
    shape(a) == shape(b) && a.nodes == b.nodes
}

#[test]
fn a_tree_grown_from_the_base_is_the_same_as_a_new_one() {
    let old = "fn a() { b(1); }\n\nfn c() -> u8 { 2 }\n";
    for new in [
        "fn a() { b(1); }\n\nfn c(x: u8) -> u8 { 2 }\n",
        "fn a() {\n    b(1);\n}\nfn z() {}\nfn c() -> u8 { 2 }\n",
        "",
        "fn c() -> u8 { 2 }\n",
        "fn a() { b(1); \"}\n\nfn c() -> u8 { 2 }\n",
    ] {
        let base = tree("a.rs", old);
        let text = Bytes::copy_from_slice(new.as_bytes());
        let (grown, fresh) =
            (reparse(&text, base.table(), &base, &[]).unwrap(), parse(&text, base.table()).unwrap());
        assert!(same(&grown, &fresh), "{new}");
        assert_eq!(functions(&grown).len(), functions(&fresh).len());
    }
}

#[test]
fn any_number_of_comments_in_python_is_read() {
    let comments = "# c\n".repeat(40_000);
    let inside = "        # c\n".repeat(40_000);
    let text = |first: &str| {
        format!(
            "def {first}(x): pass\n{comments}def b(x, y): pass\nclass C:\n    def d(self):\n{inside}        return 1\n{comments}"
        )
    };
    assert_eq!(shown("a.py", &text("a")), ["a 1 pub", "b 2 pub", "C.d 0 pub"]);
    let base = tree("a.py", &text("a"));
    assert!(!base.root().has_error());
    let lines: Vec<u32> = functions(&base).iter().map(crate::syntax::Function::name_line).collect();
    assert_eq!(lines, [1, 40_002, 40_004]);
    let more = Bytes::from(text("a").replace("class C", "# d\nclass C"));
    let (grown, fresh) =
        (reparse(&more, base.table(), &base, &[]).unwrap(), parse(&more, base.table()).unwrap());
    assert!(same(&grown, &fresh));
}

#[test]
fn a_text_in_python_ends_where_it_ends() {
    let lines = "# c\n".repeat(300);
    let seen = shown("a.py", &format!("x = \"\"\"\n{lines}# \"\"\" + y\ndef b(x, y): pass\n"));
    assert_eq!(seen, ["b 2 pub"]);
}

/// Each function is large enough to be copied as a whole.
fn functions_of(names: &[&str]) -> String {
    let body = "(a: u8) -> u8 {\n    let b = a + 1;\n    if b > 2 { return c(b, 3); }\n    b\n}\n\n";
    names.iter().map(|name| format!("fn {name}{body}")).collect()
}

#[test]
fn what_stayed_the_same_is_copied_and_moved() {
    let base = tree("a.rs", &functions_of(&["one", "two", "three"]));
    for names in [
        &["one", "new", "two", "three"][..],
        &["one", "three"],
        &["longer_name", "two", "three"],
        &["two", "one", "three"],
    ] {
        let text = Bytes::from(functions_of(names));
        let (grown, fresh) =
            (reparse(&text, base.table(), &base, &[]).unwrap(), parse(&text, base.table()).unwrap());
        assert!(same(&grown, &fresh), "{names:?}");
        assert!(grown.shares_with(&base) && !fresh.shares_with(&base), "{names:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200), pieces in "(fn |def |class A|\\(|\\)|\\{|\\}|,|=|\n|\"|'|a|:|<|>|;|#|/\\*|pub |export ){0,60}") {
        for table in languages::ALL.into_iter().chain([&languages::TSX]) {
            for text in [Bytes::copy_from_slice(&bytes), Bytes::copy_from_slice(pieces.as_bytes())] {
                let Some(tree) = parse(&text, table) else { continue };
                for node in tree.root().descendants() {
                    let _ = (node.call(), node.is_assertion(), node.is_logical(), node.previous_sibling(), node.next_sibling());
                }
                functions(&tree);
                items(&tree);
                tests(&tree);
            }
        }
    }

    #[test]
    fn a_tree_grown_from_any_base_is_the_same_as_a_new_one(
        old in "((def|class) [a-c]+\\(a, b\\):\n    (pass|return x|\"\"\"s\"\"\")\n){0,4}",
        new in "((def|class) [a-c]+\\(a, b\\):\n    (pass|return x|\"\"\"s\"\"\")\n){0,4}",
    ) {
        let base = tree("a.py", &old);
        let text = Bytes::copy_from_slice(new.as_bytes());
        let (grown, fresh) = (reparse(&text, base.table(), &base, &[]).unwrap(), parse(&text, base.table()).unwrap());
        prop_assert!(same(&grown, &fresh));
    }

    #[test]
    fn a_tree_grown_by_hunks_is_the_same_as_a_new_one(
        parts in proptest::collection::vec(("(fn [a-c]+\\(\\) \\{\n    b\\(1\\);\n\\}\n){1,2}", "(fn [a-c]+\\(x: u8\\) \\{ \\}\n|// d\n|struct S;\n){0,3}", "(fn [x-z]+\\(\\) \\{ c; \\}\n|mod m \\{ \\}\n){0,3}"), 1..5),
        shift in 0..3_usize,
    ) {
        let (mut old, mut new, mut replaced) = (String::new(), String::new(), Vec::new());
        for (same, gone, come) in &parts {
            old.push_str(same);
            new.push_str(same);
            replaced.push(Replaced { old: old.len()..old.len() + gone.len(), new: new.len() + shift..new.len() + come.len() });
            old.push_str(gone);
            new.push_str(come);
        }
        // Ranges that are wrong are noticed, and cost only time.
        replaced.retain(|one| one.new.start <= one.new.end);
        let base = tree("a.rs", &old);
        let text = Bytes::copy_from_slice(new.as_bytes());
        let (grown, fresh) = (reparse(&text, base.table(), &base, &replaced).unwrap(), parse(&text, base.table()).unwrap());
        prop_assert!(same(&grown, &fresh));
    }
}
