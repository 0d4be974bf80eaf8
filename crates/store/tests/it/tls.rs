use domain::ports::TaskStore;
use sqlx::{Connection, PgConnection, Row};
use store::{Pickup, Store};
use testkit::postgres::Server;
use testkit::tls::Authority;

use crate::place::*;
use crate::route::until;

#[test]
fn tls_is_used_where_the_address_asks_for_it_and_its_root_is_checked() {
    let (authority, other) = (Authority::new(), Authority::new());
    let Some(server) = Server::start_with_tls(&authority) else { return };
    let (right_root, other_root) = (authority.certificate(), other.certificate());
    let secured = |mode: &str, root: &std::path::Path| {
        format!("{}?sslmode={mode}&sslrootcert={}", server.url(), root.display())
    };
    runtime().block_on(async {
        for mode in ["verify-full", "verify-ca", "require"] {
            let place = Place::postgres(secured(mode, &right_root)).await;
            until(&place.store, Pickup::Told).await;
            assert!(place.claim().await.is_none());
            assert_eq!(plain_connections(&server).await, 0, "{mode}");
            place.store.close().await;
        }
        for mode in ["verify-full", "verify-ca"] {
            let error = Store::open(&secured(mode, &other_root)).await.unwrap_err().to_string();
            assert!(error.contains("certificate"), "{error}");
        }
    });
}

#[test]
fn a_server_without_tls_is_refused_where_the_address_asks_for_it() {
    let Some(server) = Server::start() else { return };
    runtime().block_on(async {
        let error = Store::open(&format!("{}?sslmode=require", server.url())).await.unwrap_err().to_string();
        assert!(error.contains("TLS"), "{error}");
        assert!(Store::open(&server.url()).await.unwrap().paused().await.unwrap().is_empty());
    });
}

/// Of clients, but for the one that asks.
async fn plain_connections(server: &Server) -> i64 {
    let mut connection = PgConnection::connect(&server.url()).await.unwrap();
    let sql = "SELECT count(*) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
        WHERE backend_type = 'client backend' AND NOT ssl AND pid <> pg_backend_pid()";
    let row = sqlx::raw_sql(sql).fetch_one(&mut connection).await.unwrap();
    connection.close().await.unwrap();
    row.get(0)
}
