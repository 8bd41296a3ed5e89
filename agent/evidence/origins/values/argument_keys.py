"""Returns the keys of everything that some arguments pass to a tool.

A *key* of a value is a form that all its spellings share: a date in digits, words in small letters.

    keys_of_all(["15 May 2026", "Ann Lee"])    -> ("2026-05-15", "--05-15", " ann lee ")

Which keys were passed is needed because a result may only repeat them. After
`check(value="GB33...")`, the result `GB33... is valid` does not make the account trusted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from controlplane.agent.evidence.origins.values.argument_value import ArgumentValue
from controlplane.agent.evidence.origins.values.argument_values import argument_values
from controlplane.sandbox.interface import Plain


def keys_of_all(arguments: Iterable[Plain]) -> tuple[str, ...]:
    """Return the keys of all values in some arguments, and of their parts, each once."""
    keys: dict[str, None] = {}  # in their order, each once
    for argument in arguments:
        for value in argument_values(argument):
            keys.update(dict.fromkeys(_keys_of(value)))
    return tuple(keys)


def _keys_of(value: ArgumentValue) -> Iterator[str]:
    """Yield the keys of a value, those of its parts, of their parts, and so on."""
    yield from value.keys
    for part in value.parts:
        yield from _keys_of(part)
