"""The standard streams of `ask`: what it reads from a pipe, and what it does without one of them.

`cat loans.md | controlplane ask "Until when may loan-02 be kept?"` answers from the text on
standard input, which is kept as a file beside the journal, so that the answer can cite it.
"""

import shlex
from pathlib import Path

import pytest

from controlplane.errors import UsageError
from tests.controlplane.questions.asked_question import (
    ANSWER,
    QUESTION,
    ask,
    scripted_model,
)
from tests.support.command import CommandResult, check_error_line, command, run_program


def ask_with_input(folder: Path, text: str, *words: str) -> CommandResult:
    """Run `ask` with this text on its standard input, as in `cat loans.md | controlplane ask
    ...`."""
    return run_program(command(("ask", QUESTION, *words)), folder, text=text)


class TestStandardInput:
    """The text on standard input is a source, if it is named by `-` or the only one."""

    @pytest.mark.parametrize("sources", [("-",), ()], ids=["named", "not named"])
    def test_standard_input_is_a_source(
        self, sources: tuple[str, ...], tmp_path: Path
    ) -> None:
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

    def test_an_empty_standard_input_is_refused_as_a_source(
        self, loan_folder: Path
    ) -> None:
        """A pipe from a program that failed is often empty."""
        refused = ask_with_input(loan_folder, " ", "-", "--model", "m")

        message = "there is no text on standard input"
        check_error_line(refused, UsageError.exit_code, message)

    def test_a_message_says_that_standard_input_is_not_read_beside_other_sources(
        self, loan_folder: Path
    ) -> None:
        """The user may have meant it as a source, beside the folder docs."""
        text = (loan_folder / "docs/loans.md").read_text()
        model = scripted_model(loan_folder, ANSWER)

        asked = ask_with_input(loan_folder, text, "docs", *model)

        assert "standard input is not read; name it as a source: -" in asked.err


class TestClosedStreams:
    """The program is started without a standard stream, or its reader leaves.

    A service may start programs so, and `head` leaves when it has read enough. The command is
    run by bash, which can close streams. The question is about docs/loans.md in `loan_folder`.
    `ANSWER` is a script that cites it.
    """

    @pytest.mark.parametrize(
        "closed_streams",
        [
            pytest.param("<&-", id="input"),
            pytest.param("2>&-", id="error"),
            pytest.param("<&- 2>&-", id="input and error"),
        ],
    )
    def test_a_question_is_answered_with_standard_streams_closed(
        self, closed_streams: str, loan_folder: Path
    ) -> None:
        """`<&-` closes standard input for a program that bash starts, as some services do."""
        words = command(("ask", QUESTION, "docs", *scripted_model(loan_folder, ANSWER)))
        bash_script = f"{shlex.join(words)} {closed_streams}"

        asked = run_program(["bash", "-c", bash_script], loan_folder)

        assert asked.code == 0, asked.err
        assert "2026-03-01" in asked.out

    def test_show_succeeds_if_the_reader_of_its_pipe_leaves_early(
        self, loan_folder: Path
    ) -> None:
        """`head -c 1` reads one character and closes the pipe; bash reports if `show` fails."""
        assert ask(loan_folder).code == 0

        show = shlex.join(command(("show", "last", "--all")))
        pipeline = f"set -o pipefail; {show} | head -c 1 > /dev/null"
        result = run_program(["bash", "-c", pipeline], loan_folder)

        assert result.code == 0, result.err
