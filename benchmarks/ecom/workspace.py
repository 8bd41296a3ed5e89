"""The workspace of a trial, and the tools of `/bin` on its files. It holds no truth.

A workspace is files, a clock, an identity, and the spelling of its records and tools. The code of world, families and
solutions has one name for each field, state and subcommand; `RecordNames` translates records. The tools carry out
orders and do not enforce policies; a failure ends with exit code 1.
"""

from __future__ import annotations

import json
import re
from collections import ChainMap, UserDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NoReturn, Self, cast

from controlplane.benchmarks.shop.declarations import EXECUTABLES
from controlplane.sandbox.files.file_tree import FileTree
from controlplane.sandbox.interface import Plain

if TYPE_CHECKING:
    from controlplane.benchmarks.ecom.records_sql import RecordsDatabase


Names = Mapping[str, str]
SCHEMA: Final = """\
CREATE TABLE products (sku TEXT, id INTEGER, name TEXT, brand TEXT, category_id TEXT, kind_id TEXT, family_id TEXT,
  price_cents INTEGER, fulfilment TEXT, record_path TEXT);
CREATE TABLE product_properties (sku TEXT, key TEXT, value TEXT);
CREATE TABLE stores (id TEXT, name TEXT, street TEXT, postal_code TEXT, city TEXT, is_open INTEGER, record_path TEXT);
CREATE TABLE inventory (store_id TEXT, sku TEXT, on_hand INTEGER, reserved INTEGER, available INTEGER);
CREATE TABLE incoming (store_id TEXT, sku TEXT, quantity INTEGER, arrives_in_days INTEGER);
CREATE TABLE baskets (id TEXT, customer_id TEXT, store_id TEXT, status TEXT, created_at TEXT, record_path TEXT);
CREATE TABLE basket_lines (basket_id TEXT, sku TEXT, quantity INTEGER);
CREATE TABLE payments (id TEXT, basket_id TEXT, customer_id TEXT, store_id TEXT, amount_cents INTEGER, status TEXT,
  created_at TEXT, record_path TEXT);
CREATE TABLE returns (id TEXT, customer_id TEXT, payment_id TEXT, status TEXT, reason_code TEXT, created_at TEXT,
  record_path TEXT);
CREATE TABLE employees (id TEXT, display_name TEXT, title TEXT, store_id TEXT, record_path TEXT);
CREATE TABLE employee_roles (employee_id TEXT, role TEXT);
"""

TABLES: Final = {
    table: [tuple(column.split()) for column in columns.split(",")]
    for table, _, columns in (
        made.partition(")")[0].strip().partition(" (") for made in SCHEMA.split("CREATE TABLE ")[1:]
    )
}
"""The columns of each table with their types, by the names of the code."""


