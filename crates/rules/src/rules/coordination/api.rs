//! What a change takes away from those who use its files.

use std::collections::{HashMap, HashSet};

use aho_corasick::AhoCorasick;
use rayon::prelude::*;

use super::arrivals::{arrivals, new_items};
use super::declaring::may_matter;
use super::inherited::without_what_is_inherited;
use super::inside::takes_nothing_away;
use super::left_members::Left;
use super::lost::{Line, Loss, Lost, Proof, Sort};
use super::made::{ByPath, Stands, stands};
use super::other;
use super::rust::{self, Sealed};
use super::shut::without_what_is_shut_off;
use crate::context::{ChangeContext, FileContext};
use crate::language::Language;
use crate::mask::Kind;
use crate::syntax::{Arity, Item, ItemKind, Node, Tree, Visibility, items};

pub(super) const LANGUAGES: &[Language] = &[
    Language::Rust,
    Language::Python,
    Language::JavaScript,
    Language::TypeScript,
    Language::Go,
    Language::Java,
    Language::Kotlin,
    Language::CSharp,
    Language::C,
    Language::Cpp,
    Language::Php,
    Language::Ruby,
    Language::Swift,
    Language::Scala,
];

/// Everything of the base that is public, or that `named` knows, and that the change took away or narrowed, except what
/// merely moved to another file of the change or is exported again from there.
///
/// Not looked at: types of parameters and results, what macros define, files outside the change.
pub(super) fn losses<'f>(
    change: &'f ChangeContext<'f>,
    named: impl Fn(&Item<'_>) -> bool + Sync,
) -> Vec<Lost<'f>> {
    let code: Vec<&FileContext<'_>> = change.files.iter().filter(|file| is_compared(file)).collect();
    let lost: Vec<Lost<'f>> =
        code.par_iter().filter(|file| is_wanted(file)).flat_map_iter(|file| compare(file, &named)).collect();
    if lost.iter().all(Lost::stays) {
        return lost;
    }
    let word = |name: &'_ str| name.strip_prefix("impl ").unwrap_or(name).to_owned();
    let names: HashSet<String> = lost.iter().flat_map(|one| [word(&one.name), word(one.owner())]).collect();
    let Ok(search) = AhoCorasick::new(names.into_iter().filter(|name| !name.is_empty())) else { return lost };
    let may_receive = |file: &FileContext<'_>| file.added().any(|line| search.is_match(line.text));
    let receiving = code.par_iter().filter(|file| may_receive(file));
    let receiving: Vec<&&FileContext<'_>> = receiving.collect();
    let elsewhere: HashSet<(String, String)> =
        receiving.par_iter().flat_map_iter(|file| arrivals(file)).collect();
    let (moved, mut lost): (Vec<Lost<'f>>, Vec<Lost<'f>>) = lost.into_iter().partition(|one| {
        let arrived = |owner: &str| elsewhere.contains(&(owner.to_owned(), one.name.clone()));
        let with_its_owner = || elsewhere.contains(&(String::new(), one.owner().to_owned()));
        !one.stays() && (arrived(one.owner()) || arrived("*") || with_its_owner())
    });
    let giving: HashSet<*const FileContext<'_>> =
        moved.iter().map(|one| std::ptr::from_ref(one.file)).collect();
    let homes: Vec<&&FileContext<'_>> =
        code.iter().filter(|file| giving.contains(&std::ptr::from_ref(**file))).collect();
    let new: Vec<Arrived<'_>> = match homes.is_empty() {
        true => Vec::new(),
        false => receiving.iter().flat_map(|file| arrived_in(file)).collect(),
    };
    let mut arrived: ByPlace<'_, '_> = HashMap::new();
    for one in &new {
        arrived.entry((one.file.language, place(&one.item))).or_default().push(one);
    }
    let left = Left::of(new.iter().filter(|one| one.file.language == Language::Rust).map(|one| &one.item));
    lost.extend(homes.into_iter().flat_map(|home| changed_on_the_way(home, &arrived, &left)));
    without_what_is_inherited(change, &mut lost);
    rust::doubt_what_is_exported(change, &mut lost);
    lost
}

