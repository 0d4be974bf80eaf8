use domain::change::{Change, FileChange, Hunk, Side};
use domain::ports::{ReviewRequest, SourceError};
use domain::review::{Finding, Place};
use domain::work::{ContextDocument, WorkItem, WorkOrder};

use crate::answer::Shape;
use crate::call::Call;
use crate::clean::Redact;
use crate::packing::{self, Bundle};
use crate::prompt::{Brief, Fence, Frame, Marker, Part, guidelines};

/// The least that has to be left for the diff in each call.
const LEAST_CAPACITY: usize = 200;
/// What a finding may take in the call that tries to refute it.
pub(super) const FINDING_TOKENS: usize = 1_000;
/// What the words around it take there and not in a review.
const REFUTING: usize = 200;

/// Everything that will be asked about a change. Nothing has been sent yet.
#[derive(Debug)]
pub struct Plan {
    pub(super) frame: Frame,
    pub(super) bundles: Vec<Bundle>,
    pub(super) shape: Shape,
    pub(super) marker: Marker,
    pub(super) redact: Redact,
    /// Tokens that may be sent with one call.
    pub(super) input: usize,
}

/// Why a change cannot be put into questions at all.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Unplannable {
    #[error(
        "model.context_tokens is {context}: after {output} for the answer and {fixed} for the instructions there is no room \
         for a diff. Raise model.context_tokens or lower model.output_tokens"
    )]
    NoRoom { context: usize, output: usize, fixed: usize },
    #[error(transparent)]
    Source(#[from] SourceError),
}

impl Plan {
    /// Reads guidelines and surroundings through the request's sources and packs the change.
    pub fn make(request: &ReviewRequest<'_>, redact: Redact) -> Result<Plan, Unplannable> {
        let policy = &request.config.model;
        let gate = &request.config.gate;
        let guidelines = guidelines(request.sources)?;
        let marker = marker(request, &guidelines);
        let fence = Fence { marker: &marker, redact };
        let shape = Shape::review(gate);
        let (context, output) = (policy.context_tokens as usize, policy.output_tokens as usize);
        let input = context.saturating_sub(output);

        let overview = packing::overview(request.change, &fence);
        let brief = Brief {
            order: request.order,
            guidelines: &guidelines,
            gate,
            known: request.known,
            overview: &overview,
        };
        let documents = input * 2 / 5;
        let frame = Frame::build(&brief, &fence, shape.schema.clone(), documents, policy.output_tokens);
        let fixed = frame.tokens() + if policy.verify { FINDING_TOKENS + REFUTING } else { 0 };
        let capacity = input.saturating_sub(fixed);
        if capacity < LEAST_CAPACITY {
            return Err(Unplannable::NoRoom { context, output, fixed });
        }
        let mut bundles = packing::pack(packing::files(request.change, request.known, &fence), capacity);
        packing::add_surroundings(&mut bundles, request.change, request.sources, &fence, capacity);
        Ok(Plan { frame, bundles, shape, marker, redact, input })
    }

    /// The questions, in order.
    pub fn calls(&self) -> impl Iterator<Item = Call> {
        self.parts().map(|(part, bundle)| self.question(part, bundle))
    }

    /// What each question is about.
    pub(super) fn parts(&self) -> impl Iterator<Item = (Part, &Bundle)> {
        let of = self.bundles.len();
        self.bundles.iter().enumerate().map(move |(index, bundle)| (Part { number: index + 1, of }, bundle))
    }

    pub(super) fn question(&self, part: Part, bundle: &Bundle) -> Call {
        self.frame.review(part, &bundle.evidence(), &bundle.diff())
    }

    /// The bundle that shows what a finding is about: its line, else something of its file, else the first.
    pub(crate) fn bundle_of(&self, finding: &Finding, change: &Change) -> usize {
        let Some(path) = finding.path() else { return 0 };
        let Some(at) = change.files.iter().position(|file| file.path() == path) else { return 0 };
        let hunk = hunk_of(finding, change.files.get(at));
        let shows = |bundle: &Bundle, wanted: Option<usize>| {
            let mut here = bundle.slices.iter().filter(|slice| slice.file == at);
            here.any(|slice| wanted.is_none() || slice.pieces.iter().any(|piece| piece.hunk == wanted))
        };
        let holding = |wanted| self.bundles.iter().position(|bundle| shows(bundle, wanted));
        hunk.and_then(|hunk| holding(Some(hunk))).or_else(|| holding(None)).unwrap_or_default()
    }

    pub(super) fn fence(&self) -> Fence<'_> {
        Fence { marker: &self.marker, redact: self.redact }
    }
}

fn hunk_of(finding: &Finding, file: Option<&FileChange>) -> Option<usize> {
    let Place::Lines(anchor) = &finding.place else { return None };
    let span = |hunk: &Hunk| match anchor.side {
        Side::Old => hunk.old,
        Side::New => hunk.new,
    };
    file?.hunks().iter().position(|hunk| span(hunk).contains(anchor.start))
}

/// How large a change is when it is sent to a model: what [`choose_mode`](super::choose_mode) goes by.
pub fn change_tokens(change: &Change, redact: Redact) -> u64 {
    let marker = Marker::new("data");
    packing::total(&packing::files(change, &[], &Fence { marker: &marker, redact })) as u64
}

/// Made from all that will be fenced in by it.
pub(crate) fn marker(request: &ReviewRequest<'_>, guidelines: &[ContextDocument]) -> Marker {
    let mut parts: Vec<Vec<u8>> = Vec::new();
    for file in &request.change.files {
        parts.extend([&file.old, &file.new].into_iter().flatten().map(|side| side.path.as_bytes().to_vec()));
        for hunk in file.hunks() {
            parts.push(hunk.heading.clone().into_bytes());
            let mut body = Vec::new();
            for line in hunk.lines() {
                body.extend_from_slice(line.text);
                body.push(b'\n');
            }
            parts.push(body);
        }
    }
    let WorkOrder { ticket, story, epic, context } = request.order;
    let work_items = ticket.iter().chain(story).map(|item: &WorkItem| item.text.clone());
    let epics = epic.iter().map(|epic| format!("{epic:?}"));
    let documents =
        context.iter().chain(guidelines).map(|document| format!("{}\0{}", document.title, document.text));
    let known = request.known.iter().map(|finding| finding.message.clone());
    parts.extend(work_items.chain(epics).chain(documents).chain(known).map(String::into_bytes));
    Marker::of(parts.iter().map(Vec::as_slice))
}
