"""Adds texts of results with the origin that the author of their file gives them.

A result may show texts of several files, such as the lines that a search finds. The
workspace's owner wrote some files (`rule_files.py`). The text of a file that the trial
wrote itself has no origin.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from controlplane.agent.evidence.log.evidence_log import EvidenceLog
from controlplane.agent.evidence.origins.argument_origin import Origin
from controlplane.agent.evidence.origins.provenance import Provenance
from controlplane.agent.evidence.origins.results.call_result import CallResult
from controlplane.agent.evidence.origins.results.rule_files import RuleFiles
from controlplane.agent.evidence.texts.result_texts import ResultText
from controlplane.gates.paths import canonical


@dataclass(frozen=True, slots=True)
class AuthoredTexts:
    """Adds texts of one trial's results to its `provenance`."""

    provenance: Provenance
    evidence_log: EvidenceLog
    """Knows which files the trial has written itself."""
    rule_files: RuleFiles
    """Knows which files the workspace's owner wrote. Their text is trusted."""

    def add(
        self,
        result: CallResult,
        texts: Iterable[ResultText],
        origin: Origin | None = None,
        place: str = "",
    ) -> None:
        """Add texts of a result, except those of files that the trial wrote.

        Texts of rule files have the origin `RULES`, and all others `origin`: None if it
        depends on whether a text is data. `place` is by default that of the result.
        """
        rule_texts: list[ResultText] = []
        other_texts: list[ResultText] = []
        for text in texts:
            path = canonical(text.path) if text.path else ""
            if path and self.evidence_log.is_own(path):
                continue
            if path and path in self.rule_files:
                rule_texts.append(text)
            else:
                other_texts.append(text)

        place = place or result.place
        repeatable = result.repeatable
        self.provenance.add(place, rule_texts, Origin.RULES, repeatable=repeatable)
        self.provenance.add(place, other_texts, origin, repeatable=repeatable)
