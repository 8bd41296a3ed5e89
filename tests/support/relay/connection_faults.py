"""What a fault does to the connection of a call: it is reset, or the reply stops in the middle.

`path_and_body_of(request)` says which calls are the same one made again.
"""

import asyncio
import socket
import struct

END_OF_HEAD = b"\r\n\r\n"


def path_and_body_of(request: bytes) -> tuple[bytes, bytes]:
    """Return what makes a call the same one again: the path and the body of its request."""
    path = request.split(b" ", 2)[1]
    body = request.partition(END_OF_HEAD)[2]
    return path, body


def reset(writer: asyncio.StreamWriter) -> None:
    """Reset the connection, so that the client sees an error instead of an orderly end."""
    connection = writer.get_extra_info("socket")
    # With this option, closing the connection resets it.
    linger_for_no_time = struct.pack("ii", 1, 0)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger_for_no_time)
    writer.transport.abort()
