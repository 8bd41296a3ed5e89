"""The world of one trial, for a benchmark that is written in Python.

A world has files, tools (`Tool`), a policy, a clock and a simulated user. The benchmark
creates the world and scripts work in it. Then the benchmark's grader checks the calls
that were made and how the world has changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from controlplane.agent.loop.initial_prompt.call_reference import tool_line
from controlplane.local_benchmark.local_environment import (
    FILE_CALLS,
    LocalEnvironment,
    SubmittedAnswer,
)
from controlplane.sandbox import FileTree, normal_path
from controlplane.sandbox.files import WorldFiles
from controlplane.sandbox.interface import (
    FILE_OPERATIONS,
    CallError,
    InitialCall,
    NamedFiles,
    Operation,
    Plain,
    ToolSchema,
    error_codes,
)
from controlplane.tool_benchmark.conversation import (
    SAY,
    TOOL_NEWS,
    User,
    say_operation,
    user_of_messages,
)
from controlplane.tool_benchmark.environment_calls import (
    EnvironmentCall,
    copied,
    recorded_refusals,
)
from controlplane.tools.function_tool import ENDED, RESERVED, DeclaredTool, Tool
from controlplane.tools.script_names import is_adapted

POLICY: Final = "/policy.md"
"""The path of the document with an environment's policy."""
SHOWN_TREE_LEVELS: Final = 8
SHOWN_TREE_NAMES: Final = 6
"""The number of names per folder that the first message shows if the listing is cut."""


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

        Raises `ValueError` for a path that is not absolute,
        and for a tool that scripts cannot call.

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

        texts = _checked_files(files or {}, policy)
        if user is not None and not callable(user):
            user = user_of_messages(user)
        self._user = user
        self._tools = _declared_tools(
            tools, has_files=bool(texts), has_user=user is not None
        )
        """The tools, by their names in scripts."""
        self.runtime = LocalEnvironment(
            tool_schema=_tool_schema(texts, policy, self._operations()),
            world=WorldFiles(texts, ""),
            tree=FileTree(texts),
            clock=clock,
            run_tool=self.call,
        )
        """The environment that the control plane uses."""

    def _operations(self) -> list[Operation]:
        """Return the calls that scripts can make, besides those of files."""
        operations = [declared.operation for declared in self._tools.values()]
        if self._user is not None:
            tools = [declared.tool for declared in self._tools.values()]
            operations.append(say_operation(tools))
        return operations

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
        if name == SAY.name and self._user is not None:
            result = self._tell_user(self._user, arguments["text"])
        else:
            result = self._call_tool(self._tool(name), arguments)
        if self.is_over:  # The tool or the user has ended the trial during this call.
            result[ENDED] = True
        return result

    def _tell_user(self, user: User, text: str) -> dict[str, Plain]:
        """Send a text to the user, begin the next turn, and return the fields of the reply.

        A reply of None ends the trial.
        """
        call = EnvironmentCall(SAY.name, {"text": text}, turn=self.turn)
        with recorded_refusals(self.calls, call):
            reply = user(text)
        self.calls.append(replace(call, result=reply))

        self.turn += 1
        if reply is None:
            self.is_over = True
        result: dict[str, Plain] = {"reply": "" if reply is None else str(reply)}
        news = self._tool_news()
        if news:
            result[TOOL_NEWS] = news
        return result

    def _tool_news(self) -> str:
        """Return a line for each tool that became available or unavailable in this turn."""
        lines = []
        for name, declared in self._tools.items():
            was_there = declared.tool.is_there(self.turn - 1)
            is_there = declared.tool.is_there(self.turn)
            if is_there and not was_there:
                lines.append(f"new: {tool_line(declared.operation)}")
            elif was_there and not is_there:
                lines.append(f"gone: harness.{name}")
        return "\n".join(lines)

    def _tool(self, name: str) -> DeclaredTool:
        """Return the tool of this name. Raises `CallError` if it is not available in this turn."""
        declared = self._tools[name]
        if not declared.tool.is_there(self.turn):
            msg = f"there is no tool {name} in this turn of the conversation"
            raise CallError(error_codes.FAILED_PRECONDITION, msg)
        return declared

    def _call_tool(
        self, declared: DeclaredTool, script_arguments: Mapping[str, Any]
    ) -> dict[str, Plain]:
        """Call a tool's function, record the call for the grader, and return the result's fields.

        Raises `CallError`.
        """
        tool = declared.tool
        arguments = declared.arguments(script_arguments)
        # The function may change its arguments, so the record gets another copy.
        recorded = declared.arguments(script_arguments)
        call = EnvironmentCall(tool.name, recorded, turn=self.turn)
        with recorded_refusals(self.calls, call):
            value = tool.function(**arguments)
        try:
            result = declared.result(recorded, value)
        except CallError as error:
            self.calls.append(replace(call, error=error.message))
            raise

        # Later calls may change the value if it is part of the tool's own data. So a copy
        # is recorded or, if it cannot be copied, what the script sees.
        as_json = str(result["value"])
        recorded_value = copied(value, if_impossible=as_json)
        self.calls.append(replace(call, result=recorded_value))
        return result


