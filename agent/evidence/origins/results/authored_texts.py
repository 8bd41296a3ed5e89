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

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto

from controlplane.agent.evidence.log.evidence_log import EvidenceLog
from controlplane.agent.evidence.origins.origin import Origin
from controlplane.agent.evidence.origins.provenance import Provenance
from controlplane.agent.evidence.origins.results.owner_files import OwnerFiles
from controlplane.agent.evidence.origins.results.received_call import ReceivedCall
from controlplane.agent.evidence.texts.result_text import ResultText
from controlplane.gates.paths import canonical


class Author(Enum):
    """Who wrote a file."""

    OWNER = auto()
    """The owner of the workspace."""
    ANYBODY = auto()
    """Not known: perhaps an attacker."""
    TRIAL = auto()
    """A script of the trial, or perhaps one."""


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
        call: ReceivedCall,
        texts: Sequence[ResultText],
        origin: Origin | None,
        *,
        place: str = "",
    ) -> None:
        """Add the texts of a call's result. `place` is where from, if not where the call says.

        `origin` is that of the texts by anybody. If it is None, a field of data is a record, and
        any other text is running text.
        """
        place = place or call.place
        keys = call.passed_keys
        authors = {path: self.author_of(path) for path in {text.path for text in texts}}
        rules = [text for text in texts if authors[text.path] is Author.OWNER]
        others = [text for text in texts if authors[text.path] is Author.ANYBODY]
        self.provenance.add(place, rules, Origin.RULES, passed_keys=keys)
        self.provenance.add(place, others, origin, passed_keys=keys)
