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
        """Add a deletion, or a move, which also writes its target.

        An answer may cite a deleted path: for texts that were read there before, or to say that
        the file is gone.
        """
        path = learn_reached_file(self.workspace.known_paths, call)
        # A script could write and delete a file with the name `/a.csv#row=7`. An answer that cites
        # it would cite row 7 of `/a.csv`, which no call has read.
        is_own = self.workspace.known_paths.is_own(path)
        is_invented_row = is_own and self.workspace.texts.looks_like_row(path)
        if not is_invented_row:
            self.workspace.accessed.add_action(path, "delete")
        self.workspace.known_paths.own.add(path)
        self.changes.made.append(Change(path, "delete"))
        if call.target_path:
            self._add_move(path, call.target_path)

    def _add_move(self, path: str, target: str) -> None:
        """Add the target of a move, as written. Its text is not known: no call has returned it."""
        self.workspace.texts.add_own_text(target, "")
        self.workspace.known_paths.learn_written(target)
        # In a moved folder, the trial's own files stay its own.
        self.workspace.known_paths.own.add_moved(path, target)
        self.changes.made.append(Change(target, "write"))
