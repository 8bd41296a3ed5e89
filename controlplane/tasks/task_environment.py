"""The environment of a task written in Python: files, tools, a policy document, a clock, a simulated user."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from controlplane.tasks.local_environment import FILE_CALLS, GivenAnswer, LocalEnvironment
from controlplane.tasks.tool import ENDED, RESERVED, Tool
from sandbox import FileTree, normal_path
from sandbox.files import WorldFiles
from sandbox.interface import (
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
        self._tools = [(tool, tool.declared(taken)) for tool in tools]
        self._user = user
        tool_schema = _tool_schema(texts, policy, [one for _, one in self._tools], has_user=bool(user))
        self.runtime = LocalEnvironment(tool_schema, WorldFiles(texts, ""), FileTree(texts), clock, self.call)
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
    def _given(self) -> GivenAnswer | None:
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
        if name == SAY.name and self._user is not None:
            reply = self._made(name, {"text": given["text"]}, self._user)
            self.is_over = self.is_over or reply is None
            fields: dict[str, Plain] = {"reply": "" if reply is None else str(reply)}
        else:
            tool, declared = next(pair for pair in self._tools if pair[1].name == name)
            arguments = tool.arguments(declared, given)
            fields = tool.result(declared, arguments, self._made(tool.own_name, arguments, tool.function))
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


def _tool_schema(files: Mapping[str, str], policy: str, tools: list[Operation], *, has_user: bool) -> ToolSchema:
    """Return the declaration of an environment. The first message shows its tree and its policy."""
    names = {"read"} if files.keys() == {POLICY} else FILE_CALLS if files else set()
    operations = tuple(one for one in FILE_OPERATIONS if one.name in names)
    initial_calls = [InitialCall("tree", {"root": "/", "level": 8}, longest_listing=6)] if len(operations) > 1 else []
    if policy:
        initial_calls.append(InitialCall("read", {"path": POLICY}))
    roots = {f"/{path.split('/')[1]}" for path in files if path.count("/") > 1}
    return ToolSchema(
        operations=(*operations, *tools, *([SAY] if has_user else [])),
        rules_document=POLICY if policy else "",
        initial_calls=tuple(initial_calls),
        named_files=NamedFiles(tuple(sorted(roots))) if roots else None,
    )
