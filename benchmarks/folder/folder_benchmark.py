"""The benchmark `folder:DIR` for the control plane: lists the folder's tasks, and poses and grades trials.

Every try of a task plays in the same world, whatever the run's seed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Final

from benchmarks.folder.folder_environment import AIDE_MODULES, FolderEnvironment
from benchmarks.folder.task_file import FolderFault
from benchmarks.folder.task_folder import FolderTask, TaskFolder, read_folder
from benchmarks.local.end_state_grader import Grade, RowShares, faults_of
from benchmarks.local.local_benchmark import LocalBenchmark, PosedTrial
from controlplane import (
    BenchmarkContext,
    BenchmarkError,
    BenchmarkIdentity,
    BenchmarkOption,
    Description,
    OpenedBenchmark,
    RunRequest,
    StartedRun,
    TaskHead,
    Trial,
)

NAME: Final = "folder"
INVALID: Final = "invalid_argument"
OPTIONS: Final[tuple[BenchmarkOption, ...]] = ()


def open_benchmark(argument: str, settings: Mapping[str, str], context: BenchmarkContext) -> OpenedBenchmark:
    """Open the folder that the argument names. Raises `BenchmarkError` with file and line of the fault."""
    if not argument:
        raise BenchmarkError(INVALID, f"which folder? Name it as {NAME}:DIR")
    root = Path(argument).expanduser()
    try:
        found = read_folder(root)
    except FolderFault as fault:
        raise BenchmarkError(INVALID, str(fault)) from fault
    benchmark = FolderBenchmark(root, found, context.notify)
    return OpenedBenchmark(
        benchmark,
        resume_identity=BenchmarkIdentity(f"{NAME}:{root.resolve()}", {}),
        aide_modules=AIDE_MODULES,
        ended_elsewhere=benchmark.take_score,
        world_version=found.digest,
        servers=tuple(sorted({name for task in found.tasks.values() for name in task.file.mcp})),
        rebuilds_trials=True,
    )


def grade(task: FolderTask, environment: FolderEnvironment) -> Grade:
    """Return the grade of a trial's end state: 1 without a fault, else 0; a share if the task scores cited rows."""
    faults = faults_of(task.expectation, environment)
    if environment.pattern_fault:
        faults = (*faults, environment.pattern_fault)
    rows, given = task.file.expected.rows, environment.submission
    if faults or rows is None or given is None:
        return Grade(0.0 if faults else 1.0, faults)
    score = RowShares(rows.file, {**rows.wrong, **rows.right}, frozenset(rows.right)).score(given.refs)
    return Grade(round(score, 4), () if score == 1 else (f"the cited rows of {rows.file} score {score:.1%}",))


class FolderBenchmark(LocalBenchmark):
    """The tasks of a folder."""

    def __init__(self, root: Path, folder: TaskFolder, notify: Callable[[str], None]) -> None:
        super().__init__(NAME, folder.tasks)
        self._root = root
        self._tasks = folder.tasks
        self._notify = notify

    def describe(self, preview_seed: int | None = None) -> Description:
        """Return the tasks; with a seed, each with its instruction."""
        heads = tuple(
            TaskHead(task_id, "" if preview_seed is None else task.file.instruction)
            for task_id, task in self._tasks.items()
        )
        return Description(NAME, f"the tasks in {self._root}", heads)

    def start_run(self, request: RunRequest) -> StartedRun:
        """Make a trial for each try, and name the rule packs that the tasks ask for."""
        asked = {self._tasks[task.task_id].file.rule_pack for task in request.tries} - {""}
        if asked:
            self._notify(f"these tasks name rule packs, which only --rules {','.join(sorted(asked))} loads")
        return super().start_run(request)

    def pose(self, trial_id: str) -> PosedTrial:
        """Make a trial's world. Raises `BenchmarkError` for an id that is not a trial's."""
        task = self._tasks[self.task_of(trial_id)]
        environment = FolderEnvironment(task)
        trial = Trial(trial_id, task.task_id, task.file.instruction.strip(), environment, environment.use_aide)
        return PosedTrial(trial, environment, partial(grade, task, environment))
