"""Sorts the texts of a result by who wrote them, which decides how far each is trusted.

A search finds three lines:

| file | written by | its line is |
|---|---|---|
| `/RULES.md` | the workspace's owner | a rule |
| `/mail/7.md` | anybody: the author is not known, and may be an attacker | judged by its form |
| `/note.md` | the trial: one of its scripts, or perhaps one | no source of any value |
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from controlplane.agent.evidence.log.evidence_log import EvidenceLog
from controlplane.agent.evidence.origins.results.owner_files import OwnerFiles
from controlplane.agent.evidence.texts.result_text import ResultText
from controlplane.gates.paths import canonical


@dataclass(frozen=True, slots=True)
class TextsByAuthor:
    """The texts of a result. A text without a file is by anybody."""

    of_owner: list[ResultText] = field(default_factory=list)
    of_anybody: list[ResultText] = field(default_factory=list)
    of_trial: list[ResultText] = field(default_factory=list)


def texts_by_author(
    texts: Iterable[ResultText], owner_files: OwnerFiles, evidence_log: EvidenceLog
) -> TextsByAuthor:
    """Return texts by the authors of their files. `evidence_log` knows which the trial wrote."""
    sorted_texts = TextsByAuthor()
    for text in texts:
        if not text.path:
            sorted_texts.of_anybody.append(text)
            continue
        path = canonical(text.path)
        if evidence_log.is_own(path):
            sorted_texts.of_trial.append(text)
        elif owner_files.has(path):
            sorted_texts.of_owner.append(text)
        else:
            sorted_texts.of_anybody.append(text)
    return sorted_texts
