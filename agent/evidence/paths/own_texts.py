"""Adds texts of a trial's own script, each at the path of its file. They prove nothing.

A script could write a file of the name `/a.csv#row=7`. An answer that cites it would seem to cite
row 7 of `/a.csv`. So the text of such a file is not added, unless a call has reached the path before:
then the environment has a file of this name.

    add_own_text(accessed, "/note.md", "fee: 8")       /note.md: written, with SeenText("fee: 8", OWN)
    add_own_text(accessed, "/a.csv#row=7", "fee: 8")   nothing
"""

from __future__ import annotations

from controlplane.agent.evidence.paths.accessed_paths import AccessedPaths
from controlplane.gates.trial.seen_text import SeenText
from controlplane.gates.trial.text_kind import TextKind


def add_own_text(
    accessed: AccessedPaths, path: str, text: str, kind: TextKind = TextKind.OWN
) -> None:
    """Add a text that the script has written to a file, as its call or a later read shows.

    `accessed` has what calls did at each path. `kind` is `OWN` or `OWN_EXCERPT`.
    """
    if not looks_like_row(path, accessed):
        accessed.add_action(path, "write", SeenText(text, kind))


def looks_like_row(path: str, accessed: AccessedPaths) -> bool:
    """Return True for a new path such as `/a.csv#row=7`: no call has reached it yet."""
    return "#" in path and path not in accessed
