"""Adds calls that write, delete or move files to the evidence of a trial.

The gates compare these changes with the answer, which may say "I have saved the report":

    write("/report.md", ...)   -> Change("/report.md", "write")
    delete("/old.md")          -> Change("/old.md", "delete")
    move("/a.md", "/b.md")     -> Change("/a.md", "delete"), Change("/b.md", "write")

Each changed path is also remembered as the trial's *own*: what is read there later is the
script's text, and proves nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.evidence.log.reached_paths import learn_reached_file
from controlplane.agent.evidence.log.seen_workspace import SeenWorkspace
from controlplane.agent.evidence.log.trial_changes import TrialChanges
from controlplane.agent.evidence.texts.returned_call import ReturnedCall
from controlplane.gates.trial.changes import Change


@dataclass(frozen=True, slots=True)
class FileChanges:
    """Adds the calls of one trial that changed files."""

    workspace: SeenWorkspace
    """The paths and texts that calls have seen."""
    changes: TrialChanges
    """The changes in order."""

    def add_write(self, call: ReturnedCall) -> None:
        """Add a write of a file. An answer may cite its path as written."""
        path = learn_reached_file(self.workspace.known_paths, call)
        self.workspace.texts.add_written_text(path, call.arguments.written_text)
        self.changes.made.append(Change(path, "write"))

    def add_deletion(self, call: ReturnedCall) -> None:
        """Add a deletion of a file.

        An answer may cite its path: for texts that were read there before, or to say that the
        file is gone.
        """
        path = learn_reached_file(self.workspace.known_paths, call)
        self._delete(path)

    def add_move(self, call: ReturnedCall) -> None:
        """Add a move: a deletion, and a write of the target, whose text no call has returned."""
        path = learn_reached_file(self.workspace.known_paths, call)
        self._delete(path)
        target = call.target_path
        if not target:
            return
        self.workspace.texts.add_own_text(target, "")
        self.workspace.known_paths.learn_written(target)
        # In a moved folder, the trial's own files stay its own.
        self.workspace.known_paths.own.add_moved(path, target)
        self.changes.made.append(Change(target, "write"))

    def _delete(self, path: str) -> None:
        if not self._is_invented_row(path):
            self.workspace.accessed.add_action(path, "delete")
        self.workspace.known_paths.own.add(path)
        self.changes.made.append(Change(path, "delete"))

    def _is_invented_row(self, path: str) -> bool:
        """Return True if the trial wrote a file that has the name of a row: `/a.csv#row=7`.

        An answer that cites it would cite row 7 of `/a.csv`, which no call has read.
        """
        is_own = self.workspace.known_paths.is_own(path)
        return is_own and self.workspace.texts.looks_like_row(path)
