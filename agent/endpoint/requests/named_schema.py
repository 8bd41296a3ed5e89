"""The JSON schema of a reply as requests have it, only with features that the endpoint takes.

| the endpoint takes | schema in the request |
|---|---|
| all features | `{"name": "action", "schema": {..., "maxLength": 400}, "strict": True}` |
| no limits on lengths, and no `strict` | `{"name": "action", "schema": {...}}` |
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from controlplane.agent.endpoint.json_parts import LENGTH_KEYWORDS
from controlplane.agent.model import Capabilities

SCHEMA_NAME: Final = "action"
"""The name of a request's schema. The protocols demand a name, and models may see it."""


def named_schema(
    schema: Mapping[str, object] | None, capabilities: Capabilities
) -> dict[str, object]:
    """Return a schema with a name, in the form that the endpoint accepts."""
    accepted: object = dict(schema or {})
    if not capabilities.takes_bounds:  # limits on lengths, such as `maxLength`
        accepted = without_length_keywords(accepted)
    named: dict[str, object] = {"name": SCHEMA_NAME, "schema": accepted}
    if capabilities.takes_strict:
        named["strict"] = True
    return named


def without_length_keywords(schema: object) -> object:
    """Return a schema, or a part of one, without limits on lengths.

    `{"type": "string", "maxLength": 400}` -> `{"type": "string"}`
    """
    if isinstance(schema, dict):
        remaining = {}
        for name, value in schema.items():
            if name not in LENGTH_KEYWORDS:
                remaining[name] = without_length_keywords(value)
        return remaining
    if isinstance(schema, list):
        return [without_length_keywords(item) for item in schema]
    return schema
