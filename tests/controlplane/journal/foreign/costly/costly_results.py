"""Journals of a megabyte with a call that has returned something hard to read.

    many_objects()   the result `[{"a":1},{"a":1},...]`

Each repeats one thing as often as it fits in: `MB // 9` is how often nine bytes fit.
"""

from tests.controlplane.journal.foreign.journal_bytes import (
    MB,
    call_with_result,
    journal_of,
)


def deep_list() -> bytes:
    """A list in a list, 50,000 levels deep."""
    depth = MB // 20
    return journal_of(call_with_result(b"[" * depth + b"]" * depth))


def deep_list_beside_a_surrogate() -> bytes:
    """A list with half of a surrogate pair and a deep list: `["\\ud800", [[[...]]]]`.

    The fast JSON reader does not take such a half, so that a slower one reads the line.
    """
    depth = 50_000
    return journal_of(
        call_with_result(b'["\\ud800",' + b"[" * depth + b"]" * depth + b"]")
    )


def many_empty_objects() -> bytes:
    """A list of 333,333 objects: `[{},{},...]`."""
    return journal_of(call_with_result(b"[" + b"{}," * (MB // 3) + b"0]"))


def many_objects() -> bytes:
    """A list of 111,111 objects with a field: `[{"a":1},{"a":1},...]`."""
    return journal_of(call_with_result(b"[" + b'{"a":1},' * (MB // 9) + b"0]"))


def many_numbers() -> bytes:
    """A list of 250,000 numbers."""
    return journal_of(call_with_result(b"[" + b"1.5," * (MB // 4) + b"0]"))


def long_numbers() -> bytes:
    """A list of numbers of 4,000 digits: `[999...,999...]`."""
    numbers = [b"9" * 4_000] * (MB // 4_100)
    return journal_of(call_with_result(b"[" + b",".join(numbers) + b"]"))
