"""Reads the records that fit a request, in two rounds, and ranks them.

A record is a file about one case, such as `/records/loans/l-12.json`. For "Close l-12":

    reader.read_named()            reads `/records/loans/l-12.json`
    found = reader.read_found(...) reads `/records/books/b7.json`, which `l-12` names, and
                                   `/records/loans/l-4.json`, in which a search found words
    reader.rank(found, asker)      -> `l-12` (score 8), `b7` (1.5), `l-4` (1)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from controlplane.agent.initial_calls.file_reader import FileReader
from controlplane.agent.initial_calls.initial_calls import InitialCalls
from controlplane.agent.retrieval.asker import Asker
from controlplane.agent.retrieval.file_candidate import (
    RecordCandidate,
    declared_records,
)
from controlplane.agent.retrieval.ranking_reasons import Reason
from controlplane.agent.retrieval.record_search.found_records import FoundRecords
from controlplane.agent.retrieval.record_search.known_records import KnownRecords
from controlplane.agent.retrieval.record_search.withheld_records import (
    withheld_records,
)
from controlplane.agent.retrieval.request_terms import RequestTerms
from controlplane.sandbox.interface import RecordOwners

CALLS_KEPT_FOR_LATER: Final = 4
"""So many of the trial's calls are not used for records: linked documents and the help texts
of tools are read later."""


@dataclass(frozen=True, slots=True)
class RecordReader:
    """Reads and ranks the records for one request.

    `file_reader` remembers what was read, so that each record is read once.
    """

    known: KnownRecords
    """All records that were listed."""
    request: RequestTerms
    """Has the records that the request names."""
    file_reader: FileReader
    """Sends the calls that read records, as long as the trial has calls left."""
    owners: RecordOwners | None
    """How to tell to which user a record belongs; None if everybody may see all records."""

    @classmethod
    def of(
        cls, calls: InitialCalls, known: KnownRecords, request: RequestTerms
    ) -> RecordReader:
        """Return the reader of these records. `calls` sends the calls that read them."""
        tool_schema = calls.tool_schema
        read_operation = tool_schema.operation(declared_records(tool_schema).read)
        return cls(
            known=known,
            request=request,
            file_reader=FileReader(calls, read_operation),
            owners=tool_schema.record_owners,
        )

    def read_named(self) -> None:
        """Send calls that read the named records, and those of the user who asks."""
        records = [*self.request.named_records, *self.request.asker_records]
        self.file_reader.send(records, self.known.max_read_files)

    def read_found(self, word_scores: Mapping[str, float]) -> FoundRecords:
        """Send calls that read what the named records name, and the best others.

        It waits for the named records. `word_scores` has those with words of the request,
        the best first: `{"/records/loans/l-4.json": 1.0}`. Return all records found so far.
        """
        named = self.request.named_records
        named_texts = self.file_reader.texts(named)
        linked = self.known.links_in(named_texts.values())
        remaining_calls = self.file_reader.calls.remaining_calls - CALLS_KEPT_FOR_LATER
        self.file_reader.send(
            [*linked, *word_scores],
            max_files=min(self.known.max_read_files, remaining_calls),
        )
        return FoundRecords(
            named=named,
            of_asker=self.request.asker_records,
            linked=linked,
            word_scores=word_scores,
        )

    def rank(self, found: FoundRecords, asker: Asker) -> list[RecordCandidate]:
        """Wait for the calls that were sent, and return the found records with their scores.

        Those that the user who asks must not see are marked as withheld.
        """
        candidates = found.candidates(self.known.kinds, self.file_reader.operation)
        if self.owners is not None:
            texts = self.file_reader.texts(candidates)
            for path in withheld_records(self.owners, asker, texts):
                candidates[path].refuse(Reason.WITHHELD)
        return list(candidates.values())
