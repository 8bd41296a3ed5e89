"""Writes journals.

A journal is a file with a line of JSON for each event of a run. Each line contains a hash of the
line before it, which shows if a line was damaged or is missing. The user's mark on each event
shows whether somebody else wrote it.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from pathlib import Path

from controlplane.journal.journal_lines import json_of
from controlplane.journal.line_chain import LineChain
from controlplane.journal.locked_file import LockedFile
from controlplane.journal.run_events import JournalEvent
from controlplane.journal.step_parts import fields_to_write
from controlplane.journal.text_references import REFERENCE, encoded, key_of
from controlplane.journal.user_key import made_key
from controlplane.sandbox.interface import well_formed


class JournalWriter(LockedFile):
    """Appends events to a journal, from any thread.

    A run creates one when it begins or resumes, and closes it at its end. For an
    existing file, call `continue_after` before the first event is written. After the
    first failure nothing more is written.
    """

    def __init__(self, path: Path, *, create: bool) -> None:
        """Open the file as `LockedFile` does."""
        self._chain = LineChain(made_key())
        self._lock = threading.Lock()
        super().__init__(path, create=create)

    def continue_after(self, *, length: int, last_hash: str) -> None:
        """Continue after the first `length` bytes, and cut off what follows: an incomplete line.

        `last_hash` is the hash of the last complete line.
        """
        os.ftruncate(self._file, length)
        self._chain.last_hash = last_hash

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
            if not self._chain.is_stored(key):
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
            lines = self._chain.next_lines(body, texts)
            self.append(lines.data)
            self._chain.note_written(lines)

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
