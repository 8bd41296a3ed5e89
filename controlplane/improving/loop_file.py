"""The file of an improvement loop's record.

Like a journal, it is a chain of lines with hashes. Each line has a mark, which is a
signature with the user's key, and is flushed to the disk before the loop goes on.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from controlplane.errors import UsageError
from controlplane.improving.loop_lines import LINE, LoopLine, LoopOpened
from controlplane.journal.journal_files import lines_of, open_to_read
from controlplane.journal.journal_lines import GENESIS, checked_hash
from controlplane.journal.journal_writer import JournalWriter
from controlplane.journal.line_parser import fields_of
from controlplane.journal.user_key import own_key


class LoopFile:
    """The file of a loop's record. It is read first, and then `append` adds lines in a `writing` block.

    Its lines are chained and marked like those of a journal, so only this user's own are accepted.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._length = 0
        """The number of bytes of the complete lines."""
        self._last_hash = GENESIS
        self._writer: JournalWriter | None = None

    def read(self) -> list[LoopLine]:
        """Return the lines of the file; none if there is no file.

        Raises `UsageError` if a line lacks the user's mark or was changed, or if the plan
        is missing.
        """
        if not self.path.exists():
            return []
        lines: list[LoopLine] = []
        number = 0
        try:
            with open_to_read(self.path) as file:
                for line in lines_of(file):
                    if not line.endswith(b"\n"):
                        break  # The process was killed while it wrote the last line.
                    number += 1
                    lines.append(self._checked(line))
            if not any(isinstance(line, LoopOpened) for line in lines):
                msg = "no complete line has the loop's plan"
                raise ValueError(msg)
        except ValueError as error:
            msg = (
                f"{self.path}, line {number}: it does not carry your mark, or another version of "
                "the program wrote it; start another loop"
            )
            raise UsageError(msg) from error
        return lines

    def _checked(self, line: bytes) -> LoopLine:
        """Return the content of the next line. Raises `ValueError` if the line was changed."""
        self._last_hash, is_marked = checked_hash(line[:-1], self._last_hash, own_key())
        if not is_marked:
            msg = "the line does not carry this user's mark"
            raise ValueError(msg)
        self._length += len(line)
        return LINE.validate_python(fields_of(line))

    @contextmanager
    def writing(self, *, create: bool) -> Iterator[None]:
        """Open the file for writing in the block.

        Raises `UsageError` if another process is writing it.
        """
        with JournalWriter(self.path, create=create) as writer:
            writer.continue_after(length=self._length, last_hash=self._last_hash)
            self._writer = writer
            yield
        self._writer = None

    def append(self, line: LoopLine) -> None:
        """Write one line, and flush it to the disk. Only works in a block of `writing`."""
        assert self._writer is not None
        # A journal stores long texts apart from its lines. A record keeps them in the line.
        self._writer.write_body(line.model_dump_json().encode(), texts={})
        self._writer.sync()
