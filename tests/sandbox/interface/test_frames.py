"""Frames: what is sent arrives, and what is hostile is refused before it costs anything."""

import socket
import tracemalloc

import pytest

from sandbox.interface import parse_json
from sandbox.interface.frames import LENGTH, Forged, FrameReader, read_message


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
