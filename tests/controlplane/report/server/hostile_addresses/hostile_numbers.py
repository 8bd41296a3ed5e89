"""Texts, as they are encoded in addresses, that a page may take for a number, or fail at.

A page such as `/runs/a/trial-1-2.json` has numbers in its address.
"""

HOSTILE_NUMBERS = [
    "9" * 5_000,
    "-1",
    "0",
    "1.5",
    "1e9",
    "%D9%A1",  # one in Arabic digits
    "%EF%BC%91",  # one in full width
    "%C2%B2",  # two, as an exponent
    "%ED%A0%80",  # half a surrogate pair
    "%FF",  # not UTF-8
    "%00",  # the null character
    "%1B%5B31m",  # an escape sequence for terminals
]
"""Texts, as they are encoded in addresses, that a page may take for a number, or fail at."""
