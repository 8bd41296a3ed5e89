"""Puts the evidence of a trial together for the gates, the rules that each answer must pass.

A script has listed `/docs`, which has `Fees.md` and `Loans.md`, and has called `read("/Fees.md")`,
which has reached `/docs/Fees.md`. The gates get:

    Evidence(
        # An answer may cite this file, for the text that the call has read.
        accesses={"/docs/Fees.md": Access(..., actions={"read"}, seen=(SeenText("fee: 7"),))},
        # An answer that cites `/Fees.md` is told the listed path.
        aliases={"/Fees.md": "/docs/Fees.md"},
        # An answer may spell the path in any case.
        paths_by_spelling={"/docs/fees.md": ("/docs/Fees.md",), ...},
        # An answer cites files, and not this folder.
        folders={"/docs"},
        # Nothing was changed, so an answer may not say so.
        changes=(),
    )
"""

from __future__ import annotations

from itertools import chain

from controlplane.agent.evidence.log.evidence_parts import EvidenceParts
from controlplane.agent.evidence.paths.collected_paths import (
    cited_path_by_alias,
    collected_accesses,
    paths_by_spelling,
)
from controlplane.gates.evidence import Evidence


def collected_evidence(parts: EvidenceParts) -> Evidence:
    """Return the evidence so far. Each file is at the path by which an answer has to cite it."""
    accessed = parts.workspace.accessed  # what calls did at each path
    aliases = parts.workspace.known_paths.aliases
    listings = parts.workspace.known_paths.listings

    path_to_cite = aliases.path_to_cite
    accesses = collected_accesses(accessed, path_to_cite)
    used_paths = chain(aliases.file_of_alias, accessed)
    return Evidence(
        has_trace=True,  # All calls of the trial are known, since they were added here.
        # The files
        accesses=accesses,
        aliases=cited_path_by_alias(used_paths, path_to_cite),
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
