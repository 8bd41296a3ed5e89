"""`ask --save-task t` turns a question and its answer into a task for a benchmark.

The folder t has the files of the question, and in `task.toml` the question and its answer.
`run --benchmark folder:t` lets any model answer it again, and gives 1 to an answer with the same values.
"""

from pathlib import Path

import pytest

from tests.controlplane.questions.asked_question import ask
from tests.controlplane.questions.saved_questions.saved_scripts import (
    script_with_answer,
)
from tests.controlplane.questions.saved_task import score_of_saved_task


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
