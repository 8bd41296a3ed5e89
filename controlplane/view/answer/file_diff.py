"""The change of one file as a unified diff that also shows encoding, mode and hidden characters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from controlplane.file_changes.file_change import FileChange
from controlplane.sandbox.interface import bounds
from controlplane.view.answer.diff_lines import diff_lines, text_lines
from controlplane.view.answer.invisible_characters import (
    lines_with_visible_differences,
    visible_name,
)
from controlplane.view.answer.storage_notes import size_notes, storage_notes

MOST_DIFF_CHARS: Final = 2_000_000
"""A longer diff is not shown, since nobody would read it."""


@dataclass(frozen=True, slots=True)
class FileDiff:
    """The change of one file, as the user sees it before consenting."""

    text: str
    is_whole: bool
    """True if the text shows the whole change; False if it is too large, or not a text."""


def file_diff(path: str, change: FileChange) -> FileDiff:
    """Return the unified diff of one file with its encoding, line ends and mode.

    Raises `ChangeRefused` if the file's encoding lacks a character of the new text.
    """
    texts = _ComparedTexts.of(change)
    lines: list[str] = []
    reason_not_shown = ""
    if texts.have_zero_bytes:
        reason_not_shown = "not a text"
    else:
        compared = diff_lines(text_lines(texts.before), text_lines(texts.after))
        if compared is None or not _can_be_shown(compared):
            reason_not_shown = "too large to show"
        else:
            lines = compared

    notes = storage_notes(change)
    if reason_not_shown:
        notes.append(reason_not_shown)
        notes += size_notes(change)

    name = visible_name(path)
    shown = [
        "--- " + (name if change.old_bytes is not None else "/dev/null"),
        "+++ " + (name if change.new_bytes is not None else "/dev/null"),
    ]
    if notes:
        shown.append(f"({', '.join(notes)})")
    shown += lines_with_visible_differences(lines)
    return FileDiff("\n".join(shown), is_whole=not reason_not_shown)


@dataclass(frozen=True, slots=True)
class _ComparedTexts:
    """The texts of a file before and after a change; empty if there is no file."""

    before: str
    after: str

    @classmethod
    def of(cls, change: FileChange) -> _ComparedTexts:
        """Return both texts, without the carriage returns of a file whose lines end with CRLF."""
        before = change.old_file.text if change.old_bytes is not None else ""
        after = change.new_text or ""
        if change.old_file.has_crlf:
            # A note mentions the line ends. A mark on every line would hide the changes.
            before = before.replace("\r\n", "\n")
            after = after.replace("\r\n", "\n")
        return cls(before, after)

    @property
    def have_zero_bytes(self) -> bool:
        """True if one of them is not a text that a diff can show."""
        return "\0" in self.before or "\0" in self.after


def _can_be_shown(lines: Sequence[str]) -> bool:
    """Return True if a diff is short enough to be read."""
    if len(lines) > bounds.SHOWN_DIFF_LINES:
        return False
    return sum(len(line) for line in lines) <= MOST_DIFF_CHARS
