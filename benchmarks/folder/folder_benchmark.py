"""The benchmark `folder:DIR`: tasks in plain files, without any code.

Each folder in DIR that has a `task.toml` is a task. The file has the instruction, the
tools, and what is right; the files beside it are those that a trial sees. A run's seed
changes nothing: all trials of a task see the same files.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
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
from controlplane.benchmarks.files import files_benchmark
from controlplane.benchmarks.files.files_environment import FilesEnvironment
from controlplane.benchmarks.files.question_schema import (
    EarlierQuestions,
    FilesQuestion,
)
from controlplane.benchmarks.files.sources.file_sources import SourceFiles
from controlplane.benchmarks.folder.folder_runtime import FolderRuntime
from controlplane.benchmarks.folder.task_file import (
    GRADE_FILE,
    FolderTool,
)
from controlplane.benchmarks.folder.task_folder import FolderTask, read_folder
from controlplane.gates.support.answer_values import values_reported
from controlplane.gates.text_folding import (
    TextIndex,
    bare_text,
    is_boilerplate,
    tokens_of,
)
from controlplane.sandbox import (
    Ending,
    ForkServer,
    Sandbox,
    WorkerLimits,
    working_layers,
)
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
    Plain,
    ToolSchema,
    error_codes,
)
from controlplane.tool_benchmark.environments import (
    LocalEnvironment,
    SubmittedAnswer,
    top_folders,
)
from controlplane.tool_benchmark.expected_end import NO_ANSWER, faults_of
from controlplane.tool_benchmark.local_runs import Grade
from controlplane.tool_benchmark.tool_benchmark import grade_of

# How a tool in a task.toml is declared to the agent: its path, its purpose, and if it reads files.
#
# A tool such as `/bin/show PATH`, which only prints a file, counts as reading it: an answer may
# then cite the file.

_PATTERNS_OF_ANY_ARGUMENT: Final = ("(.+)", "(.*)", r"(\S+)", r"(\S*)")
"""The patterns by which calls in task files usually take any argument, such as a path."""


def _declared_tool(tool: FolderTool) -> Executable:
    """Return the declaration of a tool.

    If every call of the tool only prints the file in its argument, the declaration says
    that it reads files. An answer may then cite these files.
    """
    # In a task.toml, such a call is `args = "(.+)"` and `shows = "{1}"`: `{1}` is the text that
    # the group matched, and `shows` is the path of the file to print.
    prints_files = bool(tool.call)
    for call in tool.call:
        takes_any_path = (
            len(call.patterns) == 1 and call.patterns[0] in _PATTERNS_OF_ANY_ARGUMENT
        )
        if not takes_any_path or call.shows != "{1}":
            prints_files = False
    files = FileArguments() if prints_files else None
    return Executable(tool.path, ExecutableKind(tool.kind), tool.summary, files)


# Grades a trial by the expected end that its task.toml describes.
#
# It may have the key `states = "12 chairs"`, a right answer. `There are twelve (12) of them.` is
# right, too: an answer has to state the values of the right one, not its words.

_YES_AND_NO: Final = frozenset({"yes", "no", "ja", "nein", "oui", "non", "si"})
_MAX_REQUIRED_WORDS: Final = 3
"""If the right answer has more special words, such as names, none is required.

