"""Frames: what is sent arrives, and what is hostile is refused before it costs anything."""

from __future__ import annotations

import json
import socket
import time
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.interface.frames import LENGTH, Closed, Forged, FrameReader, Overdue, limit_wait, send_frame

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
def test_what_is_sent_arrives(message):
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


@pytest.mark.parametrize("part", [b"", b"\x00\x00", LENGTH.pack(10), LENGTH.pack(10) + b"[1"])
def test_an_end_inside_a_frame_is_a_closed_connection(ends, part):
    ours, theirs = ends
    ours.sendall(part)
    ours.close()
    with pytest.raises(Closed):
        FrameReader(theirs).receive(100)


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


def test_a_reader_keeps_what_came_behind_a_message_for_the_next(ends):
    ours, theirs = ends
    messages = [["out", "x"], ["call", "y" * 20_000], ["end"]]
    for message in messages:
        send_frame(ours, message, 1 << 20)
    reader = FrameReader(theirs)
    assert json.loads(reader.receive_body(1 << 20)) == messages[0]
    assert reader.has_more_to_say()
    assert [json.loads(reader.receive_body(1 << 20)) for _ in messages[1:]] == messages[1:]
    assert not reader.has_more_to_say()
    ours.close()
    assert reader.has_more_to_say()
    with pytest.raises(Closed):
        reader.receive_body(1 << 20)


def test_a_reader_refuses_a_length_beyond_the_limit_even_of_what_it_holds(ends):
    ours, theirs = ends
    ours.sendall(LENGTH.pack(3) + b"[1]" + LENGTH.pack(1001))
    reader = FrameReader(theirs)
    assert reader.receive_body(1000) == b"[1]"
    with pytest.raises(Forged, match="1001 bytes; at most 1000"):
        reader.receive_body(1000)


@pytest.mark.parametrize("part", [b"", b"\x00\x00", LENGTH.pack(10), LENGTH.pack(10) + b"[1"])
def test_a_reader_waits_for_the_rest_of_a_message_until_its_deadline(ends, part):
    ours, theirs = ends
    ours.sendall(part)
    started = time.monotonic()
    with pytest.raises(Overdue):
        FrameReader(theirs).receive_body(100, started + 0.05)
    assert 0.05 <= time.monotonic() - started < 10


def test_a_wait_ends_at_its_deadline_or_a_little_later_whatever_was_set_before(ends):
    _, theirs = ends
    for before_s in (None, 0.5, 1000.0, 1000.01, 2000.0):
        theirs.settimeout(before_s)
        limit_wait(theirs, time.monotonic() + 1000)
        assert 999 < theirs.gettimeout() < 1001, before_s
    limit_wait(theirs, time.monotonic() - 1)
    assert 0 < theirs.gettimeout() < 1
