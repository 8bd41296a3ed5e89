"""Benchmarks written as three functions (which tasks, how one is generated, how its end is graded), and tasks as data.

A task's environment has files, tools, a policy document, a clock and a simulated user. A tool is a plain function: its
declaration, its arguments and its result as data come from its signature or a schema.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import keyword
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property, wraps
from itertools import islice
from typing import Any, ClassVar, Final, Literal, TypeAlias, get_type_hints

from pydantic import TypeAdapter, ValidationError
from pydantic_core import ArgsKwargs, to_jsonable_python

from controlplane.agent.model import Model
from controlplane.benchmark import (
    BenchmarkContext,
    BenchmarkError,
    Description,
    OpenedBenchmark,
    TaskStub,
    TaskTry,
    Trial,
)
from controlplane.gates.submission import encodable
from controlplane.local_benchmark import GeneratedTrial, Grade, LocalBenchmark
from controlplane.local_environment import FILE_CALLS, LocalEnvironment, SubmittedAnswer
from controlplane.sandbox import FileTree, normal_path
from controlplane.sandbox.files import WorldFiles
from controlplane.sandbox.interface import (
    FILE_OPERATIONS,
    REQUIRED,
    CallError,
    Effect,
    InitialCall,
    NamedFiles,
    Operation,
    Parameter,
    Plain,
    ResultField,
    ToolSchema,
    error_codes,
    schema_fault,
)

RESERVED: Final = ("answer", "tools")
"""Names of `harness` that no tool takes."""
ENDED: Final = "ended"
"""The result field that says that the environment ended the trial."""


@dataclass(frozen=True)
class Tool:
    """A function that scripts call as `harness.NAME(...)`.

    Its parameters come from its signature, where their types are converted by pydantic, or from `schema`; then they
    are passed as they are. Arguments that a script leaves out are not passed. The returned value is turned into
    JSON's types (pydantic models, dataclasses, dates, `Decimal`, `bytes` and sets included); a value that has none is
    refused with its name. `ValueError`, `LookupError`, `RuntimeError`, `OSError` and their like fail the one call with
    their text, as a refusal by the tool; `CallError` with its code. Any other exception is a fault of the benchmark.
    """

    function: Callable[..., object]
    effect: Literal["returns", "acts", ""] = ""
    """`returns` if a call only reads; `acts` if it may change something, so that it is written down before it is made,
    and repeated when a trial is resumed. There is no default: a benchmark with a tool that says neither is refused."""
    name: str = ""
    """Its name; the function's own if empty. One that scripts cannot call is adapted, and the prompt says so."""
    description: str = ""
    """One line of the prompt on the tool's purpose; the first paragraph of the docstring if empty."""
    schema: Mapping[str, Any] | None = None
    """The JSON schema of its arguments, an object; or a tool in the form of OpenAI's API, which has name, description
    and that schema under `function`; None: the function's signature."""
    longest_s: float = 0.0
    """Seconds that a call may take; 0 if it is short, as it then counts towards the step's 60 s."""
    is_undeclared: bool = False
    """With the effect `acts`: nobody says whether a call changes something, so it is taken to."""
    keys: tuple[str, ...] = ()
    """The arguments by which it looks a record up: a value that found one is a value of that record."""
    _passed: dict[str, str] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        name = self.name
        given: Mapping[str, Any] = (self.schema or {}).get("function", self.schema or {})
        if isinstance(parameters := given.get("parameters", given.get("input_schema")), Mapping):
            name = name or given.get("name", "")
            object.__setattr__(
                self, "description", self.description or given.get("description") or ""
            )
            object.__setattr__(self, "schema", parameters)
        object.__setattr__(self, "name", name or getattr(self.function, "__name__", "tool"))

    def declared(self, taken: set[str]) -> Operation:
        """Return its declaration under a name that is not `taken`, and take the name. Raises `ValueError` for a
        signature that scripts cannot call, or a schema that is not an object's."""
        parameters, passed = parameters_of(self._argument_schema())
        self._passed.update(passed)
        name = script_name(self.name, taken, RESERVED)
        words = " ".join(
            (self.description or inspect.getdoc(self.function) or "").split("\n\n")[0].split()
        )
        if name != self.name:
            words = f"{words} (called {self.name} elsewhere)".strip()
        return Operation(
            name,
            parameters,
            (ResultField("value"), ResultField("call_path")),
            words.rstrip("."),
            Effect(self.effect or Effect.UNDECLARED),
            subject="",
            parsed_field="value",
            has_own_defaults=True,
            is_undeclared=self.is_undeclared,
            longest_s=self.longest_s,
            ends_trial=ENDED,
            keys=self.keys,
        )

    def _argument_schema(self) -> Mapping[str, Any]:
        """Return the schema of the arguments."""
        if self.schema is not None:
            is_object = self.schema.get("type", "object") == "object" and "$ref" not in self.schema
            if not (is_object and isinstance(self.schema.get("properties", {}), Mapping)):
                msg = f"the schema of the tool {self.name} describes no object of arguments: {self.schema!r:.200}"
                raise ValueError(msg)
            return self.schema
        if inspect.iscoroutinefunction(self.function):
            msg = f"the tool {self.name} is async: give a function that returns its result"
            raise ValueError(msg)
        for parameter in inspect.signature(self.function).parameters.values():
            if parameter.kind in (
                parameter.VAR_POSITIONAL,
                parameter.VAR_KEYWORD,
                parameter.POSITIONAL_ONLY,
            ):
                msg = f"the tool {self.name} takes {parameter}: name its parameters, or give it a schema"
                raise ValueError(msg)
        schema = self._converter.json_schema()
        for own in schema["properties"].values():
            own.pop("title", None)
        return schema

    @cached_property
    def _converter(self) -> TypeAdapter[Any]:
        """What converts the arguments of a call to the types of the function's signature."""

        def given(**arguments: object) -> dict[str, object]:
            return arguments

        converted: Any = wraps(self.function)(given)
        converted.__annotations__ = get_type_hints(self.function, include_extras=True)
        return TypeAdapter(converted)

    def arguments(self, declared: Operation, given: Mapping[str, Plain]) -> dict[str, Any]:
        """Return the arguments of a call as the function takes them. Raises `CallError`."""
        schemas = {one.name: one.schema or {} for one in declared.parameters}
        named = {
            self._passed[name]: value
            for name, value in given.items()
            if value is not None
            or not schema_fault(None, schemas[name])  # None where it is no value: left out
        }
        if self.schema is not None:
            return named
        try:
            converted = self._converter.validate_python(ArgsKwargs((), named))
        except ValidationError as error:
            fault = error.errors(include_url=False)[0]
            what = f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}"
            raise CallError(error_codes.INVALID_ARGUMENT, f"{declared.name}: {what}") from None
        return {name: converted[name] for name in named}

    def result(
        self, declared: Operation, given: Mapping[str, object], value: object
    ) -> dict[str, Plain]:
        """Return the fields of a result; bytes are text, or URL-safe base64 if any are not UTF-8. Raises `CallError`
        with the tool's name for a value that is not data."""
        try:
            try:
                data = to_jsonable_python(value, bytes_mode="utf8")
            except UnicodeDecodeError:
                data = to_jsonable_python(value, bytes_mode="base64")
            text = encodable(json.dumps(data, ensure_ascii=False, separators=(",", ":")))
        except (ValueError, RecursionError) as error:
            fault = f"{self.name} returned {type(value).__name__}, which is no data: {error}"
            raise CallError(error_codes.INTERNAL, " ".join(fault.split())[:500]) from None
        return citable_result(declared.name, f"/calls/{declared.name}", given, value=text)


