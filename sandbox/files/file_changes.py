"""What the changes of a world of files may take: the trusted side keeps them, and sends them to every new aide."""

from __future__ import annotations

import json
from typing import Final

MAX_CHANGES_BYTES: Final = 2_000_000
"""Bytes of all changes together, as a message carries them: far more than any work needs."""


def bytes_of_change(path: str, text: str | None) -> int:
    """Return how many bytes a change takes in a message; `text` is None for a deleted file."""
    return len(json.dumps([path, text], ensure_ascii=False).encode("utf-8", "replace"))
