"""The change of one file as a unified diff that also shows encoding, mode and hidden characters."""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

import re2

from controlplane.file_changes import FileChange
from controlplane.sandbox.interface import bounds
from controlplane.terminal_text import HIDDEN
from controlplane.text_files import decode_text


def _visible_lines(lines: Sequence[str]) -> list[str]:
    """Return the lines of a diff with hidden characters made visible.

    If a removed line and an added one differ only in their blanks, they would look
    alike. Then all tabs, and the spaces at the ends of lines, are shown by name.
    """
    plain = [visible_name(line, "\t\n").expandtabs(4) for line in lines]
    removed = {" ".join(line[1:].split()) for line in plain if line.startswith("-")}
    added = {" ".join(line[1:].split()) for line in plain if line.startswith("+")}
    if not removed & added:
        return plain

    with_named_blanks = []
    for line in lines:
        line = line.replace("\t", "‹TAB›")
        without_end = line.rstrip(" ")
        end_spaces = "‹SPACE›" * (len(line) - len(without_end))
        with_named_blanks.append(visible_name(without_end + end_spaces, "\n"))
    return with_named_blanks


_EMOJI_STYLE: Final = "\N{VARIATION SELECTOR-16}"
"""An invisible character. It is printed elsewhere, as emoji need it. In a diff it is named."""


def visible_name(text: str, kept: str = "") -> str:
    """Return a text in which invisible and control characters are replaced by their names.

    The characters in `kept` are unchanged.
    """
    if text.isascii() and text.isprintable():
        return text
    names = {}
    for character in set(text):
        is_hidden = not character.isprintable() or ord(character) in HIDDEN
        if (is_hidden or character == _EMOJI_STYLE) and character not in kept:
            names[ord(character)] = _character_name(character)
    return text.translate(names)


def _character_name(character: str) -> str:
    if character == "\r":
        return "‹CR›"
    return f"‹U+{ord(character):04X} {unicodedata.name(character, 'CONTROL')}›"


# The lines in which two texts differ, with the signs and headers of a unified diff.
#
# Python's `difflib` takes minutes for long texts, so only the part between the first and the last
# changed line is compared.

_CONTEXT_LINES: Final = 3
_MOST_COMPARED_LINES: Final = 500
"""The largest number of lines that difflib compares, since its time grows faster than the texts.

Equal lines at the beginning and end of both texts are not counted.
"""


_NO_LINE_END: Final = "\\ No newline at end of file"


def _text_lines(text: str) -> list[str]:
    """Return the lines of a text. If it has no final line end, a remark on that follows.

    The remark is in the same item as the last line, so that both are compared as one.
    """
    lines = text.split("\n")
    last = lines.pop()
    if last:
        lines.append(f"{last}\n{_NO_LINE_END}")
    return lines


def _diff_lines(before: list[str], after: list[str]) -> list[str] | None:
    """Return the lines of a unified diff; None if they are too many to list.

    The time grows in proportion to the texts: only few lines are compared by difflib. If
    more lines have changed, all of them are listed as replaced.
    """
    # Leave out the equal lines at the beginning and at the end, except a few as the context.
    above = _equal_lines(before, after)
    below = _equal_lines(before[above:][::-1], after[above:][::-1])
    removed = before[above : len(before) - below]
    added = after[above : len(after) - below]
    if max(len(removed), len(added)) > _MOST_COMPARED_LINES:
        if len(removed) + len(added) > bounds.SHOWN_DIFF_LINES:
            return None
        head = f"@@ -{above + 1},{len(removed)} +{above + 1},{len(added)} @@"
        return [
            head,
            *[f"-{line}" for line in removed],
            *[f"+{line}" for line in added],
        ]

    skipped = max(above - _CONTEXT_LINES, 0)
    end = max(below - _CONTEXT_LINES, 0)
    compared = difflib.unified_diff(
        before[skipped : len(before) - end],
        after[skipped : len(after) - end],
        lineterm="",
        n=_CONTEXT_LINES,
    )

    def number_in_file(match: re2._Match[str]) -> str:
        return f"{match[1]}{int(match[2]) + skipped}"

    lines = []
    for line in list(compared)[2:]:  # after the two file names
        if line.startswith("@@"):
            line = _SIGNED_LINE_NUMBER.sub(number_in_file, line)
        lines.append(line)
    return lines


