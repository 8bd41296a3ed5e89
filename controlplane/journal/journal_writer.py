"""Writes journals.

A journal is a file with a line of JSON for each event of a run. Each line contains a hash of the
line before it, which shows if a line was damaged or is missing. The user's mark on each event
shows whether somebody else wrote it.
"""

from __future__ import annotations

import fcntl
import os
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NoReturn

from controlplane.agent.events import STORED_ONCE, fields_marked, now_ms
from controlplane.errors import ControlPlaneError, JournalUnwritable, UsageError
from controlplane.journal.journal_lines import GENESIS, json_of, line_of
from controlplane.journal.line_parser import fields_to_write
from controlplane.journal.run_events import JournalEvent
from controlplane.journal.state_files import made_key
from controlplane.journal.stored_texts import (
    REFERENCE,
    ReferenceCounts,
    encoded,
    is_stored_once,
    key_of,
    key_of_data,
)
from controlplane.sandbox.interface import well_formed


def _open_to_append(path: Path, *, create: bool) -> int:
    """Return the descriptor of a journal's file, opened to append and locked.

    With `create` the file must not exist yet. Raises `UsageError` if a new file cannot be made in
    the folder that the user named, or if another process is writing the file, and
    `JournalUnwritable` for an existing one.
    """
    # The file may be anybody's. Opening a named pipe, which is no journal, must not wait
    # (`O_NONBLOCK`). A journal to continue must not be a link (`O_NOFOLLOW`), which may lead to any
    # file of the user. `O_EXCL` creates a new file, and does not follow links either.
    flags = os.O_RDWR | os.O_APPEND | os.O_CLOEXEC | os.O_NONBLOCK
    if create:
        flags |= os.O_CREAT | os.O_EXCL
        remedy = "name a folder that you may write with --runs-dir"
        refusal: type[ControlPlaneError] = UsageError
    else:
        flags |= os.O_NOFOLLOW
        remedy = "copy it to where you may write"
        refusal = JournalUnwritable
    try:
        if create:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        file = os.open(path, flags, 0o600)
    except OSError as error:
        reason = error.strerror
        if isinstance(error, FileExistsError | NotADirectoryError):
            # A parent of the path is a file. (Callers create only files whose names are not in use.)
            reason = "that is not a folder"
        msg = f"cannot write the journal {path}: {reason}; {remedy}"
        raise refusal(msg) from error

    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        os.close(file)
        msg = f"another process is writing {path}; wait for it, or stop it first"
        raise UsageError(msg) from error
    except OSError as error:
        os.close(file)
        if create:
            path.unlink(missing_ok=True)
        msg = f"cannot lock the journal {path}: {error.strerror}; use a folder on another file system"
        raise refusal(msg) from error
    return file


_REMOVED: Final = "was removed while it was being written; what it held is lost"
_CHANGED: Final = (
    "was changed by another program while it was being written; it is damaged"
)
RESUMABLE: Final = "what was recorded before is kept and resumable"
"""The end of a writer's error message, unless the run cannot be resumed."""


# The next lines of a journal, each with the hash of the one before it.
#
# A long string of an event has a line of its own, before the event that refers to it by its key:
#
#     {"prev":"0a1b…","type":"text","key":"9f8e…","text":"def price(row): …","hash":"2c3d…"}
#     {"prev":"2c3d…","type":"step","code":"@text:9f8e…","hash":"4e5f…","mark":"6a7b…"}
#
# Only the event is signed by a mark. It contains the key of the text, which is the text's hash.
# The long result of a call is stored in the same way: `"text":{"name":"/","children":[…]}`.


