"""Scripts may write only to the folder that the user names, here `docs`.

Scripts of the model read and write files by calls. Beside `docs`, the folder of the question has the
file `notes.md`, which must stay as it is.
"""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from controlplane import BenchmarkContext, BenchmarkError
from controlplane.benchmarks.files.files_benchmark import find_sources, open_benchmark
from controlplane.benchmarks.files.files_environment import FilesEnvironment
from controlplane.benchmarks.files.question_schema import FilesQuestion, tool_schema_of
from controlplane.sandbox import ForkServer
from controlplane.sandbox.interface import CallError
from tests.benchmarks.files.opened_files import (
    environment_of,
    environment_with_worker,
    write_files,
)


@pytest.fixture
def environment_with_large_table(
    fork_server: ForkServer, tmp_path: Path
) -> Iterator[FilesEnvironment]:
    """A table `large.csv` beyond the limit of 1 MB, a short text `a.txt`, and a picture.

    The table has the header `n,said`, and the rows `0,a word` to `99999,a word`.
    """
    rows = [f"{number},a word\n" for number in range(100_000)]
    (tmp_path / "large.csv").write_text("n,said\n" + "".join(rows))
    (tmp_path / "a.txt").write_text("a word\n")
    (tmp_path / "logo.png").write_bytes(b"\x89PNG\0")
    sources = find_sources(tmp_path, file_mb=1.0)
    with environment_with_worker(fork_server, sources) as environment:
        yield environment


# A file of more than 1 MB is read in part, or as a table.
#
# The folder has the table `large.csv` with the rows `0,a word` to `99999,a word` below its header
# `n,said`, the short text `a.txt`, and a picture. Scripts read them by calls.


def test_large_file_is_named_with_the_calls_that_can_read_it(
    environment_with_large_table: FilesEnvironment,
) -> None:
    """The call `sources` tells a script which files there are, and which were left out."""
    result = environment_with_large_table.call("sources", {})

    files_with_reasons, ways_to_read_large_file = result["left_out"]
    assert files_with_reasons == (
        "above 1 MB, read in part and as tables, not searched (large.csv); "
        "binary (logo.png)"
    )
    table_call = "harness.table('/large.csv', where=...) opens a part of it"
    assert table_call in ways_to_read_large_file


def test_large_file_can_be_read_in_part(
    environment_with_large_table: FilesEnvironment,
) -> None:
    third_line = environment_with_large_table.call(
        "read", {"path": "/large.csv", "start_line": 3, "end_line": 3}
    )

    assert third_line["content"] == "1,a word\n"


def test_large_file_can_be_read_as_a_table(
    environment_with_large_table: FilesEnvironment,
) -> None:
    table = environment_with_large_table.call(
        "table", {"path": "/large.csv", "columns": "sum(n) as s"}
    )

    assert table["content"] == f"s\n{sum(range(100_000))}\n"


def test_reading_a_file_that_was_left_out_is_refused_with_the_reason(
    environment_with_large_table: FilesEnvironment,
) -> None:
    """A picture is in the folder, but is no file that a question can be about."""
    with pytest.raises(CallError, match=r"/logo\.png was left out: binary"):
        environment_with_large_table.call("read", {"path": "/logo.png"})


# Opening a question about a folder of files. It is refused if nothing in it can be read.
#
# `ask "How many loans are open?" loans/` opens the files below `loans/`. The setting `only` is a list
# of files that the question is about, and `earlier` an earlier conversation.


