"""The change of one file as a unified diff that also shows encoding, mode and hidden characters."""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

import re2

from controlplane.sandbox.interface import bounds
from controlplane.terminal_text import HIDDEN
from controlplane.text_files import FileChange, decode_text

CONTEXT_LINES: Final = 3
MOST_DIFF_CHARS: Final = 2_000_000
MOST_COMPARED_LINES: Final = 500
"""The largest number of lines that difflib compares, because it takes more than linear time.

Equal lines at the beginning and end of both texts are not counted.
"""


@dataclass(frozen=True, slots=True)
class FileDiff:
    """The change of one file, as the user sees it before consenting."""

    text: str
    is_whole: bool
    """True if the text shows the whole change. False if that is too large to show, or is not a
    text."""


def file_diff(path: str, change: FileChange) -> FileDiff:
    """Return the unified diff of one file with its encoding, line ends and mode.

    Raises `ChangeRefused` if the file's encoding lacks a character of the new text.
    """
    texts = _ComparedTexts.of(change)
    lines = None
    if texts.are_text:
        lines = _diff_lines(_lines_of(texts.before), _lines_of(texts.after))
    is_whole = lines is not None and _can_be_shown(lines)

    notes = _form_notes(change)
    if not is_whole:
        notes.append("too large to show" if texts.are_text else "not a text")
        notes += _size_notes(change)

    name = visible_name(path)
    shown = [
        "--- " + (name if change.before is not None else "/dev/null"),
        "+++ " + (name if change.data is not None else "/dev/null"),
    ]
    if notes:
        shown.append(f"({', '.join(notes)})")
    if lines is not None and is_whole:
        shown += _visible_lines(lines)
    return FileDiff("\n".join(shown), is_whole)


@dataclass(frozen=True, slots=True)
class _ComparedTexts:
    """The texts of a file before and after a change; empty if there is no file."""

    before: str
    after: str

    @classmethod
    def of(cls, change: FileChange) -> _ComparedTexts:
        before = change.form.text if change.before is not None else ""
        after = change.after or ""
        if change.form.has_crlf:
            # A note mentions the line ends. A mark on every line would hide the changes.
            before = before.replace("\r\n", "\n")
            after = after.replace("\r\n", "\n")
        return cls(before, after)

    @property
    def are_text(self) -> bool:
        return "\0" not in self.before and "\0" not in self.after


def _can_be_shown(lines: Sequence[str]) -> bool:
    """Return True if a diff is short enough to be read."""
    if len(lines) > bounds.SHOWN_DIFF_LINES:
        return False
    return sum(len(line) for line in lines) <= MOST_DIFF_CHARS


# --- Notes on what the lines of a diff do not show ---


SET_ID_AND_STICKY_BITS: Final = 0o7000
"""The bits of a file's mode that a changed file loses."""


def _form_notes(change: FileChange) -> list[str]:
    """Return notes on the encoding, the mode, and whether the file is new, deleted or empty."""
    before = change.before
    after = change.data
    notes = []
    if change.form.form:
        notes.append(change.form.form)
    if before is None:
        notes.append("new file")
    elif after is None:
        notes.append("deleted")
    if not before and not after:
        notes.append("empty")
    if after and change.mode & SET_ID_AND_STICKY_BITS:
        new_mode = change.mode & ~SET_ID_AND_STICKY_BITS
        notes.append(f"its mode {change.mode:04o} becomes {new_mode:04o}")
    if before and after:
        encoding = decode_text(after).encoding
        is_ascii_as_utf8 = after.isascii() and encoding == "utf-8"
        if encoding != change.form.encoding and not is_ascii_as_utf8:
            notes.append(f"the new version will be read as {encoding}")
    return notes


def _size_notes(change: FileChange) -> list[str]:
    """Return the size and the hash of the file's bytes before and after the change."""
    notes = []
    if change.before:
        notes.append(f"before {_size_text(change.before)}")
    if change.data:
        notes.append(f"after {_size_text(change.data)}")
    return notes


def _size_text(data: bytes) -> str:
    return f"{len(data):,} bytes, sha256 {sha256(data).hexdigest()}"


# --- The lines of a diff ---


NO_LINE_END: Final = "\\ No newline at end of file"


