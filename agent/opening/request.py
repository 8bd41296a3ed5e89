"""What a request names, what is known about it, and why a file fits it.

`Close loan-12 for the late returns` names the record `/records/loans/loan_12.json` by its id.
Other files are searched by the words `close`, `late` and `returns`. A file is a document (a text
for all requests, such as a policy) or a record (about one case).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Final

import re2

from controlplane.agent.opening.calls import CallKind, SentCall, result_text
from controlplane.agent.opening.listing import ListedFiles
from controlplane.agent.opening.ranking import words_of
from controlplane.sandbox.interface import Operation, RecordOwners

# Finds the paths that a text names, such as a request, or the workspace's rules.
#
# "Cars may stand there (see `/docs/parking.md`)." names `/docs/parking.md`. Punctuation around a
# path does not belong to it.

_PUNCTUATION_TO_BLANKS: Final = str.maketrans(
    dict.fromkeys("`'\"()[]{}<>,;:!?*#|=+&%$@~^\\", " ")
)
"""Translates the punctuation around paths and names to blanks."""


def paths_in(text: str) -> list[str]:
    """Return the absolute paths that a text names, in order.

    "Loans: see /docs/loans.md. Fees: /docs/fees.md." -> `/docs/loans.md`, `/docs/fees.md`
    """
    paths: list[str] = []
    for token in text.translate(_PUNCTUATION_TO_BLANKS).split():
        if token.startswith("/") and token[1:2].isalnum():
            paths.append(token.rstrip("./-"))
    return paths


_MAX_SEARCHED_CHARS: Final = 100_000
"""Only the beginning of a text, up to this many characters, is searched for names of files."""


class FileNames:
    """The listed files by the names that a text may use for them.

    A text may name any file by its path, such as `/records/loans/loan_12.json`, and a record
    also by its id. This is the file's name without the extension: `loan_12` or `Loan-12`.
    """

    def __init__(self, paths: Iterable[str], record_folders: tuple[str, ...]) -> None:
        """`paths` are those of all files. `record_folders` are those of records: `/records/`."""
        self._paths_by_name: dict[str, list[str]] = defaultdict(list)
        for path in paths:
            folded_path = _folded_name(path)
            self._paths_by_name[folded_path.strip("/")].append(path)
            if path.startswith(record_folders):
                file_name = folded_path.rpartition("/")[2]
                record_id = file_name.partition(".")[0]
                self._paths_by_name[record_id].append(path)

    def files_named_in(self, text: str) -> list[str]:
        """Return the paths of the files that a text names, each once, in the order of the text."""
        searched_text = text[:_MAX_SEARCHED_CHARS].translate(_PUNCTUATION_TO_BLANKS)
        paths: dict[str, None] = {}  # keeps the order, and each path once
        for token in searched_text.split():
            name = _folded_name(token.strip(".-_/"))
            for path in self._paths_by_name.get(name, ()):
                paths[path] = None
        return list(paths)


def _folded_name(name: str) -> str:
    """Return a name as it is compared: `Loan_12` -> `loan-12`."""
    return name.casefold().replace("_", "-")


# Finds the words of a request by which files are searched.
#
# `Close loan-12 for the late returns` has the id `loan-12`, and the words `close`, `late` and
# `returns`.

_ID: Final = re2.compile(r"\pL+[-_]\pN+")
"""Matches the start of an id, letters and a number: `loan-12`, `case_083`."""


def ids_in(text: str) -> list[str]:
    """Return the ids in a text: `close loan-12` -> `loan-12`."""
    return [word for word in words_of(text) if _ID.match(word)]


def request_words(text: str) -> list[str]:
    """Return the words of a request that say something about its subject.

    `Close /records/loans/late_returns.json` -> `close`, `loans`, `late`, `returns`

    Words such as `the` are left out, and the first folder of a path, because most files are
    below it: `/records`.
    """
    words: list[str] = []
    for token in text.split():
        path = token.strip("`'\"()[]{}<>,;:!?.")
        if path.startswith("/"):
            words += _words_of_path(path)
        else:
            words.append(token)
    return words_of(" ".join(words))


def _words_of_path(path: str) -> list[str]:
    """Return the words in a path.

    `/records/loans/late_returns.json` -> `loans`, `late`, `returns`
    """
    _first_folder, _, rest = path.strip("/").partition("/")
    rest = rest.partition(".")[0]
    for separator in "/_-":
        rest = rest.replace(separator, " ")
    return [word for word in rest.split() if word.isalpha()]


# What is known about a request before files are chosen for its first message.
#
# For "Close loan-12", the first calls have read the workspace's rules, listed the files, and run
# a tool that prints who asks.


@dataclass(frozen=True, slots=True)
class Asker:
    """The user who asks."""

    user: str = ""
    """The user's id, `u-17`; empty if the tool printed none."""
    roles: frozenset[str] = frozenset()
    """The user's roles in lower case, such as `clerk`."""


