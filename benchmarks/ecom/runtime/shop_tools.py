"""The tools of `/bin`. They carry out orders and do not enforce policies; a failure ends with exit code 1."""

from __future__ import annotations

import json
import re
from collections import ChainMap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NoReturn, cast

from benchmarks.ecom.runtime.workspace import RecordNames, Workspace, record_text, schema_of
from benchmarks.shop.declarations import EXECUTABLES
from sandbox import FileTree
from sandbox.interface import Plain

if TYPE_CHECKING:
    from benchmarks.ecom.runtime.records_sql import RecordsDatabase

STEP: Final = re.compile(r"\.(?P<name>[A-Za-z_]\w*)|\.?\[(?P<index>-?\d+)\]|\.?\[\]|\.\Z")


def _fail(message: str) -> NoReturn:
    raise ValueError(message)


def _stage(stage: str, data: Plain) -> list[Plain]:
    if stage == "length" and isinstance(data, str | list | dict | None):
        return [len(data or "")]
    if stage == "keys" and isinstance(data, list | dict):
        return [list(range(len(data))) if isinstance(data, list) else [*sorted(data)]]
    values, end = [data], 0
    while step := STEP.match(stage, end):
        values, end = [picked for value in values for picked in _picked(step, value)], step.end()
    return values if end == len(stage) else _fail(f"cannot take {stage!r} of {type(data).__name__}")


def _picked(step: re.Match[str], data: Plain) -> Iterable[Plain]:
    name, index = step["name"], step["index"]
    if step[0] == ".":
        return [data]
    if name is not None and isinstance(data, dict | None):
        return [data.get(name) if data else None]
    if index is not None and isinstance(data, list):
        return data[int(index) :][:1] or [None] if int(index) >= -len(data) else [None]
    if name is index is None and isinstance(data, list | dict):
        return data if isinstance(data, list) else data.values()
    _fail(f"cannot take {step[0]!r} of {type(data).__name__}")


def apply_filter(program: str, data: Plain) -> list[Plain]:
    """Apply a filter to `data` and return its results. Raises `ValueError`."""
    values = [data]
    for stage in program.split("|"):
        values = [result for value in values for result in _stage(stage.strip(), value)]
    return values


MAX_MESSAGE_CHARS: Final = 500


@dataclass(frozen=True, slots=True)
class Output:
    """The output and exit code of a tool."""

    stdout: str = ""
    stderr: str = ""
    exit_code: int = 0


def _expect(arguments: Sequence[str], count: int, what: str) -> None:
    if len(arguments) != count:
        _fail(f"expected {what}")


def _parsed(text: str, where: str) -> Plain:
    """Parse JSON text. Raises `ValueError`, also for text that is nested too deeply."""
    try:
        parsed: Plain = json.loads(text)
    except (ValueError, RecursionError) as error:
        _fail(f"{where}: {error}")
    return parsed


@dataclass(slots=True)
class ToolContext:
    """The files and the workspace that all tools of a trial work on. Its methods raise `ValueError`."""

    tree: FileTree
    workspace: Workspace
    database: RecordsDatabase | None = None
    """The records in SQL, if a query has asked for them."""
    database_version: int = -1
    """The version of the tree that `database` holds."""

    @property
    def names(self) -> RecordNames:
        """The spelling of the world's records and tools."""
        return self.workspace.names

    def text(self, path: str) -> str:
        """Return the text of a file; the case of its path does not matter."""
        found = self.tree.resolve(path)
        text = None if found is None else self.tree.text(found)
        return _fail(f"{path}: no such file") if text is None else text

    def records(self, root: str) -> Iterator[tuple[str, dict[str, Plain]]]:
        """Yield (path, data) of every record below `root` that is a JSON object, by the names of the code."""
        for path in self.tree.paths():
            if path.startswith(root + "/") and path.endswith(".json"):
                with suppress(ValueError):
                    data = _parsed(self.tree.text(path) or "", path)
                    if isinstance(data, dict):
                        yield path, self.names.in_code_names(data)

    def record(self, root: str, record_id: str) -> tuple[str, dict[str, Plain]]:
        """Return path and data of the record with this id, by the names of the code."""
        for path in self.tree.paths():
            if path.startswith(root + "/") and path.rsplit("/", 1)[1] == f"{record_id}.json":
                data = _parsed(self.tree.text(path) or "", path)
                return path, self.names.in_code_names(data) if isinstance(data, dict) else _fail(
                    f"{path} is not a valid record"
                )
        _fail(f"no record {record_id!r} under {root}")

    def save(self, path: str, data: dict[str, Plain]) -> None:
        """Write a record's file. A lone surrogate, which JSON can hold, becomes a question mark."""
        self.tree.write(path, record_text(self.names.in_file_names(data)).encode("utf-8", "replace").decode())


def _id(context: ToolContext, arguments: Sequence[str], stdin: str) -> str:
    _expect(arguments, 0, "no arguments")
    return f"user: {context.workspace.user}\nroles: {', '.join(context.workspace.roles)}\n"


