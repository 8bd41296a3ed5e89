"""Keeps the evidence of a trial as the gates see it, until a script or a call adds something.

To collect it takes long, and each citation and each answer is compared with it:

    view()         collects it
    view()         returns the same object
    invalidate()   is called before something is added, such as the text of a read file
    view()         collects it again, with this text
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.evidence.log.collected_evidence import collected_evidence
from controlplane.agent.evidence.log.evidence_parts import EvidenceParts
from controlplane.gates.evidence import Evidence


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
            self._collected = collected_evidence(self.parts)
        return self._collected

    def invalidate(self) -> None:
        """Drop the collected evidence, because something is added to the parts."""
        self._collected = None
