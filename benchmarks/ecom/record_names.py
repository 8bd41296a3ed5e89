"""The names that a world shows in records and tools, by the names in the code.

The code uses one name for each field, state and subcommand: the code name, such as
`status`. A world may show another one to the agent: the shown name, such as `phase`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field as dataclass_field  # `RecordNames` has a method `field`.
from functools import cached_property

from controlplane.benchmarks.ecom.record_renaming import ToCodeNames, ToShownNames
from controlplane.sandbox.interface import Plain

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
    def _to_shown_names(self) -> ToShownNames:
        return ToShownNames(self.fields, self.states)

    @cached_property
    def _to_code_names(self) -> ToCodeNames:
        return ToCodeNames(self.fields, self.states)


def record_text(data: Mapping[str, Plain]) -> str:
    """Return the text of a record's file: indented JSON with a final newline."""
    return json.dumps(dict(data), indent=2, ensure_ascii=False) + "\n"