def _date(context: ToolContext, arguments: Sequence[str], stdin: str) -> str:
    _expect(arguments, 0, "no arguments")
    return context.workspace.clock.strftime("%Y-%m-%dT%H:%M:%SZ\n")


def _cat(context: ToolContext, arguments: Sequence[str], stdin: str) -> str:
    numbered = bool(arguments) and arguments[0] in ("-n", "--number")
    paths = arguments[1:] if numbered else arguments
    text = "".join(stdin if path == "-" else context.text(path) for path in paths) if paths else stdin
    if not numbered:
        return text
    return "".join(f"{number:6d}\t{line}" for number, line in enumerate(text.splitlines(keepends=True), start=1))


def _jq(context: ToolContext, arguments: Sequence[str], stdin: str) -> str:
    raw = bool(arguments) and arguments[0] in ("-r", "--raw-output")
    rest = list(arguments[1:] if raw else arguments)
    if not 1 <= len(rest) <= 2:
        _fail("expected a filter and at most one path")
    path = rest[1] if len(rest) == 2 else "-"
    data = _parsed(stdin if path == "-" else context.text(path), path)
    return "".join(
        (value if raw and isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False)) + "\n"
        for value in apply_filter(rest[0], data)
    )


def _availability(context: ToolContext, arguments: Sequence[str], stdin: str) -> str:
    if len(arguments) < 2:
        _fail("expected the path of a branch record (or -) and at least one SKU")
    path, *skus = arguments
    store = _parsed(stdin if path == "-" else context.text(path), path)
    rows = context.names.in_code_names(store).get("inventory") if isinstance(store, dict) else None
    if not isinstance(rows, list):
        _fail(f"{path} is not a branch record")
    available = {}
    for row in rows:
        if isinstance(row, dict):
            sku, on_hand, reserved = row.get("sku"), row.get("on_hand"), row.get("reserved")
            if isinstance(sku, str) and isinstance(on_hand, int) and isinstance(reserved, int):
                available[sku] = max(on_hand - reserved, 0)
    return "".join(f"{sku}\t{available.get(sku, 0)}\n" for sku in skus)


def _sql(context: ToolContext, arguments: Sequence[str], stdin: str) -> Output:
    workspace = context.workspace
    if not workspace.sql_is_up:
        _fail(workspace.names.outage)
    query = arguments[0] if arguments else stdin
    if len(arguments) > 1 or not query.strip():
        _fail("expected one query, as the only argument or on stdin")
    from benchmarks.ecom.runtime.records_sql import RecordsDatabase  # The trusted process never loads SQLite.

    if context.database is None or context.database_version != context.tree.version:
        context.database, context.database_version = RecordsDatabase(context.records, workspace), context.tree.version
    try:
        return Output(context.database.answer(query, workspace.sql_rows))
    except ValueError as failure:
        if not str(failure).startswith("SQL logic error: "):
            raise
        line = " ".join(str(failure).splitlines())[:MAX_MESSAGE_CHARS]
        return Output(stderr=f"{line}\n", exit_code=1)


def _checkout(context: ToolContext, arguments: Sequence[str], stdin: str) -> str:
    _expect(arguments, 1, "a basket id")
    path, basket = context.record(context.workspace.roots.baskets, arguments[0])
    if basket.get("status") == "checked_out":
        _fail(f"{arguments[0]} is checked out already")
    basket["status"] = "checked_out"
    context.save(path, basket)
    return f"{context.names.printed['checked_out']} {arguments[0]}\n"


def _discount(context: ToolContext, arguments: Sequence[str], stdin: str) -> str:
    _expect(arguments, 4, "a basket id, a percentage, a reason code and an issuer id")
    basket_id, percent, reason, issuer = arguments
    if not (percent.isascii() and percent.isdecimal() and 0 < int(percent[:4]) <= 100):
        _fail(f"{percent!r} is not a whole percentage from 1 to 100")
    path, basket = context.record(context.workspace.roots.baskets, basket_id)
    lines = basket.pop("lines", [])
    basket["discount"] = {"percent": int(percent), "reason_code": reason, "issuer_id": issuer}
    basket["lines"] = lines
    context.save(path, basket)
    return f"{context.names.printed['discounted']} {basket_id} {int(percent)} {reason} {issuer}\n"


def _subcommand(arguments: Sequence[str], verbs: Sequence[str], what: str) -> str:
    if not arguments or arguments[0] not in verbs:
        _fail(f"expected the subcommand {' or '.join(verbs)}")
    _expect(arguments, 2, f"{arguments[0]} and {what}")
    return arguments[1]


def _payments(context: ToolContext, arguments: Sequence[str], stdin: str) -> str:
    payment_id = _subcommand(arguments, [context.names.verb("restart")], "a payment id")
    path, payment = context.record(context.workspace.roots.payments, payment_id)
    verification = payment.get("verification")
    if not isinstance(verification, dict):
        _fail(f"{payment_id} has no verification")
    attempts = verification.get("attempts")
    again = context.workspace.clock + context.workspace.verification_delay
    restarted: dict[str, Plain] = {
        **verification,
        "state": "challenge_open",
        "attempts": (attempts if isinstance(attempts, int) else 0) + 1,
        "retry_after": again.strftime("%Y-%m-%dT%H:%M:%SZ"),
    }
    context.save(path, {**payment, "verification": restarted})
    return f"{context.names.printed['restarted']} {payment_id}\n"