def parameters_of(
    schema: Mapping[str, Any], most: int | None = None
) -> tuple[tuple[Parameter, ...], dict[str, str]]:
    """Return the parameters that a JSON schema of arguments declares, at most `most` of them, required ones first, and
    its own names for them, by those of scripts."""
    properties, required = schema.get("properties"), schema.get("required")
    definitions = {key: schema[key] for key in ("$defs", "definitions") if schema.get(key)}
    parameters, taken = list[Parameter](), set[str]()
    declared = list(properties.items())[:most] if isinstance(properties, Mapping) else []
    names = {key: script_name(str(key), taken) for key in sorted(dict(declared), key=is_adapted)}
    for key, given in declared:
        own = dict(given) if isinstance(given, Mapping) else {}
        default = (
            REQUIRED if isinstance(required, Iterable) and key in required else own.get("default")
        )
        parameters.append(Parameter(names[key], "any", default, own | definitions))
    spellings = {name: str(key) for key, name in names.items()}
    return tuple(sorted(parameters, key=lambda one: not one.is_required)), spellings


def citable_result(
    what: str, place: str, given: Mapping[str, object], **fields: str
) -> dict[str, Plain]:
    """Return the fields of what a tool returned for the arguments `given`, with the path below `place` under which they
    may be cited. Raises `CallError` if they are too long for a script."""
    most = 900_000  # Characters: a message to a script's process carries no more.
    if (size := sum(map(len, fields.values()))) > most:
        msg = f"{what} returned {size:,} characters, and at most {most:,} are passed on: ask it for less"
        raise CallError(error_codes.FAILED_PRECONDITION, msg)
    mark = json.dumps([given, *fields.values()], sort_keys=True, default=str)
    digest = hashlib.sha256(mark.encode("utf-8", "replace")).hexdigest()[:10]
    return {
        "call_path": f"{place}/{digest}",
        **{name: encodable(text) for name, text in fields.items()},
    }


