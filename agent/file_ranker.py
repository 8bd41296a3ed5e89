"""Chooses the files that fit the request, for the first message to show.

- A **document** is a text for all trials, such as the policy `/docs/refunds.md`.
- A **notice** is a document that changes other documents from a day on, which is in its name.
- A **record** is a file about one case, such as `/records/loans/l-12.json`.

Each file gets one score, and the reasons for it. The files with the highest scores are shown until
the message is full.
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
    """The reason why a file is shown, or why it is left out."""

    NAMED = "named"
    """The request names it by its path or id."""
    ASKER = "asker"
    """It is the record of the user who asks."""
    NOTICE = "notice"
    """It is a notice that is in force."""
    ROUTED = "routed"
    """The workspace's rules describe the document with words of the request."""
    LINKED = "linked"
    """A named record, or a notice about the request, names it."""
    WORDS = "words"
    """It contains words of the request."""
    LISTED = "listed"
    """No document contains words of the request, so the documents that the rules name are shown, or
    else the first ones."""
    WITHHELD = "withheld"
    """It is a record of another user than the one who asks."""
    NOT_IN_FORCE = "not in force"
    """It is a document whose period of validity has not begun, or has ended."""


_SURE_REASONS: Final = frozenset({Reason.NAMED, Reason.ASKER, Reason.NOTICE, Reason.LINKED})
"""Reasons that are stronger than words in common with the request."""

# What each reason adds to a file's score. Words in common add at most 1: the file's share of the
# word score of the best file.

NAMED_SCORE: Final = 8.0
ASKER_SCORE: Final = 3.0
NOTICE_SCORE: Final = 2.0
"""For a notice that names a document that fits the request, or names no document."""
OTHER_NOTICE_SCORE: Final = 1.2
"""For a notice that names only other documents. It is above 1, so the notice still precedes files
that only have words in common."""
LINKED_SCORE: Final = 1.5
ROUTED_SCORE: Final = 0.3
"""For a document that the rules describe with words of the request. It is added to the document's
word score, so the document precedes one with slightly more words in common."""
LISTED_SCORE: Final = 0.1


@dataclass(slots=True)
class Candidate:
    """A file that may be shown. `FileRanker.rank` creates it, with its score."""

    path: str
    is_document: bool
    """False for a record."""
    score: float = 0.0
    word_share: float = 0.0
    """Its word score as a share of the best file of its kind, from 0 to 1."""
    reasons: list[Reason] = field(default_factory=list)
    shown_chars: int = 0

    def add(self, reason: Reason, score: float) -> None:
        """Add a reason and its score, unless the file has the reason already."""
        if reason not in self.reasons:
            self.reasons.append(reason)
            self.score += score

    @property
    def is_refused(self) -> bool:
        """True if the file must not be shown, even with a high score."""
        return Reason.WITHHELD in self.reasons or Reason.NOT_IN_FORCE in self.reasons

    @property
    def is_sure(self) -> bool:
        """True if the file has a reason stronger than words in common with the request."""
        return not _SURE_REASONS.isdisjoint(self.reasons)

    def row(self) -> RankedFile:
        """Return the file's row for the journal."""
        return RankedFile(
            path=self.path,
            score=round(self.score, 2),
            reason="+".join(self.reasons),
            chars=self.shown_chars,
        )


@dataclass(slots=True)
class RequestFacts:
    """The facts about a request that are known before files are chosen for it."""

    instruction: str
    now: datetime | None = None
    """The trial's clock, with its time zone; None if the trial has no clock."""
    rules: str = ""
    """The text of the workspace's rules; empty until they are read."""
    listed: ListedFiles = field(default_factory=ListedFiles)
    outputs: list[str] = field(default_factory=list)
    """The outputs of the tools that were run, except for help texts."""
    asker: Asker = field(default_factory=Asker)
    """The user who asks, if the environment declares a tool that prints this."""


@dataclass(frozen=True, slots=True)
class ListedDocuments:
    """The documents that one of the environment's declared calls lists."""

    read: Operation | None
    """The operation that reads a document; None if there are no documents."""
    root: str
    """The folder that holds them."""
    paths: tuple[str, ...]


MAX_REQUEST_CHARS: Final = 100_000
"""Only this many characters of a text are searched for names of files."""


