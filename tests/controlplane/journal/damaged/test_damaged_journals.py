"""A journal of which a line was changed or is missing is refused in one line, and left as it is.

A journal is a file of JSON lines, each with a hash of its own bytes, and the hash of the line before
it. So a change shows:

    the sixth line is missing    ->    ... is damaged at line 6: it does not follow the line before it
"""

from collections.abc import Callable
from pathlib import Path

import pytest

from controlplane.errors import JournalDamaged
from tests.support.command import CommandRunner, check_error_line


def without_its_sixth_line(data: bytes) -> bytes:
    lines = data.splitlines(keepends=True)
    return b"".join(lines[:5] + lines[6:])


def changed_in_its_first_line(data: bytes) -> bytes:
    """The type of the first event, `run_opened`, and a name in it have a letter in upper case."""
    data = data.replace(b'"phonebook', b'"Phonebook', 1)
    return data.replace(b"run_opened", b"run_Opened", 1)


def changed_in_its_eighth_line(data: bytes) -> bytes:
    """The event has another time."""
    lines = data.splitlines(keepends=True)
    lines[7] = lines[7].replace(b'"at_ms":1', b'"at_ms":2', 1)
    return b"".join(lines)


@pytest.mark.parametrize(
    "command",
    [("show",), ("replay", "--verify"), ("resume",), ("submit",), ("poll",)],
    ids=" ".join,
)
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            without_its_sixth_line,
            "is damaged at line 6: it does not follow the line before it",
        ),
        (
            changed_in_its_first_line,
            "is damaged at line 1 … its bytes do not match its hash",
        ),
        (
            changed_in_its_eighth_line,
            "is damaged at line 8 … its bytes do not match its hash",
        ),
    ],
)
def test_a_damaged_journal_is_refused_in_one_line_and_left_as_it_is(
    change: Callable[[bytes], bytes],
    message: str,
    command: tuple[str, ...],
    finished_journal: bytes,
    run_command_here: CommandRunner,
    tmp_path: Path,
) -> None:
    """A command that continues a run must not write to a journal that it does not understand."""
    path = tmp_path / "it.jsonl"
    path.write_bytes(change(finished_journal))
    bytes_before = path.read_bytes()

    result = run_command_here(*command, "it.jsonl")

    parts = message.split(" … ")
    check_error_line(result, JournalDamaged.exit_code, "it.jsonl", *parts)
    assert path.read_bytes() == bytes_before
