"""Renames the fields and states of records, from the names in the code to shown ones or back.

{"status": "active"} -> {"state": "open"}
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from controlplane.sandbox.interface import Plain

State = str | int
"""The value of a field with states, such as `open` or 3."""
UNTRANSLATED_FIELD: Final = "properties"
"""The field whose content is never translated."""


@dataclass(frozen=True, slots=True)
class FieldRenaming:
    """How one field is renamed."""

    new_name: str
    code_name: str
    """Its name in the code, which is the old or the new one."""
    new_states: Mapping[Any, State]
    """The new value for each old one if the field has states; else empty."""


class RecordRenaming:
    """Renames the fields and states of records in one direction.

    Each world has thousands of records, so the renaming of each field is remembered.
    """

    def __init__(
        self,
        new_names: Mapping[tuple[str, str], str],
        new_states: Mapping[str, Mapping[Any, State]],
        *,
        is_to_code: bool,
    ) -> None:
        """Set up the renaming. `is_to_code` is True if the new names are those in the code.

        `new_names` are the new names of fields by the code name of the containing field
        and the old name: `("verification", "state")`, or `("", "status")` for a field
        anywhere. `new_states` are the new values of each field with states, by the
        field's code name: `status`, or `verification.state`.
        """
        self._new_names = new_names
        self._new_states = new_states
        self._is_to_code = is_to_code
        self._known_fields: dict[tuple[str, str], FieldRenaming] = {}

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

    def _field_renaming(self, within: str, name: str) -> FieldRenaming:
        """Return how a field is renamed. `within` is the code name of the containing field."""
        new_name = self._new_names.get((within, name))
        if not new_name:
            new_name = self._new_names.get(("", name), name)
        code_name = new_name if self._is_to_code else name
        qualified_name = f"{within}.{code_name}" if within else code_name
        new_states = self._new_states.get(qualified_name, {})
        return FieldRenaming(new_name, code_name, new_states)
