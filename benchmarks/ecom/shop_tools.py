"""The programs of the embedded shop, which scripts run as `/bin/NAME`."""

from __future__ import annotations

import json
import re
from collections import ChainMap
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, cast

from controlplane.benchmarks.ecom.record_store import (
    RecordNames,
    RecordStore,
    expect,
    parsed_json,
    refuse,
    shown_schema,
    subject_of_subcommand,
)
from controlplane.benchmarks.ecom.workspace import Workspace
from controlplane.benchmarks.shop.shop_schema import EXECUTABLES
from controlplane.sandbox.files.file_tree import FileTree
from controlplane.sandbox.interface import Plain

if TYPE_CHECKING:
    from controlplane.benchmarks.ecom.records_sql import RecordsDatabase

# The tools in `/bin` that only read: `cat`, `jq` and `availability`.
#
# Each takes its arguments and what is on stdin, and returns what it prints. A refusal is a
# `ValueError`.

# The filters of `/bin/jq`, a small part of the real jq.
#
# They are `.`, `.field`, `.a.b`, `.a[0]`, `.a[]`, `keys` and `length`, joined by `|`. For
# example, `.lines[] | .sku` gives the SKU of each line of a basket. A filter takes one value
# and has any number of results.

STEP: Final = re.compile(
    r"\.(?P<field>[A-Za-z_]\w*)"  # `.name`: the value of a field
    r"|\.?\[(?P<index>-?\d{1,9})\]"  # `[0]` or `.[0]`: one item of a list
    r"|(?P<all>\.?\[\])"  # `[]` or `.[]`: all items of a list, or all values of an object
    r"|(?P<same>\.\Z)"  # `.` at the end: the value itself
)
"""One step of a path. `.a[0].b` has three: `.a`, `[0]` and `.b`."""


def _results_of(stage: str, data: Plain) -> list[Plain]:
    """Return the results of one stage for a value: `.a[0]` of `{"a": [5]}` -> `[5]`."""
    if stage == "length" and isinstance(data, str | list | dict | None):
        return [len(data or "")]
    if stage == "keys" and isinstance(data, list):
        return [list(range(len(data)))]
    if stage == "keys" and isinstance(data, dict):
        return [list(sorted(data))]

    # Any other stage is a path. It has no steps if it is empty; then the result is the value.
    values = [data]
    position = 0
    while position < len(stage):
        step = STEP.match(stage, position)
        if step is None:
            msg = f"cannot take {stage!r} of {type(data).__name__}"
            raise ValueError(msg)
        picked: list[Plain] = []
        for value in values:
            picked += _picked(step, value)
        values = picked
        position = step.end()
    return values


def _picked(step: re.Match[str], data: Plain) -> Iterable[Plain]:
    """Return the parts of a value that one step selects: `[]` of `[4, 12]` -> `[4, 12]`.

    Raises `ValueError` if such a value has no such parts.
    """
    match step.lastgroup:
        case "same":
            return [data]
        case "field":
            if isinstance(data, dict):
                return [data.get(step["field"])]
            if data is None:  # A field of a missing field is missing, too.
                return [None]
        case "index":
            if isinstance(data, list):
                # A negative index counts from the end. No item is there beyond the ends.
                index = int(step["index"])
                return [data[index] if -len(data) <= index < len(data) else None]
        case "all":
            if isinstance(data, list):
                return data
            if isinstance(data, dict):
                return data.values()
    msg = f"cannot take {step[0]!r} of {type(data).__name__}"
    raise ValueError(msg)


def cat(tree: FileTree, arguments: Sequence[str], stdin: str) -> str:
    """Print files, or stdin without a path: `cat [-n] [PATH ...]`."""
    has_numbers = bool(arguments) and arguments[0] in ("-n", "--number")
    paths = arguments[1:] if has_numbers else arguments
    text = stdin
    if paths:
        text = "".join(_text(tree, path, stdin) for path in paths)
    if not has_numbers:
        return text
    numbered_lines = []
    for number, line in enumerate(text.splitlines(keepends=True), start=1):
        numbered_lines.append(f"{number:6d}\t{line}")
    return "".join(numbered_lines)


