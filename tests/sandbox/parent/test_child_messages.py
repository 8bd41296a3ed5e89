"""What a child sends is read as the plain reader reads it, whatever it is."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic_core import from_json

from sandbox.parent.child_messages import DEEPEST, read_message
from sandbox.process.frames import Forged, read_body

PIECES = st.sampled_from(
    [
        *("[", "]", "{", "}", ",", ":", '"', "\\", "-", "+", ".", "e", "E", "0", "1", "9", " ", "\t", "\n", "\u00e4"),
        *("null", "true", "false", "NaN", "Infinity", "1e400", "1e308", "0.1", "-0", "5e-324", "9" * 30, "\\u00e4"),
        *("\\ud83d\\ude00", "\\ud83d", "\\ude00", '"a"', '"a":1', "\x00", "\x7f", "\ufeff", "\ud800", "00", "1.", ".5"),
    ]
)
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda each: st.lists(each, max_size=4) | st.dictionaries(st.text(max_size=8), each, max_size=4),
    max_leaves=20,
)
BOUNDS = [(0, 0, 0), (5, 9, 3), (100, 100, 200), (10_000, 50_000, 300)]


def outcome(read: Any, body: bytes, bounds: tuple[int, int, int]) -> object:
    """What comes of reading: the value and the types in it, or the fault."""
    try:
        return repr(read(body, **dict(zip(("most_parts", "most_values", "most_levels"), bounds, strict=True))))
    except Forged as error:
        return str(error)


def is_read_alike(body: bytes) -> bool:
    return all(outcome(read_message, body, each) == outcome(read_body, body, each) for each in BOUNDS)


@settings(max_examples=500, deadline=None)
@given(st.lists(PIECES, max_size=14).map("".join), st.booleans())
def test_pieces_of_json_are_read_alike(text: str, is_listed: bool) -> None:
    assert is_read_alike((f"[{text}]" if is_listed else text).encode("utf-8", "surrogatepass"))


@settings(max_examples=200, deadline=None)
@given(st.lists(PLAIN, min_size=1), st.integers(0, 400), st.binary(max_size=2))
def test_messages_and_what_noise_makes_of_them_are_read_alike(message: list[object], at: int, noise: bytes) -> None:
    body = json.dumps(message, ensure_ascii=bool(at % 2)).encode("utf-8", "surrogatepass")
    assert is_read_alike(body)
    assert is_read_alike(body[:at] + noise + body[at + len(noise) :])


@pytest.mark.parametrize("levels", [199, 200, 201, 202, 299, 300, 301, 5_000])
@pytest.mark.parametrize(("opened", "closed"), [(b"[", b"]"), (b'{"a":', b"}")])
def test_depth_is_bounded_alike(levels: int, opened: bytes, closed: bytes) -> None:
    assert is_read_alike(b"[" + opened * (levels - 1) + b"1" + closed * (levels - 1) + b"]")


@pytest.mark.parametrize("digits", [4_299, 4_300, 4_301, 100_000])
def test_the_digits_of_a_number_are_bounded_alike(digits: int) -> None:
    assert is_read_alike(b"[" + b"7" * digits + b"]")


def test_the_quick_reader_takes_no_deeper_message_than_is_assumed() -> None:
    with pytest.raises(ValueError, match="recursion limit"):
        from_json(b"[" * (DEEPEST + 1) + b"]" * (DEEPEST + 1))
