//! The tree-sitter grammars, one function per language.
//!
//! A grammar is a large table with some code around it. `build.rs` compresses the tables, which makes the program a
//! quarter smaller; a language's tables are unpacked when it is first asked for, in a few milliseconds.

use miniz_oxide::inflate::decompress_slice_iter_to_slice;
use std::sync::Once;
use tree_sitter_language::LanguageFn;

/// Defines the function that returns a grammar: its name, the C function behind it, and the C arrays of its tables with
/// their lengths.
macro_rules! grammar {
    ($name:ident, $function:ident, $($table:ident: $length:literal),+) => {
        pub fn $name() -> LanguageFn {
            static UNPACKING: Once = Once::new();
            unsafe extern "C" {
                fn $function() -> *const ();
                $(static mut $table: [u16; $length];)+
            }
            UNPACKING.call_once(|| {
                // SAFETY: `build.rs` defines each array with this length. `Once` lets one thread in here, and nothing
                // reads the arrays before it is done, because the language is not known outside of this function.
                unsafe {
                    $(unpack_table(
                        &mut *&raw mut $table,
                        include_bytes!(concat!(env!("OUT_DIR"), "/", stringify!($table))),
                    );)+
                }
            });
            // SAFETY: the function returns the grammar's `TSLanguage`, as tree-sitter generates it.
            unsafe { LanguageFn::from_raw($function) }
        }
    };
}

include!(concat!(env!("OUT_DIR"), "/grammars.rs"));

fn unpack_table(table: &mut [u16], packed: &[u8]) {
    let length = size_of_val(table);
    // SAFETY: every byte of a `u16` can be read and written as a `u8`.
    let bytes = unsafe { std::slice::from_raw_parts_mut(table.as_mut_ptr().cast::<u8>(), length) };
    let unpacked = decompress_slice_iter_to_slice(bytes, std::iter::once(packed), false, true);
    assert_eq!(unpacked, Ok(length), "a parse table cannot be unpacked");
}

#[cfg(test)]
mod tests {
    use super::*;
    use tree_sitter::Parser;

    type GrammarGetter = fn() -> LanguageFn;

    const SAMPLES: [(GrammarGetter, &str); 16] = [
        (bash, "if true; then echo \"$HOME\"; fi\n"),
        (c, "int add(int a, int b) { return a + b; }\n"),
        (c_sharp, "class A { int Add(int a) => a + 1; }\n"),
        (cpp, "template <class T> T add(T a) { return a + 1; }\n"),
        (go, "package a\n\nfunc add(a int) int { return a + 1 }\n"),
        (java, "class A { int add(int a) { return a + 1; } }\n"),
        (javascript, "const add = async (a) => `${await a}`;\n"),
        (kotlin, "fun add(a: Int): Int = a + 1\n"),
        (php, "<?php\nfunction add(int $a): int { return $a + 1; }\n"),
        (python, "def add(a: int) -> int:\n    return a + 1\n"),
        (ruby, "def add(a)\n  \"#{a + 1}\"\nend\n"),
        (rust, "fn add(a: u8) -> u8 { a + 1 }\n"),
        (scala, "def add(a: Int): Int = a + 1\n"),
        (swift, "func add(_ a: Int) -> Int { return a + 1 }\n"),
        (tsx, "const a = <b c={1 as number}>d</b>;\n"),
        (typescript, "function add(a: number): number { return a + 1; }\n"),
    ];

    #[test]
    fn every_grammar_parses_its_language() {
        for (number, (grammar, code)) in SAMPLES.iter().enumerate() {
            let mut parser = Parser::new();
            parser.set_language(&grammar().into()).expect("a version that tree-sitter reads");
            let tree = parser.parse(code, None).expect("a language is set");
            assert!(!tree.root_node().has_error(), "sample {number}: {}", tree.root_node().to_sexp());
        }
    }

    /// A second thread must wait until the first one has unpacked the tables.
    #[test]
    fn threads_can_ask_for_one_grammar_at_once() {
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let mut parser = Parser::new();
                    parser.set_language(&c_sharp().into()).expect("a version that tree-sitter reads");
                    let tree = parser.parse("class A { }\n", None).expect("a language is set");
                    assert!(!tree.root_node().has_error());
                });
            }
        });
    }
}
