"""The documents that fit a request, which are texts for all trials: found, read and ranked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, time, timedelta, timezone, tzinfo
from enum import StrEnum
from typing import Final
from zoneinfo import ZoneInfo

import re2

from controlplane.agent.opening.calls import FileReader, InitialCalls
from controlplane.agent.opening.ranking import TitledText, ranked_texts, words_of
from controlplane.agent.opening.request import (
    Candidate,
    Reason,
    RequestFacts,
    paths_in,
    scaled_to_best,
)
from controlplane.gates.paths import base_name
from controlplane.sandbox.interface import DocumentDates, Operation

# Whether a document is in force at a moment.
#
# A document may be in force from a day on, or until the end of a day. If it is not known in which
# time zone the day counts, it is not known for some hours whether the document is in force.


class _Validity(StrEnum):
    """Whether a document is in force by the trial's clock."""

    UNDATED = ""
    """The document has no date."""
    BEGUN = "begun"
    """It is in force."""
    NOT_BEGUN = "not begun"
    ENDED = "ended"
    UNDECIDED = "begun or not: in which zone its day counts is not known"
    """It begins or ends about now, in a time zone that is not known."""

    @property
    def is_out_of_force(self) -> bool:
        """True if the document is certainly not in force."""
        return self in (_Validity.NOT_BEGUN, _Validity.ENDED)


@dataclass(frozen=True, slots=True)
class _Moment:
    """The begin or the end of a period.

    If its time zone is known, `earliest` and `latest` are the same. Otherwise they are 26
    hours apart: a day begins in the east that much earlier than in the west.
    """

    earliest: datetime
    latest: datetime


# Reads the fields at the top of a text, as many Markdown files have them.
#
#     ---
#     Title: Parking
#     Valid until: 2031-06-30
#     ---
#     Cars stand behind the house.
#
# -> `{"title": "Parking", "valid until": "2031-06-30"}`

_MAX_FRONT_MATTER_LINES: Final = 60
"""The fields at the top of a text must end within this many lines."""


def _front_matter(text: str) -> dict[str, str]:
    """Return the fields at the top of a text, by their keys in lower case; empty if it has none."""
    lines = text.splitlines()[:_MAX_FRONT_MATTER_LINES]
    if not lines or lines[0].strip() != "---":
        return {}
    fields: dict[str, str] = {}
    for line in lines[1:]:
        if line.strip() == "---":
            return fields
        key, colon, value = line.partition(":")
        if colon:
            fields[key.strip().casefold()] = value.strip().strip("'\"")
    return {}


# Reads the moment that a text names, such as `2031-06-30` or `2031-06-30T12:00+02:00`.
#
# If the time zone is not known, `2031-06-30` may begin at any moment of 26 hours, the time that a
# day needs to begin everywhere on earth. The first and the last of these moments are returned.

_DAY: Final = re2.compile(r"\d{4}-\d\d-\d\d")
"""Matches a day, such as `2031-05-02`."""
_OFFSET: Final = re2.compile(r"([+-])(\d\d):(\d\d)")
"""Matches an offset from UTC, such as `+01:00`."""
# The time zones in which a day begins first and last: east and west of the date line.
_EARLIEST_ZONE: Final = timezone(timedelta(hours=14))
_LATEST_ZONE: Final = timezone(timedelta(hours=-12))


def _zone_of(name: str) -> tzinfo | None:
    """Return the time zone for an offset or a name; None if it is empty or unknown.

    Such names are `+01:00`, `UTC` and `Europe/Lisbon`.
    """
    if name in ("Z", "UTC"):
        return UTC
    offset = _OFFSET.fullmatch(name)
    if offset:
        distance = timedelta(hours=int(offset[2]), minutes=int(offset[3]))
        return timezone(-distance if offset[1] == "-" else distance)
    try:
        return ZoneInfo(name)
    except (ValueError, OSError, LookupError):
        return None


