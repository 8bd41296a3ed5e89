"""The world of one trial, for a benchmark that is written in Python.

A world has files, tools (`Tool`), a policy, a clock and a simulated user. The benchmark
creates the world and scripts work in it. Then the benchmark's grader checks the calls
that were made and how the world has changed.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from controlplane.agent.loop.call_reference import tool_line
from controlplane.errors import error_text
from controlplane.function_tool import ENDED, RESERVED, DeclaredTool, Tool
from controlplane.local_environment import FILE_CALLS, LocalEnvironment, SubmittedAnswer
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
    error_codes,
)
from controlplane.script_names import is_adapted

POLICY: Final = "/policy.md"
"""The path of the document with an environment's policy."""
LONGEST_REPLY_S: Final = 600.0
"""The seconds that the user's reply may take. The user may be simulated by a model."""
SAY: Final = Operation(
    "say",
    parameters=(Parameter("text", "str"),),
    fields=(ResultField("reply"),),
    summary=(
        "tell the user a text and get the reply. One turn at a time: end the script after it, and "
        "read the reply before the next. The user ends the conversation, and with it the task"
    ),
    effect=Effect.ACTS,
    subject="",  # The call does not act on a path of the trial's files.
    longest_s=LONGEST_REPLY_S,
    ends_trial=ENDED,
    is_talk=True,
)
TOOL_NEWS: Final = "tools"
"""The result field of `say` that lists the tools that have become available or
unavailable."""
REFUSALS: Final = (
    ArithmeticError,
    AssertionError,
    LookupError,
    OSError,
    RuntimeError,
    ValueError,
)
"""Exceptions by which a tool refuses a call. Any other is a fault of the tool's
code."""
MAX_REFUSAL_CHARS: Final = 2_000
MAX_COPIED_OBJECTS: Final = 100_000
"""The largest number of objects that a copy may have. A result with more, such as one
that refers to a whole database, is kept in the form that scripts saw."""
SHOWN_TREE_LEVELS: Final = 8
SHOWN_TREE_NAMES: Final = 6
"""The number of names per folder that the first message shows if the listing is cut."""


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
    """The turn of the conversation in which the call was made: the number of messages
    that the user had received before."""


