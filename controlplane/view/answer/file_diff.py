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


def _lines_with_visible_differences(lines: Sequence[str]) -> list[str]:
    """Return the lines of a diff with hidden characters made visible.

    If a removed line and an added one differ only in their blanks, they would look
    alike. Then all tabs, and the spaces at the ends of lines, are shown by name.
    """
    plain = [visible_name(line, "\t\n").expandtabs(4) for line in lines]
    some_lines_look_alike = bool(
        _lines_with_sign(plain, "-") & _lines_with_sign(plain, "+")
    )
    if not some_lines_look_alike:
        return plain

    with_named_blanks = []
    for line in lines:
        line = line.replace("\t", "‹TAB›")
        without_end = line.rstrip(" ")
        end_spaces = len(line) - len(without_end)
        line = without_end + "‹SPACE›" * end_spaces
        with_named_blanks.append(visible_name(line, "\n"))
    return with_named_blanks


def _lines_with_sign(lines: Sequence[str], sign: str) -> set[str]:
    """Return the lines with a sign (`+` or `-`), without it, and with one space for all blanks."""
    found = set()
    for line in lines:
        if line.startswith(sign):
            words = line[1:].split()
            found.add(" ".join(words))
    return found


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
    # Leave out the equal lines at the beginning and at the end.
    equal_above = _equal_lines(before, after)
    rest_before = before[equal_above:]
    rest_after = after[equal_above:]
    equal_below = _equal_lines(list(reversed(rest_before)), list(reversed(rest_after)))
    changed_before = rest_before[: len(rest_before) - equal_below]
    changed_after = rest_after[: len(rest_after) - equal_below]

    if max(len(changed_before), len(changed_after)) <= _MOST_COMPARED_LINES:
        # Compare what is left, with a few equal lines on both sides as the context.
        skipped_above = max(equal_above - _CONTEXT_LINES, 0)
        skipped_below = max(equal_below - _CONTEXT_LINES, 0)
        return _compared_lines(
            before[skipped_above : len(before) - skipped_below],
            after[skipped_above : len(after) - skipped_below],
            lines_above=skipped_above,
        )

    # Too many lines to compare: show all of them as replaced.
    if len(changed_before) + len(changed_after) > bounds.SHOWN_DIFF_LINES:
        return None
    first_line = equal_above + 1
    lines = [
        f"@@ -{first_line},{len(changed_before)} +{first_line},{len(changed_after)} @@"
    ]
    lines += [f"-{line}" for line in changed_before]
    lines += [f"+{line}" for line in changed_after]
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


def _compared_lines(
    before: list[str], after: list[str], *, lines_above: int
) -> list[str]:
    """Return a unified diff of two parts of files, with the line numbers of the whole files.

    Above both parts, the files have `lines_above` lines. If these are 10, the head
    `@@ -3,7 +3,8 @@` becomes `@@ -13,7 +13,8 @@`.
    """

    def number_in_file(match: re2._Match[str]) -> str:
        sign, number = match[1], int(match[2])
        return f"{sign}{number + lines_above}"

    diff = list(difflib.unified_diff(before, after, lineterm="", n=_CONTEXT_LINES))
    lines = []
    for line in diff[2:]:  # after the two file names
        if line.startswith("@@"):
            line = _SIGNED_LINE_NUMBER.sub(number_in_file, line)
        lines.append(line)
    return lines


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
    if change.old_bytes:
        notes.append(f"before {_size_text(change.old_bytes)}")
    if change.new_bytes:
        notes.append(f"after {_size_text(change.new_bytes)}")
    return notes


def _size_text(data: bytes) -> str:
    return f"{len(data):,} bytes, sha256 {sha256(data).hexdigest()}"


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

    lines: list[str] = []
    reason_not_shown = ""
    if "\0" in before or "\0" in after:
        reason_not_shown = "not a text"
    else:
        compared = _diff_lines(_text_lines(before), _text_lines(after))
        if (
            compared is None
            or len(compared) > bounds.SHOWN_DIFF_LINES
            or sum(len(line) for line in compared) > _MOST_DIFF_CHARS
        ):
            reason_not_shown = "too large to show"
        else:
            lines = compared

    notes = _storage_notes(change)
    if reason_not_shown:
        notes.append(reason_not_shown)
        notes += _size_notes(change)

    name = visible_name(path)
    shown = [
        "--- " + (name if change.old_bytes is not None else "/dev/null"),
        "+++ " + (name if change.new_bytes is not None else "/dev/null"),
    ]
    if notes:
        shown.append(f"({', '.join(notes)})")
    shown += _lines_with_visible_differences(lines)
    return _FileDiff("\n".join(shown), is_whole=not reason_not_shown)
