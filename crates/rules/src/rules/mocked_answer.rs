//! Tests that assert what they told a replacement to answer.

use std::collections::HashSet;

use super::assertion::assertions_in;
use super::mocked_words;
use super::words::words;
use crate::language::Language;
use crate::syntax::{Call, Node, Notion, Test, Tree};

/// Something that is replaced: what it is called on, and its name.
pub(super) type Replaced = (String, String);

/// More are not looked at.
const MOST: usize = 50;

/// The assertions of a test that call what the test itself replaced, with what that is.
pub(super) fn canned<'t>(
    test: &Test<'t>,
    language: Language,
    of_file: &[Replaced],
) -> Vec<(Node<'t>, String)> {
    // Python's decorators stand around the function.
    let whole =
        test.node.parent().filter(|around| around.kind() == "decorated_definition").unwrap_or(test.node);
    let mut replaced: HashSet<Replaced> =
        whole.descendants().filter_map(|node| replacement(node, language)).take(MOST).collect();
    if language == Language::Python {
        replaced.extend(told_by_name(whole, test.node));
    }
    replaced.extend(of_file.iter().cloned());
    if replaced.is_empty() {
        return Vec::new();
    }
    if language == Language::CSharp {
        let others = whole.descendants().filter_map(mocked_words::renamed).take(MOST);
        let known: Vec<Replaced> = replaced.iter().cloned().collect();
        for (object, name) in others {
            let same = known.iter().filter(|(replaced, _)| *replaced == object);
            replaced.extend(same.map(|(_, method)| (name.clone(), method.clone())));
        }
    }
    let mut found = Vec::new();
    for assertion in assertions_in(test.node, language, &HashSet::new()) {
        let asked = assertion.operands.iter().find_map(|operand| {
            let text = String::from_utf8_lossy(operand);
            let text = text.strip_prefix("await").map_or(text.as_ref(), str::trim_start);
            replaced.iter().find(|(object, name)| {
                let called = if object.is_empty() { format!("{name}(") } else { format!("{object}.{name}(") };
                // Ruby calls without parentheses, too.
                is_whole_call(text, &called)
                    || (language == Language::Python && is_call_on_new(text, object, name))
                    || (language == Language::Ruby && Some(text) == called.strip_suffix('('))
            })
        });
        if let Some((object, name)) = asked {
            let shown = if object.is_empty() { name.clone() } else { format!("{object}.{name}") };
            found.push((assertion.node, shown));
        }
    }
    found
}

/// Whether the text is this one call, and nothing is done to its answer.
fn is_whole_call(text: &str, called: &str) -> bool {
    let Some(rest) = text.strip_prefix(called) else { return false };
    let mut depth = 1usize;
    for (at, c) in rest.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + 1 == rest.len();
        }
    }
    false
}

/// `Cart([]).total()`, where that of every `Cart` is replaced, and `cart.total()`, which is named after it.
fn is_call_on_new(text: &str, object: &str, name: &str) -> bool {
    let named_after =
        object.starts_with(char::is_uppercase) && is_whole_call(text, &format!("{}.{name}(", snake(object)));
    if named_after {
        return true;
    }
    let made = text.strip_prefix(object).filter(|rest| rest.starts_with('(') && !object.is_empty());
    let ending = format!(").{name}(");
    let split = made.and_then(|made| made.rfind(&ending).map(|at| made.split_at(at + 1)));
    split
        .is_some_and(|(made, called)| is_whole_call(made, "(") && is_whole_call(called, &format!(".{name}(")))
}

/// `shopping_cart` of `ShoppingCart`.
fn snake(class: &str) -> String {
    let mut name = String::with_capacity(class.len() + 4);
    for (at, letter) in class.char_indices() {
        if letter.is_uppercase() && at > 0 {
            name.push('_');
        }
        name.extend(letter.to_lowercase());
    }
    name
}

fn replacement(node: Node<'_>, language: Language) -> Option<Replaced> {
    match language {
        Language::Python => in_python(node),
        Language::JavaScript | Language::TypeScript => in_script(node),
        Language::Java => in_java(node),
        _ => mocked_words::told(node, language),
    }
}

