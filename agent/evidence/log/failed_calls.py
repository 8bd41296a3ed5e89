"""Learns from calls that failed.

They have returned no text, so an answer cannot cite them. But a failure shows something: that
`/a.md` does not exist, that the environment does not work, or, after a write that
timed out, that the file may have changed all the same.
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.evidence.log.evidence_parts import EvidenceParts
from controlplane.agent.evidence.log.file_changes import FileChanges
from controlplane.agent.evidence.texts.call_text import ReturnedCall
from controlplane.agent.failure_codes import failure_of
from controlplane.sandbox.interface import CallError, error_codes


@dataclass(frozen=True, slots=True)
class FailedCalls:
    """Learns from the failed calls of one trial.

    If `read("/a.md")` fails with the code "not found", there is no such file.
    """

    parts: EvidenceParts
    """The evidence so far, to which this class adds."""
    file_changes: FileChanges
    """Adds a change that a call may have made although it failed."""

    def add(self, call: ReturnedCall, error: CallError, *, may_change: bool) -> None:
        """Learn from a call that failed with an error.

        `may_change` is true for a call that may change something.
        """
        failure = failure_of(error.code)
        if failure.is_environment_fault:
            self.parts.environment_has_failed = True
        path = call.requested_path
        if error.code == error_codes.NOT_FOUND and path:
            self.parts.workspace.known_paths.learn_missing(path)
        if failure.in_doubt and may_change:  # After a timeout, it may have happened.
            self.file_changes.add_possible_change(call)
