"""Files of the user's as a world: which are taken, how they are
read and searched, and what the initial prompt shows of them."""

import json
import os
import re
import time
import zipfile
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import pytest

from controlplane import BenchmarkContext, BenchmarkError
from controlplane.benchmarks.files.documents.documents import add_documents
from controlplane.benchmarks.files.files_benchmark import WORKER_MODULES, open_benchmark
from controlplane.benchmarks.files.files_environment import FilesEnvironment
from controlplane.benchmarks.files.passages import PASSAGE_CHARS, passages_in
from controlplane.benchmarks.files.question_schema import tool_schema_of
from controlplane.benchmarks.files.sources.file_sources import SourceFiles, SourceLimits
from controlplane.benchmarks.files.sources.file_suffixes import DOCUMENT_SUFFIXES
from controlplane.benchmarks.files.sources.folder_scan import find_sources
from controlplane.benchmarks.files.sources.source_search import (
    files_with_words,
    table_heads,
)
from controlplane.benchmarks.files.tables.loaded_table import Table
from controlplane.benchmarks.files.tables.tables import query_table
from controlplane.sandbox import ForkServer, Worker
from controlplane.sandbox.files.text_words import words_of
from controlplane.sandbox.interface import CallError, Plain


@pytest.fixture(scope="module")
def server() -> Iterator[ForkServer]:
    with ForkServer(WORKER_MODULES) as running:
        yield running


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    texts = {
        "docs/loans.md": "# Loans\n\nA loan may be kept for 14 days.\n\n- loan-02: kept until 2026-03-01.\n",
        "docs/desk.md": "The desk opens at nine.\n",
        "notes.md": "Call Ines about the LOANS.\n",
        "build/out.txt": "ignored\n",
        "docs/.hidden": "hidden\n",
        "__pycache__/x.pyc": "junk\n",
        ".gitignore": "build/\n*.log\n!keep.log\n",
        "a.log": "ignored\n",
        "keep.log": "kept\n",
    }
    for path, text in texts.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    (tmp_path / "docs/logo.png").write_bytes(b"\x89PNG\x00\x01")
    (tmp_path / "docs/latin.dat").write_bytes("gr\xfc\xdfe".encode("latin-1"))
    (tmp_path / "docs/passwd").symlink_to("/etc/passwd")
    (tmp_path / "up").symlink_to("/etc")
    (tmp_path / "docs/two\nlines.md").write_text("x")
    os.mkfifo(tmp_path / "docs/pipe")
    with (tmp_path / "huge.txt").open("wb") as file:
        file.truncate(9_000_000)
    return tmp_path