/// Something public that a file has since the change.
struct Arrived<'f> {
    file: &'f FileContext<'f>,
    item: Item<'f>,
}

/// What arrived, by language and place: found once, as thousands of files may give something away.
type ByPlace<'i, 'f> = HashMap<(Language, (&'i str, &'i str)), Vec<&'i Arrived<'f>>>;

fn arrived_in<'f>(file: &'f FileContext<'f>) -> impl Iterator<Item = Arrived<'f>> {
    let public = new_items(file).into_iter().filter(|item| item.visibility == Visibility::Public);
    public.map(move |item| Arrived { file, item })
}

/// Items that another file of the change has now, and not as they were.
fn changed_on_the_way<'f>(
    home: &'f FileContext<'f>,
    arrived: &ByPlace<'_, '_>,
    left: &Left<'_>,
) -> Vec<Lost<'f>> {
    let (Some(base), head) = home.sides() else { return Vec::new() };
    let (was, is) = (everything(base), head.map(everything).unwrap_or_default());
    let still: HashSet<(&str, &str)> = is.iter().map(place).collect();
    let mut sealed = Sealed::default();
    let gone =
        was.iter().filter(|item| item.visibility == Visibility::Public && !still.contains(&place(item)));
    let found = gone.filter_map(|item| {
        let all = arrived.get(&(home.language, place(item)));
        let mut others = all.into_iter().flatten().filter(|one| !std::ptr::eq(one.file, home));
        let (loss, proof) = match (others.next(), others.next()) {
            (Some(now), None) => changed(item, &[&now.item], &mut sealed)?,
            (None, _) if left.on_the_way(item) => (Loss::Gone, Proof::Likely),
            _ => return None,
        };
        Some(describe(home, base, item, loss, proof, &[]))
    });
    found.collect()
}

/// What it belongs to, without the modules around that, and its name.
pub(super) fn place<'i>(item: &'i Item<'_>) -> (&'i str, &'i str) {
    (item.container.rsplit('.').next().unwrap_or_default(), item.name.as_str())
}

/// Whether both sides of the file have to be compared.
pub(super) fn is_wanted(file: &FileContext<'_>) -> bool {
    file.offers_less(|| {
        file.change.old.is_some() && is_compared(file) && may_matter(file) && !takes_nothing_away(file)
    })
}

/// Code that others may use: no tests, programs, examples or build scripts.
fn is_compared(file: &FileContext<'_>) -> bool {
    const FOLDERS: [&[u8]; 9] =
        [b"examples", b"example", b"benches", b"docs", b"doc", b"bin", b"migrations", b"scripts", b"fuzz"];
    const NAMES: [&[u8]; 6] =
        [b"main.rs", b"build.rs", b"setup.py", b"conftest.py", b"manage.py", b"main.go"];
    let path = file.change.path();
    let of_c = matches!(file.language, Language::C | Language::Cpp);
    let is_header = || path.extension().starts_with('h');
    LANGUAGES.contains(&file.language)
        && (!of_c || is_header())
        && file.skipped.is_none()
        && !file.is_test_file()
        && !path.folders().any(|folder| FOLDERS.contains(&folder))
        && !NAMES.contains(&path.file_name())
}

