"""Writes journals."""

from __future__ import annotations

import fcntl
import os
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NoReturn

from controlplane.agent.events import now_ms
from controlplane.errors import JournalUnwritable, UsageError
from controlplane.journal.journal_lines import GENESIS, json_of, line_of
from controlplane.journal.run_events import JournalEvent
from controlplane.journal.step_parts import fields_to_write
from controlplane.journal.text_references import (
    REFERENCE,
    ReferenceCounts,
    encoded,
    key_of,
)
from controlplane.journal.user_key import made_key
from controlplane.sandbox.interface import well_formed

RESUMABLE: Final = "what was recorded before is kept and resumable"
"""The end of a writer's error message, unless the run cannot be resumed."""


class JournalFile:
    """The file of a journal, opened to append and locked against other writers."""

    def __init__(self, path: Path, *, create: bool) -> None:
        """Open a new file at `path` or, if not `create`, an existing one.

        Raises `JournalUnwritable`, or `UsageError` if another process is writing the journal.
        """
        self.path = path
        self.absolute_path = path.absolute()
        """The same path, still valid after a solver or a benchmark has changed the working folder."""
        self.failure: JournalUnwritable | None = None
        """The error after which nothing more is written; None if there was none."""
        self.resume_hint = RESUMABLE
        """The end of that error's message: if the run can be resumed. The run sets it."""
        self._file = _open_to_append(path, create=create)
        """The descriptor of the open file; -1 after `close`."""
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

    @property
    def current_path(self) -> Path:
        """`path`, or the absolute path if the working folder has changed since."""
        return self.path if self.path.exists() else self.absolute_path

    def _append(self, data: bytes) -> None:
        """Write all of `data`. Raises `JournalUnwritable`."""
        unwritten = memoryview(data)
        try:
            while unwritten:
                unwritten = unwritten[os.write(self._file, unwritten) :]
        except OSError as error:
            self._fail(error)

    def sync(self) -> None:
        """Flush everything to the disk.

        Raises `JournalUnwritable`, also if the file was removed.
        """
        was_removed = False
        try:
            os.fsync(self._file)
            was_removed = not os.path.samestat(
                self.absolute_path.stat(), os.fstat(self._file)
            )
        except FileNotFoundError:
            was_removed = True
        except OSError as error:
            self._fail(error)
        if was_removed:
            msg = f"the journal {self.path} was removed while it was being written; what it held is lost"
            self.failure = JournalUnwritable(msg)
            raise self.failure

    def _fail(self, error: OSError) -> NoReturn:
        """Record the error that ends all writing, and raise it as `JournalUnwritable`."""
        msg = f"cannot write the journal {self.path}: {error.strerror}; {self.resume_hint}"
        self.failure = JournalUnwritable(msg)
        raise self.failure from error

    def discard(self) -> None:
        """Close the file and remove it."""
        self.close()
        self.absolute_path.unlink(missing_ok=True)

    def close(self) -> None:
        """Close the file. Closing twice does nothing."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


class JournalWriter(JournalFile):
    """Appends events to a journal, from any thread.

    A run creates one when it begins or resumes, and closes it at its end. For an
    existing file, call `continue_after` before the first event is written. After the
    first failure nothing more is written.
    """

    def __init__(self, path: Path, *, create: bool) -> None:
        """Open the file as `JournalFile` does."""
        self._key = made_key()
        self._lock = threading.Lock()
        self._previous = GENESIS
        """The hash of the last line."""
        self._references = ReferenceCounts()
        super().__init__(path, create=create)

    def continue_after(self, *, length: int, last_hash: str) -> None:
        """Continue after the first `length` bytes, and cut off what follows: an incomplete line.

        `last_hash` is the hash of the last complete line.
        """
        os.ftruncate(self._file, length)
        self._previous = last_hash

    def write(self, event: JournalEvent) -> None:
        """Append one event, after its long texts.

        Raises `JournalUnwritable`. After that error, nothing more is written.
        """
        new_texts: dict[str, str] = {}

        def reference_to(text: str) -> str:
            """Return the reference by which a line names a long text: its key."""
            text = well_formed(text)
            key = key_of(text)
            # To save work, only the texts that may have to be stored are passed on.
            # `write_body` asks again, under the lock, since another thread may store them first.
            if not self._references.allow_another(key):
                new_texts[key] = text
            return REFERENCE + key

        fields = encoded(fields_to_write(event), reference_to)
        self.write_body(json_of(fields), new_texts)

    def write_body(self, body: bytes, texts: Mapping[str, str]) -> None:
        """Append a line with the fields in `body`, as JSON.

        `texts` are long strings that the body refers to, by key. Those that are not
        stored yet get lines of their own before it.
        """
        with self._lock:
            if self.failure:
                raise self.failure

            references = self._references
            new_keys = [key for key in texts if not references.allow_another(key)]
            lines: list[bytes] = []
            previous = self._previous
            for key in new_keys:
                line, previous = line_of(_text_body(key, texts[key]), previous)
                lines.append(line)
            line, previous = line_of(body, previous, self._key)
            lines.append(line)

            self._append(b"".join(lines))
            self._previous = previous
            for key in new_keys:
                references.note_stored(key)
            references.note_line(body)

    def __enter__(self) -> JournalWriter:
        return self

    def __exit__(self, *failure: object) -> None:
        """Close the file.

        Remove it if it is empty, or commands would take it for the latest run.
        """
        if self._file >= 0 and not os.fstat(self._file).st_size:
            self.discard()
        self.close()


def _text_body(key: str, text: str) -> bytes:
    """Return the fields of a stored text as JSON."""
    return json_of({"at_ms": now_ms(), "type": "text", "key": key, "text": text})


def _open_to_append(path: Path, *, create: bool) -> int:
    """Return the descriptor of a journal's file, opened to append.

    With `create` the file must not exist yet. Raises `JournalUnwritable`.
    """
    flags = os.O_RDWR | os.O_APPEND | os.O_CLOEXEC | os.O_NONBLOCK
    if create:
        flags |= os.O_CREAT | os.O_EXCL
        remedy = "name a folder that you may write with --runs-dir"
    else:
        flags |= os.O_NOFOLLOW
        remedy = "copy it to where you may write"
    try:
        if create:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        return os.open(path, flags, 0o600)
    except (FileExistsError, NotADirectoryError) as error:  # A parent is a file.
        msg = f"cannot write the journal {path}: that is not a folder; {remedy}"
        raise JournalUnwritable(msg) from error
    except OSError as error:
        msg = f"cannot write the journal {path}: {error.strerror}; {remedy}"
        raise JournalUnwritable(msg) from error
