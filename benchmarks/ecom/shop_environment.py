"""The shop as a trial meets it: its files, tools and limits of calls, and the player by rules. No truth is known here.

The player shows what a run looks like without a model, and has no rule for most requests. It chooses a rule by the
words of the request. The rule's script decides in the first turn with the functions of `harness.tools`; the script of
the second turn acts and answers. A request without a rule is answered as unsupported.
"""

from __future__ import annotations

import time
from dataclasses import astuple, replace
from functools import lru_cache
from random import Random
from typing import Any, Final

from controlplane.benchmarks.ecom.shop_tools import BIN, ShopTools, tree_of
from controlplane.benchmarks.ecom.workspace import Workspace
from controlplane.benchmarks.shop.declarations import (
    EXECUTABLES,
    SECURITY_DOCUMENT,
    record_owners,
    shop_tool_schema,
)
from controlplane.local_benchmark import LocalEnvironment
from controlplane.sandbox import normal_path
from controlplane.sandbox.files import WorldFiles
from controlplane.sandbox.files.tool_world import TOOL_WORLD
from controlplane.sandbox.interface import (
    CallError,
    DocumentDates,
    NamedFiles,
    Plain,
    ToolSchema,
    error_codes,
)

TOOLS_MODULE: Final = "controlplane.benchmarks.ecom.shop_tools"
WORKER_MODULES: Final = (TOOL_WORLD, TOOLS_MODULE, "controlplane.benchmarks.ecom.records_sql")
CONSTANT: Final = (f"{BIN}id", f"{BIN}date")
"""Tools whose output stays the same for a whole trial; they and help need no worker."""


NAMED_FILES: Final = NamedFiles(
    ("/proc", "/uploads"), "/proc", search="search", most=8, each_chars=600, follows_records=False
)
TOOL_SCHEMA: Final = shop_tool_schema(NAMED_FILES, listing=6, ranked_chars=8_100, help_chars=200)


@lru_cache(maxsize=64)
def tool_schema_of(security_document: str, uploads: str, owner_field: str) -> ToolSchema:
    """Return the tool schema of worlds with these paths of access rules and uploads, and this field for a record's
    customer; all such worlds share one object."""
    initial_calls = tuple(
        replace(call, arguments={"path": security_document})
        if call.arguments.get("path") == SECURITY_DOCUMENT
        else call
        for call in TOOL_SCHEMA.initial_calls
    )
    return replace(
        TOOL_SCHEMA,
        initial_calls=initial_calls,
        named_files=replace(NAMED_FILES, roots=("/proc", uploads)),
        record_owners=record_owners((owner_field,)),
        document_dates=DocumentDates(zone="UTC", in_names=True),
    )


class EcomEnvironment(LocalEnvironment):
    """The shop that a trial's scripts work in."""

    def __init__(self, workspace: Workspace) -> None:
        world = WorldFiles(workspace.files, TOOLS_MODULE, workspace.directories, workspace.facts())
        tool_schema = tool_schema_of(
            workspace.security_document,
            workspace.uploads,
            workspace.names.field("customer_id"),
        )
        tree = tree_of(workspace.files, workspace.directories)
        self._tools_here = ShopTools(tree, workspace)
        super().__init__(tool_schema, world, tree, workspace.clock, self._tools_here.call)
        self.workspace = workspace
        self._flat: dict[str, str] | None = None
        self._timed_out: set[bytes] = set()
        self.changing_calls: list[tuple[str, ...]] = []
        """The calls that may have changed something, also if a later one undid it: operation, path, arguments."""

    def result_of(self, operation: str, arguments: dict[str, Any]) -> dict[str, Plain]:
        """Return the result of a call within the limits of this world."""
        declared, limits = self.tool_schema.operation(operation), self.workspace.limits
        if declared is not None and declared.subject in arguments:
            arguments[declared.subject] = self._canonical(arguments[declared.subject])
        if limits.listed and "limit" in arguments:
            arguments["limit"] = min(arguments["limit"] or limits.listed, limits.listed)
        result = (
            self._execute(**arguments)
            if operation == "exec"
            else super().result_of(operation, arguments)
        )
        path = str(result.get("path") or self.tree.resolve(str(arguments.get("path", "/"))))
        if not result.get("exit_code") and self.tool_schema.may_change(
            operation, {**arguments, "path": path}
        ):
            self.changing_calls.append((operation, path, *map(str, arguments.get("args", ()))))
        if operation == "read" and limits.read_lines:
            lines = str(result["content"]).splitlines(keepends=True)
            if len(lines) > limits.read_lines:
                result |= {"content": "".join(lines[: limits.read_lines]), "truncated": True}
        return result

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
        tool = self.tree.resolve(path)
        if tool is None:
            raise CallError(error_codes.NOT_FOUND, f"there is no {normal_path(path)}")
        if tool not in {one.path for one in EXECUTABLES}:
            raise CallError(
                error_codes.INVALID_ARGUMENT, f"{tool} is not a tool; tools are in /bin"
            )
        if self._times_out(tool, args, stdin):
            message = f"{tool.removeprefix(BIN)}: timed out, nothing was done; try again\n"
            return {"stdout": "", "stderr": message, "exit_code": 124}  # as `timeout(1)` has it
        is_constant = args == ["--help"] or tool in CONSTANT
        run = self._tools_here.call if is_constant else self.tool_result
        return run(tool.removeprefix(BIN), {"args": args, "stdin": stdin})

    def _times_out(self, path: str, args: list[str], stdin: str) -> bool:
        """Wait as long as a tool takes here, and say whether the call times out: at most once for each call."""
        limits = self.workspace.limits
        call = f"{self.workspace.clock}|{path}|{args}|{stdin}".encode("utf-8", "surrogatepass")
        if limits.tool_ms:
            time.sleep(limits.tool_ms / 1_000)
        if (
            call in self._timed_out
            or args == ["--help"]
            or Random(call).random() >= limits.timeout_share
        ):
            return False
        self._timed_out.add(call)
        return True