def plain_name(text: str) -> str:
    """Return a name of at most 60 letters, digits and underscores for `text`, without underscores before it."""
    plain = "".join(sign if sign.isascii() and sign.isalnum() else "_" for sign in text)
    return plain[:60].lstrip("_") or "tool"


def is_adapted(name: object) -> bool:
    """Say whether a name cannot be that of a call or an argument: one that can be keeps it."""
    return plain_name(str(name)) != name


def script_name(text: str, taken: set[str], reserved: tuple[str, ...] = ()) -> str:
    """Return a name like `text` that scripts can write and that is not taken, and add it to `taken`."""
    plain = plain_name(text)
    plain = (
        f"t_{plain}" if plain[0].isdigit() else f"{plain}_" if keyword.iskeyword(plain) else plain
    )
    name, number = f"{plain}_" if plain in reserved else plain, 2
    while name in taken:
        name, number = f"{plain}_{number}", number + 1
    taken.add(name)
    return name


POLICY: Final = "/policy.md"
"""The document that holds an environment's policy."""
SAY: Final = Operation(
    "say",
    (Parameter("text", "str"),),
    (ResultField("reply"),),
    "tell the user a text and get the reply. One turn at a time: end the script after it, and read the reply before the"
    " next. The user ends the conversation, and with it the task",
    Effect.ACTS,
    subject="",
    longest_s=600.0,
    ends_trial=ENDED,
    is_talk=True,
)


_FAILURES: Final = (ArithmeticError, AssertionError, LookupError, OSError, RuntimeError, ValueError)
"""What a tool raises to refuse a call, as tools of benchmarks do; anything else is a fault of its code."""


@dataclass(frozen=True, slots=True)
class EnvironmentCall:
    """One call of a tool, as the benchmark's grader sees it."""

    name: str
    """The tool's own name."""
    arguments: Mapping[str, Any]
    """As the tool got them."""
    result: object = None
    """The value that the tool returned, unchanged; None if it failed."""
    error: str = ""
    """Why it failed."""


