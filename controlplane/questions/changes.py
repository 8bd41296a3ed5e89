"""The changes that an answer proposes."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from controlplane.file_changes.file_change import ChangeRefused, FileChange
from controlplane.questions.scope import QuestionScope
from controlplane.sandbox.files import sha256_of
from controlplane.view.answer.asked_answer import AskedAnswer


@dataclass(slots=True)
class ProposedChanges:
    """The changes that the scripts of an answer made to their copies of files.

    `refuse` moves a change from `possible` to `refused`.
    """

    possible: dict[str, FileChange] = field(default_factory=dict)
    """The changes that can be made, by path below the root."""
    refused: dict[Path, str] = field(default_factory=dict)
    """The reasons why changes cannot be made, by the place of the file."""

    def refuse(self, refusal: ChangeRefused) -> bool:
        """Move a refused change to `refused`. Return False if it is not one of these changes."""
        for path, change in self.possible.items():
            if change.place == refusal.place:
                del self.possible[path]
                self.refused[refusal.place] = refusal.reason
                return True
        return False


def proposed_changes(answer: AskedAnswer, scope: QuestionScope) -> ProposedChanges:
    """Return the changes of an answer's scripts that differ from the present files."""
    proposed = ProposedChanges()
    for path, new_text in answer.changes.items():
        try:
            change = FileChange.of(scope.root, path, new_text)
            if change.new_bytes != change.old_bytes:
                _check_change(change, answer, path, scope)
                proposed.possible[path] = change
        except ChangeRefused as refusal:
            proposed.refused[refusal.place] = refusal.reason
    return proposed


def _check_change(
    change: FileChange, answer: AskedAnswer, path: str, scope: QuestionScope
) -> None:
    """Raise `ChangeRefused` for a change that must not be made.

    That is so if the file is outside the writable folder, or if somebody has changed it
    since the scripts read it.
    """
    if not change.place.is_relative_to(scope.root / scope.writable_folder):
        reason = f"it is outside --write {scope.writable_folder or '.'}"
        raise ChangeRefused(change.place, reason)
    if _has_changed_since(change, answer, path):
        reason = "it was changed while the question was answered; ask again"
        raise ChangeRefused(change.place, reason)


def _has_changed_since(change: FileChange, answer: AskedAnswer, path: str) -> bool:
    """Return True if a file has changed since the scripts read it.

    If they changed it without reading it, return True if it has changed since the
    question was asked.
    """
    hash_read = answer.read.get(path)
    if hash_read:
        return sha256_of(change.old_file.text) != hash_read
    if not change.place.exists():
        return False
    changed_at_ms = change.place.stat().st_ctime * 1000
    return changed_at_ms > answer.summary.started_ms