class FileNames:
    """Finds the listed files that a text names, by path, or by id for a record.

    A text names `/records/loans/loan_12.json` by this path, and also by `loan-12`.
    """

    def __init__(self) -> None:
        self._paths_by_name: dict[str, list[str]] = defaultdict(list)

    def add_path(self, path: str) -> None:
        """Add the path of a file as its name."""
        self._paths_by_name[_folded_name(path).strip("/")].append(path)

    def add_id(self, record: str) -> None:
        """Add the id of a record, which is its file's name without the extension, as a name."""
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
"""An id: letters, a separator and digits, such as `loan-12` or `case_083`."""

# Limits on what is searched and read.

MAX_SEARCH_TERMS: Final = 16
"""Max ids and words of the request that are searched in records."""
MAX_FOUND_LINES: Final = 1_000
"""Max lines that one search returns."""
MAX_BEST_DOCUMENTS_READ: Final = 3
"""Max documents that are read first, because the lines found in them fit best."""
MAX_NEXT_BEST_DOCUMENTS_READ: Final = 5
"""Max documents in the second round of reading, when more texts are known."""
MAX_NOTICES_READ: Final = 8
"""Max notices that are read, the latest ones."""
MAX_LINKS: Final = 8
"""Links of a record with more links than this are not followed: the record is a list."""
MAX_RECORD_KINDS: Final = 2
"""If the request names no record, its kinds of records are those of the best records, at most this
many."""
RESERVED_CALLS: Final = 4
"""Initial calls that are reserved for linked documents and the help of tools, so records cannot use
them."""

# Minimum word scores, each as a share of the best score.

MIN_RECORD_SHARE: Final = 0.25
"""A record needs this share of the best record's score to become a candidate."""
MIN_SHOWN_RECORD_SHARE: Final = 0.5
"""A record needs this share to be shown for its words alone."""
ALIKE_SHARE: Final = 0.9
"""A record with this share of the best score of its kind fits as well as the best one."""
MAX_ALIKE_RECORDS: Final = 6
"""If more records of one kind fit equally well, words cannot tell them apart, and none is shown."""
MIN_SHARES_BY_RANK: Final = (0.0, 0.45, 0.6, 0.8)
"""The share that a document needs to be shown for its words, by its rank.

The best document is always shown. The second best needs a share of 0.45. The fifth is never shown.
"""
MIN_NOTICE_SHARE: Final = 0.75
"""A notice is about the request if it names a document with at least this share."""

# How the message's room for ranked files is divided.

MAX_NAMED_RECORD_PART: Final = 0.4
"""The part of the room that one named record may take. The rest is for the documents about it."""
RESERVED_PART: Final = 0.2
"""The part of the room that is reserved for files with a reason stronger than words in common."""
MIN_CHARS: Final = 250
"""A file is not shown if fewer characters than this are available."""
SECTION_CHARS: Final = 160
"""Characters that a file takes in addition to its text: its title, and the note about a cut."""

# Limits on the rows in the journal.

MAX_ROWS: Final = 40
"""Max files in the journal, the shown ones first."""
MAX_LEFT_OUT_ROWS: Final = 12
"""Max files in the journal that are not shown."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A file to show, with the call that read it and the characters that it may take."""

    candidate: Candidate
    read: Operation
    call: CallUnderWay
    max_chars: int


