"""The tool schema of a trial's environment as JSON text, as `TrialStarted.tool_schema` has it."""

from __future__ import annotations

import dataclasses
import json
from typing import Any, Final, TypeVar

from pydantic import ConfigDict, TypeAdapter

from controlplane.errors import JournalDamaged
from controlplane.sandbox.interface import (
    DEFAULT_RANKED_CHARS,
    DocumentDates,
    EachOf,
    Executable,
    InitialCall,
    NamedFiles,
    RecordOwners,
    ToolSchema,
    operation_of,
)
from controlplane.sandbox.interface.outcomes import (
    PLATFORM_OUTCOMES,
    Outcome,
    Outcomes,
)

_AT_FIRST_USE: Final = ConfigDict(defer_build=True)
"""Builds a validator at its first use, so that commands start sooner."""
_EXECUTABLES: Final = TypeAdapter(tuple[Executable, ...], config=_AT_FIRST_USE)
_TEXT: Final = TypeAdapter(str, config=_AT_FIRST_USE)


_MAX_KEPT_TEXTS: Final = 16


@dataclasses.dataclass(frozen=True, slots=True)
class _KeptText:
    """A tool schema with its JSON text, which takes long to write."""

    tool_schema: ToolSchema
    """While it is kept here, Python gives its `id` to no other object."""
    text: str


_kept_texts: dict[int, _KeptText] = {}
"""The texts of the latest schemas, by the schema's `id`. The trials of a run share a few."""


def tool_schema_to_text(tool_schema: ToolSchema) -> str:
    """Return a tool schema as JSON text, such as `{"operations": [...], "checks": [...], ...}`."""
    # Hashing a schema would take as long as writing it, so its id is the key.
    kept = _kept_texts.get(id(tool_schema))
    if kept is not None:
        return kept.text

    if len(_kept_texts) >= _MAX_KEPT_TEXTS:
        _kept_texts.clear()
    text = json.dumps(_fields_of(tool_schema))
    _kept_texts[id(tool_schema)] = _KeptText(tool_schema, text)
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
    """Return the tool schema with these fields; lists of JSON become tuples.

    A field that an earlier version of the product did not write has a default here.
    Raises various errors if the fields are malformed.
    """
    return ToolSchema(
        operations=tuple(operation_of(declared) for declared in fields["operations"]),
        executables=_EXECUTABLES.validate_python(fields["executables"]),
        rules_document=_TEXT.validate_python(fields["rules_document"]),
        initial_calls=tuple(_initial_call(call) for call in fields["initial_calls"]),
        named_files=_named_files(fields.get("named_files")),
        checks=tuple(operation_of(declared) for declared in fields.get("checks", ())),
        reads_side_by_side=fields.get("reads_side_by_side", False),
        pre_call_check=_TEXT.validate_python(fields.get("pre_call_check", "")),
        trusted_roots=tuple(fields.get("trusted_roots", ())),
        citations=_TEXT.validate_python(fields.get("citations", "asked")),
        ranked_chars=fields.get("ranked_chars", DEFAULT_RANKED_CHARS),
        record_owners=_declared(RecordOwners, fields.get("record_owners")),
        document_dates=_declared(DocumentDates, fields.get("document_dates")),
        outcomes=_outcomes(fields.get("outcomes")),
    )


def _outcomes(fields: dict[str, Any] | None) -> Outcomes:
    """Return the declared outcomes; those of the platform if a journal declares none."""
    if fields is None:
        return PLATFORM_OUTCOMES
    return Outcomes(*(Outcome(**declared) for declared in fields["declared"]))


def _named_files(fields: dict[str, Any] | None) -> NamedFiles | None:
    """Return how texts name the environment's files; None if it does not declare that."""
    if not fields:
        return None
    values = dict(fields)
    values["roots"] = tuple(fields["roots"])
    return NamedFiles(**values)


def _initial_call(fields: dict[str, Any]) -> InitialCall:
    """Return a declared initial call."""
    declared = dict(fields)
    if declared["each_of"]:
        declared["each_of"] = EachOf(**declared["each_of"])
    return InitialCall(**declared)


_Declared = TypeVar("_Declared")


def _declared(
    declared_class: type[_Declared], fields: dict[str, Any] | None
) -> _Declared | None:
    """Return an optional declaration, such as how records name their owners; None without one."""
    if fields is None:
        return None
    values = {}
    for name, value in fields.items():
        values[name] = tuple(value) if isinstance(value, list) else value
    return declared_class(**values)
