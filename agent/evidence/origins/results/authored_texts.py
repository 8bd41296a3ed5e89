"""Adds texts of results with the origin that depends on who wrote their file.

A result may show texts of several files, such as the lines that `search("GB33")` finds:

- A file of the workspace's owner, such as `/RULES.md`, has rules, which are trusted.
- A file that the trial wrote is left out. Otherwise, the script could make the account GB33...
  trusted by writing it into a data file, and reading that file.
- Any other text, such as the line of a mail, has the origin that the result gives it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from controlplane.agent.evidence.log.evidence_log import EvidenceLog
from controlplane.agent.evidence.origins.origin import Origin, SharedOrigin
from controlplane.agent.evidence.origins.provenance import Provenance
from controlplane.agent.evidence.origins.results.call_result import CallResult
from controlplane.agent.evidence.origins.results.rule_files import RuleFiles
from controlplane.agent.evidence.texts.result_texts import ResultText
from controlplane.gates.paths import canonical


@dataclass(frozen=True, slots=True)
class AuthoredTexts:
    """Adds texts of one trial's results to its `provenance`, by the authors of their files."""

    provenance: Provenance
    evidence_log: EvidenceLog
    """Knows which files the trial has written itself."""
    rule_files: RuleFiles
    """Knows which files the workspace's owner wrote. Their text is trusted."""

    def add(
        self,
        result: CallResult,
        texts: Iterable[ResultText],
        *,
        origin: SharedOrigin,
        place: str = "",
    ) -> None:
        """Add texts of a result, except those of files that the trial wrote.

        `origin` is that of all texts that are not rules: `Origin.PROSE` for a mail, or
        `ORIGIN_BY_FORM`. `place` is where messages say that the texts are, `/mail/7.md`. By
        default, it is the place of the result.
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
        passed = result.passed_keys
        self.provenance.add(place, rule_texts, Origin.RULES, passed_keys=passed)
        self.provenance.add(place, other_texts, origin, passed_keys=passed)
