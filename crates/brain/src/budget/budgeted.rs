use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex};

use domain::config::{ModelPolicy, Price};

use super::amount::{Amount, Limits, micro_usd};
use super::ledger::{Account, Entry, Ledger};
use crate::call::{Answer, Call, CallError, Message, Mind};

/// How many tokens a text is.
pub type CountTokens = Arc<dyn Fn(&str) -> u64 + Send + Sync>;

/// A mind for one review that spends no more than it may.
pub struct Budgeted<M> {
    pub(super) mind: M,
    count: CountTokens,
    /// Of whichever models may be asked.
    prices: Vec<Price>,
    review: Limits,
    spent: Mutex<Amount>,
    ledger: Option<Ledger>,
    accounts: Vec<Account>,
}

impl<M: Mind> Budgeted<M> {
    /// For one review, and the day it falls on. `models` are those the mind may ask, as `provider:model`. Without a
    /// ledger, limits for the day and the task cannot be kept, and are refused as not configured; so is a
    /// limit in money with a model whose price is not known.
    pub fn new(
        mind: M,
        policy: &ModelPolicy,
        models: &[String],
        count: CountTokens,
        ledger: Option<Ledger>,
    ) -> Result<Self, CallError> {
        let budget = policy.budget;
        let limits_money = [budget.cents_per_review, budget.cents_per_task, budget.cents_per_day];
        if limits_money.iter().any(|cents| *cents > 0) {
            check_prices(&policy.prices, models)?;
        }
        let day = Limits { tokens: budget.tokens_per_day, cents: budget.cents_per_day };
        if day.is_set() && ledger.is_none() {
            return Err(no_ledger("a day"));
        }
        Ok(Budgeted {
            mind,
            count,
            prices: models.iter().filter_map(|model| policy.prices.get(model)).copied().collect(),
            review: Limits { tokens: budget.tokens_per_review, cents: budget.cents_per_review },
            spent: Mutex::default(),
            ledger,
            accounts: vec![Account::today(day)],
        })
    }

    /// The review is part of a task, which has a budget of its own across all its reviews.
    pub fn for_task(mut self, policy: &ModelPolicy, task: &str) -> Result<Self, CallError> {
        let limits = Limits { tokens: policy.budget.tokens_per_task, cents: policy.budget.cents_per_task };
        if limits.is_set() {
            if self.ledger.is_none() {
                return Err(no_ledger("a task"));
            }
            self.accounts.push(Account::of_task(task, limits));
        }
        Ok(self)
    }

    fn estimate(&self, call: &Call) -> Estimate {
        let input = question_tokens(call, &self.count);
        let output = u64::from(call.max_output_tokens);
        Estimate { question: self.amount(input, 0), whole: self.amount(input, output) }
    }

    /// At the price of the dearest.
    fn amount(&self, input: u64, output: u64) -> Amount {
        let dearest = self.prices.iter().map(|price| micro_usd(*price, input, output)).max();
        Amount { tokens: input.saturating_add(output), micro_usd: dearest.unwrap_or(0) }
    }

    fn set_aside(&self, wanted: Amount) -> Result<(), CallError> {
        let mut spent =
            self.spent.lock().map_err(|_| CallError::OverBudget("the account is damaged".to_owned()))?;
        self.review.check(*spent, wanted, "this review").map_err(CallError::OverBudget)?;
        *spent = *spent + wanted;
        Ok(())
    }

    fn settle(&self, set_aside: Amount, real: Amount) {
        if let Ok(mut spent) = self.spent.lock() {
            *spent = *spent - set_aside + real;
        }
    }

    /// The ledger is a file that other processes lock too: it is waited for on another thread.
    async fn in_ledger<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Ledger) -> Result<T, String> + Send + 'static,
    ) -> Result<Option<T>, String> {
        let Some(ledger) = self.ledger.clone() else { return Ok(None) };
        let done = tokio::task::spawn_blocking(move || work(&ledger)).await;
        done.unwrap_or_else(|_| Err("the ledger of costs could not be written".to_owned())).map(Some)
    }
}

