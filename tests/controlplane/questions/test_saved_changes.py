"""`ask --write --save-task` turns a request and its changes of files into a task for a benchmark.

The request is to extend loan-02, to write a file and to delete another. `run --benchmark folder:t` lets
any model do it again, and gives 1 if all files are the same in the end.
"""

from pathlib import Path

import pytest

from tests.controlplane.questions.asked_changes import REQUEST, script_with_changes
from tests.controlplane.questions.asked_question import ask
from tests.controlplane.questions.saved_task import score_of_saved_task


@pytest.mark.parametrize(
    ("new_file", "score"),
    [
        pytest.param("/new/a.md", 1.0, id="the same changes"),
        pytest.param("/b.md", 0.0, id="another file is written"),
    ],
)
def test_a_saved_change_is_a_task_that_is_graded_by_the_files(
    new_file: str, score: float, changeable_folder: Path
) -> None:
    options = ("--write", "docs", "--apply", "--save-task", "t")
    script = script_with_changes("/new/a.md")
    saved = ask(changeable_folder, *options, script=script, question=REQUEST)
    assert saved.code == 0

    other_script = script_with_changes(new_file)
    assert score_of_saved_task(changeable_folder, other_script) == score
