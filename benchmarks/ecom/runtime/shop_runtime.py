"""The files and tools of one trial, computed in its aide, or in this process if the trial has no aide."""

from __future__ import annotations

import time
from collections import ChainMap
from collections.abc import Callable, Mapping
from dataclasses import astuple
from random import Random
from typing import Any, Final, cast

from benchmarks.ecom.runtime.shop_surface import EXECUTABLES, SURFACE
from benchmarks.ecom.runtime.shop_tools import TOOLS, Output, ToolContext
from benchmarks.ecom.runtime.workspace import Workspace
from sandbox import FileTree, normal_path
from sandbox.files import AskedFiles
from sandbox.interface import CallError, Plain, bound_arguments, error_codes

BIN: Final = "/bin/"
CONSTANT: Final = (f"{BIN}id", f"{BIN}date")
"""Tools whose output stays the same for a whole trial."""
TIMED_OUT: Final = 124


class ShopRuntime:
    """Makes the calls of one trial. `changes` holds the changes of earlier calls by path, as in `FileTree`."""

    def __init__(
        self,
        workspace: Workspace,
        *,
        changes: Mapping[str, str | None] | None = None,
        on_change: Callable[[str, str | None], None] = lambda path, text: None,
    ) -> None:
        tools = {tool.path: f"#!veerhaven {tool.path.removeprefix(BIN)}\n{tool.summary}\n" for tool in EXECUTABLES}
        self._tree = FileTree(
            ChainMap(tools, cast("dict[str, str]", workspace.files)),
            directories=workspace.directories,
            changes=changes or {},
            ignore_case=True,
            writable=lambda path: not path.startswith(BIN),
            on_change=self._note,
        )
        self._on_change = on_change
        self._workspace = workspace
        self._context = ToolContext(self._tree, workspace)
        self._flat: dict[str, str] | None = None
        self._timed_out: set[str] = set()

    @property
    def changes(self) -> Mapping[str, str | None]:
        """The files written (path to text) and deleted (path to None) since the start."""
        return self._tree.changes

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        """Make one call of a declared operation and return its result fields. Raises `CallError`."""
        declared = SURFACE.operation(operation)
        if declared is None or declared.finds:
            raise CallError(error_codes.UNIMPLEMENTED, f"there is no operation {operation!r}")
        try:
            given: dict[str, Any] = bound_arguments(declared, (), dict(arguments))
        except TypeError as fault:
            raise CallError(error_codes.INVALID_ARGUMENT, str(fault)) from None
        if declared.subject in given:
            given[declared.subject] = self._canonical(given[declared.subject])
        limits = self._workspace.limits
        if limits.listed and "limit" in given:
            given["limit"] = min(given["limit"] or limits.listed, limits.listed)
        work = self._execute if operation == "exec" else getattr(self._tree, operation)
        result: dict[str, Plain] = work(**given)
        if operation == "read" and limits.read_lines:
            lines = str(result["content"]).splitlines(keepends=True)
            if len(lines) > limits.read_lines:
                result |= {"content": "".join(lines[: limits.read_lines]), "truncated": True}
        return result

    def _note(self, path: str, text: str | None) -> None:
        self._context.database = None
        self._on_change(path, text)

    def _canonical(self, path: str) -> str:
        """Return the listed path of a record named directly below its root, if this world resolves such paths."""
        if not self._workspace.flat_paths_resolve or self._tree.resolve(path) is not None:
            return path
        if self._flat is None:
            self._flat = {
                f"{root}/{listed.rsplit('/', 1)[1]}".casefold(): listed
                for root in astuple(self._workspace.roots)
                for listed in self._workspace.files
                if listed.startswith(root + "/")
            }
        listed = self._flat.get(normal_path(path).casefold())
        return listed if listed is not None and self._tree.resolve(listed) is not None else path

    def _execute(self, path: str, args: list[str], stdin: str) -> dict[str, Plain]:
        found = self._tree.resolve(path)
        if found is None:
            raise CallError(error_codes.NOT_FOUND, f"there is no {normal_path(path)}")
        tool = TOOLS.get(found.removeprefix(BIN)) if found.startswith(BIN) else None
        if tool is None:
            raise CallError(error_codes.INVALID_ARGUMENT, f"{found} is not a tool; tools are in /bin")
        output = self._late(found, args, stdin) or tool.execute(self._context, args, stdin)
        return {"stdout": output.stdout, "stderr": output.stderr, "exit_code": output.exit_code}

    def _late(self, path: str, args: list[str], stdin: str) -> Output | None:
        """Wait as long as a tool takes here; return its output if the call times out, at most once per call."""
        limits, call = self._workspace.limits, f"{self._workspace.clock}|{path}|{args}|{stdin}"
        if limits.tool_ms:
            time.sleep(limits.tool_ms / 1_000)
        if call in self._timed_out or args == ["--help"] or Random(call).random() >= limits.timeout_share:
            return None
        self._timed_out.add(call)
        return Output(stderr=f"{path.removeprefix(BIN)}: timed out, nothing was done; try again\n", exit_code=TIMED_OUT)


class _Aided:
    """The runtime while this process is an aide, and the changes of the current call."""

    runtime: ShopRuntime
    changed: list[Plain]


def begin(
    paths: list[str], directories: list[str], changes: dict[str, str | None], facts: dict[str, Any]
) -> list[Plain]:
    """Make the world in a new aide, and return the results of calls that turn one makes and no change affects.

    `sandbox.files.AidedFiles` calls it.
    """
    workspace = Workspace.from_facts(AskedFiles(paths), tuple(directories), facts)
    _Aided.runtime = ShopRuntime(
        workspace, changes=changes, on_change=lambda path, text: _Aided.changed.append([path, text])
    )
    if workspace.limits.tool_ms:
        return []
    asked: list[tuple[str, list[Plain]]] = [(tool.path, ["--help"]) for tool in EXECUTABLES]
    constant: list[Plain] = []
    for path, args in (*asked, *((tool_path, []) for tool_path in CONSTANT)):
        plainly: dict[str, Plain] = {"path": path, "args": args} if args else {"path": path}
        result = _Aided.runtime.call("exec", plainly)
        constant += [["exec", plainly, result], ["exec", {"path": path, "args": args, "stdin": ""}, result]]
    return constant


def call(operation: str, arguments: dict[str, Plain]) -> list[Plain]:
    """Make one call in an aide, and return its result and the changes that it made."""
    _Aided.changed = []
    return [_Aided.runtime.call(operation, arguments), _Aided.changed]
