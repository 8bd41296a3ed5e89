"""The worlds of trials: files, tools and the submitted answer; for benchmarks in Python also their user and calls."""

from __future__ import annotations

import copy
import json
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from controlplane.errors import error_text
from controlplane.sandbox import FileTree, normal_path
from controlplane.sandbox.files import WorldFiles
from controlplane.sandbox.interface import (
    FILE_OPERATIONS,
    CallError,
    Effect,
    InitialCall,
    NamedFiles,
    Operation,
    Parameter,
    Plain,
    ResultField,
    ToolSchema,
    bound_arguments,
    error_codes,
    fresh_result,
)
from controlplane.tools.function_tool import ENDED, DeclaredTool, Tool
from controlplane.tools.tool_parameters import check_kind, is_adapted

if TYPE_CHECKING:
    from controlplane.sandbox import Worker

# The world that a trial's scripts work in: files, tools, a clock, and the submitted answer.
#
# Calls on files are made in this process, in linear time. Tools run in the trial's worker
# process, or in this process if there is no worker.

_FILE_CALLS: Final = frozenset(
    operation.name for operation in FILE_OPERATIONS if operation.name != "exec"
)
"""The operations that the file tree performs itself."""
_MAX_NAME_SHOWN: Final = 60
_RunTool: TypeAlias = Callable[[str, dict[str, Any]], dict[str, Plain]]
"""A function that makes the call of a tool. It raises `CallError`."""


@dataclass(frozen=True, slots=True)
class SubmittedAnswer:
    """The answer of a trial, as it was submitted."""

    message: str
    outcome: str
    refs: tuple[str, ...]


class LocalEnvironment:
    """The environment of one trial: its files, its tools, its clock, and the answer that it takes.

    It is created when the trial starts. Its changes stay within the trial. Calls may
    come from any thread, until `close` ends it.
    """

    def __init__(
        self,
        tool_schema: ToolSchema,
        world: WorldFiles,
        tree: FileTree,
        clock: datetime | None = None,
        run_tool: _RunTool | None = None,
    ) -> None:
        """Create an environment over the files of `world`.

        `run_tool` makes the call of a tool in this process. None if there are no tools,
        or if all tools run in a worker.
        """
        self.tool_schema = tool_schema
        self.tree = tree
        self.first_files = world.texts
        """The texts of the files at the start of the trial, by path."""
        self.submission: SubmittedAnswer | None = None
        self._world = world
        self._clock = clock
        self._run_tool = run_tool
        self._lock = threading.Lock()
        self._is_open = True

    @property
    def changes(self) -> Mapping[str, str | None]:
        """The files written (path to text) and deleted (path to None) since the start."""
        return self.tree.changes

    def use_worker(self, worker: Worker) -> None:
        """Run the tools in `worker` from now on: a process that has not begun to work yet."""
        from controlplane.sandbox.files.worker_tools import WorkerTools

        with self._lock:
            self._run_tool = WorkerTools(worker, self.tree, self._world).call

    def now(self) -> datetime | None:
        """Return the time of the world's clock; None if the world has no clock."""
        return self._clock

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        """Make one call of a declared operation and return its result. Raises `CallError`."""
        with self._lock:
            self._refuse_when_ended()
            declared = self.tool_schema.operation(operation)
            # Functions of the benchmark run beside the scripts, in another process.
            if declared is None or declared.is_function:
                msg = f"there is no operation {operation[:_MAX_NAME_SHOWN]!r}"
                raise CallError(error_codes.UNIMPLEMENTED, msg)
            all_arguments: dict[str, Any] = bound_arguments(
                declared, (), dict(arguments)
            )
            result = self.result_of(operation, all_arguments)
        return fresh_result(operation, result)

    # A subclass may override the next two methods to add operations of its own.

    def result_of(self, operation: str, arguments: dict[str, Any]) -> dict[str, Plain]:
        """Return the result of a call with all its arguments: from the files, or from a tool."""
        # A tool may have the name of a file operation, such as `read`. It is told apart by
        # `parsed_field`, which every tool of a benchmark declares, and no file operation.
        declared = self.tool_schema.operation(operation)
        is_tool = declared is not None and bool(declared.parsed_field)
        if operation in _FILE_CALLS and not is_tool:
            result: dict[str, Plain] = getattr(self.tree, operation)(**arguments)
            return result
        return self.tool_result(operation, arguments)

    def tool_result(
        self, operation: str, arguments: dict[str, Any]
    ) -> dict[str, Plain]:
        """Return the result of a tool's call, made in the worker if there is one."""
        if self._run_tool is None:
            raise CallError(
                error_codes.UNIMPLEMENTED, "there are no tools in this process"
            )
        return self._run_tool(operation, arguments)

    def knows_file(self, path: str) -> bool:
        """Return True if a path can be cited.

        It is that of a file that exists or existed at the start, of a tool, or of a result
        from an MCP server: `/mcp/files/calls/read_file`.
        """
        if path.startswith("/mcp/"):
            return True
        if path in self.first_files or self.changes.get(path) is not None:
            return True
        return any(path == tool.path for tool in self.tool_schema.executables)

    def answer(self, message: str, outcome: str, refs: Sequence[str]) -> None:
        """Submit the trial's only answer.

        Raises `CallError`, with the code `already_exists` for a second answer.
        """
        with self._lock:
            self._refuse_when_ended()
            if self.submission is not None:
                raise CallError(
                    error_codes.ALREADY_EXISTS, "this trial has its answer already"
                )
            self.submission = SubmittedAnswer(message, outcome, tuple(refs))

    def close(self) -> None:
        """End the trial. Every later call fails with `failed_precondition`."""
        with self._lock:
            self._is_open = False

    def _refuse_when_ended(self) -> None:
        """Raise `CallError` if `close` has ended the trial."""
        if not self._is_open:
            raise CallError(error_codes.FAILED_PRECONDITION, "this trial has ended")