It is then a sentence, which may be said in other words.
"""


def expected_grade(task: FolderTask, environment: LocalEnvironment) -> Grade:
    """Return the grade by the expected end, which the task must have: 1 without faults, else 0."""
    expected = task.file.expected
    assert expected is not None
    assert task.expectation is not None
    # What benchmarks have in common: the outcome, citations, changes and parts of the answer.
    faults = list(faults_of(task.expectation, environment))

    # The keys `pattern` and `states`, which only a task.toml has.
    submission = environment.submission
    if submission is not None:
        message = submission.message.strip()
        pattern = expected.pattern
        if pattern and not compiled_pattern(pattern).fullmatch(message):
            faults.append(f"answer should fit the pattern {pattern!r}")
        missing = values_lacking(message, expected.states, task.file.instruction)
        if missing:
            faults.append(f"answer should state {', '.join(missing)}")
    return Grade(0.0 if faults else 1.0, tuple(faults))


def values_lacking(message: str, right_answer: str, question: str) -> list[str]:
    """Return the values or words of the right answer that a message lacks.

    - `12 chairs`: the message must state 12, unless the question states it, too.
    - `Ada`, an answer without such values: the message must have its special words.
    - `Yes, it is`, without special words: the message must begin with yes.
    """
    values = values_reported(right_answer)  # Numbers, dates and the like.
    # These find a value in any format: `1,250` in a question with `1250.00`.
    in_question = values_reported(right_answer, question)
    in_message = values_reported(right_answer, message)
    required = [value for value in values if value not in in_question]
    if required:
        return [value for value in required if value not in in_message]

    # A word is special if it is not in the question and not common in all answers.
    words = list(dict.fromkeys(tokens_of(right_answer)))
    question_words = TextIndex(question)
    message_words = TextIndex(message)
    special_words = []
    for word in words:
        if not is_boilerplate(word) and not question_words.holds(word):
            special_words.append(word)
    missing_words = [word for word in special_words if not message_words.holds(word)]
    if missing_words and len(special_words) <= _MAX_REQUIRED_WORDS:
        return missing_words

    is_yes_or_no = bool(words) and words[0] in _YES_AND_NO
    if is_yes_or_no and list(tokens_of(message)[:1]) != words[:1]:
        return words[:1]
    return []


# The tool schema of a folder's task.
#
# It declares the calls that scripts can make, such as `harness.read(path)`, and the initial
# calls: those that are made before the first step, so that the prompt shows their results.

_DOCUMENTS: Final = "/docs"
"""The folder of a task's documents, which state rules. The files elsewhere are its records."""
_DOCUMENT_DATES: Final = DocumentDates(
    in_names=True,
    from_keys=("valid_from", "effective_from", "effective"),
    until_keys=("valid_until", "effective_until", "expires"),
)
"""How a document says when it is valid: by a date in its name, or by these keys.

The keys are in its front matter, which is lines such as `valid_from: 2027-03-01` at its start.
"""
_TREE_LEVELS: Final = 8
"""How deep the tree in the initial prompt is drawn."""
_MAX_LISTED_FILES: Final = 6
"""The most files of one folder in the tree. A larger folder shows its first files and a count."""
_HELP_CHARS: Final = 200
"""The characters of each tool's help in the initial prompt."""
_ALL_FILES: Final = 0
"""The `limit` with which the operation `find` returns all files."""


def _tool_schema_of(task: FolderTask) -> ToolSchema:
    """Return the tool schema of a task's trials.

    The initial prompt shows the tree, the output of tools without arguments, the rules,
    the relevant documents below `/docs`, and the files that the instruction names.
    """
    operations = list(FILE_OPERATIONS)
    if not task.file.tool:
        operations = [operation for operation in operations if operation.name != "exec"]
    return ToolSchema(
        operations=tuple(operations),
        executables=tuple(_declared_tool(tool) for tool in task.file.tool),
        rules_document=task.rules,
        trusted_roots=(f"{_DOCUMENTS}/",),
        initial_calls=tuple(_initial_calls(task)),
        named_files=_named_files(task),
        document_dates=_DOCUMENT_DATES,
        outcomes=task.outcomes,
    )