def jq(tree: FileTree, arguments: Sequence[str], stdin: str) -> str:
    """Print the values that a filter finds in JSON data: `jq [-r] FILTER [PATH]`."""
    remaining = list(arguments)
    is_raw = bool(remaining) and remaining[0] in ("-r", "--raw-output")
    if is_raw:
        remaining.pop(0)
    if len(remaining) not in (1, 2):
        refuse("expected a filter and at most one path")
    program = remaining[0]
    path = remaining[1] if len(remaining) == 2 else "-"  # `-` stands for stdin.
    values = [parsed_json(_text(tree, path, stdin), path)]
    for stage in program.split("|"):
        results: list[Plain] = []
        for value in values:
            results += _results_of(stage.strip(), value)
        values = results
    lines = []
    for value in values:
        if is_raw and isinstance(value, str):
            lines.append(value)
        else:
            lines.append(json.dumps(value, indent=2, ensure_ascii=False))
    return "".join(f"{line}\n" for line in lines)


def availability(
    tree: FileTree, names: RecordNames, arguments: Sequence[str], stdin: str
) -> str:
    """Print the units of each SKU that a branch can sell today, one SKU a line.

    `availability BRANCH_RECORD_PATH SKU...` -> `VH-TNT-2P\t4\n`. The path `-` stands for
    stdin.
    """
    if len(arguments) < 2:
        refuse("expected the path of a branch record (or -) and at least one SKU")
    path, *skus = arguments
    store = parsed_json(_text(tree, path, stdin), path)
    rows = None
    if isinstance(store, dict):
        # Files show the world's names of fields; `inventory` is the one in the code.
        rows = names.in_code_names(store).get("inventory")
    if not isinstance(rows, list):
        refuse(f"{path} is not a branch record")
    units = _available_units(rows)
    return "".join(f"{sku}\t{units.get(sku, 0)}\n" for sku in skus)


def _available_units(rows: list[Plain]) -> dict[str, int]:
    """Return the units for sale by SKU, from the stock rows of a branch record.

    The record may be any JSON text from stdin, so malformed rows are skipped.
    """
    units = {}
    for row in rows:
        match row:
            case {"sku": str(sku), "on_hand": int(on_hand), "reserved": int(reserved)}:
                units[sku] = max(on_hand - reserved, 0)
    return units


def _text(tree: FileTree, path: str, stdin: str) -> str:
    """Return the text of a file, or stdin for `-`. Case in the path does not matter."""
    if path == "-":
        return stdin
    listed_path = tree.resolve(path)
    if listed_path is not None:
        text = tree.text(listed_path)
        if text is not None:
            return text
    msg = f"{path}: no such file"
    raise ValueError(msg)


# The tools in `/bin` of one trial, such as `/bin/checkout` and `/bin/sql`.
#
# They carry out orders without checking any policy: what is allowed, the agent has to know.
# After a failure, the exit code is 1. Most of them run in a process of the trial (a worker);
# those whose output is always the same run in the process that controls the trial.


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

