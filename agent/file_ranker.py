"""Ranks the files of a workspace by how well they fit a request, for the first message
to show.

- The **rules** are the text in which the workspace tells agents how to work. They say
  which documents are about which subject, and where the records are.
- A **document** is a text for all trials, such as the policy `/docs/parking.md`.
- A **notice** is a document that changes other documents from the day in its name on.
- A **record** is any other file, mostly about one case, such as
  `/records/loans/l-12.json`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from controlplane.agent.document_dates import Validity, day_in_name, period_of
from controlplane.agent.evidence.call_under_way import CallUnderWay
from controlplane.agent.file_candidate import (
    ASKER_POINTS,
    FOLDER_POINTS,
    LINKED_POINTS,
    LISTED_POINTS,
    NAMED_POINTS,
    NOTICE_POINTS,
    OFF_TOPIC_NOTICE_POINTS,
    ROUTED_POINTS,
    Candidate,
    Reason,
    declared_records,
)
from controlplane.agent.file_names import (
    FileNames,
    ids_in,
    lines_pattern,
    request_words,
)
from controlplane.agent.initial_calls import InitialCalls
from controlplane.agent.listed_files import ListedFiles, is_unlisted
from controlplane.agent.record_owners import Asker, is_withheld
from controlplane.agent.rules_routing import paths_in, subjects_of
from controlplane.sandbox.files.word_ranking import (
    TitledText,
    WordRanking,
    beginning_of,
    words_of,
)
from controlplane.sandbox.interface import Operation, Plain


@dataclass(slots=True)
class RequestFacts:
    """What is known about a request before files are chosen for it."""

    instruction: str
    now: datetime | None = None
    """The trial's clock, with its time zone; None if the trial has no clock."""
    rules: str = ""
    """The text of the workspace's rules; empty until they are read."""
    listed: ListedFiles = field(default_factory=ListedFiles)
    outputs: list[str] = field(default_factory=list)
    """The outputs of the environment's tools that were run for the first message, such
    as the one that prints who asks. Help texts are not among them."""
    asker: Asker = field(default_factory=Asker)
    """The user who asks, if the environment declares a tool that prints this."""


@dataclass(frozen=True, slots=True)
class ListedDocuments:
    """The documents that one of the environment's declared calls lists."""

    read_operation: Operation | None = None
    """The operation that reads a document; None if there are no documents."""
    root: str = "/"
    """The folder that holds them."""
    paths: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RequestTerms:
    """The files that a request names, and the words by which others are searched."""

    words: list[str]
    """The words of its first line. Its other lines may quote somebody else."""
    ids: list[str]
    """The ids in it, such as `loan-12`. If it names no record, also those in the tools'
    outputs."""
    named_documents: list[str]
    named_records: list[str]
    asker_records: list[str]
    """The records that the tools' outputs name: those of the user who asks."""

    @classmethod
    def of(
        cls, facts: RequestFacts, documents: ListedDocuments, names: FileNames
    ) -> RequestTerms:
        """Return the terms of a request. `names` has the names of the records."""
        first_line = facts.instruction.strip().partition("\n")[0]
        outputs = "\n".join(facts.outputs)
        paths = paths_in(first_line)
        named_records = names.files_named_in(facts.instruction)
        text_with_ids = facts.instruction
        if not named_records:
            text_with_ids += f"\n{outputs}"
        return cls(
            words=request_words(first_line),
            ids=ids_in(text_with_ids),
            named_documents=[
                document for document in documents.paths if document in paths
            ],
            named_records=named_records,
            asker_records=names.files_named_in(outputs),
        )


# A word score says how well a file's words fit the request: 1 for the best file, 0 for
# none in common.

# 1. What is searched.
MAX_SEARCH_TERMS: Final = 16
"""The most ids and words that are searched in records."""
MAX_FOUND_LINES: Final = 1_000
"""The most lines that one search returns."""

