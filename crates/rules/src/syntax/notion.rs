/// What a node is, whatever its grammar calls it.
///
/// Whether a node of a kind that may be a function, type, module, field, variant or constant really is one, depends on
/// where it stands: ask [`super::functions()`] and [`super::items()`], not the node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Notion {
    /// A definition or declaration that has a name: function, method, constructor.
    Function,
    /// A function without a name of its own.
    Lambda,
    /// A class, struct, enum, trait, interface, alias.
    Type,
    /// What holds definitions without being a type: a module, namespace, `impl`, extension.
    Module,
    Field,
    Variant,
    Constant,
    Call,
    /// What is run when something failed: `catch`, `except`, `rescue`.
    Catch,
    Loop,
    /// A way the execution may go or not go: `if`, an arm of a `match`, a ternary. Loops and catches are not counted here.
    Branch,
    /// `&&`, `and`, `||`: a node of this kind is one only if [`super::Node::is_logical`] says so.
    Logical,
    String,
    Comment,
    Import,
    Return,
    /// Leaves the function by failing: `throw`, `raise`.
    Throw,
    /// Leaves the block: `break`, `continue`.
    Jump,
    Assignment,
    /// A sequence of statements.
    Block,
    /// A statement that asserts, where the language has one. Calls are judged by [`super::Node::is_assertion`].
    Assertion,
}

/// The notions of one kind of node.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Notions(u32);

impl Notions {
    pub(crate) fn with(self, notion: Notion) -> Self {
        Notions(self.0 | 1 << notion as u8)
    }

    /// Whether it has one of those.
    pub(crate) fn meets(self, others: Notions) -> bool {
        self.0 & others.0 != 0
    }

    pub(crate) fn has(self, notion: Notion) -> bool {
        self.0 & (1 << notion as u8) != 0
    }
}
