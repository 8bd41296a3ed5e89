"""The texts, numbers and names in plain data, such as the arguments of a call.

They are compared with what a call returns: a tool may repeat each of them, and a repeated
text proves nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.sandbox.interface import Plain


def leaves_of(value: Plain) -> Iterator[str]:
    """Yield the texts, numbers and names in plain data: `{"fee": [7, "eur"]}` -> `fee`, `7`, `eur`.

    If all items are short, a tool may join them to a word, so this is yielded, too:
    `["v", "a", "t"]` -> `vat`, `v`, `a`, `t`.
    """
    if value is None:
        return
    items: list[Plain]
    if isinstance(value, dict):
        items = [*value, *value.values()]  # first the names, then the values
    elif isinstance(value, list):
        items = value
    else:
        yield str(value)
        return

    if len(items) > 1 and all(_may_be_part_of_word(item) for item in items):
        yield "".join(str(item) for item in items)
    for item in items:
        yield from leaves_of(item)


def _may_be_part_of_word(item: Plain) -> bool:
    """Return True if an item of a list has at most two characters: `v`, `7`, `au`."""
    return isinstance(item, str | int) and len(str(item)) <= 2