# The calls of a trial's tools, as the benchmark's grader sees them.
#
# A grader may ask whether `cancel_order` was called for the right order. It gets the arguments
# and the result as they were at the time of the call, even if the tool's data has changed since.

_REFUSALS: Final = (
    ArithmeticError,
    AssertionError,
    LookupError,
    OSError,
    RuntimeError,
    ValueError,
)
"""Exceptions by which a tool refuses a call. Any other is a fault of the tool's code."""
_MAX_REFUSAL_CHARS: Final = 2_000
_MAX_COPIED_OBJECTS: Final = 100_000
"""The largest number of objects that a copy may have. A result with more,
such as one that refers to a whole database, is kept in the form that scripts saw."""


@dataclass(frozen=True, slots=True)
class EnvironmentCall:
    """A call of a tool, as the benchmark's grader sees it."""

    name: str
    """The tool's own name, which may differ from its name in scripts."""
    arguments: Mapping[str, Any]
    """A copy of the arguments from before the call."""
    result: object = None
    """A copy of the value that the tool returned, from before later calls. If the value
    cannot be copied, it is the data that scripts saw. None if the call failed."""
    error: str = ""
    """Why the call failed; empty if it succeeded."""
    turn: int = 0
    """The turn of the conversation in which the call was made:
    the number of messages that the user had received before."""


@contextmanager
def _recorded_refusals(
    calls: list[EnvironmentCall], call: EnvironmentCall
) -> Iterator[None]:
    """Add the call to `calls` if the benchmark's code in the `with` block refuses it.

    The code refuses a call by an exception (`CallError`, or one of `_REFUSALS`), which
    then leaves the block as a `CallError`.
    """
    try:
        yield
    except CallError as error:
        calls.append(replace(call, error=error.message))
        raise
    except _REFUSALS as error:
        text = error_text(error)[:_MAX_REFUSAL_CHARS] or type(error).__name__
        calls.append(replace(call, error=text))
        raise CallError(error_codes.FAILED_PRECONDITION, text) from error


class _TooManyObjects(Exception):
    """A value has more objects than a copy may have."""


class _CountingMemo(dict[int, Any]):
    """A memo for `copy.deepcopy`, which enters each copied object in it.

    To end the copying of a huge value, it raises `_TooManyObjects` at the entry after
    `_MAX_COPIED_OBJECTS`.
    """

    def __setitem__(self, key: int, value: Any) -> None:
        if len(self) >= _MAX_COPIED_OBJECTS:
            raise _TooManyObjects
        super().__setitem__(key, value)


def _copied(value: Any, *, if_impossible: str) -> Any:
    """Return a copy of a value that later changes do not affect.

    `if_impossible` is the value as JSON text. The data in it is returned instead if the
    value cannot be copied, or has too many objects.
    """
    try:
        return copy.deepcopy(value, _CountingMemo())
    except Exception:  # noqa: BLE001 - copying runs code of the value
        return json.loads(if_impossible)


