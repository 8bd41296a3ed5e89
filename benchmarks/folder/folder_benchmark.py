"""The benchmark `folder:DIR` for the control plane: lists the folder's tasks, and generates and grades trials.

Every try of a task plays in the same world, whatever the run's seed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, Final

from benchmarks.files.file_sources import SourceFiles
from benchmarks.files.files_benchmark import WORKER_LIMITS, Earlier, FilesEnvironment
from benchmarks.files.files_benchmark import WORKER_MODULES as QUESTION_MODULES
from benchmarks.folder.folder_runtime import FolderRuntime
from benchmarks.folder.graders import GradeScripts, rubric_grade
from benchmarks.folder.task_file import WORKER_MODULE, FolderTask, Tool, read_folder
from benchmarks.local.expectations import NO_ANSWER, faults_of
from controlplane import (
    BenchmarkContext,
    BenchmarkError,
    BenchmarkIdentity,
    BenchmarkOption,
    Description,
    OpenedBenchmark,
    TaskStub,
    Trial,
)
from controlplane.tasks import GeneratedTrial, Grade, LocalBenchmark, LocalEnvironment
from gates.marks import values_reported
from gates.terms import TextIndex, is_boilerplate, tokens_of
from sandbox.files import WorldFiles, compiled_pattern
from sandbox.files.worker_tools import TOOL_WORLD
from sandbox.interface import (
    FILE_OPERATIONS,
    EachOf,
    Executable,
    ExecutableKind,
    FileArguments,
    InitialCall,
    NamedFiles,
    ToolSchema,
    error_codes,
)

WORKER_MODULES: Final = (TOOL_WORLD, WORKER_MODULE)
DOCUMENTS: Final = "/docs"
FILE_ALONE: Final = re.compile(r"\((?:\\S|\.)[+*]\)")


def tool_schema_of(task: FolderTask) -> ToolSchema:
    """Return the tool schema of a task's trials. The initial prompt shows the tree, the tools' output without
    arguments, the rules, the documents below `/docs` that fit, and the files that the instruction names."""
    file, files = task.file, task.files
    tools = file.tool
    initial_calls = [InitialCall("tree", {"root": "/", "level": 8}, longest_listing=6)]
    for tool in tools:
        if tool.kind == "reads" and any(not call.args for call in tool.call):
            initial_calls.append(InitialCall("exec", {"path": tool.path}))
    if file.rules in files:
        initial_calls.append(InitialCall("read", {"path": file.rules}))
    if any(path.startswith(f"{DOCUMENTS}/") and path.endswith(".md") for path in files):
        documents = EachOf("find", {"name": "*.md", "root": DOCUMENTS, "kind": "files", "limit": 0}, "paths")
        initial_calls.append(InitialCall("read", {}, documents, fitting_chars=3_900))
    initial_calls += [InitialCall("exec", {"path": tool.path, "args": ["--help"]}, most_chars=200) for tool in tools]
    roots = {f"/{path.split('/')[1]}" for path in files if path.count("/") > 1} - {DOCUMENTS}
    return ToolSchema(
        operations=tuple(operation for operation in FILE_OPERATIONS if tools or operation.name != "exec"),
        executables=tuple(map(_declared, tools)),
        rules_document=file.rules if file.rules in files else "",
        trusted_roots=(f"{DOCUMENTS}/",),
        initial_calls=tuple(initial_calls),
        named_files=NamedFiles(tuple(sorted(roots)), search="search") if roots else None,
    )


def _declared(tool: Tool) -> Executable:
    """Return a tool's declaration. A tool that only takes the path of a file and prints the file counts as a read."""
    patterns = [(call.args,) if isinstance(call.args, str) else call.args for call in tool.call]
    takes_files = [len(given) == 1 and FILE_ALONE.fullmatch(given[0]) is not None for given in patterns]
    prints_files = takes_files and all(takes_files) and all(call.shows == "{1}" for call in tool.call)
    files = FileArguments() if prints_files else None
    return Executable(tool.path, ExecutableKind(tool.kind), tool.summary, files)


class FolderEnvironment(LocalEnvironment):
    """The files of a task and its tools."""

    def __init__(self, task: FolderTask) -> None:
        self._task = task
        tools: list[Any] = [tool.model_dump(mode="json") for tool in task.file.tool]
        world = WorldFiles(task.files, WORKER_MODULE, data=tools)
        self._runtime = FolderRuntime(task.files, tools)
        super().__init__(tool_schema_of(task), world, self._runtime.tree)

    def now(self) -> datetime | None:
        """Return the clock of the task's world, None if the task has no clock."""
        return self._task.file.now

    def tools_here(self) -> FolderRuntime:
        """Return the task's tools in this process."""
        return self._runtime


def environment_of(task: FolderTask) -> LocalEnvironment:
    """Return the world of a trial: with the task's tools, or, for a question, with the calls of `ask`."""
    file, question = task.file, task.file.question
    if question is None:
        return FolderEnvironment(task)
    sources = SourceFiles.of_texts(task.files)
    try:
        earlier = Earlier.model_validate_json(question.earlier) if question.earlier else None
    except ValueError as error:
        raise BenchmarkError(INVALID, f"{task.task_id}: question.earlier: {error}") from error
    return FilesEnvironment(sources, file.instruction.strip(), question.write, earlier, file.now)