def _initial_calls(task: FolderTask) -> Iterator[InitialCall]:
    """Yield the calls whose results appear in the initial prompt, in order.

    For a world with the tool `/bin/date` and documents, they are: the tree of the world,
    `/bin/date`, the rules, each document below `/docs`, and `/bin/date --help`.
    """
    tree: dict[str, Plain] = {"root": "/", "level": _TREE_LEVELS}
    yield InitialCall("tree", tree, longest_listing=_MAX_LISTED_FILES)
    for tool in task.file.tool:
        # A tool that changes nothing and may be called without arguments.
        if tool.kind == "reads" and any(not call.args for call in tool.call):
            yield InitialCall("exec", {"path": tool.path})
    if task.rules:
        yield InitialCall("read", {"path": task.rules})
    if any(fnmatchcase(path, f"{_DOCUMENTS}/*.md") for path in task.files):
        find: dict[str, Plain] = {
            "name": "*.md",
            "root": _DOCUMENTS,
            "kind": "files",
            "limit": _ALL_FILES,
        }
        # `paths` is in the result of `find`. Of the documents, only those are shown that share
        # the most words with the instruction.
        each_document = EachOf("find", find, field="paths")
        yield InitialCall("read", each_of=each_document, is_ranked=True)
    for tool in task.file.tool:
        asks_for_help: dict[str, Plain] = {"path": tool.path, "args": ["--help"]}
        yield InitialCall("exec", asks_for_help, most_chars=_HELP_CHARS)


def _named_files(task: FolderTask) -> NamedFiles | None:
    """Return where files may be that the instruction names, such as `/loans/l-1.json`.

    The prompt shows these files. They may be in all folders at the top of the world but that of
    documents. None if there are no others.
    """
    folders = [folder for folder in top_folders(task.files) if folder != _DOCUMENTS]
    if not folders:
        return None
    return NamedFiles(tuple(folders), search="search")  # The operation that finds them.


# A model's verdict on a trial by a rubric: a score, and faults with quotations.
#
#     {"faults": [{"quote": "signed on Monday", "fault": "the day is wrong"}], "score": 0.5}
#
# A verdict counts only if each quotation occurs in what the model has seen, and if a score
# below 1 has at least one fault.


class _RubricFault(Frozen):
    """A fault, and a quotation that shows it."""

    quote: str
    fault: str


class _RubricVerdict(Frozen):
    """The reply of a rubric's model."""

    faults: list[_RubricFault]
    score: float = Field(ge=0, le=1)


def _verdict_in(reply: str, quotable_text: str) -> _RubricVerdict:
    """Return the verdict in a reply. Raises `ValueError` that tells the model why it is invalid.

    Text around the JSON object, such as "Here is my verdict:", is ignored. `quotable_text` is what
    the model may quote, as `bare_text` returns it: without differences of case and spaces.
    """
    json_text = reply[reply.find("{") : reply.rfind("}") + 1]
    try:
        verdict = _RubricVerdict.model_validate_json(json_text)
    except ValueError:
        msg = "Reply with one JSON object with faults and score alone."
        raise ValueError(msg) from None
    for fault in verdict.faults:
        quote = bare_text(fault.quote)
        if not quote or quote not in quotable_text:
            msg = (
                f"Quote each fault word by word: {fault.quote!r:.200} "
                "stands neither in the answer nor in the rubric."
            )
            raise ValueError(msg)
    has_faults = bool(verdict.faults)
    is_below_1 = verdict.score < 1
    if has_faults != is_below_1:
        msg = "Quote each fault word by word: a score is below 1 if there is a fault."
        raise ValueError(msg)
    return verdict


# Grades a trial by a model's verdict on a rubric.
#
# A rubric is a text with criteria, such as `The answer names the reason.` A model may
# invent faults. So it has to quote each of them: a part of the answer, of a changed file,
# or of the rubric. A verdict with a quotation that is in none of them does not count.

_MAX_SHOWN_CHANGES_CHARS: Final = 20_000
"""The most characters of changed files that a rubric's model sees."""
_MAX_VERDICTS: Final = 2
"""The most replies of a rubric's model. If none of them is valid, the trial has no grade."""


