"""The benchmark `folder:DIR`: lists the tasks of a folder, and generates and grades
trials.

This is a good example of a benchmark: it implements three methods of `ToolBenchmark`. A
task may be tried several times. The files and tools that a trial sees, its world, are
the same each time, whatever the run's seed. If a grader fails, its trial has no grade
until `resume` grades it again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
from controlplane.benchmarks.files.file_sources import SourceFiles
from controlplane.benchmarks.files.files_benchmark import WORKER_LIMITS
from controlplane.benchmarks.files.files_benchmark import (
    WORKER_MODULES as QUESTION_MODULES,
)
from controlplane.benchmarks.files.files_environment import FilesEnvironment
from controlplane.benchmarks.folder.folder_runtime import FolderRuntime
from controlplane.benchmarks.folder.graders import (
    expected_grade,
    rubric_grade,
    script_grade,
)
from controlplane.benchmarks.folder.task_file import Question, Tool, ToolCall
from controlplane.benchmarks.folder.task_folder import FolderTask, read_folder
from controlplane.expected_end import NO_ANSWER
from controlplane.local_benchmark import Grade
from controlplane.local_environment import LocalEnvironment
from controlplane.sandbox import ForkServer, WorkerLimits
from controlplane.sandbox.files import WorldFiles
from controlplane.sandbox.files.tool_world import TOOL_WORLD
from controlplane.sandbox.interface import (
    FILE_OPERATIONS,
    DocumentDates,
    EachOf,
    Executable,
    ExecutableKind,
    FileArguments,
    InitialCall,
    NamedFiles,
    Plain,
    ToolSchema,
    error_codes,
)

WORKER_MODULE: Final = "controlplane.benchmarks.folder.folder_runtime"
WORKER_MODULES: Final = (TOOL_WORLD, WORKER_MODULE)
DOCUMENTS: Final = "/docs"
DOCUMENT_DATES: Final = DocumentDates(
    in_names=True,
    from_keys=("valid_from", "effective_from", "effective"),
    until_keys=("valid_until", "effective_until", "expires"),
)
"""How a document of a folder says when it is valid: by a date in its name, or by these
keys of its front matter. The time zone is not known."""
NAME: Final = "folder"
INVALID: Final = error_codes.INVALID_ARGUMENT
ANY_ARGUMENT_PATTERNS: Final = ("(.+)", "(.*)", r"(\S+)", r"(\S*)")
"""The usual patterns of `args` in task files that match any argument, such as a
path."""
TREE_LEVELS: Final = 8
"""The levels of folders in the initial prompt's tree."""
TREE_NAMES: Final = 6
"""The most names of a folder that the tree lists in full."""
HELP_CHARS: Final = 200
"""The characters of each tool's help in the initial prompt."""
NO_LIMIT: Final = 0


def tool_schema_of(task: FolderTask) -> ToolSchema:
    """Return the tool schema of a task's trials.

    The initial prompt shows the tree, the output of tools without arguments, the rules,
    the relevant documents below `/docs`, and the files that the instruction names.
    """
    has_rules = task.file.rules in task.files
    operations = list(FILE_OPERATIONS)
    if not task.file.tool:
        operations = [operation for operation in operations if operation.name != "exec"]
    # The initial prompt shows the files in these folders that the instruction names.
    folders_of_records = _folders_of_records(task)
    named_files = None
    if folders_of_records:
        named_files = NamedFiles(tuple(folders_of_records), search="search")
    return ToolSchema(
        operations=tuple(operations),
        executables=tuple(_executable(tool) for tool in task.file.tool),
        rules_document=task.file.rules if has_rules else "",
        trusted_roots=(f"{DOCUMENTS}/",),
        initial_calls=tuple(_initial_calls(task)),
        named_files=named_files,
        document_dates=DOCUMENT_DATES,
    )