@pytest.fixture(autouse=True)
def cache(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """Where the texts of documents are kept."""
    place = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("XDG_CACHE_HOME", str(place))
    return place


def converted(folder: Path) -> SourceFiles:
    """Return the sources of a folder with its documents as text."""
    sources = find_sources(folder)
    add_documents(sources, DOCUMENT_SUFFIXES)
    return sources


def test_text_files_are_taken_and_all_others_are_named_with_their_reason(
    folder: Path,
) -> None:
    found = find_sources(folder)
    assert list(found) == [
        "/docs/desk.md",
        "/docs/latin.dat",
        "/docs/loans.md",
        "/huge.txt",
        "/keep.log",
        "/notes.md",
    ]
    assert found.large == {"/huge.txt"}
    assert {reason: sorted(paths) for reason, paths in found.left_out.items()} == {
        "hidden": ["/.gitignore", "/__pycache__", "/docs/.hidden"],
        "named by .gitignore": ["/a.log", "/build"],
        "binary": ["/docs/logo.png"],
        "a link": ["/docs/passwd", "/up"],
        "not a file": ["/docs/pipe"],
        "its name cannot be used": ["/docs/two\nlines.md"],
    }
    assert found["/docs/latin.dat"] == "gr\xfc\xdfe"


def test_journals_of_earlier_questions_are_not_sources_unless_they_are_named(
    folder: Path,
) -> None:
    (folder / "runs").mkdir()
    (folder / "runs/journal-3.schema.json").write_text("{}")
    journal = "20261124-210308-files-614c.jsonl"
    (folder / "runs" / journal).write_text("LOANT")
    (folder / "journal").mkdir()
    (folder / "journal/journal-3.schema.json").write_text("{}")
    found = find_sources(folder)

    assert "/journal/journal-3.schema.json" in found
    assert f"/runs/{journal}" not in found
    assert found.left_out["journals of runs"] == ["/runs"]
    assert f"/{journal}" in find_sources(folder / "runs")
    assert f"/runs/{journal}" in find_sources(folder, ["runs"])


def test_a_link_that_takes_a_files_place_later_is_not_followed(folder: Path) -> None:
    found = find_sources(folder)
    (folder / "notes.md").unlink()
    (folder / "notes.md").symlink_to("/etc/passwd")
    (folder / "docs").rename(folder / "moved")
    (folder / "docs").symlink_to(folder / "moved")

    assert found.get("/notes.md") is None
    assert found.get("/docs/loans.md") is None


@contextmanager
def opened(
    server: ForkServer, sources: SourceFiles, writable: str = ""
) -> Iterator[FilesEnvironment]:
    """The files with a worker that reads their tables."""
    made = FilesEnvironment(sources, "Until when may loan-02 be kept?", writable, None)
    with Worker(server) as worker:
        made.use_worker(worker)
        yield made


@pytest.fixture
def environment(folder: Path, server: ForkServer) -> Iterator[FilesEnvironment]:
    with opened(server, find_sources(folder), "docs") as made:
        yield made


def test_tables_that_a_question_names_come_before_prose(
    server: ForkServer, tmp_path: Path
) -> None:
    prose = "How many flights were there in the month of July? There were many flights from here to there.\n\n"
    (tmp_path / "prose.md").write_text(prose * 40)
    # a table that is too large to be searched
    (tmp_path / "flights.csv").write_text("year,dep_delay\n2013,5\n" * 1_000)
    # tables in other encodings, of which one has a word of the question
    (tmp_path / "w.csv").write_text(
        "origin,Month\nB6,7\nSea Gr\xfc\xdfe,8\n", encoding="cp1252"
    )
    (tmp_path / "other.csv").write_bytes("item,fee\n".encode("utf-16-be"))

    with opened(server, find_sources(tmp_path, file_mb=0.01)) as environment:
        answer = environment.call(
            "passages",
            {"words": "How many flights were there in which month?", "limit": 20},
        )

    first, second, *others = answer["matches"]
    assert first["path"] == "/flights.csv"
    assert first["text"] == "year,dep_delay\n2013,5"
    assert second["path"] == "/w.csv"
    assert second["text"] == "origin,Month\nB6,7\nSea Gr\xfc\xdfe,8"
    assert {match["path"] for match in others} == {"/prose.md"}


def test_a_table_is_named_by_its_file_or_by_a_column() -> None:
    sources = SourceFiles.of_texts(
        {
            "/cars.csv": "seats,plane\ny,z\n",
            "/items.csv": "a\n",
            "/planes.csv": "seat\nx\n",
        }
    )

    assert table_heads(sources, words_of("Which plane?")) == [
        ["/cars.csv", "seats,plane\ny,z"],
        ["/planes.csv", "seat\nx"],
    ]


def test_passages_beyond_the_limit_are_told(environment: FilesEnvironment) -> None:
    for name in ("a", "b"):
        text = {"path": f"/docs/{name}.md", "content": "zebra\n", "if_match_sha256": ""}
        environment.call("write", text)

    assert (
        environment.call("passages", {"words": "zebra", "limit": 1})["truncated"]
        is True
    )
    assert (
        environment.call("passages", {"words": "zebra", "limit": 2})["truncated"]
        is False
    )


def test_passages_come_best_first(environment: FilesEnvironment) -> None:
    answer = environment.call("passages", {"words": "keep loan-02", "limit": 3})

    assert answer["matches"][0]["path"] == "/docs/loans.md"


def test_what_was_written_is_found(environment: FilesEnvironment) -> None:
    environment.call(
        "write", {"path": "/docs/desk.md", "content": "zebra\n", "if_match_sha256": ""}
    )

    passages = environment.call("passages", {"words": "zebra", "limit": 3})
    search = environment.call("search", {"pattern": "zebra", "root": "/", "limit": 0})

    assert passages["matches"] == [
        {"path": "/docs/desk.md", "line": 1, "text": "zebra"}
    ]
    assert passages["truncated"] is False
    assert search["matches"]
    assert environment.changes == {"/docs/desk.md": "zebra\n"}


def test_words_for_passages_are_not_read_as_a_query(
    environment: FilesEnvironment,
) -> None:
    answer = environment.call("passages", {"words": 'a "quoted OR (odd', "limit": 3})

    assert answer["shown"]


def test_passages_without_a_word_to_find_are_refused(
    environment: FilesEnvironment,
) -> None:
    with pytest.raises(CallError, match="at least one word"):
        environment.call("passages", {"words": "?", "limit": 3})


@pytest.mark.parametrize(
    ("name", "text", "arguments", "content", "lines"),
    [
        (
            "a.csv",
            'id,name,amount\n007,"a\nb",5\n8,c,12.50\n',
            {"where": "amount > 6"},
            "id,name,amount\n8,c,12.5\n",
            [4],
        ),
        (
            "a.csv",
            "id,name\n7,x\n007,y\n",
            {"columns": "id", "order": "name desc"},
            "id\n007\n7\n",
            [3, 2],
        ),
        (
            "a.tsv",
            "city\tn\nX\t1\nY\t\nX\t2\n",
            {"columns": "city, sum(n) s", "group": "city"},
            "city,s\nX,3\nY,\n",
            [],
        ),
        (
            "a.jsonl",
            '{"a": 1, "b": [2]}\n\n{"c": "04", "a": 3}\n',
            {"sql": "select a, b, c, _line from t"},
            "a,b,c\n1,[2],\n3,,04\n",
            [1, 3],
        ),
        (
            "a.jsonl",
            f'{{"a": "{"x" * 1_600_000}"}}\n{{"A": "07", "a": 1}}\n',
            {"where": "A_2 = '07'", "columns": "a, A_2"},
            "a,A_2\n1,07\n",
            [2],
        ),
        ("semi.csv", "a;a\n1;2\n3\n", {}, "a,a_2\n1,2\n3,\n", [2, 3]),
    ],
)
def test_a_table_is_read_by_sql_with_the_lines_of_its_rows(
    server: ForkServer,
    tmp_path: Path,
    name: str,
    text: str,
    arguments: dict[str, str],
    content: str,
    lines: list[int],
) -> None:
    (tmp_path / name).write_text(text)
    call = {"path": f"/{name}", **arguments}

    with opened(server, find_sources(tmp_path)) as environment:
        first_answer = environment.call("table", call)
        answer_from_loaded_table = environment.call("table", call)

        for answer in (first_answer, answer_from_loaded_table):
            assert answer["content"] == content
            assert answer["lines"] == lines


# A table of each kind of file.
SMALL_TABLES = {
    "a.csv": "id,name\n7,x\n",
    "a.tsv": "city\tn\nX\t1\n",
    "a.jsonl": '{"a": 1}\n',
    "semi.csv": "a;a\n1;2\n",
}


@pytest.mark.parametrize("name", SMALL_TABLES)
def test_a_query_for_an_unknown_column_is_told_the_columns(
    server: ForkServer, tmp_path: Path, name: str
) -> None:
    (tmp_path / name).write_text(SMALL_TABLES[name])
    with (
        opened(server, find_sources(tmp_path)) as environment,
        pytest.raises(CallError, match="the table t has the columns"),
    ):
        environment.call("table", {"path": f"/{name}", "sql": "select nothing from t"})


@pytest.mark.parametrize("name", SMALL_TABLES)
@pytest.mark.parametrize(
    "sql",
    [
        "delete from t",
        "attach 'x' as y",
        "pragma query_only = off; drop table t",
        "pragma user_version = 4711",
        "select * from read_csv('/etc/passwd')",
        "create temp table u(a)",
    ],
)
def test_a_query_can_only_read_the_table(
    server: ForkServer, tmp_path: Path, name: str, sql: str
) -> None:
    (tmp_path / name).write_text(SMALL_TABLES[name])
    with (
        opened(server, find_sources(tmp_path)) as environment,
        pytest.raises(CallError, match="the query failed"),
    ):
        environment.call("table", {"path": f"/{name}", "sql": sql})


# Due days of two loans, the first row on line 2.
DUE_DAYS = "name,due,fee\nAda,2024-01-31,3\nBob,2027-03-19,4\n"


@pytest.mark.parametrize(
    "sql",
    [
        # a row of two rows, then values that no row has
        "select a.name, b.due, a._line from t a, t b where b.name = 'Bob'",
        "select name, due + interval 9 years as due, _line from t",
        "select name, due, 3 as _line from t where name = 'Ada'",
        # columns under each other's names, then columns computed
        "select due as name, name as due, _line from t",
        "select name || '' as name, due::text || 'x' as due, _line from t",
        "select sum(fee) as fee, 2 as _line from t",
        # no column that says the line
        "select name, due from t",
    ],
)
def test_a_row_that_a_query_makes_is_a_result_and_has_no_line(
    sql: str, server: ForkServer, tmp_path: Path
) -> None:
    (tmp_path / "a.csv").write_text(DUE_DAYS)

    with opened(server, find_sources(tmp_path)) as environment:
        answer = environment.call("table", {"path": "/a.csv", "sql": sql})

    assert answer["rows"]
    assert answer["lines"] == []


def test_rows_that_a_query_only_orders_have_their_lines(
    server: ForkServer, tmp_path: Path
) -> None:
    (tmp_path / "a.csv").write_text(DUE_DAYS)
    sql = "select due, name, _line from t order by name desc"

    with opened(server, find_sources(tmp_path)) as environment:
        answer = environment.call("table", {"path": "/a.csv", "sql": sql})

    bobs_line, adas_line = 3, 2
    assert answer["lines"] == [bobs_line, adas_line]


def test_a_long_glob_is_refused_and_context_costs_no_more_than_the_file(
    tmp_path: Path,
) -> None:
    (tmp_path / "a.md").write_text("x\n" * 1_000_000)
    environment = FilesEnvironment(find_sources(tmp_path), "x", "", None)
    with pytest.raises(CallError, match="a glob has at most 255 characters"):
        environment.call("search", {"pattern": "x", "files": "*a" * 200})
    started = time.process_time()
    found = environment.call("search", {"pattern": "x", "context": 1, "limit": 1_000})

    assert time.process_time() - started < 2.5
    assert [(match["line"], match["first"]) for match in found["matches"][:3]] == [
        (1, 1),
        (2, 3),
        (3, 4),
    ]


def test_a_search_passes_over_a_file_that_is_gone(tmp_path: Path) -> None:
    (tmp_path / "kept.txt").write_bytes("gr\xfcne Eule\n".encode("latin-1"))
    (tmp_path / "gone.txt").write_text("Eule\n")
    sources = find_sources(tmp_path)
    environment = FilesEnvironment(sources, "which owl?", "", None)
    (tmp_path / "gone.txt").unlink()

    found = environment.call("search", {"pattern": "Eule"})

    assert found["matches"] == [{"path": "/kept.txt", "line": 1, "text": "grüne Eule"}]
    assert found["searched"] == "2 of 2 files"


def test_a_file_whose_name_holds_a_hash_is_listed_at_first(tmp_path: Path) -> None:
    for name in ("a.md", "a.md#secret", *(f"d{number}/x.md" for number in range(500))):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x\n")
    calls = tool_schema_of(find_sources(tmp_path), "x", "", None).initial_calls

    assert {"name": "*#*", "root": "/", "kind": "files", "limit": 2_000} in [
        call.arguments for call in calls
    ]


def test_a_workbook_is_a_table_by_its_only_sheet(
    server: ForkServer, tmp_path: Path
) -> None:
    for place in (
        "one.xlsx/sheet-A.csv",
        "two.xlsx/sheet-A.csv",
        "two.xlsx/sheet-B.csv",
    ):
        (tmp_path / place).parent.mkdir(exist_ok=True)
        (tmp_path / place).write_text("a\n1\n")
    with opened(server, find_sources(tmp_path)) as environment:
        found = environment.call("table", {"path": "/one.xlsx"})
        assert (found["path"], found["content"]) == ("/one.xlsx/sheet-A.csv", "a\n1\n")
        with pytest.raises(
            CallError, match=r"name /two\.xlsx/sheet-A\.csv or /two\.xlsx/sheet-B\.csv"
        ):
            environment.call("table", {"path": "/two.xlsx"})


def test_a_parquet_file_is_a_table(server: ForkServer, tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    pytest.importorskip("fsspec")
    rows = "select 'c' || i % 2 as city, i * 1.5 as amount, date '2026-01-01' as day from range(4) t(i)"
    duckdb.connect().execute(
        f"copy ({rows}) to '{tmp_path}/o.parquet' (format parquet)"
    )
    (tmp_path / "bad.parquet").write_bytes(b"PAR1 nonsense")
    sources = converted(tmp_path)

    assert dict(sources.left_out) == {"cannot be converted": ["/bad.parquet"]}
    with opened(server, sources) as environment:
        found = environment.call(
            "table",
            {
                "path": "/o.parquet",
                "columns": "max(day) d, sum(amount) s",
                "group": "city",
                "order": "s",
            },
        )
        assert (found["content"], found["total"]) == (
            "d,s\n2026-01-01,3\n2026-01-01,6\n",
            2,
        )
        found = environment.call("table", {"path": "/o.parquet", "where": "amount > 3"})
        assert (found["lines"], found["columns"]) == ([5], ["city", "amount", "day"])


LARGE_ROWS = 100_000


@pytest.fixture
def environment_with_large_file(
    server: ForkServer, tmp_path: Path
) -> Iterator[FilesEnvironment]:
    """A table of more than the 1 MB up to which files are searched, a text and a picture.

    The table `large.csv` has a head and the rows `0,a word` to `99999,a word`.
    """
    rows = "".join(f"{number},a word\n" for number in range(LARGE_ROWS))
    (tmp_path / "large.csv").write_text(f"n,said\n{rows}")
    (tmp_path / "a.txt").write_text("a word\n")
    (tmp_path / "logo.png").write_bytes(b"\x89PNG\0")
    with opened(server, find_sources(tmp_path, file_mb=1.0)) as environment:
        yield environment


def test_a_file_above_the_bound_is_named_with_what_can_be_done(
    environment_with_large_file: FilesEnvironment,
) -> None:
    sources = environment_with_large_file.call("sources", {})

    shown = str(sources["left_out"]).replace("\\", "")
    assert (
        "above 1 MB, read in part and as tables, not searched (large.csv); binary (logo.png)"
        in shown
    )
    assert "harness.table('/large.csv', where=...) opens a part of it" in shown


def test_a_file_above_the_bound_is_read_in_part_and_as_a_table(
    environment_with_large_file: FilesEnvironment,
) -> None:
    third_line = environment_with_large_file.call(
        "read", {"path": "/large.csv", "start_line": 3, "end_line": 3}
    )
    table = environment_with_large_file.call(
        "table", {"path": "/large.csv", "columns": "sum(n) as s"}
    )

    assert third_line["content"] == "1,a word\n"
    assert table["content"] == f"s\n{sum(range(LARGE_ROWS))}\n"


def test_a_file_above_the_bound_is_searched_only_if_the_call_names_it(
    environment_with_large_file: FilesEnvironment,
) -> None:
    call = environment_with_large_file.call
    search = call("search", {"pattern": "word"})
    search_in_large_file = call("search", {"pattern": "^77,", "root": "/large.csv"})
    passages = call("passages", {"words": "word"})

    assert search["searched"] == "1 of 1 files"
    assert search_in_large_file["matches"] == [
        {"path": "/large.csv", "line": 79, "text": "77,a word"}
    ]
    assert {match["path"] for match in passages["matches"]} == {"/a.txt"}


def test_a_read_of_a_file_that_was_left_out_is_told_why(
    environment_with_large_file: FilesEnvironment,
) -> None:
    with pytest.raises(CallError, match=r"/logo\.png was left out: binary"):
        environment_with_large_file.call("read", {"path": "/logo.png"})


def test_thousands_of_small_files_are_read_in_one_call(tmp_path: Path) -> None:
    file_count = 5_000
    low_count = 0
    for number in range(file_count):
        priority = "high"
        if number % 7 == 0:
            priority = "low"
            low_count += 1
        text = f"Priority: {priority}\n{'x' * 100}\n"
        (tmp_path / f"t{number:04}.txt").write_text(text)
    environment = FilesEnvironment(find_sources(tmp_path), "q", "", None)

    answer = environment.call("read_many", {"files": "*.txt"})

    assert answer["total"] == file_count
    assert answer["next"] == 0
    assert sum("low" in file["text"] for file in answer["files"]) == low_count


def test_files_beyond_the_size_of_a_result_are_read_in_a_second_call(
    tmp_path: Path,
) -> None:
    """Of ten files, the second and third together are longer than one result."""
    for number in range(10):
        (tmp_path / f"t000{number}.txt").write_text("Priority: high\n")
    (tmp_path / "t0001.txt").write_text("y" * 500_000)
    (tmp_path / "t0002.txt").write_text("y" * 500_000)
    environment = FilesEnvironment(find_sources(tmp_path), "q", "", None)

    first = environment.call("read_many", {"files": "t000*.txt"})
    second = environment.call(
        "read_many", {"files": "t000*.txt", "start": first["next"]}
    )

    assert len(first["files"]) == 2
    assert len(second["files"]) == 8
    assert second["next"] == 0


def make_files(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).write_text("x")


def test_versions_of_a_file_are_shown_together_newest_first(tmp_path: Path) -> None:
    make_files(tmp_path, "policy-2023.md", "policy-2025.md")
    make_files(tmp_path, "api-v2.md", "api-v10.md")
    make_files(tmp_path, "log.2025-01-31.txt", "log.2025-02-01.txt")
    # parts and invoices by number, which are not versions
    make_files(tmp_path, "t-01.txt", "t-02.txt", "2025-0117.txt", "2025-0119.txt")
    # files that say what replaces what
    (tmp_path / "new.md").write_text(
        "---\nreplaces: old/rules.md\n---\nIt replaces policy-2023.md.\n"
    )
    (tmp_path / "old").mkdir()
    (tmp_path / "old/rules.md").write_text("---\nsuperseded_by: [../new.md, 3]\n---\n")

    assert find_sources(tmp_path).versions == [
        ["/api-v10.md", "/api-v2.md"],
        ["/log.2025-02-01.txt", "/log.2025-01-31.txt"],
        ["/policy-2025.md", "/policy-2023.md"],
        ["/new.md", "/old/rules.md"],
    ]


def test_a_corrected_copy_is_newer_than_its_original(tmp_path: Path) -> None:
    make_files(tmp_path, "fees.md", "fees (corrected).md")
    make_files(tmp_path, "bill.csv", "bill_korrigiert.csv")
    # A year, a month and a number of a version cannot be put in order.
    make_files(tmp_path, "plan-2025.md", "plan-2025-03.md", "plan-v2.md")
    # These have no other version: `bill` is of another kind of file.
    make_files(tmp_path, "bill_korrigiert.md", "day-20250131.md")

    assert find_sources(tmp_path).versions == [
        ["/bill_korrigiert.csv", "/bill.csv"],
        ["/fees (corrected).md", "/fees.md"],
    ]


def test_writing_stays_below_the_writable_folder(environment: FilesEnvironment) -> None:
    (write,) = [
        operation
        for operation in environment.tool_schema.operations
        if operation.name == "write"
    ]

    assert write.summary.endswith("; below /docs alone")
    for path in (
        "/notes.md",
        "/docs/../notes.md",
        "/docsx/a.md",
        "/docs/.git/hooks/post-commit",
    ):
        with pytest.raises(CallError, match="may not be written"):
            environment.call(
                "write", {"path": path, "content": "x", "if_match_sha256": ""}
            )


SUGGESTED_READ = re.compile(
    r"harness.read\('/big.csv', start_line=1, end_line=(?P<end_line>\d+)\)"
)


def test_a_whole_read_of_a_large_file_says_what_to_do_instead(tmp_path: Path) -> None:
    (tmp_path / "big.csv").write_text(
        "".join(f"{number},name {number}\n" for number in range(100_000))
    )
    sources = find_sources(tmp_path, file_mb=1.0)
    environment = FilesEnvironment(sources, "x", "", None)

    with pytest.raises(CallError) as refusal:
        environment.call("read", {"path": "/big.csv", "start_line": 0, "end_line": 0})

    message = refusal.value.message
    assert "/big.csv has 100,001 lines and 1,677,780 characters" in message

    # The part that the message suggests is indeed returned whole.
    suggestion = SUGGESTED_READ.search(message)
    assert suggestion is not None
    end_line = int(suggestion["end_line"])
    part = environment.call(
        "read", {"path": "/big.csv", "start_line": 1, "end_line": end_line}
    )
    assert str(part["content"]).count("\n") == end_line
    assert part["truncated"] is False


@pytest.mark.parametrize(
    "text", ["word " * 300_000, "\u7d04" * 700_000, "x\n" * 700_000]
)
def test_a_text_longer_than_one_result_is_read_in_parts(
    tmp_path: Path, text: str
) -> None:
    (tmp_path / "long.txt").write_text(text, encoding="utf-8")
    environment = FilesEnvironment(find_sources(tmp_path), "x", "", None)
    parts = []
    start_char = 0
    while True:
        part = environment.call("read", {"path": "/long.txt", "start_char": start_char})
        parts.append(str(part["content"]))
        assert part["line"] == "".join(parts[:-1]).count("\n") + 1
        assert part["truncated"] is bool(part["next_char"])
        if not part["next_char"]:
            break
        start_char = int(str(part["next_char"]))

    assert "".join(parts) == text
    assert len(parts) > 1


def test_a_file_that_is_too_long_for_read_many_is_told_as_cut(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x\n" * 350_000 + "THE END")
    (tmp_path / "b.txt").write_text("short")
    environment = FilesEnvironment(find_sources(tmp_path), "x", "", None)

    both = environment.call("read_many", {"files": "*.txt"})
    short_file = environment.call("read_many", {"files": "b.txt"})

    assert both["truncated"] is True
    assert both["cut"] == ["/a.txt"]
    assert both["next"] == 0
    assert short_file["truncated"] is False
    assert short_file["cut"] == []


@pytest.mark.parametrize(
    ("settings", "refusal"),
    [
        ({}, "what is the question"),
        ({"question": "x", "only": '["gone"]'}, "No such file"),
        ({"question": "x", "only": "{"}, "JSON"),
        ({"question": "x", "earlier": "{}"}, "JSON"),
        ({"question": "x", "only": json.dumps(["docs/logo.png"])}, "no text file"),
    ],
)
def test_an_impossible_question_is_refused_in_one_line(
    folder: Path, settings: dict[str, str], refusal: str
) -> None:
    with pytest.raises(BenchmarkError, match=refusal):
        open_benchmark(str(folder), settings, BenchmarkContext())


CONTENT_TYPES = (
    '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType='
    '"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>'
)
RELATIONS = (
    '<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    '<Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" '
    'Target="word/document.xml"/></Relationships>'
)
LETTER = (
    '<?xml version="1.0"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>'
    "<w:p><w:r><w:t>loan-08 may be kept.</w:t></w:r></w:p></w:body></w:document>"
)


HELVETICA = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"


def pdf_of(pages: list[str], font: str = HELVETICA) -> bytes:
    """Return a PDF file with one line of text a page.

    Its objects are numbered: 1 is the catalogue, 2 the list of pages, 3 the font, 4 the
    first page, 5 its text, 6 the second page, and so on.
    """
    page_numbers = [4 + 2 * index for index in range(len(pages))]
    page_list = " ".join(f"{number} 0 R" for number in page_numbers)
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{page_list}] /Count {len(pages)} >>",
        font,
    ]
    for page_number, text in zip(page_numbers, pages, strict=True):
        stream = f"BT /F1 12 Tf 72 700 Td ({text}) Tj ET"
        objects.append(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> "
            f"/Contents {page_number + 1} 0 R >>"
        )
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
    return pdf_of_objects(objects)


def pdf_of_objects(objects: list[str]) -> bytes:
    body = ""
    for number, text in enumerate(objects, start=1):
        body += f"{number} 0 obj\n{text}\nendobj\n"
    trailer = f"trailer << /Size {len(objects) + 1} /Root 1 0 R >>"
    return f"%PDF-1.4\n{body}{trailer}\n%%EOF\n".encode()


def test_a_page_that_is_drawn_as_one_figure_has_its_text(tmp_path: Path) -> None:
    """The page draws the figure X, and only the figure has text."""
    text = "BT /F1 12 Tf 72 700 Td (Pay 14.439,30 by June.) Tj ET"
    pdf = pdf_of_objects(
        [
            "<< /Type /Catalog /Pages 2 0 R >>",
            "<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
            HELVETICA,
            # the page, which has object 5 as the figure X
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << "
            "/XObject << /X 5 0 R >> /Font << /F1 3 0 R >> >> /Contents 6 0 R >>",
            # the figure
            "<< /Type /XObject /Subtype /Form /BBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> "
            f"/Length {len(text)} >>\nstream\n{text}\nendstream",
            # what the page draws
            "<< /Length 5 >>\nstream\n/X Do\nendstream",
        ]
    )
    (tmp_path / "bill.pdf").write_bytes(pdf)

    sources = converted(tmp_path)

    assert dict(sources) == {"/bill.pdf/page-1": "Pay 14.439,30 by June."}
    assert dict(sources.left_out) == {}


@pytest.fixture
def folder_of_documents(tmp_path: Path) -> Path:
    """A folder with a workbook, a letter, a report of two pages, a scan, a web page and
    a broken letter."""
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.title = "Loans"
    book.active.append(["loan", "until"])
    book.active.append(["loan-07", "2026-09-01"])
    book.create_sheet("Old")
    book.save(tmp_path / "book.xlsx")
    with zipfile.ZipFile(tmp_path / "letter.docx", "w") as letter:
        letter.writestr("[Content_Types].xml", CONTENT_TYPES)
        letter.writestr("_rels/.rels", RELATIONS)
        letter.writestr("word/document.xml", LETTER)
    (tmp_path / "report.pdf").write_bytes(
        pdf_of(["First page.", "loan-09 may be kept."])
    )
    (tmp_path / "scan.pdf").write_bytes(pdf_of(["", ""]))
    (tmp_path / "page.html").write_text(
        "<h1>Loans</h1><p>loan-10</p><script>x()</script>"
    )
    (tmp_path / "bad.docx").write_bytes(b"PK nonsense")
    return tmp_path


def assert_documents_are_texts(sources: SourceFiles) -> None:
    """Expect the texts of `folder_of_documents`."""
    assert {path: text.strip() for path, text in sources.items()} == {
        "/book.xlsx/sheet-Loans.csv": "loan,until\nloan-07,2026-09-01",
        "/book.xlsx/sheet-Old.csv": "",
        "/letter.docx": "loan-08 may be kept.",
        "/page.html": "# Loans\n\nloan-10",
        "/report.pdf/page-1": "First page.",
        "/report.pdf/page-2": "loan-09 may be kept.",
    }
    assert dict(sources.left_out) == {
        "cannot be converted": ["/bad.docx"],
        "no text: its pages are images": ["/scan.pdf"],
    }
    assert files_with_words(sources, ["loan-09"]) == ["/report.pdf/page-2"]


def test_documents_become_text_by_page_and_sheet_and_are_kept(
    folder_of_documents: Path, cache: Path
) -> None:
    assert_documents_are_texts(converted(folder_of_documents))
    kept_files = list((cache / "controlplane/documents").iterdir())
    assert len(kept_files) == 6  # one for each document

    assert_documents_are_texts(converted(folder_of_documents))


def test_a_pipe_where_a_text_was_kept_is_not_waited_for(
    folder_of_documents: Path, cache: Path
) -> None:
    converted(folder_of_documents)
    for path in (cache / "controlplane/documents").iterdir():
        path.unlink()
        os.mkfifo(path)

    sources = find_sources(folder_of_documents)
    sources.limits = SourceLimits(total_mb=0.0)
    add_documents(sources, (".xlsx",))

    assert sources.left_out["beyond 0 MB as text, --set total_mb"] == ["/book.xlsx"]


MAIL = b"""\
From: Ines <ines@example.com>
Subject: =?utf-8?q?Geb=C3=BChr?=
Content-Type: multipart/mixed; boundary=B

--B
Content-Type: text/plain; charset=koi8-r
Content-Transfer-Encoding: quoted-printable

=C4=C1
--B
Content-Type: text/csv; name="../fee.csv"
Content-Transfer-Encoding: base64
Content-Disposition: attachment

bG9hbixmZWUKbG9hbi0wNywxMg==
--B
Content-Type: application/pdf; name="bill.pdf"
Content-Transfer-Encoding: base64
Content-Disposition: attachment

%s
--B--
"""


def test_a_mail_is_a_document_with_its_attachments(tmp_path: Path) -> None:
    bill = pdf_of(["Pay 12 EUR."])
    (tmp_path / "a.eml").write_bytes(MAIL % b64encode(bill))
    (tmp_path / "in.mbox").write_bytes(
        b"From x\nSubject: first\n\nFrom here\n\nFrom y\nSubject: second\n\nlast\n"
    )
    sources = converted(tmp_path)

    assert dict(sources) == {
        "/a.eml/message": "From: Ines <ines@example.com>\nSubject: Gebühr\nAttachment: ..-fee.csv, 19 bytes\n"
        f"Attachment: bill.pdf, {len(bill)} bytes\n\nда",
        "/a.eml/-fee.csv": "loan,fee\nloan-07,12",
        "/a.eml/bill.pdf/page-1": "Pay 12 EUR.",
        "/in.mbox/message-1": "Subject: first\n\nFrom here\n\n",
        "/in.mbox/message-2": "Subject: second\n\nlast\n",
    }
    environment = FilesEnvironment(sources, "q", "", None)
    whole = environment.call("read", {"path": "/a.eml"})["content"]
    assert isinstance(whole, str)
    assert "[bill.pdf/page-1]\nPay 12 EUR." in whole
    assert environment.knows_file("/a.eml")


FORWARDED = b"From: a@example.org\nSubject: inner\n\nthe inner text\n"
STATUS = b"Content-Type: message/delivery-status\n\nReporting-MTA: dns; x\n\nAction: failed\nStatus: 5.1.1\n\n"
HTML = b"Content-Type: text/html\n\n<p>read <b>the bold</b></p>\n"
DISK = b"Content-Type: text/plain\nContent-Disposition: attachment; filename=fees.txt\n\ntwelve\n"


def multipart(kind: bytes, *parts: bytes) -> bytes:
    """Return a part of a mail that consists of parts: `multipart(b"mixed", HTML, DISK)`."""
    # Nested parts need different boundaries: those of other content have other lengths.
    boundary = b"%d" % sum(len(part) for part in parts)
    content = b""
    for part in parts:
        content += b"\n--%s\n%s" % (boundary, part)
    head = b"Content-Type: multipart/%s; boundary=%s" % (kind, boundary)
    return b"%s\n\n%s\n--%s--\n" % (head, content, boundary)


@pytest.mark.parametrize(
    ("mail", "texts"),
    [
        (
            b"Content-Type: message/rfc822\n\n" + FORWARDED,
            {"attachment-1.eml/message": "the inner text"},
        ),
        (STATUS, {"attachment-1": "Status: 5.1.1"}),
        (
            multipart(
                b"report",
                b"\nno such user\n",
                STATUS,
                b"Content-Type: message/rfc822\n\n" + FORWARDED,
            ),
            {
                "message": "no such user",
                "attachment-1": "Action: failed",
                "attachment-2.eml/message": "Subject: inner",
            },
        ),
        (
            multipart(b"digest", b"\n" + FORWARDED, b"\n" + FORWARDED),
            {"attachment-2.eml/message": "the inner text"},
        ),
        (
            multipart(b"mixed", b"\nabove\n", HTML),
            {"message": "above", "attachment-1.html": "**the bold**"},
        ),
        (
            multipart(b"mixed", b"\nabove\n", multipart(b"mixed", b"\nbelow\n")),
            {"message": "above", "attachment-1": "below"},
        ),
        (
            multipart(b"alternative", b"\nplain\n", multipart(b"mixed", HTML, DISK)),
            {"message": "plain", "fees.txt": "twelve"},
        ),
        (
            b"Content-Type: multipart/report; boundary=x\n\nit never came\n",
            {"attachment-1": "it never came"},
        ),
    ],
    ids=[
        "forwarded mail",
        "delivery status",
        "report with status and mail",
        "digest",
        "text and HTML",
        "parts in parts",
        "alternative with a file",
        "multipart without parts",
    ],
)
def test_all_texts_of_a_mail_can_be_read(
    tmp_path: Path, mail: bytes, texts: dict[str, str]
) -> None:
    (tmp_path / "a.eml").write_bytes(b"From: x@example.org\nMIME-Version: 1.0\n" + mail)

    sources = converted(tmp_path)

    for name, text in texts.items():
        assert text in sources[f"/a.eml/{name}"]


PATHS_BELOW_GITIGNORE = (
    "a.md",
    "b/a.md",
    "b/keep.md",
    "b/c/a.md",
    "build/x.md",
    "c/build/y.md",
    "#h.md",
    "!i.md",
    "e f.md",
    "[q].md",
)


@pytest.mark.parametrize(
    ("rules_by_folder", "source_names"),
    [
        (
            {"": "build/\n# a.md\n\n"},
            "a.md b/a.md b/keep.md b/c/a.md #h.md !i.md [q].md",
        ),
        (
            {"": "/build\n/a.md"},
            "b/a.md b/keep.md b/c/a.md c/build/y.md #h.md !i.md [q].md",
        ),
        ({"": "*\n!*/\n!keep.md"}, "b/keep.md"),
        ({"": "b/**\n!b/keep.md\nbuild"}, "a.md b/keep.md #h.md !i.md [q].md"),
        (
            {"": "b/*\n!b/c/"},
            "a.md b/c/a.md build/x.md c/build/y.md #h.md !i.md [q].md",
        ),
        ({"": "b/\n!b/keep.md"}, "a.md build/x.md c/build/y.md #h.md !i.md [q].md"),
        (
            {"": "**/a.md\r\n\\#h.md\r\n\\!i.md  \n\\[q].md"},
            "b/keep.md build/x.md c/build/y.md",
        ),
        ({"": "*.md", "b": "!*.md", "b/c": "a.md"}, "b/a.md b/keep.md"),
        ({"": "*.md", "b": "!*/"}, ""),
        ({"": "[!ab]*\n[^a]*/\nb/**/a.md"}, "a.md"),
        ({"": "**"}, ""),
        (
            {"": "[\n"},
            "a.md b/a.md b/keep.md b/c/a.md build/x.md c/build/y.md #h.md !i.md [q].md",
        ),
    ],
)
def test_files_that_git_ignores_are_left_out(
    tmp_path: Path, rules_by_folder: dict[str, str], source_names: str
) -> None:
    for path in PATHS_BELOW_GITIGNORE:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("x")
    # Every file of rules leaves out `e f.md`, whose space may be escaped.
    for folder, rules in rules_by_folder.items():
        (tmp_path / folder / ".gitignore").write_text(f"{rules}\ne\\ f.md\ne f.md")

    sources = find_sources(tmp_path)

    assert set(sources) == {f"/{name}" for name in source_names.split()}


def test_many_rules_with_many_stars_take_little_time(tmp_path: Path) -> None:
    rules = [f"*a*a*a*a*{number}\n" for number in range(1_000)]
    (tmp_path / ".gitignore").write_text("".join(rules) + "c\n")
    names_that_begin_as_rules_do = [f"{'a' * 60}-{number}x" for number in range(500)]
    for name in ("b", "c", *names_that_begin_as_rules_do):
        (tmp_path / name).write_text("x")

    started = time.process_time()
    sources = find_sources(tmp_path)
    cpu_s = time.process_time() - started

    assert "/b" in sources.paths
    assert "/c" not in sources.paths
    assert len(sources.paths) == 1 + len(names_that_begin_as_rules_do)
    assert cpu_s < 2


UNCERTAIN_NUMBERS = "a;b\nx;1.234\ny;2.500\nz;12\n"
"""`1.234` may be one and a bit, or more than a thousand."""
NUMBERS_AND_A_WORD = "n,amount\na,5\nb,7\nc,call\nd,100\n"
EMPTY_VALUES = (
    "n,amount,d,code\na,5,2012/01/01,NA\nb,NA,N/A,DE\nc,-,2012/02/01,FR\nd,7,–,-\n"
)
"""`NA`, `-` and others are empty values of numbers and days, and codes among texts."""
UNCERTAIN_DAYS = "d,x\n03/04/2025,1\n05/04/2025,2\n"
"""Days in March and May, or in April."""
DAYS_DAY_FIRST = "d,x\n03/04/2025,1\n13/04/2025,2\n"
"""Days in April: there is no month 13."""
LENGTHS_WITH_UNIT = "a,x\n1,5 km\n2,7 km\n"


def query_rows(text: str, sql: str, path: str = "/a.csv") -> str:
    """Return the rows that a query finds in a table `t`, each in CSV: `X,3 Y,4`."""
    result = query_table(Table(path, text, ""), sql, 100, pytest.fail)
    _, *rows = str(result["content"]).splitlines()
    return " ".join(rows)


@pytest.mark.parametrize(
    ("text", "sql", "rows"),
    [
        (
            'p,n\n"$1,234.50",2\n"1,100",1\n12.00,4\n',
            "select sum(p), sum(p * n) from t",
            "2346.5,3617",
        ),
        ("p;n\n1.234,50;2\n89,90;1\n12,00;4\n", "select sum(p) from t", "1336.4"),
        ("p;n\n1 234,5 €;2\n−2,00 €;1\n", "select p from t where p > 3", "1234.5"),
        (
            "p\n1'234'567\n'1\n5\n",
            'select count(*) from t where "p as number" = 5',
            "1",
        ),
        ("p\n12 %\n7.5 %\n", "select avg(p) from t", "9.75"),
        ("a;b;c\nx;1.234;1,5\ny;2.500;3\n", "select sum(b), sum(c) from t", "3734,4.5"),
        (
            '{"a": "1.234,5", "b": 1.5}\n{"a": "2,5", "b": 1.123}\n',
            "select sum(a), sum(b) from t",
            "1237,2.623",
        ),
        (
            '{"a": 1.234}\n{"a": 2.5}\n{"a": 1e300}\n',
            "select a from t where a < 9",
            "1.234 2.5",
        ),
        ('{"a": 1.234}\n{"a": 2.345}\n', "select sum(a) from t", "3.579"),
        (
            "note;b\nx;1.234\n3,5;2.500\ny;\n",
            "select \"b as written\" from t where note = 'x'",
            "1.234",
        ),
        ("a,b\n1,0.125\n2,3.500\n", "select sum(b) from t", "3.625"),
        (
            "a\n1\n2\n3\n",
            "select sum(a) over (order by a rows 1 preceding) from t",
            "1 3 5",
        ),
        (DAYS_DAY_FIRST, "select x from t where d > '2025-04-05'", "2"),
        (
            "d\n03.04.2025\n05.04.2025\n",
            "select d from t order by d desc",
            "2025-04-05 2025-04-03",
        ),
        (UNCERTAIN_NUMBERS, "select * from t where a = 'x'", "x,1.234"),
        (UNCERTAIN_DAYS, 'select "d as written" from t where x = 1', "03/04/2025"),
        (NUMBERS_AND_A_WORD, 'select sum("amount as number") from t', "112"),
        (
            NUMBERS_AND_A_WORD,
            """select n from t where "amount as written" = 'call'""",
            "c",
        ),
        (EMPTY_VALUES, "select sum(amount), max(month(d)) from t", "12,2"),
        (EMPTY_VALUES, "select n from t where amount is null or d is null", "b c d"),
        (EMPTY_VALUES, "select code, d from t", "NA,2012-01-01 DE, FR,2012-02-01 -,"),
        ("d\n2012.01.31\n2012.02.01\n", "select max(d) - min(d) from t", "1"),
        ("d,x\nNA,1\n-,2\n", "select d from t where d = 'NA'", "NA"),
        (NUMBERS_AND_A_WORD, "select * from t limit 1", "a,5,5"),
        (
            "a,note\n1,gift\n2,42\n3,call\n",
            "select a from t where note like '%gif%'",
            "1",
        ),
        ("id\n007\n12\n", "select id from t", "007 12"),
    ],
)
def test_cells_are_read_by_the_form_of_their_column(
    text: str, sql: str, rows: str
) -> None:
    path = "/a.csv"
    if text.startswith("{"):
        path = "/a.jsonl"

    assert query_rows(text, sql, path) == rows


@pytest.mark.parametrize(
    ("text", "sql", "refusal"),
    [
        (
            UNCERTAIN_NUMBERS,
            "select sum(b) from t",
            "'1.234' may be with a decimal point or comma: say form='decimal comma'",
        ),
        (
            UNCERTAIN_NUMBERS,
            "select * from t where b > 100",
            "b is not certain, as '1.234' may",
        ),
        (
            UNCERTAIN_NUMBERS,
            "select a from t order by b desc limit 1",
            "b is not certain, as '1.234' may",
        ),
        (
            UNCERTAIN_NUMBERS,
            'select * from t where "b as written" > 100',
            "is text: compare it with a text in quotes",
        ),
        (
            UNCERTAIN_NUMBERS,
            'select a from t where "b as written" in (1, 12)',
            "b as written is text: compare it with a text",
        ),
        (
            "id\n007\n12\n",
            "select id from t where 7 = id",
            "id is text: compare it with a text in quotes",
        ),
        (
            UNCERTAIN_DAYS,
            "select x from t where d > '2025-04-30'",
            "'day first' or 'month first'",
        ),
        (
            DAYS_DAY_FIRST,
            "select x from t where d = '13/04/2025'",
            "invalid date",
        ),
        (NUMBERS_AND_A_WORD, "select * from t where amount > 6", "'call' is no number"),
        (
            NUMBERS_AND_A_WORD,
            "select max(amount) from t",
            '"amount as number" is null there',
        ),
        (LENGTHS_WITH_UNIT, "select sum(x) from t", r"sum\(VARCHAR\)"),
        (
            LENGTHS_WITH_UNIT,
            "select * from t where x > 6",
            "is text: compare it with a text in quotes",
        ),
        (LENGTHS_WITH_UNIT, "select x * 2 from t", r"\*\(VARCHAR"),
        (
            LENGTHS_WITH_UNIT,
            "select cast(x as double) from t",
            "Could not convert string",
        ),
        (
            "x\n1,500\n2,000\n",
            "select sum(x) from t",
            "x is not certain, as '1,500' may be with a decimal point or comma",
        ),
        ("a,x\n1,$5\n2,€7\n", "select sum(x) from t", r"it has \$ and €"),
        (
            'a,x\n1,1.5\n2,2.50\n3,3\n4,"3,5"\n',
            "select sum(x) from t",
            "different decimal marks",
        ),
    ],
)
def test_what_is_not_certain_is_not_computed_with(
    text: str, sql: str, refusal: str
) -> None:
    with pytest.raises(CallError, match=refusal):
        query_rows(text, sql)


@pytest.fixture
def loans_and_items(server: ForkServer, tmp_path: Path) -> Iterator[FilesEnvironment]:
    """Loans with the number of their item, and items, in two tables of a writable folder.

    The loans are written with a decimal comma; the years of the items are texts.
    """
    (tmp_path / "d").mkdir()
    (tmp_path / "d/loans.csv").write_text(
        "item;year;fee\n01;2024;1,50\n02;2025;-\n01;2025;2,25\n"
    )
    (tmp_path / "d/items.csv").write_text(
        "item,year,made\n01,1999 or so,2024/02/01\n02,2001,2024/03/01\n"
    )
    with opened(server, find_sources(tmp_path), "d") as environment:
        yield environment


LOANS_JOIN_ITEMS = "from t l join '/d/items.csv' i using (item)"


def query_loans(environment: FilesEnvironment, sql: str) -> dict[str, Plain]:
    return environment.call("table", {"path": "/d/loans.csv", "sql": sql})


def test_tables_of_several_files_are_joined(loans_and_items: FilesEnvironment) -> None:
    result = query_loans(
        loans_and_items,
        "select item, sum(fee) s, any_value(month(made)) m "
        f"{LOANS_JOIN_ITEMS} group by 1 order by 1",
    )

    assert result["content"] == "item,s,m\n01,3.75,2\n02,,3\n"
    assert result["forms"] == {"fee": "decimal comma; empty values ('-'): 1"}


def test_columns_of_one_name_are_numbered_in_a_join(
    loans_and_items: FilesEnvironment,
) -> None:
    result = query_loans(
        loans_and_items,
        f"select l.year, i.year {LOANS_JOIN_ITEMS} where l.year = 2024",
    )
    result_with_taken_name = query_loans(
        loans_and_items,
        f"select l.year, 7 year_3, i.year {LOANS_JOIN_ITEMS} where l.year = 2024",
    )

    assert result["rows"] == [{"year": 2024, "year_2": "1999 or so"}]
    assert result_with_taken_name["rows"] == [
        {"year": 2024, "year_3": 7, "year_3_3": "1999 or so"}
    ]


@pytest.mark.parametrize(
    ("sql", "refusal"),
    [
        (f"select 1 {LOANS_JOIN_ITEMS} where i.year > 2000", "year is text"),
        (
            f"select x {LOANS_JOIN_ITEMS}",
            "the table t has the columns _line, item, year, fee; the table /d/items.csv has",
        ),
        ("select 1 from '/d/item.csv'", "/d/item.csv"),
    ],
)
def test_an_error_of_a_join_names_the_table(
    loans_and_items: FilesEnvironment, sql: str, refusal: str
) -> None:
    with pytest.raises(CallError, match=refusal):
        query_loans(loans_and_items, sql)


def test_a_join_reads_a_table_as_it_was_written_last(
    loans_and_items: FilesEnvironment,
) -> None:
    count_sql = f"select count(*) n {LOANS_JOIN_ITEMS}"
    assert query_loans(loans_and_items, count_sql)["content"] == "n\n3\n"

    only_item_01 = {
        "path": "/d/items.csv",
        "content": "item,year\n01,1\n",
        "if_match_sha256": "",
    }
    loans_and_items.call("write", only_item_01)

    assert query_loans(loans_and_items, count_sql)["content"] == "n\n2\n"


# Half of the rows have x = 0, half have x = 1.
TABLE_OF_3000_ROWS = Table(
    "/a.csv", "n,x\n" + "".join(f"{n},{n % 2}\n" for n in range(3_000))
)


def test_rows_beyond_the_limit_of_a_query_are_counted() -> None:
    result = query_table(
        TABLE_OF_3000_ROWS, "select n from t where x = 1; -- odd", 10, pytest.fail
    )

    assert result["total"] == 1_500
    assert result["truncated"] is True


def test_a_result_below_the_limit_of_a_query_is_whole() -> None:
    result = query_table(
        TABLE_OF_3000_ROWS, "select x, count(*) from t group by x", 10, pytest.fail
    )

    assert result["total"] == 2
    assert result["truncated"] is False


def test_a_limit_above_1000_rows_is_refused() -> None:
    with pytest.raises(
        CallError, match=r"limit is at most 1,000 rows: .* group, .* offset 1000"
    ):
        query_table(TABLE_OF_3000_ROWS, "select n from t", 1_001, pytest.fail)


def test_a_result_says_which_values_are_empty() -> None:
    forms = query_table(
        Table("/a.csv", EMPTY_VALUES), "select n from t", 100, pytest.fail
    )["forms"]

    assert forms == {
        "amount": "numbers; empty values ('-', 'NA'): 2",
        "d": "dates; empty values ('N/A', '–'): 2",
    }


@pytest.mark.parametrize(
    ("sql", "refusal"),
    [
        (
            "select n from t where amount > 6 and n = 'a'",
            "amount is not certain, as 'call' is no number; "
            '"amount as written" is its text, "amount as number" is null there',
        ),
        (
            "select amounts from t",
            "Binder Error: .*; the table t has the columns _line, n, amount as written, amount as number",
        ),
        (
            "select year(n) from t",
            r"Binder Error: No function matches .* 'year\(VARCHAR\)'.*; the table t has .*",
        ),
    ],
)
def test_an_error_of_a_query_is_about_its_own_columns(sql: str, refusal: str) -> None:
    with pytest.raises(CallError, match=f"the query failed: {refusal}$"):
        query_rows(NUMBERS_AND_A_WORD, sql)


@pytest.mark.parametrize(
    ("text", "question"),
    [
        (
            "El café de Müller abre a las ocho.",
            "When does Cafe\u0301 Mu\u0308ller open?",
        ),
        (
            "El cafe\u0301 de Mu\u0308ller abre a las ocho.",
            "When does Café MÜLLER open?",
        ),
        ("The code is ＲＯＯＭ－１２.", "Which code has room-12?"),
        ("北京办公室的钥匙由王芳保管。", "谁保管钥匙？"),
        ("東京の鍵は二階にあります。", "鍵はどこですか"),
        ("กุญแจอยู่ที่ชั้นสอง", "กุญแจอยู่ที่ไหน"),
    ],
)
def test_words_of_all_scripts_are_found(
    text: str, question: str, server: ForkServer, tmp_path: Path
) -> None:
    (tmp_path / "answer.txt").write_text(f"Preface.\n\n{text}\n", "utf-8")
    for number in range(5):
        (tmp_path / f"other-{number}.txt").write_text("Nothing of the kind.\n", "utf-8")
    environment = FilesEnvironment(find_sources(tmp_path), question, "", None)
    with Worker(server) as worker:
        environment.use_worker(worker)
        found = environment.call("passages", {"words": question, "limit": 3})

    assert found["matches"][0]["path"] == "/answer.txt"


def test_the_end_of_a_long_line_is_found(server: ForkServer, tmp_path: Path) -> None:
    filler = "The harbour was quiet and the weather fair. " * 200
    (tmp_path / "log.txt").write_text(
        f"{filler}The cellar key hangs behind the stove.", "utf-8"
    )
    environment = FilesEnvironment(
        find_sources(tmp_path), "Where is the cellar key?", "", None
    )
    with Worker(server) as worker:
        environment.use_worker(worker)
        found = environment.call("passages", {"words": "cellar key", "limit": 1})

    assert "cellar key hangs behind the stove" in found["matches"][0]["text"]


@pytest.mark.parametrize("seed", range(20))
def test_passages_hold_every_word_of_a_text(seed: int) -> None:
    rng = Random(seed)
    words = [f"w{number}" + "x" * rng.randint(0, 30) for number in range(400)]
    text = ""
    for word in words:
        text += word + rng.choice([" ", " ", ". ", "\n", "\n\n"])
    longer_than_a_passage = "y" * 2_000

    passages = [
        passage for _, passage in passages_in(f"{text} {longer_than_a_passage}")
    ]

    shown_words = " ".join(passages).replace(".", " ").split()
    assert set(words) <= set(shown_words)
    for passage in passages:
        assert len(passage) <= PASSAGE_CHARS + 1