def _lines_of(text: str) -> list[str]:
    """Return the lines of a text. The last line says if the text has no final line end."""
    lines = text.split("\n")
    last = lines.pop()
    if last:
        lines.append(f"{last}\n{NO_LINE_END}")
    return lines


def _diff_lines(before: list[str], after: list[str]) -> list[str] | None:
    """Return the lines of a unified diff, in time proportional to both texts.

    None if there are too many lines to show.
    """
    start = _equal_lines(before, after)
    end = _equal_lines(before[start:][::-1], after[start:][::-1])
    before_changed = before[start : len(before) - end]
    after_changed = after[start : len(after) - end]
    if max(len(before_changed), len(after_changed)) <= MOST_COMPARED_LINES:
        skipped_above = max(start - CONTEXT_LINES, 0)
        skipped_below = max(end - CONTEXT_LINES, 0)
        return _compared_lines(
            before[skipped_above : len(before) - skipped_below],
            after[skipped_above : len(after) - skipped_below],
            first_line=skipped_above,
        )

    # Too many lines to compare: show all of them as replaced.
    if len(before_changed) + len(after_changed) > bounds.SHOWN_DIFF_LINES:
        return None
    lines = [f"@@ -{start + 1},{len(before_changed)} +{start + 1},{len(after_changed)} @@"]
    lines += [f"-{line}" for line in before_changed]
    lines += [f"+{line}" for line in after_changed]
    return lines


def _equal_lines(lines: Sequence[str], other_lines: Sequence[str]) -> int:
    """Return the number of equal lines at the beginning of both lists."""
    count = 0
    for line, other_line in zip(lines, other_lines, strict=False):
        if line != other_line:
            break
        count += 1
    return count


_LINE_NUMBER: Final = re2.compile(r"([-+])(\d+)")
"""A line number in the head of a hunk, such as `@@ -3,7 +3,8 @@`."""


def _compared_lines(before: list[str], after: list[str], *, first_line: int) -> list[str]:
    """Return a unified diff of two parts of files that both begin after `first_line` lines."""

    def shifted(number: re2._Match[str]) -> str:
        return f"{number[1]}{int(number[2]) + first_line}"

    diff = list(difflib.unified_diff(before, after, lineterm="", n=CONTEXT_LINES))
    lines = []
    for line in diff[2:]:  # after the two file names
        if line.startswith("@@"):
            line = _LINE_NUMBER.sub(shifted, line)
        lines.append(line)
    return lines


# --- Invisible characters ---


def _visible_lines(lines: Sequence[str]) -> list[str]:
    """Return the lines of a diff with hidden characters made visible.

    Blanks are named if lines differ in nothing else.
    """
    plain = [visible_name(line, "\t\n").expandtabs(4) for line in lines]
    removed = _words_of_lines(plain, "-")
    added = _words_of_lines(plain, "+")
    if not removed & added:
        return plain
    named = []
    for line in lines:
        line = line.replace("\t", "‹TAB›")
        without_end = line.rstrip(" ")
        blanks = len(line) - len(without_end)
        named.append(visible_name(without_end + "‹SPACE›" * blanks, "\n"))
    return named


def _words_of_lines(lines: Sequence[str], sign: str) -> set[str]:
    """Return the lines with a sign (`+` or `-`), with the blanks in each line made equal."""
    words = set()
    for line in lines:
        if line.startswith(sign):
            words.add(" ".join(line[1:].split()))
    return words


EMOJI_STYLE: Final = "\N{VARIATION SELECTOR-16}"
"""The character is invisible. Emoji need it, so a console may print it; in a diff it is named."""


def visible_name(text: str, kept: str = "") -> str:
    """Return a text in which invisible and control characters are replaced by their names.

    The characters in `kept` are unchanged.
    """
    if text.isascii() and text.isprintable():
        return text
    names = {}
    for character in set(text):
        is_hidden = not character.isprintable() or ord(character) in HIDDEN
        if (is_hidden or character == EMOJI_STYLE) and character not in kept:
            names[ord(character)] = _character_name(character)
    return text.translate(names)


def _character_name(character: str) -> str:
    if character == "\r":
        return "‹CR›"
    return f"‹U+{ord(character):04X} {unicodedata.name(character, 'CONTROL')}›"
