"""What is known about a request before files are chosen for its first message.

For "Close loan-12", the first calls have read the rules, listed the files, and run a tool
that prints who asks. `RequestTerms` says what to search for: the id `loan-12`, the word `close`.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from controlplane.agent.retrieval.file_names import FileNames, ids_in, request_words
from controlplane.agent.retrieval.listed_files import ListedFiles
from controlplane.agent.retrieval.record_owners import Asker
from controlplane.agent.retrieval.rules_routing import paths_in
from controlplane.sandbox.files.text_words import beginning_of

MAX_SEARCH_TERMS: Final = 16
"""The most terms that are searched in records."""


@dataclass(slots=True)
class RequestFacts:
    """The request, and what the first calls say about it."""

    instruction: str
    now: datetime | None = None
    """The trial's clock, with its time zone; None if the trial has no clock."""
    rules: str = ""
    """The text of the workspace's rules; empty until they are read."""
    listed: ListedFiles = field(default_factory=ListedFiles)
    """The files that the first calls listed."""
    outputs: list[str] = field(default_factory=list)
    """The outputs of tools that were run for the first message, such as `whoami`. They tell
    who asks, and in which case. Help texts are left out."""
    asker: Asker = field(default_factory=Asker)
    """The user who asks, if the environment declares a tool that prints this."""


@dataclass(frozen=True, slots=True)
class RequestTerms:
    """The files that a request names, and the words by which others are searched."""

    words: list[str]
    """The words of the request's first line. The other lines may quote somebody else."""
    ids: list[str]
    """Ids in the request, such as `loan-12`. If it names no record, ids in tools' outputs, too."""
    named_documents: list[str]
    """The listed documents that the request names, by their paths."""
    named_records: list[str]
    """The records that the request names, by their paths or ids."""
    asker_records: list[str]
    """The records of the user who asks. If `whoami` prints `member: m-17`, they have
    `/records/members/m-17.json`."""

    @classmethod
    def of(
        cls, facts: RequestFacts, documents: Collection[str], names: FileNames
    ) -> RequestTerms:
        """Return the terms of a request. `names` finds the records that a text names."""
        first_line = facts.instruction.strip().partition("\n")[0]
        outputs = "\n".join(facts.outputs)
        paths = paths_in(first_line)
        records = names.files_named_in(facts.instruction)
        text_with_ids = facts.instruction
        if not records:
            text_with_ids += f"\n{outputs}"  # They may tell which record is meant.
        return cls(
            words=request_words(first_line),
            ids=ids_in(text_with_ids),
            named_documents=[path for path in documents if path in paths],
            named_records=records,
            asker_records=names.files_named_in(outputs),
        )

    def search_terms(self, rules: str) -> list[str]:
        """Return the terms by which records are searched: the ids, and words not in the rules.

        A word in the rules, such as `loan`, is general, so it is in too many records. Other
        forms of it count, too: with `loans` in the rules, `loan` is not searched.
        """
        rules = rules.casefold()
        terms = list(self.ids)
        for word in self.words:
            is_general = beginning_of(word) in rules
            if word not in terms and not is_general:
                terms.append(word)
        return terms[:MAX_SEARCH_TERMS]
