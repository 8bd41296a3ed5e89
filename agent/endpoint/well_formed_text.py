"""Text that UTF-8 has bytes for."""

from __future__ import annotations


def well_formed(text: str) -> str:
    """Return `text` with U+FFFD for every half of a surrogate pair that stands alone, which UTF-8 has no bytes for."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text