@dataclass(frozen=True)
class RecordNames:
    """A field within `verification` has a name of its own if it is listed as `verification.NAME`."""

    fields: Names = field(default_factory=dict)
    """The shown name of each field, by its name in the code; a field that is not listed keeps its name."""
    states: Mapping[str, Mapping[str, str | int]] = field(default_factory=dict)
    """The shown value of each state, by field (as in the code)."""
    verbs: Names = field(default_factory=dict)
    tables: Names = field(default_factory=dict)
    """The tables of SQL, by the names of the code."""
    columns: Names = field(default_factory=dict)
    """The columns, as `TABLE.COLUMN`, whose name differs from the records' field."""
    printed: Names = field(default_factory=dict)
    """The text that tools print when they have made a change."""
    outage: str = ""
    """The message of the query tool while it is down."""

    def field(self, name: str, *, within: str = "") -> str:
        """Return the shown name of a field, `within` the field that holds it."""
        own = self.fields.get(f"{within}.{name}") if within else None
        return own or self.fields.get(name, name)

    def column(self, table: str, name: str) -> str:
        """Return the shown name of a column, by the names of table and column in the code."""
        return self.columns.get(f"{table}.{name}", self.field(name))

    def state(self, value: str, *, of: str = "status") -> str | int:
        """Return the shown value of a state of the field `of`."""
        return self.states.get(of, {}).get(value, value)

    def verb(self, name: str) -> str:
        """Return a tool's subcommand."""
        return self.verbs.get(name, name)

    def schema(self) -> str:
        """Return the SQL that creates the tables, with columns named as in the world's records."""
        return "".join(
            f"CREATE TABLE {self.tables.get(table, table)} "
            f"({', '.join(f'{self.column(table, name)} {kind}' for name, kind in columns)});\n"
            for table, columns in TABLES.items()
        )

    def in_file_names(self, data: Mapping[str, Plain]) -> dict[str, Plain]:
        """Return a record's data as files show it."""
        return _renamed(data, self._to_files)

    def in_code_names(self, data: Mapping[str, Plain]) -> dict[str, Plain]:
        """Return the data of a file under the names of the code."""
        return _renamed(data, self._to_code)

    @cached_property
    def _to_files(self) -> _Renaming:
        return _Renaming(self.field, self.states, is_shown=False)

    @cached_property
    def _to_code(self) -> _Renaming:
        return _Renaming(self._known, self._values, is_shown=True)

    def _known(self, shown: str, *, within: str) -> str:
        return self._names.get((within, shown)) or self._names.get(("", shown), shown)

    @cached_property
    def _names(self) -> dict[tuple[str, str], str]:
        parts = [(name.rpartition("."), shown) for name, shown in self.fields.items()]
        return {(within, shown): name for (within, _, name), shown in parts}

    @cached_property
    def _values(self) -> dict[str, dict[str | int, str]]:
        return {
            of: {shown: value for value, shown in values.items()}
            for of, values in self.states.items()
        }


class _Renaming(dict[tuple[str, str], tuple[str, str, Mapping[Any, str | int]]]):
    """The new name of each field, its name in the code and its states, by the field that holds it and its name."""

    def __init__(
        self,
        name_of: Callable[..., str],
        states: Mapping[str, Mapping[Any, str | int]],
        *,
        is_shown: bool,
    ) -> None:
        """`is_shown` if the data are those of a file."""
        super().__init__()
        self._name_of, self._states, self._is_shown = name_of, states, is_shown

    def __missing__(self, key: tuple[str, str]) -> tuple[str, str, Mapping[Any, str | int]]:
        within, name = key
        new_name = self._name_of(name, within=within)
        code_name = new_name if self._is_shown else name
        states = self._states.get(f"{within}.{code_name}" if within else code_name, {})
        self[key] = new_name, code_name, states
        return self[key]


def _renamed(data: Mapping[str, Plain], renaming: _Renaming, within: str = "") -> dict[str, Plain]:
    """Return data under other names, with other states."""
    renamed: dict[str, Plain] = {}
    for name, value in data.items():
        new_name, code_name, states = renaming[within, name]
        if type(value) is dict:
            value = _renamed(value, renaming, code_name) if code_name != "properties" else value
        elif type(value) is list:
            value = [
                _renamed(item, renaming, code_name) if type(item) is dict else item
                for item in value
            ]
        elif states and type(value) in (str, int):
            value = states.get(value, value)
        renamed[new_name] = value
    return renamed


def record_text(data: Mapping[str, Plain]) -> str:
    """Return the text of a record's file: JSON indented by two spaces, with a final newline."""
    return json.dumps(dict(data), indent=2, ensure_ascii=False) + "\n"


class RenderedFiles(UserDict[str, Any]):
    """Files by path, given as texts or as what renders them. A text is rendered when it is first read."""

    def __getitem__(self, path: str) -> str:
        source: str | Callable[[], str] = self.data[path]
        if callable(source):
            source = self.data[path] = source()
        return source


@dataclass(frozen=True, slots=True)
class Roots:
    """The root directory of each kind of record."""

    products: str
    stores: str
    baskets: str
    payments: str
    returns: str
    employees: str


@dataclass(frozen=True, slots=True)
class CallLimits:
    """The limits of a world's calls; 0 means no limit."""

    listed: int = 0
    """Most paths, matches or nodes that one call lists."""
    read_lines: int = 0
    timeout_share: float = 0.0
    """The share of tool calls that time out when they are first made."""
    tool_ms: int = 0
    """Milliseconds that a tool takes at least."""


