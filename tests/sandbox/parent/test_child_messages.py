"""What a child sends is read by the quick reader as by the standard library, whatever it is, and within bounds."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.interface.frames import Forged, levels_of, read_message

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


@given(st.lists(PLAIN, min_size=1), st.integers(0, 400), st.binary(max_size=2))
def test_messages_and_what_noise_makes_of_them_are_read_alike(message: list[object], at: int, noise: bytes) -> None:
    body = json.dumps(message, ensure_ascii=bool(at % 2)).encode("utf-8", "surrogatepass")
    assert is_read_alike(body)
    assert is_read_alike(body[:at] + noise + body[at + len(noise) :])


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
def test_a_message_that_is_not_a_json_array_is_forged(body: bytes) -> None:
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
def test_a_message_beyond_the_bounds_is_forged(body: bytes, bound: dict[str, int], fault: str) -> None:
    assert read_message(body, **BOUNDS | {name: most + 1 for name, most in bound.items()})
    with pytest.raises(Forged, match=fault):
        read_message(body, **BOUNDS | bound)
