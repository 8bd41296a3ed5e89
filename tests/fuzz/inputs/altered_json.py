"""JSON values that are altered, for the fuzzer: they are JSON still, but not what a reader expects.

`altered(rng, {"id": "a", "n": [1, 2]})` may return `{"n": [1, 1, 1, 2]}`.
"""

from random import Random
from typing import Any

from tests.fuzz.inputs.generators import happens, word
from tests.fuzz.inputs.random_data import random_data


def altered(rng: Random, value: Any) -> Any:
    """Return a copy of a JSON value with some parts replaced, dropped or repeated.

    `{"id": "a", "n": [1, 2]}` -> `{"n": [1, 1, 1, 2]}`
    """
    if happens(rng, 8):
        return random_data(rng)
    if isinstance(value, dict):
        return _altered_object(rng, value)
    if isinstance(value, list):
        return _altered_list(rng, value)
    return value


def _altered_object(rng: Random, fields: dict[str, Any]) -> dict[str, Any]:
    """Return a copy without 5% of the fields, in 10% of cases with a random field."""
    copy: dict[str, Any] = {}
    for name, value in fields.items():
        if not happens(rng, 5):
            copy[name] = altered(rng, value)
    if happens(rng, 10):
        copy[word(rng)] = random_data(rng)
    return copy


def _altered_list(rng: Random, items: list[Any]) -> list[Any]:
    """Return a copy in which one item of six is dropped, and one of six is there three times."""
    copy: list[Any] = []
    for item in items:
        for _ in range(rng.choice([0, 1, 1, 1, 1, 3])):
            copy.append(altered(rng, item))
    return copy
