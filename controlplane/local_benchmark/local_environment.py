"""The world that a trial's scripts work in: files, tools, a clock, and the submitted answer.

Calls on files are made in this process, in linear time. Tools run in the trial's worker
process, or in this process if there is no worker.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from controlplane.sandbox.interface import (
    FILE_OPERATIONS,
    CallError,
    Plain,
    ToolSchema,
    bound_arguments,
    error_codes,
    fresh_result,
)

if TYPE_CHECKING:
    from controlplane.sandbox import FileTree, Worker
    from controlplane.sandbox.files import WorldFiles

FILE_CALLS: Final = frozenset(
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
        if operation in FILE_CALLS and not is_tool:
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
