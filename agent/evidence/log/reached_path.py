"""Learns which file a call has reached.

A script may read `/Loans.md`, and the environment returns the file `/docs/Loans.md`. Its result
then has the path that was reached, in the field `path`.
"""

from __future__ import annotations

from controlplane.agent.evidence.paths.known_paths import KnownPaths
from controlplane.agent.evidence.texts.call_text import ReturnedCall


def learn_reached_path(call: ReturnedCall, known_paths: KnownPaths) -> str:
    """Return the path that a call reached: the one in its result, or else the requested one.

    If the trial wrote the requested path, the reached path is its own, too.
    """
    requested_path = call.requested_path
    path = known_paths.aliases.learn_result_path(
        requested_path, call.result.get("path")
    )
    if known_paths.is_own(requested_path):
        known_paths.own.add(path)
    return path
