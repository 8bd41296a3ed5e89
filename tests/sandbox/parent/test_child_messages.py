"""What a child sends is read by the quick reader as by the standard library, whatever it is, and within bounds."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic_core import from_json

from sandbox.interface.frames import QUICK_LEVELS, Forged, levels_of, read_message

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
BOUNDS = {"most_parts": 10_000, "most_values": 50_000, "most_levels": 300}


def outcome(read: Callable[[bytes], object], body: bytes) -> str:
    """What comes of reading: the value and the types in it, or the fault."""
    try:
        return repr(read(body))
    except (Forged, ValueError, RecursionError):
        return "forged"


def by_the_library(body: bytes) -> object:
    message = json.loads(body.decode())
    json.dumps(message, ensure_ascii=False, allow_nan=False).encode()
    if not isinstance(message, list) or not message or levels_of(body) > BOUNDS["most_levels"]:
        raise ValueError
    return message


def is_read_alike(body: bytes) -> bool:
    return outcome(lambda given: read_message(given, **BOUNDS), body) == outcome(by_the_library, body)


@given(st.lists(PIECES, max_size=14).map("".join), st.booleans())
def test_pieces_of_json_are_read_alike(text: str, is_listed: bool) -> None:
    assert is_read_alike((f"[{text}]" if is_listed else text).encode("utf-8", "surrogatepass"))


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


def test_the_quick_reader_takes_as_deep_a_message_as_is_assumed() -> None:
    assert from_json(b"[" * QUICK_LEVELS + b"]" * QUICK_LEVELS)


@given(st.binary(max_size=80) | st.text(max_size=80).map(lambda text: text.encode()))
def test_any_bytes_are_read_alike(body: bytes) -> None:
    assert is_read_alike(body)


@pytest.mark.parametrize(
    "body",
    [
        *(b"", b"[", b"{}", b"1", b"[]", b'"x"', b"[NaN]", b"[Infinity]", b"[1e400]", b"[1E+0400]"),
        *(b"[-" + b"9" * 400 + b".0]", b"[" * 100_000, b'["\\ud800"]', b"\xff"),
    ],
)
def test_what_is_not_an_array_of_json_is_forged(body: bytes) -> None:
    with pytest.raises(Forged):
        read_message(body, **BOUNDS)


@pytest.mark.parametrize(
    ("body", "bound", "fault"),
    [
        (b"[" * 8 + b"]" * 8, {"most_levels": 7}, "deeper than 7 levels"),
        (b"[" + b"[]," * 20 + b"[]]", {"most_parts": 21}, "more than 21 lists and mappings"),
        (b"[1,2,3]", {"most_values": 1}, "or 1 values"),
    ],
)
def test_what_holds_more_than_allowed_is_forged(body: bytes, bound: dict[str, int], fault: str) -> None:
    assert read_message(body, **BOUNDS | {name: most + 1 for name, most in bound.items()})
    with pytest.raises(Forged, match=fault):
        read_message(body, **BOUNDS | bound)


def test_what_texts_hold_does_not_count() -> None:
    body = json.dumps(["[{," * 100]).encode()
    assert read_message(body, most_parts=1, most_values=0, most_levels=1)
