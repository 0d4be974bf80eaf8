//! The store finds out by itself what its PostgreSQL address leads to.

use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use domain::ports::TaskStore;
use sqlx::postgres::PgConnectOptions;
use sqlx::{ConnectOptions, Connection, PgConnection, Row};
use store::{Pickup, Store};
use testkit::Port;
use testkit::pgbouncer::Bouncer;
use testkit::postgres::Server;

use crate::place::*;
use crate::proxy::{Change, Proxy};

/// Waits as a worker does until the store learns of news in this way.
pub(crate) async fn until(store: &Store, pickup: Pickup) {
    within_a_minute(async {
        while store.pickup() != pickup {
            store.wait_for_work(store.pulse(), Duration::from_millis(10)).await;
        }
    })
    .await;
}

/// Waits as a worker does, with a poll interval that no test lasts, and takes what comes.
pub(crate) async fn is_told(store: &Store, place: &Place, name: &str) {
    let working = async {
        loop {
            let pulse = store.pulse();
            if let Some((claimed, _)) = store.claim(&["qa"], "qa-2", LONG).await.unwrap() {
                return claimed.task.id;
            }
            store.wait_for_work(pulse, LONG).await;
        }
    };
    let adding = async {
        tokio::time::sleep(Duration::from_millis(50)).await;
        place.add(task(name)).await;
    };
    let (taken, ()) = within_a_minute(async { tokio::join!(working, adding) }).await;
    assert_eq!(taken, id(name));
}

#[test]
fn a_direct_address_needs_no_setting_to_be_told_of_news() {
    let Some(postgres) = Postgres::find() else { return };
    runtime().block_on(async {
        let place = Place::postgres(postgres.fresh_database().await).await;
        let neighbour = place.neighbour().await;
        assert_eq!(neighbour.pickup(), Pickup::NotYetTold);
        until(&neighbour, Pickup::Told).await;
        for name in ["a", "b", "c"] {
            is_told(&neighbour, &place, name).await;
            assert_eq!(neighbour.pickup(), Pickup::Told);
        }
    });
}

#[test]
fn what_the_address_says_of_itself_is_believed() {
    let Some(postgres) = Postgres::find() else { return };
    runtime().block_on(async {
        let url = postgres.fresh_database().await;
        let pooled = Store::open(&format!("{url}?statement-cache-capacity=0")).await.unwrap();
        assert_eq!(pooled.pickup(), Pickup::Polling);
        let direct = Store::open(&format!("{url}?statement-cache-capacity=100")).await.unwrap();
        until(&direct, Pickup::Told).await;
    });
}

#[test]
fn a_pooler_is_recognised_and_nothing_is_left_on_its_sessions() {
    // By default PgBouncer refuses options; told to, it drops them.
    for settings in ["", "ignore_startup_parameters = options,extra_float_digits"] {
        let Some(server) = Server::start() else { return };
        let Some(bouncer) = Bouncer::start_with(&server, settings) else { return };
        runtime().block_on(async {
            let place = Place::postgres(bouncer.in_front_of(&server.url())).await;
            let neighbour = place.neighbour().await;
            assert_eq!(neighbour.pickup(), Pickup::Polling);
            is_told(&neighbour, &place, "a").await;
            assert_eq!(neighbour.pickup(), Pickup::Polling);
            assert_eq!(left_behind(&place.url).await, 0, "{settings}");
        });
    }
}

/// What any of the three sessions behind the pooler listens to or has prepared. Three open transactions are
/// all of them.
async fn left_behind(url: &str) -> i64 {
    let options: PgConnectOptions = url.parse().unwrap();
    let options = options.extra_float_digits(None).statement_cache_capacity(0);
    let (mut connections, mut found) = (Vec::<PgConnection>::new(), 0);
    for _ in 0..3 {
        let mut connection = options.connect().await.unwrap();
        sqlx::raw_sql("BEGIN").execute(&mut connection).await.unwrap();
        let sql = "SELECT (SELECT count(*) FROM pg_listening_channels())
            + (SELECT count(*) FROM pg_prepared_statements)";
        let row = sqlx::raw_sql(sql).fetch_one(&mut connection).await.unwrap();
        found += row.get::<i64, _>(0);
        connections.push(connection);
    }
    for connection in connections {
        connection.close().await.unwrap();
    }
    found
}

#[test]
fn where_listening_does_not_work_workers_look_for_themselves() {
    let listen = "LISTEN \"countersign_work\"";
    let refused = Change { from: listen, to: "LISTLESS countersign_work" };
    let never_delivered = Change { from: listen, to: "LISTEN \"countersign_idle\"" };
    for change in [refused, never_delivered] {
        let Some(server) = Server::start() else { return };
        let proxy = Proxy::start(server.port(), change);
        runtime().block_on(async {
            let url = format!("postgres://postgres@127.0.0.1:{}/postgres?sslmode=disable", proxy.port);
            let place = Place::postgres(server.url()).await;
            let deaf = Store::open(&url).await.unwrap();
            within_a_minute(async {
                while proxy.changed() == 0 {
                    deaf.wait_for_work(deaf.pulse(), Duration::from_millis(10)).await;
                }
            })
            .await;
            is_told(&deaf, &place, "a").await;
            assert_eq!(deaf.pickup(), Pickup::NotYetTold);
        });
    }
}

#[test]
fn who_is_turned_away_is_told_why() {
    let Some(server) = Server::start() else { return };
    runtime().block_on(async {
        let nobody = Port::reserve();
        let address =
            |user: &str, port: u16, database: &str| format!("postgres://{user}@127.0.0.1:{port}/{database}");
        for (url, reason) in [
            (address("stranger", server.port(), "postgres"), "role \"stranger\" does not exist"),
            (address("postgres", server.port(), "nowhere"), "database \"nowhere\" does not exist"),
            (address("postgres", nobody.number(), "postgres"), "refused"),
        ] {
            let error = Store::open(&url).await.unwrap_err().to_string();
            assert!(error.contains("cannot be opened") && error.contains(reason), "{error}");
        }
    });
}

#[test]
fn a_server_that_hangs_up_is_called_once() {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    let calls = Arc::new(AtomicUsize::new(0));
    let count = calls.clone();
    std::thread::spawn(move || {
        for call in listener.incoming() {
            count.fetch_add(1, Ordering::SeqCst);
            drop(call);
        }
    });
    runtime().block_on(async {
        let url = format!("postgres://postgres@127.0.0.1:{port}/postgres?sslmode=disable");
        Store::open(&url).await.unwrap_err();
    });
    assert_eq!(calls.load(Ordering::SeqCst), 1);
}
