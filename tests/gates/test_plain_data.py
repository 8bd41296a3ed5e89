"""Plain copies of whatever a submission holds, and values shown in messages."""

import enum

import pytest

from gates.submission import (
    MAX_VALUES,
    PlainCopier,
    quote,
)


def as_list(count: int) -> list[int]:
    return [0] * count


def as_tuple(count: int) -> tuple[int, ...]:
    return (0,) * count


def as_dict(count: int) -> dict[str, int]:
    return {str(number): 0 for number in range(count)}


@pytest.mark.parametrize("make", [as_list, as_tuple, as_dict])
@pytest.mark.parametrize(
    ("count", "kept", "last"),
    [(MAX_VALUES - 1, MAX_VALUES - 1, 0), (MAX_VALUES, MAX_VALUES - 1, 0), (MAX_VALUES + 9, MAX_VALUES - 1, 0)],
)
def test_data_beyond_the_size_limit_is_left_out(make: object, count: int, kept: int, last: object) -> None:
    copy = PlainCopier().copy(make(count))
    values = list(copy.values()) if isinstance(copy, dict) else copy
    assert isinstance(values, list)
    assert (len(values), values[-1]) == (kept, last)


class Fee(enum.IntEnum):
    LATE = 7


class Days(float):
    pass


class Name(str):
    __slots__ = ()


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (Fee.LATE, 7),
        (Days(2.5), 2.5),
        (Name("Ada"), "Ada"),
        ({Name("a"): Fee.LATE}, {"a": 7}),
        (b"a", None),
        ({"a": {1, 2}}, {"a": None}),
    ],
)
def test_subclasses_of_plain_types_are_copied_as_plain_data(value: object, plain: object) -> None:
    copy = PlainCopier().copy(value)
    assert copy == plain
    assert type(copy) is type(plain)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\tb\n`c`\r", "a\\tb\\n'c'\\r"),
        ("x" * 80, "x" * 80),
        ("x" * 81, "x" * 79 + "…"),
        ("\x1f \x7f\x9f\xa0", "\\u001f \\u007f\\u009f\xa0"),
        ("\ud7ff\ud800\udfff\ue000", "\ud7ff\\ud800\\udfff\ue000"),
    ],
)
def test_signs_that_cannot_be_seen_or_sent_are_spelt_out(text: str, shown: str) -> None:
    assert quote(text) == f"`{shown}`"
