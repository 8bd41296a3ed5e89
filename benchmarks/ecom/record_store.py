"""The records of a shop's files: how they are named, and how they are found."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as dataclass_field  # `RecordNames` has a method `field`.
from functools import cached_property
from typing import Any, Final, NoReturn

from controlplane.sandbox.files.file_tree import FileTree
from controlplane.sandbox.interface import Plain
from controlplane.sandbox.interface.foreign_documents import Unreadable, read_json

# The names that a world shows in records and tools, by the names in the code.
#
# The code uses one name for each field, state and subcommand: the code name, such as
# `status`. A world may show another one to the agent: the shown name, such as `phase`.

# Renames the fields and states of records, from the names in the code to shown ones or back.
#
# The code has one name for each field and state; each world shows others to the agent. States
# are the few fixed values of some fields, such as `active`; other values are kept:
#
#     in the code   {"status": "active", "note": "active until May"}
#     in a world    {"phase": "filling", "note": "active until May"}

State = str | int
"""The value of a field with states, such as `filling` or 3."""
_FieldPlace = tuple[str, str]
"""The code name of the field around a field, empty if there is none, and the field's own name."""
_UNTRANSLATED_FIELD: Final = "properties"
"""The field whose content, a mapping, is never renamed: what a product is made of, ..."""


@dataclass(frozen=True, slots=True)
class _FieldRenaming:
    """How one field is renamed: `status` to `phase`, or back."""

    new_name: str
    code_name: str
    """Its name in the code. On the way back from a world, this is also the new name."""
    new_states: Mapping[Any, State]
    """The new value for each old one, if the field has states: `{"active": "filling"}`."""


class _RecordRenaming:
    """Renames records in one direction: from the code to a world, or back.

    Each world has thousands of records, so the renaming of each field is remembered.
    """

    def __init__(
        self,
        new_names: Mapping[_FieldPlace, str],
        new_states: Mapping[str, Mapping[Any, State]],
        *,
        is_back: bool,
    ) -> None:
        self._new_names = new_names
        self._new_states = new_states
        """The new value for each old one, by the key of the field: `{"status": {...}}`."""
        self._is_back = is_back
        """True from a world to the code, so that new names are code names."""
        self._known_fields: dict[_FieldPlace, _FieldRenaming] = {}
        """The renaming of each field met so far."""

    def _field_renaming(self, within: str, old_name: str) -> _FieldRenaming:
        """Return how a field is renamed.

        `within` is the code name of the field that contains it; empty if it is not in another.
        """
        # A name for this place precedes the one for any place.
        new_name = self._new_names.get((within, old_name))
        if not new_name:
            new_name = self._new_names.get(("", old_name), old_name)
        code_name = new_name if self._is_back else old_name
        key = f"{within}.{code_name}" if within else code_name
        return _FieldRenaming(new_name, code_name, self._new_states.get(key, {}))

    def renamed(self, data: Mapping[str, Plain], within: str = "") -> dict[str, Plain]:
        """Return a record, or the content of its field `within`, with new names and states.

        A field may hold a mapping or a list of mappings, as a basket has lines; these are
        renamed, too. Records have no lists in lists.
        """
        # Python limits the depth of calls, and a script may have written a deeply nested
        # record. To make only one call for each level, lists are handled here, and not
        # in a function of their own.
        renamed: dict[str, Plain] = {}
        for name, value in data.items():
            field = self._known_fields.get((within, name))
            if field is None:
                field = self._field_renaming(within, name)
                self._known_fields[within, name] = field

            if isinstance(value, dict):
                if field.code_name != _UNTRANSLATED_FIELD:
                    value = self.renamed(value, field.code_name)
            elif isinstance(value, list):
                items: list[Plain] = []
                for item in value:
                    if isinstance(item, dict):
                        item = self.renamed(item, field.code_name)
                    items.append(item)
                value = items
            elif isinstance(value, str | int) and not isinstance(value, bool):
                value = field.new_states.get(value, value)
            renamed[field.new_name] = value
        return renamed


Names = Mapping[str, str]


