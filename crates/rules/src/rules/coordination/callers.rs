//! Calls that a change left as they were although what they call is no longer there.

use std::collections::{HashMap, HashSet};

use aho_corasick::AhoCorasick;
use domain::change::RepoPath;
use rayon::prelude::*;

use super::lost::{Loss, Lost};
use super::mentions;
use crate::context::{ChangeContext, FileContext};
use crate::syntax::{Call, ItemKind, Notion, functions};

/// Who calls the lost functions, in the files of the change, tests included.
///
/// Files outside the change are not looked at, nor calls through another name, with arguments that are spread out, or
/// in files that newly import a function of the same name; and of a name that the change defines elsewhere too, nothing
/// is said: silence is better than a guess.
#[derive(Debug, Default)]
pub(super) struct Callers<'f> {
    files: Vec<Usage<'f>>,
}

#[derive(Debug)]
struct Usage<'f> {
    file: &'f FileContext<'f>,
    /// Names and containers.
    defined: HashSet<(String, String)>,
    calls: HashMap<String, Vec<Use>>,
    /// The text of the imports that the change touched.
    imported: Vec<u8>,
}

#[derive(Debug)]
struct Use {
    line: u32,
    arguments: u32,
    /// What stands in front of the name.
    before: String,
}

/// A call that does not fit any more.
#[derive(Debug)]
pub(super) struct Stale {
    pub(super) path: RepoPath,
    pub(super) line: u32,
    pub(super) arguments: u32,
}

/// A method is known by its name alone; a shorter one than this may be anybody's.
const TELLING: usize = 6;

impl<'f> Callers<'f> {
    pub(super) fn of(change: &'f ChangeContext<'f>, lost: &[Lost<'_>]) -> Self {
        let functions = lost.iter().filter(|one| one.kind == ItemKind::Function && one.loss != Loss::Hidden);
        let names: HashSet<&str> = functions.map(|one| one.name.as_str()).collect();
        let Ok(search) = AhoCorasick::new(&names) else { return Callers::default() };
        let files = change.files.par_iter().filter(|file| file.skipped.is_none() && !names.is_empty());
        let files = files.filter(|file| lost.iter().any(|one| one.file.language == file.language));
        let using = files.filter(|file| file.head().is_some_and(|head| search.is_match(head.text())));
        Callers { files: using.filter_map(|file| Usage::of(file, &names)).collect() }
    }

    /// The first call that fitted before the change and does not now.
    pub(super) fn stale(&self, lost: &Lost<'_>) -> Option<Stale> {
        if lost.kind != ItemKind::Function {
            return None;
        }
        let users = || self.files.iter().filter(|usage| usage.file.language == lost.file.language);
        if users().any(|usage| usage.defines_another(lost)) {
            return None;
        }
        users().filter(|usage| !mentions(&usage.imported, &lost.name)).find_map(|usage| {
            let calls = usage.calls.get(&lost.name)?;
            let stale = calls.iter().find(|call| call.is_of(lost) && is_stale(call.arguments, lost))?;
            let path = usage.file.change.path().clone();
            Some(Stale { path, line: stale.line, arguments: stale.arguments })
        })
    }
}

fn is_stale(arguments: u32, lost: &Lost<'_>) -> bool {
    match &lost.loss {
        Loss::Gone => true,
        Loss::Hidden => false,
        Loss::Narrowed { was, is } => {
            was.accepts(arguments) && !is.iter().any(|arity| arity.accepts(arguments))
        }
    }
}

impl<'f> Usage<'f> {
    fn of(file: &'f FileContext<'f>, names: &HashSet<&str>) -> Option<Self> {
        let tree = file.tree()?;
        let defined = functions(tree).into_iter().filter(|function| names.contains(function.name.as_str()));
        let defined = defined.map(|function| (function.name, function.container)).collect();
        let mut calls: HashMap<String, Vec<Use>> = HashMap::new();
        for call in tree.all(Notion::Call).filter_map(|node| node.call()) {
            let name = call.name();
            if let Some(arguments) = counted(&call).filter(|_| names.contains(name.as_str())) {
                let callee = String::from_utf8_lossy(call.callee());
                let before = callee.strip_suffix(name.as_str()).unwrap_or_default().to_owned();
                calls.entry(name).or_default().push(Use { line: call.node.line(), arguments, before });
            }
        }
        let imports = tree.all(Notion::Import).filter(|import| file.touched(*import));
        let imported = imports.flat_map(|import| [import.bytes(), b"\n"]).flatten().copied().collect();
        Some(Usage { file, defined, calls, imported })
    }

    /// A function of that name that is not the one that was lost.
    fn defines_another(&self, lost: &Lost<'_>) -> bool {
        let itself = std::ptr::eq(self.file.change, lost.file.change);
        self.defined
            .iter()
            .any(|(name, container)| *name == lost.name && !(itself && *container == lost.container))
    }
}

impl Use {
    /// Whether it calls the lost function rather than one that happens to have its name.
    fn is_of(&self, lost: &Lost<'_>) -> bool {
        let path = self.before.trim_end_matches([':', '.', '?', '!']);
        let word = path.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
        match (lost.container.is_empty(), self.before.as_str()) {
            (true, "") => true,
            (true, _) => is_home(lost, word),
            (false, "") => false,
            // With its type in front, a method takes its receiver as an argument.
            (false, before) if before.ends_with("::") => word == lost.owner() && !lost.has_receiver,
            (false, _) => word == lost.owner() || lost.name.len() >= TELLING,
        }
    }
}

/// Whether a word names the module that the function was in: its file or its folder.
fn is_home(lost: &Lost<'_>, word: &str) -> bool {
    let path = lost.file.change.path();
    let file = String::from_utf8_lossy(path.file_name()).into_owned();
    file.split('.').next() == Some(word) || path.folders().last() == Some(word.as_bytes())
}

/// Absent where the call does not show how many arguments it gives.
fn counted(call: &Call<'_>) -> Option<u32> {
    const SPREAD: [&str; 6] = [
        "spread_element",
        "list_splat",
        "dictionary_splat",
        "splat_argument",
        "variadic_argument",
        "spread_expression",
    ];
    let trailing = call.node.child_of(&["annotated_lambda", "lambda_literal"]).is_some();
    let is_macro = call.node.kind() == "macro_invocation";
    let open = trailing || is_macro || call.argument_list().is_none();
    let starred = |text: &[u8]| text.starts_with(b"*") || text.ends_with(b"...");
    let spread = call.arguments().any(|argument| argument.is_kind(&SPREAD) || starred(argument.bytes()));
    (!open && !spread).then(|| u32::try_from(call.arguments().count()).unwrap_or(u32::MAX))
}
