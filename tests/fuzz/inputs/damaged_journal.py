"""Damages the journal of a run, which is a list of *events*: a JSON object for each line.

    events = [{"type": "run_opened", "usage": {"costs": [0]}}, ...]
    damage_one_place(rng, events)
    events -> [{"type": "run_opened", "usage": {"costs": ["@text:"]}}, ...]

Whoever reads a journal must stand any damage of this kind.
"""

import copy
from collections.abc import Sequence
from random import Random
from typing import Any

from tests.fuzz.inputs import generators
from tests.fuzz.inputs.random_data import random_data
from tests.fuzz.inputs.unexpected_values import UNEXPECTED_VALUES

KeyPath = tuple[Any, ...]
"""The keys that lead to a value: ("usage", "costs", 0) is `event["usage"]["costs"][0]`."""


def damage_one_place(rng: Random, events: list[Any]) -> None:
    """Change the list of events: repeat or remove one, or remove or replace a value of one."""
    position = rng.randrange(len(events))
    event = events[position]
    kind = generators.chosen_kind(
        rng,
        {"repeat event": 8, "remove event": 8, "remove value": 6, "replace value": 78},
    )
    if kind == "repeat event":
        events.insert(rng.randrange(len(events) + 1), copy.deepcopy(event))
        return
    if kind == "remove event":
        del events[position]
        return

    _path_of_event, *paths_of_values = key_paths(event)
    # The value at ("usage", "costs", 0) is an item of the container at ("usage", "costs").
    *keys_of_container, last_key = rng.choice(paths_of_values)
    container = event
    for key in keys_of_container:
        container = container[key]
    if kind == "remove value":
        del container[last_key]
        return
    replacements = [*UNEXPECTED_VALUES, random_data(rng), generators.text(rng)]
    container[last_key] = copy.deepcopy(rng.choice(replacements))


def key_paths(value: Any, path: KeyPath = ()) -> list[KeyPath]:
    """Return the paths of a value and of all values inside it; `path` is that of the value.

    For `{"a": [5]}` these are `()`, `("a",)` and `("a", 0)`.
    """
    items: Sequence[tuple[Any, Any]] = []
    if isinstance(value, dict):
        items = list(value.items())
    elif isinstance(value, list):
        items = list(enumerate(value))
    paths = [path]
    for key, inner_value in items:
        paths += key_paths(inner_value, (*path, key))
    return paths
