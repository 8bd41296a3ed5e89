"""Records the calls that write, delete or move files.

Text that the script wrote is its *own*: it is not evidence.
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.evidence.log.reached_path import learn_reached_path
from controlplane.agent.evidence.log.trial_changes import TrialChanges
from controlplane.agent.evidence.paths.accessed_paths import AccessedPaths
from controlplane.agent.evidence.paths.known_paths import KnownPaths
from controlplane.agent.evidence.paths.path_texts import PathTexts
from controlplane.agent.evidence.texts.call_text import ReturnedCall
from controlplane.gates.paths import canonical
from controlplane.gates.trial.changes import Change
from controlplane.sandbox.interface import Effect


@dataclass(frozen=True, slots=True)
class FileChanges:
    """Records which files the calls of one trial changed."""

    known_paths: KnownPaths
    accessed: AccessedPaths
    texts: PathTexts
    changes: TrialChanges

    def add_write(self, call: ReturnedCall) -> None:
        """Record a write. Its path becomes citable as written, but not as read."""
        path = learn_reached_path(call, self.known_paths)
        self.texts.add_written_text(path, call.arguments.written_text())
        self.changes.made.append(Change(path, "write"))

    def add_deletion(self, call: ReturnedCall) -> None:
        """Record a deletion or a move. Texts that were read at the path before stay citable."""
        path = learn_reached_path(call, self.known_paths)
        # `/a.csv#row=7` also means a row of `/a.csv`. If the script wrote a file of this
        # name, deleting it must not make the row citable.
        is_own_row = self.known_paths.is_own(path) and self.texts.looks_like_row(path)
        if not is_own_row:
            self.accessed.add_action(path, "delete")
        # Text that is at the path from now on is the trial's own.
        self.known_paths.own.add(path)
        self.changes.made.append(Change(path, "delete"))
        if call.declared.target:
            self._add_move(path, _target_of(call))

    def _add_move(self, path: str, target: str) -> None:
        """Record a move as a write of its target: the script chose the name."""
        self.texts.add_own_text(target, "")  # No call has read the text at the target.
        self.known_paths.learn_written(target)
        self.known_paths.own.add_moved(path, target)
        self.changes.made.append(Change(target, "write"))

    def add_possible_change(self, call: ReturnedCall) -> None:
        """Record a failed call that may have changed something, such as one that timed out.

        Files may have appeared anywhere. A file that the call may have written or moved
        counts as the trial's own, so its text is not evidence.
        """
        self.known_paths.forget_missing_files()
        path = call.requested_path
        if call.declared.effect in (Effect.WRITES, Effect.DELETES, Effect.MOVES):
            self.known_paths.own.add(path)
        if call.declared.target in call.arguments.values:
            self.known_paths.own.add_moved(path, _target_of(call))


def _target_of(call: ReturnedCall) -> str:
    """Return the path to which a call moves a file."""
    return canonical(str(call.arguments.values[call.declared.target]))