_USAGES: Final[Mapping[str, str]] = {
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


_SQL_ERROR: Final = "SQL logic error: "
"""Messages that start with this are printed without the tool's name, as on the platform."""
BIN: Final = "/bin/"
_MAX_MESSAGE_CHARS: Final = 500


class ShopTools:
    """The tools in `/bin`, working on the files of one trial. Created for each trial."""

    def __init__(self, tree: FileTree, workspace: Workspace) -> None:
        self.tree = tree
        """The files, which a worker also reads after a call."""
        self._workspace = workspace
        self._records = RecordStore(tree, workspace.names)
        self._database: RecordsDatabase | None = None
        """A copy of the records for queries. The first query after a change creates it."""

    def call(self, operation: str, arguments: Mapping[str, Any]) -> dict[str, Plain]:
        """Run a tool and return its `stdout`, `stderr` and `exit_code`.

        `call("cat", {"args": ["/docs/a.md"], "stdin": ""})` is `cat /docs/a.md`.
        """
        tool_arguments = list(arguments["args"])
        try:
            if tool_arguments == ["--help"]:
                # With the names of tables and subcommands that the world shows
                names = self._workspace.names
                usage = _USAGES[operation].format(
                    schema=shown_schema(names),
                    restart=names.verb("restart"),
                    approve=names.verb("approve"),
                    close=names.verb("close"),
                )
                stdout = f"usage: {usage}\n"
            else:
                stdout = self._run(operation, tool_arguments, arguments["stdin"])
        except (ValueError, OverflowError, RecursionError) as failure:
            # Scripts can write records with huge numbers or very deep nesting.
            message = " ".join(str(failure).splitlines())[:_MAX_MESSAGE_CHARS]
            if not message.startswith(_SQL_ERROR):
                message = f"{operation}: {message}"
            return {"stdout": "", "stderr": f"{message}\n", "exit_code": 1}
        return {"stdout": stdout, "stderr": "", "exit_code": 0}

    def _run(self, tool: str, arguments: list[str], stdin: str) -> str:
        """Run a tool and return its output. Raises `ValueError` if the tool refuses the call."""
        match tool:
            case "availability":
                names = self._workspace.names
                return availability(self.tree, names, arguments, stdin)
            case "cat":
                return cat(self.tree, arguments, stdin)
            case "jq":
                return jq(self.tree, arguments, stdin)
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
                return self._checkout(arguments)
            case "discount":
                return self._discount(arguments)
            case "payments":
                return self._payments(arguments)
            case "refund":
                return self._refund(arguments)
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

    # The tools that change records. Each takes the tool's arguments, and returns what the tool
    # prints. It raises `ValueError` to refuse a call, and if there is no such record. Fields and
    # states of `record.data` have the names of the code; subcommands and what a tool prints have
    # the names of the trial's world.

    def _checkout(self, arguments: Sequence[str]) -> str:
        """Mark a basket as bought: `checkout BASKET_ID`."""
        expect(arguments, 1, "a basket id")
        basket_id = arguments[0]
        basket = self._records.record(self._workspace.roots.baskets, basket_id)
        if basket.data.get("status") == "checked_out":
            refuse(f"{basket_id} is checked out already")
        basket.data["status"] = "checked_out"
        self._records.save(basket.path, basket.data)
        return f"{self._workspace.names.printed['checked_out']} {basket_id}\n"

    def _discount(self, arguments: Sequence[str]) -> str:
        """Write a discount into a basket: `discount BASKET_ID PERCENT REASON_CODE ISSUER_ID`."""
        expect(
            arguments, 4, "a basket id, a percentage, a reason code and an issuer id"
        )
        basket_id, percent_text, reason, issuer = arguments
        percent = _percentage(percent_text)
        basket = self._records.record(self._workspace.roots.baskets, basket_id)
        # The lines are the last field of a basket, after the discount.
        lines = basket.data.pop("lines", [])
        basket.data["discount"] = {
            "percent": percent,
            "reason_code": reason,
            "issuer_id": issuer,
        }
        basket.data["lines"] = lines
        self._records.save(basket.path, basket.data)
        done = self._workspace.names.printed["discounted"]
        return f"{done} {basket_id} {percent} {reason} {issuer}\n"

    def _payments(self, arguments: Sequence[str]) -> str:
        """Restart the card verification of a payment: `payments restart PAYMENT_ID`."""
        verbs = [self._workspace.names.verb("restart")]
        payment_id = subject_of_subcommand(arguments, verbs, "a payment id")
        payment = self._records.record(self._workspace.roots.payments, payment_id)
        verification = payment.data.get("verification")
        if not isinstance(verification, dict):
            refuse(f"{payment_id} has no verification")
        attempts = verification.get("attempts")
        if not isinstance(attempts, int):
            attempts = 0
        verification["state"] = "challenge_open"
        verification["attempts"] = attempts + 1
        # When it may be restarted again
        next_restart = self._workspace.clock + self._workspace.verification_delay
        verification["retry_after"] = next_restart.strftime("%Y-%m-%dT%H:%M:%SZ")
        self._records.save(payment.path, payment.data)
        return f"{self._workspace.names.printed['restarted']} {payment_id}\n"

    def _refund(self, arguments: Sequence[str]) -> str:
        """Approve or close a return: `refund approve RETURN_ID`, `refund close RETURN_ID`."""
        next_statuses = {
            self._workspace.names.verb("approve"): "refund_pending",
            self._workspace.names.verb("close"): "closed",
        }
        verbs = list(next_statuses)
        return_id = subject_of_subcommand(arguments, verbs, "a return id")
        returned = self._records.record(self._workspace.roots.returns, return_id)
        next_status = next_statuses[arguments[0]]
        returned.data["status"] = next_status
        self._records.save(returned.path, returned.data)
        return f"{self._workspace.names.state(next_status)} {return_id}\n"


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
