"""The name that stands for the unlisted files of a folder."""

from __future__ import annotations

from typing import Final

UNLISTED: Final = "\0"
"""The name that stands for the unlisted files of a folder: the path `/logs/\\0`
means that `/logs` has files that are not listed. No real file can have this name."""


def is_unlisted(path: str) -> bool:
    """Return True if a path stands for the unlisted files of a folder."""
    return path.endswith(UNLISTED)