class FileRanker:
    """Ranks the documents and records of one request for its first message.

    Created once for each first message. Its methods are called in this order, because each of them
    uses the results of the calls before it:

    1. `search` reads the named files, and searches records and documents for words of the request.
    2. `read` reads the files whose found lines fit.
    3. `rank` gives every candidate its score.
    4. `read_linked` reads the documents that the best document and the notices name. `rank` is
    called again.
    5. `show` writes the candidates into the message, and `rows` returns the reasons for the
    journal.
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
        """The environment's declaration of its records: their folders, and how to search and read
        them."""
        self._record_read = self._schema.operation(self._named_files.read)
        self.documents = documents.paths
        self._document_read = documents.read
        self._document_root = documents.root
        self._file_names = FileNames()
        self._records: list[str] = []
        """All listed records."""
        self._add_listed_files()

        # From the request. Words come from its first line only: the other lines may quote somebody
        # else.
        first_line = facts.instruction.strip().partition("\n")[0]
        self._words = request_words(first_line)
        self._named_records = self._file_names.named_in(facts.instruction)
        self._asker_records = self._file_names.named_in("\n".join(facts.outputs))
        paths_in_first_line = paths_in(first_line)
        self._named_documents = [path for path in self.documents if path in paths_in_first_line]
        self._ids = self._ids_of_request()

        # From the rules.
        self._subjects = subjects_of(facts.rules)
        """The words with which the rules describe a path: `{"/docs/refunds.md": "money back,
        returns"}`."""
        self._notices = self._notices_among_documents()
        self._record_words = self._words_about(self._named_records)
        """The words with which the rules describe the folders of the request's records."""

        # From the results of calls.
        self._searches: list[CallUnderWay] = []
        self._known_texts: dict[str, str] = {}
        """The text of each document; before the document is read, the lines that the search found
        in it."""
        self._record_shares: dict[str, float] = {}
        """The records whose words fit, best first, with their shares of the best record's score."""
        self._linked_records: list[str] = []
        """The files that the named records name."""

        # From `rank`.
        self.candidates: list[Candidate] = []
        """All candidates, best first."""
        self._best_documents: list[str] = []
        """The documents whose words fit best, as many as `MIN_SHARES_BY_RANK` has shares."""

    # Names in the request and in the rules.

    def _add_listed_files(self) -> None:
        """Add the listed records, and the names of all listed files except documents and opened
        files."""
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
        """Return the ids in the request and, if it names no record, those in the outputs of
        tools."""
        text = self._facts.instruction
        if not self._named_records:
            text = "\n".join([text, *self._facts.outputs])
        return [word for word in words_of(text) if _ID.match(word)]

    def _notices_among_documents(self) -> list[str]:
        """Return the documents that are notices, such as `/docs/updates/2031-05-02-keys.md`.

        A notice has a day in its name. The rules name its folder, such as `/docs/updates`, but do
        not describe it as the folder of one subject.
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
        """Return the words with which the rules describe the folders of `records`."""
        words: list[str] = []
        for folder, subject in self._subjects.items():
            if any(record.startswith(f"{folder}/") for record in records):
                words += words_of(subject)
        return words

    # 1. Search.

    def search(self) -> None:
        """Start to read the named files, and to search records and documents for words of the
        request."""
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
        """Return the ids of the request, and its words that are not in the rules.

        A word that is in the rules, such as `loan`, occurs in too many records.
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

    # 2. Read the files whose found lines fit.

    def read(self) -> None:
        """Start to read the best documents, the notices in force, and the best and linked
        records."""
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
        """Return the records whose paths or found lines fit, best first, with shares of the best
        score."""
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
        # Named records are always shown, so only the others are compared.
        for path in (*self._named_records, *self._asker_records):
            scores.pop(path, None)
        shares = shares_of_best(scores)
        return {path: share for path, share in shares.items() if share >= MIN_RECORD_SHARE}

    def _best_records_by_kind(self) -> list[str]:
        """Return the best record of each of the best kinds."""
        best_records: dict[str, str] = {}
        for record in self._record_shares:
            best_records.setdefault(self._kind_of(record), record)
        return list(best_records.values())[:MAX_RECORD_KINDS]

    def _read_best_documents(self) -> None:
        """Start to read the named documents, the best documents, and the latest notices in
        force."""
        best_documents = self._ranked_documents()[:MAX_BEST_DOCUMENTS_READ]
        notices = [notice for notice in self._notices if self._may_be_in_force(notice)]
        self._calls.read(
            self._document_read,
            [*self._named_documents, *best_documents, *notices[-MAX_NOTICES_READ:]],
            self._calls.spare,
        )

    def _records_named_by_records(self) -> list[str]:
        """Return the files that the named records name.

        Links in JSON records are followed only if the environment declares so (`follows_records`).
        """
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
        """Return the documents whose words fit, without notices, best first, with shares of the
        best score.

        Words fit if they are in the request, or if the rules use them for the kinds of its records.
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
        """Return the documents that fit, best first.

        If none fits, return the documents that the rules describe. If there are none, return all
        documents.
        """
        ranked = list(self._document_shares())
        if ranked:
            return ranked
        named_by_rules = [path for path in self._subjects if path in self.documents]
        return named_by_rules or list(self.documents)

    def _routed_documents(self) -> set[str]:
        """Return the documents that the rules describe with words of the request."""
        subjects: dict[str, TitledText] = {}
        for document in self.documents:
            if document in self._subjects:
                subjects[document] = TitledText(self._subjects[document], "")
        return set(self._ranking.scores(subjects, [*self._words, *self._record_words]))

    def _may_be_in_force(self, document: str) -> bool:
        """Return True unless the trial's clock shows that a document has not begun, or has
        ended."""
        return self._validity(document) not in (Validity.NOT_BEGUN, Validity.ENDED)

    def _validity(self, document: str) -> Validity:
        """Return whether a document is in force by the trial's clock.

        `UNDATED` if the trial has no clock, or if neither the document's name nor its text has
        dates.
        """
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
        """Give every candidate its score, from all texts that were read so far."""
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
        # The sort is stable: candidates of the same score stay in the order of the listings.
        self.candidates = sorted(
            candidates.values(), key=lambda candidate: candidate.score, reverse=True
        )

    def _score_documents(self, candidates: Mapping[str, Candidate]) -> None:
        """Score the documents that the request names, and those whose words fit."""
        for document in self._named_documents:
            candidates[document].add(Reason.NAMED, NAMED_SCORE)

        ranked = self._ranked_documents()
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
        # The sort is stable: documents of the same score stay in the order of their words.
        ranked.sort(key=lambda document: candidates[document].score, reverse=True)
        self._best_documents = ranked[: len(MIN_SHARES_BY_RANK)]

        for document in self.documents:
            if not self._may_be_in_force(document):
                candidates[document].reasons.append(Reason.NOT_IN_FORCE)

    def _score_notices(self, candidates: Mapping[str, Candidate]) -> None:
        """Score the notices in force, and the documents that the notices about the request name."""
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
        """Score the records, and mark those that belong to another user than the one who asks."""
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

    # 4. Read the documents that the best document and the notices name.

    def read_linked(self) -> None:
        """Start to read the documents that notices and the best document name, and the next best
        ones."""
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
        """Replace the found lines of each document that was read with its whole text."""
        self._known_texts |= self._calls.texts(self._document_read, self.documents)

    def _documents_named_in(self, text: str) -> list[str]:
        named_paths = set(paths_in(text))
        return [document for document in self.documents if document in named_paths]

    # 5. Show the best files.

    def show(self, writer: SectionWriter) -> None:
        """Show the candidates, from the highest score down until the room is used, and name the
        others."""
        choices = self._choices(min(self._schema.ranked_chars, writer.left))
        # Documents come first: if several trials begin with the same text, endpoints can cache it.
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
        """Return the files to show in `max_chars` characters, the highest score first."""
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

            # The best document may use the reserved room and may be cut, like a named file.
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
        """Return the characters that a file takes if there is room.

        That is the whole text of a document, and at most a fixed number of characters of a record.
        """
        text = self._calls.texts(read, [candidate.path]).get(candidate.path, "")
        whole_chars = shown_length(text) + SECTION_CHARS
        if candidate.is_document:
            return whole_chars
        if Reason.NAMED in candidate.reasons:
            return min(whole_chars, int(MAX_NAMED_RECORD_PART * self._schema.ranked_chars))
        return min(whole_chars, self._named_files.each_chars)

    def _is_shown(self, candidate: Candidate, distinct_records: Collection[str]) -> bool:
        """Return True if a file is shown when there is room for it."""
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
        """Return the records whose words fit clearly better than those of other records of their
        kind.

        If more than `MAX_ALIKE_RECORDS` records of a kind fit equally well, none of them is
        returned.
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
        """Write how many documents, which notices and which named records are not shown."""
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
        """Return the rows for the journal: the shown files, then the best of the files left out."""
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
    """Return the significant words of a request (see `words_of`).

    A path gives the words of its names below the first folder:

    `pay back /records/loans/late_fees.json` -> `pay`, `back`, `loans`, `late`, `fees`
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
    """Return scores as shares of the best score: `{a: 8, b: 2}` -> `{a: 1.0, b: 0.25}`.

    The first score must be the best one.
    """
    best_score = next(iter(scores.values()), 0.0)
    if best_score <= 0:
        return dict.fromkeys(scores, 1.0)
    return {name: score / best_score for name, score in scores.items()}


def lines_pattern(terms: Iterable[str]) -> str:
    """Return a pattern that matches lines with a word that begins with one of the terms, in any
    case.

    `loan`, `b7` -> `(?i)(?:^|[^0-9A-Za-z])(?:loan|b7)`
    """
    alternatives = "|".join(re2.escape(term) for term in terms)
    return f"(?i)(?:^|[^0-9A-Za-z])(?:{alternatives})"


def _folder_of(path: str) -> str:
    return path.rpartition("/")[0]
