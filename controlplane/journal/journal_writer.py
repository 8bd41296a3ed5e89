"""Appends events to a journal from many threads, each line whole and on its way to the disk before `write` returns.

Keeps the JSON schema of the lines beside the journals.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import threading
from pathlib import Path
from typing import Final

from agent.events import now_ms
from controlplane.errors import JournalUnwritable, UsageError
from controlplane.journal.journal_file import small_file
from controlplane.journal.journal_lines import GENESIS, EncodedEvent, KnownTexts, encode_event, json_of, line_of, marked
from controlplane.journal.run_events import SCHEMA_LINK, JournalEvent

RESUMABLE: Final = "what was recorded before is kept and resumable"


class JournalWriter:
    """The only writer of a journal. A second process that opens the same journal is refused."""

    def __init__(self, path: Path, *, create: bool, key: bytes | None = None) -> None:
        """Open `path`: a new file, or an existing one to continue (`continue_after`); `key` marks the lines.

        Raises `JournalUnwritable`, and `UsageError` if another process writes it.
        """
        self.path = path
        self._place = path.absolute()  # A solver or benchmark may change the working folder.
        self._key = key
        self._lock = threading.Lock()
        self._previous = GENESIS
        self._stored = KnownTexts()
        self.failure: JournalUnwritable | None = None
        """The error that ended writing, if one did."""
        self.left = RESUMABLE
        """The part of that error's message about the rest of the run."""
        flags = os.O_RDWR | os.O_APPEND | os.O_CLOEXEC | os.O_NONBLOCK | (os.O_CREAT | os.O_EXCL if create else 0)
        try:
            if create:
                path.parent.mkdir(parents=True, exist_ok=True)
            self._file = os.open(path, flags, 0o644)
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
            line, previous = line_of(marked(event.body, previous, self._key), previous)
            self._append(lines + line)
            self._previous = previous
            self._stored.note(new, event.body)

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
            if not self._is_in_place():
                self._restore()
        except OSError as error:
            self._fail(error)

    def _is_in_place(self) -> bool:
        try:
            return os.path.samestat(self._place.stat(), os.fstat(self._file))
        except FileNotFoundError:
            return False

    def _restore(self) -> None:
        """Write the journal again if its file is gone: its bytes exist as long as it is open."""
        with self._lock:
            if self.failure:
                raise self.failure
            # Another file may be there by now; it stays untouched.
            target = self._place
            if target.exists():
                target = target.with_stem(f"{target.stem}-restored")
            target.parent.mkdir(parents=True, exist_ok=True)
            with target.open("xb") as file, os.fdopen(os.dup(self._file), "rb") as held:
                held.seek(0)
                shutil.copyfileobj(held, file)
                file.flush()
                os.fsync(file.fileno())
            msg = (
                f"the journal {self.path} was removed while it was being written; its copy is {target}; continue "
                f"with: controlplane resume {target}"
            )
            self.failure = JournalUnwritable(msg)
            raise self.failure

    def _fail(self, error: OSError) -> None:
        msg = f"cannot write the journal {self.path}: {error.strerror}; {self.left}"
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


def schema_bytes() -> bytes:
    """Return the schema as JSON text (draft 2020-12) in UTF-8."""
    return Path(__file__).with_name(SCHEMA_LINK).read_bytes()


def keep_schema(folder: Path) -> None:
    """Put the schema beside the journals, where their link leads; ignore a folder that cannot be written."""
    target, schema = folder / SCHEMA_LINK, schema_bytes()
    part = folder / f".{SCHEMA_LINK}.{os.getpid()}"
    with contextlib.suppress(OSError):
        if small_file(target, 2 * len(schema)) == schema:
            return
        try:
            part.write_bytes(schema)
            part.replace(target)
        except OSError:
            part.unlink()  # Leave the room on a nearly full disk to the journal.
