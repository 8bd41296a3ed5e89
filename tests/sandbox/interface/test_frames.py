"""Frames: what is sent arrives, and what is hostile is refused before it costs anything."""

import socket
import time
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.interface import parse_json
from sandbox.interface.frames import LENGTH, Forged, FrameReader, Overdue, read_message, send_frame

MESSAGES = st.lists(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers(-(10**15), 10**15)
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(),
        lambda below: st.lists(below, max_size=4) | st.dictionaries(st.text(max_size=4), below, max_size=4),
        max_leaves=10,
    ),
    min_size=1,
    max_size=5,
)


@pytest.fixture
def ends():
    ours, theirs = socket.socketpair()
    with ours, theirs:
        yield ours, theirs


@given(MESSAGES)
def test_a_sent_message_arrives(message):
    ours, theirs = socket.socketpair()
    with ours, theirs:
        send_frame(ours, message, 1 << 20)
        assert FrameReader(theirs).receive(1 << 20) == message


def test_a_message_that_is_too_long_is_not_sent_at_all(ends):
    ours, theirs = ends
    with pytest.raises(ValueError, match="at most 10 are allowed"):
        send_frame(ours, ["x" * 100], 10)
    send_frame(ours, ["y"], 10)
    assert FrameReader(theirs).receive(10) == ["y"]


def test_a_message_in_parts_of_one_byte_takes_no_more_memory_than_a_whole_one():
    class Drip(socket.socket):
        def recv(self, count: int, flags: int = 0) -> bytes:
            return b"".join([super().recv(1), b""])

    here, there = socket.socketpair()
    with Drip(fileno=here.detach()) as drip, there:
        there.sendall(LENGTH.pack(100_000) + b'["' + b"x" * 99_996 + b'"]')
        tracemalloc.start()
        try:
            assert FrameReader(drip).receive(100_000) == ["x" * 99_996]
            assert tracemalloc.get_traced_memory()[1] < 1_000_000
        finally:
            tracemalloc.stop()


@pytest.mark.parametrize("part", [b"", b"\x00\x00", LENGTH.pack(10), LENGTH.pack(10) + b"[1"])
def test_a_reader_waits_for_the_rest_of_a_message_until_its_deadline(ends, part):
    ours, theirs = ends
    ours.sendall(part)
    started = time.monotonic()
    with pytest.raises(Overdue):
        FrameReader(theirs).receive_body(100, started + 0.05)
    assert 0.05 <= time.monotonic() - started < 10


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"[" * 100_000 + b"]" * 100_000, "nested too deeply"),
        (b'["\\ud83d",' + b"[" * 50_000 + b"]" * 50_001, "nested too deeply"),
        (b"[" + b"{}," * 100_000 + b"{}]", "too many values"),
        (b"[" + b"1," * 1_000_001 + b"1]", "too many values"),
        (b'"' + b"a" * 2_000 + b'"', "longer than 1,000 bytes"),
        (b'{"a":', "EOF"),
        ('["\\ud83d",]', "trailing comma"),
        ('["\ud83d",]', "trailing comma"),
    ],
)
def test_a_document_beyond_the_bounds_or_malformed_is_refused(content: str | bytes, fault: str) -> None:
    most = 1_000 if "longer" in fault else 64 << 20
    with pytest.raises(ValueError, match=fault):
        parse_json(content, most_bytes=most)


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