def _moment_of(text: str, zone: tzinfo | None, *, is_end: bool) -> _Moment | None:
    """Return the moment that a text names; None if it names none.

    `2031-06-30` means the begin of the day, or with `is_end` its end: the begin of 1 July.
    `zone` is the time zone of a text that names none; None if it is unknown.
    """
    try:
        date_time = datetime.fromisoformat(text)
    except ValueError:
        return None  # It is empty, or not a time.
    is_day = _DAY.fullmatch(text) is not None
    if is_day and is_end:
        next_day = date_time.date() + timedelta(days=1)
        date_time = datetime.combine(next_day, time())

    if date_time.tzinfo is None and zone is not None:
        date_time = date_time.replace(tzinfo=zone)
    if date_time.tzinfo is not None:
        return _Moment(earliest=date_time, latest=date_time)
    return _Moment(
        earliest=date_time.replace(tzinfo=_EARLIEST_ZONE),
        latest=date_time.replace(tzinfo=_LATEST_ZONE),
    )


# Finds the period in which a document is in force, from its name and the fields at its top.
#
# The document `/docs/2031-05-02-keys.md` is in force from 2 May on. If it begins with these
# lines, it is in force until the end of 30 June:
#
#     ---
#     valid until: 2031-06-30
#     ---


def _day_in_name(path: str) -> str:
    """Return the first day in the name of a file, such as `2031-05-02`; empty without one."""
    days = _DAY.findall(path.rpartition("/")[2])
    return str(days[0]) if days else ""


def _has_date_keys(dates: DocumentDates) -> bool:
    """Return True if documents may give dates in the fields at their top."""
    return bool(dates.from_keys or dates.until_keys)


def validity_of(dates: DocumentDates, path: str, text: str, now: datetime) -> _Validity:
    """Return whether a document is in force at `now`, which must have a time zone.

    `dates` says which fields at the top of documents have the begin and the end of their period. If
    none has the begin, it is the day in the document's name.
    """
    zone = _zone_of(dates.zone)
    fields = _front_matter(text) if _has_date_keys(dates) else {}
    begins = _first_moment(fields, dates.from_keys, zone, is_end=False)
    ends = _first_moment(fields, dates.until_keys, zone, is_end=True)
    if begins is None and dates.in_names:
        day = _day_in_name(path)  # may be empty
        begins = _moment_of(day, zone, is_end=False)
    if begins is None and ends is None:
        return _Validity.UNDATED

    # 1. It is certainly not in force.
    if begins is not None and now < begins.earliest:
        return _Validity.NOT_BEGUN
    if ends is not None and now >= ends.latest:
        return _Validity.ENDED

    # 2. In some time zones, it has begun or ended already.
    if begins is not None and now < begins.latest:
        return _Validity.UNDECIDED
    if ends is not None and now >= ends.earliest:
        return _Validity.UNDECIDED
    return _Validity.BEGUN


def _first_moment(
    fields: dict[str, str], keys: tuple[str, ...], zone: tzinfo | None, *, is_end: bool
) -> _Moment | None:
    """Return the moment in the first of the fields that has one.

    The fields `{"valid until": "2031-06-30"}` and the key `valid until` give the end of
    that day.
    """
    for key in keys:
        value = fields.get(key.casefold(), "")
        moment = _moment_of(value, zone, is_end=is_end)
        if moment is not None:
            return moment
    return None


# Finds the notices in a workspace: `/docs/updates/2031-05-02-keys.md`.
#
# A notice is a document that changes other documents from the day in its name on. Other documents
# may have a day in their names, too (`/minutes/2031-05-02.md`). Notices are known by their folder:
# the workspace's rules name it ("New rules are announced in /docs/updates"), but no file in it.


