//! The steps and jobs of a pipeline that were there before the change.

use std::cell::OnceCell;
use std::collections::HashSet;

use super::checks::is_code;
use super::outline::Outline;
use super::tools::check_in;
use crate::context::FileContext;

/// Read when a step is first asked about.
pub(super) struct Steps<'f, 'a> {
    file: &'f FileContext<'a>,
    read: OnceCell<Option<Read<'f>>>,
}

struct Read<'f> {
    outline: Outline<'f>,
    /// How many lines up to each are older than the change, or run a check that another line ran before.
    older: Vec<u32>,
}

impl<'f, 'a> Steps<'f, 'a> {
    pub(super) fn of(file: &'f FileContext<'a>) -> Self {
        Steps { file, read: OnceCell::new() }
    }

    fn read(&self) -> Option<&Read<'f>> {
        self.read.get_or_init(|| Read::of(self.file)).as_ref()
    }

    pub(super) fn outline(&self) -> Option<&Outline<'f>> {
        self.read().map(|read| &read.outline)
    }

    /// The line of the step or of the job around a line, if it was there before the change.
    pub(super) fn older(&self, number: u32) -> Option<u32> {
        let read = self.read()?;
        let touched = self.file.touched_lines();
        if read.outline.starts_item(number) && read.is_rewritten(number) {
            return Some(number);
        }
        for above in read.outline.around(number) {
            if !touched.is_added(above) {
                return (!read.outline.is_list(above)).then_some(above);
            }
            if read.outline.starts_item(above) && read.is_rewritten(above) {
                return Some(above);
            }
        }
        None
    }

    /// Whether the older step or job around a line runs a check.
    pub(super) fn older_check(&self, number: u32) -> bool {
        let runs = |step| self.outline().is_some_and(|outline| outline.runs_check(step));
        self.older(number).is_some_and(runs)
    }

    /// The first line that belongs to one.
    pub(super) fn below(&self, number: u32) -> Option<&'f [u8]> {
        let head = self.file.head()?;
        let block = self.outline()?.block(number);
        block.skip(1).map(|number| head.line(number)).find(|line| is_code(line))
    }

    pub(super) fn parent_is(&self, number: u32, key: &str) -> bool {
        let parent = |outline: &Outline<'_>| outline.parent(number).map(|parent| outline.key(parent));
        self.outline().and_then(parent).is_some_and(|parent| parent == key)
    }

    /// Whether the stage of Jenkins around a line was there before the change. One that is far above is taken for it.
    pub(super) fn in_older_stage(&self, number: u32) -> bool {
        const FAR: u32 = 100;
        let Some(head) = self.file.head() else { return false };
        let mut above = (number.saturating_sub(FAR).max(1)..=number).rev();
        let stage = above.find(|above| memchr::memmem::find(head.line(*above), b"stage(").is_some());
        stage.is_none_or(|stage| !self.file.touched_lines().is_added(stage))
    }
}

impl<'f> Read<'f> {
    fn of(file: &'f FileContext<'_>) -> Option<Self> {
        let head = file.head()?;
        let gone: HashSet<&[u8]> =
            file.change.removed().filter_map(|(_, line)| Some(check_in(line)?.word)).collect();
        let touched = file.touched_lines();
        let mut older = vec![0];
        let mut known = 0_u32;
        for number in 1..=head.line_count() {
            let line = head.line(number);
            let ran_before = || check_in(line).is_some_and(|check| gone.contains(check.word));
            let is_older = is_code(line) && (!touched.is_added(number) || ran_before());
            known += u32::from(is_older);
            older.push(known);
        }
        Some(Read { outline: Outline::of(head), older })
    }

    /// Whether an item that begins with an added line holds what was there before.
    fn is_rewritten(&self, number: u32) -> bool {
        let known = |number: u32| self.older.get(number as usize).copied().unwrap_or_default();
        known(*self.outline.block(number).end()) > known(number.saturating_sub(1))
    }
}
