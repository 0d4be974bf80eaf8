use domain::ports::ReviewRequest;

use crate::answer::Shape;
use crate::clean::Redact;
use crate::linear::{Unplannable, marker};
use crate::packing;
use crate::prompt::{Brief, Fence, Frame, Marker, guidelines};

/// What stays the same throughout one agentic review.
pub(super) struct Plan {
    pub(super) frame: Frame,
    pub(super) shape: Shape,
    pub(super) marker: Marker,
    pub(super) redact: Redact,
    /// Tokens that may be sent with one call.
    pub(super) input: usize,
}

/// How the tokens that are left beside instructions and tools are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shares {
    /// The most that one result may have.
    pub(super) part: usize,
    /// All results of a turn together.
    pub(super) turn: usize,
    /// What the model says beside its calls.
    pub(super) words: usize,
}

impl Shares {
    pub(super) fn halved(self) -> Shares {
        Shares { part: self.part / 2, turn: self.turn / 2, words: self.words / 2 }
    }
}

/// With less than this left, nothing could be looked at.
const LEAST: usize = 1_000;
const LARGEST_PART: usize = 8_000;

impl Plan {
    /// Reads the guidelines of the base commit.
    pub(super) fn make(request: &ReviewRequest<'_>, redact: Redact) -> Result<Plan, Unplannable> {
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
        let frame = Frame::build(&brief, &fence, shape.schema.clone(), input / 4, policy.output_tokens);
        Ok(Plan { frame, shape, marker, redact, input })
    }

    /// `fixed` is what instructions and tools take.
    pub(super) fn shares(&self, request: &ReviewRequest<'_>, fixed: usize) -> Result<Shares, Unplannable> {
        let free = self.input.saturating_sub(fixed);
        if free < LEAST {
            let policy = &request.config.model;
            let (context, output) = (policy.context_tokens as usize, policy.output_tokens as usize);
            return Err(Unplannable::NoRoom { context, output, fixed });
        }
        Ok(Shares { part: (free * 2 / 5).min(LARGEST_PART), turn: free / 2, words: free / 8 })
    }
}
