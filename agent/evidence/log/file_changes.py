"""Adds calls that write, delete or move files to the evidence of a trial.

An answer may cite a file for what a call has read there. If a script writes a file and
reads it back, the text proves nothing: it is the script's *own*. Such a file can only
be cited as one that was written: "I have saved the report in `/report.md`".
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.evidence.log.seen_workspace import SeenWorkspace
from controlplane.agent.evidence.log.trial_changes import TrialChanges
from controlplane.agent.evidence.texts.call_text import ReturnedCall
from controlplane.gates.paths import canonical
from controlplane.gates.trial.changes import Change
from controlplane.sandbox.interface import Effect


@dataclass(frozen=True, slots=True)
class FileChanges:
    """Adds the calls of one trial that changed files.

    A change is kept in three places. After `write("/report.md", ...)`

    - `workspace.texts` and `workspace.accessed` have the path: an answer may cite it, as one
      that was written or deleted,
    - `workspace.known_paths.own` has it: the path is the trial's *own*. What is read there
      later is the script's text, and proves nothing,
    - `changes` has it, for the gates: an answer may say “I have saved the report”.
    """

    workspace: SeenWorkspace
    """The paths and texts that calls have seen."""
    changes: TrialChanges
    """The changes in order: `Change("/report.md", "write")`."""

    def add_write(self, call: ReturnedCall) -> None:
        """Add a write: the path becomes citable as written, and the trial's own."""
        path = self.workspace.learn_reached_path(call)
        self.workspace.texts.add_written_text(path, call.arguments.written_text)
        self.changes.made.append(Change(path, "write"))

    def add_deletion(self, call: ReturnedCall) -> None:
        """Add a deletion or a move. The path becomes citable: an answer may say that it is gone.

        Texts that were read there before stay citable.
        """
        path = self.workspace.learn_reached_path(call)
        if not self._is_invented_row(path):
            self.workspace.accessed.add_action(path, "delete")
        # If there is a text at the path later, a script has written it.
        self.workspace.known_paths.own.add(path)
        self.changes.made.append(Change(path, "delete"))
        if call.declared.target:
            self._add_move(path, _target_of(call))

    def _is_invented_row(self, path: str) -> bool:
        """Return True for a path such as `/a.csv#row=7` if only the trial has used it.

        Citations name a row of a table like this. A script could write a file with the name
        and delete it. If an answer could then cite the path, it would cite row 7 of `/a.csv`,
        which no call has read.
        """
        looks_like_row = self.workspace.texts.looks_like_row(path)
        return looks_like_row and self.workspace.known_paths.is_own(path)

    def _add_move(self, path: str, target: str) -> None:
        """Add the second half of a move: the write of its target, a name that the script chose."""
        # An answer may cite the target. Its text is not known, since no call has returned it.
        self.workspace.texts.add_own_text(target, "")
        # The target exists from now on. It is the trial's own, as are the script's files in it.
        self.workspace.known_paths.learn_written(target)
        self.workspace.known_paths.own.add_moved(path, target)
        self.changes.made.append(Change(target, "write"))

    def add_possible_change(self, call: ReturnedCall) -> None:
        """Add a failed call that may have changed something, such as one that timed out.

        A file that the call may have written or moved counts as the trial's own, so its text
        is not evidence.
        """
        known_paths = self.workspace.known_paths
        known_paths.forget_missing_files()  # Files may have appeared anywhere.
        path = call.requested_path
        if call.declared.effect in (Effect.WRITES, Effect.DELETES, Effect.MOVES):
            known_paths.own.add(path)
        # `target` names the argument with the new path of a move. It is empty for other calls.
        if call.declared.target in call.arguments.values:
            known_paths.own.add_moved(path, _target_of(call))


def _target_of(call: ReturnedCall) -> str:
    """Return the path to which a call moves a file."""
    return canonical(str(call.arguments.values[call.declared.target]))
