"""The workspace of a trial: files, a clock, an identity, the spelling of its records and tools. It holds no truth.

The code of world, families and solutions has one name for each field, state and subcommand; `shown` and `known`
translate records.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any, Final, Self

from sandbox.interface import Plain

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
        return {of: {shown: value for value, shown in values.items()} for of, values in self.states.items()}


class _Renaming(dict[tuple[str, str], tuple[str, str, Mapping[Any, str | int]]]):
    """The new name of each field, its name in the code and its states, by the field that holds it and its name."""

    def __init__(
        self, name_of: Callable[..., str], states: Mapping[str, Mapping[Any, str | int]], *, is_shown: bool
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
        if isinstance(value, dict):
            value = _renamed(value, renaming, code_name) if code_name != "properties" else value
        elif isinstance(value, list):
            value = [_renamed(item, renaming, code_name) if isinstance(item, dict) else item for item in value]
        elif states and isinstance(value, str | int):
            value = states.get(value, value)
        renamed[new_name] = value
    return renamed


def schema_of(names: RecordNames) -> str:
    """Return the SQL that creates the tables, with columns named as in the world's records."""
    return "".join(
        f"CREATE TABLE {names.tables.get(table, table)} "
        f"({', '.join(f'{names.column(table, name)} {kind}' for name, kind in columns)});\n"
        for table, columns in TABLES.items()
    )


def record_text(data: Mapping[str, Plain]) -> str:
    """Return the text of a record's file: JSON indented by two spaces, with a final newline."""
    return json.dumps(dict(data), indent=2, ensure_ascii=False) + "\n"


class RenderedFiles(Mapping[str, str]):
    """Files by path. A text is rendered when it is first read."""

    def __init__(self, sources: Mapping[str, str | Callable[[], str]]) -> None:
        self._sources = sources
        self._texts: dict[str, str] = {}

    def __getitem__(self, path: str) -> str:
        text = self._texts.get(path)
        if text is None:
            source = self._sources[path]
            text = self._texts[path] = source if isinstance(source, str) else source()
        return text

    def __contains__(self, path: object) -> bool:
        return path in self._sources

    def __iter__(self) -> Iterator[str]:
        return iter(self._sources)

    def __len__(self) -> int:
        return len(self._sources)


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
    calls: int = 0
    """Most calls of a trial; only the answer is taken after them."""


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
        return fields | {"clock": self.clock.isoformat(), "verification_delay": self.verification_delay.total_seconds()}

    @classmethod
    def from_facts(cls, files: Mapping[str, str], directories: tuple[str, ...], facts: Mapping[str, Any]) -> Self:
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
