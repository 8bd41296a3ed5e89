"""The environment of one trial: a file tree, tools, a clock, and one answer. It knows nothing of the truth."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple, dataclass
from datetime import datetime
from typing import Final

from benchmarks.ecom.runtime.shop_surface import SURFACE
from benchmarks.ecom.runtime.tools import TOOLS
from benchmarks.ecom.runtime.tools.tool_context import ToolContext
from benchmarks.ecom.runtime.workspace import LayeredFiles, Workspace
from sandbox import FileTree, normal_path
from sandbox.interface import CallError, Operation, Plain, Required, Surface, error_codes

BIN: Final = "/bin/"


@dataclass(frozen=True, slots=True)
class Submission:
    """The one answer of a trial, as submitted."""

    message: str
    outcome: str
    refs: tuple[str, ...]


class EcomEnvironment:
    """The world that a trial's scripts work in. Changes stay within the trial."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.tree = FileTree(
            _with_tools(workspace.files), directories=workspace.directories, ignore_case=True, writable=_is_writable
        )
        self.submission: Submission | None = None
        self._context = ToolContext(self.tree, workspace)
        self._flat: dict[str, str] | None = None
        self._is_open = True
        self._operations: dict[str, Callable[..., dict[str, Plain]]] = {
            "read": self.tree.read,
            "list": self.tree.list,
            "tree": self.tree.tree,
            "find": self.tree.find,
            "search": self.tree.search,
            "stat": self.tree.stat,
            "write": self.tree.write,
            "delete": self.tree.delete,
            "exec": self._execute,
        }

    @property
    def surface(self) -> Surface:
        """The operations, tools, rules document and opening calls; the same in every world."""
        return SURFACE

    def now(self) -> datetime | None:
        """Return the world's clock, which `/bin/date` prints."""
        return self.workspace.clock

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        """Make one call of a declared operation and return its result fields. Raises `CallError`."""
        self._refuse_when_ended()
        declared = SURFACE.operation(operation)
        if declared is None:
            raise CallError(error_codes.UNIMPLEMENTED, f"there is no operation {operation!r}")
        given = _checked(declared, arguments)
        if declared.subject in given:
            given[declared.subject] = self._canonical(str(given[declared.subject]))
        return self._operations[operation](**given)

    def answer(self, message: str, outcome: str, refs: Sequence[str]) -> None:
        """Submit the trial's one answer. Raises `CallError`: `already_exists` for a second one."""
        self._refuse_when_ended()
        if self.submission is not None:
            raise CallError(error_codes.ALREADY_EXISTS, "this trial has its answer already")
        self.submission = Submission(message, outcome, tuple(refs))

    def close(self) -> None:
        """End the trial: every later call fails with `failed_precondition`."""
        self._is_open = False

    def _refuse_when_ended(self) -> None:
        if not self._is_open:
            raise CallError(error_codes.FAILED_PRECONDITION, "this trial has ended")

    def _canonical(self, path: str) -> str:
        """Return the listed path of a record named directly below its root, if this world resolves such paths."""
        if not self.workspace.flat_paths_resolve or self.tree.resolve(path) is not None:
            return path
        if self._flat is None:
            self._flat = {
                f"{root}/{listed.rsplit('/', 1)[1]}".casefold(): listed
                for root in astuple(self.workspace.roots)
                for listed in self.workspace.files
                if listed.startswith(root + "/")
            }
        listed = self._flat.get(normal_path(path).casefold())
        return listed if listed is not None and self.tree.resolve(listed) is not None else path

    def _execute(self, path: str, args: list[str], stdin: str) -> dict[str, Plain]:
        found = self.tree.resolve(path)
        if found is None:
            raise CallError(error_codes.NOT_FOUND, f"there is no {normal_path(path)}")
        tool = TOOLS.get(found.removeprefix(BIN)) if found.startswith(BIN) else None
        if tool is None:
            raise CallError(error_codes.INVALID_ARGUMENT, f"{found} is no tool; tools are in /bin")
        output = tool.execute(self._context, args, stdin)
        return {"stdout": output.stdout, "stderr": output.stderr, "exit_code": output.exit_code}


def _with_tools(files: Mapping[str, str]) -> Mapping[str, str]:
    return LayeredFiles(
        {f"{BIN}{tool.name}": f"#!veerhaven {tool.name}\n{tool.summary}\n" for tool in TOOLS.values()}, files
    )


def _is_writable(path: str) -> bool:
    return not path.startswith(BIN)


def _checked(operation: Operation, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
    """Return the arguments with defaults filled in. Raises `CallError` for an unknown, missing or mistyped one."""
    unknown = sorted(set(arguments) - {each.name for each in operation.parameters})
    if unknown:
        raise CallError(error_codes.INVALID_ARGUMENT, f"{operation.name} has no argument {unknown[0]!r}")
    given: dict[str, Plain] = {}
    for parameter in operation.parameters:
        value = arguments.get(parameter.name, parameter.default)
        if isinstance(value, Required):
            raise CallError(error_codes.INVALID_ARGUMENT, f"{operation.name} needs the argument {parameter.name!r}")
        if not _fits(value, parameter.type):
            raise CallError(
                error_codes.INVALID_ARGUMENT, f"{operation.name}: {parameter.name} must be {parameter.type}"
            )
        given[parameter.name] = value
    return given


def _fits(value: Plain, wanted: str) -> bool:
    if wanted == "list[str]":
        return isinstance(value, list | tuple) and all(isinstance(each, str) for each in value)
    kinds = {"str": str, "int": int, "bool": bool}
    return isinstance(value, kinds[wanted]) and (wanted == "bool" or not isinstance(value, bool))
