"""A question saved by `ask --save-task t` has all files and functions with which it was asked.

The folder t is a task, which a benchmark can play. The files of the question are copied to t/files.
`loan_folder` has docs/loans.md, which says until when loan-02 may be kept, and notes.md: "nothing".
"""

from pathlib import Path

from controlplane.errors import UsageError
from tests.controlplane.questions.asked_question import QUESTION, ask
from tests.controlplane.questions.saved_questions.saved_scripts import (
    script_with_answer,
)
from tests.controlplane.questions.saved_task import score_of_saved_task
from tests.support.command import check_error_line, run_in_process


def test_a_saved_question_has_all_files_that_it_was_asked_about(
    loan_folder: Path,
) -> None:
    """The question is asked about the whole folder "."."""
    ask(loan_folder, "--save-task", "t", sources=(".",))

    assert (loan_folder / "t/files/notes.md").read_text() == "nothing\n"


def test_a_saved_question_is_played_with_the_functions_of_the_question(
    loan_folder: Path,
) -> None:
    """The same script answers the question, and then the saved task t.

    The script uses the functions that read, and asserts that there are none that change a file.
    """
    (loan_folder / "docs/fees.csv").write_text("loan,fee\nL-1,3\n")
    script = """
assert harness.search("nothing", files="*.md").matches
assert "loan-02" in harness.passages("loan").shown
assert harness.table("/docs/fees.csv").rows[0]["fee"] == 3
assert not any(hasattr(harness, name) for name in ("write", "delete", "exec"))
""" + script_with_answer("Until 2026-03-01.")

    saved = ask(loan_folder, "--save-task", "t", script=script, sources=(".",))

    assert saved.code == 0, saved.err
    assert score_of_saved_task(loan_folder, script) == 1.0


def test_a_question_is_not_saved_over_another(loan_folder: Path) -> None:
    assert ask(loan_folder, "--save-task", "t").code == 0

    refused = run_in_process("ask", QUESTION, "--save-task", "t", cwd=loan_folder)

    message = "--save-task t: it is not an empty folder"
    check_error_line(refused, UsageError.exit_code, message)
