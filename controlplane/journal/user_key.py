"""The user's secret key, which signs the lines of the user's journals."""

from __future__ import annotations

import secrets
from contextlib import suppress
from typing import Final

from controlplane.journal.state_files import private_bytes, state_path
from controlplane.sandbox.files import write_whole

KEY_FILE: Final = "controlplane/journal.key"
"""The file of the user's key, in the user's state folder (`~/.local/state`)."""
_KEY_BYTES: Final = 32


def own_key() -> bytes | None:
    """Return this user's key; None if there is none, or others can read or write its file."""
    # One byte more than a key has, to notice a file that is longer.
    key = private_bytes(KEY_FILE, _KEY_BYTES + 1)
    return key if len(key) == _KEY_BYTES else None


def made_key() -> bytes | None:
    """Return this user's key, and create it if it is missing; None if it cannot be written."""
    with suppress(OSError, RuntimeError):
        path = state_path(KEY_FILE, makes=True)
        if not path.exists():
            key = secrets.token_bytes(_KEY_BYTES)
            # Another process may create it first.
            write_whole(path, key, mode=0o600, replaces=False)
    return own_key()
