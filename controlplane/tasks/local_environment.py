"""The environment of a trial whose world is in this process: its files, its one answer, its changing calls.

Calls of files are made here, in linear time; tools compute in the trial's worker, or in this process if there is none.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from sandbox.interface import (
    FILE_OPERATIONS,
    CallError,
    Operation,
    Plain,
    ToolSchema,
    bound_arguments,
    error_codes,
    fresh_result,
)

if TYPE_CHECKING:
    from sandbox import FileTree, Worker
    from sandbox.files import WorldFiles

FILE_CALLS: Final = frozenset(operation.name for operation in FILE_OPERATIONS if operation.name != "exec")


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """The one answer of a trial, as submitted."""

    message: str
    outcome: str
    refs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ChangingCall:
    """A call that succeeded and may have changed the world."""

    operation: str
    path: str
    """The file, or the tool that was run, in the spelling of the tool_schema."""
    args: tuple[str, ...] = ()


class LocalEnvironment:
    """The world that a trial's scripts work in. Changes stay within the trial. Calls may come from any thread."""

    def __init__(
        self,
        tool_schema: ToolSchema,
        world: WorldFiles,
        tree: FileTree,
        clock: datetime | None = None,
        run_tool: Callable[[str, dict[str, Any]], dict[str, Plain]] | None = None,
    ) -> None:
        """`run_tool` makes the call of a tool in this process; None if there are none, or in a worker alone."""
        self.submission: GivenAnswer | None = None
        self.changing_calls: list[ChangingCall] = []
        """The calls so far that may have changed something, also if a later call undid it."""
        self.tool_schema = tool_schema
        self.first_files = world.texts
        """The files by path as the trial found them."""
        self.tree = tree
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
        """Run the tools in `worker`, which has not begun, from now on."""
        from sandbox.files.tool_world import WorkerTools

        with self._lock:
            self._run_tool = WorkerTools(worker, self.tree, self._world).call

    def now(self) -> datetime | None:
        """Return the world's clock, None if the world has no clock."""
        return self._clock

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        """Make one call of a declared operation and return its result fields. Raises `CallError`."""
        with self._lock:
            self._refuse_when_ended()
            declared = self.tool_schema.operation(operation)
            if declared is None or declared.finds:
                raise CallError(error_codes.UNIMPLEMENTED, f"there is no operation {operation[:60]!r}")
            bound: dict[str, Any] = bound_arguments(declared, (), dict(arguments))
            result = self.result_of(operation, bound)
            self._record_change(declared, bound, result)
        return fresh_result(operation, result)

    def _record_change(self, declared: Operation, arguments: Mapping[str, Any], result: Mapping[str, Plain]) -> None:
        if result.get(declared.exit_field or "", 0) != 0:
            return
        subject = str(result.get("path") or arguments.get(declared.subject))
        tools = {tool.path.casefold(): tool.path for tool in self.tool_schema.executables}
        path = tools.get(subject.casefold(), subject)
        if self.tool_schema.may_change(declared.name, {**arguments, declared.subject: path}):
            args = tuple(map(str, arguments.get("args") or ()))
            self.changing_calls.append(ChangingCall(declared.name, path, args))

    def result_of(self, operation: str, arguments: dict[str, Any]) -> dict[str, Plain]:
        """Return the result of a call with all its arguments: of files here, of anything else by the tools."""
        declared = self.tool_schema.operation(operation)
        if operation in FILE_CALLS and not (declared and declared.parsed_field):  # A tool may have such a name.
            result: dict[str, Plain] = getattr(self.tree, operation)(**arguments)
            return result
        return self.tool_result(operation, arguments)

    def tool_result(self, operation: str, arguments: dict[str, Any]) -> dict[str, Plain]:
        """Return the result of a call that the tools make, in the worker if there is one."""
        if self._run_tool is None:
            raise CallError(error_codes.UNIMPLEMENTED, "there are no tools in this process")
        return self._run_tool(operation, arguments)

    def knows_file(self, path: str) -> bool:
        """Say whether a file is at exactly `path`, or was there at the start, or a server returned it as its result."""
        is_tool = any(path == tool.path for tool in self.tool_schema.executables)
        is_result = path.startswith("/mcp/")
        return is_tool or is_result or path in self.first_files or self.changes.get(path) is not None

    def answer(self, message: str, outcome: str, refs: Sequence[str]) -> None:
        """Submit the trial's one answer. Raises `CallError`: `already_exists` for a second one."""
        with self._lock:
            self._refuse_when_ended()
            if self.submission is not None:
                raise CallError(error_codes.ALREADY_EXISTS, "this trial has its answer already")
            self.submission = GivenAnswer(message, outcome, tuple(refs))

    def close(self) -> None:
        """End the trial: every later call fails with `failed_precondition`."""
        with self._lock:
            self._is_open = False

    def _refuse_when_ended(self) -> None:
        if not self._is_open:
            raise CallError(error_codes.FAILED_PRECONDITION, "this trial has ended")