def _notices_among(
    documents: Collection[str], rules: str, described_paths: Iterable[str]
) -> set[str]:
    """Return the paths of the documents that are notices.

    `described_paths` are those for which the workspace's rules say what they are about.

    `See /docs/updates. Cars: /docs/parking.md.` -> the dated documents in `/docs/updates`

    A notice may come at any time and be about anything, so rules cannot describe it. But they
    describe a file in `/docs`, so `/docs` is not a folder of notices, even if they name it.
    """
    # Some of these are files. That does no harm: no document is below them.
    folders = set(paths_in(rules)).difference(documents)
    for path in described_paths:
        folders.discard(_folder_of(path))
    notices: set[str] = set()
    for path in documents:
        if _folder_of(path) in folders and _day_in_name(path):
            notices.add(path)
    return notices


def _folder_of(path: str) -> str:
    """Return the folder of a path: `/docs/a.md` -> `/docs`."""
    return path.rpartition("/")[0]


# Reads tables of contents in a workspace's rules: passages that name files by their subjects.
#
# `Cars: /docs/parking.md, keys: /docs/locks.md. Books: /docs/loans.md.` ->
#
#     {"/docs/parking.md": ["cars"], "/docs/locks.md": ["keys"], "/docs/loans.md": ["books"]}
#
# Passages with fewer paths are rules, whose words may say anything about a path.

_MIN_CONTENTS_PATHS: Final = 3
"""A passage of the rules with this many paths counts as a table of contents."""
_MARKUP: Final = str.maketrans(dict.fromkeys("`*_"))
"""Removes the characters of markup: `**Cars**` -> `Cars`."""
_PASSAGE_BREAK: Final = re2.compile(
    r"\n\s*\n"  # an empty line
    r"|\n\s*(?:[-*#]|\d+[.)])\s"  # a list item or a heading: `- `, `2. `, `# `
    r"|\n\*\*"  # a line that begins with bold text: `**Cars**`
)
"""Matches what stands between two passages of the rules."""


def _words_by_path(rules: str) -> dict[str, list[str]]:
    """Return the words that stand in one sentence with each path, in tables of contents."""
    words_of_paths: dict[str, list[str]] = {}
    for passage in _PASSAGE_BREAK.split(rules):
        text = " ".join(passage.translate(_MARKUP).split())
        if len(set(paths_in(text))) < _MIN_CONTENTS_PATHS:
            continue
        for sentence in _sentences_of(text):
            for path in paths_in(sentence):
                words = words_of_paths.setdefault(path, [])
                words += words_of(sentence.replace(path, " "))
    return words_of_paths


def _sentences_of(passage: str) -> list[str]:
    """Return the sentences of a passage; one with several paths is also split at its commas.

    `Cars: /a.md, keys: /b.md; Books: /c.md` -> `Cars: /a.md`, `keys: /b.md`, `Books: /c.md`
    """
    sentences: list[str] = []
    for sentence in passage.replace("; ", ". ").split(". "):
        if len(paths_in(sentence)) > 1:
            sentences += sentence.split(", ")
        else:
            sentences.append(sentence)
    return sentences


# Reads what a workspace's rules say about each path: `Cars: /docs/parking.md`.
#
# A request about a car then leads to `/docs/parking.md`, even if this document only speaks of
# vehicles.

_MAX_SHARED_PATHS: Final = 2
"""A word that describes more paths than this is too general to tell them apart."""


def descriptions_in(rules: str) -> dict[str, str]:
    """Return the words with which the rules describe each path, in lower case.

    `Cars: /docs/parking.md. Keys: /docs/locks.md. Books: /docs/loans.md.` ->
    `{"/docs/parking.md": "cars", "/docs/locks.md": "keys", "/docs/loans.md": "books"}`

    Words that many paths share, such as `records` and `under`, are left out.
    """
    contents = _words_by_path(rules)
    path_counts = Counter[str]()  # how many paths a word describes
    for words in contents.values():
        path_counts.update(set(words))
    descriptions: dict[str, str] = {}
    for path, words in contents.items():
        specific = [word for word in words if path_counts[word] <= _MAX_SHARED_PATHS]
        descriptions[path] = " ".join(specific)
    return descriptions


