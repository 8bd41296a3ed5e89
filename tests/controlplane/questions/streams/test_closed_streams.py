"""`ask` and `show` work without a standard stream, or if the reader of their output leaves.

A service may start programs so, and `head` leaves when it has read enough. The command is run by bash,
which can close streams: `<&-` closes standard input.
"""

import shlex
from pathlib import Path

import pytest

from tests.controlplane.questions.asked_question import (
    ANSWER,
    QUESTION,
    ask,
    scripted_model,
)
from tests.support.command import command, run_program


@pytest.mark.parametrize(
    "closed_streams",
    [
        pytest.param("<&-", id="input"),
        pytest.param("2>&-", id="error"),
        pytest.param("<&- 2>&-", id="input and error"),
    ],
)
def test_a_question_is_answered_with_standard_streams_closed(
    closed_streams: str, loan_folder: Path
) -> None:
    """`<&-` closes standard input for a program that bash starts, as some services do."""
    words = command(("ask", QUESTION, "docs", *scripted_model(loan_folder, ANSWER)))
    bash_script = f"{shlex.join(words)} {closed_streams}"

    asked = run_program(["bash", "-c", bash_script], loan_folder)

    assert asked.code == 0, asked.err
    assert "2026-03-01" in asked.out


def test_show_succeeds_if_the_reader_of_its_pipe_leaves_early(
    loan_folder: Path,
) -> None:
    """`head -c 1` reads one character and closes the pipe; bash reports if `show` fails."""
    assert ask(loan_folder).code == 0

    show = shlex.join(command(("show", "last", "--all")))
    pipeline = f"set -o pipefail; {show} | head -c 1 > /dev/null"
    result = run_program(["bash", "-c", pipeline], loan_folder)

    assert result.code == 0, result.err