class TaskEnvironment:
    """The world of one trial's scripts, and afterwards the trial's end: the argument of its grader.

    One trial uses it, in one thread at a time.
    """

    def __init__(
        self,
        tools: Iterable[Tool] = (),
        *,
        files: Mapping[str, str] | None = None,
        policy: str = "",
        clock: datetime | None = None,
        user: Callable[[str], str | None] | None = None,
        state: Any = None,
    ) -> None:
        """`files` are the texts that scripts read and write, by absolute path. `policy` is a text that the first
        message shows and that an answer has to follow. `clock` is the time of scripts, in UTC unless it says otherwise;
        without it they have none. `user` answers what scripts say by `harness.say(text)`, and returns None when the
        conversation, and so the trial, is over. `state` is the benchmark's own.

        Raises `ValueError` for a path that is not absolute, and for a tool that scripts cannot call.
        """
        self.state = state
        """The benchmark's own: a database, a simulated user."""
        self.calls: list[EnvironmentCall] = []
        """The calls of tools so far, in order, those that failed included."""
        self.is_over = False
        """Set it in a tool, or return None from `user`, to end the trial: the call's script is the last one."""
        texts = dict(files or {})
        if policy:
            texts[POLICY] = policy
        for path in texts:
            if not path.startswith("/") or path != normal_path(path):
                msg = f"the path of a file is absolute, as /data/rows.csv, not {path!r}"
                raise ValueError(msg)
        taken = {one.name for one in FILE_OPERATIONS} if texts else set(RESERVED)
        taken |= {"say"} if user else set()
        self._tools = [
            (tool, tool.declared(taken))
            for tool in sorted(tools, key=lambda tool: is_adapted(tool.name))
        ]
        self._user = user
        tool_schema = _tool_schema(
            texts, policy, [one for _, one in self._tools], has_user=bool(user)
        )
        self.runtime = LocalEnvironment(
            tool_schema, WorldFiles(texts, ""), FileTree(texts), clock, self.call
        )
        """The environment as the control plane uses it."""

    @property
    def answer(self) -> str | None:
        """The text of the answer; None before one is accepted, or if the environment ended the trial."""
        return self._given.message if self._given else None

    @property
    def outcome(self) -> str:
        """The outcome of the answer; empty without one."""
        return self._given.outcome if self._given else ""

    @property
    def refs(self) -> tuple[str, ...]:
        """The citations of the answer."""
        return self._given.refs if self._given else ()

    @property
    def _given(self) -> SubmittedAnswer | None:
        return None if self.is_over else self.runtime.submission

    @property
    def files(self) -> Mapping[str, str]:
        """The texts of all files as they are now, by path."""
        now = {**self.runtime.first_files, **self.runtime.changes}
        return {path: text for path, text in now.items() if text is not None}

    @property
    def changes(self) -> Mapping[str, str | None]:
        """The files written (path to text) and deleted (path to None) since the start."""
        return self.runtime.changes

    def call(self, name: str, given: Mapping[str, Any]) -> dict[str, Plain]:
        """Make a call of a tool under the name of scripts, and return its result fields. Raises `CallError`."""
        if self.is_over:
            raise CallError(error_codes.FAILED_PRECONDITION, "the environment has ended this trial")
        if name == SAY.name and self._user is not None:
            reply = self._made(name, {"text": given["text"]}, self._user)
            self.is_over = self.is_over or reply is None
            fields: dict[str, Plain] = {"reply": "" if reply is None else str(reply)}
        else:
            tool, declared = next(pair for pair in self._tools if pair[1].name == name)
            arguments = tool.arguments(declared, given)
            fields = tool.result(
                declared, arguments, self._made(tool.name, arguments, tool.function)
            )
        return fields | ({ENDED: True} if self.is_over else {})

    def _made(self, name: str, arguments: dict[str, Any], function: Callable[..., Any]) -> Any:
        """Call a function of the benchmark, and log the call. Raises `CallError`."""
        try:
            value = function(*arguments.values()) if name == SAY.name else function(**arguments)
        except CallError as error:
            self.calls.append(EnvironmentCall(name, arguments, error=error.message))
            raise
        except _FAILURES as error:
            text = f"{error}"[:2_000] or type(error).__name__
            self.calls.append(EnvironmentCall(name, arguments, error=text))
            raise CallError(error_codes.FAILED_PRECONDITION, text) from error
        self.calls.append(EnvironmentCall(name, arguments, value))
        return value


def _tool_schema(
    files: Mapping[str, str], policy: str, tools: list[Operation], *, has_user: bool
) -> ToolSchema:
    """Return the declaration of an environment. The first message shows its tree and its policy."""
    names = {"read"} if files.keys() == {POLICY} else FILE_CALLS if files else set()
    operations = tuple(one for one in FILE_OPERATIONS if one.name in names)
    initial_calls = (
        [InitialCall("tree", {"root": "/", "level": 8}, longest_listing=6)]
        if len(operations) > 1
        else []
    )
    if policy:
        initial_calls.append(InitialCall("read", {"path": POLICY}))
    roots = {f"/{path.split('/')[1]}" for path in files if path.count("/") > 1}
    return ToolSchema(
        operations=(*operations, *tools, *([SAY] if has_user else [])),
        rules_document=POLICY if policy else "",
        initial_calls=tuple(initial_calls),
        named_files=NamedFiles(tuple(sorted(roots))) if roots else None,
    )


Citations: TypeAlias = Literal["asked", "none"]
Graded: TypeAlias = (
    "Grade | float | tuple[float, Iterable[str]] | tuple[float, Iterable[str], Mapping[str, float]]"
)
"""A score from 0 to 1 (or True, False), with the lines that say why it is not 1, and with further metrics by name."""


