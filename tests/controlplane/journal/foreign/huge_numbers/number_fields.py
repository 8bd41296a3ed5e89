"""Finds the numbers in an event of a journal, and replaces one of them.

An event is the fields of one line. In `{"type": "model_replied", "usage": {"prompt_tokens": 90}}`,
the one number has the path `("usage", "prompt_tokens")`, and its field the name
`model_replied.usage.prompt_tokens`.
"""

import copy
from collections.abc import Iterator
from typing import Any

FieldPath = tuple[str | int, ...]
"""Where a value is in an event: `("usage", "prompt_tokens")` or `("trials", 0, "number")`."""


def paths_of_numbers(value: Any, path: FieldPath = ()) -> Iterator[FieldPath]:
    """Yield the path of each number in an event."""
    if isinstance(value, dict):
        for name, field in value.items():
            yield from paths_of_numbers(field, (*path, name))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from paths_of_numbers(item, (*path, index))
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield path


def with_value_at(path: FieldPath, event: dict[str, Any], value: float) -> Any:
    """Return a copy of an event with another value at this path."""
    changed_event: Any = copy.deepcopy(event)
    container = changed_event
    for part in path[:-1]:
        container = container[part]
    container[path[-1]] = value
    return changed_event


def field_name(path: FieldPath, event: dict[str, Any]) -> str:
    """Return the name of the field at a path: `run_started.trials.number`.

    It is the same for all items of a list.
    """
    names = [event["type"]]
    names += [part for part in path if isinstance(part, str)]
    return ".".join(names)
