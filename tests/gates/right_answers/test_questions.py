"""Right answers to the questions of others pass the gates, and few of their values are unverified.

The gates are checks of an answer; if one objects, the answer is sent back to the model. A value is
unverified, and marked for the user, if no text has it that the script has read. Too many such marks
on right answers would teach the user to ignore them. The questions are not part of the project.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.gates.right_answers.tasks_of_others import TASKS_FOLDER, TasksOfOthers


@pytest.mark.second_tier
@pytest.mark.skipif(
    not TASKS_FOLDER.exists(), reason="the tasks of others are not here"
)
def test_right_answers_to_questions_pass_and_few_of_their_values_are_unverified(
    tasks_of_others: TasksOfOthers, tmp_path: Path
) -> None:
    plays = tasks_of_others.play(tmp_path, as_questions=True)

    assert len(plays) == 60
    assert [play.task_id for play in plays if play.objections] == []
    with_unverified_values = [play for play in plays if play.unverified_values]
    # Authors of nine answers worked a value out in their head: no file states it.
    assert len(with_unverified_values) <= 9
