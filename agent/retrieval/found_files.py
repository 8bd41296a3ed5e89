"""Finds and ranks the files of a workspace that fit a request, for the first message to show.

For "Close loan-12", the best may be the record `/records/loans/loan-12.json`, which the
request names, and the document `/docs/loans.md`, which has its words:

    found = find_files(calls, facts, documents, ranking)
    found.ranked()      -> loan-12.json (score 8), /docs/loans.md (score 1.3)
    found.read_linked() reads /docs/fees.md, which /docs/loans.md names
    found.ranked()      -> the same files, with /docs/fees.md
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from controlplane.agent.initial_calls.initial_calls import InitialCalls
from controlplane.agent.retrieval.document_search.document_finder import DocumentFinder
from controlplane.agent.retrieval.document_search.document_words import RequestTopic
from controlplane.agent.retrieval.document_search.documents import ListedDocuments
from controlplane.agent.retrieval.file_candidate import Candidate, declared_records
from controlplane.agent.retrieval.file_search import FileSearch
from controlplane.agent.retrieval.ranking_reasons import Reason
from controlplane.agent.retrieval.record_owners import withheld_records
from controlplane.agent.retrieval.record_search.record_candidates import (
    record_candidates,
)
from controlplane.agent.retrieval.record_search.record_finder import RecordFinder
from controlplane.agent.retrieval.request_facts import RequestFacts
from controlplane.sandbox.files.word_ranking import WordRanking


def find_files(
    calls: InitialCalls,
    facts: RequestFacts,
    listed: ListedDocuments,
    ranking: WordRanking,
) -> FoundFiles:
    """Search the files of a workspace, and send calls that read those that fit the request.

    `listed` are the documents (texts for all requests) among the files. `ranking` compares words
    with texts. The last calls may still run, so that others can be sent beside them.
    """
    records = RecordFinder.of(calls, facts, listed, ranking)
    request = records.request
    documents = DocumentFinder.of(
        calls, facts, listed, ranking, request.named_documents
    )

    # 1. Read the records that the request names. Search all files for its words.
    records.read_named()
    search = FileSearch(calls, declared_records(calls.tool_schema).search)
    if search.is_possible:
        records.search(search, facts)
        words = [*request.words, *documents.words.describing(request.named_records)]
        documents.search(search, words, records.known.folders())

    # 2. The found lines tell which records the request is about, if it names none. Documents
    #    are also compared with the words by which the rules describe these records.
    found_lines = search.lines()  # by path
    word_scores = records.word_scores(found_lines)
    meant_records = records.meant_records(word_scores)
    topic = RequestTopic(
        words=[*request.words, *documents.words.describing(meant_records)],
        record_folders={records.known.kind_of(record) for record in meant_records},
    )

    # 3. Read the best documents, and then the best records, with the files that they name.
    documents.read_best(found_lines, topic)
    links = records.read_found(word_scores)
    return FoundFiles(calls, facts, documents, records, topic, word_scores, links)


@dataclass(frozen=True, slots=True)
class FoundFiles:
    """The files that were found for a request, and what is known of them."""

    calls: InitialCalls
    facts: RequestFacts
    documents: DocumentFinder
    records: RecordFinder
    topic: RequestTopic
    """What the request is about."""
    word_scores: Mapping[str, float]
    """The scores of the records with words of the request, by path, the best first."""
    links: list[str]
    """The files to which the records link that the request names."""

    def ranked(self) -> list[Candidate]:
        """Wait for the reads that were sent, and return all files with their scores, the best first.

        Records that belong to others than the user who asks are marked: they must not be shown.
        """
        documents = self.documents.candidates(self.topic)
        records = record_candidates(self.records, self.links, self.word_scores)
        owners = self.calls.tool_schema.record_owners
        if owners is not None:
            texts = self.records.reader.texts(records)
            for path in withheld_records(owners, self.facts.asker, texts):
                records[path].refuse(Reason.WITHHELD)
        # The sort is stable: files of the same score stay in the order of the listings.
        return sorted(
            [*documents.values(), *records.values()],
            key=lambda candidate: candidate.score,
            reverse=True,
        )

    def read_linked(self) -> None:
        """Send calls that read the documents that the best one and the notices name."""
        self.documents.read_linked(self.topic)

    def best_document_text(self, ranked: Iterable[Candidate]) -> str:
        """Return the text of the first document among ranked files that has one; else empty."""
        paths = [candidate.path for candidate in ranked]
        return self.documents.documents.first_text(paths)
