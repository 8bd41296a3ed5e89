"""The benchmark `folder:DIR`: lists the tasks of a folder, and generates and grades trials.

This is a good example of a benchmark: it implements three methods of `ToolBenchmark`. A
task may be tried several times, always with the same files and tools, whatever the
run's seed. If a grader fails, its trial has no grade until `resume` grades it again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from controlplane import (
    BenchmarkContext,
    BenchmarkError,
    BenchmarkIdentity,
    OpenedBenchmark,
    ToolBenchmark,
)
from controlplane.benchmarks.files.conversation import Earlier
from controlplane.benchmarks.files.files_benchmark import WORKER_LIMITS
from controlplane.benchmarks.files.files_benchmark import (
    WORKER_MODULES as QUESTION_MODULES,
)
from controlplane.benchmarks.files.files_environment import FilesEnvironment
from controlplane.benchmarks.files.sources.file_sources import SourceFiles
from controlplane.benchmarks.folder.expected_grader import expected_grade
from controlplane.benchmarks.folder.folder_runtime import FolderRuntime
from controlplane.benchmarks.folder.folder_schema import tool_schema_of
from controlplane.benchmarks.folder.rubric_grader import rubric_grade
from controlplane.benchmarks.folder.script_grader import script_grade
from controlplane.benchmarks.folder.task_file import Question
from controlplane.benchmarks.folder.task_folder import FolderTask, read_folder
from controlplane.local_benchmark.expected_end import NO_ANSWER
from controlplane.local_benchmark.generated_trial import Grade
from controlplane.local_benchmark.local_environment import (
    LocalEnvironment,
    SubmittedAnswer,
)
from controlplane.sandbox import ForkServer, WorkerLimits
from controlplane.sandbox.files import WorldFiles
from controlplane.sandbox.files.tool_world import TOOL_WORLD
from controlplane.sandbox.interface import error_codes

WORKER_MODULE: Final = "controlplane.benchmarks.folder.folder_runtime"
WORKER_MODULES: Final = (TOOL_WORLD, WORKER_MODULE)
NAME: Final = "folder"
INVALID: Final = error_codes.INVALID_ARGUMENT


def environment_of(task: FolderTask) -> LocalEnvironment:
    """Return the environment of a trial: the task's files and tools.

    A saved question of the command `ask` has no tools, but the calls that `ask` offers.
    """
    task_file = task.file
    if task_file.question is not None:
        return _question_environment(task, task_file.question)
    tools: list[Any] = [tool.model_dump(mode="json") for tool in task_file.tool]
    runtime = FolderRuntime(task.files, tools)
    return LocalEnvironment(
        tool_schema_of(task),
        world=WorldFiles(task.files, WORKER_MODULE, data=tools),
        tree=runtime.tree,
        clock=task_file.clock,
        run_tool=runtime.call,
    )


def _question_environment(task: FolderTask, question: Question) -> FilesEnvironment:
    """Return the environment of a saved question, with the conversation before it."""
    earlier = None
    if question.earlier:
        try:
            earlier = Earlier.model_validate_json(question.earlier)
        except ValueError as error:
            msg = f"{task.task_id}: question.earlier: {error}"
            raise BenchmarkError(INVALID, msg) from error
    sources = SourceFiles.of_texts(task.files)
    instruction = task.file.instruction.strip()
    return FilesEnvironment(
        sources, instruction, question.write, earlier, task.file.clock
    )


class FolderBenchmark(ToolBenchmark):
    """The tasks of the folder that the argument names. Created once for each run."""

    name = NAME
    # A resumed trial repeats only the calls that change something. Graders see no other calls.
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
        """Return the grade of a trial: the lowest that any of its graders gives.

        The graders are the expected end, the task's grade.py and its rubric. Each task
        has at least one of them. Raises `BenchmarkError`.
        """
        task = self._tasks[task_id]
        submission = environment.submission
        if submission is None:
            return Grade(0.0, (NO_ANSWER,))
        grades = list(self._grades(task, submission, environment))
        scores = [0.0 if grade.score is None else grade.score for grade in grades]
        details: list[str] = []
        metrics: dict[str, float] = {}
        for grade in grades:
            details += grade.details
            metrics.update(grade.metrics)
        return Grade(min(scores), tuple(details), metrics)

    def _grades(
        self,
        task: FolderTask,
        submission: SubmittedAnswer,
        environment: LocalEnvironment,
    ) -> Iterator[Grade]:
        """Yield the grade of each of the task's graders."""
        changes = environment.changes
        if task.expectation:
            yield expected_grade(task, environment)
        if task.grader:
            yield script_grade(task.grader, submission, changes, self._server)
        rubric = task.file.rubric
        if rubric:
            model = self.context.model("grade")
            instruction = task.file.instruction.strip()
            yield rubric_grade(model, rubric, instruction, submission, changes)

    def close(self) -> None:
        """Stop the server that runs graders."""
        self._server.close()

    def opened(self) -> OpenedBenchmark:
        """Return the benchmark as a run uses it."""
        files = [task.file for task in self._tasks.values()]
        worker_modules: tuple[str, ...] = WORKER_MODULES
        worker_limits = WorkerLimits()
        if any(file.question for file in files):
            worker_modules = (*WORKER_MODULES, *QUESTION_MODULES)
            worker_limits = WORKER_LIMITS
        servers: set[str] = set()
        for file in files:
            servers.update(file.mcp)
        return replace(
            super().opened(),
            resume_identity=BenchmarkIdentity(f"{NAME}:{self._root.resolve()}", {}),
            worker_modules=worker_modules,
            worker_limits=worker_limits,
            world_version=self._folder.digest,
            servers=tuple(sorted(servers)),
        )


open_benchmark = FolderBenchmark
