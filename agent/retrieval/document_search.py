"""Finds the documents that fit a request, which are texts for all trials, and ranks them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, time, timedelta, timezone, tzinfo
from enum import StrEnum
from typing import Final
from zoneinfo import ZoneInfo

import re2

from controlplane.agent.evidence.calls import CallUnderWay
from controlplane.agent.retrieval.file_names import paths_in
from controlplane.agent.retrieval.listing import ListedFiles
from controlplane.agent.retrieval.ranking_reasons import Candidate
from controlplane.sandbox.files.text_words import words_of
from controlplane.sandbox.interface import DocumentDates, Operation, RecordOwners

# The user who asks, as a tool of the environment prints it.
#
# The environment declares the tool, and the keys in its output:
# `RecordOwners(tool="/bin/whoami", user_key="user", roles_key="roles", ...)`. For the output
#
#     user: u-17
#     roles: [clerk, buyer]
#
# this is `Asker(user="u-17", roles={"clerk", "buyer"})`.


@dataclass(frozen=True, slots=True)
class Asker:
    """The user who asks."""

    user: str = ""
    """The user's id, `u-17`; empty if the tool printed none."""
    roles: frozenset[str] = frozenset()
    """The user's roles in lower case, such as `clerk`."""


def asks_who(owners: RecordOwners, call: CallUnderWay) -> bool:
    """Return True if a call runs the tool that prints who asks: `exec(path="/bin/whoami")`."""
    return owners.tool in call.call.arguments.values()


def asker_of(owners: RecordOwners, output: str) -> Asker:
    """Return the user who asks, from the output of the tool. Keys may be in any case."""
    values: dict[str, str] = {}
    for line in output.splitlines():
        key, colon, value = line.partition(":")
        if colon:
            values[key.strip().casefold()] = value.strip()
    user = values.get(owners.user_key.casefold(), "")
    listed_roles = values.get(owners.roles_key.casefold(), "").strip("[]").casefold()
    roles = {role.strip(" '\"") for role in listed_roles.split(",")}
    return Asker(user, frozenset(roles - {""}))


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
class Moment:
    """The begin or the end of a period.

    If its time zone is known, `earliest` and `latest` are the same. Otherwise they are 26
    hours apart: a day begins in the east that much earlier than in the west.
    """

    earliest: datetime
    latest: datetime


@dataclass(frozen=True, slots=True)
class _ValidityPeriod:
    """The period in which a document is in force. None means no begin, or no end."""

    begins: Moment | None = None
    ends: Moment | None = None

    def validity(self, now: datetime) -> _Validity:
        """Return whether the document is in force at `now`, which must have a time zone."""
        if self.begins is None and self.ends is None:
            return _Validity.UNDATED

        # 1. It is certainly not in force.
        if self.begins is not None and now < self.begins.earliest:
            return _Validity.NOT_BEGUN
        if self.ends is not None and now >= self.ends.latest:
            return _Validity.ENDED

        # 2. In some time zones, it has begun or ended already.
        if self.begins is not None and now < self.begins.latest:
            return _Validity.UNDECIDED
        if self.ends is not None and now >= self.ends.earliest:
            return _Validity.UNDECIDED
        return _Validity.BEGUN


# A document of a workspace: a text for all requests, such as the policy `/docs/parking.md`.
#
# It is listed first, then searched for the words of a request, and perhaps read. Its `text` is what
# is known of it by then:
#
#     ""                                  it was listed
#     "Cars stand behind the house.\n"    a search for `cars` has found this line
#     "# Parking\nCars stand behind ..."  it was read


@dataclass(frozen=True, slots=True)
class Document:
    """A document, as far as it is known."""

    path: str
    description: str | None
    """The words by which the workspace's rules describe it: `cars permits`. None if they do not
    describe it. It is empty if they only have words that they use for many documents."""
    is_notice: bool
    """True for a *notice*: a document that changes others from the day in its name on."""
    text: str = ""
    """The text, as far as it is known."""
    validity: _Validity = _Validity.UNDATED
    """Whether the document is in force now, as far as its name and the known text say."""


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


