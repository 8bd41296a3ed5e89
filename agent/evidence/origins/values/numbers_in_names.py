"""Finds the small numbers that only name something, such as the 5 of `Line 5`.

A mail with “See Line 5.” says nothing about an argument `5` of a call: most texts have such
numbers by chance. Only a number that stands alone may be where the call has its `5` from:

    starts_of_numbers_in_names("See Line 5.")               -> {9}
    starts_of_numbers_in_names("1. Stop. 2. Turn.")         -> {0, 9}
    starts_of_numbers_in_names("Please delete 5 files.")    -> set()
"""

from __future__ import annotations

from typing import Final

import re2

from controlplane.gates.surrogates import encodable

_NUMBER_IN_NAME: Final = re2.compile(r"\p{Lu}\p{Ll}+ ([0-9]{1,2})\b")
"""A word with a capital letter, and a number of 1 or 2 digits: `Position 1`. The 5 of `Delete 5` at
the beginning of a sentence is taken for one, too, since the pattern cannot tell them apart."""
_LIST_MARKER: Final = re2.compile(r"(?:^|[.:!?;] +)([0-9]{1,2})[.)] ")
"""The number of an item in a list: `1. Stop.`, or `Here is how: 1. Stop. 2. Turn.` in one line.
It names the item, so it says as little as the number in a name."""


def starts_of_numbers_in_names(line: str) -> set[int]:
    """Return the positions in a line at which the numbers start that name something."""
    # RE2 refuses halves of surrogate pairs. The positions stay the same.
    text = encodable(line)
    starts = set[int]()
    for pattern in (_NUMBER_IN_NAME, _LIST_MARKER):
        for match in pattern.finditer(text):
            starts.add(match.start(1))
    return starts