def rubric_grade(
    model: Model,
    rubric: str,
    instruction: str,
    submission: SubmittedAnswer,
    changes: Mapping[str, str | None],
) -> Grade:
    """Return a model's grade by a rubric: that of its first valid reply.

    A fault in a valid reply has a quotation of the answer, a changed file or the rubric. An invalid
    reply gets an objection. `changes` has the new texts of changed files by path, and None for deleted ones. Raises
    `ModelError`, and `BenchmarkError` if none of `_MAX_VERDICTS` replies is valid.
    """
    answer = f"{submission.outcome}\n{submission.message}"
    changed_files = _changes_text(changes)
    sections = [
        f"# The rubric\n\n{rubric}",
        f"# The task\n\n{instruction}",
        f"# The answer\n\n{answer}",
        f"# The changed files\n\n{changed_files}",
    ]
    # Folded, because a quotation need not have the same blanks and capital letters.
    quotable_text = bare_text(f"{rubric}\n{answer}\n{changed_files}")
    messages: list[Message] = [
        {"role": "system", "content": read_text(FOLDER / "rubric.md")},
        {"role": "user", "content": "\n\n".join(sections)},
    ]
    schema = _RubricVerdict.model_json_schema()
    objection = ""
    for _ in range(_MAX_VERDICTS):
        reply = model.complete(messages, schema=schema).text
        try:
            verdict = _verdict_in(reply, quotable_text)
        except ValueError as error:
            objection = str(error)
        else:
            details = [
                f"{fault.fault}: {fault.quote!r:.200}" for fault in verdict.faults
            ]
            return Grade(verdict.score, tuple(details))
        messages.append({"role": "assistant", "content": reply})
        messages.append({"role": "user", "content": objection})
    msg = f"the rubric's model gave no verdict that counts: {objection}"
    raise BenchmarkError(error_codes.FAILED_PRECONDITION, msg)


def _changes_text(changes: Mapping[str, str | None]) -> str:
    """Return the changed files as a rubric's model sees them: `/stock.txt:`, and its text below."""
    parts = []
    for path, text in changes.items():
        shown_text = "(deleted)" if text is None else text
        parts.append(f"{path}:\n{shown_text}")
    whole_text = "\n".join(parts)
    if not whole_text:
        return "(none)"
    left_out = len(whole_text) - _MAX_SHOWN_CHANGES_CHARS
    if left_out <= 0:
        return whole_text
    beginning = whole_text[:_MAX_SHOWN_CHANGES_CHARS]
    return f"{beginning}\n(Further {left_out:,} characters are not shown.)"


# Grades a trial by its task's `grade.py`, which runs in the sandbox like any script.
#
#     def grade(answer, outcome, citations, changes):
#         return 1.0 if "12" in answer else (0.0, ["the number is wrong"])
#
# The function returns the score, alone or with reasons.

_GRADE_CALL: Final = """

scratchpad["graded"] = grade(
    scratchpad["answer"], scratchpad["outcome"], scratchpad["citations"], scratchpad["changes"]
)
"""
"""The code that is appended to a grade.py, so that its function `grade` is called.

The arguments and the result pass through the scratchpad, a dict that this process and the
script in the sandbox share.
"""


class _NoHost:
    """The host of a grader: a script's calls go to its host, and this one refuses them all.

    A grader may only compute.
    """

    def __getattr__(self, name: str) -> NoReturn:
        raise CallError(error_codes.UNIMPLEMENTED, "a grader has no calls")


