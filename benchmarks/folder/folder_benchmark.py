"""The benchmark `folder:DIR` for the control plane: lists the folder's tasks, and generates and grades trials.

Every try of a task plays in the same world, whatever the run's seed. A task may bring a `grade.py`, which runs in the
sandbox like any script, and a rubric for a model, whose verdict counts only with quotations: each fault quotes the
answer, a changed file, or the demand of the rubric that is not met. A grader that fails leaves its trial ungraded, to
be graded again by `resume`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, NoReturn

from pydantic import Field

from controlplane import (
    BenchmarkContext,
    BenchmarkError,
    BenchmarkIdentity,
    OpenedBenchmark,
    ToolBenchmark,
)
from controlplane.agent.loop import FOLDER, read_text
from controlplane.agent.model import Frozen, Message, Model
from controlplane.benchmarks.files.file_sources import SourceFiles
from controlplane.benchmarks.files.files_benchmark import WORKER_LIMITS
from controlplane.benchmarks.files.files_benchmark import WORKER_MODULES as QUESTION_MODULES
from controlplane.benchmarks.files.files_environment import Earlier, FilesEnvironment
from controlplane.benchmarks.folder.folder_runtime import FolderRuntime
from controlplane.benchmarks.folder.task_file import GRADE_FILE, FolderTask, Tool, read_folder
from controlplane.expected_end import NO_ANSWER, faults_of
from controlplane.gates.text_folding import TextIndex, bare_text, is_boilerplate, tokens_of
from controlplane.gates.value_support import values_reported
from controlplane.local_benchmark import Grade
from controlplane.local_environment import LocalEnvironment, SubmittedAnswer
from controlplane.sandbox import Ending, ForkServer, Sandbox, WorkerLimits, working_layers
from controlplane.sandbox.files import WorldFiles, compiled_pattern
from controlplane.sandbox.files.tool_world import TOOL_WORLD
from controlplane.sandbox.interface import (
    FILE_OPERATIONS,
    CallError,
    DocumentDates,
    EachOf,
    Executable,
    ExecutableKind,
    FileArguments,
    InitialCall,
    NamedFiles,
    ToolSchema,
    error_codes,
)
from controlplane.tool_benchmark import grade_of

WORKER_MODULE: Final = "controlplane.benchmarks.folder.folder_runtime"
WORKER_MODULES: Final = (TOOL_WORLD, WORKER_MODULE)
DOCUMENTS: Final = "/docs"
DOCUMENT_DATES: Final = DocumentDates(
    in_names=True,
    from_keys=("valid_from", "effective_from", "effective"),
    until_keys=("valid_until", "effective_until", "expires"),
)
"""From when to when a document of a folder holds. A folder does not say in which zone its days count."""
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
        documents = EachOf(
            "find", {"name": "*.md", "root": DOCUMENTS, "kind": "files", "limit": 0}, "paths"
        )
        initial_calls.append(InitialCall("read", {}, documents, is_ranked=True))
    initial_calls += [
        InitialCall("exec", {"path": tool.path, "args": ["--help"]}, most_chars=200)
        for tool in tools
    ]
    roots = {f"/{path.split('/')[1]}" for path in files if path.count("/") > 1} - {DOCUMENTS}
    return ToolSchema(
        operations=tuple(
            operation for operation in FILE_OPERATIONS if tools or operation.name != "exec"
        ),
        executables=tuple(map(_declared, tools)),
        rules_document=file.rules if file.rules in files else "",
        trusted_roots=(f"{DOCUMENTS}/",),
        initial_calls=tuple(initial_calls),
        named_files=NamedFiles(tuple(sorted(roots)), search="search") if roots else None,
        document_dates=DOCUMENT_DATES,
    )


def _declared(tool: Tool) -> Executable:
    """Return a tool's declaration. A tool that only takes the path of a file and prints the file counts as a read."""
    patterns = [(call.args,) if isinstance(call.args, str) else call.args for call in tool.call]
    takes_files = [
        len(given) == 1 and FILE_ALONE.fullmatch(given[0]) is not None for given in patterns
    ]
    prints_files = (
        takes_files and all(takes_files) and all(call.shows == "{1}" for call in tool.call)
    )
    files = FileArguments() if prints_files else None
    return Executable(tool.path, ExecutableKind(tool.kind), tool.summary, files)


