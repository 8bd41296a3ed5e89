"""What a child sends is read by the quick reader as by the standard library, whatever it is, and within bounds."""

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


def outcome(read: Callable[[bytes], object], body: bytes) -> str:
    """The value and the types in it, or the fault."""
    try:
        return repr(read(body))
    except (Forged, ValueError, RecursionError):
        return "forged"


def by_the_library(body: bytes) -> object:
    message = json.loads(body.decode())
    json.dumps(message, ensure_ascii=False).encode()
    if not isinstance(message, list) or not message or levels_of(body) > 200:
        raise ValueError
    return message


def is_read_alike(body: bytes) -> bool:
    return outcome(read_message, body) == outcome(by_the_library, body)


@given(st.lists(PLAIN, min_size=1), st.integers(0, 400), st.binary(max_size=2))
def test_messages_with_noise_in_them_are_read_as_the_library_reads_them(
    message: list[object], at: int, noise: bytes
) -> None:
    body = json.dumps(message, ensure_ascii=bool(at % 2)).encode("utf-8", "surrogatepass")
    assert is_read_alike(body)
    assert is_read_alike(body[:at] + noise + body[at + len(noise) :])


@pytest.mark.parametrize("levels", [199, 200, 201, 5_000])
@pytest.mark.parametrize(("opened", "closed"), [(b"[", b"]"), (b'{"a":', b"}")])
def test_depth_is_bounded(levels: int, opened: bytes, closed: bytes) -> None:
    assert is_read_alike(b"[" + opened * (levels - 1) + b"1" + closed * (levels - 1) + b"]")


@pytest.mark.parametrize(
    "body",
    [
        *(b"", b"[", b"{}", b"1", b"[]", b'"x"', b"[NaN]", b"[Infinity]", b"[" * 100_000, b'["\\ud800"]', b"\xff"),
        *(b"[" + b"[]," * 10_000 + b"[]]", b"[" + b"1," * 400_001 + b"1]", b"[" + b"7" * 5_000 + b"]"),
    ],
)
def test_a_body_that_is_not_an_array_of_json_within_the_bounds_is_forged(body: bytes) -> None:
    with pytest.raises(Forged):
        read_message(body)


def test_characters_inside_texts_do_not_count() -> None:
    assert read_message(json.dumps(["[{," * 500_000]).encode())