def _moment_of(text: str, zone: tzinfo | None, *, is_end: bool) -> Moment | None:
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
        return Moment(earliest=date_time, latest=date_time)
    return Moment(
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


def period_of(dates: DocumentDates, path: str, text: str) -> _ValidityPeriod:
    """Return the period in which a document is in force.

    `dates` says which fields at the top of documents have its begin and its end. If none has
    the begin, it is the day in the document's name.
    """
    zone = _zone_of(dates.zone)
    fields = _front_matter(text) if _has_date_keys(dates) else {}
    begins = _first_moment(fields, dates.from_keys, zone, is_end=False)
    ends = _first_moment(fields, dates.until_keys, zone, is_end=True)
    if begins is None and dates.in_names:
        begins = _moment_of(
            _day_in_name(path), zone, is_end=False
        )  # None without a day
    return _ValidityPeriod(begins, ends)


def _first_moment(
    fields: dict[str, str], keys: tuple[str, ...], zone: tzinfo | None, *, is_end: bool
) -> Moment | None:
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


# Tells whether a document is in force now.
#
# A document may give its dates in fields at its top, such as `valid until: 2031-06-30`. A *notice*,
# which changes other documents, has the day on which it begins in its name. On 4 May:
#
#     /docs/updates/2031-06-01-keys.md, a notice    -> NOT_BEGUN
#     /minutes/2031-06-01.md, another document      -> UNDATED: the day may be that of a meeting


@dataclass(frozen=True, slots=True)
class _DocumentCalendar:
    """Where the documents of an environment have their dates, and what time it is."""

    dates: DocumentDates | None
    """The keys of the fields with dates, and whether names have days; None if there are none."""
    now: datetime | None
    """The trial's clock; None if it has none."""

    def dated(self, document: Document) -> Document:
        """Return a document that knows whether it is in force now."""
        return replace(document, validity=self.validity(document))

    def validity(self, document: Document) -> _Validity:
        """Return whether a document is in force now; `UNDATED` if that cannot be told."""
        if self.now is None or self.dates is None:
            return _Validity.UNDATED
        if not document.is_notice and not _has_date_keys(self.dates):
            return _Validity.UNDATED
        period = period_of(self.dates, document.path, document.text)
        return period.validity(self.now)


# The documents of a workspace, as a call at the start of the trial lists them.
#
# A document is a text for all requests, such as the policy `/docs/parking.md`. The environment
# declares the call `read` for each file below `/docs`. For three files there, of which the call
# for `/docs/RULES.md` was sent for every request:
#
#     ListedDocuments(read, root="/docs", paths=("/docs/fees.md", "/docs/parking.md"))
#
# Those that fit a request best are read later.


@dataclass(frozen=True, slots=True)
class ListedDocuments:
    """The paths of the documents, and how to read them."""

    read: Operation | None = None
    """The operation that reads a document; None if there are no documents."""
    root: str = "/"
    """The folder that holds the documents."""
    paths: tuple[str, ...] = ()
    """The paths of the documents: `/docs/parking.md`."""


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
    """
    folders = _notice_folders(documents, rules, described_paths)
    notices: set[str] = set()
    for path in documents:
        if _folder_of(path) in folders and _day_in_name(path):
            notices.add(path)
    return notices


def _notice_folders(
    documents: Collection[str], rules: str, described_paths: Iterable[str]
) -> set[str]:
    """Return the folders that may hold notices: the rules name them, but describe no file there.

    `See /docs/updates. Cars: /docs/parking.md.` -> `/docs/updates`

    A notice may come at any time and be about anything, so rules cannot describe it. But they
    describe a file in `/docs`, so `/docs` is not a folder of notices, even if they name it.
    """
    document_paths = set(documents)
    folders_with_described_files = {_folder_of(path) for path in described_paths}
    folders: set[str] = set()
    for path in paths_in(rules):
        # The path may be that of another file. That does no harm: no document is below it.
        may_be_folder = path not in document_paths
        if may_be_folder and path not in folders_with_described_files:
            folders.add(path)
    return folders


def _folder_of(path: str) -> str:
    """Return the folder of a path: `/docs/a.md` -> `/docs`."""
    return path.rpartition("/")[0]


# What is known about a request before files are chosen for its first message.
#
# For "Close loan-12", the first calls have read the workspace's rules, listed the files, and run
# a tool that prints who asks. By these facts, `find_files` finds the files to show.


@dataclass(slots=True)
class RequestFacts:
    """The request, and what the first calls say about it. They fill the fields one by one."""

    instruction: str
    """The request: "Close loan-12"."""
    now: datetime | None = None
    """The trial's clock, with its time zone; None if the trial has no clock."""
    rules: str = ""
    """The text of the workspace's rules; empty until they are read."""
    listed: ListedFiles = field(default_factory=ListedFiles)
    """The files that the first calls listed."""
    outputs: list[str] = field(default_factory=list)
    """The outputs of tools that were run for the first message, such as `whoami`, which prints
    who asks. Help texts are left out."""
    asker: Asker = field(default_factory=Asker)
    """The user who asks, if the environment declares a tool that prints this."""


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


# A document that the first message may show: a text for all requests, such as a policy.
#
# A document with a date may not be in force yet. This one is in force from 1 June 2031 on. On 4 May
# 2031, the message does not show its text, and has only its path with a remark:
#
#     /docs/updates/2031-06-01-cars.md (not begun)


@dataclass(slots=True, kw_only=True)
class DocumentCandidate(Candidate):
    """A document that may be shown."""

    document: Document
    """What is known of it: its text, and whether it is in force now."""
    rank: int | None = None
    """The document's place among those that fit the request: 0 for the best one. None for a
    document that does not fit."""
    changed_paths: list[str] = field(default_factory=list)
    """Of a notice, the documents that it changes."""

    @property
    def validity_remark(self) -> str:
        """Whether the document is in force: ` (not begun)`; empty if it has no date."""
        validity = self.document.validity
        return f" ({validity})" if validity else ""


# The documents of a workspace, with their texts as far as they are known.
#
# A document is a text for all requests, such as the policy `/docs/parking.md`. The workspace's
# rules may describe it, for example by the line "Cars: /docs/parking.md.":
#
#     known = KnownDocuments.unread(listed, facts, dates)
#     known.by_path["/docs/parking.md"].description    -> "cars"
#     known.by_path["/docs/parking.md"].text           -> ""
#     searched = known.with_texts({"/docs/parking.md": "Cars stand behind the house.\n"})
#     searched.by_path["/docs/parking.md"].text        -> the line that a search has found


@dataclass(frozen=True, slots=True)
class KnownDocuments:
    """All documents that were listed."""

    listed: ListedDocuments
    """The paths of the documents, and how to read them."""
    descriptions: Mapping[str, str]
    """How the workspace's rules describe documents and folders of records, by path, in their
    order: `{"/docs/parking.md": "cars", "/records/loans": "lent books"}`."""
    calendar: _DocumentCalendar
    """Tells whether a document is in force now, by its text."""
    by_path: Mapping[str, Document]
    """The documents, in the order of the listing."""

    @classmethod
    def unread(
        cls, listed: ListedDocuments, facts: RequestFacts, dates: DocumentDates | None
    ) -> KnownDocuments:
        """Return the documents without texts. `dates` declares where a document has its date."""
        descriptions = descriptions_in(facts.rules)
        calendar = _DocumentCalendar(dates, facts.now)
        notices: set[str] = set()
        if dates is not None and dates.in_names:
            notices = _notices_among(listed.paths, facts.rules, descriptions)
        by_path: dict[str, Document] = {}
        for path in listed.paths:
            document = Document(path, descriptions.get(path), is_notice=path in notices)
            by_path[path] = calendar.dated(document)
        return cls(listed, descriptions, calendar, by_path)

    def with_texts(self, texts: Mapping[str, str]) -> KnownDocuments:
        """Return a copy with these texts, by path. Texts of other files are left out."""
        by_path = dict(self.by_path)
        for path, document in self.by_path.items():
            text = texts.get(path)
            if text is not None:
                # The text may have a date in a field at its top.
                by_path[path] = self.calendar.dated(replace(document, text=text))
        return replace(self, by_path=by_path)
