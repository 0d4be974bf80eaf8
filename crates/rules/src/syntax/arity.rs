use super::node::Node;

/// The fewest and the most arguments a caller may give. The receiver is not counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Arity {
    pub least: u32,
    /// Absent where any number is taken.
    pub most: Option<u32>,
}

/// What a parameter takes of the caller's arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Takes {
    /// No parameter at all: a comment, a separator, `void`.
    Nothing,
    /// What stands in front of the dot.
    Receiver,
    One,
    /// Several names with one type.
    Several(u32),
    Optional,
    AnyNumber,
}

/// An entry of a parameter list.
#[derive(Debug, Clone, Copy)]
pub struct Parameter<'t> {
    pub node: Node<'t>,
    pub takes: Takes,
}

impl Arity {
    pub fn exactly(arguments: u32) -> Self {
        Arity { least: arguments, most: Some(arguments) }
    }

    pub fn accepts(self, arguments: u32) -> bool {
        arguments >= self.least && self.most.is_none_or(|most| arguments <= most)
    }

    /// Whether callers may give so many and no more; they may have to give less.
    pub fn is_exactly(self, arguments: u32) -> bool {
        self.least <= arguments && self.most == Some(arguments)
    }

    /// Whether every call that fits `other` fits this as well.
    pub fn covers(self, other: Arity) -> bool {
        let enough = match (self.most, other.most) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(mine), Some(theirs)) => mine >= theirs,
        };
        enough && self.least <= other.least
    }

    /// `2`, `1 to 3`, `2 or more`.
    pub fn shown(self) -> String {
        match self.most {
            Some(most) if most == self.least => most.to_string(),
            Some(most) => format!("{} to {most}", self.least),
            None => format!("{} or more", self.least),
        }
    }

    pub(super) fn of(parameters: &[Parameter<'_>]) -> Self {
        parameters.iter().fold(Arity::exactly(0), |arity, parameter| match parameter.takes {
            Takes::Nothing | Takes::Receiver => arity,
            Takes::One => arity.plus(1),
            Takes::Several(names) => arity.plus(names),
            Takes::Optional => Arity { most: arity.most.map(|most| most.saturating_add(1)), ..arity },
            Takes::AnyNumber => Arity { most: None, ..arity },
        })
    }

    fn plus(self, required: u32) -> Self {
        let least = self.least.saturating_add(required);
        Arity { least, most: self.most.map(|most| most.saturating_add(required)) }
    }
}

/// Of a function or lambda. `None` if the list cannot be read.
pub(super) fn parameters<'t>(function: Node<'t>) -> Option<Vec<Parameter<'t>>> {
    let spec = &function.tree().table().spec;
    let Some(list) = (spec.parameters)(function) else { return Some(Vec::new()) };
    let parameter = |node: Node<'t>| Parameter { node, takes: (spec.takes)(node) };
    if list.children().next().is_none() {
        return Some(vec![parameter(list)]);
    }
    // Some languages have several lists behind one name; some none at all, and the function itself stands for it.
    let outside = list.parent().filter(|_| list != function);
    let lists = outside.into_iter().flat_map(|around| around.children()).filter(|other| {
        *other == list
            || (!list.field().is_empty() && other.field() == list.field() && other.kind() == list.kind())
    });
    let lists: Vec<Node<'t>> = if list == function { vec![list] } else { lists.collect() };
    let all = lists.iter().flat_map(Node::named_children).map(parameter);
    let all: Vec<_> = all.filter(|parameter| parameter.takes != Takes::Nothing).collect();
    let broken = lists.iter().any(|list| list != &function && list.has_error())
        || all.iter().any(|parameter| parameter.node.has_error());
    (!broken).then_some(all)
}

/// What callers may give for a list of parameters. `None` if it cannot be read.
pub(crate) fn arity_of(list: Node<'_>) -> Option<Arity> {
    let takes = list.tree().table().spec.takes;
    let all: Vec<Parameter<'_>> =
        list.named_children().map(|node| Parameter { node, takes: takes(node) }).collect();
    (!list.has_error()).then(|| Arity::of(&all))
}
