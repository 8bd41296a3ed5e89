"""Adds calls that write, delete or move files to the evidence of a trial.

The gates compare these changes with the answer, which may say "I have saved the report":

    write("/report.md", ...)   -> Change("/report.md", "write")
    delete("/old.md")          -> Change("/old.md", "delete")
    move("/a.md", "/b.md")     -> Change("/a.md", "delete"), Change("/b.md", "write")
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
    """Adds the calls of one trial that changed files. Each method returns notes for the model.

    There is a note if the path of the call is an alias: an answer cites the file by another one.
    """

    workspace: SeenWorkspace
    """The paths and texts that calls have seen. Knows which files the trial changed."""
    changes: TrialChanges
    """The changes in order."""

    def add_write(self, call: ReturnedCall) -> tuple[str, ...]:
        """Add a write of a file. An answer may cite its path as written."""
        path = learn_reached_file(self.workspace.known_paths, call)
        self.workspace.changed_files.write(path, call.arguments.written_text)
        self.changes.made.append(Change(path, "write"))
        return self.workspace.cited_paths.alias_notes([call.requested_path])

    def add_deletion(self, call: ReturnedCall) -> tuple[str, ...]:
        """Add a deletion of a file.

        An answer may cite its path: for texts that were read there before, or to say that the
        file is gone.
        """
        path = learn_reached_file(self.workspace.known_paths, call)
        self.workspace.changed_files.delete(path)
        self.changes.made.append(Change(path, "delete"))
        return self.workspace.cited_paths.alias_notes([call.requested_path])

    def add_move(self, call: ReturnedCall) -> tuple[str, ...]:
        """Add a move: a deletion, and a write of the target. Without a target, only a deletion."""
        target = call.target_path
        if not target:
            return self.add_deletion(call)
        path = learn_reached_file(self.workspace.known_paths, call)
        self.workspace.changed_files.move(path, target)
        self.changes.made += [Change(path, "delete"), Change(target, "write")]
        return self.workspace.cited_paths.alias_notes([call.requested_path])