@dataclass(frozen=True)
class RecordNames:
    """The names that one world shows. The keys of all mappings are the names in the code."""

    fields: Names = dataclass_field(default_factory=dict)
    """The shown name of each field. A field that is not listed keeps its name.

    The key `verification.state` is for a field `state` within a field `verification`,
    and takes precedence over the key `state`.
    """
    states: Mapping[str, Mapping[str, str | int]] = dataclass_field(
        default_factory=dict
    )
    """The shown values of each field with states: `{"status": {"active": "filling"}}`.

    Some worlds show numbers: `{"fulfilment": {"shelf": 1, "download": 2}}`.
    """
    verbs: Names = dataclass_field(default_factory=dict)
    """The shown subcommands of tools: `{"approve": "accept"}`."""
    tables: Names = dataclass_field(default_factory=dict)
    """The shown names of SQL tables."""
    columns: Names = dataclass_field(default_factory=dict)
    """The shown columns that are named differently from the records' fields, by `TABLE.COLUMN`."""
    printed: Names = dataclass_field(default_factory=dict)
    """What tools print after a change, by the change: `checked_out`, `restarted`."""
    outage: str = ""
    """What the query tool prints during an outage."""

    def field(self, name: str, *, within: str = "") -> str:
        """Return the shown name of a field. `within` is the field that contains it, if any."""
        if within:
            name_for_place = self.fields.get(f"{within}.{name}")
            if name_for_place:
                return name_for_place
        return self.fields.get(name, name)

    def column(self, table: str, name: str) -> str:
        """Return the shown name of a table's column."""
        return self.columns.get(f"{table}.{name}", self.field(name))

    def state(self, value: str, *, of: str = "status") -> str | int:
        """Return the shown value for a state of the field `of`."""
        return self.states.get(of, {}).get(value, value)

    def verb(self, name: str) -> str:
        """Return the shown subcommand of a tool."""
        return self.verbs.get(name, name)

    def in_shown_names(self, data: Mapping[str, Plain]) -> dict[str, Plain]:
        """Translate a record from code names to the shown names, which files have."""
        return self._to_shown_names.renamed(data)

    def in_code_names(self, data: Mapping[str, Plain]) -> dict[str, Plain]:
        """Translate a record from shown names to code names."""
        return self._to_code_names.renamed(data)

    @cached_property
    def _to_shown_names(self) -> _RecordRenaming:
        """Renames `{"status": "active"}` to `{"phase": "filling"}`."""
        shown_names = {}
        for key, shown_name in self.fields.items():
            within, _, code_name = key.rpartition(".")
            shown_names[within, code_name] = shown_name
        return _RecordRenaming(shown_names, self.states, is_back=False)

    @cached_property
    def _to_code_names(self) -> _RecordRenaming:
        """Renames `{"phase": "filling"}` to `{"status": "active"}`."""
        code_names = {}
        for key, shown_name in self.fields.items():
            within, _, code_name = key.rpartition(".")
            code_names[within, shown_name] = code_name
        code_states = {}
        for key, shown_values in self.states.items():
            code_states[key] = {shown: code for code, shown in shown_values.items()}
        return _RecordRenaming(code_names, code_states, is_back=True)


def record_text(data: Mapping[str, Plain]) -> str:
    """Return the text of a record's file: indented JSON with a final newline."""
    return json.dumps(dict(data), indent=2, ensure_ascii=False) + "\n"


# The SQL tables of a shop's records.
#
# The code has one name for each table and column. Each world shows others, with which
# `shown_schema` creates the tables: `baskets` may be called `carts`.

_COLUMNS: Final = {
    "products": (
        "sku TEXT, id INTEGER, name TEXT, brand TEXT, category_id TEXT, "
        "kind_id TEXT, family_id TEXT, price_cents INTEGER, "
        "fulfilment TEXT, record_path TEXT"
    ),
    "product_properties": "sku TEXT, key TEXT, value TEXT",
    "stores": (
        "id TEXT, name TEXT, street TEXT, postal_code TEXT, city TEXT, "
        "is_open INTEGER, record_path TEXT"
    ),
    "inventory": (
        "store_id TEXT, sku TEXT, on_hand INTEGER, reserved INTEGER, available INTEGER"
    ),
    "incoming": "store_id TEXT, sku TEXT, quantity INTEGER, arrives_in_days INTEGER",
    "baskets": (
        "id TEXT, customer_id TEXT, store_id TEXT, status TEXT, "
        "created_at TEXT, record_path TEXT"
    ),
    "basket_lines": "basket_id TEXT, sku TEXT, quantity INTEGER",
    "payments": (
        "id TEXT, basket_id TEXT, customer_id TEXT, store_id TEXT, "
        "amount_cents INTEGER, status TEXT, created_at TEXT, "
        "record_path TEXT"
    ),
    "returns": (
        "id TEXT, customer_id TEXT, payment_id TEXT, status TEXT, "
        "reason_code TEXT, created_at TEXT, record_path TEXT"
    ),
    "employees": (
        "id TEXT, display_name TEXT, title TEXT, store_id TEXT, record_path TEXT"
    ),
    "employee_roles": "employee_id TEXT, role TEXT",
}
"""The columns of each table with their types, by the names in the code."""
_Column = tuple[str, str]
"""The name and the type of a column: `("is_open", "INTEGER")`."""


