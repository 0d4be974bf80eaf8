use domain::ports::{ReviewRequest, SourceError};
use domain::work::{ContextDocument, WorkItem, WorkOrder};

use crate::answer::{Reader, Shape};
use crate::clean::Redact;
use crate::packing;
use crate::prompt::{Brief, Fence, Frame, Marker, guidelines};

/// What stays the same throughout one review: what a model is told besides the change, and how its answers are read.
#[derive(Debug)]
pub(crate) struct Ground {
    pub(crate) frame: Frame,
    pub(crate) shape: Shape,
    pub(crate) marker: Marker,
    pub(crate) redact: Redact,
    /// Tokens that may be sent with one call.
    pub(crate) input: usize,
}

impl Ground {
    /// Reads the guidelines of the base commit. `documents` says how many of the tokens of a call tickets, guidelines and
    /// other documents may have.
    pub(crate) fn lay(
        request: &ReviewRequest<'_>,
        redact: Redact,
        documents: fn(usize) -> usize,
    ) -> Result<Ground, SourceError> {
        let policy = &request.config.model;
        let gate = &request.config.gate;
        let guidelines = guidelines(request.sources)?;
        let marker = marker(request, &guidelines);
        let fence = Fence { marker: &marker, redact };
        let shape = Shape::review(gate);
        let input = policy.context_tokens.saturating_sub(policy.output_tokens) as usize;
        let overview = packing::overview(request.change, &fence);
        let brief = Brief {
            order: request.order,
            guidelines: &guidelines,
            gate,
            known: request.known,
            overview: &overview,
        };
        let frame =
            Frame::build(&brief, &fence, shape.schema.clone(), documents(input), policy.output_tokens);
        Ok(Ground { frame, shape, marker, redact, input })
    }

    pub(crate) fn fence(&self) -> Fence<'_> {
        Fence { marker: &self.marker, redact: self.redact }
    }

    pub(crate) fn reader<'a>(&'a self, request: &ReviewRequest<'a>) -> Reader<'a> {
        Reader { shape: &self.shape, change: request.change, gate: &request.config.gate, redact: self.redact }
    }
}

/// Made from all that will be fenced in by it.
fn marker(request: &ReviewRequest<'_>, guidelines: &[ContextDocument]) -> Marker {
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
    let WorkOrder { ticket, story, epic, submission, context } = request.order;
    let work_items = ticket.iter().chain(story).map(|item: &WorkItem| item.text.clone());
    let epics = epic.iter().map(|epic| format!("{epic:?}"));
    let documents = context
        .iter()
        .chain(submission)
        .chain(guidelines)
        .map(|document| format!("{}\0{}", document.title, document.text));
    let known = request.known.iter().map(|finding| finding.message.clone());
    parts.extend(work_items.chain(epics).chain(documents).chain(known).map(String::into_bytes));
    Marker::of(parts.iter().map(Vec::as_slice))
}
