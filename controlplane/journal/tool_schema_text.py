"""The tool schema of a trial's environment as JSON text, as `TrialStarted.tool_schema` has it."""

from __future__ import annotations

import dataclasses
import json
from functools import cache
from typing import Any, Final, get_type_hints

from pydantic import TypeAdapter

from controlplane.errors import JournalDamaged
from controlplane.sandbox.interface import (
    EachOf,
    InitialCall,
    ToolSchema,
    operation_of,
)
from controlplane.sandbox.interface.outcomes import (
    PLATFORM_OUTCOMES,
    Outcome,
    Outcomes,
)

_MAX_KEPT_TEXTS: Final = 16

_kept_texts: dict[int, tuple[ToolSchema, str]] = {}
"""The latest schemas with their texts, which take long to write, by the schema's `id`. The trials of a
run share a few. While a schema is kept here, Python gives its `id` to no other object."""


def tool_schema_to_text(tool_schema: ToolSchema) -> str:
    """Return a tool schema as JSON text, such as `{"operations": [...], "checks": [...], ...}`."""
    # Hashing a schema would take as long as writing it, so its id is the key.
    kept = _kept_texts.get(id(tool_schema))
    if kept is not None:
        return kept[1]

    if len(_kept_texts) >= _MAX_KEPT_TEXTS:
        _kept_texts.clear()
    text = json.dumps(_fields_of(tool_schema))
    _kept_texts[id(tool_schema)] = (tool_schema, text)
    return text


def _fields_of(tool_schema: ToolSchema) -> dict[str, object]:
    """Return the fields of a tool schema as plain data, without the private (derived) ones."""
    # Operations and checks are added below by `as_data`, which leaves out defaults.
    others = dataclasses.replace(tool_schema, operations=(), checks=())
    fields: dict[str, object] = {}
    for name, value in dataclasses.asdict(others).items():
        if not name.startswith("_"):
            fields[name] = value
    fields["operations"] = [operation.as_data() for operation in tool_schema.operations]
    fields["checks"] = [check.as_data() for check in tool_schema.checks]
    return fields


def tool_schema_from_text(text: str) -> ToolSchema:
    """Return the tool schema that `text` holds. Raises `JournalDamaged` if it is malformed."""
    try:
        return _tool_schema_of(json.loads(text))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        msg = f"a trial's declaration of its environment is malformed: {type(error).__name__}"
        raise JournalDamaged(msg) from error


def _tool_schema_of(fields: dict[str, Any]) -> ToolSchema:
    """Return the tool schema with these fields.

    A field that an earlier version of the product did not write has its default, and one that is
    not known is left out. Raises various errors if the fields are malformed.
    """
    # A journal that declares no outcomes has those of the platform.
    values: dict[str, Any] = {"outcomes": PLATFORM_OUTCOMES}
    for name in get_type_hints(ToolSchema):
        value = fields.get(name)
        if value is None:
            continue
        if name in ("operations", "checks"):
            values[name] = tuple(operation_of(declared) for declared in value)
        elif name == "initial_calls":
            values[name] = tuple(_initial_call(declared) for declared in value)
        elif name == "outcomes":
            outcomes = [Outcome(**declared) for declared in value["declared"]]
            values[name] = Outcomes(*outcomes)
        else:
            values[name] = _adapter_of(name).validate_python(value)
    return ToolSchema(**values)


def _initial_call(fields: dict[str, Any]) -> InitialCall:
    """Return a declared initial call."""
    each_of = fields["each_of"]
    return InitialCall(**fields | {"each_of": EachOf(**each_of) if each_of else None})


@cache
def _adapter_of(name: str) -> TypeAdapter[Any]:
    """Return what makes a field of a tool schema of JSON, which has lists in place of tuples."""
    return TypeAdapter(get_type_hints(ToolSchema)[name])
