"""The forms of OpenTelemetry's JSON (OTLP)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Final, TypeAlias

from controlplane.report.model_requests import Message

Span: TypeAlias = dict[str, object]
"""A span as a JSON object of OTLP."""

INTERNAL: Final = 1
CLIENT: Final = 3
"""The kinds of spans in OTLP."""
OK: Final = 1
ERROR: Final = 2
"""The codes of a span's status in OTLP."""


def nanoseconds(milliseconds: float) -> str:
    """Return a time in nanoseconds, rounded to microseconds: a float has no finer digits here.

    It is a text, since JSON in OTLP writes 64-bit integers as strings.
    """
    return str(round(milliseconds * 1000) * 1000)


def attributes_of(values: Mapping[str, object]) -> list[dict[str, object]]:
    """Return attributes in the form of OTLP, without those that are None."""
    attributes: list[dict[str, object]] = []
    for name, value in values.items():
        if value is not None:
            attributes.append({"key": name, "value": _attribute_value(value)})
    return attributes


def _attribute_value(value: object) -> dict[str, object]:
    """Return a value with its type in OTLP: `3` -> `{"intValue": "3"}`."""
    match value:
        case list():
            return {
                "arrayValue": {"values": [_attribute_value(item) for item in value]}
            }
        case int():
            return {"intValue": str(value)}
        case float():
            return {"doubleValue": value}
        case _:
            return {"stringValue": str(value)}


def messages_text(messages: Iterable[Message]) -> str:
    """Return messages as JSON text, in the form that the semantic conventions define."""
    values = []
    for message in messages:
        part = {"type": "text", "content": message.text}
        values.append({"role": message.role, "parts": [part]})
    return json.dumps(values)