def _asker_of(owners: RecordOwners, output: str) -> Asker:
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

    def learn_from(self, sent: SentCall, owners: RecordOwners | None) -> None:
        """Wait for a declared call, and add what its result says.

            read /RULES.md    sets `rules`
            exec /bin/date    adds its output to `outputs`
            exec /bin/whoami  also sets `asker`, if the environment declares this by `owners`

        Results of other calls add nothing.
        """
        declared = sent.declared
        if declared.kind is CallKind.READS_RULES:
            self.rules = str(sent.call.result().get(declared.operation.json_field, ""))
        if declared.kind is not CallKind.RUNS_TOOL:
            return
        output = result_text(declared.operation, sent.call.result())
        self.outputs.append(output)
        if owners is not None and owners.tool in declared.arguments.values():
            self.asker = _asker_of(owners, output)


# Why a file is shown or left out, and how well it fits.
#
# For "Close loan-12", the record `/records/loans/loan-12.json` has the reason `named`. A *notice*
# is a document that changes other documents from a day on.


class Reason(StrEnum):
    """A reason why a file is shown or left out, as the journal states it."""

    NAMED = "named"
    """The request names the file by its path or id."""
    ASKER = "asker"
    """The file is a record of the user who asks."""
    NOTICE = "notice"
    """The file is a notice in force that changes a document which fits the request, or may change any."""
    OTHER_NOTICE = "notice of others"
    """The file is a notice in force that changes documents about other subjects. For a request about
    parking, this may be a notice that changes `/docs/loans.md`. It is shown if one of them is."""
    ROUTED = "routed"
    """The workspace's rules send requests about a subject to this document.

    Example: the rule `Keys and locks: see /docs/keys.md`,
    for a request about a lost key.
    """
    FOLDER = "folder"
    """The text of the document names the folder with the request's records.

    Example: "Each loan has a file in /records/loans", for a request about a loan.
    """
    LINKED = "linked"
    """A record that the request names names the file."""
    WORDS = "words"
    """The file contains words of the request."""
    LISTED = "listed"
    """No document fits the request by its words. So all that the rules describe are candidates,
    or all documents if the rules describe none."""

    WITHHELD = "withheld"
    """The record belongs to another user than the one who asks, so it must not be shown."""
    NOT_IN_FORCE = "not in force"
    """The document is not yet in force, or no longer. It must not be shown."""


