"""A file of more than 1 MB is read in part, or as a table.

The folder has the table `large.csv` with the rows `0,a word` to `99999,a word` below its header
`n,said`, the short text `a.txt`, and a picture. Scripts read them by calls.
"""

import pytest

from controlplane.benchmarks.files.files_environment import FilesEnvironment
from controlplane.sandbox.interface import CallError


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