class ToolBenchmark(ABC):
    """A benchmark as three methods; everything else of a run is the control plane's.

    A module offers it as `open_benchmark = MyBenchmark`. Its worlds are Python objects of this process: they are made
    anew to fork a trial, and to resume one by repeating its calls.
    """

    def __init_subclass__(cls) -> None:
        if "pose" in vars(cls):  # what `generate` was called in earlier versions
            type.__setattr__(cls, "generate", vars(cls)["pose"])

    name: ClassVar[str] = ""
    """The name in journals; the class's own in lower case if empty."""
    summary: ClassVar[str] = ""
    """One line for lists of benchmarks."""
    citations: Citations = "asked"
    """`none` where it has no documents: prompt and gates then leave citations out, and an answer may be empty."""
    repeats_all_calls: bool = True
    """A resumed trial repeats all calls of its tools, as a grader of traces needs; else only those that act."""
    has_scores: bool = True
    """False if nothing is graded."""

    def __init__(
        self,
        argument: str = "",
        settings: Mapping[str, str] | None = None,
        context: BenchmarkContext | None = None,
    ) -> None:
        """`argument` is what follows the colon of `--benchmark NAME:ARGUMENT`, `settings` the options of `--set`."""
        self.argument = argument
        self.settings = settings or {}
        self.context = context or BenchmarkContext()

    @abstractmethod
    def task_ids(self) -> Sequence[str]:
        """Return the ids of all tasks, each a name or `FAMILY.NAME`."""

    @abstractmethod
    def generate(self, task_id: str) -> tuple[str, Any]:
        """Return the instruction of a task and a new environment, which no other trial has used: a `TaskEnvironment`,
        or one of the benchmark's own with the methods of `controlplane.agent.evidence.Environment`."""

    @abstractmethod
    def grade(self, task_id: str, environment: Any) -> Graded:
        """Return the score of a trial that has ended in this environment, from 0 to 1, alone or with lines that say why
        it is not 1, and with further metrics by name."""

    def preview(self, task_id: str) -> str:
        """Return the beginning of a task's instruction, for lists; empty unless it is known without generating the
        task."""
        return ""

    def player(self) -> Model | None:
        """Return a model that plays if none is named; None for a benchmark without one."""
        return None

    def close(self) -> None:
        """Release what it holds; called when its run is over."""
        return

    def opened(self) -> OpenedBenchmark:
        """Return the benchmark as a run uses it. Raises `BenchmarkError` for a tool that declares no effect."""
        runs = _Runs(self)
        for task_id in islice(runs.task_ids, 1):
            runs.generate(runs.trial_id(TaskTry(task_id, 0), 0, "0" * 8))
        return OpenedBenchmark(runs, ended_elsewhere=runs.take_score, rebuilds_trials=True)


class _Runs(LocalBenchmark):
    """The lifecycle of the runs of a `ToolBenchmark`."""

    def __init__(self, tasks: ToolBenchmark) -> None:
        name = tasks.name or type(tasks).__name__
        ids = list(tasks.task_ids())
        if repeated := next((one for one in ids if ids.count(one) > 1), None):
            raise BenchmarkError(
                error_codes.INVALID_ARGUMENT, f"{name} lists the task {repeated!r} twice"
            )
        super().__init__(
            "-".join(filter(None, plain_name(name.lower()).split("_"))),
            dict.fromkeys(ids),
            has_scores=tasks.has_scores,
        )
        self._tasks = tasks

    def describe(self, preview_seed: int | None = None) -> Description:
        """Return the tasks, with what their benchmark says about them."""
        stubs = tuple(TaskStub(task_id, self._tasks.preview(task_id)) for task_id in self.task_ids)
        return Description(self.name, self._tasks.summary or f"{len(stubs)} tasks", stubs)

    def player(self) -> Model | None:
        """Return the benchmark's own player."""
        return self._tasks.player()

    def close(self) -> None:
        """Release the trials that are open, and what the benchmark holds."""
        super().close()
        self._tasks.close()

    def generate(self, trial_id: str) -> GeneratedTrial:
        """Make a trial's world. Raises `BenchmarkError` for an id that is not a trial's, and for a tool that declares
        no effect."""
        task_id, _ = self.parts_of(trial_id)
        instruction, given = self._tasks.generate(task_id)
        environment: Any = given  # what is not a `TaskEnvironment` may be any environment
        if isinstance(given, TaskEnvironment):
            environment = given.runtime
            environment.tool_schema = replace(
                environment.tool_schema, citations=self._tasks.citations
            )
        if undeclared := environment.tool_schema.undeclared:
            msg = (
                f"what calls of {', '.join(undeclared)[:300]} do is not declared: say effect='returns' of those that "
                "only read, and 'acts' of those that may change something (a call that acts is recorded before it is "
                "made, and never repeated unasked)"
            )
            raise BenchmarkError(error_codes.INVALID_ARGUMENT, msg)
        use_worker, repeats_all = (
            getattr(environment, "use_worker", None),
            self._tasks.repeats_all_calls,
        )
        trial = Trial(
            trial_id, task_id, instruction, environment, use_worker, repeats_all_calls=repeats_all
        )
        return trial, lambda: grade_of(
            self._tasks.grade(task_id, given), f"the grader of {task_id}"
        )


