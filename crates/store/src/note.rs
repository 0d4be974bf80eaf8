use domain::cycle::{Illegal, TaskStatus};
use domain::ports::StoreError;
use domain::tasks::{AuditKind, Note, Refusal, Task, TaskId};
use serde_json::json;

use crate::audit::{self, Entry};
use crate::database::{Purpose, Tx};
use crate::record::{parse_json, status, to_json};
use crate::row::Arg;
use crate::store::{News, Store};

impl Store {
    pub(crate) async fn keep_note(&self, id: &TaskId, note: &Note, actor: &str) -> Result<(), StoreError> {
        let mut tx = self.database.begin(Purpose::Write).await?;
        let outcome = note_in(&mut tx, id, note, actor).await;
        self.conclude(tx, outcome.map(|()| ((), News::Nothing))).await
    }
}

async fn note_in(tx: &mut Tx, id: &TaskId, note: &Note, actor: &str) -> Result<(), StoreError> {
    let sql = "SELECT t.seq, t.status, t.doc FROM tasks t WHERE t.id = $1 {for_update}";
    let row = tx.row(sql, &[Arg::Text(id.as_str())]).await?;
    let row = row.ok_or_else(|| Refusal::NotFound(id.clone()))?;
    check_open(status(&row.text(1)?)?)?;
    let mut task: Task = parse_json("task", &row.text(2)?)?;
    task.notes.push(note.as_str().to_owned());
    // The document is kept as it came, so what holds for a new task holds for it.
    task.validate().map_err(Refusal::from)?;
    let doc = to_json("task", &task)?;
    let sql = "UPDATE tasks SET doc = $2, updated_at = {now} WHERE seq = $1";
    tx.run(sql, &[Arg::Int(row.int(0)?), Arg::Text(&doc)]).await?;
    let (kind, detail) = (AuditKind::NoteAdded, json!({ "note": note.as_str() }));
    audit::write(tx, Entry { task: Some(id), kind, actor, token: None, detail: &detail }).await
}

/// What is over is not worked on again, so nobody would read the note.
fn check_open(status: TaskStatus) -> Result<(), Refusal> {
    match status {
        TaskStatus::Pending | TaskStatus::InProgress | TaskStatus::Failed | TaskStatus::Escalated => Ok(()),
        TaskStatus::Completed | TaskStatus::Cancelled => Err(Refusal::Illegal(Illegal {
            lifecycle: "task",
            status: status.as_str(),
            event: "guide",
            allowed: Vec::new(),
        })),
    }
}
