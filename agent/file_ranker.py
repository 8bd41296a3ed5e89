"""Chooses the files that the first message shows, because they fit the request.

A **document** is a text for all trials, such as the policy `/docs/refunds.md`; a **notice** is a document that changes
others from the day in its name on. A **record** is a file about one case, such as `/records/loans/l-12.json`. Every
file gets one score, with the reasons for it, and the characters of the message are spent from the highest score down.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Final

import re2

from controlplane.agent.document_dates import Validity, day_in_name, period_of
from controlplane.agent.events import RankedFile
from controlplane.agent.evidence.recorder import CallUnderWay
from controlplane.agent.initial_calls import InitialCalls
from controlplane.agent.listed_files import ListedFiles, is_unlisted
from controlplane.agent.prompt_sections import SectionWriter, shown_length
from controlplane.agent.record_owners import Asker, is_withheld
from controlplane.agent.rules_routing import BETWEEN_NAMES, paths_in, subjects_of
from controlplane.sandbox.files.word_ranking import (
    TitledText,
    WordRanking,
    beginning_of,
    words_of,
)
from controlplane.sandbox.interface import NamedFiles, Operation, Plain


class Reason(StrEnum):
    """Why a file is shown, or why it is not."""

    NAMED = "named"
    """The request names it by its path or id."""
    ASKER = "asker"
    """It is the record of the user who asks."""
    NOTICE = "notice"
    """It is a notice, and the day in its name has come."""
    ROUTED = "routed"
    """The workspace's rules say that the document is about something in the request."""
    LINKED = "linked"
    """A named record, or a notice about the request, names it."""
    WORDS = "words"
    """It has words of the request."""
    LISTED = "listed"
    """No document has words of the request: those that the rules name are shown, or the first ones."""
    WITHHELD = "withheld"
    """It is somebody else's record."""
    NOT_IN_FORCE = "not in force"
    """It is a notice that has not begun, or has ended."""


_SURE_REASONS: Final = frozenset({Reason.NAMED, Reason.ASKER, Reason.NOTICE, Reason.LINKED})
"""Reasons that do not rest on common words alone."""

# What each reason adds to the score of a file. A file that only has words of the request scores at most 1: its share
# of the score of the file whose words fit best.

NAMED_SCORE: Final = 8.0
ASKER_SCORE: Final = 3.0
NOTICE_SCORE: Final = 2.0
"""For a notice about documents that fit the request, or about no document in particular."""
OTHER_NOTICE_SCORE: Final = 1.2
"""For a notice about documents that do not fit: it still comes before files that only have words in common."""
LINKED_SCORE: Final = 1.5
ROUTED_SCORE: Final = 0.3
"""For a document to which the rules lead, beside its words: it precedes one with a few more words in common."""
LISTED_SCORE: Final = 0.1


@dataclass(slots=True)
class Candidate:
    """A file that may be shown."""

    path: str
    is_document: bool
    """False for a record."""
    score: float = 0.0
    word_share: float = 0.0
    """How well its words fit, as a share of the best file of its kind: 1 is the best."""
    reasons: list[Reason] = field(default_factory=list)
    shown_chars: int = 0

    def add(self, reason: Reason, score: float) -> None:
        """Raise the score, for a reason that counts once."""
        if reason not in self.reasons:
            self.reasons.append(reason)
            self.score += score

    @property
    def is_refused(self) -> bool:
        """True if the file is not shown, however well it fits."""
        return Reason.WITHHELD in self.reasons or Reason.NOT_IN_FORCE in self.reasons

    @property
    def is_sure(self) -> bool:
        """True if more than common words speaks for the file."""
        return not _SURE_REASONS.isdisjoint(self.reasons)

    def row(self) -> RankedFile:
        """Return what the journal tells of the file."""
        return RankedFile(
            path=self.path,
            score=round(self.score, 2),
            reason="+".join(self.reasons),
            chars=self.shown_chars,
        )


