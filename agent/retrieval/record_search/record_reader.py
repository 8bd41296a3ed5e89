"""Reads the records that fit a request, in two rounds.

A record is a file about one case, such as `/records/loans/l-12.json`. For "Close l-12":

    reader.read_named()                    sends the call for `/records/loans/l-12.json`
    found = reader.read_found(             waits for its text, and sends the calls for:
        {"/records/loans/l-4.json": 1.0}   - this record, in which a search found words
    )                                      - `/records/books/b7.json`, which `l-12` names
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from controlplane.agent.initial_calls.file_reader import FileReader
from controlplane.agent.initial_calls.initial_calls import InitialCalls
from controlplane.agent.retrieval.record_search.found_records import FoundRecords
from controlplane.agent.retrieval.record_search.known_records import KnownRecords
from controlplane.agent.retrieval.record_search.record_links import linked_files
from controlplane.agent.retrieval.request_terms import RequestTerms

CALLS_KEPT_FOR_LATER: Final = 4
"""So many of the trial's calls are not used for records: linked documents and the help texts
of tools are read later."""


@dataclass(frozen=True, slots=True)
class RecordReader:
    """Reads the records for one request."""

    known: KnownRecords
    """All records that were listed."""
    request: RequestTerms
    """Has the records that the request names."""
    file_reader: FileReader
    """Sends the calls that read records, each once, as long as the trial has calls left."""

    @classmethod
    def of(
        cls, calls: InitialCalls, known: KnownRecords, request: RequestTerms
    ) -> RecordReader:
        """Return the reader of these records. `calls` sends the calls that read them."""
        read_operation = calls.tool_schema.operation(known.declared.read)
        return cls(known, request, FileReader(calls, read_operation))

    def read_named(self) -> None:
        """Send calls for the records that the request names, and for those of its author."""
        records = [*self.request.named_records, *self.request.asker_records]
        most_files = self.known.declared.most  # in each of the two rounds
        self.file_reader.send(records, most_files)

    def read_found(self, word_scores: Mapping[str, float]) -> FoundRecords:
        """Wait for the named records. Send calls that read what they name, and the best others.

        `word_scores` has the records with words of the request, the best first. Return all found.
        """
        named = self.request.named_records
        named_texts = self.file_reader.texts(named)  # waits until they are read
        linked = linked_files(named_texts.values(), self.known)
        remaining_calls = self.file_reader.calls.remaining_calls - CALLS_KEPT_FOR_LATER
        most_files = min(self.known.declared.most, remaining_calls)
        self.file_reader.send([*linked, *word_scores], most_files)
        return FoundRecords(
            named=named,
            of_asker=self.request.asker_records,
            linked=linked,
            word_scores=word_scores,
        )
