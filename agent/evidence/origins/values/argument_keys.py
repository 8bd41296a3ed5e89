"""Returns the keys of everything that some arguments pass to a tool.

A *key* of a value is a form that all its spellings share: a date in digits, words in small letters.

    keys_of_all(["15 May 2026", "Ann Lee"])    -> ("2026-05-15", "--05-15", " ann lee ")

Which keys were passed is needed because a result may only repeat them. After
`check(value="GB33...")`, the result `GB33... is valid` does not make the account trusted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from controlplane.agent.evidence.origins.values.argument_value import ArgumentValue
from controlplane.agent.evidence.origins.values.argument_values import argument_values
from controlplane.sandbox.interface import Plain, bounds


@dataclass(frozen=True, slots=True)
class PassedKeys:
    """The keys of the values that some arguments pass."""

    keys: tuple[str, ...]
    """Each once."""
    are_all: bool
    """False if there are more values than are looked up (`MOST_TRACED_PARTS`)."""

    @classmethod
    def of(cls, arguments: Iterable[Plain]) -> PassedKeys:
        """Return the keys of the values in some arguments, and of their parts."""
        keys: dict[str, None] = {}  # in their order, each once
        count = 0
        for argument in arguments:
            most_parts = bounds.MOST_TRACED_PARTS - count + 1
            for value in argument_values(argument, most_parts):
                for part in _with_parts(value):
                    count += 1
                    if count > bounds.MOST_TRACED_PARTS:
                        return cls(tuple(keys), are_all=False)
                    keys.update(dict.fromkeys(part.keys))
        return cls(tuple(keys), are_all=True)


def keys_of_all(arguments: Iterable[Plain]) -> tuple[str, ...]:
    """Return the keys of the values in some arguments, and of their parts, each once."""
    return PassedKeys.of(arguments).keys


def _with_parts(value: ArgumentValue) -> Iterator[ArgumentValue]:
    """Yield a value, its parts, their parts, and so on."""
    yield value
    for part in value.parts:
        yield from _with_parts(part)
