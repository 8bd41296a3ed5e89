"""Whole HTTP requests, head and body, that are read from a connection."""

import socket

END_OF_HEAD = b"\r\n\r\n"


def read_request(connection: socket.socket) -> bytes:
    """Return the next request, head and body.

    Returns nothing if the client has gone, and bytes that cannot begin an HTTP request (such as
    a TLS handshake) as they came.
    """
    data = b""
    while END_OF_HEAD not in data:
        received = connection.recv(65536)
        if not received:
            return b""
        data += received
        if not data[:1].isalpha():
            return data
    head, _, body = data.partition(END_OF_HEAD)
    body_length = content_length(head)
    while len(body) < body_length:
        body += connection.recv(65536)
    return head + END_OF_HEAD + body


def content_length(head: bytes) -> int:
    """Return the length of the body that a head announces; 0 if it announces none."""
    for line in head.lower().split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name == b"content-length":
            return int(value)
    return 0
