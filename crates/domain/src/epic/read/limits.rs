use super::super::limits::{EpicLimits, MOST, MOST_SECONDS, TicketBudget, TicketLimits, Tries, Usd};
use super::super::yaml::{Node, Spot, Value};
use super::reader::{Fields, Reader, found};
use crate::cycle::Backoff;

const TRIES: [&str; 5] =
    ["max_revisions", "inconclusive_retries", "max_validation_failures", "max_retries", "backoff"];
const MOST_TRIES: u32 = 100;
const MOST_BACKOFF: u32 = 24 * 60 * 60;

/// Where the limit stands that may go beyond what the project allows; else where they all begin.
pub(super) fn spot(node: &Node) -> Spot {
    let entries = match &node.value {
        Value::Map(entries) => entries.as_slice(),
        Value::Nothing | Value::Text(_) | Value::Bool { .. } | Value::Number { .. } | Value::List(_) => &[],
    };
    let revisions = entries.iter().find(|(key, _)| key.name == "max_revisions");
    revisions.map_or(node.spot, |(_, value)| value.spot)
}

pub(super) fn epic(reader: &mut Reader, node: &Node) -> EpicLimits {
    const OWN: [&str; 7] = [
        "review_seconds",
        "builder_seconds",
        "epic_seconds",
        "ticket_budget_usd",
        "epic_budget_usd",
        "ticket_tokens",
        "epic_tokens",
    ];
    let keys: Vec<&str> = TRIES.into_iter().chain(OWN).collect();
    let usual = EpicLimits::default();
    let Some(fields) = reader.fields(node, "`limits`", &keys) else { return usual };
    let tries = tries(reader, &fields);
    let ticket_usd = fields.get("ticket_budget_usd").and_then(|node| usd(reader, node, "ticket_budget_usd"));
    let epic_usd = fields.get("epic_budget_usd").and_then(|node| usd(reader, node, "epic_budget_usd"));
    let mut number = |key: &str| fields.get(key).and_then(|node| reader.whole(node, key, 1..=MOST));
    let (ticket_tokens, epic_tokens) = (number("ticket_tokens"), number("epic_tokens"));
    let epic_seconds = number("epic_seconds");
    EpicLimits {
        tries,
        review_seconds: seconds(reader, &fields, "review_seconds").unwrap_or(usual.review_seconds),
        builder_seconds: seconds(reader, &fields, "builder_seconds").unwrap_or(usual.builder_seconds),
        epic_seconds,
        ticket_budget_usd: ticket_usd,
        epic_budget_usd: epic_usd,
        ticket_tokens,
        epic_tokens,
    }
}

pub(super) fn ticket(reader: &mut Reader, node: &Node) -> TicketLimits {
    let keys: Vec<&str> = TRIES.into_iter().chain(["review_seconds", "builder_seconds"]).collect();
    let Some(fields) = reader.fields(node, "`limits`", &keys) else { return TicketLimits::default() };
    TicketLimits {
        tries: tries(reader, &fields),
        review_seconds: seconds(reader, &fields, "review_seconds"),
        builder_seconds: seconds(reader, &fields, "builder_seconds"),
    }
}

pub(super) fn budget(reader: &mut Reader, node: &Node) -> TicketBudget {
    let Some(fields) = reader.fields(node, "`budget`", &["usd", "tokens"]) else {
        return TicketBudget::default();
    };
    TicketBudget {
        usd: fields.get("usd").and_then(|node| usd(reader, node, "usd")),
        tokens: fields.get("tokens").and_then(|node| reader.whole(node, "tokens", 1..=MOST)),
    }
}

fn tries(reader: &mut Reader, fields: &Fields<'_>) -> Tries {
    let mut number = |key: &str| fields.get(key).and_then(|node| reader.whole_u32(node, key, 0..=MOST_TRIES));
    Tries {
        max_revisions: number("max_revisions"),
        inconclusive_retries: number("inconclusive_retries"),
        max_validation_failures: number("max_validation_failures"),
        max_retries: number("max_retries"),
        backoff: fields.get("backoff").and_then(|node| backoff(reader, node)),
    }
}

fn backoff(reader: &mut Reader, node: &Node) -> Option<Backoff> {
    let fields = reader.fields(node, "`backoff`", &["first_seconds", "ceiling_seconds"])?;
    let usual = Backoff::default();
    let mut number =
        |key: &str| fields.get(key).and_then(|node| reader.whole_u32(node, key, 0..=MOST_BACKOFF));
    let first_seconds = number("first_seconds").unwrap_or(usual.first_seconds);
    let ceiling_seconds = number("ceiling_seconds").unwrap_or(usual.ceiling_seconds.max(first_seconds));
    if first_seconds > ceiling_seconds {
        let message = format!("`first_seconds` is {first_seconds}, more than `ceiling_seconds`");
        reader.error(fields.spot_of("first_seconds"), message, format!("{ceiling_seconds} at most"));
    }
    Some(Backoff { first_seconds, ceiling_seconds })
}

fn seconds(reader: &mut Reader, fields: &Fields<'_>, key: &str) -> Option<u32> {
    fields.get(key).and_then(|node| reader.whole_u32(node, key, 1..=MOST_SECONDS))
}

fn usd(reader: &mut Reader, node: &Node, name: &str) -> Option<Usd> {
    let dollars = match node.value {
        Value::Number { value, .. } => Usd::from_dollars(value),
        Value::Nothing | Value::Text(_) | Value::Bool { .. } | Value::List(_) | Value::Map(_) => None,
    };
    if dollars.is_none() {
        let expected = "US dollars, more than 0 and 1,000,000 at most, as `2.50`";
        reader.error(node.spot, format!("`{name}` is {}", found(node)), expected);
    }
    dollars
}