@dataclass(frozen=True, slots=True)
class Workspace:
    """One world as a trial's environment shows it."""

    files: Mapping[str, str]
    directories: tuple[str, ...]
    """Directories that exist even without files."""
    roots: Roots
    names: RecordNames
    clock: datetime
    """The world's time in UTC, which does not move during a trial."""
    security_document: str
    """The path of the rules on access, which the initial prompt shows."""
    uploads: str
    user: str
    roles: tuple[str, ...]
    verification_delay: timedelta
    """The time after a restart before a card verification may be restarted again."""
    sql_is_up: bool = True
    sql_rows: int = 100
    limits: CallLimits = field(default_factory=CallLimits)
    flat_paths_resolve: bool = False
    """True if a path directly below a root also reaches a record in its sub-directories."""

    def facts(self) -> dict[str, Plain]:
        """Return all but the files and directories, as plain data."""
        fields = asdict(replace(self, files={}, directories=()))
        return fields | {
            "clock": self.clock.isoformat(),
            "verification_delay": self.verification_delay.total_seconds(),
        }

    @classmethod
    def from_facts(
        cls, files: Mapping[str, str], directories: tuple[str, ...], facts: Mapping[str, Any]
    ) -> Self:
        """Return the workspace of these files and facts, as `facts` returned them."""
        parsed = {
            "files": files,
            "directories": directories,
            "roles": tuple(facts["roles"]),
            "roots": Roots(**facts["roots"]),
            "names": RecordNames(**facts["names"]),
            "limits": CallLimits(**facts["limits"]),
            "clock": datetime.fromisoformat(facts["clock"]),
            "verification_delay": timedelta(seconds=facts["verification_delay"]),
        }
        return cls(**{**facts, **parsed})


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


SQL_ERROR: Final = "SQL logic error: "
"""The beginning of a message that the platform's driver prints without the name of the tool."""
BIN: Final = "/bin/"
USAGES: Final[Mapping[str, str]] = {
    "availability": "availability <branch_record_path|-> <sku>...\n\n"
    "Prints a line per SKU: the SKU, a tab, the units available.",
    "cat": "cat [-n|--number] [path ...]\n\nPrints files, or stdin.",
    "date": "date\n\nPrints the current time in UTC.",
    "id": "id\n\nPrints the user and the roles of the session.",
    "jq": "jq [-r|--raw-output] <filter> [path|-]\n\nFilters: . .field .a.b .a[0] .a[] keys length, joined by |.",
    "sql": "sql [query]\n\nRuns one read-only SQLite query (argument or stdin) and prints CSV with a header.\n"
    "At most 100 rows. Tables:\n{schema}",
    "checkout": "checkout <basket_id>\n\nMarks the basket as bought. Applies no policy.",
    "discount": "discount <basket_id> <percent> <reason_code> <issuer_id>\n\nWrites the discount. Applies no policy.",
    "payments": "payments {restart} <payment_id>\n\nOpens a challenge and counts the attempt. Applies no policy.",
    "refund": "refund {approve} <return_id>\n       refund {close} <return_id>\n\n"
    "Sets the return's status. Applies no policy.",
}
"""The help of each tool: the usage line, then a description."""


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


def _subcommand(arguments: Sequence[str], verbs: Sequence[str], what: str) -> str:
    if not arguments or arguments[0] not in verbs:
        _fail(f"expected the subcommand {' or '.join(verbs)}")
    _expect(arguments, 2, f"{arguments[0]} and {what}")
    return arguments[1]