def _equal_lines(lines: Sequence[str], other_lines: Sequence[str]) -> int:
    """Return the number of equal lines at the beginning of both lists."""
    count = 0
    for line, other_line in zip(lines, other_lines, strict=False):
        if line != other_line:
            break
        count += 1
    return count


_SIGNED_LINE_NUMBER: Final = re2.compile(r"([-+])(\d+)")
"""The two line numbers in the head of a hunk: `-3` and `+3` in `@@ -3,7 +3,8 @@`."""


# Notes on what the lines of a diff do not show of a changed file.
#
# They are printed above the lines: `(windows-1252, new file)`, `(its mode 4755 becomes 0755)`.

_SET_ID_AND_STICKY_BITS: Final = 0o7000
"""The bits of a file's mode that a changed file loses."""


def _storage_notes(change: FileChange) -> list[str]:
    """Return notes on the encoding, the mode, and whether the file is new, deleted or empty."""
    notes = []
    if change.old_file.form:
        notes.append(change.old_file.form)
    if change.old_bytes is None:
        notes.append("new file")
    elif change.new_bytes is None:
        notes.append("deleted")
    if not change.old_bytes and not change.new_bytes:
        notes.append("empty")

    if change.new_bytes and change.mode & _SET_ID_AND_STICKY_BITS:
        new_mode = change.mode & ~_SET_ID_AND_STICKY_BITS
        notes.append(f"its mode {change.mode:04o} becomes {new_mode:04o}")

    # The new version is written in the old encoding. Another may be detected when it is
    # read. UTF-8 for pure ASCII needs no note: the text is the same in both encodings.
    if change.old_bytes and change.new_bytes:
        encoding = decode_text(change.new_bytes).encoding
        is_ascii = change.new_bytes.isascii() and encoding == "utf-8"
        if encoding != change.old_file.encoding and not is_ascii:
            notes.append(f"the new version will be read as {encoding}")
    return notes


def _size_notes(change: FileChange) -> list[str]:
    """Return the size and the hash of the file's bytes before and after the change."""
    notes = []
    for when, data in (("before", change.old_bytes), ("after", change.new_bytes)):
        if data:
            digest = sha256(data).hexdigest()
            notes.append(f"{when} {len(data):,} bytes, sha256 {digest}")
    return notes


_MOST_DIFF_CHARS: Final = 2_000_000
"""A longer diff is not shown, since nobody would read it."""


@dataclass(frozen=True, slots=True)
class _FileDiff:
    """The change of one file, as the user sees it before consenting."""

    text: str
    is_whole: bool
    """True if the text shows the whole change; False if it is too large, or not a text."""


def file_diff(path: str, change: FileChange) -> _FileDiff:
    """Return the unified diff of one file with its encoding, line ends and mode.

    Raises `ChangeRefused` if the file's encoding lacks a character of the new text.
    """
    before = change.old_file.text if change.old_bytes is not None else ""
    after = change.new_text or ""
    if change.old_file.has_crlf:
        # A note mentions the line ends. A mark on every line would hide the changes.
        before = before.replace("\r\n", "\n")
        after = after.replace("\r\n", "\n")

    notes = _storage_notes(change)
    lines: list[str] | None = None
    if "\0" in before or "\0" in after:
        notes.append("not a text")
    else:
        lines = _diff_lines(_text_lines(before), _text_lines(after))
        if lines is not None and (
            len(lines) > bounds.SHOWN_DIFF_LINES
            or sum(map(len, lines)) > _MOST_DIFF_CHARS
        ):
            lines = None
        if lines is None:
            notes.append("too large to show")
    if lines is None:
        notes += _size_notes(change)

    name = visible_name(path)
    shown = [
        "--- " + (name if change.old_bytes is not None else "/dev/null"),
        "+++ " + (name if change.new_bytes is not None else "/dev/null"),
    ]
    if notes:
        shown.append(f"({', '.join(notes)})")
    shown += _visible_lines(lines or [])
    return _FileDiff("\n".join(shown), is_whole=lines is not None)