def environment_of(task: FolderTask) -> LocalEnvironment:
    """Return the world of a trial: with the task's tools, or, for a question, with the calls of `ask`."""
    file, question = task.file, task.file.question
    if question is None:
        tools: list[Any] = [tool.model_dump(mode="json") for tool in file.tool]
        runtime = FolderRuntime(task.files, tools)
        world = WorldFiles(task.files, WORKER_MODULE, data=tools)
        return LocalEnvironment(tool_schema_of(task), world, runtime.tree, file.clock, runtime.call)
    sources = SourceFiles.of_texts(task.files)
    try:
        earlier = Earlier.model_validate_json(question.earlier) if question.earlier else None
    except ValueError as error:
        raise BenchmarkError(INVALID, f"{task.task_id}: question.earlier: {error}") from error
    return FilesEnvironment(sources, file.instruction.strip(), question.write, earlier, file.clock)


NAME: Final = "folder"
INVALID: Final = error_codes.INVALID_ARGUMENT


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
    reported, in_question = values_reported(states, message), values_reported(states, question)
    if wanted != in_question:
        return [text for text in wanted if text not in reported and text not in in_question]
    words = [word for word in dict.fromkeys(tokens_of(states)) if not is_boilerplate(word)]
    words = [word for word in words if not TextIndex(question).holds(word)]
    # Words of a right answer without values that must be in an answer; more of them are a matter of wording.
    lacking = (
        [word for word in words if not TextIndex(message).holds(word)] if len(words) <= 3 else []
    )
    first = tokens_of(states)[:1]
    return lacking or [*first] * (first in POLAR and tokens_of(message)[:1] != first)


POLAR: Final = tuple((word,) for word in ("yes", "no", "ja", "nein", "oui", "non", "si"))


_CALL: Final = """

scratchpad["graded"] = grade(*(scratchpad[_] for _ in ("answer", "outcome", "citations", "changes")))
"""


class Fault(Frozen):
    """A fault, with the words that show it."""

    quote: str
    fault: str


class RubricVerdict(Frozen):
    """The reply of a rubric's model."""

    faults: list[Fault]
    score: float = Field(ge=0, le=1)


class _NoHost:
    """A grader's script calls nothing."""

    def __getattr__(self, name: str) -> NoReturn:
        raise CallError(error_codes.UNIMPLEMENTED, "a grader has no calls")


def script_grade(
    code: str, given: SubmittedAnswer, changes: Mapping[str, str | None], server: ForkServer
) -> Grade:
    """Return what `grade(answer, outcome, citations, changes)` of a grade.py says. Raises `BenchmarkError`."""
    host: Any = _NoHost()
    isolation = working_layers(server).working
    seen: dict[str, Any] = {
        "answer": given.message,
        "outcome": given.outcome,
        "citations": [*given.refs],
        "changes": {**changes},
    }
    with Sandbox(ToolSchema(()), host, now=None, seed=0, isolation=isolation, server=server) as box:
        box.restore(seen)
        result = box.run(code + _CALL)
        graded: Any = box.flat_scratchpad.get("graded")
    if result.ending is not Ending.FINISHED:
        msg = f"{GRADE_FILE}: {' '.join(result.error.split())}"
        raise BenchmarkError(error_codes.FAILED_PRECONDITION, msg)
    try:
        return grade_of(tuple(graded) if isinstance(graded, list) else graded, GRADE_FILE)
    except TypeError as error:
        raise BenchmarkError(error_codes.FAILED_PRECONDITION, str(error)) from error


