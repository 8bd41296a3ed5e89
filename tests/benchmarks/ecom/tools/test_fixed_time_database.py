"""The time in the database of the tool `sql` is that of the generated world, not of the host."""

from datetime import datetime

from controlplane.benchmarks.ecom.records_sql import fixed_time_database


def test_the_time_in_a_database_is_that_of_the_world() -> None:
    """Also in defaults and computed columns of a table, which SQLite evaluates by itself."""
    with fixed_time_database(datetime(2026, 5, 4, 3, 2, 1)) as database:
        database.execute("""
        CREATE TABLE notes(
            id,
            created_at DEFAULT CURRENT_TIMESTAMP,
            created_on DEFAULT (date('now')),
            day AS (date(created_at))
        )
    """)
        database.execute("CREATE INDEX by_day ON notes(date(created_at))")
        database.execute("INSERT INTO notes(id) VALUES (1)")

        (row,) = database.execute("SELECT * FROM notes").fetchall()

    assert row == (1, "2026-05-04 03:02:01", "2026-05-04", "2026-05-04")
