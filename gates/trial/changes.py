"""The changes that a trial made to the world, and which of them it undid later.

    write /new.md, delete /new.md              undoes both: the file is gone again
    read /a.md, write /a.md, write it again    undoes both if the last text is the first one

An answer need not report changes that were undone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from controlplane.gates.records import parse
from controlplane.gates.trial.accesses import Access

ChangingAction: TypeAlias = Literal["write", "delete", "execute"]


@dataclass(frozen=True, slots=True)
class Change:
    """One change to the world that the trace shows."""

    path: str
    """The changed file `/a.md`, the tool that ran `/bin/restart`, or the operation `mail.send`."""
    action: ChangingAction
    result_path: str = ""
    """The path at which the result of an operation can be cited, such as `/calls/send/2c1f`."""
    is_optional: bool = False
    """True if it is unknown whether a tool changed anything. `changes` may then leave it out."""


@dataclass(frozen=True, slots=True)
class FileHistory:
    """What a trial did to one file: the changes in order, and the texts that it saw there."""

    actions: Sequence[ChangingAction]
    access: Access

    @property
    def is_undone(self) -> bool:
        """True if all changes together have left the file as it was before the first one."""
        # There is no file, so there must have been none.
        if self.actions[-1] == "delete":
            return self._was_created
        return self._has_first_text_again

    @property
    def _was_created(self) -> bool:
        """True if the trial created the file: it wrote it first, and saw no older text."""
        is_first_write = self.actions[0] == "write"
        return is_first_write and not self.access.had_text_before_writing

    @property
    def _has_first_text_again(self) -> bool:
        """True if the trial read the whole file, and in the end wrote the same content again."""
        if not self.access.had_text_before_writing:
            return False
        first = self.access.seen[0]
        last_written = self._last_written_text
        if last_written is None or not first.shows_whole_file:
            return False
        return have_same_content(first.text, last_written, self.access.path)

    @property
    def _last_written_text(self) -> str | None:
        """The last whole text that the script wrote into the file; None if there is none."""
        for seen in reversed(self.access.seen):
            is_of_script = not seen.is_proof
            if is_of_script and seen.shows_whole_file:
                return seen.text
        return None


def have_same_content(first: str, second: str, path: str) -> bool:
    """Return True if two texts of the file at `path` are equal, except for blanks at their ends.

    Two records, such as JSON files, are equal if they have the same values in any layout.
    """
    first = first.strip()
    second = second.strip()
    if first == second:
        return True
    values = parse(first, path)
    is_record = values != ()
    return is_record and values == parse(second, path)


def undone_changes(
    changes: Sequence[Change], accesses: Mapping[str, Access]
) -> frozenset[Change]:
    """Return the changes that are undone in the end: a write of a new file, and its deletion.

    `accesses` has what the trial saw at each path. What a tool or an operation did
    (`execute`) is never undone, because nothing shows how to undo it.
    """
    actions_by_path: dict[str, list[ChangingAction]] = {}
    for change in changes:
        actions_by_path.setdefault(change.path, []).append(change.action)

    undone: set[Change] = set()
    for change in changes:
        access = accesses.get(change.path)
        if access is None or change.action == "execute":
            continue
        if FileHistory(actions_by_path[change.path], access).is_undone:
            undone.add(change)
    return frozenset(undone)