fn compare<'f>(file: &'f FileContext<'f>, named: &(impl Fn(&Item<'_>) -> bool + Sync)) -> Vec<Lost<'f>> {
    let (Some(base), head) = file.sides() else { return Vec::new() };
    if file.change.new.is_some() && head.is_none() {
        return Vec::new();
    }
    let (was, is) = (everything(base), head.map(everything).unwrap_or_default());
    let (before, now) = (by_path(&was), by_path(&is));
    let mut sealed = Sealed::default();
    let in_test = |item: &Item<'_>| file.base().is_some_and(|base| base.in_test(item.name_node.line()));
    let told_elsewhere = |item: &Item<'_>| {
        rust::is_hidden_variant(item) || rust::is_hidden_member(item) || rust::is_type_of_trait(item)
    };
    let wanted = was
        .iter()
        .filter(|item| (is_offered(item) && !in_test(item) && !told_elsewhere(item)) || named(item));
    let mut lost: Vec<Lost<'f>> = wanted
        .filter_map(|item| {
            let path = (item.container.as_ref(), item.name.as_str());
            let earlier = before.get(&path).map(Vec::as_slice).unwrap_or_default();
            if now.get(&path).is_some_and(|same| same.len().max(earlier.len()) > MOST_ALIKE) {
                return None;
            }
            let alike = now.get(&path).map(|same| rust::of_the_same_block(item, same, earlier));
            let alike = alike.filter(|same| !same.is_empty());
            let same = alike.as_deref();
            let (loss, proof) = match same {
                Some(same) => changed(item, same, &mut sealed)?,
                None if is_constructor(item) => (without_constructor(item, &now)?, Proof::Certain),
                None => match stands(item, base, head, &now) {
                    Stands::Yes => return None,
                    Stands::Perhaps => (Loss::Gone, Proof::Slight),
                    Stands::No => (Loss::Gone, Proof::Certain),
                },
            };
            let missed = matches!(loss, Loss::Gone | Loss::Hidden) && file.language == Language::Rust;
            if missed && head.is_some_and(|head| rust::is_given_by_a_trait(item, head)) {
                return None;
            }
            Some(describe(file, base, item, loss, proof, same.unwrap_or_default()))
        })
        .collect();
    let further = match file.language {
        Language::Rust => rust::beyond(base, head),
        _ => other::beyond(base, head, file.change.path().file_name()),
    };
    lost.extend(further.into_iter().map(|one| Lost {
        file,
        sort: one.sort,
        name: one.name,
        container: one.container,
        has_receiver: false,
        arity: None,
        deprecated: false,
        own: false,
        enclosed: false,
        loss: one.loss,
        proof: one.proof,
        line: one.line,
    }));
    without_what_went_along(&mut lost);
    lost
}

/// Nobody writes more of one name into one place. Each would be compared with all the others, so nothing is said of them.
const MOST_ALIKE: usize = 200;

/// Also under the paths that others use instead of those where it stands.
fn everything(tree: &Tree) -> Vec<Item<'_>> {
    let mut all = items(tree);
    without_what_is_shut_off(tree, &mut all);
    if tree.table().language() == Language::Rust {
        let exposed = rust::exposed(tree, &all);
        all.extend(exposed);
    }
    all
}

fn by_path<'i, 't>(all: &'i [Item<'t>]) -> ByPath<'i, 't> {
    let mut by_path = ByPath::new();
    for item in all {
        by_path.entry((&item.container, &item.name)).or_default().push(item);
    }
    by_path
}

/// A type or module goes with everything in it.
fn without_what_went_along(lost: &mut Vec<Lost<'_>>) {
    let whole = |sort: Sort| matches!(sort, Sort::Item(ItemKind::Type) | Sort::Module);
    let gone: HashSet<(String, bool)> = lost
        .iter()
        .filter(|one| whole(one.sort) && matches!(one.loss, Loss::Gone | Loss::Hidden))
        .map(|one| (one.path(), one.sort == Sort::Module))
        .collect();
    let goes_along = |one: &Lost<'_>| {
        let mut around = Some(one.container.as_str()).filter(|around| !around.is_empty());
        while let Some(path) = around {
            let with_type = one.loss == Loss::Gone && gone.contains(&(path.to_owned(), false));
            if with_type || gone.contains(&(path.to_owned(), true)) {
                return true;
            }
            around = path.rsplit_once('.').map(|(above, _)| above);
        }
        false
    };
    lost.retain(|one| !goes_along(one));
    lost.dedup_by(|a, b| a.name == b.name && a.container == b.container && a.loss == b.loss);
}

