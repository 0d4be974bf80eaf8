//! Items of other languages that kept their name and place, but not what users of them rely on.

use super::rust::Alteration;
use crate::syntax::Item;

pub(super) fn altered(_was: &Item<'_>, _is: &Item<'_>) -> Option<Alteration> {
    None
}
