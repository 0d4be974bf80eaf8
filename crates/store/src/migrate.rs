//! Brings the schema up to date.
//!
//! Not by sqlx's own migrator: it holds a session lock and leaves named statements behind, and behind a
//! pooler in transaction mode neither belongs to us.

use domain::ports::StoreError;

use crate::database::{Database, Purpose, Tx};
use crate::dialect::Engine;
use crate::row::Arg;

/// What a program cannot do with a store that a newer one has changed.
pub const TOO_NEW: &str = "be used by this version";

struct Migration {
    version: i64,
    sqlite: &'static str,
    postgres: &'static str,
}

/// Never edited once released; only added to.
const MIGRATIONS: [Migration; 6] = [
    Migration {
        version: 1,
        sqlite: include_str!("../migrations/sqlite/0001_tasks.sql"),
        postgres: include_str!("../migrations/postgres/0001_tasks.sql"),
    },
    Migration {
        version: 2,
        sqlite: include_str!("../migrations/sqlite/0002_assignments.sql"),
        postgres: include_str!("../migrations/postgres/0002_assignments.sql"),
    },
    Migration {
        version: 3,
        sqlite: include_str!("../migrations/sqlite/0003_claimed.sql"),
        postgres: include_str!("../migrations/postgres/0003_claimed.sql"),
    },
    Migration {
        version: 4,
        sqlite: include_str!("../migrations/sqlite/0004_epics.sql"),
        postgres: include_str!("../migrations/postgres/0004_epics.sql"),
    },
    Migration {
        version: 5,
        sqlite: include_str!("../migrations/sqlite/0005_effects.sql"),
        postgres: include_str!("../migrations/postgres/0005_effects.sql"),
    },
    Migration {
        version: 6,
        sqlite: include_str!("../migrations/sqlite/0006_age.sql"),
        postgres: include_str!("../migrations/postgres/0006_age.sql"),
    },
];

/// All or nothing, once, however many processes begin at the same time.
pub(crate) async fn migrate(database: &Database) -> Result<(), StoreError> {
    if is_current(database).await {
        return Ok(());
    }
    let mut tx = database.begin(Purpose::Write).await?;
    lock(&mut tx).await?;
    tx.script("CREATE TABLE IF NOT EXISTS countersign_schema (version BIGINT PRIMARY KEY)").await?;
    let found = version(&mut tx).await?;
    let known = MIGRATIONS.iter().map(|migration| migration.version).max().unwrap_or_default();
    if found > known {
        let reason = format!("its schema is version {found} and this program knows {known}");
        return Err(StoreError::Unavailable { action: TOO_NEW, reason });
    }
    for migration in MIGRATIONS.iter().filter(|migration| migration.version > found) {
        let script = match tx.engine() {
            Engine::Sqlite => migration.sqlite,
            Engine::Postgres => migration.postgres,
        };
        tx.script(script).await?;
        tx.run("INSERT INTO countersign_schema (version) VALUES ($1)", &[Arg::Int(migration.version)])
            .await?;
    }
    tx.commit().await
}

/// Without a lock, so that starting beside busy workers waits for nobody. Any error means: look closer.
async fn is_current(database: &Database) -> bool {
    let Ok(mut tx) = database.begin(Purpose::Read).await else { return false };
    let known = MIGRATIONS.iter().map(|migration| migration.version).max().unwrap_or_default();
    version(&mut tx).await.is_ok_and(|found| found == known)
}

async fn version(tx: &mut Tx) -> Result<i64, StoreError> {
    let row = tx.row("SELECT max(version) FROM countersign_schema", &[]).await?;
    Ok(row.map(|row| row.maybe_int(0)).transpose()?.flatten().unwrap_or_default())
}

/// `CREATE TABLE IF NOT EXISTS` is not safe against itself on PostgreSQL.
async fn lock(tx: &mut Tx) -> Result<(), StoreError> {
    match tx.engine() {
        Engine::Sqlite => Ok(()),
        Engine::Postgres => tx.script("SELECT pg_advisory_xact_lock(4856236120591)").await,
    }
}