class ShopTools:
    """The tools of `/bin`, on the files of one trial. A tool's method raises `ValueError` for what it refuses."""

    def __init__(self, tree: FileTree, workspace: Workspace) -> None:
        self.tree = tree
        self.workspace = workspace
        self.names = workspace.names
        self._database: RecordsDatabase | None = None
        self._database_version = -1

    def call(self, operation: str, arguments: Mapping[str, Any]) -> dict[str, Plain]:
        """Run the tool of this name and return its `stdout stderr exit_code`."""
        args, stdin = list(arguments["args"]), arguments["stdin"]
        if args == ["--help"]:
            verbs = {verb: self.names.verb(verb) for verb in ("restart", "approve", "close")}
            usage = USAGES[operation].format(schema=self.names.schema(), **verbs)
            return {"stdout": f"usage: {usage}\n", "stderr": "", "exit_code": 0}
        try:
            printed = getattr(self, f"_{operation}")(args, stdin)
        except (
            ValueError,
            OverflowError,
            RecursionError,
        ) as failure:  # Records may hold any number.
            line = " ".join(str(failure).splitlines())[:500]
            message = line if line.startswith(SQL_ERROR) else f"{operation}: {line}"
            return {"stdout": "", "stderr": f"{message}\n", "exit_code": 1}
        return {"stdout": printed, "stderr": "", "exit_code": 0}

    def _text(self, path: str) -> str:
        """Return the text of a file; the case of its path does not matter."""
        found = self.tree.resolve(path)
        text = None if found is None else self.tree.text(found)
        return _fail(f"{path}: no such file") if text is None else text

    def _records(self, root: str) -> Iterator[tuple[str, dict[str, Plain]]]:
        """Yield (path, data) of every record below `root` that is a JSON object, by the names of the code."""
        for path in self.tree.paths():
            if path.startswith(root + "/") and path.endswith(".json"):
                with suppress(ValueError):
                    data = _parsed(self.tree.text(path) or "", path)
                    if isinstance(data, dict):
                        yield path, self.names.in_code_names(data)

    def _record(self, root: str, record_id: str) -> tuple[str, dict[str, Plain]]:
        """Return path and data of the record with this id, by the names of the code."""
        for path in self.tree.paths():
            if path.startswith(root + "/") and path.rsplit("/", 1)[1] == f"{record_id}.json":
                data = _parsed(self.tree.text(path) or "", path)
                return path, self.names.in_code_names(data) if isinstance(data, dict) else _fail(
                    f"{path} is not a valid record"
                )
        _fail(f"no record {record_id!r} under {root}")

    def _save(self, path: str, data: dict[str, Plain]) -> None:
        """Write a record's file. A lone surrogate, which JSON can hold, becomes a question mark."""
        self.tree.write(
            path, record_text(self.names.in_file_names(data)).encode("utf-8", "replace").decode()
        )

    def _id(self, arguments: Sequence[str], stdin: str) -> str:
        _expect(arguments, 0, "no arguments")
        return f"user: {self.workspace.user}\nroles: {', '.join(self.workspace.roles)}\n"

    def _date(self, arguments: Sequence[str], stdin: str) -> str:
        _expect(arguments, 0, "no arguments")
        return self.workspace.clock.strftime("%Y-%m-%dT%H:%M:%SZ\n")

    def _cat(self, arguments: Sequence[str], stdin: str) -> str:
        numbered = bool(arguments) and arguments[0] in ("-n", "--number")
        paths = arguments[1:] if numbered else arguments
        text = (
            "".join(stdin if path == "-" else self._text(path) for path in paths)
            if paths
            else stdin
        )
        if not numbered:
            return text
        return "".join(
            f"{number:6d}\t{line}"
            for number, line in enumerate(text.splitlines(keepends=True), start=1)
        )

    def _jq(self, arguments: Sequence[str], stdin: str) -> str:
        raw = bool(arguments) and arguments[0] in ("-r", "--raw-output")
        rest = list(arguments[1:] if raw else arguments)
        if not 1 <= len(rest) <= 2:
            _fail("expected a filter and at most one path")
        path = rest[1] if len(rest) == 2 else "-"
        data = _parsed(stdin if path == "-" else self._text(path), path)
        return "".join(
            (
                value
                if raw and isinstance(value, str)
                else json.dumps(value, indent=2, ensure_ascii=False)
            )
            + "\n"
            for value in apply_filter(rest[0], data)
        )

    def _availability(self, arguments: Sequence[str], stdin: str) -> str:
        if len(arguments) < 2:
            _fail("expected the path of a branch record (or -) and at least one SKU")
        path, *skus = arguments
        store = _parsed(stdin if path == "-" else self._text(path), path)
        rows = self.names.in_code_names(store).get("inventory") if isinstance(store, dict) else None
        if not isinstance(rows, list):
            _fail(f"{path} is not a branch record")
        available = {}
        for row in rows:
            if isinstance(row, dict):
                sku, on_hand, reserved = row.get("sku"), row.get("on_hand"), row.get("reserved")
                if isinstance(sku, str) and isinstance(on_hand, int) and isinstance(reserved, int):
                    available[sku] = max(on_hand - reserved, 0)
        return "".join(f"{sku}\t{available.get(sku, 0)}\n" for sku in skus)

    def _sql(self, arguments: Sequence[str], stdin: str) -> str:
        if not self.workspace.sql_is_up:
            _fail(self.names.outage)
        query = arguments[0] if arguments else stdin
        if len(arguments) > 1 or not query.strip():
            _fail("expected one query, as the only argument or on stdin")
        from controlplane.benchmarks.ecom.records_sql import (
            RecordsDatabase,
        )  # The trusted process never loads SQLite.

        if self._database is None or self._database_version != self.tree.version:
            database = RecordsDatabase(self._records, self.workspace, TABLES)
            self._database, self._database_version = database, self.tree.version
        return self._database.answer(query, self.workspace.sql_rows)

    def _checkout(self, arguments: Sequence[str], stdin: str) -> str:
        _expect(arguments, 1, "a basket id")
        path, basket = self._record(self.workspace.roots.baskets, arguments[0])
        if basket.get("status") == "checked_out":
            _fail(f"{arguments[0]} is checked out already")
        basket["status"] = "checked_out"
        self._save(path, basket)
        return f"{self.names.printed['checked_out']} {arguments[0]}\n"

    def _discount(self, arguments: Sequence[str], stdin: str) -> str:
        _expect(arguments, 4, "a basket id, a percentage, a reason code and an issuer id")
        basket_id, percent, reason, issuer = arguments
        if not (percent.isascii() and percent.isdecimal() and 0 < int(percent[:4]) <= 100):
            _fail(f"{percent!r} is not a whole percentage from 1 to 100")
        path, basket = self._record(self.workspace.roots.baskets, basket_id)
        lines = basket.pop("lines", [])
        basket["discount"] = {"percent": int(percent), "reason_code": reason, "issuer_id": issuer}
        basket["lines"] = lines
        self._save(path, basket)
        return f"{self.names.printed['discounted']} {basket_id} {int(percent)} {reason} {issuer}\n"

    def _payments(self, arguments: Sequence[str], stdin: str) -> str:
        payment_id = _subcommand(arguments, [self.names.verb("restart")], "a payment id")
        path, payment = self._record(self.workspace.roots.payments, payment_id)
        verification = payment.get("verification")
        if not isinstance(verification, dict):
            _fail(f"{payment_id} has no verification")
        attempts = verification.get("attempts")
        again = self.workspace.clock + self.workspace.verification_delay
        restarted: dict[str, Plain] = {
            **verification,
            "state": "challenge_open",
            "attempts": (attempts if isinstance(attempts, int) else 0) + 1,
            "retry_after": again.strftime("%Y-%m-%dT%H:%M:%SZ"),
        }
        self._save(path, {**payment, "verification": restarted})
        return f"{self.names.printed['restarted']} {payment_id}\n"

    def _refund(self, arguments: Sequence[str], stdin: str) -> str:
        names = self.names
        steps = {names.verb("approve"): "refund_pending", names.verb("close"): "closed"}
        return_id = _subcommand(arguments, [*steps], "a return id")
        path, entered = self._record(self.workspace.roots.returns, return_id)
        self._save(path, {**entered, "status": steps[arguments[0]]})
        return f"{names.state(steps[arguments[0]])} {return_id}\n"


def tree_of(files: Mapping[str, str], directories: tuple[str, ...]) -> FileTree:
    """Return the tree of a shop: its files, and a file for each tool, which may not be written."""
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


def open_tools(files: Mapping[str, str], directories: tuple[str, ...], data: Any) -> ShopTools:
    """Return the tools over a world's files, in a worker. `data` is what `Workspace.facts` returned."""
    return ShopTools(tree_of(files, directories), Workspace.from_facts(files, directories, data))
