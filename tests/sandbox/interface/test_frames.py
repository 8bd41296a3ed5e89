"""Frames: the messages between a script's process and its parent, which trusts none of them.

A frame is a length of four bytes, and a JSON object of so many bytes. JSON that nests too deeply,
has too many values, or is not JSON at all must cost the parent little, and is refused.
"""

import socket
import tracemalloc

import pytest

from controlplane.sandbox.interface import parse_json
from controlplane.sandbox.interface.messages.frames import LENGTH, Forged, FrameReader
from controlplane.sandbox.interface.messages.message_fields import read_message


class OneByteSocket(socket.socket):
    """A socket that receives one byte at a time, each in an object of its own.

    Python shares its objects for single bytes, so that they would take no memory. `join` makes a
    new object.
    """

    def recv(self, count: int, flags: int = 0) -> bytes:
        return b"".join([super().recv(1), b""])


class TestMemoryOfMessages:
    """A message takes about as much memory as it has bytes."""

    def test_a_message_that_arrives_byte_by_byte_takes_little_memory(self):
        """A list of the 100,000 single bytes of this message would take several megabytes."""
        text = "x" * 100_000
        message = b'["' + text.encode() + b'"]'
        receiver, sender = socket.socketpair()
        with OneByteSocket(fileno=receiver.detach()) as connection, sender:
            sender.sendall(LENGTH.pack(len(message)) + message)
            tracemalloc.start()
            try:
                received = FrameReader(connection).receive(len(message))
                _, peak_bytes = tracemalloc.get_traced_memory()
            finally:
                tracemalloc.stop()

        assert received == [text]
        assert peak_bytes < 1_000_000


class TestJsonOfOthers:
    """JSON that is malformed, too complex or too long is refused.

    Half of a surrogate pair, such as `\\ud83d`, is half of a character in UTF-16. A text with
    one is read by a second parser, which must keep the same bounds.
    """

    @pytest.mark.parametrize(
        ("content", "error"),
        [
            pytest.param(
                b"[" * 100_000 + b"]" * 100_000, "nested too deeply", id="deep"
            ),
            pytest.param(
                b'["\\ud83d",' + b"[" * 50_000 + b"]" * 50_001,
                "nested too deeply",
                id="deep, with half of a surrogate pair",
            ),
            pytest.param(
                b"[" + b"{}," * 100_000 + b"{}]", "too many values", id="many mappings"
            ),
            pytest.param(
                b"[" + b"1," * 1_000_001 + b"1]", "too many values", id="many numbers"
            ),
            pytest.param(b'{"a":', "EOF", id="cut off"),
            pytest.param(
                '["\\ud83d",]',
                "trailing comma",
                id="a comma too many, with an escaped half of a surrogate pair",
            ),
            pytest.param(
                '["\ud83d",]',
                "trailing comma",
                id="a comma too many, with half of a surrogate pair",
            ),
        ],
    )
    def test_json_that_is_malformed_or_too_complex_is_refused(
        self, content: str | bytes, error: str
    ) -> None:
        # 64 MiB: more than any of these texts has.
        largest_document_bytes = 64 << 20

        with pytest.raises(ValueError, match=error):
            parse_json(content, most_bytes=largest_document_bytes)

    def test_json_with_more_bytes_than_allowed_is_refused(self) -> None:
        """The text has 2,002 bytes, and 1,000 are allowed."""
        content = b'"' + b"a" * 2_000 + b'"'

        with pytest.raises(ValueError, match="longer than 1,000 bytes"):
            parse_json(content, most_bytes=1_000)


class TestForgedFrames:
    """A frame that is not a JSON object within the bounds ends the child.

    The product's own child never sends such a frame, so somebody has taken the child over. A
    frame may have 10,000 lists and mappings, and 400,000 values.
    """

    @pytest.mark.parametrize(
        "body",
        [
            pytest.param(b"", id="empty"),
            pytest.param(b"{", id="cut off"),
            pytest.param(b"1", id="a number"),
            pytest.param(b"[]", id="a list"),
            pytest.param(b'"x"', id="a text"),
            pytest.param(b'{"a": NaN}', id="NaN"),
            pytest.param(b'{"a": Infinity}', id="infinity"),
            pytest.param(b'{"a": ' + b"[" * 100_000, id="deep"),
            pytest.param(b'{"a": "\\ud800"}', id="half of a surrogate pair"),
            pytest.param(b"\xff", id="not UTF-8"),
            pytest.param(b'{"a": [' + b"[]," * 10_000 + b"[]]}", id="many lists"),
            pytest.param(b'{"a": [' + b"1," * 400_001 + b"1]}", id="many numbers"),
            pytest.param(
                b'{"a": ' + b"7" * 5_000 + b"}", id="a number of 5,000 digits"
            ),
        ],
    )
    def test_a_frame_that_is_not_a_json_object_within_the_bounds_is_called_forged(
        self, body: bytes
    ) -> None:
        with pytest.raises(Forged):
            read_message(body)
