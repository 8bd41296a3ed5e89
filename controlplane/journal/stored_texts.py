"""The stored texts of a journal: long strings, each in a line of its own.

Other lines refer to a stored text by its key, as in `"reply":"@text:0a1b…"`.
"""

from __future__ import annotations

import os
from typing import BinaryIO, Final, NamedTuple

from controlplane.journal.journal_lines import stored_text
from controlplane.journal.text_references import REFERENCE, key_of, referenced_keys
from controlplane.sandbox.interface import well_formed

REFERENCE_BYTES: Final = f'"{REFERENCE}'.encode()
"""The bytes `"@text:`. A line that refers to a stored text contains them."""

MOST_KEPT_CHARS: Final = 1_000_000
"""Characters of stored texts kept in memory, since later lines may refer to them again.
This is enough for the documents of one prompt, which every trial repeats."""
_FIRST_READ_BYTES: Final = 2_048
"""Bytes of a line that are read at first. Most lines are shorter."""

# A reader replaces each reference by the text, so a small malicious journal could fill the
# memory. Example: one text of 1 MB, and 1,000 short lines that refer to it. The journal has
# about 1 MB, and is read as 1,000 MB of text.
#
# So a journal of `size` bytes may refer to this many bytes of text, where a text counts once
# for each reference to it:
#
#     FREE_REFERENCED_BYTES + MAX_REFERENCED_PER_BYTE * size
#
# In the example these are 16 + 24 * 1 = 40 MB, so the journal is refused.
_MAX_REFERENCED_PER_BYTE: Final = 24
"""More than a run needs. It stores a text again after 16 references (`MOST_REFERENCES`): 1,000
references to a text of 1 MB come with 63 copies of it, or 16 MB of text for each MB of the journal.
The rest is for lines that refer to a text several times."""
_FREE_REFERENCED_BYTES: Final = 16 << 20
"""What any journal may refer to. A short one, such as one with a
single text, may thus refer to the text more often."""


def line_at(file: BinaryIO, place: int) -> bytes:
    """Return the line that begins at byte `place` of a journal.

    Raises `ValueError` if the file is closed.
    """
    data = b""
    size = _FIRST_READ_BYTES
    while b"\n" not in data:
        more = os.pread(file.fileno(), size, place + len(data))
        if not more:
            return data  # The last line is incomplete.
        data += more
        size *= 4  # A line of a million bytes then takes six reads instead of hundreds.
    line, end, _ = data.partition(b"\n")
    return line + end


class TextLine(NamedTuple):
    """Where in the journal the line of a stored text is."""

    place: int
    """Its first byte."""
    size: int
    """Its length in bytes."""


class StoredTexts:
    """The long texts of a journal, each stored in a line of its own and found by its key.

    Those that were read lately are kept in memory.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._lines: dict[bytes, TextLine] = {}
        """The line of each text, by its key."""
        self._kept: dict[str, str] = {}
        """The texts in memory, by key."""
        self._kept_chars = 0
        """The characters of these texts together."""
        self._referenced_bytes = 0
        """Bytes of the texts that lines refer to, counted once per reference."""
        self.read_bytes = 0
        """Bytes that were read from the file so far."""

    def add(self, key: bytes, text_line: TextLine) -> None:
        """Record which line has the text of `key`. If a text is stored twice, the first counts."""
        self._lines.setdefault(key, text_line)

    def text_of(self, key: str) -> str:
        """Return the text of `key`, from memory or from the file.

        Raises `KeyError` if the text is missing, and `ValueError` if it has another key.
        """
        if key in self._kept:
            return self._kept[key]
        text = self._read(key)
        self._kept_chars += len(text)
        if self._kept_chars > MOST_KEPT_CHARS:
            # All texts are dropped together: a prompt uses the same ones again and
            # again, so none of them deserves to stay longer than the others.
            self._kept.clear()
            self._kept_chars = len(text)
        self._kept[key] = text
        return text

    def _read(self, key: str) -> str:
        """Return the text of `key` from the file. Raises as `text_of` does."""
        line = line_at(self._file, self._lines[key.encode()].place)
        self.read_bytes += len(line)
        text = stored_text(line)
        # The key is a hash of the text in the file. So check it before `well_formed`,
        # which may change the text.
        if key_of(text) != key:
            msg = "a stored text does not match its key"
            raise ValueError(msg)
        return well_formed(text)

    def count_references(self, line: bytes, journal_bytes: int) -> None:
        """Count the bytes of the texts that a line refers to.

        Raises `ValueError` if the lines so far, which have `journal_bytes`, refer to more text
        than is permitted: see the limits at the top of this module.
        """
        if REFERENCE_BYTES not in line:
            return
        for key in referenced_keys(line):
            text_line = self._lines.get(key)
            if text_line is not None:
                self._referenced_bytes += text_line.size
        limit = _FREE_REFERENCED_BYTES + _MAX_REFERENCED_PER_BYTE * journal_bytes
        if self._referenced_bytes > limit:
            msg = (
                "the lines up to it show their texts more often than those of a run do"
            )
            raise ValueError(msg)
