"""Puts the evidence of a trial together for the gates, the rules that each answer must pass.

A script has listed `/docs`, which has `Fees.md` and `Loans.md`, and has called `read("/Fees.md")`,
which has reached `/docs/Fees.md`. The gates see:

| field | value | so an answer |
|---|---|---|
| `accesses` | `{"/docs/Fees.md": read, "Late return: 7 EUR"}` | may cite this file for the 7 EUR |
| `aliases` | `{"/Fees.md": "/docs/Fees.md"}` | has to cite it by its listed path |
| `paths_by_spelling` | `/docs/fees.md`, `/docs/loans.md`: their paths | may spell them in any case |
| `folders` | `{"/docs"}` | may not cite this path |
| `changes` | `()` | may not say that something was changed |
"""

from __future__ import annotations

from controlplane.agent.evidence.log.evidence_parts import EvidenceParts
from controlplane.agent.evidence.paths.collected_paths import CollectedPaths
from controlplane.gates.evidence import Evidence


def collected_evidence(parts: EvidenceParts) -> Evidence:
    """Return the evidence so far. Each file is at the path by which an answer has to cite it."""
    workspace = parts.workspace
    path_to_cite = workspace.cited_paths.path_to_cite  # `/Fees.md` -> `/docs/Fees.md`
    paths = CollectedPaths(workspace.accessed, workspace.known_paths)
    accesses = paths.accesses()
    unclear_tools = [path_to_cite(path) for path in parts.changes.unclear_tools]
    return Evidence(
        has_trace=True,  # All calls of the trial are known.
        # The files
        accesses=accesses,
        aliases=paths.cited_path_by_alias(),
        paths_by_spelling=paths.paths_by_spelling(accesses),
        folders=paths.folders(),
        quotations=parts.quotations.by_path(),
        # The changes, and the tools of which it is unknown whether they changed something
        changes=parts.changes.at_cited_paths(path_to_cite),
        unclear_tools=tuple(unclear_tools),
        has_failures=parts.environment_has_failed,
        # Where the values of an answer may come from
        function_results=tuple(parts.function_results.values),
        script_runs=tuple(parts.scripts.runs),
    )
