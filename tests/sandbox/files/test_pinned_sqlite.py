"""SQLite with a pinned clock."""

from datetime import datetime

from sandbox.files import pinned_database

NOW = datetime(2026, 5, 4, 3, 2, 1)
PLAIN = "2026-05-04 03:02:01"


def test_defaults_of_a_schema_that_depend_on_the_time_are_pinned() -> None:
    with pinned_database(NOW) as database:
        database.execute("CREATE TABLE t(x, a DEFAULT CURRENT_TIMESTAMP, b DEFAULT (date('now')), c AS (date(a)))")
        database.execute("CREATE INDEX i ON t(date(a))")
        database.execute("INSERT INTO t(x) VALUES (1)")
        assert database.execute("SELECT * FROM t").fetchall() == [(1, PLAIN, "2026-05-04", "2026-05-04")]
