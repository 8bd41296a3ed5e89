"""Adds a call that failed to the evidence: it returns nothing, but may show or change something.

A write may time out although the environment has made it. If the script then reads the file, it
may read its own text, which proves nothing. So the file counts as the trial's *own*:

| failed call | its error | what is learnt |
|---|---|---|
| any | `unavailable`, a lost connection | the environment has failed |
| `read("/a.md")` | `not_found` | there is no `/a.md` |
| `write("/a.md", ...)` | `deadline_exceeded` | `/a.md` may be the trial's own |
| `move("/a.md", "/b.md")` | `deadline_exceeded` | `/a.md` and `/b.md` may be the trial's own |
"""

from __future__ import annotations

from typing import Final

from controlplane.agent.evidence.log.evidence_parts import EvidenceParts
from controlplane.agent.evidence.texts.returned_call import ReturnedCall
from controlplane.agent.failure_codes import failure_of
from controlplane.sandbox.interface import CallError, Effect, error_codes

_EFFECTS_ON_FILES: Final = (Effect.WRITES, Effect.DELETES, Effect.MOVES)


def add_failed_call(
    parts: EvidenceParts, call: ReturnedCall, error: CallError, *, may_change: bool
) -> None:
    """Add a call that failed to `parts`, the evidence so far. An answer cannot cite the call.

    `may_change` is true if the call would change something, or may do so.
    """
    path = call.requested_path
    known_paths = parts.workspace.known_paths
    failure = failure_of(error.code)
    if failure.is_environment_fault:
        parts.environment_has_failed = True
    if error.code == error_codes.NOT_FOUND and path:
        known_paths.files.learn_missing(path)

    # `in_doubt`: the environment may have done what was asked before it failed.
    if not failure.in_doubt or not may_change:
        return
    known_paths.files.forget_missing()  # Files may have appeared anywhere.
    if call.declared.effect in _EFFECTS_ON_FILES:
        known_paths.own.add(path)
    if call.target_path:
        known_paths.own.add_moved(path, call.target_path)
