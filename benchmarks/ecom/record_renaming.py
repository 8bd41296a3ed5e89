"""Renames the fields and states of records, from the names in the code to shown ones or back.

The code has one name for each field and state; each world shows others to the agent. Some
fields have states, a few fixed values such as `active`, which are renamed, too:

    in the code   {"status": "active", "note": "active until May"}
    in a world    {"phase": "filling", "note": "active until May"}
"""

from __future__ import annotations

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
    """How one field is renamed: from its old name and states to the new ones."""

    new_name: str
    code_name: str
    """Its name in the code: the old name on the way to a world, the new one on the way back."""
    new_states: Mapping[Any, State]
    """The new value for each old one, if the field has states: `{"active": "filling"}`."""


class RecordRenaming:
    """Renames the fields and states of records in one direction.

    To a world: `{"status": "active"}` -> `{"phase": "filling"}`. Back to the code:
    `{"phase": "filling"}` -> `{"status": "active"}`. Each world has thousands of records,
    so the renaming of each field is remembered.
    """

    def __init__(
        self,
        new_names: Mapping[tuple[str, str], str],
        new_states: Mapping[str, Mapping[Any, State]],
        *,
        is_to_code: bool,
    ) -> None:
        """Set up the renaming.

        Args:
            new_names: The new name of each field, by its old one: `{("", "status"):
                "phase"}`. For a field in another, the code name of that other field comes
                first: `{("verification", "state"): "step"}`.
            new_states: The new values of each field with states, by the code name of the
                field: `{"status": {"active": "filling"}, "verification.state": {...}}`.
            is_to_code: True if the new names are those in the code, so for the way back.
        """
        self._new_names = new_names
        self._new_states = new_states
        self._is_to_code = is_to_code
        self._known_fields: dict[tuple[str, str], FieldRenaming] = {}

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

    def _field_renaming(self, within: str, name: str) -> FieldRenaming:
        """Return how a field is renamed. `within` is the code name of the containing field."""
        new_name = self._new_names.get((within, name))
        if not new_name:
            # There is no name for this place, so take the one for any place, or keep the old.
            new_name = self._new_names.get(("", name), name)
        code_name = new_name if self._is_to_code else name
        qualified_name = f"{within}.{code_name}" if within else code_name
        new_states = self._new_states.get(qualified_name, {})
        return FieldRenaming(new_name, code_name, new_states)