def _initial_calls(task: FolderTask) -> list[InitialCall]:
    """Return the calls whose results appear in the initial prompt, in order."""
    # 1. The tree of files.
    tree_arguments: dict[str, Plain] = {"root": "/", "level": TREE_LEVELS}
    calls = [InitialCall("tree", tree_arguments, longest_listing=TREE_NAMES)]

    # 2. What the tools print without arguments, such as the date.
    for tool in task.file.tool:
        works_without_arguments = any(not call.args for call in tool.call)
        if tool.kind == "reads" and works_without_arguments:
            calls.append(InitialCall("exec", {"path": tool.path}))

    # 3. The rules, and the documents that fit the instruction best.
    if task.file.rules in task.files:
        calls.append(InitialCall("read", {"path": task.file.rules}))
    has_documents = any(
        path.startswith(f"{DOCUMENTS}/") and path.endswith(".md") for path in task.files
    )
    if has_documents:
        find_arguments: dict[str, Plain] = {
            "name": "*.md",
            "root": DOCUMENTS,
            "kind": "files",
            "limit": NO_LIMIT,
        }
        each_document = EachOf("find", find_arguments, field="paths")
        calls.append(InitialCall("read", {}, each_document, is_ranked=True))

    # 4. The help of the tools.
    for tool in task.file.tool:
        help_arguments: dict[str, Plain] = {"path": tool.path, "args": ["--help"]}
        calls.append(InitialCall("exec", help_arguments, most_chars=HELP_CHARS))
    return calls


def _folders_of_records(task: FolderTask) -> list[str]:
    """Return the top-level folders of the world, except the one for documents."""
    folders = set()
    for path in task.files:
        _, top_name, *names_below = path.split("/")  # `/loans/l-1.json` -> `loans`
        if names_below:
            folders.add(f"/{top_name}")
    return sorted(folders - {DOCUMENTS})


def _executable(tool: Tool) -> Executable:
    """Return a tool's declaration. A tool that only prints a file counts as reading the
    file."""
    files = None
    if tool.call and all(_prints_its_file(call) for call in tool.call):
        files = FileArguments()
    return Executable(tool.path, ExecutableKind(tool.kind), tool.summary, files)


def _prints_its_file(call: ToolCall) -> bool:
    """Return True if a call takes only the path of a file and prints the file.

    In a task.toml, this is `args = "(.+)"` and `shows = "{1}"`: `{1}` is the text that
    the group matched, and `shows` is the path of the file to print.
    """
    takes_one_argument = (
        len(call.patterns) == 1 and call.patterns[0] in ANY_ARGUMENT_PATTERNS
    )
    prints_that_path = call.shows == "{1}"
    return takes_one_argument and prints_that_path


def environment_of(task: FolderTask) -> LocalEnvironment:
    """Return the environment of a trial: the task's files and tools.

    A saved question of the command `ask` has no tools, but the calls that `ask` offers.
    """
    task_file = task.file
    if task_file.question is not None:
        return _question_environment(task, task_file.question)
    tables_of_tools: list[Any] = [
        tool.model_dump(mode="json") for tool in task_file.tool
    ]
    runtime = FolderRuntime(task.files, tables_of_tools)
    return LocalEnvironment(
        tool_schema_of(task),
        world=WorldFiles(task.files, WORKER_MODULE, data=tables_of_tools),
        tree=runtime.tree,
        clock=task_file.clock,
        run_tool=runtime.call,
    )


def _question_environment(task: FolderTask, question: Question) -> FilesEnvironment:
    """Return the environment of a question. `earlier` is the conversation before it."""
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
    # A resumed trial repeats only the calls that change something. No grader looks at
    # the others.
    repeats_all_calls = False

    def __init__(
        self, argument: str, settings: Mapping[str, str], context: BenchmarkContext
    ) -> None:
        """Raises `BenchmarkError` that names the file and key of a fault."""
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
        changes = environment.changes
        grades = []
        if task.expectation:
            grades.append(expected_grade(task, environment))
        if task.grader:
            grades.append(script_grade(task.grader, submission, changes, self._server))
        if task.file.rubric:
            model = self.context.model("grade")
            instruction = task.file.instruction.strip()
            grades.append(
                rubric_grade(model, task.file.rubric, instruction, submission, changes)
            )

        scores = [0.0 if grade.score is None else grade.score for grade in grades]
        details: list[str] = []
        metrics: dict[str, float] = {}
        for grade in grades:
            details += grade.details
            metrics.update(grade.metrics)
        return Grade(min(scores), tuple(details), metrics)

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
