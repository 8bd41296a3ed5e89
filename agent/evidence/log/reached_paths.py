"""The path that a call has reached, which may not be the requested one.

A script reads `/Loans.md`, and the result says that this is the file `/docs/Loans.md`. An answer
has to cite the file by that path. The requested path is then its *alias*, and is remembered as one:

| requested | path in the result | reached |
|---|---|---|
| `/Loans.md` | `/docs/Loans.md` | `/docs/Loans.md`, and `/Loans.md` is an alias |
| `/fees.md` | none | `/fees.md` |
| the tool `/BIN/jq` | none, but listings show `/bin/jq` | `/bin/jq` |
"""

from __future__ import annotations

from controlplane.agent.evidence.paths.known_paths import KnownPaths
from controlplane.agent.evidence.texts.returned_call import ReturnedCall
from controlplane.gates.paths import canonical
from controlplane.sandbox.interface import bounds


def learn_reached_file(known_paths: KnownPaths, call: ReturnedCall) -> str:
    """Return the path of the file that a call has reached.

    Add the requested path as an alias if the result has another one. If the trial wrote the
    requested file, the reached one counts as written by it, too: its text proves nothing.
    """
    path = _learn_reached_path(known_paths, call)
    if known_paths.is_own(call.requested_path):
        known_paths.own.add(path)
    return path


def learn_reached_tool(known_paths: KnownPaths, call: ReturnedCall) -> str:
    """Return the path of the tool that a call ran, as listings spell it: `/bin/jq` for `/BIN/jq`.

    Add the requested path as an alias if the result has another one.
    """
    path = _learn_reached_path(known_paths, call)
    return known_paths.spelling_of(path)


def _learn_reached_path(known_paths: KnownPaths, call: ReturnedCall) -> str:
    """Return the path in a call's result; the requested one if there is none, or a very long one."""
    path = call.result.get("path")
    if not isinstance(path, str) or not path.startswith("/"):
        return call.requested_path
    if len(path) > bounds.MOST_PATH_CHARS:
        return call.requested_path
    reached_path = canonical(path)
    # This adds an alias if the two paths are different.
    known_paths.aliases.learn_file(call.requested_path, reached_path)
    return reached_path