/// What `@patch("pay.pay")` hands to the test as `p`, or `with patch("pay.pay") as p`, and that is told what to answer by
/// `p.return_value = 4`; by its path, and as `p` itself.
fn told_by_name(whole: Node<'_>, function: Node<'_>) -> Vec<Replaced> {
    let told: HashSet<String> = function
        .descendants()
        .filter(|node| node.kind() == "assignment")
        .filter_map(|node| Some(node.child("left")?.text().strip_suffix(".return_value")?.to_owned()))
        .take(MOST)
        .collect();
    if told.is_empty() {
        return Vec::new();
    }
    let decorators = whole.children().filter(|child| child.kind() == "decorator" && *child != function);
    let decorators: Vec<Node<'_>> = decorators.filter_map(|mark| mark.named_children().next()).collect();
    // The decorator nearest to the function hands over the first.
    let parameters = function.child("parameters").into_iter().flat_map(|list| list.named_children());
    let parameters = parameters.filter(|one| one.kind() == "identifier" && one.bytes() != b"self");
    let handed = decorators.into_iter().rev().filter_map(bare_patch);
    let handed = handed.zip(parameters.map(|one| one.text().into_owned()));
    let opened = function.descendants().filter(|node| node.kind() == "as_pattern").filter_map(|node| {
        let name = node.child("alias")?.text().into_owned();
        Some((bare_patch(node.named_children().next()?)?, name))
    });
    let named = handed.chain(opened).filter(|(_, name)| told.contains(name)).take(MOST);
    named.flat_map(|(path, name)| [path, (String::new(), name)]).collect()
}

/// `patch("shop.cart.total")` without anything to put in its place.
fn bare_patch(node: Node<'_>) -> Option<Replaced> {
    let call = node.call().filter(|call| call.callee().ends_with(b"patch"))?;
    let (first, None) = (call.arguments().next()?, call.arguments().nth(1)) else { return None };
    let path = unquoted(first)?;
    let (module, name) = path.rsplit_once('.')?;
    Some((module.rsplit('.').next().unwrap_or_default().to_owned(), name.to_owned()))
}

fn unquoted(node: Node<'_>) -> Option<String> {
    node.is(Notion::String).then(|| node.text().trim_matches(['"', '\'', '`']).to_owned())
}

/// `patch("shop.cart.total", return_value=3)`, `patch.object(cart, "total", ...)`, `monkeypatch.setattr(cart, "total", ...)`,
/// `cart.total.return_value = 3`, `cart.total = Mock(return_value=3)`.
fn in_python(node: Node<'_>) -> Option<Replaced> {
    if node.kind() == "assignment" {
        let left = node.child("left")?.text().into_owned();
        let made = node.child("right").and_then(|right| right.call());
        let is_mock = |call: &Call<'_>| {
            ["Mock", "MagicMock", "AsyncMock"].contains(&call.name().as_str()) && answers(call)
        };
        let replaced = if made.is_some_and(|call| is_mock(&call)) {
            left.as_str()
        } else {
            left.strip_suffix(".return_value")?
        };
        let (object, name) = replaced.rsplit_once('.').unwrap_or(("", replaced));
        return Some((object.to_owned(), name.to_owned()));
    }
    let call = node.call()?;
    let given: Vec<Node<'_>> = call.arguments().take(3).collect();
    let callee = call.callee();
    if callee.ends_with(b"patch") && answers(&call) {
        let path = unquoted(*given.first()?)?;
        let (module, name) = path.rsplit_once('.')?;
        let module = module.rsplit('.').next().unwrap_or_default();
        return Some((module.to_owned(), name.to_owned()));
    }
    let put = given.get(2).is_some_and(|third| third.kind() != "keyword_argument");
    let sets =
        callee.ends_with(b"patch.object") && (answers(&call) || put) || callee == b"monkeypatch.setattr";
    (sets && given.len() > 1).then_some(())?;
    let object = given.first()?.text().into_owned();
    // `type(cart)` is what `cart` is made of.
    let made = object.strip_prefix("type(").and_then(|made| made.strip_suffix(')'));
    Some((made.map(str::to_owned).unwrap_or(object), unquoted(*given.get(1)?)?))
}

/// Whether the replacement is told what to answer.
fn answers(call: &Call<'_>) -> bool {
    call.arguments().any(|given| given.bytes().starts_with(b"return_value"))
}