def _refund(context: ToolContext, arguments: Sequence[str], stdin: str) -> str:
    names = context.names
    steps = {names.verb("approve"): "refund_pending", names.verb("close"): "closed"}
    return_id = _subcommand(arguments, [*steps], "a return id")
    path, entered = context.record(context.workspace.roots.returns, return_id)
    context.save(path, {**entered, "status": steps[arguments[0]]})
    return f"{names.state(steps[arguments[0]])} {return_id}\n"


@dataclass(frozen=True, slots=True)
class Tool:
    """One program of `/bin`, which `shop_surface` declares. `run` may raise `ValueError`."""

    run: Callable[[ToolContext, Sequence[str], str], str | Output]
    usage: str | Callable[[RecordNames], str]
    """The text of `--help`, or a function that returns it: the usage line, then a description."""

    @property
    def name(self) -> str:
        """The base name of its path."""
        return self.run.__name__.lstrip("_")

    def execute(self, context: ToolContext, arguments: Sequence[str], stdin: str) -> Output:
        """Run the tool. A failure gives an output with exit code 1, not an exception."""
        if list(arguments) == ["--help"]:
            usage = self.usage if isinstance(self.usage, str) else self.usage(context.names)
            return Output(stdout=f"usage: {usage}\n")
        try:
            printed = self.run(context, arguments, stdin)
        except (ValueError, OverflowError, RecursionError) as failure:  # Records may hold any number.
            line = " ".join(str(failure).splitlines())[:MAX_MESSAGE_CHARS]
            return Output(stderr=f"{self.name}: {line}\n", exit_code=1)
        return printed if isinstance(printed, Output) else Output(stdout=printed)


_TOOLS: Final = (
    Tool(
        _availability,
        "availability <branch_record_path|-> <sku>...\n\nPrints a line per SKU: the SKU, a tab, the units available.",
    ),
    Tool(_cat, "cat [-n|--number] [path ...]\n\nPrints files, or stdin."),
    Tool(_date, "date\n\nPrints the current time in UTC."),
    Tool(_id, "id\n\nPrints the user and the roles of the session."),
    Tool(_jq, "jq [-r|--raw-output] <filter> [path|-]\n\nFilters: . .field .a.b .a[0] .a[] keys length, joined by |."),
    Tool(
        _sql,
        lambda names: (
            "sql [query]\n\nRuns one read-only SQLite query (argument or stdin) and prints CSV with a header.\n"
            "At most 100 rows. Tables:\n" + schema_of(names)
        ),
    ),
    Tool(_checkout, "checkout <basket_id>\n\nMarks the basket as bought. Applies no policy."),
    Tool(
        _discount,
        "discount <basket_id> <percent> <reason_code> <issuer_id>\n\nWrites the discount. Applies no policy.",
    ),
    Tool(
        _payments,
        lambda names: (
            f"payments {names.verb('restart')} <payment_id>\n\n"
            "Opens a challenge and counts the attempt. Applies no policy."
        ),
    ),
    Tool(
        _refund,
        lambda names: (
            f"refund {names.verb('approve')} <return_id>\n       refund {names.verb('close')} <return_id>\n\n"
            "Sets the return's status. Applies no policy."
        ),
    ),
)
TOOLS: Final = {tool.name: tool for tool in _TOOLS}


BIN: Final = "/bin/"


def tree_of(files: Mapping[str, str], directories: tuple[str, ...]) -> FileTree:
    """Return the tree of a shop: its files, and a file for each tool, which may not be written."""
    tools = {tool.path: f"#!veerhaven {tool.path.removeprefix(BIN)}\n{tool.summary}\n" for tool in EXECUTABLES}
    return FileTree(
        ChainMap(tools, cast("dict[str, str]", files)),
        directories=directories,
        ignore_case=True,
        writable=lambda path: not path.startswith(BIN),
    )


class ShopTools:
    """The tools of `/bin`, on the files of one trial."""

    def __init__(self, tree: FileTree, workspace: Workspace) -> None:
        self.tree = tree
        self._context = ToolContext(tree, workspace)

    def call(self, operation: str, arguments: Mapping[str, Any]) -> dict[str, Plain]:
        """Run the tool of this name and return its `stdout stderr exit_code`."""
        output = TOOLS[operation].execute(self._context, arguments["args"], arguments["stdin"])
        return {"stdout": output.stdout, "stderr": output.stderr, "exit_code": output.exit_code}


def open_tools(files: Mapping[str, str], directories: tuple[str, ...], data: Any) -> ShopTools:
    """Return the tools over a world's files, in an aide. `data` is what `Workspace.facts` returned."""
    return ShopTools(tree_of(files, directories), Workspace.from_facts(files, directories, data))