def _checked_files(files: Mapping[str, str], policy: str) -> dict[str, str]:
    """Return the files of a world, with one for the policy if there is a policy.

    Raises `ValueError` for a path that is not absolute.
    """
    texts = dict(files)
    if policy:
        texts[POLICY] = policy
    for path in texts:
        if not path.startswith("/") or path != normal_path(path):
            msg = f"the path of a file is absolute, as /data/rows.csv, not {path!r}"
            raise ValueError(msg)
    return texts


def _declared_tools(
    tools: Iterable[Tool], *, has_files: bool, has_user: bool
) -> dict[str, DeclaredTool]:
    """Return the tools by their names in scripts.

    Raises `ValueError` for a tool that scripts cannot call.
    """
    taken = set(RESERVED)
    if has_files:
        taken = {operation.name for operation in FILE_OPERATIONS}
    if has_user:
        taken.add(SAY.name)
    declared_tools = {}
    # Tools whose names are valid in scripts come first, so that they keep their names.
    for tool in sorted(tools, key=lambda tool: is_adapted(tool.name)):
        declared = tool.declared(taken)  # Adds its name to the taken ones.
        declared_tools[declared.operation.name] = declared
    return declared_tools


def _tool_schema(
    files: Mapping[str, str], policy: str, tools: list[Operation]
) -> ToolSchema:
    """Return the tool schema of a world. The first message shows its files and its policy."""
    operations = _file_operations(files)
    initial_calls = []
    if len(operations) > 1:
        arguments: dict[str, Plain] = {"root": "/", "level": SHOWN_TREE_LEVELS}
        tree = InitialCall("tree", arguments, longest_listing=SHOWN_TREE_NAMES)
        initial_calls.append(tree)
    if policy:
        initial_calls.append(InitialCall("read", {"path": POLICY}))
    folders = _top_folders(files)
    return ToolSchema(
        operations=(*operations, *tools),
        rules_document=POLICY if policy else "",
        initial_calls=tuple(initial_calls),
        named_files=NamedFiles(folders) if folders else None,
    )


def _file_operations(files: Mapping[str, str]) -> list[Operation]:
    """Return the calls about files: all, only `read` for a policy alone, or none."""
    names: frozenset[str] = frozenset()
    if files.keys() == {POLICY}:
        names = frozenset({"read"})
    elif files:
        names = FILE_CALLS
    return [operation for operation in FILE_OPERATIONS if operation.name in names]


def _top_folders(files: Mapping[str, str]) -> tuple[str, ...]:
    """Return the folders at the root: `/data` for `/data/rows.csv`."""
    folders = set()
    for path in files:
        name, slash, _ = path.removeprefix("/").partition("/")
        if slash:
            folders.add(f"/{name}")
    return tuple(sorted(folders))