def script_grade(
    code: str,
    submission: SubmittedAnswer,
    changes: Mapping[str, str | None],
    server: ForkServer,
) -> Grade:
    """Return the grade that the function `grade` of a grade.py gives. `code` is its text.

    The function returns a score from 0 to 1, or the score with reasons: `(0.5, ["no date"])`. If it
    returns something else, the grade has no score. `changes` has the new texts of changed files by
    path, and None for deleted ones. Raises `BenchmarkError` if the code fails.
    """
    arguments: dict[str, Plain] = {
        "answer": submission.message,
        "outcome": submission.outcome,
        "citations": list(submission.refs),
        "changes": dict(changes),
    }
    host: Any = _NoHost()
    # All layers of isolation that this machine supports
    layers = working_layers(server).working
    no_operations = ToolSchema(())
    sandbox = Sandbox(
        no_operations, host, now=None, seed=0, isolation=layers, server=server
    )
    with sandbox:
        sandbox.restore(arguments)  # They become the scratchpad.
        result = sandbox.run(code + _GRADE_CALL)
        # The scratchpad as plain data, without objects of the script's process.
        graded: Any = sandbox.flat_scratchpad.get("graded")
    if result.ending is not Ending.FINISHED:
        msg = f"{GRADE_FILE}: {' '.join(result.error.split())}"
        raise BenchmarkError(error_codes.FAILED_PRECONDITION, msg)
    if isinstance(graded, list):
        # The function has returned a tuple, but plain data has only lists.
        graded = tuple(graded)
    return grade_of(graded, GRADE_FILE)


# The environment of a trial: what scripts can call, and the files that they see.
#
# Most tasks have files and programs (`[[tool]]`). A question that `ask --save-task` has saved
# has files and the calls of `ask`, which search them and query tables.

_WORKER_MODULE: Final = "controlplane.benchmarks.folder.folder_runtime"
"""The module that a trial's worker process imports to run tools."""


def environment_of(task: FolderTask) -> LocalEnvironment:
    """Return the environment of a trial of this task.

    That of a saved question has the conversation before it.
    """
    task_file = task.file
    question = task_file.question
    if question is None:
        tools: list[Any] = [tool.model_dump(mode="json") for tool in task_file.tool]
        runtime = FolderRuntime(task.files, tools)
        return LocalEnvironment(
            _tool_schema_of(task),
            world=WorldFiles(task.files, _WORKER_MODULE, data=tools),
            tree=runtime.tree,
            clock=task_file.clock,
            run_tool=runtime.call,
        )

    earlier = None
    if question.earlier:
        try:
            earlier = EarlierQuestions.model_validate_json(question.earlier)
        except ValueError as error:
            msg = f"{task.task_id}: question.earlier: {error}"
            raise BenchmarkError(error_codes.INVALID_ARGUMENT, msg) from error
    files_question = FilesQuestion(
        task_file.instruction.strip(),
        SourceFiles.of_texts(task.files),
        question.write,
        earlier,
        task.outcomes,
    )
    return FilesEnvironment(files_question, task_file.clock)


WORKER_MODULES: Final = (TOOL_WORLD, _WORKER_MODULE)
"""The modules that a trial's worker process imports to run the tools of a task."""
NAME: Final = "folder"
_INVALID: Final = error_codes.INVALID_ARGUMENT


class _FolderBenchmark(ToolBenchmark):
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
            raise BenchmarkError(_INVALID, f"which folder? Name it as {NAME}:DIR")
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
        """Return the grade of a trial: the lowest that any of its task's graders gives.

        Each task has at least one of them: the expected end, a grade.py or a rubric. If one gives
        no score, the trial has none. Raises `BenchmarkError` if a grader fails.
        """
        task = self._tasks[task_id]
        submission = environment.submission
        if submission is None:
            return Grade(0.0, (NO_ANSWER,))
        grades = []
        changes = environment.changes
        instruction = task.file.instruction.strip()
        if task.expectation:
            grades.append(expected_grade(task, environment))
        if task.grader:
            grades.append(script_grade(task.grader, submission, changes, self._server))
        rubric = task.file.rubric
        if rubric:
            model = self.context.model("grade")
            grade = rubric_grade(model, rubric, instruction, submission, changes)
            grades.append(grade)
        # The reason of a grader that gives no score comes first.
        grades.sort(key=lambda grade: grade.score is not None)
        scores = [grade.score for grade in grades if grade.score is not None]
        score = min(scores) if len(scores) == len(grades) else None
        details: list[str] = []
        metrics: dict[str, float] = {}
        for grade in grades:
            details += grade.details
            metrics.update(grade.metrics)
        return Grade(score, tuple(details), metrics)

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
open_benchmark = _FolderBenchmark
