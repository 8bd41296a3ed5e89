"""The files that a request names, and the words by which others are searched.

`Close loan-12 for the late returns` names the record with the id `loan-12`. Other files are
searched by the words `close`, `late` and `returns`.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from controlplane.agent.retrieval.file_names import FileNames
from controlplane.agent.retrieval.request_facts import RequestFacts
from controlplane.agent.retrieval.request_words import ids_in, request_words
from controlplane.agent.retrieval.written_paths import paths_in


@dataclass(frozen=True, slots=True)
class RequestTerms:
    """The files that a request names, and the words by which others are searched."""

    # From the first line of the request. The other lines may quote somebody else.
    words: list[str]
    """The words."""
    named_documents: list[str]
    """The listed documents that it names, by their paths."""

    # From all lines of the request
    named_records: list[str]
    """The records that it names, by their paths or ids."""
    ids: list[str]
    """The ids, such as `loan-12`. If no record is named, also the ids that tools have printed,
    because they may say which record is meant."""

    # From what tools have printed, such as `member: m-17` by `/bin/whoami`
    asker_records: list[str]
    """The records of the user who asks: `/records/members/m-17.json`."""

    @classmethod
    def of(
        cls, facts: RequestFacts, documents: Collection[str], names: FileNames
    ) -> RequestTerms:
        """Return the terms of a request.

        `facts` has its text, and the outputs of the tools that were run before. `names` finds
        the records that a text names.
        """
        request = facts.instruction
        first_line = request.strip().partition("\n")[0]
        paths = paths_in(first_line)
        named_records = names.files_named_in(request)
        outputs = "\n".join(facts.outputs)
        text_with_ids = request if named_records else f"{request}\n{outputs}"
        return cls(
            words=request_words(first_line),
            named_documents=[path for path in documents if path in paths],
            named_records=named_records,
            ids=ids_in(text_with_ids),
            asker_records=names.files_named_in(outputs),
        )
