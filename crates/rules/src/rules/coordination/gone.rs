//! Functions that the tickets of an epic agreed on, and that a change takes away.

use domain::work::FunctionProfile;

use super::callers::AROUND;
use super::mentions;
use super::profile::{counted, fits_name, is_code, name_of};
use crate::context::{ChangeContext, FileContext};
use crate::neighbours::neighbours;
use crate::reporter::Draft;
use crate::syntax::{Tree, functions};

/// An agreed function that stood at the base, as agreed, and is nowhere now.
pub(super) struct Removed<'p, 'f> {
    pub(super) profile: &'p FunctionProfile,
    pub(super) file: &'f FileContext<'f>,
    line: u32,
}

impl Removed<'_, '_> {
    pub(super) fn draft(&self) -> Draft {
        let FunctionProfile { name, arity, .. } = self.profile;
        let message = format!("{name} function was removed but epic specifies it with arity {arity}");
        let draft = match self.file.base() {
            Some(base) => Draft::removed(base, self.line, message),
            None => Draft::file(message),
        };
        draft.fix(format!("Restore {name} with {} or update epic coordination requirements", counted(*arity)))
    }
}

/// Silent where the file that had it still names it, be it as an alias or an import, and where another file of the
/// change or around it defines it: then that may be the one that was agreed on.
pub(super) fn removed<'p, 'f>(
    change: &'f ChangeContext<'f>,
    profile: &'p FunctionProfile,
) -> Option<Removed<'p, 'f>> {
    let code = || change.files.iter().filter(|file| is_code(file));
    let (file, line) = code().find_map(|file| Some((file, line_at_base(file, profile)?)))?;
    let named =
        |file: &FileContext<'_>| file.head().is_some_and(|head| mentions(head.code(), name_of(profile)));
    let stands =
        |file: &FileContext<'_>| named(file) && file.touched_tree().is_some_and(|tree| has(tree, profile));
    if named(file) || code().any(stands) {
        return None;
    }
    let near = neighbours(change, &[file], file.language, AROUND);
    let mut naming = near.iter().filter(|one| mentions(one.source.text(), name_of(profile)));
    let elsewhere = naming.any(|one| one.tree().is_some_and(|tree| has(tree, profile)));
    (!elsewhere).then_some(Removed { profile, file, line })
}

fn has(tree: &Tree, profile: &FunctionProfile) -> bool {
    functions(tree).iter().any(|function| !function.is_test && fits_name(function, profile))
}

/// Where the function stood that the change took out.
fn line_at_base(file: &FileContext<'_>, profile: &FunctionProfile) -> Option<u32> {
    let mut removed = file.change.removed();
    if !removed.any(|(_, line)| mentions(line, name_of(profile))) {
        return None;
    }
    let agreed = functions(file.base_tree()?).into_iter().find(|function| {
        !function.is_test
            && !function.local
            && fits_name(function, profile)
            && function.arity.is_exactly(profile.arity)
            && file.touched_lines().base(function.name_node)
    })?;
    Some(agreed.name_line())
}