NAME: Final = "folder"
INVALID: Final = error_codes.INVALID_ARGUMENT
OPTIONS: Final[tuple[BenchmarkOption, ...]] = ()


def open_benchmark(argument: str, settings: Mapping[str, str], context: BenchmarkContext) -> OpenedBenchmark:
    """Open the folder that the argument names. Raises `BenchmarkError` with file and key of the fault."""
    if not argument:
        raise BenchmarkError(INVALID, f"which folder? Name it as {NAME}:DIR")
    root = Path(argument).expanduser()
    tasks, digest = read_folder(root)
    benchmark = FolderBenchmark(root, tasks, context)
    is_question = [task.file.question is not None for task in tasks.values()]
    return OpenedBenchmark(
        benchmark,
        resume_identity=BenchmarkIdentity(f"{NAME}:{root.resolve()}", {}),
        worker_modules=(*WORKER_MODULES, *(QUESTION_MODULES if any(is_question) else ())),
        worker_limits=WORKER_LIMITS,
        ended_elsewhere=benchmark.take_score,
        world_version=digest,
        servers=tuple(sorted({name for task in tasks.values() for name in task.file.mcp})),
        rebuilds_trials=True,
    )


def grade(task: FolderTask, environment: LocalEnvironment, scripts: GradeScripts, context: BenchmarkContext) -> Grade:
    """Return the grade of a trial's end state: the lowest of what its expected end (1 without a fault, else 0), its
    grade.py and its rubric say. Raises `GraderFailed`."""
    given, file = environment.submission, task.file
    if given is None:
        return Grade(0.0, (NO_ANSWER,))
    grades = [expected_grade(task, environment)] if task.expectation else []
    if task.grader:
        grades.append(scripts.grade(task.grader, given, environment.changes))
    if file.rubric:
        model, asked = context.model("grade"), file.instruction.strip()
        grades.append(rubric_grade(model, file.rubric, asked, given, environment.changes))
    details = tuple(line for one in grades for line in one.details)
    return Grade(min(one.score or 0.0 for one in grades), details)


def expected_grade(task: FolderTask, environment: LocalEnvironment) -> Grade:
    """Return the grade by the expected end: 1 without a fault, else 0."""
    expected, given = task.file.expected, environment.submission
    assert expected is not None
    assert task.expectation is not None
    faults = faults_of(task.expectation, environment)
    message = given.message.strip() if given else ""
    if given and expected.pattern and not compiled_pattern(expected.pattern).fullmatch(message):
        faults = (*faults, f"answer should fit the pattern {expected.pattern!r}")
    if given and (lacking := values_lacking(message, expected.states, task.file.instruction)):
        faults = (*faults, f"answer should state {', '.join(lacking)}")
    return Grade(0.0 if faults else 1.0, faults)


def values_lacking(message: str, states: str, question: str) -> list[str]:
    """Return the values of a right answer that a message lacks, in any format, but those that the question gives.

    Of a right answer without values its few telling words count, and whether it begins with yes or no.
    """
    wanted = values_reported(states)
    told, in_question = values_reported(states, message), values_reported(states, question)
    if wanted != in_question:
        return [text for text in wanted if text not in told and text not in in_question]
    words = [word for word in dict.fromkeys(tokens_of(states)) if not is_boilerplate(word)]
    words = [word for word in words if not TextIndex(question).holds(word)]
    # Words of a right answer without values that must be in an answer; more of them are a matter of wording.
    lacking = [word for word in words if not TextIndex(message).holds(word)] if len(words) <= 3 else []
    first = tokens_of(states)[:1]
    return lacking or [*first] * (first in POLAR and tokens_of(message)[:1] != first)


POLAR: Final = tuple((word,) for word in ("yes", "no", "ja", "nein", "oui", "non", "si"))


class FolderBenchmark(LocalBenchmark):
    """The tasks of a folder."""

    def __init__(self, root: Path, tasks: Mapping[str, FolderTask], context: BenchmarkContext | None = None) -> None:
        super().__init__(NAME, tasks)
        self._context = context or BenchmarkContext()
        self._scripts = GradeScripts()
        self._root = root
        self._tasks = tasks

    def describe(self, preview_seed: int | None = None) -> Description:
        """Return the tasks; with a seed, each with its instruction."""
        stubs = tuple(
            TaskStub(task_id, "" if preview_seed is None else task.file.instruction)
            for task_id, task in self._tasks.items()
        )
        return Description(NAME, f"the tasks in {self._root}", stubs)

    def close(self) -> None:
        """Release the trials that are open, and the server of graders."""
        super().close()
        self._scripts.close()

    def generate(self, trial_id: str) -> GeneratedTrial:
        """Make a trial's world. Raises `BenchmarkError` for an id that is not a trial's."""
        task = self._tasks[self.task_of(trial_id)]
        environment = environment_of(task)
        trial = Trial(trial_id, task.task_id, task.file.instruction.strip(), environment, environment.use_worker)
        return GeneratedTrial(trial, environment, partial(grade, task, environment, self._scripts, self._context))
