"""The check of a value against a JSON schema."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.schemas.json_types import (
    PYTHON_TYPES,
    has_type,
    is_same,
)
from controlplane.sandbox.interface.schemas.python_types import TypeWriter
from controlplane.sandbox.interface.schemas.schema_bounds import bound_fault
from controlplane.sandbox.interface.schemas.schema_parts import (
    Schema,
    allowed_values,
    alternatives,
    declared_keys,
    resolved,
    schema_of_further_keys,
    type_names,
)
from controlplane.sandbox.interface.schemas.work_limit import WorkLimit

_MAX_COMPARED_VALUES: Final = 20_000
"""Comparisons of a value with a part of its schema. With alternatives
within alternatives, a short schema could demand millions."""


def schema_fault(value: Any, schema: Schema) -> str:
    """Return why a value does not fit a schema; empty if it fits.

    The fault begins with the place inside the value:
    `['lines'][0]['qty'] is int, not str 'two'`.
    """
    if _fits_single_type(value, schema):
        return ""
    fault = SchemaCheck(schema).fault(value, schema, level=0)
    return "" if fault is None else fault.text


def _fits_single_type(value: Any, schema: Schema) -> bool:
    """Return True if a schema only demands a type, and the value has it.

    Most schemas are like that, and most values fit. This check takes a tenth of the
    time of the full check.
    """
    if len(schema) != 1:  # it demands more than `{"type": "string"}`
        return False
    names = type_names(schema)
    return bool(names) and names[0] in PYTHON_TYPES and has_type(value, names[0])


@dataclass(frozen=True, slots=True)
class _Fault:
    """Why a value does not fit its schema."""

    text: str
    """What follows the name of the value in a message: ` is int, not str 'two'`, or for a part
    of it `['size'] is int, not str 'two'`. The schema demands the first type, `int`."""
    is_inside: bool
    """True if the fault is in the keys or the items of the value.
    The value itself then has the type that the schema demands."""


class SchemaCheck:
    """Finds the first fault of one value against its schema `root`.

    For the value `{"size": "two"}` and a schema in which `size` is an integer, the fault is
    `['size'] is int, not str 'two'`.
    """

    def __init__(self, root: Schema) -> None:
        self._root = root
        self._comparisons = WorkLimit(_MAX_COMPARED_VALUES)
        """The comparisons that are still allowed."""

    def fault(self, value: Any, schema: Any, level: int) -> _Fault | None:
        """Return the first fault of a value, or of a value inside it; None if there is none.

        `schema` is the part of the schema for this value, `level` levels below the root.
        If the search takes too much work, it ends without a fault. That is safe: the check
        only helps scripts, and the tool itself refuses wrong values.
        """
        if level > bounds.MOST_LEVELS or not self._comparisons.take_one():
            return None
        schema = resolved(schema, self._root)

        fault = self._fault_of_alternatives(value, schema, level)
        if fault is not None:
            return fault
        if not _has_declared_type(value, schema) or not _is_allowed(value, schema):
            return self._mismatch(value, schema)
        text = bound_fault(value, schema)
        if text:
            return _Fault(text, is_inside=False)
        if has_type(value, "array"):
            return self._fault_of_items(value, schema, level)
        if has_type(value, "object"):
            return self._fault_of_keys(value, schema, level)
        return None

    def _fault_of_alternatives(
        self, value: Any, schema: Schema, level: int
    ) -> _Fault | None:
        """Return the fault of a value that fits no alternative (`anyOf`); None if one fits.

        If only one alternative has the type of the value, the fault inside the value
        says more than that the value fits none: `['size'] is int, not str 'two'`.
        """
        choices = alternatives(schema)
        faults = []
        for choice in choices:
            fault = self.fault(value, choice, level + 1)
            if fault is not None:
                faults.append(fault)
        if not choices or len(faults) < len(choices):
            return None

        # A fault inside the value means that the alternative demands its type.
        faults_inside = [fault for fault in faults if fault.is_inside]
        if len(faults_inside) == 1:
            return faults_inside[0]
        return self._mismatch(value, schema)

    def _mismatch(self, value: Any, schema: Schema) -> _Fault:
        """Return the fault of a value that the schema as a whole does not allow.

        The text shows the schema as a Python type: ` is list[str], not int 3`.
        """
        writer = TypeWriter(self._root)
        text = writer.text_of(schema)
        # A check may create many such texts, and each takes as much work as the
        # comparisons do. So the parts of the text count as comparisons.
        self._comparisons.remaining -= writer.written_parts
        return _Fault(f" is {text}, not {_value_text(value)}", is_inside=False)

    def _fault_of_items(self, value: Any, schema: Schema, level: int) -> _Fault | None:
        """Return the first fault in the items of a list: `[2] is str, not int 3`."""
        items = schema.get("items")
        if not isinstance(items, Mapping) or "prefixItems" in schema:
            return None  # There is no schema that holds for all items.
        for index, item in enumerate(value):
            fault = self.fault(item, items, level + 1)
            if fault is not None:
                return _Fault(f"[{index}]{fault.text}", is_inside=True)
        return None

    def _fault_of_keys(
        self, value: Mapping[Any, Any], schema: Schema, level: int
    ) -> _Fault | None:
        """Return the first fault in the keys of a mapping, or in their values.

        `['size'] is int, not str 'two'`, or ` needs the key 'id'`.
        """
        text = _key_fault(value, schema)
        if text:
            return _Fault(text, is_inside=True)
        keys = declared_keys(schema)
        for key, item in value.items():
            item_schema = keys.get(key, schema_of_further_keys(schema))
            fault = self.fault(item, item_schema, level + 1)
            if fault is not None:
                return _Fault(f"[{key!r}]{fault.text}", is_inside=True)
        return None


def _has_declared_type(value: Any, schema: Schema) -> bool:
    """Return True if a value has one of the types that a schema names, or if it names none."""
    names = [name for name in type_names(schema) if name in PYTHON_TYPES]
    return not names or any(has_type(value, name) for name in names)


def _is_allowed(value: Any, schema: Schema) -> bool:
    """Return True if a value is among those that a schema lists, or if it lists none."""
    allowed = allowed_values(schema)
    if allowed is None:
        return True
    return any(is_same(value, allowed_value) for allowed_value in allowed)


def _key_fault(value: Mapping[Any, Any], schema: Schema) -> str:
    """Return the first fault in the keys of a mapping; empty if there is none.

    It lacks a required key (` needs the key 'id'`), or has one that it may not have (` has no
    key 'size'`). The caller puts the name of the mapping in front.
    """
    required = schema.get("required")
    if isinstance(required, list):
        for key in required:
            if isinstance(key, str) and key not in value:
                return f" needs the key {key!r}"

    may_have_further_keys = schema_of_further_keys(schema) is not False
    if not may_have_further_keys:
        known_keys = declared_keys(schema)
        for key in value:
            if key not in known_keys:
                return f" has no key {key!r}"
    return ""


def _value_text(value: Any) -> str:
    """Return the type of a value, and the value itself if it is plain and short: `str 'two'`."""
    kind = type(value)
    if issubclass(kind, int) and int.bit_length(value) > bounds.MOST_INT_BITS:
        return f"{kind.__name__} of more than {bounds.MOST_INT_BITS} bits"
    if kind in (str, int, float, bool) and len(repr(value)) <= bounds.SHOWN_VALUE_CHARS:
        return f"{kind.__name__} {value!r}"
    return kind.__name__
