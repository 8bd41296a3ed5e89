"""Returns the keys of everything that some arguments pass to a tool.

`check(value="GB33...")` may return `GB33... is valid`. This does not make the account trusted: a
value of the result whose key is among those of the arguments may only repeat them.
"""

from __future__ import annotations

from collections.abc import Iterable

from controlplane.agent.evidence.origins.values.argument_values import argument_values
from controlplane.sandbox.interface import Plain


def keys_of_all(arguments: Iterable[Plain]) -> tuple[str, ...]:
    """Return the keys of all values in some arguments, and of their parts, each once.

    A key is what all spellings of a value share (`keys.py`).

    | arguments | keys |
    |---|---|
    | `["Ann Miller"]` | ` ann miller ` |
    | `["inv-2026017"]` | `inv-2026017`, and `2026017` of its part, and others |
    """
    keys: dict[str, None] = {}  # in their order, each once
    for argument in arguments:
        for whole_value in argument_values(argument):
            for value in whole_value.with_parts():
                for key in value.keys:
                    keys[key] = None
    return tuple(keys)
