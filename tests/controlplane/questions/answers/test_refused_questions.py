"""A question that cannot be asked is refused in one line.

For example:

    controlplane ask "why?" docs    ->    controlplane: ask needs a model ...
"""

from pathlib import Path

import pytest

from controlplane.errors import UsageError
from tests.controlplane.questions.asked_question import write_files
from tests.support.command import check_error_line, run_in_process


@pytest.mark.parametrize(
    ("words", "message_part"),
    [
        pytest.param(("docs",), "ask needs a model", id="no model"),
        pytest.param(
            ("gone", "--model", "x"), "gone: No such file", id="a missing folder"
        ),
        pytest.param(
            ("docs", "--apply"), "--apply needs --write", id="apply without write"
        ),
        pytest.param(
            ("docs", "--write", "notes.md"), "it is a file", id="write to a file"
        ),
        pytest.param(
            ("--continue", "--model", "x"),
            "no question was asked yet",
            id="continue without a question before",
        ),
        pytest.param(
            ("docs/logo.png", "--model", "scripted:none.toml"),
            "no text file",
            id="an image as the only source",
        ),
    ],
)
def test_a_question_that_cannot_be_asked_is_refused_in_one_line(
    tmp_path: Path, words: tuple[str, ...], message_part: str
) -> None:
    write_files(tmp_path, {"docs/a.md": "fee: 7\n", "docs/logo.png": "\0"})
    write_files(tmp_path, {"notes.md": "nothing\n"})

    refused = run_in_process("ask", "why?", *words, cwd=tmp_path)

    check_error_line(refused, UsageError.exit_code, message_part)
