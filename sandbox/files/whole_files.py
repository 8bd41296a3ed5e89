"""The result of reading a whole file, the same wherever it is made."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from sandbox.files.file_paths import content_type

if TYPE_CHECKING:
    from sandbox.interface.operations import Plain


def sha256_of(text: str) -> str:
    """Return the hex SHA-256 of the text's UTF-8 bytes."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def whole_file(path: str, text: str) -> dict[str, Plain]:
    """Return `path content truncated sha256 content_type` of the file with this text."""
    return {
        "path": path,
        "content": text,
        "truncated": False,
        "sha256": sha256_of(text),
        "content_type": content_type(path),
    }