/// `jest.spyOn(cart, "total").mockReturnValue(3)`, `cart.total = jest.fn(...)`, `cart.total.mockReturnValue(3)`.
fn in_script(node: Node<'_>) -> Option<Replaced> {
    const ANSWERS: [&str; 6] = [
        "mockReturnValue",
        "mockReturnValueOnce",
        "mockResolvedValue",
        "mockResolvedValueOnce",
        "mockImplementation",
        "mockImplementationOnce",
    ];
    if node.kind() == "assignment_expression" {
        let made = node.child("right")?.call()?;
        let fake = [&b"jest.fn"[..], b"vi.fn"].contains(&made.callee()) && made.arguments().next().is_some();
        let left = node.child("left").filter(|_| fake)?;
        return Some((
            left.child("object")?.text().into_owned(),
            left.child("property")?.text().into_owned(),
        ));
    }
    if node.kind() == "variable_declarator" {
        return Some((String::new(), made_up(node, &ANSWERS)?));
    }
    let call = node.call().filter(|call| ANSWERS.contains(&call.name().as_str()))?;
    let on = call.node.child("function")?.child("object")?;
    if let Some(spy) = on.call().filter(|spy| spy.name() == "spyOn") {
        let given: Vec<Node<'_>> = spy.arguments().take(2).collect();
        return Some((given.first()?.text().into_owned(), unquoted(*given.get(1)?)?));
    }
    // `vi.mocked(total)`
    let on = on
        .call()
        .filter(|call| call.name() == "mocked")
        .and_then(|call| call.arguments().next())
        .unwrap_or(on);
    if on.kind() == "identifier" {
        return Some((String::new(), on.text().into_owned()));
    }
    Some((on.child("object")?.text().into_owned(), on.child("property")?.text().into_owned()))
}

/// The name of a function that is nothing but a replacement: `const total = vi.fn().mockReturnValue(3)`.
fn made_up(node: Node<'_>, answers: &[&str]) -> Option<String> {
    let made = node.child("value")?.call()?;
    let fakes = [&b"jest.fn"[..], b"vi.fn"];
    let told =
        answers.contains(&made.name().as_str()) && fakes.iter().any(|fake| made.callee().starts_with(fake));
    let given = fakes.contains(&made.callee()) && made.arguments().next().is_some();
    let name = node.child("name").filter(|name| (told || given) && name.kind() == "identifier")?;
    Some(name.text().into_owned())
}

/// The functions that a file imports from a module which it replaces: `vi.mock("./cart", () => ({ total: ... }))`.
pub(super) fn replaced_modules(tree: &Tree) -> Vec<Replaced> {
    let mocks = |node: &Node<'_>| {
        node.call().is_some_and(|call| [&b"jest.mock"[..], b"vi.mock"].contains(&call.callee()))
    };
    let calls = tree.all(Notion::Call).filter(mocks).filter_map(|node| node.call()).take(MOST);
    let modules: Vec<(String, Node<'_>)> = calls
        .filter_map(|call| Some((unquoted(call.arguments().next()?)?, call.arguments().nth(1)?)))
        .filter(|(_, factory)| !["Actual", "riginal"].iter().any(|word| factory.text().contains(word)))
        .collect();
    if modules.is_empty() {
        return Vec::new();
    }
    let imports = tree.root().named_children().filter(|node| node.kind() == "import_statement");
    let mut found = Vec::new();
    for import in imports {
        let Some(from) = import.child("source").and_then(unquoted) else { continue };
        let Some((_, factory)) = modules.iter().find(|(module, _)| *module == from) else { continue };
        let names = import.descendants().filter(|node| node.kind() == "import_specifier");
        let names = names.filter_map(|one| one.child("name")).map(|name| name.text().into_owned());
        let given: HashSet<&[u8]> = words(factory.bytes()).collect();
        found.extend(names.filter(|name| given.contains(name.as_bytes())).map(|name| (String::new(), name)));
    }
    found.truncate(MOST);
    found
}

/// `when(cart.total()).thenReturn(3)`.
fn in_java(node: Node<'_>) -> Option<Replaced> {
    let call = node.call().filter(|call| call.name() == "thenReturn")?;
    let when = call.node.child("object")?.call().filter(|when| when.name() == "when")?;
    let asked = when.arguments().next()?;
    let object = asked.child("object")?;
    asked.call()?;
    Some((object.text().into_owned(), asked.child("name")?.text().into_owned()))
}
