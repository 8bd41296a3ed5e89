"""Appends events to a journal from many threads, each line whole and on its way to the disk before `write` returns."""

from __future__ import annotations

import fcntl
import os
import threading
from pathlib import Path
from typing import Final

from agent.events import now_ms
from controlplane.errors import JournalUnwritable, UsageError
from controlplane.journal.journal_lines import (
    GENESIS,
    EncodedEvent,
    KnownTexts,
    encode_event,
    json_of,
    line_of,
    made_key,
)
from controlplane.journal.run_events import JournalEvent

RESUMABLE: Final = "what was recorded before is kept and resumable"


class JournalWriter:
    """The only writer of a journal. A second process that opens the same journal is refused."""

    def __init__(self, path: Path, *, create: bool) -> None:
        """Open `path`: a new file, or an existing one to continue (`continue_after`). Lines get this user's mark.

        Raises `JournalUnwritable`, and `UsageError` if another process writes it.
        """
        self.path = path
        self._place = path.absolute()  # A solver or benchmark may change the working folder.
        self._key = made_key()
        self._lock = threading.Lock()
        self._previous = GENESIS
        self._stored = KnownTexts()
        self.failure: JournalUnwritable | None = None
        """The error that ended writing, if one did."""
        self.resume_hint = RESUMABLE
        """The part of that error's message about the rest of the run."""
        flags = os.O_RDWR | os.O_APPEND | os.O_CLOEXEC | os.O_NONBLOCK | (os.O_CREAT | os.O_EXCL if create else 0)
        try:
            if create:
                path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._file = os.open(path, flags, 0o600)
        except OSError as error:
            what = "that is not a folder" if isinstance(error, FileExistsError | NotADirectoryError) else error.strerror
            remedy = "name a folder that you may write with --runs-dir" if create else "copy it to where you may write"
            msg = f"cannot write the journal {path}: {what}; {remedy}"
            raise JournalUnwritable(msg) from error
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            os.close(self._file)
            msg = f"another process is writing {path}; wait for it, or stop it first"
            raise UsageError(msg) from error
        except OSError as error:
            os.close(self._file)
            if create:
                path.unlink(missing_ok=True)
            msg = f"cannot lock the journal {path}: {error.strerror}; use a folder on another file system"
            raise JournalUnwritable(msg) from error

    def continue_after(self, *, length: int, last_hash: str) -> None:
        """Continue after the first `length` bytes, whose chain ends in `last_hash`; cut off a torn line after them."""
        os.ftruncate(self._file, length)
        self._previous = last_hash

    def write(self, event: JournalEvent) -> None:
        """Append one event, its texts first. Raises `JournalUnwritable`; then nothing more is written."""
        self.write_encoded(encode_event(event, self._stored))

    def write_encoded(self, event: EncodedEvent) -> None:
        with self._lock:
            if self.failure:
                raise self.failure
            lines = b""
            previous = self._previous
            new = [key for key in event.texts if key not in self._stored]
            for key in new:
                stored = {"at_ms": now_ms(), "type": "text", "key": key, "text": event.texts[key]}
                line, previous = line_of(json_of(stored), previous)
                lines += line
            line, previous = line_of(event.body, previous, self._key)
            self._append(lines + line)
            self._previous = previous
            self._stored.add(new, event.body)

    def _append(self, data: bytes) -> None:
        view = memoryview(data)
        try:
            while view:
                view = view[os.write(self._file, view) :]
        except OSError as error:
            self._fail(error)

    def sync(self) -> None:
        """Flush everything written so far to the disk. Raises `JournalUnwritable`."""
        try:
            os.fsync(self._file)
            is_in_place = os.path.samestat(self._place.stat(), os.fstat(self._file))
        except FileNotFoundError:
            is_in_place = False
        except OSError as error:
            self._fail(error)
        if not is_in_place:
            msg = f"the journal {self.path} was removed while it was being written; what it held is lost"
            self.failure = JournalUnwritable(msg)
            raise self.failure

    def _fail(self, error: OSError) -> None:
        msg = f"cannot write the journal {self.path}: {error.strerror}; {self.resume_hint}"
        self.failure = JournalUnwritable(msg)
        raise self.failure from error

    def discard(self) -> None:
        self.close()
        self._place.unlink(missing_ok=True)

    def close(self) -> None:
        """Close the file. Closing twice does nothing."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def __enter__(self) -> JournalWriter:
        return self

    def __exit__(self, *failure: object) -> None:
        """Close the file, and remove it if empty: it would be taken for the latest run."""
        if self._file >= 0 and not os.fstat(self._file).st_size:
            self.discard()
        self.close()
