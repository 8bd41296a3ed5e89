"""The files that a request names, and the words by which others are searched.

`Close loan-12 for the late returns` names the record with the id `loan-12`. Other files are
searched by the words `close`, `late` and `returns`.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from controlplane.agent.retrieval.file_names import FileNames
from controlplane.agent.retrieval.request_facts import RequestFacts
from controlplane.agent.retrieval.request_words import ids_in, request_words
from controlplane.agent.retrieval.rules_routing import paths_in
from controlplane.sandbox.files.text_words import beginning_of

MAX_SEARCH_TERMS: Final = 16
"""The most terms that are searched in records."""


@dataclass(frozen=True, slots=True)
class RequestTerms:
    """The files that a request names, and the words by which others are searched."""

    words: list[str]
    """The words of the request's first line. The other lines may quote somebody else."""
    ids: list[str]
    """The ids in the request, such as `loan-12`. If the request names no record, also the ids
    in the outputs of tools, which may say which record is meant."""
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
        paths = paths_in(first_line)
        records = names.files_named_in(facts.instruction)
        outputs = "\n".join(facts.outputs)
        if records:
            text_with_ids = facts.instruction
        else:
            text_with_ids = f"{facts.instruction}\n{outputs}"
        return cls(
            words=request_words(first_line),
            ids=ids_in(text_with_ids),
            named_documents=[path for path in documents if path in paths],
            named_records=records,
            asker_records=names.files_named_in(outputs),
        )

    def search_terms(self, rules: str) -> list[str]:
        """Return the terms by which records are searched: the ids, and the special words.

        A word that is also in the workspace's rules, such as `loan`, is left out: it is general,
        and so in too many records. With `loans` in the rules, `loan` is left out, too.
        """
        rules = rules.casefold()
        terms = list(self.ids)
        for word in self.words:
            is_general = beginning_of(word) in rules
            if word not in terms and not is_general:
                terms.append(word)
        return terms[:MAX_SEARCH_TERMS]
