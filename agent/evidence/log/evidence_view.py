"""The evidence of a trial as the gates see it, collected when it is needed."""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.evidence.log.evidence_parts import EvidenceParts
from controlplane.gates.evidence import Evidence


@dataclass(slots=True)
class EvidenceView:
    """Collects the evidence of one trial from its parts, and caches it until they change."""

    parts: EvidenceParts
    _collected: Evidence | None = None
    """The cache: the evidence as it was collected last. None if something was added since."""

    def current(self) -> Evidence:
        """Return the evidence so far. Later calls do not change the returned object."""
        if self._collected is None:
            self._collected = self.parts.evidence()
        return self._collected

    def invalidate(self) -> None:
        """Drop the cached evidence, because something is added to the parts."""
        self._collected = None
