"""What a child sends is read by the quick reader as by the standard library, whatever it is, and within bounds."""

from __future__ import annotations

import json
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic_core import from_json

from sandbox.interface.frames import Forged
from sandbox.parent import fork_server
from sandbox.parent.fork_server import DEEPEST, read_message

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


def outcomes(body: bytes) -> list[str]:
    """What comes of reading within each choice of bounds: the value and the types in it, or the fault."""
    found = []
    for parts, values, levels in BOUNDS:
        try:
            found.append(repr(read_message(body, most_parts=parts, most_values=values, most_levels=levels)))
        except Forged as error:
            found.append(str(error))
    return found


def is_read_alike(body: bytes) -> bool:
    with mock.patch.object(fork_server, "from_json", side_effect=ValueError):
        read_by_the_library = outcomes(body)
    return outcomes(body) == read_by_the_library


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


@settings(max_examples=500, deadline=None)
@given(st.binary(max_size=80) | st.text(max_size=80).map(lambda text: text.encode()))
def test_any_bytes_are_an_array_of_plain_values_or_forged(body):
    try:
        message = read_message(body)
    except Forged:
        return
    assert isinstance(message, list)
    json.dumps(message, ensure_ascii=False, allow_nan=False).encode("utf-8")


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[",
        b"{}",
        b"1",
        b"[]",
        b'"x"',
        b"[NaN]",
        b"[Infinity]",
        b"[1e400]",
        b"[1E+0400]",
        b"[-" + b"9" * 400 + b".0]",
        b"[" * 100_000,
        b'["\\ud800"]',
        b"\xff",
    ],
)
def test_what_is_no_array_of_json_is_forged(body):
    with pytest.raises(Forged):
        read_message(body)


@pytest.mark.parametrize("opened", [b"[", b'{"a":'])
def test_what_is_nested_deeper_than_allowed_is_forged(opened):
    def nested(levels):
        return b"[" + opened * (levels - 1) + b"1" + (b"]" if opened == b"[" else b"}") * (levels - 1) + b"]"

    assert len(read_message(nested(7), most_levels=7)) == 1
    assert len(read_message(b"[" + b"[]," * 20 + b"[]]", most_levels=2)) == 21
    with pytest.raises(Forged, match="deeper than 7 levels"):
        read_message(nested(8), most_levels=7)