@dataclass(slots=True)
class RequestFacts:
    """What is known of a request before files are chosen for it."""

    instruction: str
    now: datetime | None = None
    """The trial's clock, with its zone; None if it has none."""
    rules: str = ""
    """The workspace's rules, if they were read."""
    listed: ListedFiles = field(default_factory=ListedFiles)
    outputs: list[str] = field(default_factory=list)
    """Output of tools that were not asked for help."""
    asker: Asker = field(default_factory=Asker)
    """Who asks, if the environment declares which tool prints it."""


@dataclass(frozen=True, slots=True)
class ListedDocuments:
    """The documents that a declared call lists."""

    read: Operation | None
    """The operation that reads one of them; None if there are none."""
    root: str
    """The folder that holds them."""
    paths: tuple[str, ...]


MAX_REQUEST_CHARS: Final = 100_000
"""Names of files are looked for in so much of a text."""


class FileNames:
    """The names by which a text may mean a listed file: its path, and for a record also its id.

    `/records/loans/loan_12.json` is meant by `/records/loans/loan_12.json` and by `loan-12`.
    """

    def __init__(self) -> None:
        self._paths_by_name: dict[str, list[str]] = defaultdict(list)

    def add_path(self, path: str) -> None:
        """Let a file be named by its path."""
        self._paths_by_name[_folded_name(path).strip("/")].append(path)

    def add_id(self, record: str) -> None:
        """Let a record be named by its id, which is the name of its file without the ending."""
        file_name = _folded_name(record).rpartition("/")[2]
        self._paths_by_name[file_name.partition(".")[0]].append(record)

    def named_in(self, text: str) -> list[str]:
        """Return the files that a text names, each once, in the order of the text."""
        paths: dict[str, None] = {}
        for token in text[:MAX_REQUEST_CHARS].translate(BETWEEN_NAMES).split():
            name = _folded_name(token.strip(".-_/"))
            for path in self._paths_by_name.get(name, ()):
                paths[path] = None
        return list(paths)


def _folded_name(name: str) -> str:
    return name.casefold().replace("_", "-")


_ID: Final = re2.compile(r"\pL+[-_]\pN+")
"""An id such as `loan-12` or `cust_083`."""

# How much is searched and read.

MAX_SEARCH_TERMS: Final = 16
"""Ids and words of the request that are looked for in records."""
MAX_FOUND_LINES: Final = 1_000
"""Lines that one search returns."""
MAX_BEST_DOCUMENTS_READ: Final = 3
"""Documents that are read because their found lines fit best."""
MAX_NEXT_BEST_DOCUMENTS_READ: Final = 5
"""The same at the second reading, when more texts are known."""
MAX_NOTICES_READ: Final = 8
"""The latest notices are read."""
MAX_LINKS: Final = 8
"""A record that names more files than these does not lead to them: it is a list."""
MAX_RECORD_KINDS: Final = 2
"""If the request names no record, it is taken to be about the kinds of the best records: so many kinds."""
RESERVED_CALLS: Final = 4
"""Initial calls that records leave to the linked documents and to the help of tools."""

# How well the words of a file must fit. All are shares of a best score.

MIN_RECORD_SHARE: Final = 0.25
"""A record becomes a candidate from this share of the best record's score on."""
MIN_SHOWN_RECORD_SHARE: Final = 0.5
"""A record is shown for its words alone from this share on."""
ALIKE_SHARE: Final = 0.9
"""Records of one kind fit alike from this share of the best one of their kind on."""
MAX_ALIKE_RECORDS: Final = 6
"""If more records of one kind fit alike, their words do not tell them apart, and none is shown."""
MIN_SHARES_BY_RANK: Final = (0.0, 0.45, 0.6, 0.8)
"""The best document is shown for its words in any case, the second best from a share of 0.45 on, and so on; the fifth
is not shown."""
MIN_NOTICE_SHARE: Final = 0.75
"""A notice is about the request if a document that it names fits from this share on."""