# The documents of a workspace, as a call at the start of the trial lists them.


@dataclass(frozen=True, slots=True)
class ListedDocuments:
    """The paths of the documents, and how to read them."""

    read: Operation | None = None
    """The operation that reads a document; None if there are no documents."""
    root: str = "/"
    """The folder that holds the documents."""
    paths: tuple[str, ...] = ()
    """The paths of the documents: `/docs/parking.md`."""


@dataclass(slots=True, kw_only=True)
class DocumentCandidate(Candidate):
    """A document that may be shown: a text for all requests, such as `/docs/parking.md`.

    It is listed first, then searched for the words of a request, and perhaps read. Its `text` is
    what is known of it by then.
    """

    text: str
    description: str | None
    """The words by which the workspace's rules describe it: `cars permits`. None if they do not
    describe it. It is empty if they only have words that they use for many documents."""
    is_notice: bool
    """True for a *notice*: a document that changes others from the day in its name on."""
    validity: _Validity
    """Whether the document is in force now, as far as its name and the known text say."""
    rank: int | None = None
    """The document's place among those that fit the request: 0 for the best one. None for a
    document that does not fit."""
    changed_paths: list[str] = field(default_factory=list)
    """Of a notice, the documents that it changes."""

    @property
    def validity_remark(self) -> str:
        """Whether the document is in force: ` (not begun)`; empty if it has no date."""
        return f" ({self.validity})" if self.validity else ""


# What a request is about, as far as documents are compared with it.


@dataclass(frozen=True, slots=True)
class RequestTopic:
    """What a request is about. A document about lent books may fit "Close l-12"."""

    request_words: Sequence[str]
    """The words of the request."""
    words: Sequence[str]
    """These, and those by which the rules describe its records."""
    record_folders: Collection[str]
    """The folders of the records that the request is about."""
    named_documents: Sequence[str]
    """The documents that the request names, by their paths."""


# Searches, reads and ranks the documents for one request.
#
# For "Where may cars stand?", if the rules say "Cars: see /docs/parking.md":
#
#     documents.read_best(topic, {...})   reads `/docs/parking.md`, whose found lines fit best
#     documents.rank()                    waits, and ranks all by the texts that were read
#     documents.read_linked()             reads `/docs/permits.md`, which `/docs/parking.md` names
#     documents.rank()                    waits, and ranks all documents again
#
# | document | reasons | score |
# |---|---|---|
# | `/docs/parking.md` | `ROUTED` 0.3: the rules describe it with `cars`; its word score 1 | 1.3 |
# | `/docs/owners.md` | `FOLDER` 0.5: its text names `/records/cars` | 0.5 |
# | `/docs/permits.md` | `WORDS` 0: its text has `cars`; its word score 0.2 | 0.2 |

_MAX_BEST_IN_FIRST_ROUND: Final = 3
"""How many of the best documents the first round reads."""
_MAX_BEST_IN_SECOND_ROUND: Final = 5
"""How many of the best documents the second round reads, with those of the first."""
_MAX_NOTICES: Final = 8
"""If more notices are in force, only the latest ones are read."""
_MIN_TOPIC_WORD_SCORE: Final = 0.75
"""A notice is about the request if it changes a document whose word score is at least this."""


