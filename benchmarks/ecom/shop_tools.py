"""The tools in `/bin` of one trial.

They carry out orders without checking any policy. After a failure, the exit code is 1.
"""

from __future__ import annotations

import json
from collections import ChainMap
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NoReturn, cast

from controlplane.benchmarks.ecom.json_filter import apply_filter
from controlplane.benchmarks.ecom.record_names import TABLES, record_text
from controlplane.benchmarks.ecom.workspace import Workspace
from controlplane.benchmarks.shop.shop_schema import EXECUTABLES
from controlplane.sandbox.files.file_tree import FileTree
from controlplane.sandbox.interface import Plain

if TYPE_CHECKING:
    from controlplane.benchmarks.ecom.records_sql import RecordsDatabase

SQL_ERROR: Final = "SQL logic error: "
"""Messages that start with this are printed without the tool's name, as on the platform."""
BIN: Final = "/bin/"
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
MAX_MESSAGE_CHARS: Final = 500


def _fail(message: str) -> NoReturn:
    raise ValueError(message)


def _expect(arguments: Sequence[str], count: int, expected: str) -> None:
    """Raise `ValueError` that names the expected arguments if there are more or fewer."""
    if len(arguments) != count:
        _fail(f"expected {expected}")


def _parsed(text: str, where: str) -> Plain:
    """Parse JSON text. Raises `ValueError`, also if the text is nested too deeply."""
    try:
        parsed: Plain = json.loads(text)
    except (ValueError, RecursionError) as error:
        _fail(f"{where}: {error}")
    return parsed


def _subject_of_subcommand(
    arguments: Sequence[str], verbs: Sequence[str], subject: str
) -> str:
    """Return the second argument, after one of the subcommands `verbs`.

    `subject` names this argument in the error: `a payment id`.
    """
    if not arguments or arguments[0] not in verbs:
        _fail(f"expected the subcommand {' or '.join(verbs)}")
    _expect(arguments, 2, f"{arguments[0]} and {subject}")
    return arguments[1]


