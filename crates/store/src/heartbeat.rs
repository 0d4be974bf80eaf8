use std::time::Duration;

use domain::ports::StoreError;
use domain::tasks::{Lease, Refusal};
use jiff::Timestamp;

use crate::record::{milliseconds, timestamp};
use crate::row::Arg;
use crate::store::Store;

impl Store {
    /// No state changes, so nothing is written to the log.
    pub(crate) async fn extend(&self, lease: &Lease, extension: Duration) -> Result<Timestamp, StoreError> {
        let sql = "UPDATE tasks SET lease_expires = {now} + $3
            WHERE id = $1 AND lease_token = $2 AND status = 'in_progress' RETURNING lease_expires";
        let id = Arg::Text(lease.task().as_str());
        let args = [id, Arg::Int(lease.token()), Arg::Int(milliseconds(extension))];
        match self.database.write_row(sql, &args).await? {
            Some(row) => timestamp(row.int(0)?),
            None => Err(Refusal::StaleLease { task: lease.task().clone(), token: lease.token() }.into()),
        }
    }
}
