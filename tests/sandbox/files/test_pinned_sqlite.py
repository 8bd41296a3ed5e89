"""SQLite in which no clock goes on and no number is random."""

import sqlite3
import subprocess
import sys
from datetime import datetime

import pytest

from sandbox.files import pinned_database
from tests.support.import_graph import ROOT

NOW = datetime(2026, 5, 4, 3, 2, 1)
PLAIN = "2026-05-04 03:02:01"

TIMES = {
    "datetime('now')": PLAIN,
    "datetime('NOW')": PLAIN,
    "datetime(x'6e6f77')": PLAIN,
    "datetime('now' || char(0) || 'x')": PLAIN,
    "datetime()": PLAIN,
    "datetime('now', '+1 day')": "2026-05-05 03:02:01",
    "datetime('now', 'start of month')": "2026-05-01 00:00:00",
    "date()": "2026-05-04",
    "date('now')": "2026-05-04",
    "time('now')": "03:02:01",
    "strftime('%Y %s', 'now')": "2026 1777863721",
    "strftime('%H')": "03",
    "strftime('now', '2020-01-01')": "now",
    "round(julianday('now'), 3)": 2461164.626,
    "unixepoch('now')": 1777863721,
    "unixepoch()": 1777863721,
    "CURRENT_TIMESTAMP": PLAIN,
    "current_date": "2026-05-04",
    "Current_Time": "03:02:01",
    "datetime('2020-01-01')": "2020-01-01 00:00:00",
    "date(1.5)": "-4713-11-26",
    "date('no date')": None,
    "date(NULL)": None,
    "date('2020-01-01', 'now')": None,
}

RANDOM = (
    "SELECT random(), hex(randomblob(8)), hex(randomblob('5')), length(randomblob(NULL)), length(randomblob(-1))",
    "WITH n(x) AS (VALUES (1), (2), (3), (4), (5)) SELECT x, abs(random()) % 9 FROM n ORDER BY random()",
    "SELECT sqlite_version(), total_changes(), CURRENT_TIMESTAMP",
)

RUN = f"""
from datetime import datetime
from sandbox.files import pinned_database
with pinned_database({NOW!r}.replace()) as database:
    for query in {RANDOM!r}:
        print(*map(repr, database.execute(query)))
""".replace("datetime.datetime(", "datetime(")


@pytest.mark.parametrize("expression", TIMES)
def test_it_is_always_the_given_time(expression: str) -> None:
    with pinned_database(NOW) as database:
        assert database.execute(f"SELECT {expression}").fetchone()[0] == TIMES[expression]


def test_what_depends_on_the_time_in_a_schema_is_pinned_too() -> None:
    with pinned_database(NOW) as database:
        database.execute("CREATE TABLE t(x, a DEFAULT CURRENT_TIMESTAMP, b DEFAULT (date('now')), c AS (date(a)))")
        database.execute("CREATE INDEX i ON t(date(a))")
        database.execute("INSERT INTO t(x) VALUES (1)")
        assert database.execute("SELECT * FROM t").fetchall() == [(1, PLAIN, "2026-05-04", "2026-05-04")]


def test_two_processes_give_the_same_bytes() -> None:
    runs = [
        subprocess.run([sys.executable, "-c", RUN], cwd=ROOT, capture_output=True, check=True).stdout for _ in range(2)
    ]
    assert runs[0] == runs[1]
    assert len(runs[0].splitlines()) == 3


def test_random_numbers_differ_from_each_other() -> None:
    with pinned_database(NOW) as database:
        rows = database.execute("WITH n(x) AS (VALUES (1), (2), (3)) SELECT random() FROM n").fetchall()
        assert len(set(rows)) == 3


def test_a_blob_is_not_larger_than_the_database_takes() -> None:
    with pinned_database(NOW) as database:
        database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 1_000)
        assert len(database.execute("SELECT randomblob(1000)").fetchone()[0]) == 1_000
        with pytest.raises(sqlite3.DataError, match="too big"):
            database.execute("SELECT randomblob(999999999999)").fetchone()