# The world of one trial, for a benchmark that is written in Python.
#
# A world has files, tools (`Tool`), a policy, a clock and a simulated user. The benchmark
# creates the world and scripts work in it. Then the benchmark's grader checks the calls
# that were made and how the world has changed.

# The conversation of a trial's scripts with its user.
#
# Scripts call `harness.say("Which order?")`, and the result has the user's reply. Each
# call ends one turn and begins the next. The user is a function of the benchmark.

_User: TypeAlias = Callable[[str], str | None]
"""Takes a text and returns the user's reply; None ends the conversation and the trial."""
_LONGEST_REPLY_S: Final = 600.0
"""The seconds that the user's reply may take. The user may be simulated by a model."""
_SAY: Final = Operation(
    "say",
    parameters=(Parameter("text", "str"),),
    fields=(ResultField("reply"),),
    summary=(
        "tell the user a text and get the reply. One turn at a time: end the script after it, and "
        "read the reply before the next. The user ends the conversation, and with it the task"
    ),
    effect=Effect.ACTS,
    subject="",  # The call does not act on a path of the trial's files.
    longest_s=_LONGEST_REPLY_S,
    ends_trial=ENDED,
    is_talk=True,
)
_CHANGED_TOOLS: Final = "tools"
"""The result field of `say` that lists the tools that have become available or unavailable."""
_SAY_WITH_CHANGED_TOOLS: Final = _SAY._replace(
    fields=(*_SAY.fields, ResultField(_CHANGED_TOOLS)),
    summary=(
        f"{_SAY.summary}. `.{_CHANGED_TOOLS}` names the tools that are new or gone: print it"
    ),
)
"""`say` in a trial whose tools change with the turns of the conversation."""


def _user_of_messages(messages: Sequence[str]) -> _User:
    """Return a user who sends the messages in order, and then ends the conversation.

    Raises `TypeError` for anything but a list of texts.
    """
    check_kind("user", messages, list | tuple, "is a function, or a list of messages")
    for message in messages:
        check_kind("a message of the user", message, str, "is a text")
    later_messages = iter(messages)

    def user(text: str) -> str | None:
        return next(later_messages, None)

    return user


# The tools that the scripts of a trial can call, by the names that they have there.


def _declared_tools(
    tools: Iterable[Tool], *, has_files: bool, has_user: bool
) -> dict[str, DeclaredTool]:
    """Return the tools by their names in scripts: `get-order` is `harness.get_order(...)` there.

    A name that scripts already use for something else gets a number: the tool `read`
    is called `read_2` if scripts can read files. Raises `ValueError` for a tool that scripts
    cannot call.
    """
    taken: set[str] = set()
    if has_files:
        taken.update(operation.name for operation in FILE_OPERATIONS)
    if has_user:
        taken.add(_SAY.name)
    by_name = {}
    tools = list(tools)
    for tool in tools:
        check_kind("a tool", tool, Tool, "is declared, as Tool(get_order, 'returns')")
    # Tools whose names are valid in scripts come first, so that they keep their names.
    for tool in sorted(tools, key=lambda tool: is_adapted(tool.name)):
        declared = tool.declared(taken)
        name = declared.operation.name
        taken.add(name)
        by_name[name] = declared
    return by_name


# The files and the tool schema of a trial's world.
#
# The tool schema lists the calls that scripts can make, and those that are made for them
# at the start: the first message of a trial shows the folder tree and the policy.

_POLICY: Final = "/policy.md"
"""The path of the document with an environment's policy."""
_SHOWN_TREE_LEVELS: Final = 8
"""The first message shows the folders down to this level."""
_LONGEST_SHOWN_FOLDER: Final = 6
"""The first message shows all files of a folder with up to so many. Of a folder with more, it
shows their number and the first ones."""


def _checked_files(files: Mapping[str, str], policy: str) -> dict[str, str]:
    """Return the files of a world, with one for the policy if there is a policy.

    Raises `ValueError` for a path that is not absolute, and `TypeError` for what is no text.
    """
    check_kind("files", files, Mapping, "are texts by their paths")
    texts = dict(files)
    if policy:
        texts[_POLICY] = policy
    for path, text in texts.items():
        check_kind("the path of a file", path, str, "is a text")
        check_kind(f"the file {path:.100}", text, str, "is a text")
        if not path.startswith("/") or path != normal_path(path):
            msg = f"the path of a file is absolute, as /data/rows.csv, not {path!r}"
            raise ValueError(msg)
    return texts


