//! The report at the end, however the turns ended.

use super::instructions::REPORT_NOW;
use super::run::{Act, End, Stop};
use crate::answer::Reading;
use crate::call::{Ended, Mind};
use crate::linear::{answer, first_reading, is_other_left, no_answer};

/// Whether the model sees what its last calls returned when it is asked for the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Latest {
    Kept,
    /// Taken out, because money or room is short.
    Given,
}

impl<M: Mind> Act<'_, M> {
    /// Of the models there are, the first that says something that can be read.
    pub(super) async fn report(&mut self, end: End) -> Reading {
        let mut reading = self.own_report(end).await;
        while reading.is_unreadable() && is_other_left(self.mind, self.conversation.call(), &self.model) {
            self.conversation.pass_over(&self.model);
            let other = self.last(Latest::Kept).await;
            let says_more = other.troubles.is_empty() || !other.findings.is_empty();
            if !says_more && !other.is_unreadable() {
                return reading.and(other);
            }
            reading = if says_more { other } else { reading.and(other) };
        }
        reading
    }

    async fn own_report(&mut self, end: End) -> Reading {
        match end {
            End::Failed(reading) => reading,
            End::Said(text) => match self.reader.strict(&text) {
                Ok(reading) => reading.by(&self.model),
                Err(errors) => self.corrected(&text, &errors).await,
            },
            End::Stopped(stop) => {
                self.conversation.say(REPORT_NOW.to_owned());
                let latest = match stop {
                    Stop::Budget | Stop::TooLarge => Latest::Given,
                    Stop::Answered
                    | Stop::Iterations
                    | Stop::Time
                    | Stop::NoProgress
                    | Stop::CutOff
                    | Stop::Failed => Latest::Kept,
                };
                let reading = self.last(latest).await;
                self.with_earlier(reading)
            }
        }
    }

    /// An answer in the wrong form is asked for once more. A second one that lost a finding does not count.
    async fn corrected(&mut self, text: &str, errors: &[String]) -> Reading {
        let fence = self.ground.fence();
        let errors: Vec<_> = errors.iter().map(|error| fence.scrub(error)).collect();
        let again = self.ground.frame.again(&errors);
        let words = self.words(text);
        self.conversation.reply(words, again);
        let by = self.model.clone();
        let second = self.last(Latest::Kept).await;
        let first = if text.trim().is_empty() {
            Reading::trouble("empty", "the answer was empty")
        } else {
            self.reader.lenient(text)
        };
        let is_better = second.troubles.is_empty() && second.findings.len() >= first.findings.len()
            || first.findings.is_empty() && !second.findings.is_empty();
        if is_better { second } else { first.by(&by) }
    }

    /// One call without tools.
    async fn last(&mut self, latest: Latest) -> Reading {
        // Without tools there is more room, but their calls become words.
        let (tokens, keep) = match latest {
            Latest::Kept => (self.input - self.input / 20, 2),
            Latest::Given => (self.input / 2, 1),
        };
        if latest == Latest::Given {
            self.conversation.take_out_results();
        }
        self.conversation.fit(tokens, keep);
        let call = self.conversation.without_tools(self.ground.shape.schema.clone(), &self.ground.fence());
        let answer = match answer(self.mind, &call, self.deadline).await {
            Ok(answer) => answer,
            Err(error) => return no_answer(&error, &self.reader),
        };
        self.usage += answer.usage;
        self.model.clone_from(&answer.model);
        if latest == Latest::Kept {
            self.confirm();
        }
        let reading = match first_reading(&answer, &self.reader) {
            Ok(reading) => reading,
            Err(_) if answer.ended == Ended::Complete => self.reader.lenient(&answer.text),
            Err(errors) => Reading::trouble("unparsable", errors.join("; ")),
        };
        reading.by(&answer.model)
    }

    /// A report that fails must not take with it what was found before.
    fn with_earlier(&self, mut reading: Reading) -> Reading {
        if let Some(earlier) =
            self.earlier.as_ref().filter(|_| !reading.troubles.is_empty() && reading.findings.is_empty())
        {
            let known = self.reader.strict(earlier).unwrap_or_else(|_| self.reader.cut_off(earlier));
            reading.findings = known.findings;
            reading.unplaced = known.unplaced;
        }
        reading
    }
}
