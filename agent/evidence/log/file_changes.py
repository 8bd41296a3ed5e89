"""Adds calls that write, delete or move files to the evidence of a trial.

The gates compare these changes with the answer, which may say "I have saved the report":

    write("/report.md", ...)   -> Change("/report.md", "write")
    delete("/old.md")          -> Change("/old.md", "delete")
    move("/a.md", "/b.md")     -> Change("/a.md", "delete"), Change("/b.md", "write")
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.evidence.log.reached_paths import learn_reached_file
from controlplane.agent.evidence.paths.changed_files import ChangedFiles
from controlplane.agent.evidence.paths.known_paths import KnownPaths
from controlplane.agent.evidence.texts.returned_call import ReturnedCall
from controlplane.gates.trial.changes import Change
from controlplane.sandbox.interface import Effect


@dataclass(frozen=True, slots=True)
class FileChanges:
    """Adds the calls of one trial that changed files."""

    known_paths: KnownPaths
    """Learns which paths lead to the same file."""
    changed_files: ChangedFiles
    """Remembers these files: what is read there from now on may be the script's own text."""
    changes: list[Change]
    """All changes of the trial, in order."""

    def add(self, call: ReturnedCall) -> list[str]:
        """Add a change of a file. Return the path by which the call has asked."""
        path = learn_reached_file(self.known_paths, call)
        target = call.target_path
        if call.declared.effect is Effect.WRITES:
            self.changed_files.write(path, call.arguments.written_text)
            self.changes.append(Change(path, "write"))
        elif call.declared.effect is Effect.MOVES and target:
            self.changed_files.move(path, target)
            self.changes.append(Change(path, "delete"))
            self.changes.append(Change(target, "write"))
        else:  # A move without a target is a deletion, too.
            self.changed_files.delete(path)
            self.changes.append(Change(path, "delete"))
        return [call.requested_path]
