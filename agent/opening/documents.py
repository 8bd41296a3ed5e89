"""The documents that fit a request, which are texts for all trials: found, read and ranked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone, tzinfo
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
# It may be in force from the day in its name on (`/docs/2031-05-02-keys.md`: from 2 May), or by the
# fields at its top, as many Markdown files have them, until the end of 30 June:
#
#     ---
#     Title: Parking
#     Valid until: 2031-06-30
#     ---
#     Cars stand behind the house.
#
# If it is not known in which time zone the day counts, it is not known for 26 hours whether the document
# is in force: a day begins in the east that much earlier than in the west.

_UNDECIDED: Final = "begun or not: in which zone its day counts is not known"
_OUT_OF_FORCE: Final = ("not begun", "ended")
"""What is said of documents that are certainly not in force."""
_MAX_FRONT_MATTER_LINES: Final = 60
"""The fields at the top of a text must end within this many lines."""
_DAY: Final = re2.compile(r"\d{4}-\d\d-\d\d")
"""Matches a day, such as `2031-05-02`."""
# The time zones in which a day begins first and last: east and west of the date line.
_EARLIEST_ZONE: Final = timezone(timedelta(hours=14))
_LATEST_ZONE: Final = timezone(timedelta(hours=-12))


def validity_of(dates: DocumentDates, path: str, text: str, now: datetime) -> str:
    """Return whether a document is in force at `now`, which must have a time zone.

    It is `begun`, `not begun`, `ended` or undecided; empty for a document without a date. `dates`
    says which fields at the top of documents have the begin and the end of their period. If none
    has the begin, it is the day in the document's name.
    """
    zone = _zone_of(dates.zone)
    fields = _front_matter(text) if _has_date_keys(dates) else {}
    begins = _first_moment(fields, dates.from_keys, zone)
    ends = _first_moment(fields, dates.until_keys, zone, is_end=True)
    if begins is None and dates.in_names:
        begins = _moment_of(_day_in_name(path), zone)
    if begins is None and ends is None:
        return ""

    # 1. It is certainly not in force.
    if begins is not None and now < begins[0]:
        return "not begun"
    if ends is not None and now >= ends[1]:
        return "ended"

    # 2. In some time zones, it has begun or ended already.
    if begins is not None and now < begins[1]:
        return _UNDECIDED
    if ends is not None and now >= ends[0]:
        return _UNDECIDED
    return "begun"


def _has_date_keys(dates: DocumentDates) -> bool:
    """Return True if documents may give dates in the fields at their top."""
    return bool(dates.from_keys or dates.until_keys)


def _zone_of(name: str) -> tzinfo | None:
    """Return the time zone for `+01:00`, `Z` or `Europe/Lisbon`; None if it is empty or unknown."""
    with suppress(ValueError):
        return datetime.fromisoformat(f"2000-01-01T00:00{name}").tzinfo
    try:
        return ZoneInfo(name)
    except (ValueError, OSError, LookupError):
        return None


def _front_matter(text: str) -> dict[str, str]:
    """Return the fields at the top of a text, by their keys in lower case; empty if it has none."""
    first, *lines = text.splitlines()[:_MAX_FRONT_MATTER_LINES] or [""]
    fields: dict[str, str] = {}
    if first.strip() == "---":
        for line in lines:
            if line.strip() == "---":
                return fields
            key, colon, value = line.partition(":")
            if colon:
                fields[key.strip().casefold()] = value.strip().strip("'\"")
    return {}


def _first_moment(
    fields: Mapping[str, str],
    keys: Iterable[str],
    zone: tzinfo | None,
    *,
    is_end: bool = False,
) -> tuple[datetime, datetime] | None:
    """Return the moment in the first of the fields that has one, as `_moment_of` does."""
    for key in keys:
        moment = _moment_of(fields.get(key.casefold(), ""), zone, is_end=is_end)
        if moment is not None:
            return moment
    return None


def _moment_of(
    text: str, zone: tzinfo | None, *, is_end: bool = False
) -> tuple[datetime, datetime] | None:
    """Return the earliest and the latest moment that a text may mean; None if it names none.

    `2031-06-30` means the begin of the day, or with `is_end` its end: the begin of 1 July.
    `zone` is the time zone of a text that names none, such as `2031-06-30T12:00+02:00` does.
    """
    try:
        moment = datetime.fromisoformat(text)
        if is_end and _DAY.fullmatch(text):
            moment += timedelta(days=1)
    except (ValueError, OverflowError):
        return None  # It is empty, or not a time.
    if moment.tzinfo is None and zone is None:
        earliest = moment.replace(tzinfo=_EARLIEST_ZONE)
        return earliest, moment.replace(tzinfo=_LATEST_ZONE)
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=zone)
    return moment, moment


def _day_in_name(path: str) -> str:
    """Return the first day in the name of a file, such as `2031-05-02`; empty without one."""
    days = _DAY.findall(base_name(path))
    return str(days[0]) if days else ""


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


# Reads what a workspace's rules say about each path, in passages that name files by their subjects.
#
# A request about a car then leads to `/docs/parking.md`, even if this document only speaks of
# vehicles. Passages with fewer paths are rules, whose words may say anything about a path.

_MIN_CONTENTS_PATHS: Final = 3
"""A passage of the rules with this many paths counts as a table of contents."""
_MAX_SHARED_PATHS: Final = 2
"""A word that describes more paths than this is too general to tell them apart."""
_MARKUP: Final = str.maketrans(dict.fromkeys("`*_"))
"""Removes the characters of markup: `**Cars**` -> `Cars`."""
_PASSAGE_BREAK: Final = re2.compile(
    r"\n\s*\n"  # an empty line
    r"|\n\s*(?:[-*#]|\d+[.)])\s"  # a list item or a heading: `- `, `2. `, `# `
    r"|\n\*\*"  # a line that begins with bold text: `**Cars**`
)
"""Matches what stands between two passages of the rules."""


def descriptions_in(rules: str) -> dict[str, str]:
    """Return the words with which the rules describe each path, in lower case.

    `Cars: /docs/parking.md. Keys: /docs/locks.md. Books: /docs/loans.md.` ->
    `{"/docs/parking.md": "cars", "/docs/locks.md": "keys", "/docs/loans.md": "books"}`

    Words that many paths share, such as `records` and `under`, are left out.
    """
    contents: dict[str, list[str]] = {}
    for passage in _PASSAGE_BREAK.split(rules):
        text = " ".join(passage.translate(_MARKUP).split())
        if len(set(paths_in(text))) < _MIN_CONTENTS_PATHS:
            continue
        for sentence in text.replace("; ", ". ").split(". "):
            # A sentence with several paths is split at its commas: `Cars: /a.md, keys: /b.md`
            has_several = len(paths_in(sentence)) > 1
            for clause in sentence.split(", ") if has_several else [sentence]:
                for path in paths_in(clause):
                    words = words_of(clause.replace(path, " "))
                    contents.setdefault(path, []).extend(words)

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
        self.candidates: dict[str, Candidate] = {}
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
        best: Candidate | None = None
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
        candidates: dict[str, Candidate] = {}
        for path in self.listed.paths:
            text = texts.get(path, "")
            candidates[path] = Candidate(
                path=path,
                read_operation=self.listed.read,
                is_document=True,
                text=text,
                description=self.descriptions.get(path, ""),
                is_notice=path in self._notices,
                validity=self._validity(path, text),
            )
        self.candidates = candidates

        # 1. The documents that have words of the topic, or name one of its folders, fit it.
        word_scores = self._word_scores()
        naming_folders: list[str] = []
        for path, candidate in candidates.items():
            if not candidate.is_notice and self._names_folder(candidate.text):
                naming_folders.append(path)
        fitting = list(dict.fromkeys([*word_scores, *naming_folders]))
        for path in fitting:
            candidate = candidates[path]
            candidate.score = candidate.word_score = word_scores.get(path, 0.0)
            # Each reason adds its own points to those of the words.
            if path in self._routed:
                candidate.add(Reason.ROUTED)
            elif path in word_scores:
                candidate.add(Reason.WORDS)
            if path in naming_folders:
                candidate.add(Reason.FOLDER)

        # 2. If none does, all fit equally that the rules describe; if they describe none, all.
        if not fitting:
            fitting = [path for path in self.descriptions if path in candidates]
            fitting = fitting or list(candidates)
            for path in fitting:
                candidates[path].word_score = 1.0  # It has no points in the score.
                candidates[path].add(Reason.LISTED)
        fitting.sort(key=lambda path: candidates[path].score, reverse=True)
        for rank, path in enumerate(fitting):
            candidates[path].rank = rank
        self._fitting = fitting

        # 3. What does not depend on words
        for path in self._topic.named_documents:
            candidates[path].add(Reason.NAMED)
        for candidate in candidates.values():
            if candidate.validity in _OUT_OF_FORCE:
                candidate.add(Reason.NOT_IN_FORCE)
            elif candidate.is_notice:
                self._score_notice(candidate)

    def _validity(self, path: str, text: str) -> str:
        """Return whether a document is in force now; empty if that cannot be told.

        On 4 May 2031, `/docs/updates/2031-06-01-keys.md`, a notice, has not begun, and
        `/minutes/2031-06-01.md` is undated: the day may be that of a meeting.
        """
        if self._now is None or self._dates is None:
            return ""
        if path not in self._notices and not _has_date_keys(self._dates):
            return ""
        return validity_of(self._dates, path, text, self._now)

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
            title = f"{candidate.description} {base_name(path)}"
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

    def _score_notice(self, notice: Candidate) -> None:
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
