"""Finds the files of a workspace that fit a request, for the first message to show.

A record is a file about one case, and a document is a text for all requests. The examples below are
for "Close loan-12 for the late returns", if the workspace's rules say "/records/loans: lent books".
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from controlplane.agent.initial_calls.file_reader import FileReader, InitialCalls
from controlplane.agent.retrieval.document_search import (
    Document,
    DocumentCandidate,
    KnownDocuments,
    ListedDocuments,
    RequestFacts,
)
from controlplane.agent.retrieval.file_names import paths_in
from controlplane.agent.retrieval.listing import is_unlisted
from controlplane.agent.retrieval.ranking_reasons import (
    Candidate,
    Reason,
    lines_pattern,
)
from controlplane.agent.retrieval.record_search import (
    FoundRecords,
    KnownRecords,
    RecordKinds,
    RequestTerms,
    rank_records,
)
from controlplane.gates.paths import base_name
from controlplane.sandbox.files.text_words import beginning_of, words_of
from controlplane.sandbox.files.word_ranking import TitledText, WordRanking
from controlplane.sandbox.interface import Plain

# Finds the paths that the texts of documents name: of other documents, and of folders.
#
# A document is a text for all requests. `/docs/parking.md` has the text "Permits: /docs/permits.md.
# Each car has a file in /records/cars." So it names another document, and the folder with all
# records about cars.


def _linked_documents(document: Document, paths: Iterable[str]) -> list[str]:
    """Return those of the `paths`, of all documents, that the text of one document names.

    `/docs/parking.md` -> `/docs/permits.md`
    """
    named = set(paths_in(document.text))
    return [path for path in paths if path in named]


def _documents_naming_folders(
    documents: Iterable[Document], record_folders: Collection[str]
) -> list[str]:
    """Return the documents whose texts name one of these folders, except notices.

    `/records/cars` -> `/docs/parking.md`

    A notice is a document that changes others from a day on.
    """
    naming: list[str] = []
    for document in documents:
        named_folders = set(paths_in(document.text)).intersection(record_folders)
        if named_folders and not document.is_notice:
            naming.append(document.path)
    return naming


# What a request is about, as far as documents are compared with it.
#
# For "Close l-12 by /docs/loans.md", if the workspace's rules say "/records/loans: lent books":
#
#     RequestTopic(
#         words=["close", "l-12", "loans", "lent", "books"],
#         record_folders={"/records/loans"},
#         named_documents=["/docs/loans.md"],
#     )
#
# So a document about lent books fits this request, even if it has no word of it.


@dataclass(frozen=True, slots=True)
class _RequestTopic:
    """What a request is about."""

    words: Sequence[str]
    """The words of the request, and those by which the rules describe its records."""
    record_folders: Collection[str]
    """The folders of the records that the request is about."""
    named_documents: Sequence[str]
    """The documents that the request names, by their paths."""


def _topic_of(
    request: RequestTerms,
    records: Collection[str],
    kinds: RecordKinds,
    descriptions: Mapping[str, str],
) -> _RequestTopic:
    """Return the topic of a request that is about these records.

    `descriptions` has what the rules say of paths: `{"/records/loans": "lent books"}`.
    """
    words = list(request.words)
    for path, description in descriptions.items():
        is_about_records = any(record.startswith(f"{path}/") for record in records)
        if is_about_records:
            words += words_of(description)
    return _RequestTopic(
        words=words,
        record_folders={kinds.kind_of(record) for record in records},
        named_documents=request.named_documents,
    )


# Scales the scores that SQLite's full-text index gives to texts: the best one gets 1.
#
# The index says how well the words of a text fit a request. Its scores have no unit, and depend on
# the number of texts. So a *word score* says how well a file fits in comparison with the best one.
# Documents (texts for all requests) are compared with documents, and records (files about one
# case) with records.


def _scaled_to_best(scores: Mapping[str, float]) -> dict[str, float]:
    """Return scores from 0 to 1 for files, by path. The best one has 1.

    `{"/a.md": 8, "/b.md": 2}` -> `{"/a.md": 1.0, "/b.md": 0.25}`

    If no score is above 0, all become 1, because no file fits better than another.
    """
    best = max(scores.values(), default=0.0)
    if best <= 0:
        return dict.fromkeys(scores, 1.0)
    return {path: score / best for path, score in scores.items()}


# Scores documents by the words of a request, in their texts and in the workspace's rules.
#
# A document is a text for all requests. For the words `cars` and `stand`, if the rules say "Cars:
# see /docs/parking.md":
#
#     word_scores(...)        -> {"/docs/parking.md": 1.0, "/docs/permits.md": 0.2}
#     routed_documents(...)   -> {"/docs/parking.md"}
#
# `/docs/parking.md` fits even if its own text only speaks of vehicles.


def word_scores(
    documents: Collection[Document], words: Sequence[str], ranking: WordRanking
) -> dict[str, float]:
    """Return how well documents fit the words, from 0 to 1, by path.

    The words may be in a document's text, in its name, or in its description in the rules.
    Notices, which change other documents from a day on, are left out: those in force are shown
    whatever their words. `ranking` compares words with texts.
    """
    texts: dict[str, TitledText] = {}
    for document in documents:
        title = f"{document.description or ''} {base_name(document.path)}"
        texts[document.path] = TitledText(title, document.text)
    scores = ranking.scores(texts, words)
    # Notices are ranked, too: a word that many texts have counts less.
    for document in documents:
        if document.is_notice:
            scores.pop(document.path, None)
    return _scaled_to_best(scores)


def _routed_documents(
    documents: Collection[Document], words: Sequence[str], ranking: WordRanking
) -> set[str]:
    """Return the documents that the rules describe with one of the words."""
    descriptions: dict[str, TitledText] = {}
    for document in documents:
        if document.description is not None:
            # The document's own text is left empty: only its description is compared.
            descriptions[document.path] = TitledText(document.description, text="")
    return set(ranking.scores(descriptions, words))


# Scores documents by the topic of a request: its words, and the folders of its records.
#
# A document is a text for all requests. For "Where may cars stand?", which is about the records
# in `/records/cars`, if the workspace's rules say "Cars: see /docs/parking.md":
#
# | document | reasons | score |
# |---|---|---|
# | `/docs/parking.md` | `ROUTED` 0.3: the rules describe it with `cars`; its word score 1 | 1.3 |
# | `/docs/owners.md` | `FOLDER` 0.5: its text names `/records/cars` | 0.5 |
# | `/docs/permits.md` | `WORDS` 0: its text has `cars`; its word score 0.2 | 0.2 |


def _score_by_topic(
    candidates: Mapping[str, DocumentCandidate],
    topic: _RequestTopic,
    ranking: WordRanking,
) -> list[str]:
    """Score the documents that have words of the topic, or name one of its folders.

    `candidates` are all documents. The paths of those that fit are returned.
    """
    documents = [candidate.document for candidate in candidates.values()]
    word_score_by_path = word_scores(documents, topic.words, ranking)
    routed = _routed_documents(documents, topic.words, ranking)
    naming_folders = _documents_naming_folders(documents, topic.record_folders)
    fitting = list(dict.fromkeys([*word_score_by_path, *naming_folders]))
    for path in fitting:
        candidate = candidates[path]
        candidate.count_words(word_score_by_path.get(path, 0.0))
        # Each reason adds its own points to those of the words.
        if path in routed:
            candidate.add(Reason.ROUTED)
        elif path in word_score_by_path:
            candidate.add(Reason.WORDS)
        if path in naming_folders:
            candidate.add(Reason.FOLDER)
    return fitting


# Finds the documents that fit the topic of a request, and writes their scores and ranks to them.
#
# A document is a text for all requests. For "Where may cars stand?":
#
#     /docs/parking.md    score 1.3    rank 0
#     /docs/permits.md    score 0.2    rank 1
#     /docs/loans.md      score 0      no rank: it has no word of the request


def _fitting_documents(
    candidates: Mapping[str, DocumentCandidate],
    described_paths: Iterable[str],
    topic: _RequestTopic,
    ranking: WordRanking,
) -> list[str]:
    """Score the documents that fit the topic, and return their paths, the best first.

    `candidates` are all documents. `described_paths` are those that the workspace's rules
    describe. They are taken if no document fits.
    """
    fitting = _score_by_topic(candidates, topic, ranking)
    if not fitting:
        fitting = _take_described(candidates, described_paths)
    fitting.sort(key=lambda path: candidates[path].score, reverse=True)
    for rank, path in enumerate(fitting):
        candidates[path].rank = rank
    return fitting


def _take_described(
    candidates: Mapping[str, DocumentCandidate], described_paths: Iterable[str]
) -> list[str]:
    """Take all documents that the rules describe, or all documents if they describe none.

    Each gets the word score of a best document, as if all fitted equally. Its `score`, by which
    documents are sorted, has no points of words then, but those for being listed.
    """
    described = [path for path in described_paths if path in candidates]
    taken = described or list(candidates)
    for path in taken:
        candidates[path].word_score = 1.0
        candidates[path].add(Reason.LISTED)
    return taken


# Tells which notices are about the request.
#
# A *notice* is a document that changes others from the day in its name on: those whose paths are in
# its text. For "Where may cars stand?", which fits `/docs/parking.md` best:
#
#     2031-05-02-cars.md, which changes parking.md    NOTICE: it is shown
#     2031-05-04-fees.md, which changes loans.md      OTHER_NOTICE: only if loans.md is shown

_MIN_TOPIC_WORD_SCORE: Final = 0.75
"""A notice is about the request if it changes a document whose word score is at least this."""


def _score_notices(candidates: Mapping[str, DocumentCandidate]) -> None:
    """Add the reasons of all notices that are not refused. `candidates` are all documents."""
    for notice in candidates.values():
        if not notice.document.is_notice or notice.is_refused:
            continue
        notice.changed_paths = _linked_documents(notice.document, candidates)
        word_scores = [candidates[path].word_score for path in notice.changed_paths]
        # A notice that names no document may change any.
        is_on_topic = max(word_scores, default=1.0) >= _MIN_TOPIC_WORD_SCORE
        notice.add(Reason.NOTICE if is_on_topic else Reason.OTHER_NOTICE)


# Ranks the documents of a workspace by how well they fit a request.
#
# A document is a text for all requests. A *notice* is a document that changes others from the day
# in its name on. For "Where may cars stand?", `/docs/parking.md` has the best words, and a notice
# changes it:
#
#     fitting_documents    adds 1.0 to the score of `/docs/parking.md`, for its words
#     score_notices        adds 0.4 to the notice
#     rank_documents       -> `/docs/parking.md` 1.0, the notice 0.4, all others 0.0


@dataclass(frozen=True, slots=True)
class _RankedDocuments:
    """The documents of a workspace with their scores, as far as their texts are known."""

    fitting: list[str]
    """The paths of the documents that fit the topic of the request, the best first."""
    candidates: dict[str, DocumentCandidate]
    """All documents with their scores, by path, in the order of the listing."""

    @property
    def best_text(self) -> str:
        """The text of the best document whose text is known; empty if there is none."""
        # The sort is stable: of two with the same score, the one listed first counts.
        best_first = sorted(
            self.candidates.values(),
            key=lambda candidate: candidate.score,
            reverse=True,
        )
        for candidate in best_first:
            if candidate.document.text:
                return candidate.document.text
        return ""

    @property
    def notices(self) -> list[DocumentCandidate]:
        """The notices, in the order of the listing."""
        candidates = self.candidates.values()
        return [candidate for candidate in candidates if candidate.document.is_notice]


def _rank_documents(
    documents: KnownDocuments, topic: _RequestTopic, ranking: WordRanking
) -> _RankedDocuments:
    """Return all documents with their scores. `ranking` compares words with texts."""
    candidates: dict[str, DocumentCandidate] = {}
    for path, document in documents.by_path.items():
        candidates[path] = DocumentCandidate(
            path=path, read_operation=documents.listed.read, document=document
        )
    fitting = _fitting_documents(candidates, documents.descriptions, topic, ranking)
    for path in topic.named_documents:
        candidates[path].add(Reason.NAMED)
    for candidate in candidates.values():
        if candidate.document.validity.is_out_of_force:
            candidate.refuse(Reason.NOT_IN_FORCE)
    _score_notices(candidates)
    return _RankedDocuments(fitting, candidates)


# Reads the documents that fit a request, in two rounds.
#
# A document is a text for all requests, such as the policy `/docs/parking.md`. A search has found
# some lines of them. For the request "Where may cars stand?":
#
#     reader.read_best()            reads `/docs/parking.md`, whose found lines fit best
#     ranked = reader.rank()        waits, and ranks all documents by the texts that were read
#     reader.read_linked(ranked)    reads `/docs/permits.md`, which `/docs/parking.md` names
#     ranked = reader.rank()        waits, and ranks all documents again

_MAX_BEST_IN_FIRST_ROUND: Final = 3
"""How many of the best documents the first round reads."""
_MAX_BEST_IN_SECOND_ROUND: Final = 5
"""How many of the best documents the second round reads, with those of the first."""
_MAX_NOTICES: Final = 8
"""If more notices are in force, only the latest ones are read. A notice is a document that
changes others from the day in its name on."""


@dataclass(frozen=True, slots=True)
class _DocumentReader:
    """Reads and ranks the documents for one request."""

    searched: KnownDocuments
    """The documents with the lines that the search found in them."""
    topic: _RequestTopic
    """What the request is about."""
    ranking: WordRanking
    """Compares words with texts."""
    file_reader: FileReader
    """Sends the calls that read documents, each once, as long as the trial has calls left."""

    def read_best(self) -> None:
        """Send calls that read the named documents, the best ones, and the notices in force."""
        ranked = _rank_documents(self.searched, self.topic, self.ranking)
        best = ranked.fitting[:_MAX_BEST_IN_FIRST_ROUND]
        in_force = [notice.path for notice in ranked.notices if not notice.is_refused]
        latest = in_force[-_MAX_NOTICES:]
        self.file_reader.send([*self.topic.named_documents, *best, *latest])

    def rank(self) -> _RankedDocuments:
        """Wait for the calls, and rank all documents by their texts, or else the found lines."""
        texts = self.file_reader.texts(self.searched.listed.paths)
        known = self.searched.with_texts(texts)
        return _rank_documents(known, self.topic, self.ranking)

    def read_linked(self, ranked: _RankedDocuments) -> None:
        """Send calls that read the documents which notices and the best document name.

        By whole texts, others may be the best now. They are read, too.
        """
        naming = [notice.document for notice in ranked.notices]
        naming += [ranked.candidates[path].document for path in ranked.fitting[:1]]
        linked: list[str] = []
        for document in naming:
            linked += _linked_documents(document, self.searched.by_path)
        self.file_reader.send([*linked, *ranked.fitting[:_MAX_BEST_IN_SECOND_ROUND]])


# Searches the files of a workspace for words.
#
# For a request about a lost key, `Search("/docs", ["lost", "key"])` finds the lines below `/docs`
# with a word that begins with `lost` or `key`.

_MAX_FOUND_LINES: Final = 1_000
"""The most lines that one search returns."""


@dataclass(frozen=True, slots=True)
class Search:
    """A search for lines that have a word which begins with one of some terms."""

    root: str
    """The folder whose files are searched."""
    terms: Sequence[str]

    @property
    def arguments(self) -> dict[str, Plain]:
        """The arguments of the call that makes the search."""
        return {
            "pattern": lines_pattern(self.terms),
            "root": self.root,
            "limit": _MAX_FOUND_LINES,
        }


def _search_files(
    calls: InitialCalls, operation: str, searches: Iterable[Search]
) -> dict[str, str]:
    """Make searches side by side, and return the lines that they found in each file, by path.

    `{"/docs/keys.md": "A lost key costs a fee.\\nEach key has a number.\\n"}`

    A search that fails finds nothing. Without the operation, nothing is searched.
    """
    if calls.tool_schema.operation(operation) is None:
        return {}
    sent_calls = [calls.send(operation, search.arguments) for search in searches]
    lines: dict[str, str] = defaultdict(str)
    for call in sent_calls:
        matches = call.result().get("matches")  # waits for the call
        if not isinstance(matches, list):
            continue
        for match in matches:
            if isinstance(match, dict):
                lines[str(match.get("path"))] += f"{match.get('text', '')}\n"
    return dict(lines)


# Finds the files that records name, so that they can be read, too.
#
# The record `/records/loans/l-12.json` has the text `{"book": "b7"}`. By this id, it names the
# file `/records/books/b7.json`.

_MAX_LINKS: Final = 8
"""A record that names more files than this is a list, such as that of all members. The files
on it are not read."""


def _linked_files(record_texts: Iterable[str], known: KnownRecords) -> list[str]:
    """Return the files that some records name by their paths or ids, from their texts.

    `{"book": "b7"}` -> `/records/books/b7.json`

    An environment may declare that links of JSON records are not followed, because the model
    has functions that look up what these records name.
    """
    files: list[str] = []
    for text in record_texts:
        is_json = text.startswith(("{", "["))
        if is_json and not known.declared.follows_records:
            continue
        links = known.names.files_named_in(text)
        if len(links) <= _MAX_LINKS:
            files += links
    return files


# Reads the records that fit a request, in two rounds.
#
# A record is a file about one case, such as `/records/loans/l-12.json`. For "Close l-12":
#
#     reader.read_named()                    sends the call for `/records/loans/l-12.json`
#     found = reader.read_found(             waits for its text, and sends the calls for:
#         {"/records/loans/l-4.json": 1.0}   - this record, in which a search found words
#     )                                      - `/records/books/b7.json`, which `l-12` names

_CALLS_KEPT_FOR_LATER: Final = 4
"""So many of the trial's calls are not used for records: linked documents and the help texts
of tools are read later."""


@dataclass(frozen=True, slots=True)
class _RecordReader:
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
    ) -> _RecordReader:
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
        linked = _linked_files(named_texts.values(), self.known)
        remaining_calls = self.file_reader.calls.remaining_calls - _CALLS_KEPT_FOR_LATER
        most_files = min(self.known.declared.most, remaining_calls)
        self.file_reader.send([*linked, *word_scores], most_files)
        return FoundRecords(
            named=named,
            of_asker=self.request.asker_records,
            linked=linked,
            word_scores=word_scores,
        )


# The files that were found for a request: documents (texts for all requests) and records.
#
# For "Close loan-12", the best document may name further documents. So they are ranked twice:
#
#     ranked = found.documents.rank()        `/docs/loans.md` is the best document
#     found.documents.read_linked(ranked)    `/docs/fees.md`, which it names, is read, too
#     ranked = found.documents.rank()
#     found.best_first(ranked)               -> `loan-12.json` (score 8), `/docs/loans.md` (1.3)


@dataclass(frozen=True, slots=True)
class _FoundFiles:
    """The files that were found for a request. The calls that read them may still run."""

    documents: _DocumentReader
    """Reads and ranks documents."""
    records: _RecordReader
    """Has sent the calls that read records: files about one case."""
    found_records: FoundRecords
    """The records that fit the request, by how they were found."""
    facts: RequestFacts
    """Says who asks, and so which records may be shown."""

    def best_first(self, documents: _RankedDocuments) -> list[Candidate]:
        """Return these documents and the found records, the best file first.

        Waits for the calls that read records.
        """
        reader = self.records
        records = rank_records(
            self.found_records, reader.known, reader.file_reader, self.facts.asker
        )
        # The sort is stable: files of the same score stay in the order of the listings.
        return sorted(
            [*documents.candidates.values(), *records],
            key=lambda candidate: candidate.score,
            reverse=True,
        )


# Tells which of the listed files have not been read yet, and may be read for a request.
#
# The first calls of a trial have listed all files, and read some for every request:
#
#     listed files        /RULES.md, /docs/loans.md, /records/loans/loan-12.json, /logs/a.txt
#     read                /RULES.md
#     documents           /docs/loans.md, a text for all requests: these are found in another way
#         -> /records/loans/loan-12.json, /logs/a.txt
#
# The list may also have `/old/UNLISTED`, which is no file: it says that the folder `/old` may have
# files that are not listed. It is left out.


def _unread_files(
    listed_files: Iterable[str], documents: Collection[str], calls: InitialCalls
) -> list[str]:
    """Return the listed files that are not documents, and that no call has as its `path`."""
    left_out = set(documents)
    for sent in calls.all_calls:
        path = sent.call.arguments.get("path")
        if isinstance(path, str):
            left_out.add(path)
    return [
        path for path in listed_files if path not in left_out and not is_unlisted(path)
    ]


# What is known of a workspace's files before any of them is read for a request.
#
# For "Close loan-12 for the late returns", after the first calls have listed the files:
#
# | field | for example |
# |---|---|
# | `records`, files about one case | `/records/loans/loan-12.json` |
# | `documents`, texts for all requests | `/docs/loans.md` |
# | `request`, its words and the files that it names | `close`, `late`; `loan-12.json` |

_MAX_KINDS: Final = 2
"""A request that names no record is about at most this many kinds of records, such as loans."""


@dataclass(frozen=True, slots=True)
class _KnownFiles:
    """The listed files, of which none is read yet, and the terms of the request."""

    records: KnownRecords
    documents: KnownDocuments
    request: RequestTerms

    @classmethod
    def of(
        cls, calls: InitialCalls, facts: RequestFacts, listed: ListedDocuments
    ) -> _KnownFiles:
        """Return the files that the first calls have listed. `listed` are the documents."""
        files = _unread_files(facts.listed.files, listed.paths, calls)
        records = KnownRecords.among(files, calls.tool_schema)
        dates = calls.tool_schema.document_dates
        return cls(
            records=records,
            documents=KnownDocuments.unread(listed, facts, dates),
            request=RequestTerms.of(facts, listed.paths, records.names),
        )

    def topic(self, found_records: Iterable[str] = ()) -> _RequestTopic:
        """Return what the request is about, by the records that it names.

        By the rule "/records/loans: lent books", `loan-12.json` is about `lent` and `books`. A
        request that names no record is about the best of `found_records`: records that have words
        of the request, the best first.
        """
        kinds = self.records.kinds
        records = self.request.named_records
        if not records:
            records = kinds.first_of_each(found_records)[:_MAX_KINDS]
        return _topic_of(self.request, records, kinds, self.documents.descriptions)


# Scores records by the words of a request, in their paths and in the lines that a search found.
#
# A record is a file about one case, such as `/records/loans/l-12.json`. For "Which loan is late?",
# if a search has found the line `"state": "late"` in one of three records:
#
# | record | has | score |
# |---|---|---|
# | `/records/loans/l-4.json` | `loan` in its path, `late` in the found line | 1.0 |
# | `/records/loans/l-12.json` | `loan` in its path | 0.49, as a share of the best score |
# | `/records/books/b7.json` | no word | none |

_MIN_WORD_SCORE: Final = 0.25
"""The word score that a record needs to become a candidate."""


def _record_word_scores(
    records: Sequence[str],
    found_lines: Mapping[str, str],
    request: RequestTerms,
    ranking: WordRanking,
) -> dict[str, float]:
    """Return the word scores of the records that fit, by path, the best first.

    Records that the request names, and those of the user who asks, are left out: they are
    shown anyway.

    Args:
        records: The paths of all records.
        found_lines: The lines that a search found, by the record's path.
        request: The words and ids of the request.
        ranking: Compares words with texts.
    """
    texts = _texts_with_words(records, found_lines, request.words)
    words = [*request.words, *request.ids]
    # A word counts more if few of all texts have it. But `texts` has only records with words. So
    # as many empty texts are added as there are records: a word is then rare among all of them.
    scores = ranking.scores(texts, words, empty_texts=len(records))
    for path in (*request.named_records, *request.asker_records):
        scores.pop(path, None)

    fitting: dict[str, float] = {}
    for path, score in _scaled_to_best(scores).items():
        if score >= _MIN_WORD_SCORE:
            fitting[path] = score
    return fitting


def _texts_with_words(
    records: Sequence[str], found_lines: Mapping[str, str], words: Sequence[str]
) -> dict[str, TitledText]:
    """Return the records that may have a word of the request: their paths, as titles, with the
    lines that the search found in them.

    The search has looked for words and ids. So only the paths are looked at here. A word may be
    there in another form, so its beginning is compared: `retur` of `returned`.
    """
    beginnings = [beginning_of(word) for word in words]
    texts: dict[str, TitledText] = {}
    for path in records:
        title = path.casefold()
        has_word = any(beginning in title for beginning in beginnings)
        if has_word or path in found_lines:
            texts[path] = TitledText(path, found_lines.get(path, ""))
    return texts


# The searches by which the files are found that have words of a request.
#
# A file about one case is a *record*, and a text for all requests is a *document*. For "Close l-12
# for the late returns", in a workspace with records in `/records` and documents in `/docs`:
#
#     Search("/records", ["l-12", "close", "late", "returns"])
#     Search("/docs", ["clos", "l-12", "late", "retu", "/records/loans"])
#
# A document may have the words in another form, so it is searched for their beginnings. It may also
# name the folder of the records that it is about.

_MAX_SEARCH_TERMS: Final = 16
"""The most terms that one search takes from the request, or from the folders of records."""


def _record_searches(
    roots: Sequence[str], request: RequestTerms, rules: str
) -> list[Search]:
    """Return a search of each of these folders with records; none without terms.

    `rules` is the text of the workspace's rules.
    """
    terms = _record_terms(request, rules)
    if not terms:
        return []
    return [Search(root, terms) for root in roots]


def _record_terms(request: RequestTerms, rules: str) -> list[str]:
    """Return the terms by which records are searched: the ids, and the special words.

    A word that is also in the workspace's rules, such as `loan`, is left out: it is general,
    and so in too many records. With `loans` in the rules, `loan` is left out, too.
    """
    folded_rules = rules.casefold()
    terms = list(request.ids)
    for word in request.words:
        is_general = beginning_of(word) in folded_rules
        if word not in terms and not is_general:
            terms.append(word)
    return terms[:_MAX_SEARCH_TERMS]


def _document_searches(
    root: str, topic_words: Sequence[str], record_folders: Sequence[str]
) -> list[Search]:
    """Return the search of the documents below a folder; none without words.

    `topic_words` are those of the request, and those by which the workspace's rules describe
    the records that it names. `record_folders` are the folders of records.
    """
    beginnings = sorted({beginning_of(word) for word in topic_words})
    if not beginnings:
        return []
    return [Search(root, [*beginnings, *record_folders])]


# Searches a workspace for the words of a request, to find the files to show to the model.
#
# Records, such as `/records/loans/loan-12.json`, are searched for the ids and special words of the
# request; documents, such as `/docs/loans.md`, for all its words. "Close loan-12 for the late returns"
# finds, by path, the lines with a word that begins like one of them:
#
#     {"/docs/loans.md": "Late returns cost a fee.\n"}


def _search_workspace(
    known: _KnownFiles, calls: InitialCalls, facts: RequestFacts
) -> dict[str, str]:
    """Search the records and the documents. Return the found lines by path."""
    records = known.records
    # Do not search folders that are known to have no files.
    roots = [root for root in records.kinds.roots if not facts.listed.is_empty(root)]
    searches = _record_searches(roots, known.request, facts.rules)

    documents = known.documents.listed
    if documents.paths:
        topic = known.topic()
        # A document may be about a folder of records, such as `loans`, so their names are searched,
        # too. As a search takes only so many terms, the fullest folders come first.
        folders = records.kinds.fullest_first(records.paths, _MAX_SEARCH_TERMS)
        searches += _document_searches(documents.root, topic.words, folders)
    return _search_files(calls, records.declared.search, searches)


def find_files(
    calls: InitialCalls,
    facts: RequestFacts,
    listed: ListedDocuments,
    ranking: WordRanking,
) -> _FoundFiles:
    """Search the files of a workspace, and send calls that read those that fit the request.

    `listed` are the documents among the files. `ranking` compares words with texts. The last
    calls may still run, so that others can be sent beside them.
    """
    known = _KnownFiles.of(calls, facts, listed)
    records = known.records

    # 1. Begin to read the records that the request names: `/records/loans/loan-12.json`.
    record_reader = _RecordReader.of(calls, records, known.request)
    record_reader.read_named()

    # 2. Meanwhile, search all files: the records for `loan-12`, `close`, `late` and `returns`, the
    #    documents for these, and for `lent` and `books`.
    found_lines = _search_workspace(known, calls, facts)
    word_scores = _record_word_scores(
        records.paths, found_lines, known.request, ranking
    )

    # 3. Read the documents about such records in which the best lines were found:
    #    `/docs/loans.md`.
    searched = known.documents.with_texts(found_lines)
    topic = known.topic(found_records=word_scores)
    file_reader = FileReader(calls, listed.read)
    document_reader = _DocumentReader(searched, topic, ranking, file_reader)
    document_reader.read_best()

    # 4. Read the records with the words, and those that the named records name:
    #    `loan-12.json` is about the book `/records/books/b7.json`.
    found_records = record_reader.read_found(word_scores)
    return _FoundFiles(document_reader, record_reader, found_records, facts)