def grade_of(given: Graded, grader: str) -> Grade:
    """Return what a grader returned as a grade, without lines if it is right. Raises `TypeError` for anything else."""
    score, lines, metrics = (
        given if isinstance(given, tuple) and len(given) == 3 else (given, (), {})
    )
    if isinstance(given, tuple) and len(given) == 2:
        score, lines = given
    if isinstance(score, Grade):
        return score
    if (
        isinstance(score, int | float)
        and not isinstance(lines, str)
        and isinstance(metrics, Mapping)
    ):
        why = tuple(map(str, lines)) if score < 1 else ()
        return Grade(float(score), why, {str(name): float(one) for name, one in metrics.items()})
    msg = f"{grader} returned {given!r:.200}: return a score from 0 to 1, (score, lines) or (score, lines, metrics)"
    raise TypeError(msg)


@dataclass(frozen=True, slots=True)
class Task:
    """One task as data, to be played by `controlplane.run`."""

    task_id: str
    """A name, or `FAMILY.NAME`."""
    instruction: str
    """The request."""
    files: Mapping[str, str] = field(default_factory=dict)
    """The texts that its scripts see, by absolute path."""
    tools: Sequence[Tool] = ()
    """The functions that its scripts call. Where they keep state, give `environment` instead."""
    policy: str = ""
    """A text that the first message shows and that the answer has to follow."""
    clock: datetime | None = None
    """The time that its scripts see; None: they have none."""
    grade: Callable[[TaskEnvironment], Graded] | None = None
    """Grades how a trial ended, see `ToolBenchmark.grade`; None: nothing is scored."""
    environment: Callable[[], TaskEnvironment] | None = None
    """Makes the environment of one trial, in place of files, tools, policy and clock."""


class TaskList(ToolBenchmark):
    """Tasks given as data."""

    name = "tasks"

    def __init__(
        self, tasks: Iterable[Task], *, citations: Citations = "asked", player: Model | None = None
    ) -> None:
        """Raises `TypeError` for something that is not a task."""
        super().__init__()
        self.citations = citations
        self._player = player
        given = list(tasks)
        if (wrong := next((one for one in given if not isinstance(one, Task)), None)) is not None:
            msg = f"a controlplane.Task is needed, not {wrong!r:.200}"
            raise TypeError(msg)
        self._ids = [task.task_id for task in given]
        self._tasks = {task.task_id: task for task in given}
        self.has_scores = any(task.grade for task in given)

    def task_ids(self) -> Sequence[str]:
        """Return the ids in the order in which the tasks were given."""
        return self._ids

    def generate(self, task_id: str) -> tuple[str, TaskEnvironment]:
        """Return the instruction and a new environment."""
        task = self._tasks[task_id]
        if task.environment is not None:
            return task.instruction, task.environment()
        made = TaskEnvironment(task.tools, files=task.files, policy=task.policy, clock=task.clock)
        return task.instruction, made

    def grade(self, task_id: str, environment: TaskEnvironment) -> Graded:
        """Return what the task's own grader says; without one, no score."""
        grade = self._tasks[task_id].grade
        return Grade(None) if grade is None else grade(environment)

    def preview(self, task_id: str) -> str:
        """Return the instruction."""
        return self._tasks[task_id].instruction

    def player(self) -> Model | None:
        """Return the model that plays if none is named, if there is one."""
        return self._player
