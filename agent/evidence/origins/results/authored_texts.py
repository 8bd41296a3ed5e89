"""Adds the texts of a result to what a trial knows, each as the author of its file allows.

A search finds three lines:

| file | written by | its line counts as |
|---|---|---|
| `/RULES.md` | the workspace's owner | a rule |
| `/mail/7.md` | anybody: the author is not known, and may be an attacker | running text |
| `/note.md` | the trial: one of its scripts, or perhaps one | nothing |

A script could write an account to a file, to have it trusted. So texts of the trial do not count.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import Enum, auto

from controlplane.agent.evidence.log.evidence_log import EvidenceLog
from controlplane.agent.evidence.origins.origin import Origin
from controlplane.agent.evidence.origins.provenance import Provenance
from controlplane.agent.evidence.origins.results.owner_files import OwnerFiles
from controlplane.agent.evidence.texts.result_text import ResultText
from controlplane.gates.paths import canonical


class Author(Enum):
    """Who wrote a file."""

    OWNER = auto()
    ANYBODY = auto()
    TRIAL = auto()


@dataclass(frozen=True, slots=True)
class AuthoredTexts:
    """Adds the texts of one trial's results."""

    owner_files: OwnerFiles
    """Knows which files the workspace's owner wrote."""
    evidence_log: EvidenceLog
    """Knows which files the trial wrote."""
    provenance: Provenance
    """What the trial knows."""

    def author_of(self, path: str) -> Author:
        """Return who wrote the file at a path. A text without a path is by anybody."""
        if not path:
            return Author.ANYBODY
        path = canonical(path)
        if self.evidence_log.is_own(path):
            return Author.TRIAL
        return Author.OWNER if self.owner_files.has(path) else Author.ANYBODY

    def add(
        self,
        place: str,
        texts: Sequence[ResultText],
        origin: Origin | None,
        *,
        passed_keys: Collection[str],
    ) -> None:
        """Add texts by anybody with the `origin`, as `Provenance.add` does, and others by author."""
        authors = {path: self.author_of(path) for path in {text.path for text in texts}}
        rules = [text for text in texts if authors[text.path] is Author.OWNER]
        others = [text for text in texts if authors[text.path] is Author.ANYBODY]
        self.provenance.add(place, rules, Origin.RULES, passed_keys=passed_keys)
        self.provenance.add(place, others, origin, passed_keys=passed_keys)