# How the characters of the message are spent.

MAX_NAMED_RECORD_PART: Final = 0.4
"""The part of all characters that one named record may take, so that the documents about it have room beside it."""
RESERVED_PART: Final = 0.2
"""The last part of all characters, which is kept for files with more than common words."""
MIN_CHARS: Final = 250
"""Less of a file says too little to be shown."""
SECTION_CHARS: Final = 160
"""Characters around the text of a file: its title, and the notice of a cut."""

# What the journal tells.

MAX_ROWS: Final = 40
"""Files in the journal, the shown ones first."""
MAX_LEFT_OUT_ROWS: Final = 12
"""Of these, files that are not shown."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A file that is shown, up to a number of characters, with the call that read it."""

    candidate: Candidate
    read: Operation
    call: CallUnderWay
    max_chars: int


class FileRanker:
    """Ranks the documents and records of one request, in the batches of the initial calls.

    Its methods are called in this order, since each looks at what the calls before it returned:

    1. `search` reads the named files, and searches records and documents for words of the request
    2. `read` reads what fits by the found lines
    3. `rank` gives every candidate its score
    4. `read_linked` reads what the best document and the notices name, and `rank` is called again
    5. `show` writes the candidates into the message; `rows` says why, for the journal
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
        self._schema = calls.tool_schema
        self._named_files = self._schema.named_files or NamedFiles((), most=0)
        """The environment's declaration of its records: where they are, and how they are searched and read."""
        self._record_read = self._schema.operation(self._named_files.read)
        self.documents = documents.paths
        self._document_read = documents.read
        self._document_root = documents.root
        self._file_names = FileNames()
        self._records: list[str] = []
        """All listed records."""
        self._add_listed_files()

        # What the request says. Its later lines may be somebody else's note, so only the first one gives words.
        first_line = facts.instruction.strip().partition("\n")[0]
        self._words = request_words(first_line)
        self._named_records = self._file_names.named_in(facts.instruction)
        self._asker_records = self._file_names.named_in("\n".join(facts.outputs))
        paths_in_first_line = paths_in(first_line)
        self._named_documents = [path for path in self.documents if path in paths_in_first_line]
        self._ids = self._ids_of_request()

        # What the rules say.
        self._subjects = subjects_of(facts.rules)
        """The rules' words about a path: `/docs/refunds.md` -> `money back, returns`."""
        self._notices = self._notices_among_documents()
        self._record_words = self._words_about(self._named_records)
        """The rules' words about the kinds of the records in question, such as `loans` about `/records/loans`."""

        # What the calls returned.
        self._searches: list[CallUnderWay] = []
        self._known_texts: dict[str, str] = {}
        """The text of each document, or its found lines before it is read."""
        self._record_shares: dict[str, float] = {}
        """The records that fit by their words, best first, with their shares of the best one's score."""
        self._linked_records: list[str] = []
        """The records that named records name."""

        # What `rank` found.
        self.candidates: list[Candidate] = []
        """All candidates, best first."""
        self._best_documents: list[str] = []
        """The documents that fit best by their words: as many as `MIN_SHARES_BY_RANK`."""

    # What the request and the rules name.

    def _add_listed_files(self) -> None:
        """Note the records among the listed files, and the names of files beside documents and opened ones."""
        opened = {str(call.call.arguments.get("path")) for call in self._calls.begun}
        left_out = opened | set(self.documents)
        record_folders = tuple(root.rstrip("/") + "/" for root in self._named_files.roots)
        for path in self._facts.listed.files:
            if path in left_out or is_unlisted(path):
                continue
            self._file_names.add_path(path)
            if path.startswith(record_folders):
                self._file_names.add_id(path)
                self._records.append(path)

    def _ids_of_request(self) -> list[str]:
        """Return the ids in the request, and, if it names no record, those that the tools print of the asker."""
        text = self._facts.instruction
        if not self._named_records:
            text = "\n".join([text, *self._facts.outputs])
        return [word for word in words_of(text) if _ID.match(word)]

    def _notices_among_documents(self) -> list[str]:
        """Return the documents that are notices.

        They have a day in their names, and are in a folder that the rules name, but not as a subject's place:
        `/docs/updates/2031-05-02-keys.md` if the rules say that `/docs/updates` changes the other documents.
        """
        dates = self._schema.document_dates
        if dates is None or not dates.in_names:
            return []
        subject_folders = {_folder_of(path) for path in self._subjects}
        notice_folders = set(paths_in(self._facts.rules)) - set(self.documents) - subject_folders
        notices: list[str] = []
        for path in self.documents:
            if _folder_of(path) in notice_folders and day_in_name(path):
                notices.append(path)
        return notices

    def _words_about(self, records: Collection[str]) -> list[str]:
        """Return the words that the rules have about the folders of some records."""
        words: list[str] = []
        for folder, subject in self._subjects.items():
            if any(record.startswith(f"{folder}/") for record in records):
                words += words_of(subject)
        return words

    # 1. Search.

    def search(self) -> None:
        """Begin to read the named files, and to search records and documents for words of the request."""
        self._calls.read(
            self._record_read,
            [*self._named_records, *self._asker_records],
            self._named_files.most,
        )
        if self._schema.operation(self._named_files.search) is None:
            return

        terms = self._record_search_terms()
        for root in self._named_files.roots:
            files = self._facts.listed.below(root)
            is_known_as_empty = files is not None and not files
            if terms and not is_known_as_empty:
                self._begin_search(root, terms)

        document_words = [*self._words, *self._record_words]
        if self.documents and document_words:
            beginnings = sorted({beginning_of(word) for word in document_words})
            self._begin_search(self._document_root, beginnings)

    def _record_search_terms(self) -> list[str]:
        """Return the ids of the request, and its words that the rules do not have.

        A word of the rules, such as `loan`, is in too many records.
        """
        rules = self._facts.rules.casefold()
        terms = list(self._ids)
        for word in self._words:
            if word not in terms and beginning_of(word) not in rules:
                terms.append(word)
        return terms[:MAX_SEARCH_TERMS]

    def _begin_search(self, root: str, terms: Sequence[str]) -> None:
        arguments: dict[str, Plain] = {
            "pattern": lines_pattern(terms),
            "root": root,
            "limit": MAX_FOUND_LINES,
        }
        self._searches.append(self._calls.send(self._named_files.search, arguments))

    # 2. Read what fits by the found lines.

    def read(self) -> None:
        """Begin to read what fits so far: documents, notices that have begun, and records with their links."""
        found_lines = self._found_lines()
        self._record_shares = self._fitting_records(found_lines)
        if not self._named_records:
            self._record_words = self._words_about(self._best_records_by_kind())
        for document in self.documents:
            self._known_texts[document] = found_lines.get(document, "")
        self._read_best_documents()
        self._linked_records = self._records_named_by_records()
        self._calls.read(
            self._record_read,
            [*self._linked_records, *self._record_shares],
            min(self._named_files.most, self._calls.spare - RESERVED_CALLS),
        )

    def _found_lines(self) -> dict[str, str]:
        """Return the lines that the searches found, by path."""
        lines: dict[str, str] = defaultdict(str)
        for call in self._searches:
            matches = self._calls.result(call).get("matches")
            if not isinstance(matches, list):
                continue
            for match in matches:
                if isinstance(match, dict):
                    lines[str(match.get("path"))] += f"{match.get('text', '')}\n"
        return dict(lines)

    def _fitting_records(self, found_lines: Mapping[str, str]) -> dict[str, float]:
        """Return the records that fit by words of their paths and found lines, best first, as shares of the best."""
        beginnings = [beginning_of(word) for word in self._words]
        texts: dict[str, TitledText] = {}
        for path in self._records:
            folded_path = path.casefold()
            has_word = any(beginning in folded_path for beginning in beginnings)
            if has_word or path in found_lines:
                texts[path] = TitledText(path, found_lines.get(path, ""))
        scores = self._ranking.scores(
            texts, [*self._words, *self._ids], further_texts=len(self._records)
        )
        # Named records are shown in any case: the others are compared among themselves.
        for path in (*self._named_records, *self._asker_records):
            scores.pop(path, None)
        shares = shares_of_best(scores)
        return {path: share for path, share in shares.items() if share >= MIN_RECORD_SHARE}

    def _best_records_by_kind(self) -> list[str]:
        """Return the best record of each kind, of the best kinds only."""
        best_records: dict[str, str] = {}
        for record in self._record_shares:
            best_records.setdefault(self._kind_of(record), record)
        return list(best_records.values())[:MAX_RECORD_KINDS]

    def _read_best_documents(self) -> None:
        """Begin to read the documents that the request names, the best ones, and the latest notices in force."""
        best_documents = self._ranked_documents()[:MAX_BEST_DOCUMENTS_READ]
        notices = [notice for notice in self._notices if self._may_be_in_force(notice)]
        self._calls.read(
            self._document_read,
            [*self._named_documents, *best_documents, *notices[-MAX_NOTICES_READ:]],
            self._calls.spare,
        )

    def _records_named_by_records(self) -> list[str]:
        """Return the files that the named files name, as far as the environment wants them followed."""
        linked: list[str] = []
        texts = self._calls.texts(self._record_read, self._named_records)
        for text in texts.values():
            is_json = text.startswith(("{", "["))
            if is_json and not self._named_files.follows_records:
                continue
            links = self._file_names.named_in(text)
            if len(links) <= MAX_LINKS:
                linked += links
        return linked

    # How well documents fit, and whether they are in force.

    def _document_shares(self) -> dict[str, float]:
        """Return the documents with words of the request, best first, as shares of the best; no notices.

        The words that the rules have for the kinds of its records count, too.
        """
        texts: dict[str, TitledText] = {}
        for document in self.documents:
            file_name = document.rpartition("/")[2]
            title = f"{self._subjects.get(document, '')} {file_name}"
            texts[document] = TitledText(title, self._known_texts.get(document, ""))
        scores = self._ranking.scores(texts, [*self._words, *self._record_words])
        for notice in self._notices:
            scores.pop(notice, None)
        return shares_of_best(scores)

    def _ranked_documents(self) -> list[str]:
        """Return the documents that fit, best first; if none fits, those that the rules name, else all."""
        ranked = list(self._document_shares())
        if ranked:
            return ranked
        named_by_rules = [path for path in self._subjects if path in self.documents]
        return named_by_rules or list(self.documents)

    def _routed_documents(self) -> set[str]:
        """Return the documents for which the rules have words of the request."""
        subjects: dict[str, TitledText] = {}
        for document in self.documents:
            if document in self._subjects:
                subjects[document] = TitledText(self._subjects[document], "")
        return set(self._ranking.scores(subjects, [*self._words, *self._record_words]))

    def _may_be_in_force(self, document: str) -> bool:
        """Say whether a document may be in force by the trial's clock: it has begun, or nothing tells."""
        return self._validity(document) not in (Validity.NOT_BEGUN, Validity.ENDED)

    def _validity(self, document: str) -> Validity:
        """Return whether a document is in force by the trial's clock; undated if nothing tells."""
        dates = self._schema.document_dates
        if dates is None or self._facts.now is None:
            return Validity.UNDATED
        is_dated_by_name = document in self._notices
        is_dated_by_text = bool(dates.from_keys or dates.until_keys)
        if not is_dated_by_name and not is_dated_by_text:
            return Validity.UNDATED
        period = period_of(dates, document, self._known_texts.get(document, ""))
        return period.validity(self._facts.now)

    # 3. Give scores.

    def rank(self) -> None:
        """Give every candidate its score, by all texts that were read."""
        self._take_document_texts()
        candidates: dict[str, Candidate] = {}
        for path in self.documents:
            candidates[path] = Candidate(path, is_document=True)
        for path in (
            *self._named_records,
            *self._asker_records,
            *self._linked_records,
            *self._record_shares,
        ):
            candidates.setdefault(path, Candidate(path, is_document=False))
        self._score_documents(candidates)
        self._score_notices(candidates)
        self._score_records(candidates)
        # Candidates of the same score stay in the order of the listings.
        self.candidates = sorted(
            candidates.values(), key=lambda candidate: candidate.score, reverse=True
        )

    def _score_documents(self, candidates: Mapping[str, Candidate]) -> None:
        """Score the documents that the request names, and those that fit by their words."""
        for document in self._named_documents:
            candidates[document].add(Reason.NAMED, NAMED_SCORE)

        ranked = self._ranked_documents()
        self._best_documents = ranked[: len(MIN_SHARES_BY_RANK)]
        routed = self._routed_documents()
        shares = self._document_shares()
        for document, share in shares.items():
            candidates[document].word_share = share
            if document in routed:
                candidates[document].add(Reason.ROUTED, share + ROUTED_SCORE)
            else:
                candidates[document].add(Reason.WORDS, share)
        if not shares:
            for document in ranked:
                candidates[document].word_share = 1.0
                candidates[document].add(Reason.LISTED, LISTED_SCORE)

        for document in self.documents:
            if not self._may_be_in_force(document):
                candidates[document].reasons.append(Reason.NOT_IN_FORCE)

    def _score_notices(self, candidates: Mapping[str, Candidate]) -> None:
        """Score the notices in force, and the documents that those about the request name."""
        for notice in self._notices:
            if candidates[notice].is_refused:
                continue
            named = self._documents_named_in(self._known_texts[notice])
            names_fitting_document = any(
                candidates[document].word_share >= MIN_NOTICE_SHARE for document in named
            )
            if named and not names_fitting_document:
                candidates[notice].add(Reason.NOTICE, OTHER_NOTICE_SCORE)
                continue
            candidates[notice].add(Reason.NOTICE, NOTICE_SCORE)
            for document in named:
                candidates[document].add(Reason.LINKED, LINKED_SCORE)

    def _score_records(self, candidates: Mapping[str, Candidate]) -> None:
        """Score the records, and mark those that belong to others than the asker."""
        for path in self._named_records:
            candidates[path].add(Reason.NAMED, NAMED_SCORE)
        for path in self._asker_records:
            candidates[path].add(Reason.ASKER, ASKER_SCORE)
        for path in self._linked_records:
            candidates[path].add(Reason.LINKED, LINKED_SCORE)
        for path, share in self._record_shares.items():
            candidates[path].word_share = share
            candidates[path].add(Reason.WORDS, share)

        owners = self._schema.record_owners
        if owners is None:
            return
        texts = self._calls.texts(self._record_read, candidates)
        for path, text in texts.items():
            if is_withheld(owners, self._facts.asker, text):
                candidates[path].reasons.append(Reason.WITHHELD)

    # 4. Read what the best document and the notices name.

    def read_linked(self) -> None:
        """Begin to read the documents that notices and the best document name, and the next best ones."""
        self._take_document_texts()
        ranked = self._ranked_documents()
        linked: list[str] = []
        for document in [*self._notices, *ranked[:1]]:
            linked += self._documents_named_in(self._known_texts[document])
        self._calls.read(
            self._document_read,
            [*linked, *ranked[:MAX_NEXT_BEST_DOCUMENTS_READ]],
            self._calls.spare,
        )

    def _take_document_texts(self) -> None:
        """Replace the found lines of documents that were read by their whole texts."""
        self._known_texts |= self._calls.texts(self._document_read, self.documents)

    def _documents_named_in(self, text: str) -> list[str]:
        named_paths = set(paths_in(text))
        return [document for document in self.documents if document in named_paths]

    # 5. Show the best files.

    def show(self, writer: SectionWriter) -> None:
        """Show the candidates from the highest score down, as far as there is room, and name the others."""
        choices = self._choices(min(self._schema.ranked_chars, writer.left))
        # Documents come first: other trials may share them.
        choices.sort(key=lambda choice: not choice.candidate.is_document)
        for choice in choices:
            validity = Validity.UNDATED
            if choice.candidate.is_document:
                validity = self._validity(choice.candidate.path)
            note = f" ({validity})" if validity else ""
            choice.candidate.shown_chars = writer.show(
                choice.read, choice.call, choice.max_chars, fits=note
            )
        self._name_files_not_shown(writer)

    def _choices(self, max_chars: int) -> list[Choice]:
        """Return the files that are shown in `max_chars` characters, the highest score first."""
        choices: list[Choice] = []
        remaining_chars = max_chars
        reserved_chars = int(RESERVED_PART * self._schema.ranked_chars)
        has_document = False
        distinct_records = self._distinct_records()
        for candidate in self.candidates:
            read = self._document_read if candidate.is_document else self._record_read
            call = self._calls.sent(read, candidate.path)
            if read is None or call is None or not self._is_shown(candidate, distinct_records):
                continue

            # The best document is treated like a file that the request names.
            is_best_document = candidate.is_document and not has_document
            available_chars = remaining_chars
            if not candidate.is_sure and not is_best_document:
                available_chars -= reserved_chars
            if available_chars < MIN_CHARS:
                continue
            wanted_chars = self._wanted_chars(candidate, read)
            may_be_cut = is_best_document or Reason.NAMED in candidate.reasons
            if wanted_chars > available_chars and not may_be_cut:
                continue

            granted_chars = min(wanted_chars, available_chars)
            choices.append(Choice(candidate, read, call, granted_chars))
            remaining_chars -= granted_chars
            if candidate.is_document:
                has_document = True
        return choices

    def _wanted_chars(self, candidate: Candidate, read: Operation) -> int:
        """Return the characters that a file takes if there is room; records are cut, documents are not."""
        text = self._calls.texts(read, [candidate.path]).get(candidate.path, "")
        whole_chars = shown_length(text) + SECTION_CHARS
        if candidate.is_document:
            return whole_chars
        if Reason.NAMED in candidate.reasons:
            return min(whole_chars, int(MAX_NAMED_RECORD_PART * self._schema.ranked_chars))
        return min(whole_chars, self._named_files.each_chars)

    def _is_shown(self, candidate: Candidate, distinct_records: Collection[str]) -> bool:
        """Say whether a file is shown if there is room for it."""
        if not candidate.reasons or candidate.is_refused:
            return False
        if candidate.is_sure:
            return True
        if not candidate.is_document:
            return candidate.path in distinct_records
        if candidate.path not in self._best_documents:
            return False
        rank = self._best_documents.index(candidate.path)
        return candidate.word_share >= MIN_SHARES_BY_RANK[rank]

    def _distinct_records(self) -> set[str]:
        """Return the records whose words set them apart from the other records of their kind.

        If many records of a kind fit alike, none of them is returned.
        """
        candidates_by_kind: dict[str, list[Candidate]] = defaultdict(list)
        for candidate in self.candidates:
            if candidate.is_document or Reason.WITHHELD in candidate.reasons:
                continue
            if candidate.word_share >= MIN_SHOWN_RECORD_SHARE:
                candidates_by_kind[self._kind_of(candidate.path)].append(candidate)

        distinct: set[str] = set()
        for candidates in candidates_by_kind.values():
            best_share = max(candidate.word_share for candidate in candidates)
            alike: list[str] = []
            for candidate in candidates:
                if candidate.word_share >= ALIKE_SHARE * best_share:
                    alike.append(candidate.path)
            if len(alike) <= MAX_ALIKE_RECORDS:
                distinct.update(alike)
        return distinct

    def _kind_of(self, record: str) -> str:
        """Return the folder that holds the records of one kind.

        `/data/places/Delft/s-1.json` -> `/data/places`, if `/data` is a folder of records
        """
        for root in self._named_files.roots:
            base = root.rstrip("/") + "/"
            if record.startswith(base):
                return base + record.removeprefix(base).partition("/")[0]
        return ""

    def _name_files_not_shown(self, writer: SectionWriter) -> None:
        """Say how many documents, which notices and which named records are not shown."""
        notes: list[str] = []
        document_count = 0
        for candidate in self.candidates:
            if candidate.shown_chars:
                continue
            if candidate.path in self._notices or Reason.NOT_IN_FORCE in candidate.reasons:
                validity = self._validity(candidate.path)
                notes.append(f"{candidate.path} ({validity})" if validity else candidate.path)
            elif candidate.is_document:
                document_count += 1
            elif Reason.NAMED in candidate.reasons and Reason.WITHHELD in candidate.reasons:
                notes.append(f"{candidate.path} (it belongs to somebody else)")
        if document_count:
            notes.insert(0, f"{document_count} documents of {self._document_root}")
        if notes:
            writer.say(f"(Not shown: {'; '.join(notes)}.)\n")

    @property
    def best_document_text(self) -> str:
        """The text of the document with the highest score; empty if none was read."""
        for candidate in self.candidates:
            if candidate.is_document and self._known_texts.get(candidate.path):
                return self._known_texts[candidate.path]
        return ""

    def rows(self) -> tuple[RankedFile, ...]:
        """Return what the journal tells: the files that are shown, and the best of those that are not."""
        shown: list[RankedFile] = []
        left_out: list[RankedFile] = []
        for candidate in self.candidates:
            if candidate.shown_chars:
                shown.append(candidate.row())
            elif candidate.reasons:
                left_out.append(candidate.row())
        rows = [*shown[:MAX_ROWS], *left_out[:MAX_LEFT_OUT_ROWS]]
        return tuple(rows[:MAX_ROWS])