class ShopTools:
    """The tools in `/bin`, working on the files of one trial. Created for each trial.

    A tool's method raises `ValueError` to refuse a call.
    """

    def __init__(self, tree: FileTree, workspace: Workspace) -> None:
        self.tree = tree
        self.workspace = workspace
        self.names = workspace.names
        self._database: RecordsDatabase | None = None
        """A copy of the records for queries. Created by the first query."""
        self._version_in_database = -1
        """The version of the files that the copy has: `FileTree.version`, which is never -1."""

    def call(self, operation: str, arguments: Mapping[str, Any]) -> dict[str, Plain]:
        """Run a tool and return its `stdout`, `stderr` and `exit_code`."""
        tool_arguments = list(arguments["args"])
        stdin = arguments["stdin"]
        if tool_arguments == ["--help"]:
            return {"stdout": self._help_of(operation), "stderr": "", "exit_code": 0}
        try:
            stdout = self._run(operation, tool_arguments, stdin)
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
                return self._availability(arguments, stdin)
            case "cat":
                return self._cat(arguments, stdin)
            case "checkout":
                return self._checkout(arguments)
            case "date":
                return self._date(arguments)
            case "discount":
                return self._discount(arguments)
            case "id":
                return self._id(arguments)
            case "jq":
                return self._jq(arguments, stdin)
            case "payments":
                return self._payments(arguments)
            case "refund":
                return self._refund(arguments)
            case "sql":
                return self._sql(arguments, stdin)
        raise KeyError(tool)

    def _help_of(self, tool: str) -> str:
        names = self.names
        usage = USAGES[tool].format(
            schema=names.schema(),
            restart=names.verb("restart"),
            approve=names.verb("approve"),
            close=names.verb("close"),
        )
        return f"usage: {usage}\n"

    def _text(self, path: str) -> str:
        """Return the text of a file. Upper and lower case in its path are equal."""
        listed_path = self.tree.resolve(path)
        if listed_path is not None:
            text = self.tree.text(listed_path)
            if text is not None:
                return text
        _fail(f"{path}: no such file")

    def _text_or_stdin(self, path: str, stdin: str) -> str:
        """Return the text of a file, or stdin for `-`."""
        return stdin if path == "-" else self._text(path)

    def _records_below(self, root: str) -> Iterator[tuple[str, dict[str, Plain]]]:
        """Yield the path and data of each record below `root`.

        Fields have the names that the code uses, not those that this world shows. Files
        that are not JSON objects are skipped.
        """
        for path in self.tree.paths():
            if not path.startswith(root + "/") or not path.endswith(".json"):
                continue
            try:
                data = _parsed(self.tree.text(path) or "", path)
            except ValueError:
                continue
            if isinstance(data, dict):
                yield path, self.names.in_code_names(data)

    def _record_with_id(
        self, root: str, record_id: str
    ) -> tuple[str, dict[str, Plain]]:
        """Return the path and data of the record with this id, with the code's names."""
        for path in self.tree.paths():
            if (
                path.startswith(root + "/")
                and path.rsplit("/", 1)[1] == f"{record_id}.json"
            ):
                data = _parsed(self.tree.text(path) or "", path)
                if not isinstance(data, dict):
                    _fail(f"{path} is not a valid record")
                return path, self.names.in_code_names(data)
        _fail(f"no record {record_id!r} under {root}")

    def _save(self, path: str, data: dict[str, Plain]) -> None:
        """Write a record's file. A lone surrogate, which JSON allows, becomes a question mark."""
        text = record_text(self.names.in_shown_names(data))
        self.tree.write(path, text.encode("utf-8", "replace").decode())

    def _id(self, arguments: Sequence[str]) -> str:
        _expect(arguments, 0, "no arguments")
        return (
            f"user: {self.workspace.user}\nroles: {', '.join(self.workspace.roles)}\n"
        )

    def _date(self, arguments: Sequence[str]) -> str:
        _expect(arguments, 0, "no arguments")
        return self.workspace.clock.strftime("%Y-%m-%dT%H:%M:%SZ\n")

    def _cat(self, arguments: Sequence[str], stdin: str) -> str:
        has_numbers = bool(arguments) and arguments[0] in ("-n", "--number")
        paths = arguments[1:] if has_numbers else arguments
        text = stdin
        if paths:
            text = "".join(self._text_or_stdin(path, stdin) for path in paths)
        if not has_numbers:
            return text
        numbered_lines = []
        for number, line in enumerate(text.splitlines(keepends=True), start=1):
            numbered_lines.append(f"{number:6d}\t{line}")
        return "".join(numbered_lines)

    def _jq(self, arguments: Sequence[str], stdin: str) -> str:
        """Return the values that a filter finds in JSON data: `jq [-r] FILTER [PATH]`."""
        remaining = list(arguments)
        is_raw = bool(remaining) and remaining[0] in ("-r", "--raw-output")
        if is_raw:
            remaining.pop(0)
        if len(remaining) not in (1, 2):
            _fail("expected a filter and at most one path")
        program = remaining[0]
        # Without a path, stdin is read.
        path = remaining[1] if len(remaining) == 2 else "-"
        data = _parsed(self._text_or_stdin(path, stdin), path)
        lines = []
        for value in apply_filter(program, data):
            if is_raw and isinstance(value, str):
                lines.append(value)
            else:
                lines.append(json.dumps(value, indent=2, ensure_ascii=False))
        return "".join(f"{line}\n" for line in lines)

    def _availability(self, arguments: Sequence[str], stdin: str) -> str:
        """Return the units of each SKU that a branch can sell today, one SKU a line."""
        if len(arguments) < 2:
            _fail("expected the path of a branch record (or -) and at least one SKU")
        path, *skus = arguments
        store = _parsed(self._text_or_stdin(path, stdin), path)
        rows = None
        if isinstance(store, dict):
            # Each world shows other names of fields than the code uses.
            rows = self.names.in_code_names(store).get("inventory")
        if not isinstance(rows, list):
            _fail(f"{path} is not a branch record")
        available = {}
        # The branch record may be any JSON text from stdin, so malformed rows are skipped.
        for row in rows:
            if not isinstance(row, dict):
                continue
            sku = row.get("sku")
            on_hand = row.get("on_hand")
            reserved = row.get("reserved")
            if (
                isinstance(sku, str)
                and isinstance(on_hand, int)
                and isinstance(reserved, int)
            ):
                available[sku] = max(on_hand - reserved, 0)
        return "".join(f"{sku}\t{available.get(sku, 0)}\n" for sku in skus)

    def _sql(self, arguments: Sequence[str], stdin: str) -> str:
        if not self.workspace.sql_is_up:
            _fail(self.names.outage)
        query = arguments[0] if arguments else stdin
        if len(arguments) > 1 or not query.strip():
            _fail("expected one query, as the only argument or on stdin")
        # Import here, so that the trusted process never loads SQLite.
        from controlplane.benchmarks.ecom.records_sql import RecordsDatabase

        if self._database is None or self._version_in_database != self.tree.version:
            self._database = RecordsDatabase(
                self._records_below, self.workspace, TABLES
            )
            self._version_in_database = self.tree.version
        return self._database.answer(query, self.workspace.sql_rows)

    def _checkout(self, arguments: Sequence[str]) -> str:
        _expect(arguments, 1, "a basket id")
        path, basket = self._record_with_id(self.workspace.roots.baskets, arguments[0])
        if basket.get("status") == "checked_out":
            _fail(f"{arguments[0]} is checked out already")
        basket["status"] = "checked_out"
        self._save(path, basket)
        return f"{self.names.printed['checked_out']} {arguments[0]}\n"

    def _discount(self, arguments: Sequence[str]) -> str:
        _expect(
            arguments, 4, "a basket id, a percentage, a reason code and an issuer id"
        )
        basket_id, percent, reason, issuer = arguments
        is_number = percent.isascii() and percent.isdecimal()
        # Four digits are enough to see that a number is too large. `int` refuses very long ones.
        if not is_number or not 0 < int(percent[:4]) <= 100:
            _fail(f"{percent!r} is not a whole percentage from 1 to 100")
        path, basket = self._record_with_id(self.workspace.roots.baskets, basket_id)
        lines = basket.pop("lines", [])
        basket["discount"] = {
            "percent": int(percent),
            "reason_code": reason,
            "issuer_id": issuer,
        }
        basket["lines"] = lines  # The last field of a basket, after the discount.
        self._save(path, basket)
        return f"{self.names.printed['discounted']} {basket_id} {int(percent)} {reason} {issuer}\n"

    def _payments(self, arguments: Sequence[str]) -> str:
        payment_id = _subject_of_subcommand(
            arguments, [self.names.verb("restart")], "a payment id"
        )
        path, payment = self._record_with_id(self.workspace.roots.payments, payment_id)
        verification = payment.get("verification")
        if not isinstance(verification, dict):
            _fail(f"{payment_id} has no verification")
        attempts = verification.get("attempts")
        next_restart = self.workspace.clock + self.workspace.verification_delay
        if not isinstance(attempts, int):
            attempts = 0
        restarted: dict[str, Plain] = {
            **verification,
            "state": "challenge_open",
            "attempts": attempts + 1,
            "retry_after": next_restart.strftime("%Y-%m-%dT%H:%M:%SZ"),
        }
        self._save(path, {**payment, "verification": restarted})
        return f"{self.names.printed['restarted']} {payment_id}\n"

    def _refund(self, arguments: Sequence[str]) -> str:
        names = self.names
        next_statuses = {
            names.verb("approve"): "refund_pending",
            names.verb("close"): "closed",
        }
        return_id = _subject_of_subcommand(
            arguments, list(next_statuses), "a return id"
        )
        path, returned = self._record_with_id(self.workspace.roots.returns, return_id)
        next_status = next_statuses[arguments[0]]
        self._save(path, {**returned, "status": next_status})
        return f"{names.state(next_status)} {return_id}\n"


def tree_of(files: Mapping[str, str], directories: tuple[str, ...]) -> FileTree:
    """Return the file tree of a shop: its files, and one read-only file for each tool."""
    tools = {
        tool.path: f"#!veerhaven {tool.path.removeprefix(BIN)}\n{tool.summary}\n"
        for tool in EXECUTABLES
    }
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
    return ShopTools(
        tree_of(files, directories), Workspace.from_facts(files, directories, data)
    )
