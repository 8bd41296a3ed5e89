"""The benchmark `folder:DIR`: tasks in plain files, without any code.

Each folder in DIR that has a `task.toml` is a task. The file has the instruction, the
tools, and what is right; the files beside it are those that a trial sees. A run's seed
changes nothing: all trials of a task see the same files.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from controlplane import (
    BenchmarkContext,
    BenchmarkError,
    BenchmarkIdentity,
    OpenedBenchmark,
    ToolBenchmark,
)
from controlplane.benchmarks.files import files_benchmark
from controlplane.benchmarks.folder.task_folder import read_folder
from controlplane.benchmarks.folder.trial_environment import (
    WORKER_MODULE,
    environment_of,
)
from controlplane.benchmarks.folder.trial_graders import TrialGraders
from controlplane.local_benchmark.generated_trial import Grade
from controlplane.local_benchmark.local_environment import LocalEnvironment
from controlplane.sandbox import ForkServer, WorkerLimits
from controlplane.sandbox.files.tool_world import TOOL_WORLD
from controlplane.sandbox.interface import error_codes

WORKER_MODULES: Final = (TOOL_WORLD, WORKER_MODULE)
"""The modules that a trial's worker process imports to run the tools of a task."""
NAME: Final = "folder"
INVALID: Final = error_codes.INVALID_ARGUMENT


class FolderBenchmark(ToolBenchmark):
    """The tasks of the folder that the argument names. Created once for each run."""

    name = NAME
    # A trial is graded by its answer and its files. So a resumed trial, which begins with
    # new files, repeats only the calls that change files, not those that read.
    repeats_all_calls = False

    def __init__(
        self, argument: str, settings: Mapping[str, str], context: BenchmarkContext
    ) -> None:
        """Read the tasks. Raises `BenchmarkError` that names the file and key of a fault."""
        super().__init__(argument, settings, context)
        if not argument:
            raise BenchmarkError(INVALID, f"which folder? Name it as {NAME}:DIR")
        self._root = Path(argument).expanduser()
        self._folder = read_folder(self._root)
        self._tasks = self._folder.tasks
        self._server = ForkServer()
        self._graders = TrialGraders(self._server, context)

    def task_ids(self) -> Sequence[str]:
        """Return the names of the tasks' folders."""
        return list(self._tasks)

    def preview(self, task_id: str) -> str:
        """Return a task's instruction."""
        return self._tasks[task_id].file.instruction

    def generate(self, task_id: str) -> tuple[str, LocalEnvironment]:
        """Return a task's instruction and its world."""
        task = self._tasks[task_id]
        return task.file.instruction.strip(), environment_of(task)

    def grade(self, task_id: str, environment: LocalEnvironment) -> Grade:
        """Return the grade of a trial, by the answer and files that it left.

        Raises `BenchmarkError` if a grader fails.
        """
        return self._graders.grade(self._tasks[task_id], environment)

    def close(self) -> None:
        """Stop the server that runs graders."""
        self._server.close()

    def opened(self) -> OpenedBenchmark:
        """Return the benchmark as a run uses it: how to resume it, and what its trials need."""
        worker_modules: tuple[str, ...] = WORKER_MODULES
        worker_limits = WorkerLimits()
        if self._folder.has_questions:
            # A saved question of `ask` has the same calls as in `ask`. They search files and
            # query tables, which needs further modules and more memory and time.
            worker_modules = (*WORKER_MODULES, *files_benchmark.WORKER_MODULES)
            worker_limits = files_benchmark.WORKER_LIMITS
        return replace(
            super().opened(),
            # A run may be resumed in another working folder, so the whole path is recorded.
            resume_identity=BenchmarkIdentity(f"{NAME}:{self._root.resolve()}", {}),
            worker_modules=worker_modules,
            worker_limits=worker_limits,
            world_version=self._folder.digest,
            servers=self._folder.server_names,
        )


# `--benchmark folder:DIR` calls the function `open_benchmark` of this module.
open_benchmark = FolderBenchmark