def rubric_grade(
    model: Model,
    rubric: str,
    instruction: str,
    given: SubmittedAnswer,
    changes: Mapping[str, str | None],
) -> Grade:
    """Return a model's verdict by a rubric, whose faults are quoted. Raises `ModelError`, and `BenchmarkError` for a
    verdict below 1 without a fault that quotes what is there."""
    changed = "\n".join(
        f"{path}:\n{'(deleted)' if text is None else text}" for path, text in changes.items()
    )
    left_out = f"\n(Further {len(changed) - 20_000:,} characters are not shown.)" * (
        len(changed) > 20_000
    )
    shown = {
        "rubric": rubric,
        "task": instruction,
        "answer": f"{given.outcome}\n{given.message}",
        "changed files": changed[:20_000] + left_out or "(none)",
    }
    quotable = bare_text(f"{rubric}\n{shown['answer']}\n{shown['changed files']}")
    messages: list[Message] = [
        {"role": "system", "content": read_text(FOLDER / "rubric.md")},
        {
            "role": "user",
            "content": "\n\n".join(f"# The {name}\n\n{text}" for name, text in shown.items()),
        },
    ]
    why = ""
    for _ in range(2):  # verdicts of a model that are looked at before the trial stays ungraded
        said = model.complete(messages, schema=RubricVerdict.model_json_schema()).text
        try:
            verdict = RubricVerdict.model_validate_json(said[said.find("{") : said.rfind("}") + 1])
        except ValueError:
            why = "Reply with one JSON object with faults and score alone."
        else:
            made_up = [
                one.quote
                for one in verdict.faults
                if not (bare := bare_text(one.quote)) or bare not in quotable
            ]
            if not made_up and bool(verdict.faults) == (verdict.score < 1):
                return Grade(
                    verdict.score,
                    tuple(f"{one.fault}: {one.quote!r:.200}" for one in verdict.faults),
                )
            faults = [
                f"{quote!r:.200} stands neither in the answer nor in the rubric"
                for quote in made_up
            ]
            why = f"Quote each fault word by word: {[*faults, 'a score is below 1 if there is a fault'][0]}."
        messages += [{"role": "assistant", "content": said}, {"role": "user", "content": why}]
    msg = f"the rubric's model gave no verdict that counts: {why}"
    raise BenchmarkError(error_codes.FAILED_PRECONDITION, msg)


class FolderBenchmark(ToolBenchmark):
    """The tasks of the folder that the argument names."""

    name = NAME
    repeats_all_calls = False

    def __init__(
        self, argument: str, settings: Mapping[str, str], context: BenchmarkContext
    ) -> None:
        """Raises `BenchmarkError` with file and key of the fault."""
        super().__init__(argument, settings, context)
        if not argument:
            raise BenchmarkError(INVALID, f"which folder? Name it as {NAME}:DIR")
        self._root = Path(argument).expanduser()
        self._tasks, self._digest = read_folder(self._root)
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
        """Return the grade of a trial's end state: the lowest of what its expected end (1 without a fault, else 0), its
        grade.py and its rubric say. Raises `BenchmarkError`."""
        task, given = self._tasks[task_id], environment.submission
        if given is None:
            return Grade(0.0, (NO_ANSWER,))
        grades = [expected_grade(task, environment)] if task.expectation else []
        if task.grader:
            grades.append(script_grade(task.grader, given, environment.changes, self._server))
        if task.file.rubric:
            model, asked = self.context.model("grade"), task.file.instruction.strip()
            grades.append(rubric_grade(model, task.file.rubric, asked, given, environment.changes))
        details = tuple(line for one in grades for line in one.details)
        metrics = {name: value for one in grades for name, value in one.metrics.items()}
        return Grade(min(one.score or 0.0 for one in grades), details, metrics)

    def close(self) -> None:
        """End the server of graders."""
        self._server.close()

    def opened(self) -> OpenedBenchmark:
        """Return the benchmark as a run uses it."""
        files = [task.file for task in self._tasks.values()]
        has_questions = any(file.question for file in files)
        return replace(
            super().opened(),
            resume_identity=BenchmarkIdentity(f"{NAME}:{self._root.resolve()}", {}),
            worker_modules=(*WORKER_MODULES, *(QUESTION_MODULES if has_questions else ())),
            worker_limits=WORKER_LIMITS if has_questions else WorkerLimits(),
            world_version=self._digest,
            servers=tuple(sorted({name for file in files for name in file.mcp})),
        )


open_benchmark = FolderBenchmark
