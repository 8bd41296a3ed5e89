"""Keeps the evidence of a trial as the gates see it, until a script or a call adds something.

To collect it takes long, and each citation and each answer is compared with it:

    view()         collects it
    view()         returns the same object
    invalidate()   is called before something is added, such as the text of a read file
    view()         collects it again, with this text
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import chain

from controlplane.agent.evidence.log.evidence_parts import EvidenceParts
from controlplane.agent.evidence.paths.accessed_paths import AccessedPaths
from controlplane.gates.evidence import Evidence
from controlplane.gates.paths import spelling_key
from controlplane.gates.trial import Access

# The paths of a trial's calls, as they are given to the gates (the rules for answers).
#
# A file may have several paths: a script has read `/Loans.md`, and got the file `/docs/Loans.md`. An
# answer has to cite the latter. The function `path_to_cite`, which is passed to this module, returns
# it for both paths. Then the gates get:
#
#     collected_accesses(...)     {"/docs/Loans.md": Access(read, with its text)}
#     cited_path_by_alias(...)    {"/Loans.md": "/docs/Loans.md"}
#     paths_by_spelling(...)      {"/docs/loans.md": ("/docs/Loans.md",)}


def _collected_accesses(
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


def _cited_path_by_alias(
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


# Puts the evidence of a trial together for the gates, the rules that each answer must pass.
#
# A script has listed `/docs`, which has `Fees.md` and `Loans.md`, and has called `read("/Fees.md")`,
# which has reached `/docs/Fees.md`. The gates get:
#
#     Evidence(
#         # An answer may cite this file, for the text that the call has read.
#         accesses={"/docs/Fees.md": Access(..., actions={"read"}, seen=(SeenText("fee: 7"),))},
#         # An answer that cites `/Fees.md` is told the listed path.
#         aliases={"/Fees.md": "/docs/Fees.md"},
#         # An answer may spell the path in any case.
#         paths_by_spelling={"/docs/fees.md": ("/docs/Fees.md",), ...},
#         # An answer cites files, and not this folder.
#         folders={"/docs"},
#         # Nothing was changed, so an answer may not say so.
#         changes=(),
#     )


def _collected_evidence(parts: EvidenceParts) -> Evidence:
    """Return the evidence so far. Each file is at the path by which an answer has to cite it."""
    accessed = parts.workspace.accessed  # what calls did at each path
    aliases = parts.workspace.known_paths.aliases
    listings = parts.workspace.known_paths.listings

    path_to_cite = aliases.path_to_cite
    accesses = _collected_accesses(accessed, path_to_cite)
    used_paths = chain(aliases.file_of_alias, accessed)
    return Evidence(
        has_trace=True,  # All calls of the trial are known, since they were added here.
        # The files
        accesses=accesses,
        aliases=_cited_path_by_alias(used_paths, path_to_cite),
        paths_by_spelling=paths_by_spelling(listings.paths.by_key, accesses),
        folders=frozenset(listings.folders.paths),
        quotations=parts.quotations.by_path(),
        # The changes
        changes=parts.changes.at_cited_paths(path_to_cite),
        unclear_tools=tuple(map(path_to_cite, parts.changes.unclear_tools)),
        has_failures=parts.environment_has_failed,
        # Where else the values of an answer may come from
        function_results=tuple(parts.function_results.values),
        script_runs=tuple(parts.scripts.runs),
    )


@dataclass(slots=True)
class EvidenceCollector:
    """Collects the evidence of one trial when it is needed."""

    parts: EvidenceParts
    """What scripts and calls have added so far."""
    _collected: Evidence | None = None
    """The evidence as it was collected last. None if something was added since."""

    def view(self) -> Evidence:
        """Return the evidence so far. Later calls do not change the returned object."""
        if self._collected is None:
            self._collected = _collected_evidence(self.parts)
        return self._collected

    def invalidate(self) -> None:
        """Drop the collected evidence, because something is added to the parts."""
        self._collected = None
