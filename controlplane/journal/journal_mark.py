"""The keyed mark by which a user knows the journals that his own runs wrote, and finds what was changed in them since.

The key is a file of the user's state folder that nobody else can read. A mark covers its line and, by the chain, every
line before it; it stands in the first event, at the end of each trial, and where a run was let go of. Anybody can make
a whole new chain, but no mark.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import stat
from pathlib import Path
from typing import Final

from controlplane.journal.journal_file import open_regular
from controlplane.journal.journal_lines import TAIL_BYTES

KEY_FILE: Final = "controlplane/journal.key"
"""Below `XDG_STATE_HOME`, or `~/.local/state`."""
_KEY_BYTES: Final = 32
_MARK_BYTES: Final = 64
_UNMARKED: Final = b',"mark":""}'
_START: Final = b'"mark":"'


def key_path() -> Path:
    """Return where this user's key is kept."""
    given = os.environ.get("XDG_STATE_HOME", "")
    folder = Path(given) if Path(given).is_absolute() else Path("~/.local/state").expanduser()
    return folder / KEY_FILE


def own_key() -> bytes | None:
    """Return this user's key; None if there is none that he alone can read and write."""
    try:
        with open_regular(key_path()) as file:
            held = os.fstat(file.fileno())
            key = file.read(_KEY_BYTES + 1)
    except (OSError, RuntimeError):  # no such file, or no such home
        return None
    is_private = held.st_uid == os.getuid() and not stat.S_IMODE(held.st_mode) & 0o077
    return key if is_private and len(key) == _KEY_BYTES else None


def made_key() -> bytes | None:
    """Return this user's key, which is made if there is none; None if the state folder cannot hold one."""
    try:
        path = key_path()
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        part = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
        if not path.exists():
            descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            try:
                with os.fdopen(descriptor, "wb") as file:
                    file.write(secrets.token_bytes(_KEY_BYTES))
                os.link(part, path)  # whole, and only if no other process was quicker
            finally:
                part.unlink()
    except (OSError, RuntimeError):
        pass
    return own_key()


def marked(body: bytes, previous: str, key: bytes | None) -> bytes:
    """Return the fields of an event as a JSON object, with the mark if they have room for one."""
    if key is None or not body.endswith(_UNMARKED):
        return body
    return body[:-2] + _mark(b'{"prev":"%b",%b' % (previous.encode(), body[1:-2]), key) + b'"}'


def is_marked(line: bytes, key: bytes) -> bool:
    """Say whether `line`, newline included, has the mark that belongs to it."""
    content = line[: -TAIL_BYTES - 1]
    signed, mark = content[: -_MARK_BYTES - 1], content[-_MARK_BYTES - 1 : -1]
    return signed.endswith(_START) and hmac.compare_digest(_mark(signed, key), mark)


def _mark(signed: bytes, key: bytes) -> bytes:
    return hmac.new(key, signed, hashlib.sha256).hexdigest().encode()