def _columns_of(text: str) -> list[_Column]:
    """Return the columns in a text: `id TEXT, is_open INTEGER`."""
    columns = []
    for column in text.split(","):
        name, column_type = column.split()
        columns.append((name, column_type))
    return columns


TABLES: Final = {table: _columns_of(text) for table, text in _COLUMNS.items()}
"""The columns of each table, by the names in the code."""


def shown_schema(names: RecordNames) -> str:
    """Return the SQL that creates the tables, with the names that a world shows."""
    statements = []
    for table, columns in TABLES.items():
        shown_table = names.tables.get(table, table)
        shown_columns = []
        for column, column_type in columns:
            shown_columns.append(f"{names.column(table, column)} {column_type}")
        statements.append(f"CREATE TABLE {shown_table} ({', '.join(shown_columns)});\n")
    return "".join(statements)


# Reads and saves the records of one trial, in files of a tree.
#
# Fields have the names that the code uses, not those that the trial's world shows in files.

# Checks the arguments with which a script calls a tool, such as `refund approve ret-0031`.
#
# A wrong call is refused by a `ValueError`; the tool prints its message.


def refuse(message: str) -> NoReturn:
    """Refuse a call of a tool: raise a `ValueError`."""
    raise ValueError(message)


def expect(arguments: Sequence[str], count: int, expected: str) -> None:
    """Refuse a call with more or fewer arguments. `expected` names them: `a basket id`."""
    if len(arguments) != count:
        refuse(f"expected {expected}")


def parsed_json(text: str, path: str) -> Plain:
    """Return the JSON value in the text of the file at a path.

    Refuses a text that is not JSON, or is nested too deeply.
    """
    try:
        parsed: Plain = read_json(text)
    except Unreadable as error:
        refuse(f"{path}: {error}")
    return parsed


def subject_of_subcommand(
    arguments: Sequence[str], verbs: Sequence[str], subject: str
) -> str:
    """Return the argument after a subcommand: `pay-12` in `refund approve pay-12`.

    `verbs` are the subcommands that the tool has, and `subject` names the argument in
    the refusal: `a payment id`.
    """
    if not arguments or arguments[0] not in verbs:
        refuse(f"expected the subcommand {' or '.join(verbs)}")
    expect(arguments, 2, f"{arguments[0]} and {subject}")
    return arguments[1]


@dataclass(frozen=True, slots=True)
class StoredRecord:
    """A record that was read: the path of its file, and its data by the code's names."""

    path: str
    data: dict[str, Plain]


class RecordStore:
    """The records in a tree of files. Each kind is below its own folder, such as `/proc/baskets`."""

    def __init__(self, tree: FileTree, names: RecordNames) -> None:
        self.tree = tree
        self.names = names

    def records_below(self, root: str) -> Iterator[StoredRecord]:
        """Yield the records below a folder. Files that are not JSON objects are skipped."""
        for path in self.tree.paths():
            if path.startswith(f"{root}/") and path.endswith(".json"):
                try:
                    record = self._read(path)
                except ValueError:
                    continue
                yield record

    def record(self, root: str, record_id: str) -> StoredRecord:
        """Return the record with this id below a folder, however deep.

        Raises `ValueError` if there is none, or if its file is not a JSON object.
        """
        for path in self.tree.paths():
            is_below = path.startswith(f"{root}/")
            if is_below and path.rsplit("/", 1)[1] == f"{record_id}.json":
                return self._read(path)
        msg = f"no record {record_id!r} under {root}"
        raise ValueError(msg)

    def _read(self, path: str) -> StoredRecord:
        """Return the record at a path. Raises `ValueError` if its file is not a JSON object."""
        data = parsed_json(self.tree.text(path) or "", path)
        if not isinstance(data, dict):
            refuse(f"{path} is not a valid record")
        return StoredRecord(path, self.names.in_code_names(data))

    def save(self, path: str, data: dict[str, Plain]) -> None:
        """Write a record's file. A lone surrogate, which JSON allows, becomes a question mark."""
        text = record_text(self.names.in_shown_names(data))
        self.tree.write(path, text.encode("utf-8", "replace").decode())
