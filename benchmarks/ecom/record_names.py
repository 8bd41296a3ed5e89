"""How a world spells its records and tools, and how the code does.

The code of worlds, families and solutions has one name for each field, state and subcommand;
`RecordNames` translates records between both.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

from controlplane.sandbox.interface import Plain

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
UNTRANSLATED_FIELD: Final = "properties"
"""The field whose content is the same under every vocabulary."""


def _tables(schema: str) -> dict[str, list[tuple[str, str]]]:
    """Return the columns of each table of a schema, with their types."""
    tables: dict[str, list[tuple[str, str]]] = {}
    for statement in schema.split("CREATE TABLE ")[1:]:
        table, _, columns = statement.partition(")")[0].strip().partition(" (")
        tables[table] = []
        for column in columns.split(","):
            name, column_type = column.split()
            tables[table].append((name, column_type))
    return tables


TABLES: Final = _tables(SCHEMA)
"""The columns of each table with their types, by the names of the code."""


@dataclass(frozen=True)
class RecordNames:
    """The names of one world.

    A field within `verification` has a name of its own if it is listed as `verification.NAME`.
    """

    fields: Names = field(default_factory=dict)
    """The shown name of each field by its name in the code; one that is not listed keeps it."""
    states: Mapping[str, Mapping[str, str | int]] = field(default_factory=dict)
    """The shown value of each state, by field (as in the code)."""
    verbs: Names = field(default_factory=dict)
    """The subcommands of tools."""
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
        if within:
            own_name = self.fields.get(f"{within}.{name}")
            if own_name:
                return own_name
        return self.fields.get(name, name)

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
        statements = []
        for table, columns in TABLES.items():
            shown_table = self.tables.get(table, table)
            shown_columns = [f"{self.column(table, name)} {kind}" for name, kind in columns]
            statements.append(f"CREATE TABLE {shown_table} ({', '.join(shown_columns)});\n")
        return "".join(statements)

    def in_file_names(self, data: Mapping[str, Plain]) -> dict[str, Plain]:
        """Return a record's data as files show it."""
        return self._to_files.renamed(data)

    def in_code_names(self, data: Mapping[str, Plain]) -> dict[str, Plain]:
        """Return the data of a file under the names of the code."""
        return self._to_code.renamed(data)

    @cached_property
    def _to_files(self) -> _Renaming:
        return _Renaming(self, is_from_file=False)

    @cached_property
    def _to_code(self) -> _Renaming:
        return _Renaming(self, is_from_file=True)

    def code_name(self, shown_name: str, *, within: str) -> str:
        """Return the code's name of a shown field, `within` the field that holds it."""
        own_name = self._code_names.get((within, shown_name))
        if own_name:
            return own_name
        return self._code_names.get(("", shown_name), shown_name)

    @cached_property
    def _code_names(self) -> dict[tuple[str, str], str]:
        names = {}
        for key, shown_name in self.fields.items():
            within, _, name = key.rpartition(".")
            names[within, shown_name] = name
        return names

    @cached_property
    def code_states(self) -> dict[str, dict[str | int, str]]:
        """The code's value of each shown state, by field (as in the code)."""
        states = {}
        for of, values in self.states.items():
            states[of] = {shown: value for value, shown in values.items()}
        return states


@dataclass(frozen=True, slots=True)
class _FieldRenaming:
    """What becomes of one field."""

    new_name: str
    code_name: str
    states: Mapping[Any, str | int]
    """The new value of each state."""


class _Renaming:
    """Translates records in one direction. Thousands of records are translated for each world."""

    def __init__(self, names: RecordNames, *, is_from_file: bool) -> None:
        self._names = names
        self._is_from_file = is_from_file
        self._fields: dict[tuple[str, str], _FieldRenaming] = {}
        """What becomes of each field, by the field that holds it and its name."""

    def renamed(self, data: Mapping[str, Plain], within: str = "") -> dict[str, Plain]:
        """Return data under other names, with other states.

        One call a level: records that a script wrote may be nested deeply.
        """
        renamed: dict[str, Plain] = {}
        for name, value in data.items():
            field_renaming = self._fields.get((within, name))
            if field_renaming is None:
                field_renaming = self._field(within, name)
                self._fields[within, name] = field_renaming
            code_name = field_renaming.code_name
            if type(value) is dict:
                if code_name != UNTRANSLATED_FIELD:
                    value = self.renamed(value, code_name)
            elif type(value) is list:
                items: list[Plain] = []
                for item in value:
                    if type(item) is dict:
                        item = self.renamed(item, code_name)
                    items.append(item)
                value = items
            elif field_renaming.states and type(value) in (str, int):
                value = field_renaming.states.get(value, value)
            renamed[field_renaming.new_name] = value
        return renamed

    def _field(self, within: str, name: str) -> _FieldRenaming:
        states: Mapping[str, Mapping[Any, str | int]]
        if self._is_from_file:
            new_name = code_name = self._names.code_name(name, within=within)
            states = self._names.code_states
        else:
            new_name = self._names.field(name, within=within)
            code_name = name
            states = self._names.states
        state_key = f"{within}.{code_name}" if within else code_name
        return _FieldRenaming(new_name, code_name, states.get(state_key, {}))


def record_text(data: Mapping[str, Plain]) -> str:
    """Return the text of a record's file: JSON indented by two spaces, with a final newline."""
    return json.dumps(dict(data), indent=2, ensure_ascii=False) + "\n"
