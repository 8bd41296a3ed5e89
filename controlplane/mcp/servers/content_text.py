"""The text of a part of an MCP server's result."""

from __future__ import annotations

import base64
from typing import Any

from controlplane.mcp.servers.server_texts import line_of


def text_of(part: Any) -> str:
    """Return the text of one part of a tool's result or of a resource.

    For a picture, a sound or another file, return its kind, type and size:
    `[image image/png, 3,120 bytes]`.
    """
    kind = getattr(part, "type", "resource")  # The parts of a resource have no type.
    if kind == "resource_link":
        return f"[link to {part.uri}]"

    content = getattr(part, "resource", part)  # An embedded resource, or the part.
    text = getattr(content, "text", None)
    if isinstance(text, str):
        return text

    # Base64: pictures and sounds have it in `data`, other files in `blob`.
    encoded = getattr(content, "data", None) or getattr(content, "blob", None) or ""
    mime_type = str(getattr(content, "mime_type", None) or "")
    if mime_type.startswith("text/"):
        decoded = _decoded(encoded)
        if decoded is not None:
            return decoded
    size = len(encoded) * 3 // 4  # base64 encodes three bytes as four characters
    return f"[{kind} {line_of(mime_type, 60)}, {size:,} bytes]"


def _decoded(encoded: Any) -> str | None:
    """Return the UTF-8 text in base64; None if it is not such a text."""
    try:
        return base64.b64decode(encoded, validate=True).decode("utf-8")
    except ValueError:
        return None
