//! What a model is told. Pure: the same request makes the same prompt.

mod agreements;
mod documents;
mod fence;
mod instructions;
#[cfg(test)]
mod tests;

use domain::gate::GatePolicy;
use domain::review::Finding;
use domain::work::{ContextDocument, WorkOrder};

pub use documents::{GUIDELINES, guidelines};
pub use fence::{Fence, Marker};

use crate::call::{Call, Message, Schema, Tool};
use crate::packing::{count_call, known_finding};
use documents::Documents;

/// Everything a review is told besides the diff.
#[derive(Debug, Clone, Copy)]
pub struct Brief<'a> {
    pub order: &'a WorkOrder,
    /// From the base commit: see [`guidelines`].
    pub guidelines: &'a [ContextDocument],
    pub gate: &'a GatePolicy,
    /// What the built-in rules have found about no file in particular is told from here.
    pub known: &'a [Finding],
    /// A line for each file of the change.
    pub overview: &'a [String],
}

/// The part of a prompt that is the same in every call of a review.
#[derive(Debug, Clone)]
pub struct Frame {
    system: String,
    opening: String,
    closing: String,
    schema: Schema,
    marker: Marker,
    output_tokens: u32,
    /// Which documents did not fit whole, for people.
    pub cut: Vec<String>,
}

/// One of several calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// From 1.
    pub number: usize,
    pub of: usize,
}

impl Part {
    /// The part at `index`, from 0, of what this part was to be, if that is taken apart into `of`.
    pub fn part(self, index: usize, of: usize) -> Part {
        Part { number: (self.number - 1) * of + index + 1, of: self.of * of }
    }
}

impl Frame {
    /// `document_tokens` is how many the ticket, the guidelines and the other documents may have together.
    pub fn build(
        brief: &Brief<'_>,
        fence: &Fence<'_>,
        schema: Schema,
        document_tokens: usize,
        output_tokens: u32,
    ) -> Frame {
        let mut documents = Documents::new(fence, document_tokens);
        documents.mission(brief.order);
        documents.submission(brief.order);
        documents.epic(brief.order);
        documents.guidelines(brief.guidelines);
        documents.context(&brief.order.context);
        let mut opening = documents.text;
        opening.push_str(&instructions::dimensions(brief.gate));
        opening.push_str(&overview(brief, fence));
        let general: String = brief
            .known
            .iter()
            .filter(|finding| finding.path().is_none())
            .take(20)
            .map(|finding| known_finding(finding, fence))
            .collect();
        if !general.is_empty() {
            opening.push_str(instructions::EVIDENCE_OF_THE_WHOLE);
            opening.push_str(&fence.block("findings", &general));
        }
        Frame {
            system: instructions::system(fence.marker.as_str()),
            opening,
            closing: instructions::closing(&schema.schema),
            schema,
            marker: fence.marker.clone(),
            output_tokens,
            cut: documents.cut,
        }
    }

    /// The question about one bundle. `evidence` and `diff` have been scrubbed.
    pub fn review(&self, part: Part, evidence: &str, diff: &str) -> Call {
        let mut text = self.opening.clone();
        if !evidence.is_empty() {
            text.push_str(instructions::EVIDENCE);
            text.push_str(&self.fenced("findings", evidence));
        }
        text.push_str(&instructions::diff(part));
        text.push_str(&self.fenced("diff", diff));
        text.push_str(&self.closing);
        self.call(self.system.clone(), text, self.schema.clone())
    }

    /// The beginning of a review in which the model looks around by itself. `rules` are added to the instructions;
    /// `outline` says what there is to be seen. The shape of the report is told but not demanded of the provider,
    /// since the next answer may be a call of a tool instead.
    pub fn explore(&self, rules: &str, outline: &str, tools: Vec<Tool>) -> Call {
        let system = format!("{}{rules}", self.system);
        let text = format!("{}{outline}{}", self.opening, self.closing);
        let call = self.call(system, text, self.schema.clone());
        Call { schema: None, tools, ..call }
    }

    /// Says what is wrong with the form of an answer and asks for another. The form itself was told with the question.
    /// `errors` have been scrubbed.
    pub fn again(&self, errors: &[String]) -> String {
        format!("{}{}{}", instructions::AGAIN, self.errors(errors), instructions::IN_THAT_FORM)
    }

    /// Puts a finding to somebody who tries to refute it. `finding` and `diff` have been scrubbed.
    pub fn refute(&self, finding: &str, diff: &str, schema: Schema) -> Call {
        let mut text = self.opening.clone();
        text.push_str(instructions::CODE_IN_QUESTION);
        text.push_str(&self.fenced("diff", diff));
        text.push_str(instructions::FINDING_IN_QUESTION);
        text.push_str(&self.fenced("finding", finding));
        text.push_str(&instructions::closing(&schema.schema));
        self.call(instructions::refuter(self.marker.as_str()), text, schema)
    }

    /// The same question again, with the answer it got and what was wrong with that.
    pub fn ask_again(&self, call: &Call, answer: &str, errors: &[String]) -> Call {
        let mut again = call.clone();
        again.messages.push(Message::Assistant { text: answer.to_owned(), tool_calls: Vec::new() });
        again.messages.push(Message::User(self.again(errors)));
        again
    }

    /// Asks for an answer to be put into the right shape. Its content is not to change, so the diff need not be
    /// sent again. `answer` and `errors` have been scrubbed.
    pub fn repair(&self, answer: &str, errors: &[String]) -> Call {
        let mut text = instructions::REPAIR.to_owned();
        text.push_str(&self.fenced("answer", answer));
        text.push_str(instructions::ERRORS);
        text.push_str(&self.errors(errors));
        text.push_str(&self.closing);
        self.call(instructions::repairer(self.marker.as_str()), text, self.schema.clone())
    }

    /// Tokens of a call about nothing: what is left of the budget is for the diff.
    pub fn tokens(&self) -> usize {
        let widest = Part { number: 88_888, of: 88_888 };
        count_call(&self.review(widest, "x\n", "x\n"))
    }

    fn errors(&self, errors: &[String]) -> String {
        self.fenced("errors", &errors.iter().map(|error| format!("- {error}\n")).collect::<String>())
    }

    fn fenced(&self, title: &str, content: &str) -> String {
        let plain = crate::clean::Redact::new(|text| text.into(), |_, text| text.into());
        Fence { marker: &self.marker, redact: plain }.block(title, content)
    }

    fn call(&self, system: String, text: String, schema: Schema) -> Call {
        Call {
            system,
            messages: vec![Message::User(text)],
            schema: Some(schema),
            tools: Vec::new(),
            max_output_tokens: self.output_tokens,
            fence: self.marker.as_str().to_owned(),
            passing_over: Vec::new(),
        }
    }
}

/// More files than this are told by their number.
const MOST_FILES: usize = 100;

/// Of a change of one file the diff says as much.
fn overview(brief: &Brief<'_>, fence: &Fence<'_>) -> String {
    if brief.overview.len() < 2 {
        return String::new();
    }
    let mut lines = brief.overview.iter().take(MOST_FILES).map(String::as_str).collect::<String>();
    if brief.overview.len() > MOST_FILES {
        lines.push_str(&format!("and {} more files\n", brief.overview.len() - MOST_FILES));
    }
    format!("{}{}", instructions::OVERVIEW, fence.block("files", &lines))
}
