use domain::change::{Change, FileChange, Hunk, Side};
use domain::config::ModelPolicy;
use domain::ports::{ReviewRequest, SourceError};
use domain::review::{Finding, Place};

use super::ground::Ground;
use crate::call::Call;
use crate::clean::Redact;
use crate::packing::{self, Bundle, FileText};
use crate::prompt::Part;

/// The least that has to be left for the diff in each call.
const LEAST_CAPACITY: usize = 200;
/// What a finding may take in the call that tries to refute it.
pub(super) const FINDING_TOKENS: usize = 1_000;
/// What the words around it take there and not in a review.
const REFUTING: usize = 200;

/// Everything that will be asked about a change. Nothing has been sent yet.
#[derive(Debug)]
pub struct Plan {
    pub(super) ground: Ground,
    pub(super) bundles: Vec<Bundle>,
}

/// A change as it is going to be sent, before it is packed: how large it is, is known by now.
#[derive(Debug)]
pub struct Draft {
    ground: Ground,
    files: Vec<FileText>,
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

impl Draft {
    /// Reads guidelines through the request's sources.
    pub fn make(request: &ReviewRequest<'_>, redact: Redact) -> Result<Draft, Unplannable> {
        let ground = Ground::lay(request, redact, |input| input * 2 / 5)?;
        let files = packing::files(request.change, request.known, &ground.fence());
        Ok(Draft { ground, files })
    }

    /// How large the change is when it is sent to a model: what [`choose_mode`](super::choose_mode) goes by.
    pub fn tokens(&self) -> u64 {
        packing::total(&self.files) as u64
    }

    /// Packs the change, with surroundings that are read through the request's sources.
    pub fn pack(self, request: &ReviewRequest<'_>) -> Result<Plan, Unplannable> {
        let Draft { ground, files } = self;
        let policy = &request.config.model;
        let fixed = ground.frame.tokens() + if policy.verify { FINDING_TOKENS + REFUTING } else { 0 };
        let capacity = ground.input.saturating_sub(fixed);
        if capacity < LEAST_CAPACITY {
            return Err(Unplannable::no_room(policy, fixed));
        }
        let mut bundles = packing::pack(files, capacity);
        packing::add_surroundings(&mut bundles, request.change, request.sources, &ground.fence(), capacity);
        Ok(Plan { ground, bundles })
    }
}

impl Unplannable {
    pub(crate) fn no_room(policy: &ModelPolicy, fixed: usize) -> Unplannable {
        let (context, output) = (policy.context_tokens as usize, policy.output_tokens as usize);
        Unplannable::NoRoom { context, output, fixed }
    }
}

impl Plan {
    pub fn make(request: &ReviewRequest<'_>, redact: Redact) -> Result<Plan, Unplannable> {
        Draft::make(request, redact)?.pack(request)
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
        self.ground.frame.review(part, &bundle.evidence(), &bundle.diff())
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
}

fn hunk_of(finding: &Finding, file: Option<&FileChange>) -> Option<usize> {
    let Place::Lines(anchor) = &finding.place else { return None };
    let span = |hunk: &Hunk| match anchor.side {
        Side::Old => hunk.old,
        Side::New => hunk.new,
    };
    file?.hunks().iter().position(|hunk| span(hunk).contains(anchor.start))
}