_POINTS: Final = {
    Reason.NAMED: 8.0,
    Reason.ASKER: 3.0,
    Reason.LINKED: 1.5,
    # Few points, because the document may only mention the folder, and the rules may name
    # a wrong document.
    Reason.FOLDER: 0.5,
    # Less than the documents that they change: those come first.
    Reason.NOTICE: 0.4,
    Reason.OTHER_NOTICE: 0.2,
    Reason.ROUTED: 0.3,
    Reason.LISTED: 0.1,
    Reason.WORDS: 0.0,  # Only the word score counts.
    # Whoever must not be shown is sorted in all the same.
    Reason.WITHHELD: 0.0,
    Reason.NOT_IN_FORCE: 0.0,
}
"""The score of a file is the sum of the points of its reasons, and of its word score.

The word score is at most 1, so a reason with more points outweighs all words.
"""
_STRONG_REASONS: Final = frozenset(
    {Reason.NAMED, Reason.ASKER, Reason.NOTICE, Reason.LINKED}
)
"""With one of these reasons, a file is wanted even if no words of the request are in it."""


# A file that the first message may show, with its score and the reasons for it.
#
# It is a document (a text for all requests, such as a policy) or a record (about one case). For
# "Close loan-12", the candidates may be these:
#
# | path | reasons and their points | word score | score |
# |---|---|---|---|
# | `/records/loans/loan-12.json` | `NAMED` 8 | 0 | 8 |
# | `/docs/loans.md` | `ROUTED` 0.3 | 1 | 1.3 |
# | `/docs/cards.md` | `WORDS` 0 | 0.2 | 0.2 |


@dataclass(slots=True, kw_only=True)
class Candidate:
    """A file that may be shown: a document, or a record."""

    path: str
    read_operation: Operation | None
    """The operation that reads the file; None if the environment has none."""
    score: float = 0.0
    """The sum of the word score and the points of all reasons. The files with the highest
    scores are shown first."""
    word_score: float = 0.0
    """How well the file's words fit the request, from 0 to 1: the best document has 1, and so
    has the best record."""
    reasons: list[Reason] = field(default_factory=list)
    """Why the file may be shown, or must not be shown."""
    kind: str = ""
    """Of a record, the folder with all of its kind, such as `/records/loans`."""

    # A document is listed first, then searched for the words of a request, and perhaps read.
    is_document: bool = False
    text: str = ""
    """What is known of the document's text by now."""
    description: str = ""
    """The words by which the workspace's rules describe the document: `cars permits`."""
    is_notice: bool = False
    """True for a *notice*: a document that changes others from the day in its name on."""
    validity: str = ""
    """Whether the document is in force now, as far as its name and the known text say:
    `not begun`. Empty if it has no date."""
    rank: int | None = None
    """The document's place among those that fit the request: 0 for the best one. None for one
    that does not fit."""
    changed_paths: list[str] = field(default_factory=list)
    """Of a notice, the documents that it changes."""

    def add(self, reason: Reason) -> None:
        """Add a reason, and its points to the score, unless the file has this reason already."""
        if reason not in self.reasons:
            self.reasons.append(reason)
            self.score += _POINTS[reason]

    @property
    def is_refused(self) -> bool:
        """True if the file must not be shown, whatever its score."""
        return Reason.WITHHELD in self.reasons or Reason.NOT_IN_FORCE in self.reasons

    @property
    def has_strong_reason(self) -> bool:
        """True if the file is wanted even without words of the request."""
        return not _STRONG_REASONS.isdisjoint(self.reasons)

    @property
    def validity_remark(self) -> str:
        """What follows the path of a dated document: ` (not begun)`; empty for other files."""
        return f" ({self.validity})" if self.validity else ""


def scaled_to_best(scores: Mapping[str, float]) -> dict[str, float]:
    """Return scores from 0 to 1 for files, by path. The best one has 1.

    The full-text index gives scores without a unit. Documents are compared with documents, and
    records with records: `{"/a.md": 8, "/b.md": 2}` -> `{"/a.md": 1.0, "/b.md": 0.25}`

    If no score is above 0, all become 1, because no file fits better than another.
    """
    best = max(scores.values(), default=0.0)
    if best <= 0:
        return dict.fromkeys(scores, 1.0)
    return {path: score / best for path, score in scores.items()}
