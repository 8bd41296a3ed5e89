"""Sorts the texts of a result by who wrote them, which decides how far each is trusted.

A search finds three lines:

| file | written by | its line is |
|---|---|---|
| `/RULES.md` | the workspace's owner | trusted, as a rule |
| `/mail/7.md` | anybody: the author is not known, and may be an attacker | judged by its form |
| `/note.md` | the trial: one of its scripts, or perhaps one | left out |

A script could write the account GB33... into a data file, to have it trusted. So the trial's own
texts tell nothing about other values.
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.evidence.log.evidence_log import EvidenceLog
from controlplane.agent.evidence.origins.results.owner_files import OwnerFiles
from controlplane.agent.evidence.origins.results.result_content import ResultContent
from controlplane.agent.evidence.texts.result_text import ResultText
from controlplane.gates.paths import canonical


@dataclass(frozen=True, slots=True)
class TextsByAuthor:
    """The texts of a result, without those of the trial."""

    of_owner: list[ResultText]
    of_anybody: list[ResultText]


def texts_by_author(
    content: ResultContent, owner_files: OwnerFiles, evidence_log: EvidenceLog
) -> TextsByAuthor:
    """Return the texts of a result by the authors of their files.

    A text without a file is by anybody. `evidence_log` knows which files the trial wrote.
    """
    of_owner: list[ResultText] = []
    of_anybody: list[ResultText] = []
    has_texts_of_trial = False
    for text in content.texts:
        if not text.path:
            of_anybody.append(text)
            continue
        path = canonical(text.path)
        if evidence_log.is_own(path):
            has_texts_of_trial = True
        elif owner_files.has(path):
            of_owner.append(text)
        else:
            of_anybody.append(text)

    # If a program printed lines of a mail and of the rules, any line may be from the mail.
    if content.is_from_any_file and (of_anybody or has_texts_of_trial):
        of_owner = []
    return TextsByAuthor(of_owner, of_anybody)
