"""Files in the container of an agent's task are found by calls: by folder, name, or a line's text.

The container has the file `/tmp/notes/a b.txt` with the lines "one", "two 2" and "three".
Relative paths begin in /tmp.
"""

import pytest

from controlplane.benchmarks.harbor.terminal_environment import TerminalEnvironment

pytestmark = pytest.mark.second_tier


def test_a_folder_lists_its_file(environment_with_note: TerminalEnvironment) -> None:
    listing = environment_with_note.call("list", {"path": "/tmp/notes"})

    entry = {"name": "a b.txt", "path": "/tmp/notes/a b.txt", "is_dir": False}
    assert listing["entries"] == [entry]


def test_a_file_is_found_by_its_name(
    environment_with_note: TerminalEnvironment,
) -> None:
    found = environment_with_note.call(
        "find", {"name": "*.txt", "root": "/tmp", "kind": "files"}
    )

    assert found["paths"] == ["/tmp/notes/a b.txt"]


def test_a_line_is_found_by_a_pattern(
    environment_with_note: TerminalEnvironment,
) -> None:
    searched = environment_with_note.call(
        "search", {"pattern": "t[wx]o [0-9]", "root": "/tmp"}
    )

    match = {"path": "/tmp/notes/a b.txt", "line": 2, "text": "two 2"}
    assert searched == {"matches": [match], "truncated": False}


def test_a_folder_is_known_as_one(environment_with_note: TerminalEnvironment) -> None:
    folder = environment_with_note.call("stat", {"path": "notes"})

    assert folder["is_dir"] is True
