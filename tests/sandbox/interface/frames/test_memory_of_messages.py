"""A message between a script's process and its parent takes about as much memory as it has bytes.

A message is a frame: a length of four bytes, and a JSON object. A script may have taken its process
over, and send it byte by byte.
"""

import socket
import tracemalloc

from controlplane.sandbox.interface.messages.frames import LENGTH, FrameReader


class OneByteSocket(socket.socket):
    """A socket that receives one byte at a time, each in an object of its own.

    Python shares its objects for single bytes, so that they would take no memory. `join` makes a
    new object.
    """

    def recv(self, count: int, flags: int = 0) -> bytes:
        return b"".join([super().recv(1), b""])


def test_a_message_that_arrives_byte_by_byte_takes_little_memory():
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
