"""What is learnt about files from a call that has failed.

A write may time out although the environment has made it. If the script then reads the file, it
may read its own text, which proves nothing. So the file counts as the trial's *own*:

| failed call | its error | what is learnt |
|---|---|---|
| `read("/a.md")` | `not_found` | there is no `/a.md` |
| `write("/a.md", ...)` | `deadline_exceeded` | `/a.md` may be the trial's own |
| `move("/a.md", "/b.md")` | `deadline_exceeded` | `/a.md` and `/b.md` may be the trial's own |
| `exec("/bin/odd")` | `deadline_exceeded` | files may have appeared that were missing |
"""

from __future__ import annotations

from typing import Final

from controlplane.agent.evidence.paths.known_paths import KnownPaths
from controlplane.agent.evidence.texts.returned_call import ReturnedCall
from controlplane.agent.failure_codes import failure_of
from controlplane.sandbox.interface import Effect, error_codes

_EFFECTS_ON_FILES: Final = (Effect.WRITES, Effect.DELETES, Effect.MOVES)


def learn_from_failure(
    known_paths: KnownPaths, call: ReturnedCall, code: str, *, may_change: bool
) -> None:
    """Learn from a call that failed with an error code.

    `may_change` is true if the call would change something, or may do so.
    """
    path = call.requested_path
    if code == error_codes.NOT_FOUND and path:
        known_paths.files.learn_missing(path)

    may_have_changed = may_change and failure_of(code).in_doubt
    if not may_have_changed:
        return
    known_paths.files.forget_missing()
    if call.declared.effect in _EFFECTS_ON_FILES:
        known_paths.own.add(path)
    if call.target_path:
        known_paths.own.add_moved(path, call.target_path)
