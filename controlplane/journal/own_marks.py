"""Tells whether a journal is this user's own, by the mark (a signature) on its last line."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from controlplane.errors import (
    ControlPlaneError,
)
from controlplane.journal.journal_files import lines_of, open_to_read
from controlplane.journal.journal_lines import GENESIS, checked_hash
from controlplane.journal.user_key import own_key


def ends_with_mark(path: Path) -> bool:
    """Return True if a journal's hashes are intact and its last line has this user's mark.

    The mark is a signature with the user's key. Without a key, nothing tells this
    user's journals from others, so the result is True for every readable file.
    """
    key = own_key()
    with suppress(ControlPlaneError, ValueError), open_to_read(path) as file:
        return key is None or _last_line_is_signed(file, key)
    return False


def _last_line_is_signed(file: BinaryIO, key: bytes) -> bool:
    """Return True if `key` signed the last complete line.

    Raises `ValueError` if the chain of hashes is broken. The whole chain is checked,
    because a signed line may be a copy from another journal.
    """
    previous = GENESIS
    is_signed = False
    for line in lines_of(file):
        if line.endswith(b"\n"):
            previous, is_signed = checked_hash(line[:-1], previous, key)
    return is_signed
