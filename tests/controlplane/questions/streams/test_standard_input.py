"""`ask` answers from the text on standard input, if it is named by `-` or the only source.

    cat loans.md | controlplane ask "Until when may loan-02 be kept?"

The text is kept as a file beside the journal, so that the answer can cite it.
"""

import subprocess
from pathlib import Path

import pytest

from controlplane.errors import UsageError
from tests.controlplane.questions.asked_question import ANSWER, QUESTION, scripted_model
from tests.support.command import (
    CommandResult,
    check_error_line,
    clean_environment,
    start_in_environment,
    wait_for_exit,
)


def ask_with_input(folder: Path, text: str, *words: str) -> CommandResult:
    """Run `ask` with this text on its standard input, as in `cat loans.md | controlplane ask
    ...`."""
    process = start_in_environment(
        ("ask", QUESTION, *words),
        env=clean_environment(),
        cwd=folder,
        stdin=subprocess.PIPE,
    )
    assert process.stdin is not None
    process.stdin.write(text)
    return wait_for_exit(process)  # closes standard input first


@pytest.mark.parametrize("sources", [("-",), ()], ids=["named", "not named"])
def test_standard_input_is_a_source(sources: tuple[str, ...], tmp_path: Path) -> None:
    """It is kept as a file, readable by its owner alone, which can be cited."""
    text = "# Loans\n- loan-02: kept until 2026-03-01.\n"
    model = scripted_model(tmp_path, ANSWER)

    asked = ask_with_input(tmp_path, text, *sources, *model, "--json")

    assert asked.code == 0, asked.err
    (citation,) = asked.json["citations"]
    assert citation["line"] == 2
    assert citation["path"].startswith("runs/standard-input/")
    kept_input = tmp_path / citation["path"]
    assert kept_input.read_text() == text
    permissions = kept_input.stat().st_mode & 0o777
    assert permissions == 0o600


def test_an_empty_standard_input_is_refused_as_a_source(loan_folder: Path) -> None:
    """A pipe from a program that failed is often empty."""
    refused = ask_with_input(loan_folder, " ", "-", "--model", "m")

    message = "there is no text on standard input"
    check_error_line(refused, UsageError.exit_code, message)


def test_a_message_says_that_standard_input_is_not_read_beside_other_sources(
    loan_folder: Path,
) -> None:
    """The user may have meant it as a source, beside the folder docs."""
    text = (loan_folder / "docs/loans.md").read_text()
    model = scripted_model(loan_folder, ANSWER)

    asked = ask_with_input(loan_folder, text, "docs", *model)

    assert "standard input is not read; name it as a source: -" in asked.err