class JournalWriter:
    """Appends events to a journal, from any thread. No second process can write it meanwhile.

    A written line survives a process that is killed. After a power loss, the lines since the last
    `sync` may be gone: a run calls it at its start, whenever a trial has ended (not if it failed, or was
    left open), before it submits, and when it closes.

    A run creates one when it begins or resumes, and closes it at its end. For an
    existing file, call `continue_after` before the first event is written. After the first failure to
    write, such as a full disk, nothing more is written: the file would have a gap.
    """

    def __init__(self, path: Path, *, create: bool) -> None:
        """Open a new file at `path` or, if not `create`, an existing one.

        Raises `JournalUnwritable`; `UsageError` if another process is writing the journal, or if a
        new file cannot be made.
        """
        self.path = path
        self._absolute_path = path.absolute()
        """The same path, still valid after a solver or a benchmark has changed the working folder."""
        self.failure: JournalUnwritable | None = None
        """The error after which nothing more is written; None if there was none."""
        self.resume_hint = RESUMABLE
        """The end of that error's message: if the run can be resumed. The run sets it."""
        self._key = made_key()
        """The user's key, which signs the lines of events; None without one."""
        self._last_hash = GENESIS
        """The hash of the last line that was written."""
        self._length = 0
        """The number of bytes that the file should have."""
        self._references = ReferenceCounts()
        self._lock = threading.Lock()
        self._file = _open_to_append(path, create=create)
        """The descriptor of the open file; -1 after `close`."""

    @property
    def current_path(self) -> Path:
        """`path`, or the absolute path if the working folder has changed since."""
        return self.path if self.path.exists() else self._absolute_path

    def sync(self) -> None:
        """Flush everything to the disk.

        Raises `JournalUnwritable`, also if the file was removed, or changed by another program.
        """
        damage = ""
        try:
            os.fsync(self._file)
            with self._lock:
                status = os.fstat(self._file)
                if not os.path.samestat(self._absolute_path.stat(), status):
                    damage = _REMOVED
                elif status.st_size != self._length and self.failure is None:
                    damage = _CHANGED
        except FileNotFoundError:
            damage = _REMOVED
        except OSError as error:
            self._fail(error)
        if damage:
            self.failure = JournalUnwritable(f"the journal {self.path} {damage}")
            raise self.failure

    def _fail(self, error: OSError) -> NoReturn:
        """Record the error that ends all writing, and raise it as `JournalUnwritable`."""
        msg = f"cannot write the journal {self.path}: {error.strerror}; {self.resume_hint}"
        self.failure = JournalUnwritable(msg)
        raise self.failure from error

    def discard(self) -> None:
        """Close the file and remove it."""
        self.close()
        self._absolute_path.unlink(missing_ok=True)

    def close(self) -> None:
        """Close the file. Closing twice does nothing."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def continue_after(self, *, length: int, last_hash: str) -> None:
        """Continue after the first `length` bytes, and drop what follows: an incomplete line.

        `last_hash` is the hash of the last complete line.
        """
        os.ftruncate(self._file, length)
        self._length = length
        self._last_hash = last_hash

    def write(self, event: JournalEvent) -> None:
        """Append one event, after its long texts.

        Raises `JournalUnwritable`. After that error, nothing more is written.
        """
        new_texts: dict[str, bytes] = {}

        def reference_to(text: str) -> str:
            """Return the reference by which a line names a long text: its key."""
            text = well_formed(text)
            key = key_of(text)
            # To save work, only the texts that may have to be stored are passed on.
            # `write_body` asks again, under the lock, since another thread may store them first.
            if not self._references.allow_another(key):
                new_texts[key] = json_of(text)
            return REFERENCE + key

        fields = encoded(fields_to_write(event), reference_to)
        for name in fields_marked(type(event), STORED_ONCE):
            data = json_of(fields[name])
            if is_stored_once(data):
                key = key_of_data(data)
                new_texts[key] = data
                fields[name] = REFERENCE + key
        self.write_body(json_of(fields), new_texts)

    def write_body(self, body: bytes, texts: Mapping[str, bytes]) -> None:
        """Append a line with the fields in `body`, as JSON.

        `texts` are long strings and results that the body refers to, as JSON, by key. Those that are not
        stored yet get lines of their own before it.
        """
        with self._lock:
            if self.failure:
                raise self.failure
            # After many references, a text is stored again. A small file could otherwise make its
            # reader build an enormous amount of text, so readers refuse a journal that refers to its
            # texts too often for its size.
            keys_to_store = [
                key for key in texts if not self._references.allow_another(key)
            ]
            lines: list[bytes] = []
            last_hash = self._last_hash
            for key in keys_to_store:
                line, last_hash = line_of(
                    (
                        b'{"at_ms":%d,"type":"text","key":"%b","text":%b}'
                        % (
                            now_ms(),
                            key.encode(),
                            texts[key],
                        )
                    ),
                    last_hash,
                )
                lines.append(line)
            line, last_hash = line_of(body, last_hash, self._key)
            lines.append(line)
            # Write all of `data`. Raises `JournalUnwritable`.
            data = b"".join(lines)
            unwritten = memoryview(data)
            try:
                while unwritten:
                    unwritten = unwritten[os.write(self._file, unwritten) :]
            except OSError as error:
                self._fail(error)

            self._length += len(data)
            self._last_hash = last_hash
            for key in keys_to_store:
                self._references.note_stored(key)
            self._references.note_line(body)

    def __enter__(self) -> JournalWriter:
        return self

    def __exit__(self, *failure: object) -> None:
        """Close the file.

        Remove it if it is empty, as after a run that could not begin: commands would take it for the
        latest run.
        """
        if self._file >= 0 and not os.fstat(self._file).st_size:
            self.discard()
        self.close()
