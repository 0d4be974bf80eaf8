-- What is done outside, once, by one of all who share the store.

CREATE TABLE effects (
    key         TEXT COLLATE "C" PRIMARY KEY,
    -- Who is at it, or was.
    holder      TEXT NOT NULL,
    -- Until when nobody else begins it.
    until       BIGINT NOT NULL,
    -- When it had happened; none while it has not.
    done_at     BIGINT
);