@pytest.mark.parametrize(
    ("settings", "expected_error"),
    [
        pytest.param({}, "what is the question", id="no question"),
        pytest.param(
            {"question": "x", "only": '["gone"]'}, "No such file", id="missing file"
        ),
        pytest.param(
            {"question": "x", "only": "{"}, "JSON", id="invalid list of files"
        ),
        pytest.param(
            {"question": "x", "earlier": "{}"}, "JSON", id="invalid conversation"
        ),
        pytest.param(
            {"question": "x", "only": json.dumps(["logo.png"])},
            "no text file",
            id="only a picture",
        ),
    ],
)
def test_impossible_question_is_refused(
    tmp_path: Path, settings: dict[str, str], expected_error: str
) -> None:
    (tmp_path / "notes.md").write_text("Call Ines.\n")
    (tmp_path / "logo.png").write_bytes(b"\x89PNG\x00\x01")

    with pytest.raises(BenchmarkError, match=expected_error):
        open_benchmark(str(tmp_path), settings, BenchmarkContext())


# The model's prompt for a question about files: which calls it begins with.
#
# The results of these calls show the model what there is, such as names that could mislead it.


def test_prompt_lists_files_with_a_hash_in_their_names(tmp_path: Path) -> None:
    """The name `a.md#secret` looks like a part of `a.md`, and the model has to know better.

    The prompt does not list all of the 502 files, so a call in it lists those with a hash.
    """
    write_files(tmp_path, {"a.md": "x\n", "a.md#secret": "x\n"})
    for number in range(500):
        write_files(tmp_path, {f"d{number}/x.md": "x\n"})

    question = FilesQuestion("x", find_sources(tmp_path))
    tool_schema = tool_schema_of(question)

    initial_arguments = [call.arguments for call in tool_schema.initial_calls]
    list_names_with_hash = {
        "name": "*#*",
        "root": "/",
        "kind": "files",
        "limit": 2_000,
    }
    assert list_names_with_hash in initial_arguments


# A file of more than 1 MB is searched only if the call names it, since that may take long.
#
# Both files of the folder have the word: the short `a.txt`, and `large.csv` in each of its rows.


def test_large_file_is_not_searched_along_with_the_others(
    environment_with_large_table: FilesEnvironment,
) -> None:
    """The other file, `a.txt`, has the word, too. To search the large one takes long."""
    search = environment_with_large_table.call("search", {"pattern": "word"})
    passages = environment_with_large_table.call("passages", {"words": "word"})

    assert search["searched"] == "1 of 1 files"
    assert {match["path"] for match in passages["matches"]} == {"/a.txt"}


def test_large_file_is_searched_if_the_call_names_it(
    environment_with_large_table: FilesEnvironment,
) -> None:
    """The row `77,a word` is on line 79, below the header and the rows 0 to 76."""
    search = environment_with_large_table.call(
        "search", {"pattern": "^77,", "root": "/large.csv"}
    )

    assert search["matches"] == [
        {"path": "/large.csv", "line": 79, "text": "77,a word"}
    ]


def environment_with_writable_folder(folder: Path) -> FilesEnvironment:
    """Return an environment whose scripts may write below `docs`."""
    write_files(
        folder, {"notes.md": "Call Ines.\n", "docs/desk.md": "Opens at nine.\n"}
    )
    return environment_of(folder, writable="docs")


def test_summary_of_the_call_names_the_writable_folder(tmp_path: Path) -> None:
    """The model reads the summaries of the calls in its prompt."""
    environment = environment_with_writable_folder(tmp_path)

    summaries: dict[str, str] = {}
    for operation in environment.tool_schema.operations:
        summaries[operation.name] = operation.summary

    assert summaries["write"].endswith("; below /docs alone")


@pytest.mark.parametrize(
    "path",
    [
        pytest.param("/notes.md", id="above the folder"),
        pytest.param("/docs/../notes.md", id="out of the folder by dots"),
        pytest.param("/docsx/a.md", id="folder whose name begins alike"),
        pytest.param("/docs/.git/hooks/post-commit", id="hook that git would run"),
    ],
)
def test_writing_outside_of_the_writable_folder_is_refused(
    tmp_path: Path, path: str
) -> None:
    environment = environment_with_writable_folder(tmp_path)

    with pytest.raises(CallError, match="may not be written"):
        environment.call("write", {"path": path, "content": "x", "if_match_sha256": ""})