/// Public, or a function that says so in a place that is not, or that is called by its name from elsewhere. Where no
/// compiler tells, also every other function: it may still be called.
fn is_offered(item: &Item<'_>) -> bool {
    let is_function = item.kind == ItemKind::Function;
    match item.node.tree().table().language() {
        Language::Cpp if is_set_apart(item) => false,
        // A macro that says nothing only keeps a header from being read twice.
        Language::C | Language::Cpp if item.node.kind() == "preproc_def" => {
            item.node.child("value").is_some()
        }
        _ if item.visibility == Visibility::Public => true,
        Language::Rust => {
            is_function && (rust::says_pub(item) || is_symbol(item) || rust::is_for_the_crate(item))
        }
        Language::Python | Language::JavaScript | Language::TypeScript => is_function,
        // Whoever is in the same module sees it.
        Language::Swift => is_function && item.visibility == Visibility::Restricted,
        _ => other::is_for_heirs(item),
    }
}

/// In a namespace without a name, or with one by which libraries of C++ say that nobody should look into it.
fn is_set_apart(item: &Item<'_>) -> bool {
    const NAMES: [&str; 8] =
        ["detail", "details", "internal", "impl", "_detail", "detail_", "internals", "private_"];
    let unnamed =
        |around: Node<'_>| around.kind() == "namespace_definition" && around.child("name").is_none();
    item.container.split(['.', ':']).any(|part| NAMES.contains(&part)) || item.node.ancestors().any(unnamed)
}

/// Hidden from other crates, and not from linkers.
fn is_symbol(item: &Item<'_>) -> bool {
    let rust = item.node.tree().table().language() == Language::Rust;
    rust && item.visibility != Visibility::Public && rust::is_linked(item)
}

fn changed(item: &Item<'_>, same: &[&Item<'_>], sealed: &mut Sealed) -> Option<(Loss, Proof)> {
    // Another name for what is defined under a new one.
    let renamed = |other: &&Item<'_>| other.node.kind() == "assignment" && item.node.kind() != "assignment";
    if same.iter().any(renamed) {
        return None;
    }
    if same.iter().all(|other| other.visibility < item.visibility && !is_static_in_a_header(other)) {
        return (item.visibility == Visibility::Public).then_some((Loss::Hidden, Proof::Certain));
    }
    if same.iter().any(|now| other::is_wrapped(item, now)) {
        return None;
    }
    narrowed(item, same)
        .map(|loss| (loss, Proof::Certain))
        .or_else(|| unnamed(item, same))
        .or_else(|| altered(item, same, sealed))
}

/// Whoever takes in a header of C has what it keeps for itself.
fn is_static_in_a_header(item: &Item<'_>) -> bool {
    let of_c = matches!(item.node.tree().table().language(), Language::C | Language::Cpp);
    let said = item.node.child_of(&["storage_class_specifier"]);
    of_c && item.container.is_empty() && said.is_some_and(|said| said.bytes() == b"static")
}

/// Only if none of those that are there now takes it.
fn unnamed(item: &Item<'_>, same: &[&Item<'_>]) -> Option<(Loss, Proof)> {
    let mut lost = same.iter().map(|now| other::unnamed(item, now));
    let parameter = lost.next()??;
    lost.all(|one| one.is_some()).then_some((Loss::Unnamed { parameter }, Proof::Likely))
}

fn narrowed(item: &Item<'_>, same: &[&Item<'_>]) -> Option<Loss> {
    let was = item.arity.filter(|_| item.kind == ItemKind::Function)?;
    // A function that became a constant may be one all the same.
    if same.iter().any(|other| other.arity.is_none()) {
        return None;
    }
    let is: Vec<Arity> = same.iter().filter_map(|other| other.arity).collect();
    // What was given in parentheses may now stand in front of the dot, and may still be given in parentheses.
    let as_receiver = |other: &&Item<'_>| {
        let one_less =
            Arity { least: was.least.saturating_sub(1), most: was.most.map(|most| most.saturating_sub(1)) };
        other.has_receiver && !item.has_receiver && other.arity == Some(one_less)
    };
    let unchanged = |other: &&Item<'_>| match (written(item.node), written(other.node)) {
        (Some(was), Some(is)) => was.bytes() == is.bytes(),
        _ => false,
    };
    let fits = is.iter().any(|arity| arity.covers(was))
        || same.iter().any(as_receiver)
        || same.iter().any(unchanged);
    (!fits).then_some(Loss::Narrowed { was, is })
}

