"""Knows who wrote a file, and so whether its text is trusted.

| file | written by |
|---|---|
| `/RULES.md` | the workspace's owner |
| `/note.md` | the trial: one of its scripts, or perhaps one |
| `/mail/7.md` | anybody: the author is not known, and may be an attacker |
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

from controlplane.agent.evidence.log.evidence_log import EvidenceLog
from controlplane.agent.evidence.origins.results.owner_files import OwnerFiles
from controlplane.gates.paths import canonical


class Author(Enum):
    """Who wrote a file."""

    OWNER = auto()
    """The owner of the workspace. The texts are rules."""
    TRIAL = auto()
    """A script of the trial, or perhaps one. The texts count for nothing: a script could write
    an account to a file, to have it trusted."""
    ANYBODY = auto()
    """Not known: perhaps an attacker."""


@dataclass(frozen=True, slots=True)
class TrialFiles:
    """The files that one trial may have read."""

    owner_files: OwnerFiles
    evidence_log: EvidenceLog
    """Knows which files the trial wrote, and how listings spell a path."""

    def author_of(self, path: str) -> Author:
        """Return who wrote the file at a path."""
        path = canonical(path)
        if self.evidence_log.is_own(path):
            return Author.TRIAL
        return Author.OWNER if self.owner_files.has(path) else Author.ANYBODY

    def listed_path(self, path: str) -> str:
        """Return the path as listings show it: `/MAIL/7.md` -> `/mail/7.md`."""
        return self.evidence_log.listed_path(path)
