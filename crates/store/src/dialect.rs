/// Which SQL is spoken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Engine {
    Sqlite,
    Postgres,
}

/// Fills in the words that differ. Statements are literals of this crate; values are always bound.
///
/// `{now}` is the store's time in milliseconds. `{for_update}`, `{for_share}` and `{skip_locked}` stand after
/// a `SELECT` from a table called `t`; SQLite needs none of them, because its writers already take turns.
/// `{texts}` are those of the JSON list that is bound as `$1`, `{numbers}` those of `$2`.
pub(crate) fn translate(sql: &'static str, engine: Engine) -> String {
    let words: [(&str, &str); 6] = match engine {
        Engine::Sqlite => [
            ("{now}", "CAST(round(unixepoch('subsec') * 1000) AS INTEGER)"),
            ("{for_update}", ""),
            ("{for_share}", ""),
            ("{skip_locked}", ""),
            ("{texts}", "(SELECT value FROM json_each($1))"),
            ("{numbers}", "(SELECT value FROM json_each($2))"),
        ],
        Engine::Postgres => [
            ("{now}", "countersign_now()"),
            ("{for_update}", "FOR UPDATE OF t"),
            ("{for_share}", "FOR SHARE OF t"),
            ("{skip_locked}", "FOR UPDATE OF t SKIP LOCKED"),
            ("{texts}", "(SELECT jsonb_array_elements_text($1::jsonb))"),
            ("{numbers}", "(SELECT value::bigint FROM jsonb_array_elements_text($2::jsonb))"),
        ],
    };
    words.iter().fold(sql.to_owned(), |sql, (word, meaning)| sql.replace(word, meaning))
}
