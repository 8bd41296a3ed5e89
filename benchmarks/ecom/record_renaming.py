"""Renames the fields and states of records, from the names in the code to shown ones or back.

The code has one name for each field and state; each world shows others to the agent. States
are the few fixed values of some fields, such as `active`; other values are kept:

    in the code   {"status": "active", "note": "active until May"}
    in a world    {"phase": "filling", "note": "active until May"}
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from controlplane.sandbox.interface import Plain

State = str | int
"""The value of a field with states, such as `filling` or 3."""
UNTRANSLATED_FIELD: Final = "properties"
"""The field whose content, a mapping, is never renamed: what a product is made of, ..."""


@dataclass(frozen=True, slots=True)
class FieldRenaming:
    """How one field is renamed: `status` to `phase`, or back."""

    new_name: str
    code_name: str
    """Its name in the code. On the way back from a world, this is also the new name."""
    new_states: Mapping[Any, State]
    """The new value for each old one, if the field has states: `{"active": "filling"}`."""


class RecordRenaming(ABC):
    """Renames records in one direction. The subclasses know the names of fields and states.

    Each world has thousands of records, so the renaming of each field is remembered.
    """

    def __init__(self) -> None:
        self._known_fields: dict[tuple[str, str], FieldRenaming] = {}
        """The renaming of each field met so far, by the field around it and its old name."""

    @abstractmethod
    def field_renaming(self, within: str, old_name: str) -> FieldRenaming:
        """Return how a field is renamed.

        `within` is the code name of the field that contains it; empty if it is not in another.
        """

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
                field = self.field_renaming(within, name)
                self._known_fields[within, name] = field

            if isinstance(value, dict):
                if field.code_name != UNTRANSLATED_FIELD:
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


class ToShownNames(RecordRenaming):
    """Renames from the code to a world: `{"status": "active"}` -> `{"phase": "filling"}`."""

    def __init__(
        self,
        shown_fields: Mapping[str, str],
        shown_states: Mapping[str, Mapping[str, State]],
    ) -> None:
        """Take the shown name of each field and state, by their code names.

        `{"status": "phase"}` and `{"status": {"active": "filling"}}`. The key of a field in
        another may name both: `verification.state`.
        """
        super().__init__()
        self._shown_names: dict[tuple[str, str], str] = {}
        for key, shown_name in shown_fields.items():
            within, _, code_name = key.rpartition(".")
            self._shown_names[within, code_name] = shown_name
        self._shown_states = shown_states

    def field_renaming(self, within: str, old_name: str) -> FieldRenaming:
        """Return how a field is renamed that has this code name."""
        shown_name = _name_at(within, old_name, self._shown_names)
        states = self._shown_states.get(_state_key(within, old_name), {})
        return FieldRenaming(shown_name, old_name, states)


class ToCodeNames(RecordRenaming):
    """Renames from a world to the code: `{"phase": "filling"}` -> `{"status": "active"}`."""

    def __init__(
        self,
        shown_fields: Mapping[str, str],
        shown_states: Mapping[str, Mapping[str, State]],
    ) -> None:
        """Take the same names as `ToShownNames`: the shown ones by those in the code."""
        super().__init__()
        self._code_names: dict[tuple[str, str], str] = {}
        for key, shown_name in shown_fields.items():
            within, _, code_name = key.rpartition(".")
            self._code_names[within, shown_name] = code_name
        self._code_states: dict[str, dict[State, State]] = {}
        for key, shown_values in shown_states.items():
            self._code_states[key] = {
                shown: code for code, shown in shown_values.items()
            }

    def field_renaming(self, within: str, old_name: str) -> FieldRenaming:
        """Return how a field is renamed that has this shown name."""
        code_name = _name_at(within, old_name, self._code_names)
        states = self._code_states.get(_state_key(within, code_name), {})
        return FieldRenaming(code_name, code_name, states)


def _name_at(within: str, old_name: str, names: Mapping[tuple[str, str], str]) -> str:
    """Return the new name of a field within another.

    Without a name for this place, that is the one for any place, or else the old name.
    """
    return names.get((within, old_name)) or names.get(("", old_name), old_name)


def _state_key(within: str, code_name: str) -> str:
    """Return the key of a field's states: `status`, or `verification.state` within another."""
    return f"{within}.{code_name}" if within else code_name
