"""Translate records and tools between the names in the code and the names that a world shows.

The code uses one name for each field, state and subcommand: the code name, such as
`status`. A world may show another one: the shown name, such as `state`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from dataclasses import field as dataclass_field  # `RecordNames` has a method `field`.
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
"""The field whose content is never translated."""


def _tables(schema: str) -> dict[str, list[tuple[str, str]]]:
    """Return the columns of each table in a schema, with their types.

    `CREATE TABLE stores (id TEXT, is_open INTEGER);` ->
    `{"stores": [("id", "TEXT"), ("is_open", "INTEGER")]}`
    """
    tables: dict[str, list[tuple[str, str]]] = {}
    for statement in schema.split("CREATE TABLE ")[1:]:
        before_end = statement.partition(")")[0]
        table, _, columns = before_end.partition(" (")
        tables[table] = []
        for column in columns.split(","):
            name, column_type = column.split()
            tables[table].append((name, column_type))
    return tables


TABLES: Final = _tables(SCHEMA)
"""The columns of each table with their types, by code names."""


@dataclass(frozen=True)
class RecordNames:
    """The names that one world shows. Mappings have them by the names in the code."""

    fields: Names = dataclass_field(default_factory=dict)
    """The shown name of each field. A field that is not listed keeps its name.

    The key `verification.state` is for a field `state` within a field `verification`,
    and takes precedence over the key `state`.
    """
    states: Mapping[str, Mapping[str, str | int]] = dataclass_field(
        default_factory=dict
    )
    """The shown values of each field with states: `{"status": {"active": "open"}}`."""
    verbs: Names = dataclass_field(default_factory=dict)
    """The shown subcommands of tools."""
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

    def schema(self) -> str:
        """Return the SQL that creates the tables, with this world's names."""
        statements = []
        for table, columns in TABLES.items():
            shown_table = self.tables.get(table, table)
            shown_columns = [
                f"{self.column(table, name)} {kind}" for name, kind in columns
            ]
            statements.append(
                f"CREATE TABLE {shown_table} ({', '.join(shown_columns)});\n"
            )
        return "".join(statements)

    def in_shown_names(self, data: Mapping[str, Plain]) -> dict[str, Plain]:
        """Translate a record from code names to the shown names, which files have."""
        return self._to_shown_names.renamed(data)

    def in_code_names(self, data: Mapping[str, Plain]) -> dict[str, Plain]:
        """Translate a record from shown names to code names."""
        return self._to_code_names.renamed(data)

    @cached_property
    def _to_shown_names(self) -> _RecordRenaming:
        return _RecordRenaming(self._shown_field)

    @cached_property
    def _to_code_names(self) -> _RecordRenaming:
        return _RecordRenaming(self._code_field)

    def _shown_field(self, within: str, code_name: str) -> _FieldRenaming:
        """Return the renaming of one field from its code name to its shown name."""
        return _FieldRenaming(
            new_name=self.field(code_name, within=within),
            code_name=code_name,
            new_states=self.states.get(_qualified(within, code_name), {}),
        )

    def _code_field(self, within: str, shown_name: str) -> _FieldRenaming:
        """Return the renaming of one field from its shown name to its code name."""
        code_name = self.code_name(shown_name, within=within)
        return _FieldRenaming(
            new_name=code_name,
            code_name=code_name,
            new_states=self.code_states.get(_qualified(within, code_name), {}),
        )

    def code_name(self, shown_name: str, *, within: str) -> str:
        """Return the code name of a shown field. `within` is the code name of what contains it."""
        name_for_place = self._code_names.get((within, shown_name))
        if name_for_place:
            return name_for_place
        return self._code_names.get(("", shown_name), shown_name)

    @cached_property
    def _code_names(self) -> dict[tuple[str, str], str]:
        """The code name of each field, by its containing field (or nothing) and its shown name."""
        names = {}
        for key, shown_name in self.fields.items():
            within, _, name = key.rpartition(".")
            names[within, shown_name] = name
        return names

    @cached_property
    def code_states(self) -> dict[str, dict[str | int, str]]:
        """The code's value for each shown state, by the field's code name."""
        states = {}
        for code_name, shown_values in self.states.items():
            states[code_name] = {shown: value for value, shown in shown_values.items()}
        return states


def _qualified(within: str, code_name: str) -> str:
    """Return the key of a field in the mappings: `verification.state`, or `status`."""
    return f"{within}.{code_name}" if within else code_name


@dataclass(frozen=True, slots=True)
class _FieldRenaming:
    """How one field is renamed, in either direction."""

    new_name: str
    code_name: str
    new_states: Mapping[Any, str | int]
    """The new value for each old one if the field has states; else empty."""


class _RecordRenaming:
    """Renames the fields and states of records in one direction.

    Each world has thousands of records, so the renaming of each field is remembered.
    """

    def __init__(self, field_renaming: Callable[[str, str], _FieldRenaming]) -> None:
        """Set up the renaming.

        `field_renaming` returns how to rename a field. Its arguments are the code name
        of the field that contains it (or nothing) and its old name.
        """
        self._field_renaming = field_renaming
        self._known_fields: dict[tuple[str, str], _FieldRenaming] = {}

    def renamed(self, data: Mapping[str, Plain], within: str = "") -> dict[str, Plain]:
        """Return a record, or the content of its field `within`, with new names and states."""
        # Python limits the depth of calls, and a script may have written a deeply nested
        # record. To make only one call for each level, lists are handled here, and not
        # in a function of their own.
        renamed: dict[str, Plain] = {}
        for name, value in data.items():
            renaming = self._known_fields.get((within, name))
            if renaming is None:
                renaming = self._field_renaming(within, name)
                self._known_fields[within, name] = renaming
            if isinstance(value, dict):
                if renaming.code_name != UNTRANSLATED_FIELD:
                    value = self.renamed(value, renaming.code_name)
            elif isinstance(value, list):
                items: list[Plain] = []
                for item in value:
                    if isinstance(item, dict):
                        item = self.renamed(item, renaming.code_name)
                    items.append(item)
                value = items
            elif isinstance(value, str | int) and not isinstance(value, bool):
                value = renaming.new_states.get(value, value)
            renamed[renaming.new_name] = value
        return renamed


def record_text(data: Mapping[str, Plain]) -> str:
    """Return the text of a record's file: indented JSON with a final newline."""
    return json.dumps(dict(data), indent=2, ensure_ascii=False) + "\n"
