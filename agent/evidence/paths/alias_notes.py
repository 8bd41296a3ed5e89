"""Tells the model which of the paths that it has used are aliases of a file.

A call for `/Loans.md` may reach the file that listings show as `/docs/Loans.md`. An answer has to
cite the file by the listed path, so the model is told after the call:

    alias_notes(["/Loans.md", "/docs/fees.md"], aliases)
        -> ("`/Loans.md` is `/docs/Loans.md`: cite it by that path.",)
"""

from __future__ import annotations

from collections.abc import Iterable

from controlplane.agent.evidence.paths.path_aliases import PathAliases
from controlplane.gates.quoting import quote


def alias_notes(used_paths: Iterable[str], aliases: PathAliases) -> tuple[str, ...]:
    """Return a note for each used path that is an alias: it must be cited by another path."""
    notes: list[str] = []
    for path in used_paths:
        cited_path = aliases.path_to_cite(path)
        if cited_path != path:
            notes.append(f"{quote(path)} is {quote(cited_path)}: cite it by that path.")
    return tuple(notes)
