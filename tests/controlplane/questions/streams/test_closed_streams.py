"""Commands work without a standard stream, or if the reader of their output leaves.

A service may start programs so, and `head` leaves when it has read enough.
"""

import os
import shlex
from pathlib import Path

import pytest

from controlplane.__main__ import READER_LEFT
from tests.controlplane.questions.asked_question import (
    ANSWER,
    QUESTION,
    ask,
    scripted_model,
)
from tests.support.command import (
    clean_environment,
    command,
    run_program,
    start_in_environment,
    wait_for_exit,
)


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


@pytest.mark.parametrize(
    ("words", "code"),
    [
        pytest.param(("show", "last", "--all"), 0, id="printed line by line"),
        pytest.param(("runs",), 0, id="printed as a table"),
        pytest.param(("show", "--help"), 0, id="help"),
        pytest.param(
            ("replay", "last", "--trial", "ask"), READER_LEFT, id="another command"
        ),
    ],
)
def test_a_command_ends_quietly_if_the_reader_of_its_pipe_has_left(
    words: tuple[str, ...], code: int, loan_folder: Path
) -> None:
    """Nobody reads the pipe any more, as after `head` has read enough. Commands that only print
    succeed."""
    assert ask(loan_folder).code == 0
    read_end, write_end = os.pipe()
    os.close(read_end)

    process = start_in_environment(
        words, env=clean_environment(), cwd=loan_folder, stdout=write_end
    )
    os.close(write_end)
    ended = wait_for_exit(process)

    assert ended.code == code
    assert ended.err == ""