def _world_schema(
    files: Mapping[str, str], policy: str, tools: Sequence[Operation]
) -> ToolSchema:
    """Return the tool schema of a world. The first message shows its files and its policy."""
    file_calls: Collection[str] = ()
    initial_calls = []
    if files.keys() == {_POLICY}:
        file_calls = ("read",)
    elif files:
        file_calls = _FILE_CALLS
        arguments: dict[str, Plain] = {"root": "/", "level": _SHOWN_TREE_LEVELS}
        tree = InitialCall("tree", arguments, longest_listing=_LONGEST_SHOWN_FOLDER)
        initial_calls.append(tree)
    if policy:
        initial_calls.append(InitialCall("read", {"path": _POLICY}))
    operations = [
        operation for operation in FILE_OPERATIONS if operation.name in file_calls
    ]
    folders = top_folders(files)
    # Where paths in an instruction may lead: `data/rows.csv` is below the folder `/data`.
    return ToolSchema(
        operations=(*operations, *tools),
        rules_document=_POLICY if policy else "",
        initial_calls=tuple(initial_calls),
        named_files=NamedFiles(folders) if folders else None,
    )


def top_folders(files: Iterable[str]) -> tuple[str, ...]:
    """Return the folders at the root: `/data` for `/data/rows.csv`."""
    folders = set()
    for path in files:
        name, slash, _ = path.removeprefix("/").partition("/")
        if slash:
            folders.add(f"/{name}")
    return tuple(sorted(folders))


