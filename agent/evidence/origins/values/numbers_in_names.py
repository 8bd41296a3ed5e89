"""Finds the small numbers that only name something, such as the 5 of `Line 5`.

A mail with “See Line 5.” says nothing about an argument `5` of a call: most texts have such
numbers by chance. “Please delete 5” may be where the call has its `5` from.
"""

from __future__ import annotations

from typing import Final

import re2

from controlplane.gates.surrogates import encodable

_NUMBER_IN_NAME: Final = re2.compile(r"\p{Lu}\p{Ll}+ ([0-9]{1,2})\b")
"""A word with a capital letter, and a number of 1 or 2 digits: `Position 1`. (The first word of a
sentence has one as well, so the 5 of `Delete 5` is taken for a name, too.)"""
_LIST_MARKER: Final = re2.compile(r"(?:^|[.:!?;] +)([0-9]{1,2})[.)] ")
"""The number of an item in a list: `1. Stop.`, or `Here is how: 1. Stop. 2. Turn.` in one line.
It names the item, so it says as little as the number in a name."""


def starts_of_numbers_in_names(line: str) -> set[int]:
    """Return where the numbers start that name something.

    | line | returned |
    |---|---|
    | `See Line 5.` | `{9}` |
    | `1. Stop. 2. Turn.` | `{0, 9}` |
    | `Please delete 5 files.` | `set()` |
    """
    text = encodable(line)  # as long as `line`, so the positions are the same
    starts = set[int]()
    for pattern in (_NUMBER_IN_NAME, _LIST_MARKER):
        for match in pattern.finditer(text):
            starts.add(match.start(1))
    return starts
