use std::collections::HashSet;

use super::node::Node;
use super::notion::Notion;

/// Who may use a definition. Ordered: what is in a private module is private, whatever it says itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Visibility {
    Private,
    /// Inside the package, crate or family of classes.
    Restricted,
    Public,
}

/// How a kind of node calls something.
#[derive(Debug, Clone, Copy)]
pub(super) struct CallShape {
    pub(super) kind: &'static str,
    /// The fields that hold what is called, first to last. Empty: the first named child.
    pub(super) callee: &'static [&'static str],
    /// The way to the list of arguments, each step by field or by kind, as far as it goes. Where there is no list, what
    /// the call has in fields called `argument` is given.
    pub(super) arguments: &'static [&'static str],
}

pub(super) const fn call(
    kind: &'static str,
    callee: &'static [&'static str],
    arguments: &'static [&'static str],
) -> CallShape {
    CallShape { kind, callee, arguments }
}

/// A call as it is written.
#[derive(Debug, Clone, Copy)]
pub struct Call<'t> {
    pub node: Node<'t>,
    pub(super) first: Node<'t>,
    pub(super) last: Node<'t>,
    pub(super) arguments: Option<Node<'t>>,
}

impl<'t> Call<'t> {
    /// `foo::bar`, `a.b(1).c`: everything in front of the arguments.
    pub fn callee(&self) -> &'t [u8] {
        self.node.text_between(self.first.range().start, self.last.range().end)
    }

    /// The last word of it: `bar`, `c`.
    pub fn name(&self) -> String {
        let text = self.callee();
        let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || b"_$?!".contains(byte) || *byte >= 0x80;
        let start = text.iter().rposition(|byte| !is_word(byte)).map_or(0, |at| at + 1);
        String::from_utf8_lossy(&text[start..]).into_owned()
    }

    /// What is given, without commas and comments.
    pub fn arguments(&self) -> impl Iterator<Item = Node<'t>> + use<'t> {
        let listed = self.arguments.is_some();
        let list = self.arguments.unwrap_or(self.node);
        let given =
            move |node: &Node<'_>| (listed || node.field() == "argument") && !node.is(Notion::Comment);
        list.named_children().filter(given)
    }

    /// The list of arguments itself.
    pub fn argument_list(&self) -> Option<Node<'t>> {
        self.arguments
    }
}

/// What a file says about its names besides what stands at each definition.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) enum Exports {
    #[default]
    Unsaid,
    /// These as well.
    Also(HashSet<String>),
    /// These and no others.
    Only(HashSet<String>),
}