/// Before a call is sent.
struct Estimate {
    question: Amount,
    whole: Amount,
}

impl<M: Mind> Mind for Budgeted<M> {
    fn name(&self) -> String {
        self.mind.name()
    }

    fn models(&self) -> Vec<String> {
        self.mind.models()
    }

    /// If the future is dropped, or the process dies, what was set aside counts as spent: it may have been.
    async fn ask(&self, call: &Call) -> Result<Answer, CallError> {
        let estimate = self.estimate(call);
        self.set_aside(estimate.whole)?;
        let accounts = self.accounts.clone();
        let reserved = self.in_ledger(move |ledger| ledger.reserve(&accounts, estimate.whole)).await;
        let entry = reserved.map_err(|refused| {
            self.settle(estimate.whole, Amount::default());
            CallError::OverBudget(refused)
        })?;
        let answered = self.mind.ask(call).await;
        let real = real_cost(&answered, &estimate);
        self.settle(estimate.whole, real);
        if let Some(entry) = entry {
            // What cannot be noted stays set aside, which is on the safe side.
            let _ = self.in_ledger(move |ledger: &Ledger| Entry::settle(ledger, &entry, real)).await;
        }
        answered
    }
}

fn real_cost(answered: &Result<Answer, CallError>, estimate: &Estimate) -> Amount {
    match answered {
        Ok(answer) if answer.cached => Amount::default(),
        // A provider that does not say is taken to have used all.
        Ok(answer) if answer.usage.input_tokens == 0 && answer.usage.output_tokens == 0 => estimate.whole,
        Ok(answer) => Amount {
            tokens: answer.usage.input_tokens.saturating_add(answer.usage.output_tokens),
            micro_usd: answer.usage.cost_micro_usd.unwrap_or(0),
        },
        // The question may have been read, and be charged for.
        Err(CallError::TimedOut { .. } | CallError::Failed { .. }) => estimate.question,
        Err(
            CallError::RateLimited { .. }
            | CallError::Unauthorised { .. }
            | CallError::TooLarge { .. }
            | CallError::OverBudget(_)
            | CallError::NotConfigured(_),
        ) => Amount::default(),
    }
}

fn question_tokens(call: &Call, count: &CountTokens) -> u64 {
    let schema = call.schema.as_ref().map(|schema| schema.schema.to_string());
    let tools = call
        .tools
        .iter()
        .map(|tool| count(&tool.name) + count(&tool.description) + count(&tool.input.to_string()));
    let messages = call.messages.iter().map(|message| match message {
        Message::User(text) => count(text),
        Message::Assistant { text, tool_calls } => {
            let calls = tool_calls.iter().map(|call| count(&call.name) + count(&call.arguments.to_string()));
            count(text) + calls.sum::<u64>()
        }
        Message::ToolResults(results) => results.iter().map(|result| count(&result.content)).sum(),
    });
    count(&call.system)
        + schema.map_or(0, |schema| count(&schema))
        + tools.sum::<u64>()
        + messages.sum::<u64>()
}

fn check_prices(prices: &BTreeMap<String, Price>, models: &[String]) -> Result<(), CallError> {
    match models.iter().find(|model| !prices.contains_key(*model)) {
        None => Ok(()),
        Some(model) => Err(CallError::NotConfigured(format!(
            "the budget is in money, and the price of {model} is not known: add it under `prices` (0 if it costs \
             nothing), or limit tokens instead"
        ))),
    }
}

fn no_ledger(whose: &str) -> CallError {
    CallError::NotConfigured(format!(
        "the budget of {whose} cannot be kept: there is no place to keep accounts"
    ))
}

impl<M: fmt::Debug> fmt::Debug for Budgeted<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Budgeted")
            .field("mind", &self.mind)
            .field("review", &self.review)
            .finish_non_exhaustive()
    }
}
