"""Values that a damaged journal may have in place of any value: of other types, beyond limits, hostile.

    {"type": "run_opened", "usage": {"costs": [0]}}  ->  {..., "usage": {"costs": ["\\u202e\\x1b[2J"]}}

Whoever reads the journal must refuse such a line, or show its text harmlessly.
"""

from typing import Any

UNEXPECTED_VALUES: list[Any] = [
    # Other types than expected
    None,
    True,
    [],
    {},
    [[]],
    [{}],
    {"": None},
    [0],
    [0, 0],
    ["a"],
    # Numbers at and beyond the limits of floats, timestamps and 64 bits
    0,
    -1,
    2**53,
    10**15,
    -(10**15),
    10**40,
    0.5,
    1e308,
    -0.0,
    # Texts: empty, long, with half of a surrogate pair, with control characters or markup
    "",
    "a" * 500,
    "\ud800",
    "\u202e\x1b[2J",
    "<b>&",
    # Texts with a meaning: a reference to another line, a wrong date, an outcome, a path
    "@text:",
    "1970-13-45T99:99",
    "OUTCOME_OK",
    "/proc",
]
"""What a damaged journal may have in place of any value."""
