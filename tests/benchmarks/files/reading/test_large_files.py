"""A file of more than 1 MB is not read as a whole here. The refusal names a call that reads a part.

The file `/big.csv` has 100,000 lines. The message suggests, for example,
`harness.read('/big.csv', start_line=1, end_line=4200)`.
"""

import re
from pathlib import Path

import pytest

from controlplane.benchmarks.files.files_environment import FilesEnvironment
from controlplane.sandbox.interface import CallError
from tests.benchmarks.files.opened_files import environment_of


@pytest.fixture
def large_file(tmp_path: Path) -> str:
    """The text of the file `/big.csv`, which has 100,000 lines and more than 1 MB."""
    lines = [f"{number},name {number}\n" for number in range(100_000)]
    text = "".join(lines)
    (tmp_path / "big.csv").write_text(text)
    return text


def refusal_to_read_whole(environment: FilesEnvironment) -> str:
    """Try to read all of `/big.csv`, and return the message of the error."""
    no_limit = 0
    whole_file = {"path": "/big.csv", "start_line": no_limit, "end_line": no_limit}
    with pytest.raises(CallError) as refusal:
        environment.call("read", whole_file)
    return refusal.value.message


def test_reading_a_large_file_as_a_whole_is_refused_with_its_size(
    tmp_path: Path, large_file: str
) -> None:
    """The text after the last line end, which is empty, counts as a line."""
    message = refusal_to_read_whole(environment_of(tmp_path, file_mb=1.0))

    line_count = large_file.count("\n") + 1
    assert f"{line_count:,} lines and {len(large_file):,} characters" in message
    assert message.startswith("/big.csv has ")


@pytest.mark.usefixtures("large_file")
def test_the_refusal_suggests_a_call_that_reads_as_many_lines_as_fit(
    tmp_path: Path,
) -> None:
    """A script can copy it: `harness.read('/big.csv', start_line=1, end_line=4200)`."""
    environment = environment_of(tmp_path, file_mb=1.0)
    message = refusal_to_read_whole(environment)

    suggestion = re.search(
        r"harness.read\('/big.csv', start_line=1, end_line=(\d+)\)", message
    )
    assert suggestion is not None
    end_line = int(suggestion[1])
    part = environment.call(
        "read", {"path": "/big.csv", "start_line": 1, "end_line": end_line}
    )
    assert str(part["content"]).count("\n") == end_line
    assert part["truncated"] is False