class TaskEnvironment:
    """The world of one trial, for the code of its benchmark: its task, its tools and
    its grader.

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

        Raises `ValueError` for a path that is not absolute, and for a tool that scripts
        cannot call.

        - `tools`: the tools that scripts can call.
        - `files`: the texts that scripts read and write, by absolute path.
        - `policy`: a text that the first message shows, and that an answer has to
          follow.
        - `clock`: the time that scripts see, in UTC unless it has another time zone. By
          default scripts see no time.
        - `user`: the user that scripts talk to by `harness.say(text)`. It may be a
          function that takes the text and returns the reply, or None to end the
          conversation and the trial. It may also be the list of the user's replies, one
          for each `say`; a further `say` ends the trial.
        - `state`: any object of the benchmark itself.
        """
        # 1. What the benchmark reads.
        self.state = state
        """An object of the benchmark itself, such as a database."""
        self.calls: list[EnvironmentCall] = []
        """All calls of tools so far, in order. Failed calls are included."""
        self.turn = 0
        """The turn of the conversation, from 0: the number of messages that the user
        has received. It decides which tools with a `first_turn` or a `last_turn` are
        available."""
        self.is_over = False
        """True after the environment has ended the trial. A tool may set it: the script
        that called the tool is then the last one. It is also set when the user ends the
        conversation."""

        # 2. The files, the user and the tools.
        texts = _checked_files(files or {}, policy)
        if user is not None and not callable(user):
            user = _user_of_messages(user)
        self._user = user
        self._tools = _declared_tools(
            tools, has_files=bool(texts), has_user=user is not None
        )
        """The tools, by their names in scripts."""

        # 3. What scripts can call, and where the control plane calls it.
        operations = [declared.operation for declared in self._tools.values()]
        if user is not None:
            operations.append(
                _say_operation([declared.tool for declared in self._tools.values()])
            )
        self.runtime = LocalEnvironment(
            tool_schema=_tool_schema(texts, policy, operations),
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
        """The accepted answer. If the environment ended the trial, no answer counts:
        None."""
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
        """The files written (path to text) and deleted (path to None) since the trial
        started."""
        return self.runtime.changes

    def call(self, name: str, arguments: Mapping[str, Any]) -> dict[str, Plain]:
        """Make a script's call of a tool, or of `say`, and return the fields of its
        result.

        `name` and `arguments` are as scripts write them. Raises `CallError`.
        """
        if self.is_over:
            msg = "the environment has ended this trial"
            raise CallError(error_codes.FAILED_PRECONDITION, msg)
        if name == SAY.name and self._user is not None:
            result = self._tell_user(self._user, arguments["text"])
        else:
            declared = self._tools[name]
            if not declared.tool.is_there(self.turn):
                msg = f"there is no tool {name} in this turn of the conversation"
                raise CallError(error_codes.FAILED_PRECONDITION, msg)
            result = self._call_tool(declared, arguments)
        if self.is_over:  # the tool or the user ended the trial in this call
            result[ENDED] = True
        return result

    def _tell_user(
        self, user: Callable[[str], str | None], text: str
    ) -> dict[str, Plain]:
        """Send a text to the user, begin the next turn, and return the fields of the
        reply.

        A reply of None ends the trial.
        """
        arguments = {"text": text}
        with self._recording_refusals(SAY.name, arguments):
            reply = user(text)
        self._record_call(SAY.name, arguments, reply)

        self.turn += 1
        result: dict[str, Plain] = {}
        if reply is None:
            self.is_over = True
            result["reply"] = ""
        else:
            result["reply"] = str(reply)
        news = self._tool_news()
        if news:
            result[TOOL_NEWS] = news
        return result

    def _tool_news(self) -> str:
        """Return a line for each tool that became available or unavailable in this
        turn."""
        lines = []
        for name, declared in self._tools.items():
            was_there = declared.tool.is_there(self.turn - 1)
            is_there = declared.tool.is_there(self.turn)
            if is_there and not was_there:
                lines.append(f"new: {tool_line(declared.operation)}")
            elif was_there and not is_there:
                lines.append(f"gone: harness.{name}")
        return "\n".join(lines)

    def _call_tool(
        self, declared: DeclaredTool, script_arguments: Mapping[str, Any]
    ) -> dict[str, Plain]:
        """Call a tool's function, record the call for the grader, and return the
        result's fields.

        Raises `CallError`.
        """
        tool = declared.tool
        arguments = declared.arguments(script_arguments)
        # The function may change its arguments, so the record gets another copy.
        recorded_arguments = declared.arguments(script_arguments)
        with self._recording_refusals(tool.name, recorded_arguments):
            value = tool.function(**arguments)
        try:
            result = declared.result(recorded_arguments, value)
        except CallError as error:
            self._record_call(tool.name, recorded_arguments, error=error.message)
            raise

        # Later calls may change the value if it is part of the tool's own data, so a
        # copy is recorded. If there is no copy, the record has what the script sees.
        value_as_json = str(result["value"])
        recorded_value = _copied(value, if_impossible=value_as_json)
        self._record_call(tool.name, recorded_arguments, recorded_value)
        return result

    def _record_call(
        self,
        name: str,
        arguments: dict[str, Any],
        result: object = None,
        error: str = "",
    ) -> None:
        self.calls.append(EnvironmentCall(name, arguments, result, error, self.turn))

    @contextmanager
    def _recording_refusals(
        self, name: str, arguments: dict[str, Any]
    ) -> Iterator[None]:
        """Record a failed call if the benchmark's code in the block refuses it by an
        exception.

        Such an exception (`REFUSALS`, `CallError`) becomes a `CallError`.
        """
        try:
            yield
        except CallError as error:
            self._record_call(name, arguments, error=error.message)
            raise
        except REFUSALS as error:
            text = error_text(error)[:MAX_REFUSAL_CHARS] or type(error).__name__
            self._record_call(name, arguments, error=text)
            raise CallError(error_codes.FAILED_PRECONDITION, text) from error


def _checked_files(files: Mapping[str, str], policy: str) -> dict[str, str]:
    """Return the files with that of the policy. Raises `ValueError` for a path that is
    not absolute."""
    texts = dict(files)
    if policy:
        texts[POLICY] = policy
    for path in texts:
        if not path.startswith("/") or path != normal_path(path):
            msg = f"the path of a file is absolute, as /data/rows.csv, not {path!r}"
            raise ValueError(msg)
    return texts


def _say_operation(tools: Sequence[Tool]) -> Operation:
    """Return the declaration of `say`. It mentions tools if the set of tools changes
    with turns."""
    tools_come_and_go = any(
        tool.first_turn > 0 or tool.last_turn is not None for tool in tools
    )
    if not tools_come_and_go:
        return SAY
    summary = (
        f"{SAY.summary}. `.{TOOL_NEWS}` names the tools that are new or gone: print it"
    )
    return SAY._replace(fields=(*SAY.fields, ResultField(TOOL_NEWS)), summary=summary)


def _user_of_messages(messages: Sequence[str]) -> Callable[[str], str | None]:
    """Return a user who sends the messages in order, and then ends the conversation."""
    later_messages = iter(messages)

    def user(text: str) -> str | None:
        return next(later_messages, None)

    return user


class _TooManyObjects(Exception):
    """A value has more objects than a copy may have."""


class _CountingMemo(dict[int, Any]):
    """The memo of `copy.deepcopy`, in which it enters each object that it has copied.

    Raises `_TooManyObjects` at the entry after `MAX_COPIED_OBJECTS`. That ends the
    copying.
    """

    def __setitem__(self, key: int, value: Any) -> None:
        if len(self) >= MAX_COPIED_OBJECTS:
            raise _TooManyObjects
        super().__setitem__(key, value)


def _copied(value: Any, *, if_impossible: str) -> Any:
    """Return a copy of a value that later changes do not affect.

    If the value cannot be copied, or has too many objects, return the data in
    `if_impossible`, which is the value as JSON.
    """
    try:
        return copy.deepcopy(value, _CountingMemo())
    except Exception:  # noqa: BLE001 - copying runs code of the value
        return json.loads(if_impossible)


def _declared_tools(
    tools: Iterable[Tool], *, has_files: bool, has_user: bool
) -> dict[str, DeclaredTool]:
    """Return the tools by their names in scripts.

    Raises `ValueError` for a tool that scripts cannot call.
    """
    taken_names = set(RESERVED)
    if has_files:
        taken_names = {operation.name for operation in FILE_OPERATIONS}
    if has_user:
        taken_names.add(SAY.name)

    declared_tools = {}
    # Tools whose names are valid in scripts come first, so that they keep their names.
    for tool in sorted(tools, key=lambda tool: is_adapted(tool.name)):
        declared = tool.declared(taken_names)  # Adds its name to the taken ones.
        declared_tools[declared.operation.name] = declared
    return declared_tools


def _tool_schema(
    files: Mapping[str, str], policy: str, tools: list[Operation]
) -> ToolSchema:
    """Return the tool schema of a world. The first message shows its files and its
    policy."""
    file_calls: frozenset[str] = frozenset()
    if files.keys() == {POLICY}:
        file_calls = frozenset({"read"})
    elif files:
        file_calls = FILE_CALLS
    operations = [
        operation for operation in FILE_OPERATIONS if operation.name in file_calls
    ]

    initial_calls = []
    if len(operations) > 1:
        arguments: dict[str, Plain] = {"root": "/", "level": SHOWN_TREE_LEVELS}
        initial_calls.append(
            InitialCall("tree", arguments, longest_listing=SHOWN_TREE_NAMES)
        )
    if policy:
        initial_calls.append(InitialCall("read", {"path": POLICY}))

    folders = set()
    for path in files:
        first_name, slash, _ = path.removeprefix("/").partition("/")
        if slash:
            folders.add(f"/{first_name}")
    return ToolSchema(
        operations=(*operations, *tools),
        rules_document=POLICY if policy else "",
        initial_calls=tuple(initial_calls),
        named_files=NamedFiles(tuple(sorted(folders))) if folders else None,
    )
