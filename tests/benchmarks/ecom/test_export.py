"""An exported task plays to the same score as the embedded one, but for what a message in free words states."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.ecom.export import USUAL, is_expressible, main, write_task
from benchmarks.ecom.show import RecordingEnvironment
from benchmarks.ecom.solutions.reference_client import Answer, ReferenceClient, Solution
from benchmarks.ecom.solutions.reference_solutions import reference_of
from benchmarks.ecom.tasks.grader import grade
from benchmarks.ecom.tasks.task import Task
from benchmarks.folder.folder_benchmark import grade as folder_grade
from benchmarks.folder.folder_environment import FolderEnvironment
from benchmarks.folder.task_folder import FolderTask, read_folder
from benchmarks.local.end_state_grader import Grade
from tests.benchmarks.ecom.mistakes import all_mistakes
from tests.benchmarks.ecom.variants import pose_variant, variant_ids

LIGHT = (
    "basket-addition#1",
    "basket-checkout#1",
    "refund-closure#1",
    "verification-restart#1",
    "archive-fraud#1",
    "injected-block#2",
)
FIXED = ("/bin/id", "/bin/date", "/bin/sql", "/bin/cat")


def exported(task: Task, folder: Path) -> FolderTask:
    write_task(task, folder / "task")
    (found,) = read_folder(folder).tasks.values()
    return found


def grades_in_both(task: Task, solution: Solution, there: FolderTask) -> tuple[Grade, Grade]:
    """Make a solution's calls in the embedded world, and its changes in the folder's; return the grade of each."""
    environment = RecordingEnvironment(task.world.workspace())
    answer: Answer = solution(ReferenceClient(environment, task.truth.names), task.truth)
    folder = FolderEnvironment(there)
    for operation, arguments in environment.calls:
        is_fixed = operation == "exec" and arguments["path"] in FIXED
        if is_fixed or environment.surface.may_change(operation, arguments):
            folder.call(operation, arguments)
    for each in (environment, folder):
        each.answer(answer.message, answer.outcome, answer.refs)
    return grade(task.truth, environment), folder_grade(there, folder)


def check(variant_id: str, seed: str, folder: Path) -> None:
    task = pose_variant(variant_id, seed)
    if not is_expressible(task.truth):
        return
    there = exported(task, folder)
    assert there.files == dict(task.world.workspace().files)
    assert [each.score for each in grades_in_both(task, reference_of(task.truth.family), there)] == [1.0, 1.0]
    for name, mistake in all_mistakes(task.truth).items():
        here, elsewhere = grades_in_both(task, mistake, there)
        is_about_words = task.truth.measure or all(line.casefold().startswith("answer ") for line in here.details)
        assert here.score == elsewhere.score or (is_about_words and not here.score), name
        assert here.score < 1.0, name


@pytest.mark.parametrize("variant_id", LIGHT)
def test_right_and_wrong_answers_are_told_apart_as_in_the_embedded_world(variant_id: str, tmp_path: Path) -> None:
    check(variant_id, "7", tmp_path)


@pytest.mark.heavy
@pytest.mark.parametrize("variant_id", variant_ids())
def test_every_task_that_can_be_expressed_is_graded_alike(variant_id: str, tmp_path: Path) -> None:
    for seed in range(3):
        check(variant_id, str(seed), tmp_path / str(seed))


def test_the_tasks_that_are_written_without_a_choice_can_be_opened(tmp_path: Path) -> None:
    assert main([str(tmp_path / "out")]) == 0
    assert len(read_folder(tmp_path / "out").tasks) == USUAL


def test_chosen_tasks_are_written_and_none_over_others(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path / "out"), "--task", "calendar-date", "--task", "dispatch-wave", "--seed", "4"]) == 0
    assert "dispatch-wave.1 is left out: a simulation scores it" in capsys.readouterr().out
    written = read_folder(tmp_path / "out").tasks
    assert [each.rpartition(".")[0] for each in written] == ["calendar-date"] * len(written)
    for arguments, told in (
        ([str(tmp_path / "out")], "is not empty; name a new folder"),
        ([str(tmp_path / "new"), "--task", "calender-date"], "did you mean 'calendar-date"),
    ):
        with pytest.raises(SystemExit) as raised:
            main(arguments)
        assert raised.value.code == 2
        assert told in capsys.readouterr().err
    assert main([str(tmp_path / "none"), "--task", "dispatch-wave.1"]) == 1
