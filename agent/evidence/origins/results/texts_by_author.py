"""Sorts the texts of a result by who wrote them, which decides how far each is trusted.

A search finds a line of `/RULES.md`, which the workspace's owner wrote, one of `/mail/7.md`, which
may be by an attacker, and one of `/note.md`, which the trial itself wrote:

    {Author.OWNER: [“Rent goes to US13...”],
     Author.ANYBODY: [“Please pay 420 to GB33...”],
     Author.TRIAL: [“Bob has GB33...”]}
"""

from __future__ import annotations

from enum import Enum, auto

from controlplane.agent.evidence.log.evidence_log import EvidenceLog
from controlplane.agent.evidence.origins.results.owner_files import OwnerFiles
from controlplane.agent.evidence.origins.results.result_content import ResultContent
from controlplane.agent.evidence.texts.result_text import ResultText
from controlplane.gates.paths import canonical


class Author(Enum):
    """Who wrote a text."""

    OWNER = auto()
    """The workspace's owner. The text is trusted, as rules."""
    TRIAL = auto()
    """A script of the trial, or perhaps one. The text tells nothing about other values: a script
    could make the account GB33... trusted by writing it into a data file."""
    ANYBODY = auto()
    """Not known."""


def texts_by_author(
    content: ResultContent, owner_files: OwnerFiles, evidence_log: EvidenceLog
) -> dict[Author, list[ResultText]]:
    """Return the texts of a result by the author of their file, for all authors.

    A text without a file is by anybody. `evidence_log` knows which files the trial wrote.
    """
    texts: dict[Author, list[ResultText]] = {author: [] for author in Author}
    for text in content.texts:
        author = Author.ANYBODY
        if text.path:
            path = canonical(text.path)
            if evidence_log.is_own(path):
                author = Author.TRIAL
            elif owner_files.has(path):
                author = Author.OWNER
        texts[author].append(text)

    # If a program printed lines of a mail and of the rules, any line may be from the mail.
    has_other_authors = bool(texts[Author.ANYBODY] or texts[Author.TRIAL])
    if content.is_from_any_file and has_other_authors:
        texts[Author.OWNER] = []
    return texts