def request_words(text: str) -> list[str]:
    """Return the words of a request; of a path only the words of its names below the first folder.

    `pay back /records/loans/late_fees.json` -> `pay`, `back`, `loans`, `late`, `fees`, if all are telling words
    """
    parts: list[str] = []
    for token in text.split():
        path = token.strip("`'\"()[]{}<>,;:!?.")
        if path.startswith("/"):
            below_first_folder = path.strip("/").partition("/")[2].partition(".")[0]
            names = below_first_folder.replace("/", " ").replace("_", " ").replace("-", " ")
            parts += [name for name in names.split() if name.isalpha()]
        else:
            parts.append(token)
    return words_of(" ".join(parts))


def shares_of_best(scores: Mapping[str, float]) -> dict[str, float]:
    """Return scores, the best of which is the first, as shares of the best: `{a: 8, b: 2}` -> `{a: 1.0, b: 0.25}`."""
    best_score = next(iter(scores.values()), 0.0)
    if best_score <= 0:
        return dict.fromkeys(scores, 1.0)
    return {name: score / best_score for name, score in scores.items()}


def lines_pattern(terms: Iterable[str]) -> str:
    """Return the pattern of lines with a word that begins like one of the terms, in any case.

    `loan`, `b7` -> `(?i)(?:^|[^0-9A-Za-z])(?:loan|b7)`
    """
    alternatives = "|".join(re2.escape(term) for term in terms)
    return f"(?i)(?:^|[^0-9A-Za-z])(?:{alternatives})"


def _folder_of(path: str) -> str:
    return path.rpartition("/")[0]
