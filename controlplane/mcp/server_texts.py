"""Texts of MCP servers, made safe to show."""

from __future__ import annotations

from typing import Final

from pydantic import ValidationError

from controlplane.mcp.program_secrets import without_secrets
from controlplane.mcp.server_specs import ServerSpec
from controlplane.terminal_text import sanitize

_MOST_ERROR_CHARS: Final = 300
"""The length to which an error's message is cut in the end."""
_MOST_SEARCHED_CHARS: Final = 2_000
"""The length to which an error's message is cut before secrets are searched in it."""


def error_text(error: BaseException, spec: ServerSpec) -> str:
    """Return the message of an error in one line, without the server's secrets."""
    while isinstance(error, BaseExceptionGroup) and error.exceptions:
        error = error.exceptions[0]
    if isinstance(error, ValidationError):
        return "its reply has not the protocol's form"
    # Secrets are replaced before the final cut, since a secret that is cut in two is not found.
    text = line_of(str(error), _MOST_SEARCHED_CHARS) or type(error).__name__
    return without_secrets(text, spec.secrets)[:_MOST_ERROR_CHARS]


def line_of(text: str, most_chars: int = 120) -> str:
    """Return a server's text in one line, shortened, without invisible or control characters."""
    # A server may send a very long text, of which enough is read: joining blanks shortens it.
    read_chars = 4 * most_chars
    line = " ".join(sanitize(text[:read_chars]).split())
    if len(line) <= most_chars:
        return line
    return line[: most_chars - 1] + "…"
