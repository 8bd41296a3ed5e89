"""Notes on what the lines of a diff do not show of a changed file.

They are printed above the lines: `(windows-1252, new file)`, `(its mode 4755 becomes 0755)`.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Final

from controlplane.file_changes.file_change import FileChange
from controlplane.text_files import decode_text

SET_ID_AND_STICKY_BITS: Final = 0o7000
"""The bits of a file's mode that a changed file loses."""


def storage_notes(change: FileChange) -> list[str]:
    """Return notes on the encoding, the mode, and whether the file is new, deleted or empty."""
    notes = []
    if change.old_file.form:
        notes.append(change.old_file.form)
    if change.old_bytes is None:
        notes.append("new file")
    elif change.new_bytes is None:
        notes.append("deleted")
    if not change.old_bytes and not change.new_bytes:
        notes.append("empty")

    if change.new_bytes and change.mode & SET_ID_AND_STICKY_BITS:
        new_mode = change.mode & ~SET_ID_AND_STICKY_BITS
        notes.append(f"its mode {change.mode:04o} becomes {new_mode:04o}")

    # The new version is written in the old encoding. Another may be detected when it is
    # read. UTF-8 for pure ASCII needs no note: the text is the same in both encodings.
    if change.old_bytes and change.new_bytes:
        encoding = decode_text(change.new_bytes).encoding
        is_ascii = change.new_bytes.isascii() and encoding == "utf-8"
        if encoding != change.old_file.encoding and not is_ascii:
            notes.append(f"the new version will be read as {encoding}")
    return notes


def size_notes(change: FileChange) -> list[str]:
    """Return the size and the hash of the file's bytes before and after the change."""
    notes = []
    if change.old_bytes:
        notes.append(f"before {_size_text(change.old_bytes)}")
    if change.new_bytes:
        notes.append(f"after {_size_text(change.new_bytes)}")
    return notes


def _size_text(data: bytes) -> str:
    return f"{len(data):,} bytes, sha256 {sha256(data).hexdigest()}"
