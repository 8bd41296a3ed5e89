"""The tools in `/bin` of one trial, such as `/bin/checkout` and `/bin/sql`.

They carry out orders without checking any policy: what is allowed, the agent has to know.
After a failure, the exit code is 1. Most of them run in a process of the trial (a worker);
those whose output is always the same run in the process that controls the trial.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, cast

from controlplane.benchmarks.ecom.tools import reading_tools
from controlplane.benchmarks.ecom.tools.changing_tools import ChangingTools
from controlplane.benchmarks.ecom.tools.record_store import RecordStore
from controlplane.benchmarks.ecom.tools.tool_arguments import expect, refuse
from controlplane.benchmarks.ecom.tools.usages import help_of
from controlplane.benchmarks.ecom.workspace import Workspace
from controlplane.benchmarks.shop.shop_executables import EXECUTABLES
from controlplane.sandbox.files.file_tree import FileTree
from controlplane.sandbox.interface import Plain

if TYPE_CHECKING:
    from controlplane.benchmarks.ecom.records_sql import RecordsDatabase

SQL_ERROR: Final = "SQL logic error: "
"""Messages that start with this are printed without the tool's name, as on the platform."""
BIN: Final = "/bin/"
MAX_MESSAGE_CHARS: Final = 500


class ShopTools:
    """The tools in `/bin`, working on the files of one trial. Created for each trial."""

    def __init__(self, tree: FileTree, workspace: Workspace) -> None:
        self.tree = tree
        """The files, which a worker also reads after a call."""
        self._workspace = workspace
        self._records = RecordStore(tree, workspace.names)
        self._changing_tools = ChangingTools(self._records, workspace)
        self._database: RecordsDatabase | None = None
        """A copy of the records for queries. The first query after a change creates it."""

    def call(self, operation: str, arguments: Mapping[str, Any]) -> dict[str, Plain]:
        """Run a tool and return its `stdout`, `stderr` and `exit_code`.

        `call("cat", {"args": ["/docs/a.md"], "stdin": ""})` is `cat /docs/a.md`.
        """
        tool_arguments = list(arguments["args"])
        try:
            if tool_arguments == ["--help"]:
                stdout = help_of(operation, self._workspace.names)
            else:
                stdout = self._run(operation, tool_arguments, arguments["stdin"])
        except (ValueError, OverflowError, RecursionError) as failure:
            # Scripts can write records with huge numbers or very deep nesting.
            message = " ".join(str(failure).splitlines())[:MAX_MESSAGE_CHARS]
            if not message.startswith(SQL_ERROR):
                message = f"{operation}: {message}"
            return {"stdout": "", "stderr": f"{message}\n", "exit_code": 1}
        return {"stdout": stdout, "stderr": "", "exit_code": 0}

    def _run(self, tool: str, arguments: list[str], stdin: str) -> str:
        """Run a tool and return its output. Raises `ValueError` if the tool refuses the call."""
        match tool:
            case "availability":
                names = self._workspace.names
                return reading_tools.availability(self.tree, names, arguments, stdin)
            case "cat":
                return reading_tools.cat(self.tree, arguments, stdin)
            case "jq":
                return reading_tools.jq(self.tree, arguments, stdin)
            case "sql":
                return self._sql(arguments, stdin)
            case "date":
                expect(arguments, 0, "no arguments")
                return self._workspace.clock.strftime("%Y-%m-%dT%H:%M:%SZ\n")
            case "id":
                expect(arguments, 0, "no arguments")
                roles = ", ".join(self._workspace.roles)
                return f"user: {self._workspace.user}\nroles: {roles}\n"
            case "checkout":
                return self._changing_tools.checkout(arguments)
            case "discount":
                return self._changing_tools.discount(arguments)
            case "payments":
                return self._changing_tools.payments(arguments)
            case "refund":
                return self._changing_tools.refund(arguments)
        raise KeyError(tool)

    def _sql(self, arguments: Sequence[str], stdin: str) -> str:
        """Answer a query: `sql QUERY`, or `sql` with the query on stdin."""
        if not self._workspace.sql_is_up:
            refuse(self._workspace.names.outage)
        query = arguments[0] if arguments else stdin
        if len(arguments) > 1 or not query.strip():
            refuse("expected one query, as the only argument or on stdin")
        # Import here, so that the trusted process never loads SQLite.
        from controlplane.benchmarks.ecom.records_sql import RecordsDatabase

        if self._database is None or not self._database.is_current:
            self._database = RecordsDatabase(self._records, self._workspace)
        return self._database.answer(query, self._workspace.sql_rows)


def tree_of(files: Mapping[str, str], directories: tuple[str, ...]) -> FileTree:
    """Return the file tree of a shop: its files, and one read-only file for each tool."""
    tools = {}
    for tool in EXECUTABLES:
        name = tool.path.removeprefix(BIN)
        tools[tool.path] = f"#!veerhaven {name}\n{tool.summary}\n"
    return FileTree(
        ChainMap(tools, cast("dict[str, str]", files)),
        directories=directories,
        ignore_case=True,
        writable=lambda path: not path.startswith(BIN),
    )


def open_tools(
    files: Mapping[str, str], directories: tuple[str, ...], data: Any
) -> ShopTools:
    """Return the tools for a world's files, in a worker. `data` comes from `Workspace.facts`."""
    tree = tree_of(files, directories)
    workspace = Workspace.from_facts(files, directories, data)
    return ShopTools(tree, workspace)