class TaskEnvironment:
    """The world of one trial, for the code of its benchmark: its task, its tools and its grader.

    There are two objects for one world:

    - This one belongs to the benchmark, which creates it for a trial and reads it to
      grade. It keeps the tools, the user and the calls.
    - Its `runtime` belongs to the control plane. Scripts read and write files, call
      tools and answer there. For each call of a tool, the runtime calls the method
      `call` of this object.

    One trial uses both, from one thread at a time.
    """

    def __init__(
        self,
        tools: Iterable[Tool] = (),
        *,
        files: Mapping[str, str] | None = None,
        policy: str = "",
        clock: datetime | None = None,
        user: Callable[[str], str | None] | Sequence[str] | None = None,
        state: Any = None,
    ) -> None:
        """Create a world.

        Raises `ValueError` for a path that is not absolute, and for a tool that scripts cannot
        call, and `TypeError` for a value of another kind.

        - `tools`: the tools that scripts can call.
        - `files`: the texts that scripts read and write, by absolute path.
        - `policy`: a text that the first message shows, and that an answer has to follow.
        - `clock`: the time that scripts see, in UTC unless it has another time zone. By
          default scripts see no time.
        - `user`: the user that scripts talk to by `harness.say(text)`. It may be a
          function that takes the text and returns the reply, or None to end the
          conversation and the trial. It may also be the list of the user's replies, one
          for each `say`; a further `say` ends the trial.
        - `state`: any object of the benchmark itself.
        """
        self.state = state
        """An object of the benchmark itself, such as a database."""
        self.calls: list[EnvironmentCall] = []
        """All calls of tools so far, in order. Failed calls are included."""
        self.turn = 0
        """The turn of the conversation, from 0: the number of messages
        that the user has received. It decides which tools with a `first_turn`
        or a `last_turn` are available."""
        self.is_over = False
        """True after the environment has ended the trial. A tool may set it:
        the script that called the tool is then the last one. It is also set when
        the user ends the conversation."""

        check_kind("clock", clock, datetime | None, "is a datetime")
        if user is not None and not callable(user):
            user = _user_of_messages(user)
        self._user = user
        texts = _checked_files(files or {}, policy)
        has_user = user is not None
        self._tools = _declared_tools(tools, has_files=bool(texts), has_user=has_user)
        """The tools by their names in scripts. If the trial has a user, tools may come and go with
        the turns: a tool with `first_turn=1` is available after the user's first reply."""
        operations = [declared.operation for declared in self._tools.values()]
        if has_user:
            keeps_tools = all(
                declared.tool.is_always_available for declared in self._tools.values()
            )
            operations.append(_SAY if keeps_tools else _SAY_WITH_CHANGED_TOOLS)
        self.runtime = LocalEnvironment(
            tool_schema=_world_schema(texts, policy, operations),
            world=WorldFiles(texts, ""),
            tree=FileTree(texts),
            clock=clock,
            run_tool=self.call,
        )
        """The environment that the control plane uses."""

    @property
    def answer(self) -> str | None:
        """The text of the accepted answer.

        None before an answer is accepted, or if the environment ended the trial.
        """
        return self._submitted.message if self._submitted else None

    @property
    def outcome(self) -> str:
        """The outcome of the answer; empty if there is no answer."""
        return self._submitted.outcome if self._submitted else ""

    @property
    def refs(self) -> tuple[str, ...]:
        """The citations of the answer."""
        return self._submitted.refs if self._submitted else ()

    @property
    def _submitted(self) -> SubmittedAnswer | None:
        """The accepted answer; None if there is none, or if the environment ended the trial."""
        if self.is_over:
            return None
        return self.runtime.submission

    @property
    def files(self) -> Mapping[str, str]:
        """The present texts of all files, by path."""
        texts = {**self.runtime.first_files, **self.runtime.changes}
        return {path: text for path, text in texts.items() if text is not None}

    @property
    def changes(self) -> Mapping[str, str | None]:
        """The files written (path to text) and deleted (path to None) since the trial started."""
        return self.runtime.changes

    def call(self, name: str, arguments: Mapping[str, Any]) -> dict[str, Plain]:
        """Make a script's call of a tool, or of `say`, and return the fields of its result.

        `name` and `arguments` are as scripts write them. Raises `CallError`.
        """
        if self.is_over:
            msg = "the environment has ended this trial"
            raise CallError(error_codes.FAILED_PRECONDITION, msg)
        if name == _SAY.name and self._user is not None:
            result = self._tell_user(self._user, arguments["text"])
        else:
            result = self._call_tool(name, arguments)
        if self.is_over:  # The tool or the user has ended the trial during this call.
            result[ENDED] = True
        return result

    # Every call is kept with copies of its arguments and its result, as they were: a grader may judge
    # what a trial did, such as whether it cancelled the right order.

    def _call_tool(
        self, name: str, script_arguments: Mapping[str, Any]
    ) -> dict[str, Plain]:
        """Call a tool's function, and return the fields of its result. Raises `CallError`."""
        declared = self._tools[name]
        tool = declared.tool
        if not tool.is_available(self.turn):
            msg = f"there is no tool {name} in this turn of the conversation"
            raise CallError(error_codes.FAILED_PRECONDITION, msg)
        arguments = declared.arguments(script_arguments)
        # The function may change its arguments, so the record gets another copy.
        recorded = declared.arguments(script_arguments)
        calls = self.calls  # The function may set a new list.
        call = EnvironmentCall(tool.name, recorded, turn=self.turn)
        with _recorded_refusals(calls, call):  # Records the call if it fails.
            value = tool.function(**arguments)
            result = declared.result(recorded, value)

        # Later calls may change the value if it is part of the tool's own data. So a copy
        # is recorded or, if it cannot be copied, what the script sees.
        as_json = str(result["value"])
        recorded_value = _copied(value, if_impossible=as_json)
        calls.append(replace(call, result=recorded_value))
        return result

    def _tell_user(self, user: _User, text: str) -> dict[str, Plain]:
        """Send a text to the user, begin the next turn, and return the fields of `say`'s result.

        They are the reply and, if the tools of this turn are other ones than before, a
        text that names the new and the gone tools. A reply of None ends the trial.
        """
        calls = self.calls
        call = EnvironmentCall(_SAY.name, {"text": text}, turn=self.turn)
        with _recorded_refusals(calls, call):  # Records the call if it fails.
            reply = user(text)
        calls.append(replace(call, result=reply))
        self.turn += 1
        if reply is None:
            self.is_over = True
        result: dict[str, Plain] = {"reply": "" if reply is None else str(reply)}
        changed_tools = self._changed_tools()
        if changed_tools:
            result[_CHANGED_TOOLS] = changed_tools
        return result

    def _changed_tools(self) -> str:
        """Return a line for each tool that became available or unavailable in this turn.

        For example, `gone: harness.get_order`. Empty if the tools are the same as in the last turn.
        """
        # Needed only where there is a user. Other environments do not load the agent.
        from controlplane.agent.loop.system_prompt import tool_line

        lines = []
        for name, declared in self._tools.items():
            was_available = declared.tool.is_available(self.turn - 1)
            is_available = declared.tool.is_available(self.turn)
            if is_available and not was_available:
                lines.append(f"new: {tool_line(declared.operation)}")
            elif was_available and not is_available:
                lines.append(f"gone: harness.{name}")
        return "\n".join(lines)
