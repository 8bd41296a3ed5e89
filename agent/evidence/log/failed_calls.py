"""Adds calls that failed to the evidence: they return nothing, but may show or change something.

A write may time out although the environment has made it. If the script then reads the file, it
may read its own text, which proves nothing. So the file counts as the trial's *own*:

| error of the call | what is learnt |
|---|---|
| `unavailable`, a lost connection | the environment has failed |
| `not_found` of `read("/a.md")` | there is no `/a.md` |
| `deadline_exceeded` of `write("/a.md", ...)` | `/a.md` may be the trial's own |
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.evidence.log.evidence_parts import EvidenceParts
from controlplane.agent.evidence.texts.returned_call import ReturnedCall
from controlplane.agent.failure_codes import failure_of
from controlplane.sandbox.interface import CallError, Effect, error_codes


@dataclass(frozen=True, slots=True)
class FailedCalls:
    """Adds the calls of one trial that failed. An answer cannot cite them."""

    parts: EvidenceParts
    """The evidence so far."""

    def add(self, call: ReturnedCall, error: CallError, *, may_change: bool) -> None:
        """Add a failed call. `may_change`: the call would change something, or may do so."""
        failure = failure_of(error.code)
        if failure.is_environment_fault:
            self.parts.environment_has_failed = True
        is_not_found = error.code == error_codes.NOT_FOUND
        if is_not_found and call.requested_path:
            self.parts.workspace.known_paths.files.learn_missing(call.requested_path)
        # `in_doubt`: the environment may have done what was asked before it failed.
        if failure.in_doubt and may_change:
            self._add_possible_change(call)

    def _add_possible_change(self, call: ReturnedCall) -> None:
        """Learn which files a call may have changed. It is not among the trial's changes.

        If the call is a move, its target may be the trial's own, too.
        """
        known_paths = self.parts.workspace.known_paths
        known_paths.files.forget_missing()  # Files may have appeared anywhere.
        path = call.requested_path
        if call.declared.effect in (Effect.WRITES, Effect.DELETES, Effect.MOVES):
            known_paths.own.add(path)
        if call.target_path:
            known_paths.own.add_moved(path, call.target_path)
