"""Files in the container of an agent's task are read and deleted by calls.

The container has the file `/tmp/notes/a b.txt` with the lines "one", "two 2" and "three".
Relative paths begin in /tmp.
"""

import pytest

from controlplane.benchmarks.harbor.terminal_environment import TerminalEnvironment
from controlplane.sandbox.interface import CallError

pytestmark = pytest.mark.second_tier


def test_a_file_is_read_whole(environment_with_note: TerminalEnvironment) -> None:
    whole = environment_with_note.call("read", {"path": "/tmp/notes/a b.txt"})

    assert whole["content"] == "one\ntwo 2\nthree\n"


def test_a_line_of_a_file_is_read_by_a_path_relative_to_tmp(
    environment_with_note: TerminalEnvironment,
) -> None:
    second_line = environment_with_note.call(
        "read", {"path": "notes/a b.txt", "start_line": 2, "end_line": 2}
    )

    assert second_line["content"] == "two 2\n"


def test_a_deleted_file_does_not_exist(
    environment_with_note: TerminalEnvironment,
) -> None:
    environment_with_note.call("delete", {"path": "/tmp/notes/a b.txt"})

    with pytest.raises(CallError, match="does not exist"):
        environment_with_note.call("read", {"path": "/tmp/notes/a b.txt"})
