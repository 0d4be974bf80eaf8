use super::*;

pub(super) static RUBY: Table = Table::new(Spec {
    language: Language::Ruby,
    grammar: || grammars::ruby().into(),
    notions: &[
        (Notion::Function, &["method", "singleton_method"]),
        (Notion::Lambda, &["lambda", "block", "do_block"]),
        (Notion::Type, &["class"]),
        (Notion::Module, &["module"]),
        (Notion::Field, &["simple_symbol"]),
        (Notion::Constant, &["assignment"]),
        (Notion::Catch, &["rescue", "rescue_modifier"]),
        (Notion::Loop, &["while", "until", "for", "while_modifier", "until_modifier"]),
        (
            Notion::Branch,
            &["if", "unless", "elsif", "if_modifier", "unless_modifier", "when", "in_clause", "conditional"],
        ),
        (Notion::Logical, &["binary"]),
        (Notion::String, &["string", "heredoc_body"]),
        (Notion::Comment, &["comment"]),
        (Notion::Return, &["return"]),
        (Notion::Jump, &["break", "next"]),
        (Notion::Assignment, &["assignment", "operator_assignment"]),
        (Notion::Block, &["body_statement", "block_body", "then"]),
    ],
    calls: &[call("call", &["receiver", "method"], &["arguments"])],
    logical: &["&&", "||", "and", "or"],
    test_calls: &["it", "specify", "test", "scenario"],
    name: |node, notion| match notion {
        Notion::Constant => node.child("left").filter(|left| left.kind() == "constant"),
        Notion::Field => attribute(node).map(|_| node),
        _ => node.child("name").filter(|name| !name.has_error()),
    },
    takes,
    visibility,
    is_test: |node| node.child("name").is_some_and(|name| name.bytes().starts_with(b"test_")),
    ..COMMON
});

fn takes(node: Node<'_>) -> Takes {
    match node.kind() {
        "optional_parameter" => Takes::Optional,
        "keyword_parameter" if node.child("value").is_some() => Takes::Optional,
        "splat_parameter" | "hash_splat_parameter" | "forward_parameter" => Takes::AnyNumber,
        "block_parameter" | "comment" | "hash_splat_nil" => Takes::Nothing,
        _ => Takes::One,
    }
}

/// Everything below a lone `private` is private, and what is named behind such a word.
fn visibility(node: Node<'_>) -> Visibility {
    if is_named_private(node) {
        return Visibility::Private;
    }
    let statement = if node.is_kind(&["method"]) { Some(node) } else { attribute(node) };
    let Some(node) = statement else { return Visibility::Public };
    let inline = node.parent().and_then(|list| list.parent()).and_then(|call| call.child("method"));
    let above = std::iter::successors(node.previous_sibling(), Node::previous_sibling)
        .take(MOST_METHODS)
        .filter(|before| before.kind() == "identifier")
        .map(|word| word.bytes());
    let mut words = inline.map(|word| word.bytes()).into_iter().chain(above);
    let said = words.find_map(|word| match word {
        b"private" | b"private_class_method" => Some(Visibility::Private),
        b"protected" => Some(Visibility::Restricted),
        b"public" => Some(Visibility::Public),
        _ => None,
    });
    said.unwrap_or(Visibility::Public)
}

/// `private_constant :Part`, `private_class_method :build`, `private :helper`, somewhere below the definition.
fn is_named_private(node: Node<'_>) -> bool {
    let word: &[u8] = match node.kind() {
        "class" | "module" | "assignment" => b"private_constant",
        "singleton_method" => b"private_class_method",
        "method" => b"private",
        _ => return false,
    };
    let Some(name) = node.child("name").or_else(|| node.child("left")) else { return false };
    let below = std::iter::successors(node.next_sibling(), Node::next_sibling).take(MOST_METHODS);
    let calls = below.filter(|next| next.child("method").is_some_and(|method| method.bytes() == word));
    calls.filter_map(|call| call.child("arguments")).any(|list| {
        let symbols = list.descendants().filter(|one| one.is_kind(&["simple_symbol", "bare_symbol"]));
        symbols
            .take(MOST_METHODS)
            .any(|one| one.bytes().strip_prefix(b":").unwrap_or(one.bytes()) == name.bytes())
    })
}

/// The call that makes methods of a symbol: `attr_reader :price`.
fn attribute(symbol: Node<'_>) -> Option<Node<'_>> {
    const MAKING: [&[u8]; 3] = [b"attr_reader", b"attr_accessor", b"attr_writer"];
    let call =
        symbol.parent()?.parent().filter(|call| call.kind() == "call" && symbol.kind() == "simple_symbol")?;
    call.child("method").filter(|name| MAKING.contains(&name.bytes())).map(|_| call)
}

/// How far back the word is looked for that says who may call a method.
const MOST_METHODS: usize = 500;
