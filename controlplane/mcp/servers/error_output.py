"""What an MCP server writes to its standard error, of which the end is kept."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from controlplane.mcp.program_secrets import without_secrets
from controlplane.mcp.servers.server_texts import line_of

KEPT_BYTES: Final = 4_000
SHOWN_LINES: Final = 4
SHOWN_CHARS: Final = 500


class ErrorOutput:
    """The end of a server's standard error, for messages about the server's failure."""

    def __init__(self) -> None:
        self._bytes = bytearray()

    def add(self, part: bytes) -> None:
        self._bytes.extend(part)
        del self._bytes[:-KEPT_BYTES]

    def shown(self, secrets: Iterable[str]) -> str:
        """Return the last lines, joined into one line, without the secrets."""
        text = bytes(self._bytes).decode("utf-8", "replace")
        lines = without_secrets(text, secrets).strip().splitlines()
        return line_of(" / ".join(lines[-SHOWN_LINES:]), SHOWN_CHARS)
