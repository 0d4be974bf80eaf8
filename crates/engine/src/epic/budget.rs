use std::sync::{Mutex, PoisonError};

use domain::epic::run::TicketRun;
use domain::epic::{Stop, StopReason, TicketBounds, Usd};
use domain::review::Usage;
use jiff::Timestamp;

use super::Ground;

/// What may still be spent, by tickets that all spend at once.
#[derive(Debug)]
pub(super) struct Purse<'a> {
    ground: &'a Ground,
    /// Since somebody last told the epic to go on.
    spent: Mutex<Usage>,
    since: Timestamp,
}

impl<'a> Purse<'a> {
    pub(super) fn of(ground: &'a Ground, tickets: &[TicketRun], since: Timestamp) -> Purse<'a> {
        let mut spent = Usage::default();
        tickets.iter().for_each(|ticket| spent += fresh(ticket));
        Purse { ground, spent: Mutex::new(spent), since }
    }

    pub(super) fn pay(&self, usage: Option<Usage>) {
        if let Some(usage) = usage {
            *self.spent.lock().unwrap_or_else(PoisonError::into_inner) += usage;
        }
    }

    /// Why the epic may not go on.
    pub(super) fn epic_stop(&self, now: Timestamp) -> Option<Stop> {
        let limits = &self.ground.document.limits;
        let spent = *self.spent.lock().unwrap_or_else(PoisonError::into_inner);
        let most_micros = limits.epic_budget_usd.map(Usd::micros);
        if let Some(detail) = over("the epic's", spent, most_micros, limits.epic_tokens) {
            return Some(Stop { reason: StopReason::Budget, detail });
        }
        let seconds = u64::try_from(now.duration_since(self.since).as_secs()).unwrap_or(0);
        let most = limits.epic_seconds.filter(|most| seconds >= *most)?;
        let detail = format!("the epic's {most} seconds are over");
        Some(Stop { reason: StopReason::Time, detail })
    }

    /// Why one ticket may not.
    pub(super) fn ticket_stop(&self, ticket: &TicketRun, bounds: &TicketBounds) -> Option<Stop> {
        let detail = over("the ticket's", fresh(ticket), bounds.budget_micro_usd, bounds.tokens)?;
        Some(Stop { reason: StopReason::Budget, detail })
    }
}

fn over(whose: &str, spent: Usage, most_micros: Option<u64>, most_tokens: Option<u64>) -> Option<String> {
    let micros = spent.cost_micro_usd.unwrap_or(0);
    let tokens = spent.input_tokens.saturating_add(spent.output_tokens);
    if let Some(most) = most_micros.filter(|most| micros >= *most) {
        return Some(format!("{whose} budget of ${} is spent", dollars(most)));
    }
    let most = most_tokens.filter(|most| tokens >= *most)?;
    Some(format!("{whose} {most} tokens are used up"))
}

fn dollars(micros: u64) -> String {
    let cents = micros.div_ceil(10_000);
    format!("{}.{:02}", cents / 100, cents % 100)
}

/// What a ticket has cost since budgets were last granted.
fn fresh(ticket: &TicketRun) -> Usage {
    let (all, before) = (ticket.usage(), ticket.spent_before);
    Usage {
        calls: all.calls.saturating_sub(before.calls),
        input_tokens: all.input_tokens.saturating_sub(before.input_tokens),
        output_tokens: all.output_tokens.saturating_sub(before.output_tokens),
        cost_micro_usd: all
            .cost_micro_usd
            .map(|cost| cost.saturating_sub(before.cost_micro_usd.unwrap_or(0))),
    }
}
