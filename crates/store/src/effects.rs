use std::time::Duration;

use domain::ports::{Begun, Effect, EffectStore, StoreError};

use crate::database::Purpose;
use crate::record::milliseconds;
use crate::row::Arg;
use crate::store::Store;

impl EffectStore for Store {
    async fn begin_effect(&self, effect: &Effect<'_>, lease: Duration) -> Result<Begun, StoreError> {
        let sql = "INSERT INTO effects (key, holder, until) VALUES ($1, $2, {now} + $3)
            ON CONFLICT (key) DO UPDATE SET holder = excluded.holder, until = excluded.until
            WHERE effects.done_at IS NULL AND (effects.until <= {now} OR effects.holder = excluded.holder)
            RETURNING key";
        let args = [Arg::Text(effect.key), Arg::Text(effect.holder), Arg::Int(milliseconds(lease))];
        if self.database.write_row(sql, &args).await?.is_some() {
            return Ok(Begun::Ours);
        }
        let done = "SELECT done_at FROM effects WHERE key = $1";
        let mut tx = self.database.begin(Purpose::Read).await?;
        let row = tx.row(done, &[Arg::Text(effect.key)]).await?;
        let done = row.map(|row| row.maybe_int(0)).transpose()?.flatten();
        Ok(if done.is_some() { Begun::Done } else { Begun::Elsewhere })
    }

    async fn effect_done(&self, effect: &Effect<'_>) -> Result<(), StoreError> {
        // Whoever held it: that it happened is true all the same.
        let sql = "INSERT INTO effects (key, holder, until, done_at) VALUES ($1, $2, 0, {now})
            ON CONFLICT (key) DO UPDATE SET done_at = excluded.done_at WHERE effects.done_at IS NULL
            RETURNING key";
        let args = [Arg::Text(effect.key), Arg::Text(effect.holder)];
        self.database.write_row(sql, &args).await.map(|_| ())
    }

    async fn leave_effect(&self, effect: &Effect<'_>) -> Result<(), StoreError> {
        let sql = "DELETE FROM effects WHERE key = $1 AND holder = $2 AND done_at IS NULL RETURNING key";
        let args = [Arg::Text(effect.key), Arg::Text(effect.holder)];
        self.database.write_row(sql, &args).await.map(|_| ())
    }
}
