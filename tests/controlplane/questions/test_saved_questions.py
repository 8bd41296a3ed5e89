"""`ask --save-task` turns a question and its answer into a task for a benchmark.

`ask "Until when may loan-02 be kept?" docs --save-task t` writes the folder t: in `files/` the files
of the question, and in `task.toml` the question and its answer. `run --benchmark folder:t` lets any
model answer it again, and gives 1 to an answer with the same values.
"""

from pathlib import Path

import pytest

from controlplane.errors import UsageError
from tests.controlplane.questions.asked_question import QUESTION, ask
from tests.controlplane.questions.saved_task import score_of_saved_task
from tests.support.command import check_error_line, run_in_process


def script_with_answer(answer: str) -> str:
    """Return a script that cites the line on loan-02, and answers."""
    return f"""
found = harness.read(harness.search("loan-02").matches[0].path)
scratchpad.cite(found.path, "the line on loan-02 names 2026-03-01", "Kept  until 2026-03-01")
scratchpad["answer"] = "{answer}"
scratchpad["outcome"] = "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: len(sp["answer"]) > 3)
"""


@pytest.mark.parametrize(
    ("answer", "score"),
    [
        pytest.param("Until 2026-03-01.", 1.0, id="the saved answer"),
        pytest.param(
            "loan-02 goes back on 1 March 2026 at the latest.",
            1.0,
            id="the same date in other words",
        ),
        pytest.param("Until 2026-03-02.", 0.0, id="another date"),
    ],
)
def test_an_answer_to_a_saved_question_is_graded_by_its_values(
    loan_folder: Path, answer: str, score: float
) -> None:
    saved_script = script_with_answer("Until 2026-03-01.")
    saved = ask(loan_folder, "--save-task", "t", script=saved_script)
    assert saved.code == 0, saved.err

    assert score_of_saved_task(loan_folder, script_with_answer(answer)) == score


def test_a_saved_question_has_all_files_that_it_was_asked_about(
    loan_folder: Path,
) -> None:
    """The question is asked about the working folder ".", which has the file notes.md."""
    ask(loan_folder, "--save-task", "t", sources=(".",))

    assert (loan_folder / "t/files/notes.md").read_text() == "nothing\n"


def test_a_saved_question_is_played_with_the_functions_of_the_question(
    loan_folder: Path,
) -> None:
    """The same script is played in both. It reads by each function, and finds none that changes
    something."""
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
