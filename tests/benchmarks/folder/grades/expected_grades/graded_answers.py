r"""Grades of answers to a task, by what its `task.toml` expects.

    graded(folder, 'outcome = "OUTCOME_OK"\nanswer = "[COUNT:2]"\n', "[COUNT:3]")
    # Grade(0.0, ('Answer should be "[COUNT:2]"',))

An answer scores 1 if it is as expected, and otherwise 0, with a remark for each fault.
"""

from pathlib import Path
from typing import Any

from controlplane.benchmarks.folder.folder_benchmark import (
    environment_of,
    expected_grade,
)
from controlplane.benchmarks.folder.task_folder import read_folder
from controlplane.gates.submission import OK
from controlplane.local_benchmark.local_benchmark import Grade


def graded(
    folder: Path,
    expected: str,
    message: str,
    *,
    outcome: str = OK,
    cited: tuple[str, ...] = (),
    calls: tuple[tuple[str, dict[str, Any]], ...] = (),
) -> Grade:
    """Return the grade of an answer to a task that expects this, after the calls of the trial.

    `expected` is the text of the table `[expected]` in the `task.toml`. The task has four files,
    /loans/1.json to /loans/4.json.
    """
    files = folder / "tasks/overdue/files/loans"
    files.mkdir(parents=True)
    for number in range(1, 5):
        (files / f"{number}.json").write_text("{}")
    (folder / "tasks/overdue/task.toml").write_text(
        f'instruction = "How many loans are overdue?"\n[expected]\n{expected}'
    )
    task = read_folder(folder / "tasks").tasks["overdue"]
    environment = environment_of(task)
    for operation, arguments in calls:
        environment.call(operation, arguments)
    environment.answer(message, outcome, cited)
    return expected_grade(task, environment)
