"""A file that is not a journal is refused in one line, and no command changes it.

A journal is the record of a run, a file of JSON lines, each with a hash.

    it.jsonl with "a letter to a friend"    ->    controlplane: ... it.jsonl is not a journal ...
"""

from pathlib import Path

import pytest

from controlplane.errors import NotAJournal
from tests.support.command import CommandRunner, check_error_line


@pytest.mark.parametrize(
    "command",
    [("show",), ("replay", "--verify"), ("resume",), ("submit",), ("poll",)],
    ids=" ".join,
)
@pytest.mark.parametrize(
    ("content", "message_part"),
    [
        pytest.param(b"a letter to a friend\n", "is not a journal", id="letter"),
        pytest.param(b'{"type": "run_opened"}\n', "is not a journal", id="other JSON"),
        pytest.param(
            b"", "is not a journal: it holds no whole line of one", id="nothing"
        ),
        pytest.param(
            b'{"prev":"' + b"0" * 31,
            "is not a journal",
            id="the beginning of the first line of a journal",
        ),
    ],
)
def test_a_file_that_is_not_a_journal_is_refused_in_one_line_and_left_as_it_is(
    content: bytes,
    message_part: str,
    command: tuple[str, ...],
    run_command_here: CommandRunner,
    tmp_path: Path,
) -> None:
    """A command that continues a run must not write to such a file."""
    path = tmp_path / "it.jsonl"
    path.write_bytes(content)

    result = run_command_here(*command, "it.jsonl")

    check_error_line(result, NotAJournal.exit_code, "it.jsonl", message_part)
    assert path.read_bytes() == content
