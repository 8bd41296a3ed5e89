"""The evidence of a trial as the gates see it, collected when it is needed.

The gates, the rules that each answer must pass, get one object. A script has called
`read("/Fees.md")`, and listings show this file as `/docs/Fees.md`. Then the object has:

    accesses            {"/docs/Fees.md": read, with the text "Late return: 7 EUR"}
    aliases             {"/Fees.md": "/docs/Fees.md"}, another path of the file
    paths_by_spelling   {"/docs/fees.md": ("/docs/Fees.md",)}, all known paths, found in any case
    changes             ()
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.evidence.log.evidence_parts import EvidenceParts
from controlplane.agent.evidence.paths.collected_paths import CollectedPaths
from controlplane.gates.evidence import Evidence


@dataclass(slots=True)
class EvidenceCollector:
    """Collects the evidence of one trial from its parts, and caches it until they change."""

    parts: EvidenceParts
    """What scripts and calls have added so far."""
    _collected: Evidence | None = None
    """The cache: the evidence as it was collected last. None if something was added since."""

    def view(self) -> Evidence:
        """Return the evidence so far. Later calls do not change the returned object."""
        if self._collected is None:
            self._collected = _collect(self.parts)
        return self._collected

    def invalidate(self) -> None:
        """Drop the cached evidence, because something is added to the parts."""
        self._collected = None


def _collect(parts: EvidenceParts) -> Evidence:
    """Return the evidence so far. Each file is at the path by which an answer has to cite it."""
    workspace = parts.workspace
    path_to_cite = workspace.cited_paths.path_to_cite  # `/Fees.md` -> `/docs/Fees.md`
    paths = CollectedPaths(workspace.accessed, workspace.known_paths)
    accesses = paths.accesses()
    unclear_tools = [path_to_cite(path) for path in parts.changes.unclear_tools]
    return Evidence(
        has_trace=True,  # All calls of the trial are known, unlike those of a recorded answer.
        # The files: what calls did at each path, and which other paths lead there.
        accesses=accesses,
        aliases=paths.cited_path_by_alias(),
        paths_by_spelling=paths.paths_by_spelling(accesses),
        folders=paths.folders(),
        quotations=parts.quotations.by_path(),
        # The changes, and the tools of which it is unknown whether they changed something.
        changes=parts.changes.at_cited_paths(path_to_cite),
        unclear_tools=tuple(unclear_tools),
        has_failures=parts.environment_has_failed,
        # Where the values of an answer may come from.
        function_results=tuple(parts.function_results.values),
        script_runs=tuple(parts.scripts.runs),
    )
