use std::time::Duration;

use sqlx::{Connection, PgConnection, SqliteConnection};
use testkit::postgres::{Server, StopMode};
use tokio::runtime::Runtime;

use super::plan::Dice;
use super::workshop::Workshop;

/// What is done to the store itself, beside the killing of its users.
pub(crate) trait Weather {
    /// How many kinds of trouble there are.
    const KINDS: usize;

    /// Makes trouble of one kind, and makes it good again.
    fn strike(&mut self, kind: usize, dice: &mut Dice, damage: &mut Damage);
}

/// What was done.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Damage {
    pub(crate) restarts: u32,
    pub(crate) backends: u32,
    pub(crate) exhaustions: u32,
    pub(crate) write_locks: u32,
}

/// Somebody else holds the database's write lock for a while.
pub(crate) struct SqliteWeather {
    runtime: Runtime,
    file: String,
}

impl SqliteWeather {
    pub(crate) fn over(workshop: &Workshop) -> SqliteWeather {
        SqliteWeather { runtime: runtime(), file: workshop.address().to_owned() }
    }
}

impl Weather for SqliteWeather {
    const KINDS: usize = 1;

    fn strike(&mut self, _: usize, dice: &mut Dice, damage: &mut Damage) {
        let long = dice.milliseconds(200, 2000);
        let locked = self.runtime.block_on(async {
            let mut connection = SqliteConnection::connect(&format!("sqlite:{}", self.file)).await?;
            sqlx::query("BEGIN IMMEDIATE").execute(&mut connection).await?;
            tokio::time::sleep(long).await;
            sqlx::query("ROLLBACK").execute(&mut connection).await?;
            connection.close().await
        });
        damage.write_locks += u32::from(locked.is_ok());
    }
}

/// The server is restarted, politely or not; connections are cut; none are left.
///
/// The server ends with the thread that started it, so this stays where it is used.
pub(crate) struct PostgresWeather {
    runtime: Runtime,
    server: Server,
}

impl PostgresWeather {
    pub(crate) fn over(server: Server) -> PostgresWeather {
        PostgresWeather { runtime: runtime(), server }
    }

    fn restart(&mut self, mode: StopMode, dice: &mut Dice) {
        self.server.stop(mode);
        std::thread::sleep(dice.milliseconds(0, 1500));
        self.server.start_again();
    }

    /// Says how many were cut.
    fn cut_some(&self, most: usize) -> Result<u32, sqlx::Error> {
        let sql = "SELECT count(*) FILTER (WHERE pg_terminate_backend(pid)) FROM (
            SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()
            ORDER BY random() LIMIT $1) AS chosen";
        self.runtime.block_on(async {
            let mut connection = PgConnection::connect(&self.server.url()).await?;
            let most = i64::try_from(most).expect("few");
            let cut: i64 = sqlx::query_scalar(sql).bind(most).fetch_one(&mut connection).await?;
            connection.close().await?;
            Ok(u32::try_from(cut).expect("few"))
        })
    }

    /// Takes connections until there are none left, and keeps them a while.
    fn exhaust(&self, long: Duration) {
        self.runtime.block_on(async {
            let mut taken = Vec::new();
            while let Ok(connection) = PgConnection::connect(&self.server.url()).await {
                taken.push(connection);
            }
            tokio::time::sleep(long).await;
            for connection in taken {
                let _ = connection.close().await;
            }
        });
    }
}

impl Weather for PostgresWeather {
    const KINDS: usize = 4;

    fn strike(&mut self, kind: usize, dice: &mut Dice, damage: &mut Damage) {
        match kind {
            0 => damage.backends += self.cut_some(1 + dice.below(10)).unwrap_or_default(),
            1 => {
                self.restart(StopMode::Fast, dice);
                damage.restarts += 1;
            }
            2 => {
                self.exhaust(dice.milliseconds(500, 2500));
                damage.exhaustions += 1;
            }
            _ => {
                self.restart(StopMode::Immediate, dice);
                damage.restarts += 1;
            }
        }
    }
}

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}
