"""The environment of a trial in the embedded shop."""

from __future__ import annotations

import time
from dataclasses import astuple, replace
from functools import cached_property, lru_cache
from random import Random
from typing import Any, Final

from controlplane.benchmarks.ecom.shop_tools import BIN, ShopTools, tree_of
from controlplane.benchmarks.ecom.workspace import Workspace
from controlplane.benchmarks.shop.shop_schema import (
    EXECUTABLES,
    SECURITY_DOCUMENT,
    record_owners,
    shop_tool_schema,
)
from controlplane.sandbox import FileTree, normal_path
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
from controlplane.tool_benchmark.environments import LocalEnvironment

# Flat paths of records: without the folders between root and record.
#
# Some worlds accept them: `/proc/carts/b7.json` for `/proc/carts/c1/b7.json`, where `c1` is
# the customer. Ids are unique in a world, so a flat path means one record.

# Calls of tools that time out in some worlds, as in a shop whose systems are slow.
#
# In a world with the share 0.02, 2 percent of the calls time out. Such a call does nothing, and
# succeeds when it is made again.


class _ToolTimeouts:
    """Decides which calls time out.

    They are the same in every trial of a world, and each times out at most once.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._clock = workspace.clock
        """The time in the world, which stands still. It tells worlds apart."""
        self._share = workspace.limits.timeout_share
        self._timed_out: set[bytes] = set()
        """The calls that have timed out."""

    def times_out(self, path: str, args: list[str], stdin: str) -> bool:
        """Return True if a call times out, and record that it did."""
        text = f"{self._clock}|{path}|{args}|{stdin}"
        call = text.encode("utf-8", "surrogatepass")
        if call in self._timed_out or args == ["--help"]:
            return False
        # A number from 0 to 1, for which the call is the seed. So a trial that is run again
        # gets the same timeouts.
        draw = Random(call).random()
        if draw >= self._share:
            return False
        self._timed_out.add(call)
        return True


class _FlatPaths:
    """Finds records by their flat paths."""

    def __init__(self, workspace: Workspace, tree: FileTree) -> None:
        self._workspace = workspace
        self._tree = tree

    def in_full(self, path: str) -> str:
        """Return the path of a record for a flat path, and any other path unchanged."""
        tree = self._tree
        if not self._workspace.flat_paths_resolve or tree.resolve(path) is not None:
            return path
        full_path = self._records.get(normal_path(path).casefold())
        if full_path is None or tree.resolve(full_path) is None:  # It may be deleted.
            return path
        return full_path

    @cached_property
    def _records(self) -> dict[str, str]:
        """The path of each record, by its flat path in lower case."""
        records = {}
        roots = astuple(self._workspace.roots)  # the folder of each kind of record
        for root in roots:
            for path in self._workspace.files:
                if path.startswith(root + "/"):
                    name = path.rsplit("/", 1)[1]
                    records[f"{root}/{name}".casefold()] = path
        return records


# The shop in one trial: its files, its tools, and the limits of its calls.
#
# The right answer is not stored here; only the grader has it.

# The tool schemas of shops: what agents may call, and what the initial prompt shows.
#
# Worlds differ in three names that a tool schema has: the page with the access rules, the
# directory of uploads, and the field of a record that has its customer. Worlds with the same
# names share one schema.

# Limits of the initial prompt
_MAX_NAMED_FILES: Final = 8
"""The most files that are shown because the request refers to them."""
_SIMILAR_FILE_CHARS: Final = 600
"""The most characters of a file that the request does not name, but resembles."""
_MAX_LISTED_NAMES: Final = 6
"""The most names of one folder in the tree of files."""
_PAGE_CHARS: Final = 7_400
"""The most characters of all pages that fit the request."""
_HELP_CHARS: Final = 200
"""The most characters of one tool's help."""

_NAMED_FILES: Final = NamedFiles(
    roots=("/proc", "/uploads"),  # Requests refer to records and uploads.
    records="/proc",
    search="search",  # The operation that finds a record by its name.
    most=_MAX_NAMED_FILES,
    each_chars=_SIMILAR_FILE_CHARS,
    follows_records=False,  # The basket of a shown payment is not shown as well.
)
"""The files that the initial prompt shows because the request refers to them.

For "What is the status of basket-0012?", it shows the record of this basket.
"""
TOOL_SCHEMA: Final = shop_tool_schema(
    _NAMED_FILES,
    listing=_MAX_LISTED_NAMES,
    ranked_chars=_PAGE_CHARS,
    help_chars=_HELP_CHARS,
)
"""The tool schema of worlds with the names of the public benchmark."""


@lru_cache(maxsize=64)
def _tool_schema_of(
    security_document: str, uploads: str, owner_field: str
) -> ToolSchema:
    """Return the tool schema for worlds with these names. All such worlds share one object.

    The arguments are the path of the access rules, the directory of uploads, and the
    field that names a record's customer: `/docs/access.md`, `/scans`, `owner`.
    """
    initial_calls = []
    for call in TOOL_SCHEMA.initial_calls:
        if call.arguments.get("path") == SECURITY_DOCUMENT:
            initial_calls.append(replace(call, arguments={"path": security_document}))
        else:
            initial_calls.append(call)
    return replace(
        TOOL_SCHEMA,
        initial_calls=tuple(initial_calls),
        named_files=replace(_NAMED_FILES, roots=("/proc", uploads)),
        record_owners=record_owners((owner_field,)),
        # A notice is valid from the day in its name: `/docs/notice-2027-03-01.md`.
        document_dates=DocumentDates(zone="UTC", in_names=True),
    )


