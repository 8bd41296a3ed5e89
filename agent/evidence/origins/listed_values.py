"""Finds the values that the declaration of an operation lists for its arguments.

The environment declares that `set` has an argument `mode`, which is `START` or `STOP`. So a call
may have `START`, even if a mail mentions it, too: the mail did not bring it up.

    keys_of_listed_values(set)    -> {"mode": ("start", "stop")}
"""

from __future__ import annotations

from collections.abc import Mapping

from controlplane.agent.evidence.origins.values.argument_keys import keys_of_all
from controlplane.sandbox.interface import Operation, Plain


def keys_of_listed_values(operation: Operation) -> dict[str, tuple[str, ...]]:
    """Return the keys of the values that are listed for each argument, by its name.

    An argument without such a list is left out. A key is what all spellings of a value share.
    """
    keys: dict[str, tuple[str, ...]] = {}
    for parameter in operation.parameters:
        values = _listed_values(parameter.json_schema)
        if values:
            keys[parameter.name] = keys_of_all(values)
    return keys


def _listed_values(schema: Mapping[str, object]) -> list[Plain]:
    """Return the values that the JSON schema of an argument lists.

    | schema | values |
    |---|---|
    | `{"enum": ["START", "STOP"]}` | `START`, `STOP` |
    | `{"items": {"enum": ["START", "STOP"]}}`, for a list | `START`, `STOP` |
    | any other | none |
    """
    enum = schema.get("enum")
    items = schema.get("items")
    if enum is None and isinstance(items, Mapping):
        enum = items.get("enum")
    return list(enum) if isinstance(enum, list | tuple) else []