/// The list of parameters of a script, where a body may tell as well how many have to be given.
fn written(node: Node<'_>) -> Option<Node<'_>> {
    let language = node.tree().table().language();
    let script = matches!(language, Language::JavaScript | Language::TypeScript);
    let inner = || node.child("value").or_else(|| node.child("right"))?.child("parameters");
    node.child("parameters").or_else(inner).filter(|_| script)
}

/// Only if none of those that are there now is as it was: there may be one for each platform.
fn altered(item: &Item<'_>, same: &[&Item<'_>], sealed: &mut Sealed) -> Option<(Loss, Proof)> {
    if item.visibility != Visibility::Public && !is_symbol(item) {
        return None;
    }
    let mut first = None;
    for now in same {
        let alteration = match item.node.tree().table().language() {
            Language::Rust => rust::altered(item, now, sealed)?,
            _ => other::altered(item, now)?,
        };
        first.get_or_insert(alteration);
    }
    first.map(|one| (Loss::Altered { how: one.how }, one.proof))
}

/// Without one of its own a class still has a constructor, or that of the class above it.
fn is_constructor(item: &Item<'_>) -> bool {
    let owner = item.container.rsplit('.').next().unwrap_or_default();
    item.kind == ItemKind::Function
        && (["__init__", "constructor", "init"].contains(&item.name.as_str()) || item.name == owner)
}

/// What is lost with the last constructor that a class wrote, if it is known what takes its place.
fn without_constructor(item: &Item<'_>, now: &ByPath<'_, '_>) -> Option<Loss> {
    let was = item.arity?;
    let path = item.container.rsplit_once('.').unwrap_or(("", &item.container));
    let [class] = now.get(&path)?.as_slice() else { return None };
    let is = other::unwritten_constructor(class.node)?;
    (!is.covers(was)).then(|| Loss::Narrowed { was, is: vec![is] })
}

fn describe<'f>(
    file: &'f FileContext<'f>,
    base: &Tree,
    item: &Item<'_>,
    loss: Loss,
    proof: Proof,
    same: &[&Item<'_>],
) -> Lost<'f> {
    let line = match (&loss, same.first()) {
        (Loss::Narrowed { .. } | Loss::Unnamed { .. } | Loss::Altered { .. }, Some(now)) => {
            Line::New(touched_line(file, now))
        }
        _ => Line::Old(item.name_node.line()),
    };
    Lost {
        file,
        sort: if is_symbol(item) { Sort::Symbol } else { Sort::Item(item.kind) },
        name: item.name.clone(),
        container: item.container.to_string(),
        has_receiver: item.has_receiver,
        arity: item.arity,
        deprecated: is_deprecated(base, item),
        own: rust::is_for_the_crate(item),
        enclosed: item.visibility != Visibility::Public && !is_symbol(item) && !other::is_for_heirs(item),
        loss,
        proof,
        line,
    }
}

/// The line of its name if the change added it, else the first line of code it added to what stands behind the name.
fn touched_line(file: &FileContext<'_>, item: &Item<'_>) -> u32 {
    let name = item.name_node.line();
    let last = item.node.end_line().min(name.saturating_add(30));
    let Some(head) = file.head() else { return name };
    let is_code = |line: &u32| {
        let first = head.line(*line).iter().position(|byte| !byte.is_ascii_whitespace());
        first.is_some_and(|column| head.kind(*line, column) != Kind::Comment)
    };
    file.touched_lines().added_in(name, last).find(is_code).unwrap_or(name)
}

/// By a word in the few lines above the name: an attribute, an annotation, a comment.
fn is_deprecated(base: &Tree, item: &Item<'_>) -> bool {
    const FAR: usize = 300;
    let at = item.name_node.range().start;
    let above = &base.text()[at.saturating_sub(FAR)..at];
    let from = memchr::memmem::rfind(above, b"\n\n").map_or(0, |blank| blank + 2);
    let above = above[from..].to_ascii_lowercase();
    let last_end = above.iter().rposition(|byte| *byte == b'}').map_or(0, |end| end + 1);
    memchr::memmem::find(&above[last_end..], b"deprecated").is_some()
}
