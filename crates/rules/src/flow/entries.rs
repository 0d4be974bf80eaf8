//! The names of an archive's entries, which whoever packed it chose, and buffers that nothing was written to.

use tree_sitter::Node;

use super::Flow;
use super::scope::Given;
use crate::language::Language;

/// What the libraries of Java call an entry of an archive.
const ENTRIES: [&str; 8] = [
    "ZipEntry",
    "JarEntry",
    "ZipArchiveEntry",
    "TarArchiveEntry",
    "TarEntry",
    "ArchiveEntry",
    "SevenZArchiveEntry",
    "CpioArchiveEntry",
];

impl<'t> Flow<'t> {
    /// `entry.getName()` of Java's archives, `file.Name` of Go's.
    pub(super) fn is_entry_name(&self, node: Node<'t>) -> bool {
        let field = |name| node.child_by_field_name(name);
        match (self.language, node.kind()) {
            (Language::Java, "method_invocation") => {
                field("name").is_some_and(|name| matches!(self.text_of(name), "getName" | "getFileName"))
                    && field("object").is_some_and(|object| ENTRIES.contains(&self.type_of(object).as_str()))
            }
            (Language::Go, "selector_expression") => {
                field("field").is_some_and(|name| self.text_of(name) == "Name")
                    && (self.imports("archive/zip") || self.imports("archive/tar"))
                    && field("operand").is_some_and(|object| self.is_entry_of_go(object))
            }
            _ => false,
        }
    }

    /// `for _, file := range reader.File`, `header, err := reader.Next()`, or declared as what those give.
    fn is_entry_of_go(&self, object: Node<'t>) -> bool {
        if matches!(self.type_of(object).as_str(), "zip.File" | "zip.FileHeader" | "tar.Header") {
            return true;
        }
        let Some(Given::Value(value)) = self.last_assignment(object).map(|one| one.given) else {
            return false;
        };
        let text = self.text_of(value);
        text.ends_with(".File") || text.ends_with(".Next()")
    }

    /// Go's `make([]byte, n)` and `make([]string, n)`, which are empty until something is written to them.
    pub(super) fn makes_buffer(&self, callee: &str, arguments: &[Node<'t>]) -> bool {
        let of = arguments.first().map_or("", |of| self.text_of(*of));
        let is_empty = of == "[]byte" && arguments.len() > 1 || of == "[]string";
        self.language == Language::Go && callee == "make" && is_empty
    }

    /// Whether a variable was given a new list, of Java or Go.
    pub(super) fn is_collection(&self, value: Node<'t>) -> bool {
        match self.language {
            Language::Java => {
                value.kind() == "object_creation_expression"
                    && value.child_by_field_name("type").is_some_and(|made| {
                        let name = self.text_of(made).split('<').next().unwrap_or_default();
                        ["List", "Set", "Deque"].iter().any(|kind| name.ends_with(kind))
                    })
            }
            Language::Go => self.text_of(value).trim_start().starts_with("make([]string"),
            _ => false,
        }
    }

    /// Whether a variable got nothing yet but room: whoever is passed it may fill it.
    pub(super) fn is_room(&self, value: Node<'t>) -> bool {
        let text = self.text_of(value);
        match self.language {
            Language::Java => {
                value.kind() == "array_creation_expression" && value.child_by_field_name("value").is_none()
            }
            Language::Go => text.starts_with("make([]byte,"),
            _ => false,
        }
    }
}