class Documents:
    """The documents of a workspace, and how well they fit a request."""

    def __init__(
        self,
        listed: ListedDocuments,
        calls: InitialCalls,
        facts: RequestFacts,
    ) -> None:
        self.listed = listed
        self.descriptions = descriptions_in(facts.rules)
        """How the workspace's rules describe documents and folders of records, by path, in their
        order: `{"/docs/parking.md": "cars", "/records/loans": "lent books"}`."""
        self._found_lines: Mapping[str, str] = {}
        """The lines that the search has found in files, by path."""
        self._topic = RequestTopic((), (), (), ())
        self._routed: set[str] = set()
        """The documents that the rules describe with a word of the request."""
        self._texts: Mapping[str, str] | None = None
        """The texts by which the documents were ranked last, by path."""
        self.candidates: dict[str, DocumentCandidate] = {}
        """All documents, by path, in the order of the listing, as they were ranked last."""
        self._fitting: list[str] = []
        """The paths of the documents that fit the topic of the request, the best first."""
        self._reader = FileReader(calls, listed.read)
        self._now = facts.now
        self._dates = calls.tool_schema.document_dates
        self._notices: set[str] = set()
        if self._dates is not None and self._dates.in_names:
            self._notices = _notices_among(listed.paths, facts.rules, self.descriptions)

    def read_best(self, topic: RequestTopic, found_lines: Mapping[str, str]) -> None:
        """Send calls that read the named documents, the best ones, and the notices in force."""
        self._topic = topic
        self._found_lines = found_lines
        self._routed = self._routed_by(topic.request_words)
        self._rank_by(found_lines)
        in_force: list[str] = []
        for path, candidate in self.candidates.items():
            if candidate.is_notice and not candidate.is_refused:
                in_force.append(path)
        best = self._fitting[:_MAX_BEST_IN_FIRST_ROUND]
        self._reader.send([*topic.named_documents, *best, *in_force[-_MAX_NOTICES:]])

    def read_linked(self) -> None:
        """Send calls that read the documents which notices and the best document name.

        By whole texts, others may be the best now. They are read, too.
        """
        naming = [path for path in self.candidates if path in self._notices]
        linked: list[str] = []
        for path in [*naming, *self._fitting[:1]]:
            linked += self._named_by(path)
        self._reader.send([*linked, *self._fitting[:_MAX_BEST_IN_SECOND_ROUND]])

    def rank(self) -> None:
        """Wait for the calls, and rank all documents by their texts, or else the found lines."""
        read_texts = self._reader.texts(self.listed.paths)
        self._rank_by({**self._found_lines, **read_texts})

    @property
    def best_text(self) -> str:
        """The text of the best document whose text is known; empty if there is none."""
        best: DocumentCandidate | None = None
        for candidate in self.candidates.values():
            if candidate.text and (best is None or candidate.score > best.score):
                best = candidate
        return best.text if best is not None else ""

    def _named_by(self, path: str) -> list[str]:
        """Return the documents that the text of one document names, in the listing's order.

        `/docs/parking.md`, "Permits: /docs/permits.md."  -> `/docs/permits.md`
        """
        named = set(paths_in(self.candidates[path].text))
        return [other for other in self.candidates if other in named]

    def _rank_by(self, texts: Mapping[str, str]) -> None:
        """Set the candidates with their reasons and scores, by these texts, and those that fit."""
        if texts == self._texts:
            return  # Nothing was read since the last ranking.
        self._texts = texts
        self.candidates = {}
        for path in self.listed.paths:
            text = texts.get(path, "")
            self.candidates[path] = DocumentCandidate(
                path=path,
                read_operation=self.listed.read,
                text=text,
                description=self.descriptions.get(path),
                is_notice=path in self._notices,
                validity=self._validity(path, text),
            )
        candidates = self.candidates
        self._fitting = self._score_by_topic() or self._take_described()
        self._fitting.sort(key=lambda path: candidates[path].score, reverse=True)
        for rank, path in enumerate(self._fitting):
            candidates[path].rank = rank

        for path in self._topic.named_documents:
            candidates[path].add(Reason.NAMED)
        for candidate in candidates.values():
            if candidate.validity.is_out_of_force:
                candidate.refuse(Reason.NOT_IN_FORCE)
        for candidate in candidates.values():
            if candidate.is_notice and not candidate.is_refused:
                self._score_notice(candidate)

    def _validity(self, path: str, text: str) -> _Validity:
        """Return whether a document is in force now; `UNDATED` if that cannot be told.

        On 4 May 2031, `/docs/updates/2031-06-01-keys.md`, a notice, has not begun, and
        `/minutes/2031-06-01.md` is undated: the day may be that of a meeting.
        """
        if self._now is None or self._dates is None:
            return _Validity.UNDATED
        if path not in self._notices and not _has_date_keys(self._dates):
            return _Validity.UNDATED
        return validity_of(self._dates, path, text, self._now)

    def _score_by_topic(self) -> list[str]:
        """Score the documents that have words of the topic, or name one of its folders.

        The paths of those that fit are returned.
        """
        word_scores = self._word_scores()
        naming_folders: list[str] = []
        for path, candidate in self.candidates.items():
            if not candidate.is_notice and self._names_folder(candidate.text):
                naming_folders.append(path)

        fitting = list(dict.fromkeys([*word_scores, *naming_folders]))
        for path in fitting:
            candidate = self.candidates[path]
            candidate.count_words(word_scores.get(path, 0.0))
            # Each reason adds its own points to those of the words.
            if path in self._routed:
                candidate.add(Reason.ROUTED)
            elif path in word_scores:
                candidate.add(Reason.WORDS)
            if path in naming_folders:
                candidate.add(Reason.FOLDER)
        return fitting

    def _names_folder(self, text: str) -> bool:
        """Return True if a document's text names one of the topic's folders as a whole path."""
        # To find all paths of a text takes long, and most texts have none of the folders.
        folders = [folder for folder in self._topic.record_folders if folder in text]
        return bool(folders) and not set(folders).isdisjoint(paths_in(text))

    def _word_scores(self) -> dict[str, float]:
        """Return how well documents fit the words of the topic, from 0 to 1, by path.

        The words may be in a document's text, in its name, or in its description in the rules: a
        document fits even if its own text only speaks of vehicles.
        """
        texts: dict[str, TitledText] = {}
        for path, candidate in self.candidates.items():
            title = f"{candidate.description or ''} {base_name(path)}"
            texts[path] = TitledText(title, candidate.text)
        scores = ranked_texts(texts, self._topic.words)
        # Notices are ranked, too: a word that many texts have counts less. But they do not compete:
        # they are shown with the documents that they change.
        for path in self._notices:
            scores.pop(path, None)
        return scaled_to_best(scores)

    def _routed_by(self, request_words: Sequence[str]) -> set[str]:
        """Return the documents that the rules describe with a word of the request.

        The words by which they describe its records do not count: `loans of the branches` for a
        record would lead to a document about `parking at the branches`.
        """
        descriptions: dict[str, TitledText] = {}
        for path in self.listed.paths:
            # The document's own text is left empty: only its description is compared.
            if path in self.descriptions:
                descriptions[path] = TitledText(self.descriptions[path], text="")
        return set(ranked_texts(descriptions, request_words))

    def _take_described(self) -> list[str]:
        """Take all documents that the rules describe, or all documents if they describe none.

        Each gets the word score of a best document, as if all fitted equally. Its `score`, by
        which documents are sorted, has no points of words then, but those for being listed.
        """
        described = [path for path in self.descriptions if path in self.candidates]
        taken = described or list(self.candidates)
        for path in taken:
            self.candidates[path].word_score = 1.0
            self.candidates[path].add(Reason.LISTED)
        return taken

    def _score_notice(self, notice: DocumentCandidate) -> None:
        """Give a notice its reason. For "Where may cars stand?", which fits `/docs/parking.md` best:

        2031-05-02-cars.md, which changes parking.md    NOTICE: it is shown
        2031-05-04-fees.md, which changes loans.md      OTHER_NOTICE: only if loans.md is shown
        """
        notice.changed_paths = self._named_by(notice.path)
        # A notice that names no document may change any.
        best_word_score = 1.0
        if notice.changed_paths:
            best_word_score = max(
                self.candidates[path].word_score for path in notice.changed_paths
            )
        is_on_topic = best_word_score >= _MIN_TOPIC_WORD_SCORE
        notice.add(Reason.NOTICE if is_on_topic else Reason.OTHER_NOTICE)
