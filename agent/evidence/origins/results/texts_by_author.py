"""Sorts the texts of a result by who wrote them, which decides how far each is trusted.

A search finds a line of `/RULES.md`, which the workspace's owner wrote, one of `/mail/7.md`, which
may be by an attacker, and one of `/note.md`, which the trial itself wrote:

    {Author.OWNER: [“Rent goes to US13...”],
     Author.ANYBODY: [“Please pay 420 to GB33...”],
     Author.TRIAL: [“Bob has GB33...”]}
"""

from __future__ import annotations

from controlplane.agent.evidence.origins.results.file_authors import (
    Author,
    FileAuthors,
)
from controlplane.agent.evidence.origins.results.result_content import ResultContent
from controlplane.agent.evidence.texts.result_text import ResultText
from controlplane.gates.paths import canonical


def texts_by_author(
    content: ResultContent, file_authors: FileAuthors
) -> dict[Author, list[ResultText]]:
    """Return the texts of a result by the author of their file, for all authors.

    A text without a file is by anybody. If a program printed lines of a mail and of the rules,
    any line may be from the mail, so none is by the owner.
    """
    texts: dict[Author, list[ResultText]] = {author: [] for author in Author}
    for text in content.texts:
        author = Author.ANYBODY
        if text.path:
            author = file_authors.author_of(canonical(text.path))
        texts[author].append(text)

    has_other_authors = bool(texts[Author.ANYBODY] or texts[Author.TRIAL])
    if content.is_from_any_file and has_other_authors:
        texts[Author.OWNER] = []
    return texts
