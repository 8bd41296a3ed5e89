"""The texts, numbers and names in plain data, such as the arguments of a call.

A script could pass a text to a tool, within a list or a mapping, and cite it from the result as
found. So each text in the arguments is compared with the result: a repeated text proves nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.sandbox.interface import Plain


def texts_in(value: Plain) -> Iterator[str]:
    """Yield the texts, numbers and names in plain data: `{"fee": [7, "eur"]}` -> `fee`, `7`, `eur`.

    If all items are short, a tool may join them to a word, so this is yielded, too:
    `["v", "a", "t"]` -> `vat`, `v`, `a`, `t`.
    """
    items: list[Plain]
    if value is None:
        return
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
        yield from texts_in(item)


def _may_be_part_of_word(item: Plain) -> bool:
    """Return True if an item of a list has at most two characters: `v`, `7`, `au`."""
    return isinstance(item, str | int) and len(str(item)) <= 2