_TOOLS_MODULE: Final = "controlplane.benchmarks.ecom.shop_tools"
WORKER_MODULES: Final = (
    TOOL_WORLD,
    _TOOLS_MODULE,
    "controlplane.benchmarks.ecom.records_sql",
)
_TIMED_OUT_EXIT_CODE: Final = 124
"""The same exit code as that of `timeout(1)`."""
_CONSTANT_TOOLS: Final = (f"{BIN}id", f"{BIN}date")
"""Tools whose output never changes in a trial. Like `--help`, they run without a worker."""


class EcomEnvironment(LocalEnvironment):
    """The shop in which a trial's scripts work. Created for each trial."""

    def __init__(self, workspace: Workspace) -> None:
        tree = tree_of(workspace.files, workspace.directories)
        self._tools_here = ShopTools(tree, workspace)
        """The tools in this process, for calls that need no worker, and if there is none."""
        super().__init__(
            tool_schema=_tool_schema_of(
                workspace.security_document,
                workspace.uploads,
                workspace.names.field("customer_id"),
            ),
            # What a worker needs: scripts are not trusted, so most tools run in a process of
            # the trial, which makes its own tools from `_TOOLS_MODULE`.
            world=WorldFiles(
                workspace.files, _TOOLS_MODULE, workspace.directories, workspace.facts()
            ),
            tree=tree,
            clock=workspace.clock,
            run_tool=self._tools_here.call,
        )
        self.workspace = workspace
        self._flat_paths = _FlatPaths(workspace, tree)
        """Finds records by short paths, which some worlds accept, too."""
        self._timeouts = _ToolTimeouts(workspace)
        """Decides which calls of tools time out, in worlds where tools are unreliable."""
        self.changing_calls: list[tuple[str, ...]] = []
        """The calls that may have changed something: `("exec", "/bin/checkout", "basket-1")`.

        A call stays in the list if a later one undoes its change.
        """

    def result_of(self, operation: str, arguments: dict[str, Any]) -> dict[str, Plain]:
        """Return the result of a call, and note if it may have changed something.

        A world may limit calls: `read` then returns at most 160 lines, and a tool may time
        out.
        """
        arguments = self._adapted(operation, arguments)
        if operation == "exec":
            result = self._execute(**arguments)
        else:
            result = super().result_of(operation, arguments)
        self._note_change(operation, arguments, result)
        max_lines = self.workspace.limits.read_lines
        if operation == "read" and max_lines:
            return _cut(result, max_lines)
        return result

    def _adapted(self, operation: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """Return a call's arguments with the path in full and a limit that this world allows."""
        adapted = dict(arguments)
        declared = self.tool_schema.operation(operation)
        if declared is not None and declared.subject in adapted:
            path = adapted[declared.subject]  # The subject of each operation is a path.
            adapted[declared.subject] = self._flat_paths.in_full(path)
        most_listed = self.workspace.limits.listed
        if "limit" in adapted and most_listed:
            # With 60, a call that wants 20 names gets 20, and one that wants 100, or all (0), gets 60.
            adapted["limit"] = min(adapted["limit"] or most_listed, most_listed)
        return adapted

    def _note_change(
        self, operation: str, arguments: dict[str, Any], result: dict[str, Plain]
    ) -> None:
        """Record a call that may have changed something, unless its tool failed."""
        if result.get("exit_code"):
            return
        # Which tools may change something is declared for full paths. Some results have the
        # full path of the file or tool; else follow the links of the requested one.
        requested_path = str(arguments.get("path", "/"))
        path = str(result.get("path") or self.tree.resolve(requested_path))
        if self.tool_schema.may_change(operation, {**arguments, "path": path}):
            tool_arguments = [str(argument) for argument in arguments.get("args", ())]
            self.changing_calls.append((operation, path, *tool_arguments))

    def _execute(self, path: str, args: list[str], stdin: str) -> dict[str, Plain]:
        """Return the result of a tool, which may time out."""
        tool_path = _path_of_tool(self.tree.resolve(path), path)
        tool = tool_path.removeprefix(BIN)
        if self.workspace.limits.tool_ms:
            time.sleep(self.workspace.limits.tool_ms / 1_000)
        if self._timeouts.times_out(tool_path, args, stdin):
            message = f"{tool}: timed out, nothing was done; try again\n"
            return {"stdout": "", "stderr": message, "exit_code": _TIMED_OUT_EXIT_CODE}
        arguments = {"args": args, "stdin": stdin}
        if args == ["--help"] or tool_path in _CONSTANT_TOOLS:
            return self._tools_here.call(tool, arguments)
        return self.tool_result(tool, arguments)  # in a worker


def _path_of_tool(resolved_path: str | None, path: str) -> str:
    """Return the path to which `path` was resolved. Raises `CallError` if it is not a tool's."""
    if resolved_path is None:
        raise CallError(error_codes.NOT_FOUND, f"there is no {normal_path(path)}")
    if resolved_path not in [executable.path for executable in EXECUTABLES]:
        msg = f"{resolved_path} is not a tool; tools are in /bin"
        raise CallError(error_codes.INVALID_ARGUMENT, msg)
    return resolved_path


def _cut(result: dict[str, Plain], max_lines: int) -> dict[str, Plain]:
    """Return a result with its content cut after `max_lines` lines."""
    lines = str(result["content"]).splitlines(keepends=True)
    if len(lines) <= max_lines:
        return result
    return {**result, "content": "".join(lines[:max_lines]), "truncated": True}
