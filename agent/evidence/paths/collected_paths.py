"""The paths of a trial's calls, as they are given to the gates (the rules for answers).

A file may have several paths: a script has read `/Loans.md`, and got the file `/docs/Loans.md`. An
answer has to cite the latter. The function `path_to_cite`, which is passed to this module, returns
it for both paths. Then the gates get:

    collected_accesses(...)     {"/docs/Loans.md": Access(read, with its text)}
    cited_path_by_alias(...)    {"/Loans.md": "/docs/Loans.md"}
    paths_by_spelling(...)      {"/docs/loans.md": ("/docs/Loans.md",)}
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from controlplane.agent.evidence.paths.accessed_paths import AccessedPaths
from controlplane.gates.paths import spelling_key
from controlplane.gates.trial.accesses import Access


def collected_accesses(
    accessed_paths: AccessedPaths, path_to_cite: Callable[[str], str]
) -> dict[str, Access]:
    """Return what calls did at each file, by the path to cite."""
    accesses: dict[str, Access] = {}
    for path, accessed in accessed_paths.items():
        cited_path = path_to_cite(path)
        actions = frozenset(accessed.actions)
        seen = tuple(accessed.texts)
        if cited_path in accesses:  # The file was reached by another path, too.
            actions |= accesses[cited_path].actions
            seen = accesses[cited_path].seen + seen
        accesses[cited_path] = Access(cited_path, actions, seen)
    return accesses


def cited_path_by_alias(
    paths: Iterable[str], path_to_cite: Callable[[str], str]
) -> dict[str, str]:
    """Return the path to cite for each of these paths that is cited by another one."""
    cited_paths: dict[str, str] = {}
    for path in paths:
        cited_path = path_to_cite(path)
        if cited_path != path:
            cited_paths[path] = cited_path
    return cited_paths


def paths_by_spelling(
    listed_paths: Mapping[str, tuple[str, ...]], cited_paths: Iterable[str]
) -> dict[str, tuple[str, ...]]:
    """Return all known paths by their key, which all spellings share: `/a.md` for `/A.md`.

    `listed_paths` has those of listings by their keys already; `cited_paths` are added to them.
    """
    paths_by_key = dict(listed_paths)
    for path in cited_paths:
        key = spelling_key(path)
        spellings = paths_by_key.get(key, ())
        if path not in spellings:
            paths_by_key[key] = (*spellings, path)
    return paths_by_key
