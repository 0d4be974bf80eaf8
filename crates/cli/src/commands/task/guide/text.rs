//! The guide as markdown, which people and coding agents read alike.

use serde_json::Value;

use super::facts::{Agent, Facts, Field, Meaning};
use crate::failure::Failure;
use crate::output;
use crate::pretty::safe;

pub(super) fn page(facts: &Facts) -> Result<String, Failure> {
    let example = output::json(&facts.example)?;
    let queue = facts.example["assigned_to"].as_str().unwrap_or_default();
    let folder = format!(".agent-communication/queues/{queue}");
    let limits = &facts.limits;
    Ok(format!(
        "# How to queue work here

{agents}
A queue takes {queue_size} unfinished tasks. A task may be {mebibytes} MiB long and take {timeout} s; work that crashes is
tried {retries} times again, and after {cycles} rejected reviews a human decides.

## With the command

```sh
countersign task add --agent {queue} --type review --title \"Review the login\" \\
  --context branch_name=feature/login --context base_branch=main
countersign task add --from task.json --format json
```

It prints the id. Exit code 0: queued; 2: refused, and the message names the field.

## With a file

Put one JSON object into the queue's folder. Write it under another name first and rename it, so that nobody reads half
of it; names that begin with a dot or end in `.tmp` are left alone. A running agent takes it in at once. What cannot be
read is moved to `.agent-communication/malformed/`, with the reason beside it.

```sh
mkdir -p {folder}
cat > {folder}/my-first-review.tmp <<'EOF'
{example}EOF
mv {folder}/my-first-review.tmp {folder}/my-first-review.json
```

## The task

{fields}
Other fields are kept and given back; null is as good as absent. `countersign schema task` prints the JSON schema.

A task is begun when it is pending, everything in `depends_on` is completed, its backoff is over and its agent is not
paused; of those, the one with the lowest `priority` number, then the oldest. If a dependency fails, the task waits and
says so; retrying the dependency frees it.

## Statuses

{statuses}
## Context of a review

{context}
## What comes back

A review that finds nothing to fix completes its task. One that asks for changes completes it, too, and queues a `fix` task
for `engineer`: its description holds a numbered checklist, `context.structured_findings` the findings as JSON. When the
fix is completed, the next review follows by itself.

A reviewer that is a command or an agent of its own answers with findings in a JSON code block; an empty list says that
all is well (`countersign schema qa-findings`). Severities: CRITICAL, HIGH, MAJOR, MEDIUM, LOW, MINOR, SUGGESTION.
Categories: security, performance, correctness, readability, testing, best_practices.

```json
{findings}```

## Seeing it

{commands}
",
        agents = agents(&facts.agents),
        queue_size = limits.max_queue_size,
        mebibytes = limits.max_task_bytes / (1024 * 1024),
        timeout = limits.timeout_seconds,
        retries = limits.max_retries,
        cycles = limits.max_review_cycles,
        fields = facts.fields.iter().map(field).collect::<String>(),
        statuses = meanings(&facts.statuses),
        context = meanings(&facts.context),
        findings = output::json(&facts.findings)?,
        commands = meanings(&facts.commands).trim_end(),
    ))
}

fn agents(agents: &[Agent]) -> String {
    agents
        .iter()
        .map(|agent| {
            let enabled = if agent.enabled { "" } else { ", disabled" };
            format!("- `{}`: {}{enabled}; files go into `{}`\n", agent.id, safe(&agent.name), agent.folder)
        })
        .collect()
}

fn field(field: &Field) -> String {
    let need = match (field.required, &field.default) {
        (true, _) => " (required)".to_owned(),
        (false, Some(default @ (Value::Number(_) | Value::Bool(_)))) => format!(" (default {default})"),
        (false, Some(Value::String(default))) if !default.is_empty() => format!(" (default `{default}`)"),
        (false, _) => " (optional)".to_owned(),
    };
    format!("- `{}`{need}: {}\n", field.name, field.meaning)
}

fn meanings(all: &[Meaning]) -> String {
    all.iter().map(|one| format!("- `{}`: {}\n", one.name, one.meaning)).collect()
}
