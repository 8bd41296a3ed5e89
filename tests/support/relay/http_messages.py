"""Whole HTTP messages, requests or replies, read from a connection: head and body.

A body has the length that its head says, or it comes in chunks, each with its size in front.
"""

import asyncio

LONGEST_MESSAGE_BYTES = 1 << 26
"""The longest head or line of a request or reply that the relay reads."""


async def whole_message(reader: asyncio.StreamReader) -> bytes:
    """Read one whole HTTP message, a request or a reply: head and body."""
    head = await reader.readuntil(b"\r\n\r\n")
    header_lines = head.lower().split(b"\r\n")
    if b"transfer-encoding: chunked" in header_lines:
        return head + await _chunked_body(reader)
    length = 0
    for line in header_lines:
        if line.startswith(b"content-length"):
            length = int(line.split(b":")[1])
    return head + await reader.readexactly(length)


async def _chunked_body(reader: asyncio.StreamReader) -> bytes:
    """Read a body in chunks, as they came: each has its size in hexadecimal, a line end, its
    bytes, and a line end. The last one has the size 0."""
    body = b""
    while True:
        size_line = await reader.readuntil(b"\r\n")
        size = int(size_line, 16)
        body += size_line + await reader.readexactly(size + len(b"\r\n"))
        if size == 0:
            return body


class Upstream:
    """The connections to the server for one client: opened when needed, and again when lost."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._reader: asyncio.StreamReader | None = None
        self._writers: list[asyncio.StreamWriter] = []

    async def reply_to(self, request: bytes) -> bytes:
        """Send a request to the server, and return its whole reply."""
        if self._reader is None or self._reader.at_eof():
            self._reader, writer = await asyncio.open_connection(
                "127.0.0.1", self._port, limit=LONGEST_MESSAGE_BYTES
            )
            self._writers.append(writer)
        self._writers[-1].write(request)
        return await whole_message(self._reader)

    def close(self) -> None:
        for writer in self._writers:
            writer.close()
