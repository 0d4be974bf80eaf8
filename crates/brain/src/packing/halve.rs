//! Making smaller what a model could not take after all.

use super::split::{Piece, labelled};
use super::tokens::count;
use super::{Bundle, Slice};

/// What has fewer tokens than this is not too large because of the change in it.
const LEAST: usize = 100;

impl Bundle {
    /// The same in bundles of about half the size each, in the same order and with nothing left out. `None` if it
    /// cannot be made smaller.
    pub fn halved(&self) -> Option<Vec<Bundle>> {
        let capacity = self.tokens / 2;
        if capacity < LEAST {
            return None;
        }
        let mut halves = Halves { capacity, bundles: Vec::new() };
        for slice in &self.slices {
            halves.add(slice);
        }
        (halves.bundles.len() > 1).then_some(halves.bundles)
    }
}

struct Halves {
    capacity: usize,
    bundles: Vec<Bundle>,
}

impl Halves {
    fn add(&mut self, slice: &Slice) {
        let mut empty = Slice { pieces: Vec::new(), ..slice.clone() };
        let mut own = count(&empty.heading) + count(&empty.evidence);
        if own > self.capacity / 4 {
            empty.evidence = String::new();
            own = count(&empty.heading);
        }
        if slice.pieces.is_empty() {
            self.bundle_for(&empty, own, 0);
        }
        let room = self.capacity.saturating_sub(own).max(1);
        for piece in slice.pieces.iter().flat_map(|piece| smaller(piece, room)) {
            let tokens = piece.tokens;
            if let Some(slice) = self.bundle_for(&empty, own, tokens) {
                slice.pieces.push(piece);
            }
        }
    }

    /// The slice of the file in the last bundle, or in a new one if there is no more room in that.
    fn bundle_for(&mut self, empty: &Slice, own: usize, tokens: usize) -> Option<&mut Slice> {
        let continues = |bundle: &Bundle| bundle.slices.last().is_some_and(|last| last.file == empty.file);
        let cost = |bundle: &Bundle| tokens + if continues(bundle) { 0 } else { own };
        if self.bundles.last().is_none_or(|last| last.tokens + cost(last) > self.capacity) {
            self.bundles.push(Bundle { slices: Vec::new(), tokens: 0 });
        }
        let bundle = self.bundles.last_mut()?;
        bundle.tokens += cost(bundle);
        if !continues(bundle) {
            bundle.slices.push(empty.clone());
        }
        bundle.slices.last_mut()
    }
}

/// The piece itself if it fits, else parts of it, each with its heading.
fn smaller(piece: &Piece, room: usize) -> Vec<Piece> {
    if piece.tokens <= room {
        return vec![piece.clone()];
    }
    let (heading, body) = piece.text.split_once('\n').unwrap_or((&piece.text, ""));
    let lines: Vec<String> = body.split_inclusive('\n').map(str::to_owned).collect();
    let part = |(text, tokens)| Piece { text, tokens, whole: false, ..piece.clone() };
    labelled(heading, &lines, room).into_iter().map(part).collect()
}
