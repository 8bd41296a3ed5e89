"""Adds calls that write, delete or move files to the evidence of a trial.

The gates compare these changes with the answer, which may say "I have saved the report":

    write("/report.md", ...)   -> Change("/report.md", "write")
    delete("/old.md")          -> Change("/old.md", "delete")
    move("/a.md", "/b.md")     -> Change("/a.md", "delete"), Change("/b.md", "write")

The workspace also remembers each changed path: what is read there later is the script's own
text, and proves nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.evidence.log.seen_workspace import SeenWorkspace
from controlplane.agent.evidence.log.trial_changes import TrialChanges
from controlplane.agent.evidence.texts.returned_call import ReturnedCall
from controlplane.gates.paths import canonical
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
        path = self.workspace.learn_reached_path(call)
        self.workspace.texts.add_written_text(path, call.arguments.written_text)
        self.changes.made.append(Change(path, "write"))

    def add_deletion(self, call: ReturnedCall) -> None:
        """Add a deletion or a move. A move also writes its target."""
        path = self.workspace.learn_reached_path(call)
        self.workspace.learn_deleted(path)
        self.changes.made.append(Change(path, "delete"))
        if call.declared.target:
            target = _target_of(call)
            self.workspace.learn_moved(path, target)
            self.changes.made.append(Change(target, "write"))

    def add_possible_change(self, call: ReturnedCall) -> None:
        """Add a failed call that may have changed something, such as one that timed out.

        It is not among the changes, as it is not known to be one.
        """
        target = None
        if call.declared.target in call.arguments.values:
            target = _target_of(call)
        self.workspace.learn_possible_change(call, target)


def _target_of(call: ReturnedCall) -> str:
    """Return the path to which a call moves a file.

    The declaration names the argument that has it: `to` of `move(path="/a.md", to="/b.md")`.
    """
    return canonical(str(call.arguments.values[call.declared.target]))
