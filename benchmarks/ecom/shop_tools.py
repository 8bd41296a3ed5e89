"""The tools in `/bin` of one trial, such as `/bin/checkout` and `/bin/sql`.

They carry out orders without checking any policy: what is allowed, the agent has to know.
After a failure, the exit code is 1. Most of them run in a process of the trial (a worker);
those whose output is always the same run in the process that controls the trial.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, cast

from controlplane.benchmarks.ecom import reading_tools
from controlplane.benchmarks.ecom.record_names import RecordNames, shown_schema
from controlplane.benchmarks.ecom.record_store import (
    RecordStore,
    expect,
    refuse,
    subject_of_subcommand,
)
from controlplane.benchmarks.ecom.workspace import Workspace
from controlplane.benchmarks.shop.shop_schema import EXECUTABLES
from controlplane.sandbox.files.file_tree import FileTree
from controlplane.sandbox.interface import Plain

if TYPE_CHECKING:
    from controlplane.benchmarks.ecom.records_sql import RecordsDatabase

# The tools in `/bin` that change records: `checkout`, `discount`, `payments`, `refund`.
#
# They carry out orders without checking any policy, so it is the agent who must know whether
# an order is right. `/bin/checkout basket-0012` marks the basket as bought, whoever owns it.


class ChangingTools:
    """The tools that change the records of one trial.

    Each method is a tool: it takes the tool's arguments, and returns what the tool prints. It
    raises `ValueError` to refuse a call, and if there is no such record. Fields and states
    of `record.data` have the names of the code; subcommands and what a tool prints have the
    names of the trial's world, from `_names`.
    """

    def __init__(self, records: RecordStore, workspace: Workspace) -> None:
        self._records = records
        self._names = workspace.names
        self._roots = workspace.roots
        self._next_restart = workspace.clock + workspace.verification_delay
        """When a card verification that is restarted now may be restarted again."""

    def checkout(self, arguments: Sequence[str]) -> str:
        """Mark a basket as bought: `checkout BASKET_ID`."""
        expect(arguments, 1, "a basket id")
        basket_id = arguments[0]
        basket = self._records.record(self._roots.baskets, basket_id)
        if basket.data.get("status") == "checked_out":
            refuse(f"{basket_id} is checked out already")
        basket.data["status"] = "checked_out"
        self._records.save(basket.path, basket.data)
        return f"{self._names.printed['checked_out']} {basket_id}\n"

    def discount(self, arguments: Sequence[str]) -> str:
        """Write a discount into a basket: `discount BASKET_ID PERCENT REASON_CODE ISSUER_ID`."""
        expect(
            arguments, 4, "a basket id, a percentage, a reason code and an issuer id"
        )
        basket_id, percent_text, reason, issuer = arguments
        percent = _percentage(percent_text)
        basket = self._records.record(self._roots.baskets, basket_id)
        # The lines are the last field of a basket, after the discount.
        lines = basket.data.pop("lines", [])
        basket.data["discount"] = {
            "percent": percent,
            "reason_code": reason,
            "issuer_id": issuer,
        }
        basket.data["lines"] = lines
        self._records.save(basket.path, basket.data)
        done = self._names.printed["discounted"]
        return f"{done} {basket_id} {percent} {reason} {issuer}\n"

    def payments(self, arguments: Sequence[str]) -> str:
        """Restart the card verification of a payment: `payments restart PAYMENT_ID`."""
        verbs = [self._names.verb("restart")]
        payment_id = subject_of_subcommand(arguments, verbs, "a payment id")
        payment = self._records.record(self._roots.payments, payment_id)
        verification = payment.data.get("verification")
        if not isinstance(verification, dict):
            refuse(f"{payment_id} has no verification")
        attempts = verification.get("attempts")
        if not isinstance(attempts, int):
            attempts = 0
        verification["state"] = "challenge_open"
        verification["attempts"] = attempts + 1
        verification["retry_after"] = self._next_restart.strftime("%Y-%m-%dT%H:%M:%SZ")
        self._records.save(payment.path, payment.data)
        return f"{self._names.printed['restarted']} {payment_id}\n"

    def refund(self, arguments: Sequence[str]) -> str:
        """Approve or close a return: `refund approve RETURN_ID`, `refund close RETURN_ID`."""
        next_statuses = {
            self._names.verb("approve"): "refund_pending",
            self._names.verb("close"): "closed",
        }
        verbs = list(next_statuses)
        return_id = subject_of_subcommand(arguments, verbs, "a return id")
        returned = self._records.record(self._roots.returns, return_id)
        next_status = next_statuses[arguments[0]]
        returned.data["status"] = next_status
        self._records.save(returned.path, returned.data)
        return f"{self._names.state(next_status)} {return_id}\n"


def _percentage(text: str) -> int:
    """Return a whole percentage from 1 to 100; refuse any other text."""
    is_number = text.isascii() and text.isdecimal()
    # Four digits are enough to see that a number is too large. `int` refuses very long ones.
    if not is_number or not 0 < int(text[:4]) <= 100:
        refuse(f"{text!r} is not a whole percentage from 1 to 100")
    return int(text)


# The help that each tool in `/bin` prints for `--help`.
#
# An agent learns from it how to call a tool. The names of tables and subcommands are those of
# its world.

USAGES: Final[Mapping[str, str]] = {
    "availability": """\
availability <branch_record_path|-> <sku>...

Prints a line per SKU: the SKU, a tab, the units available.""",
    "cat": """\
cat [-n|--number] [path ...]

Prints files, or stdin.""",
    "date": """\
date

Prints the current time in UTC.""",
    "id": """\
id

Prints the user and the roles of the session.""",
    "jq": """\
jq [-r|--raw-output] <filter> [path|-]

Filters: . .field .a.b .a[0] .a[] keys length, joined by |.""",
    "sql": """\
sql [query]

Runs one read-only SQLite query (argument or stdin) and prints CSV with a header.
At most 100 rows. Tables:
{schema}""",
    "checkout": """\
checkout <basket_id>

Marks the basket as bought. Applies no policy.""",
    "discount": """\
discount <basket_id> <percent> <reason_code> <issuer_id>

Writes the discount. Applies no policy.""",
    "payments": """\
payments {restart} <payment_id>

Opens a challenge and counts the attempt. Applies no policy.""",
    "refund": """\
refund {approve} <return_id>
       refund {close} <return_id>

Sets the return's status. Applies no policy.""",
}
"""The help of each tool: the usage line, then a description.

`{schema}` stands for the SQL tables, and `{restart}`, `{approve}` and `{close}` for
subcommands. Their names differ between worlds.
"""


def help_of(tool: str, names: RecordNames) -> str:
    """Return the help of a tool, with the names of tables and subcommands that a world shows."""
    usage = USAGES[tool].format(
        schema=shown_schema(names),
        restart=names.verb("restart"),
        approve=names.verb("approve"),
        close=names.verb("close"),
    )
    return f"usage: {usage}\n"


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
