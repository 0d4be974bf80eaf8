//! A change, packed into as few calls as the token budget allows. No file is ever left out.
//!
//! A file stays together where it fits. One that does not is split by hunk, a hunk by lines, and a line, if
//! it has to be, by characters; all pieces are sent, and a hunk counts as seen only if each was answered.

mod halve;
mod render;
mod split;
mod surroundings;
#[cfg(test)]
mod tests;
mod tokens;

use domain::change::Change;

pub use render::{FileText, HunkText, files, known_finding, overview};
pub use split::Piece;
pub use surroundings::add_surroundings;
pub use tokens::{clip, count, count_call};

use split::Item;

/// What goes into one call.
#[derive(Debug, Clone)]
pub struct Bundle {
    /// In the order of the change.
    pub slices: Vec<Slice>,
    pub tokens: usize,
}

/// A file of a bundle, or a part of it.
#[derive(Debug, Clone)]
pub struct Slice {
    /// Its position in the change.
    pub file: usize,
    pub heading: String,
    pub evidence: String,
    pub pieces: Vec<Piece>,
}

impl Bundle {
    /// What the built-in rules have found in these files.
    pub fn evidence(&self) -> String {
        self.slices.iter().map(|slice| slice.evidence.as_str()).collect()
    }

    pub fn diff(&self) -> String {
        self.slices.iter().map(Slice::diff).collect()
    }
}

impl Slice {
    pub fn diff(&self) -> String {
        let pieces = self.pieces.iter().map(|piece| piece.text.as_str());
        std::iter::once(self.heading.as_str()).chain(pieces).collect()
    }
}

/// Tokens of the whole change as it would be sent, without what is known about it.
pub fn total(files: &[FileText]) -> usize {
    let hunks = |file: &FileText| file.hunks.iter().map(|hunk| hunk.tokens).sum::<usize>();
    files.iter().map(|file| count(&file.heading) + hunks(file)).sum()
}

/// Packs files into bundles of at most `capacity` tokens each: the largest first, each into the first bundle
/// with room for it. That needs at most two ninths more bundles than the best packing there is. Files of a
/// bundle, and the bundles by their first file, keep the order of the change.
pub fn pack(mut files: Vec<FileText>, capacity: usize) -> Vec<Bundle> {
    for file in &mut files {
        leave_room(file, capacity);
    }
    let mut items: Vec<_> =
        files.iter().enumerate().flat_map(|(source, file)| split::items(source, file, capacity)).collect();
    items.sort_by_key(|item| std::cmp::Reverse(item.tokens));
    let mut bins: Vec<(usize, Vec<Item>)> = Vec::new();
    for item in items {
        match bins.iter_mut().find(|(used, _)| used + item.tokens <= capacity) {
            Some((used, items)) => {
                *used += item.tokens;
                items.push(item);
            }
            None => bins.push((item.tokens, vec![item])),
        }
    }
    let mut bundles: Vec<_> = bins.into_iter().map(|(tokens, items)| bundle(&files, tokens, items)).collect();
    bundles.sort_by_key(|bundle| bundle.slices.first().map(|slice| (slice.file, beginning(&slice.pieces))));
    bundles
}

/// The hunk and the part of it that come first.
fn beginning(pieces: &[Piece]) -> Option<(Option<usize>, usize)> {
    pieces.first().map(|piece| (piece.hunk, piece.part))
}

/// Evidence must not crowd out what it is evidence about.
fn leave_room(file: &mut FileText, capacity: usize) {
    if file.tokens > capacity / 4 {
        file.evidence = String::new();
        file.tokens = count(&file.heading);
    }
}

fn bundle(files: &[FileText], tokens: usize, mut items: Vec<Item>) -> Bundle {
    items.sort_by_key(|item| (item.source, beginning(&item.pieces)));
    let slice = |item: Item| {
        let file = files.get(item.source);
        Slice {
            file: file.map_or(0, |file| file.file),
            heading: file.map(|file| file.heading.clone()).unwrap_or_default(),
            evidence: file.map(|file| file.evidence.clone()).unwrap_or_default(),
            pieces: item.pieces,
        }
    };
    Bundle { slices: items.into_iter().map(slice).collect(), tokens }
}

/// Which bundles hold something of each hunk, by file and hunk.
pub fn holders(change: &Change, bundles: &[Bundle]) -> Vec<Vec<Vec<usize>>> {
    let mut holders: Vec<Vec<Vec<usize>>> =
        change.files.iter().map(|file| vec![Vec::new(); file.hunks().len()]).collect();
    for (index, bundle) in bundles.iter().enumerate() {
        for slice in &bundle.slices {
            for hunk in slice.pieces.iter().filter_map(|piece| piece.hunk) {
                let of_hunk = holders.get_mut(slice.file).and_then(|file| file.get_mut(hunk));
                if let Some(of_hunk) = of_hunk.filter(|of_hunk| !of_hunk.contains(&index)) {
                    of_hunk.push(index);
                }
            }
        }
    }
    holders
}
