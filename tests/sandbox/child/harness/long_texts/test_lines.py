"""`json()` of a file that was cut off reads the remaining lines, before a script gets the value.

A call of `harness.read` may return one line of a JSON file, and say that more lines follow:
`{"content": '{"a": 1,\\n', "truncated": True}`. The declaration of `read` may name the parameter
for the number of the line from which to read on, `start_line`.
"""

import pytest

from controlplane.sandbox.interface import FILE_OPERATIONS
from tests.sandbox.child.harness.harness_with_results import RecordedCalls, harness_with

READ, *_ = FILE_OPERATIONS
"""`harness.read(path, start_line=0, end_line=0)`"""


def test_json_of_a_truncated_file_reads_the_remaining_lines() -> None:
    calls = RecordedCalls(
        [
            {"path": "/a.json", "content": '{"a": 1,\n', "truncated": True},
            {"path": "/a.json", "content": '"b": 2,\n', "truncated": True},
            {"path": "/a.json", "content": '"c": 3}', "truncated": False},
        ]
    )
    read_by_lines = READ._replace(from_line="start_line")

    result = harness_with(read_by_lines, calls).read("/a.json")

    assert result.json() == {"a": 1, "b": 2, "c": 3}
    assert calls.named_arguments == [{}, {"start_line": 2}, {"start_line": 3}]


def test_json_of_a_truncated_file_fails_if_nothing_says_how_to_read_on() -> None:
    """Half of a file must not be taken for the whole."""
    calls = RecordedCalls(
        [{"path": "/a.json", "content": '{"a": 1,\n', "truncated": True}]
    )
    read_without_lines = READ._replace(from_line="")

    result = harness_with(read_without_lines, calls).read("/a.json")

    with pytest.raises(ValueError, match="it was truncated"):
        result.json()
    assert calls.named_arguments == [{}]