# 2. What is read because of the found lines.
MIN_RECORD_WORD_SCORE: Final = 0.25
"""The word score that a record needs to become a candidate."""
MAX_RECORD_KINDS: Final = 2
"""If the request names no record, the kinds of the records that fit best, such as
loans, help to choose documents: at most this many kinds."""
MAX_BEST_DOCUMENTS: Final = 3
MAX_NOTICES: Final = 8
"""Only so many notices are read, the latest ones. A notice changes documents from a day
on."""
MAX_LINKS: Final = 8
"""The files that a record names are read, unless it names more than this: then it is a
list."""
CALLS_NOT_FOR_RECORDS: Final = 4
"""Calls that `read_found` does not use. Later steps need them: `read_linked`, and help
texts."""

# 3. Which notices are about the request.
MIN_TOPIC_WORD_SCORE: Final = 0.75
"""A notice is about the request if it names a document that fits the request this
well."""

# 4. What is read because of the texts of documents.
MAX_NEXT_BEST_DOCUMENTS: Final = 5


class FileRanker:
    """Ranks the documents and records of one request.

    Each method sends calls, and the next one waits for their results. They are used in
    this order, and the user of the class may send other calls in between:

    1. `search` reads the files that the request names, and searches the others for its
       words.
    2. `read_found` reads the files whose found lines fit best.
    3. `rank` gives every file its score.
    4. `read_linked` reads the documents that the best ones name.
    5. `rank` again, with the texts that were read since.
    """

    def __init__(
        self,
        calls: InitialCalls,
        facts: RequestFacts,
        documents: ListedDocuments,
        ranking: WordRanking,
    ) -> None:
        self._calls = calls
        self._facts = facts
        self._ranking = ranking
        self._documents = documents
        schema = calls.tool_schema
        self._declared_records = declared_records(schema)
        self._read_record = schema.operation(self._declared_records.read)
        self._document_dates = schema.document_dates
        self._record_owners = schema.record_owners

        # From the listing, the request and the rules.
        other_files = self._files_besides_documents()
        record_folders = tuple(
            _with_slash(root) for root in self._declared_records.roots
        )
        self._records = [
            path for path in other_files if path.startswith(record_folders)
        ]
        self._file_names = FileNames(other_files, record_folders)
        self._request = RequestTerms.of(facts, documents, self._file_names)
        self._subjects = subjects_of(facts.rules)
        """The words with which the rules describe a path: `{"/docs/parking.md": "cars,
        permits"}`. The path may also be a folder of records."""
        self._notices = self._find_notices()

        # From the results of the calls.
        self._searches: list[CallUnderWay] = []
        self._document_texts: dict[str, str] = {}
        """The text of each document; until it is read, only the lines that the search
        found."""
        self._document_words = [
            *self._request.words,
            *self._subject_words(self._request.named_records),
        ]
        """The words by which documents are ranked: those of the request, and those that
        the rules use for the folders of its records."""
        self._record_word_scores: dict[str, float] = {}
        """The records that contain words of the request, the best first."""
        self._linked_records: list[str] = []
        """The records whose paths or ids are in the texts of the named records."""
        self.candidates: list[Candidate] = []
        """The files to choose from, the best first."""

    def _files_besides_documents(self) -> list[str]:
        """Return the listed files except documents and files that other initial calls
        read."""
        left_out = set(self._documents.paths)
        # Calls without a path add "None", which is no file's path.
        for sent_call in self._calls.sent_calls:
            left_out.add(str(sent_call.call.arguments.get("path")))
        files: list[str] = []
        for path in self._facts.listed.files:
            if path not in left_out and not is_unlisted(path):
                files.append(path)
        return files

    def _find_notices(self) -> list[str]:
        """Return the documents that are notices, such as
        `/docs/updates/2031-05-02-keys.md`.

        A notice has a day in its name and is in a folder of notices. That is a folder
        which the rules name, but without a subject for it or its files: notices are
        about all subjects.
        """
        if self._document_dates is None or not self._document_dates.in_names:
            return []
        notice_folders = set(paths_in(self._facts.rules))
        notice_folders.difference_update(self._documents.paths)
        notice_folders.difference_update(_folder_of(path) for path in self._subjects)

        notices: list[str] = []
        for path in self._documents.paths:
            if _folder_of(path) in notice_folders and day_in_name(path):
                notices.append(path)
        return notices

    def _subject_words(self, records: Collection[str]) -> list[str]:
        """Return the words with which the rules describe the folders of some records.

        `/records/loans/l-12.json` -> `lent`, `books`, if the rules say "/records/loans:
        lent books"
        """
        words: list[str] = []
        for folder, subject in self._subjects.items():
            if any(record.startswith(f"{folder}/") for record in records):
                words += words_of(subject)
        return words

    # 1. Search.

    def search(self) -> None:
        """Send calls that read the named records, and calls that search all records and
        documents for the words of the request."""
        self._calls.read(
            self._read_record,
            [*self._request.named_records, *self._request.asker_records],
            self._declared_records.most,
        )
        search_operation = self._declared_records.search
        if self._calls.tool_schema.operation(search_operation) is None:
            return

        record_terms = self._record_search_terms()
        for root in self._declared_records.roots:
            is_empty = (
                self._facts.listed.below(root) == []
            )  # None if files may be unlisted
            if record_terms and not is_empty:
                self._send_search(root, record_terms)

        if self._documents.paths and self._document_words:
            document_terms = sorted(
                {beginning_of(word) for word in self._document_words}
            )
            self._send_search(
                self._documents.root, [*document_terms, *self._folders_of_records()]
            )

    def _record_search_terms(self) -> list[str]:
        """Return the ids of the request, and its words that are not in the rules.

        A word that is in the rules, such as `loan`, occurs in too many records.
        """
        rules = self._facts.rules.casefold()
        terms = list(self._request.ids)
        for word in self._request.words:
            if word not in terms and beginning_of(word) not in rules:
                terms.append(word)
        return terms[:MAX_SEARCH_TERMS]

    def _folders_of_records(self) -> list[str]:
        """Return the folders of the kinds of records, such as `/records/loans`, the
        fullest first."""
        counts = Counter(self._kind_of(record) for record in self._records)
        return [folder for folder, _ in counts.most_common(MAX_SEARCH_TERMS)]

    def _send_search(self, root: str, terms: Sequence[str]) -> None:
        """Send a call that searches the files below `root` for lines with one of the
        terms."""
        arguments: dict[str, Plain] = {
            "pattern": lines_pattern(terms),
            "root": root,
            "limit": MAX_FOUND_LINES,
        }
        self._searches.append(
            self._calls.send(self._declared_records.search, arguments)
        )

    # 2. Read the files whose found lines fit.

    def read_found(self) -> None:
        """Send calls that read the documents and records whose found lines fit best.

        The notices are read, too, and so are the files that the named records name.
        """
        # 1. Keep what the search has found. If the request names no record, the best records show
        # which kinds it is about. The rules' words for these kinds help to find
        # documents.
        found_lines = self._found_lines()
        for document in self._documents.paths:
            self._document_texts[document] = found_lines.get(document, "")
        self._record_word_scores = self._score_records_by_words(found_lines)
        if not self._request.named_records:
            self._document_words += self._subject_words(
                self._best_record_of_each_kind()
            )

        # 2. Read documents.
        best_documents = [document.path for document in self._ranked_documents()]
        notices = [
            notice for notice in self._notices if not self._is_out_of_force(notice)
        ]
        self._calls.read(
            self._documents.read_operation,
            [
                *self._request.named_documents,
                *best_documents[:MAX_BEST_DOCUMENTS],
                *notices[-MAX_NOTICES:],
            ],
            self._calls.remaining_calls,
        )

        # 3. Read records with the calls that are left, except some for `read_linked` and for help.
        self._linked_records = self._links_of_named_records()
        calls_for_records = max(self._calls.remaining_calls - CALLS_NOT_FOR_RECORDS, 0)
        self._calls.read(
            self._read_record,
            [*self._linked_records, *self._record_word_scores],
            min(self._declared_records.most, calls_for_records),
        )

    def _found_lines(self) -> dict[str, str]:
        """Return the lines that the searches found in each file, by path."""
        lines: dict[str, str] = defaultdict(str)
        for search_call in self._searches:
            matches = self._calls.result(search_call).get("matches")
            if not isinstance(matches, list):
                continue
            for match in matches:
                if isinstance(match, dict):
                    lines[str(match.get("path"))] += f"{match.get('text', '')}\n"
        return dict(lines)

    def _score_records_by_words(
        self, found_lines: Mapping[str, str]
    ) -> dict[str, float]:
        """Return the word scores, from 0 to 1, of the records that fit, the best first.

        Words count in a record's path and in its found lines. Named records and those
        of the user who asks are left out, because they are shown anyway.
        """
        beginnings = [beginning_of(word) for word in self._request.words]
        texts: dict[str, TitledText] = {}
        for path in self._records:
            folded_path = path.casefold()
            has_word_in_path = any(beginning in folded_path for beginning in beginnings)
            if has_word_in_path or path in found_lines:
                texts[path] = TitledText(path, found_lines.get(path, ""))

        # A rare word counts more. `further_texts` stands for the records without any of
        # the words, because a word that all found records have may still be rare among
        # all records.
        points = self._ranking.scores(
            texts,
            [*self._request.words, *self._request.ids],
            further_texts=len(self._records),
        )
        for path in (*self._request.named_records, *self._request.asker_records):
            points.pop(path, None)
        word_scores = scaled_to_best(points)
        return {
            path: word_score
            for path, word_score in word_scores.items()
            if word_score >= MIN_RECORD_WORD_SCORE
        }

    def _best_record_of_each_kind(self) -> list[str]:
        """Return the best record of each kind, for the `MAX_RECORD_KINDS` best
        kinds."""
        best_records: dict[str, str] = {}
        for record in self._record_word_scores:
            best_records.setdefault(self._kind_of(record), record)
        return list(best_records.values())[:MAX_RECORD_KINDS]

    def _kind_of(self, record: str) -> str:
        """Return the folder with all records of the same kind; empty for a file that is
        no record.

        `/data/places/Delft/s-1.json` -> `/data/places`, if `/data` is a folder of
        records `/letters/l-1.txt` -> `/letters`, if `/letters` is one
        """
        for root in self._declared_records.roots:
            folder = _with_slash(root)
            if record.startswith(folder):
                subfolder, slash, _ = record.removeprefix(folder).partition("/")
                return folder + subfolder if slash else root.rstrip("/")
        return ""

    def _links_of_named_records(self) -> list[str]:
        """Return the files whose paths or ids are in the texts of the named records.

        Records in JSON are searched only if the environment declares so
        (`follows_records`).
        """
        linked_files: list[str] = []
        texts = self._calls.texts(self._read_record, self._request.named_records)
        for text in texts.values():
            is_json = text.startswith(("{", "["))
            if is_json and not self._declared_records.follows_records:
                continue
            links = self._file_names.files_named_in(text)
            if len(links) <= MAX_LINKS:
                linked_files += links
        return linked_files

    # How well documents fit, and whether they are in force.

    def _score_documents_by_words(self) -> dict[str, float]:
        """Return the word scores, from 0 to 1, of the documents that fit, the best
        first.

        Notices are left out: all that are in force are shown anyway.
        """
        texts: dict[str, TitledText] = {}
        for document in self._documents.paths:
            file_name = document.rpartition("/")[2]
            title = f"{self._subjects.get(document, '')} {file_name}"
            texts[document] = TitledText(title, self._document_texts.get(document, ""))
        points = self._ranking.scores(texts, self._document_words)
        for notice in self._notices:
            points.pop(notice, None)
        return scaled_to_best(points)

    def _ranked_documents(self) -> list[Candidate]:
        """Return the documents that fit the request, the best first, by what is known
        so far.

        If none fits, return those of `_listed_documents`.
        """
        word_scores = self._score_documents_by_words()
        routed_documents = self._routed_documents()
        documents_on_folders = self._documents_on_folders()
        ranked: list[Candidate] = []
        for path in dict.fromkeys([*word_scores, *documents_on_folders]):
            candidate = self._document_candidate(path)
            candidate.word_score = word_scores.get(path, 0.0)
            if path in routed_documents:
                candidate.add(Reason.ROUTED, candidate.word_score + ROUTED_POINTS)
            elif path in word_scores:
                candidate.add(Reason.WORDS, candidate.word_score)
            if path in documents_on_folders:
                candidate.add(Reason.FOLDER, FOLDER_POINTS)
            ranked.append(candidate)
        if not ranked:
            ranked = self._listed_documents()

        # The sort is stable: documents of the same score stay in the order of their
        # words.
        ranked.sort(key=lambda candidate: candidate.score, reverse=True)
        for rank, candidate in enumerate(ranked):
            candidate.rank = rank
        return ranked

    def _listed_documents(self) -> list[Candidate]:
        """Return the documents for which the rules give a subject; all if there are
        none."""
        listed = [path for path in self._subjects if path in self._documents.paths]
        documents: list[Candidate] = []
        for path in listed or self._documents.paths:
            candidate = self._document_candidate(path)
            candidate.word_score = 1.0  # All fit equally well.
            candidate.add(Reason.LISTED, LISTED_POINTS)
            documents.append(candidate)
        return documents

    def _document_candidate(self, path: str) -> Candidate:
        return Candidate(
            path,
            is_document=True,
            read_operation=self._documents.read_operation,
            is_notice=path in self._notices,
            validity=self._validity(path),
        )

    def _routed_documents(self) -> set[str]:
        """Return the documents that the rules describe with words of the request.

        A request about parking: `/docs/parking.md`, if the rules say "parking:
        /docs/parking.md"
        """
        subjects: dict[str, TitledText] = {}
        for document in self._documents.paths:
            if document in self._subjects:
                subjects[document] = TitledText(self._subjects[document], "")
        return set(self._ranking.scores(subjects, self._document_words))

    def _documents_on_folders(self) -> list[str]:
        """Return the documents that name the folder of the request's records:
        `/records/loans`."""
        records = self._request.named_records or self._best_record_of_each_kind()
        folders = {self._kind_of(record) for record in records}
        documents: list[str] = []
        for document in self._documents.paths:
            named_paths = paths_in(self._document_texts.get(document, ""))
            if document not in self._notices and not folders.isdisjoint(named_paths):
                documents.append(document)
        return documents

    def _validity(self, document: str) -> Validity:
        """Return whether a document is in force by the trial's clock.

        `UNDATED` if the trial has no clock, or if neither the document's name nor its
        text has dates.
        """
        dates = self._document_dates
        if dates is None or self._facts.now is None:
            return Validity.UNDATED
        is_dated_by_name = document in self._notices
        is_dated_by_text = bool(dates.from_keys or dates.until_keys)
        if not is_dated_by_name and not is_dated_by_text:
            return Validity.UNDATED
        period = period_of(dates, document, self._document_texts.get(document, ""))
        return period.validity(self._facts.now)

    def _is_out_of_force(self, document: str) -> bool:
        """Return True if a document is certainly not in force: its period has not
        begun, or is over."""
        return self._validity(document) in (Validity.NOT_BEGUN, Validity.ENDED)

    # 3. Score the files.

    def rank(self) -> None:
        """Give every candidate its score, from all texts that were read so far."""
        read_texts = self._calls.texts(
            self._documents.read_operation, self._documents.paths
        )
        self._document_texts |= read_texts

        candidates: dict[str, Candidate] = {}
        for path in self._documents.paths:
            candidates[path] = self._document_candidate(path)
        for document in self._ranked_documents():
            candidates[document.path] = document
        for path in (
            *self._request.named_records,
            *self._request.asker_records,
            *self._linked_records,
            *self._record_word_scores,
        ):
            candidates[path] = Candidate(
                path,
                is_document=False,
                read_operation=self._read_record,
                kind=self._kind_of(path),
            )

        self._score_named_documents(candidates)
        self._score_notices(candidates)
        self._score_records(candidates)
        # The sort is stable: candidates of the same score stay in the order of the
        # listings.
        self.candidates = sorted(
            candidates.values(), key=lambda candidate: candidate.score, reverse=True
        )

    def _score_named_documents(self, candidates: Mapping[str, Candidate]) -> None:
        """Score the documents that the request names, and refuse those that are not in
        force."""
        for document in self._request.named_documents:
            candidates[document].add(Reason.NAMED, NAMED_POINTS)
        for document in self._documents.paths:
            if self._is_out_of_force(document):
                candidates[document].refuse(Reason.NOT_IN_FORCE)

    def _score_notices(self, candidates: Mapping[str, Candidate]) -> None:
        """Score the notices in force, and the documents that they change.

        A notice that names no document may change all of them.
        """
        for path in self._notices:
            notice = candidates[path]
            if notice.is_refused:
                continue

            changed_paths = self._documents_named_in(self._document_texts[path])
            changed_documents = [
                candidates[changed_path] for changed_path in changed_paths
            ]
            best_word_score = max(
                (changed.word_score for changed in changed_documents), default=0.0
            )
            may_change_all_documents = not changed_documents
            if may_change_all_documents or best_word_score >= MIN_TOPIC_WORD_SCORE:
                notice.add(Reason.NOTICE, NOTICE_POINTS)
                for changed in changed_documents:
                    changed.add(Reason.LINKED, LINKED_POINTS)
            else:
                notice.add(Reason.NOTICE, OFF_TOPIC_NOTICE_POINTS)

    def _score_records(self, candidates: Mapping[str, Candidate]) -> None:
        """Score the records, and refuse those that belong to another user than the one
        who asks."""
        for path in self._request.named_records:
            candidates[path].add(Reason.NAMED, NAMED_POINTS)
        for path in self._request.asker_records:
            candidates[path].add(Reason.ASKER, ASKER_POINTS)
        for path in self._linked_records:
            candidates[path].add(Reason.LINKED, LINKED_POINTS)
        for path, word_score in self._record_word_scores.items():
            candidates[path].word_score = word_score
            candidates[path].add(Reason.WORDS, word_score)

        owners = self._record_owners
        if owners is None:
            return
        for path, text in self._calls.texts(self._read_record, candidates).items():
            if is_withheld(owners, self._facts.asker, text):
                candidates[path].refuse(Reason.WITHHELD)

    @property
    def best_document_text(self) -> str:
        """The text of the document with the highest score; empty if none was read."""
        for candidate in self.candidates:
            if candidate.is_document and self._document_texts.get(candidate.path):
                return self._document_texts[candidate.path]
        return ""

    # 4. Read the documents that the best ones name.

    def read_linked(self) -> None:
        """Send calls that read the documents named by the notices and by the best
        document, and then the next best documents."""
        best_documents = [document.path for document in self._ranked_documents()]
        linked_documents: list[str] = []
        for document in [*self._notices, *best_documents[:1]]:
            linked_documents += self._documents_named_in(self._document_texts[document])
        self._calls.read(
            self._documents.read_operation,
            [*linked_documents, *best_documents[:MAX_NEXT_BEST_DOCUMENTS]],
            self._calls.remaining_calls,
        )

    def _documents_named_in(self, text: str) -> list[str]:
        """Return the documents whose paths are in a text, in the order of the
        listing."""
        named_paths = set(paths_in(text))
        return [
            document for document in self._documents.paths if document in named_paths
        ]


def scaled_to_best(scores: Mapping[str, float]) -> dict[str, float]:
    """Return scores scaled so that the best is 1: `{"a": 8, "b": 2}` -> `{"a": 1.0,
    "b": 0.25}`.

    The best must come first. If no score is above 0, all become 1: no text fits better
    than another.
    """
    best_score = next(iter(scores.values()), 0.0)
    if best_score <= 0:
        return dict.fromkeys(scores, 1.0)
    return {name: score / best_score for name, score in scores.items()}


def _with_slash(folder: str) -> str:
    return folder.rstrip("/") + "/"


def _folder_of(path: str) -> str:
    return path.rpartition("/")[0]
