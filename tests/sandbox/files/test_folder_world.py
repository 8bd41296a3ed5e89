"""SQL over the files of a folder, and SQLite with a pinned clock and pinned random numbers."""

from __future__ import annotations

import os
from datetime import datetime

import pytest

from sandbox.files import pinned_database
from tests.sandbox.sandbox_command import run

pytestmark = pytest.mark.usefixtures("commands_share_servers", "short_aide_calls")


@pytest.mark.parametrize(
    ("query", "stdout"),
    [
        ("select sku, qty * 2 as twice from stock order by qty", 'sku,twice\n"z,z",2\ny,6\nx,20\n'),
        ("select price, code from stock", "price,code\n1.5,007\n,12\n20.0,a'b\n"),
        (
            "select typeof(qty), typeof(price), typeof(code) from stock limit 1;",
            "typeof(qty),typeof(price),typeof(code)\ninteger,real,text\n",
        ),
        ("select name, total from people, orders", "name,total\nAnn,12.5\n"),
        ("select count(*) from stock where sku = 'none'", "count(*)\n0\n"),
        (
            "select printf('%.2f|%5d|%s', 1.006, 3, null) f, format('%05.1f', 2.25) g, printf(null) h",
            "f,g,h\n1.01|    3|,002.3,\n",
        ),
        ("select trim(' a ') a, trim('xbx', 'x') b, ltrim(55, '5') c, rtrim(null, 'x') d", "a,b,c,d\na,b,,\n"),
        ("pragma table_info(people)", "cid,name,type,notnull,dflt_value,pk\n0,id,INTEGER,0,,0\n1,name,TEXT,0,,0\n"),
    ],
)
def test_sql_answers_in_csv_with_a_header(folder, query, stdout):
    found = run(
        folder, f"r = harness.exec('/bin/sql', stdin={query!r})\nprint(r.stdout, r.stderr, r.exit_code, sep='|')"
    )
    assert found["output"] == f"{stdout}||0\n"


ENDLESS = "with recursive n(i) as (select 1 union all select i + 1 from n)"


@pytest.mark.parametrize(
    "query",
    [f"{ENDLESS} select count(*) from n", "select printf('%.*c', 1000000000, 'x')", "select zeroblob(500000000)"],
)
def test_a_query_that_overruns_is_a_failed_call_and_the_next_one_works(folder, query):
    script = f"""
try:
    print(harness.exec('/bin/sql', stdin={query!r}).stderr)
except HarnessError as error:
    print(error.code)
print(harness.exec('/bin/sql', stdin='select name from people').stdout)
"""
    first, *rest = run(folder, script)["output"].splitlines()
    assert first == "resource_exhausted" or first.startswith("Error: ")
    assert rest[-3:] == ["name", "Ann", ""]


@pytest.mark.parametrize(
    "query",
    [
        "selec", "select * from nowhere", "", "attach '/etc/passwd' as x", "select load_extension('x')",
        "select 1; select 2", "delete from stock",
        "vacuum into '/tmp/stolen.db'",
    ],
)  # fmt: skip
def test_a_query_that_fails_says_so_on_stderr_with_exit_code_one(folder, query):
    found = run(
        folder,
        f"r = harness.exec('/bin/sql', [{query!r}])\n"
        "print(r.exit_code, r.stderr.startswith('Error: '), r.stdout == '')",
    )
    assert found["output"] == "1 True True\n"
    assert found["elapsed_ms"] < 4_000


def test_a_query_sees_what_the_script_wrote(folder):
    script = (
        "harness.write('/new.csv', 'a\\n5\\n')\nprint(harness.exec('/bin/sql', stdin='select sum(a) from new').stdout)"
    )
    assert run(folder, script)["output"] == "sum(a)\n5\n\n"


@pytest.mark.parametrize(
    "text",
    [
        "attach database '{}' as p; create table p.t(a); insert into p.t values (1);",
        "vacuum into '{}';",
        "create table a(x);\n/* now */ commit; vacuum into '{}';",
        "rollback;\nrelease file; vacuum into '{}';",
        "end; attach '{}' as p; begin;",
        "pragma temp_store_directory = '{}';",
    ],
)
def test_a_file_of_statements_that_a_script_wrote_reaches_nothing_outside(folder, tmp_path, text):
    stolen = tmp_path / "stolen.db"
    script = f"""
harness.write("/evil.sql", {text.format(stolen)!r})
print(harness.exec("/bin/sql", stdin="select count(*) from people").stdout)
print(harness.exec("/bin/sql", stdin="select * from p.t").exit_code)
"""
    assert run(folder, script)["output"] == "count(*)\n1\n\n1\n"
    assert not stolen.exists()


def test_a_file_that_cannot_be_loaded_is_left_out_and_named(folder):
    (folder / "bad.db").write_text("no database")
    (folder / "bad.sql").write_text("create tabl")
    (folder / "nul.sql").write_text("create table n(a);\0 select 1;")
    (folder / "odd.csv").write_text("\ufeffx,x,\n1,2,3\n", encoding="utf-8")
    script = """
print(harness.exec("/bin/sql", stdin="select * from odd").stdout)
print(harness.exec("/bin/sql", stdin="select * from nowhere").stderr)
"""
    assert run(folder, script)["output"].splitlines() == [
        "x,x_2,column_3",
        "1,2,3",
        "",
        "Error: no such table: nowhere",
        "/bad.db was left out: file is not a database",
        '/bad.sql was left out: near "tabl": syntax error',
        "/nul.sql was left out: embedded null character",
        "",
    ]


def test_a_file_whose_name_or_place_is_odd_is_left_out(folder, tmp_path_factory):
    (folder / os.fsdecode(b"caf\xe9.csv")).write_text("a\n1\n")
    (folder / "dir").symlink_to(tmp_path_factory.mktemp("outside"))
    os.mkfifo(folder / "pipe.db")
    script = """
harness.write("/pipe.db", "text")
print(harness.exec("/bin/sql", stdin="select count(*) from people").stdout)
print(harness.exec("/bin/sql", stdin="select * from nowhere").stderr)
"""
    found = run(folder, script)
    assert found["output"].startswith("count(*)\n1\n\nError: no such table: nowhere\n")
    assert "/pipe.db was left out: file is not a database\n" in found["output"]


NOW = datetime(2026, 5, 4, 3, 2, 1)
PLAIN = "2026-05-04 03:02:01"


def test_defaults_of_a_schema_that_depend_on_the_time_are_pinned() -> None:
    with pinned_database(NOW) as database:
        database.execute("CREATE TABLE t(x, a DEFAULT CURRENT_TIMESTAMP, b DEFAULT (date('now')), c AS (date(a)))")
        database.execute("CREATE INDEX i ON t(date(a))")
        database.execute("INSERT INTO t(x) VALUES (1)")
        assert database.execute("SELECT * FROM t").fetchall() == [(1, PLAIN, "2026-05-04", "2026-05-04")]
