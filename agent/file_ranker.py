"""Chooses the files that the first message shows, because they fit the request.

Candidates are files that the request names, documents to which the rules lead, notices that have begun, files that
shown files name, and files with words of the request. Each has one score, the reasons for it, and one budget in
characters is spent from the highest score down.
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
from controlplane.agent.listed_files import CUT, ListedFiles
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

NAMED_SCORE: Final = 8.0
"""The request names the file by its path or id."""
ASKER_SCORE: Final = 3.0
"""The file is the record of who asks."""
NOTICE_SCORE: Final = 2.0
"""A notice that has begun is about a document that fits, or about all documents."""
OTHER_NOTICE_SCORE: Final = 1.2
"""A notice that has begun is about documents that do not fit: it comes before what only has words in common."""
LINKED_SCORE: Final = 1.5
"""A named record or a notice that has begun names the file."""
FITTING_SHARE: Final = 0.25
"""A record fits by its words from this share of the best record's score on."""
ROUTED_SCORE: Final = 0.3
"""The rules lead to the document, beside its words: it comes before one with a few more words in common."""
CLOSE_SHARES: Final = (0.0, 0.45, 0.6, 0.8)
"""The best document is shown for its words, the next ones from these shares of its score on."""
FITTING_NOTICE_SHARE: Final = 0.75
"""A notice is about the request if a document that it names fits from this share of the best one's score on."""
MIN_TELLING_SHARE: Final = 0.5
"""A record is shown for its words from this share of the best record's score on."""
TELLING_SHARE: Final = 0.9
"""Records of one kind fit alike from this share of the best one's score on."""
MAX_TELLING_RECORDS: Final = 6
"""If more records of one kind fit alike, their words do not tell them apart, and none is shown."""
LISTED_SCORE: Final = 0.1
"""Nothing is known of the document but that it is there."""
NAMED_SHARE: Final = 0.4
"""The share of the budget that one named file may take, so that the documents about it have room beside it."""
RESERVED_SHARE: Final = 0.2
"""The share of the budget in which nothing is shown for common words alone."""
MIN_CHARS: Final = 250
"""Less of a file says too little to be shown."""
SECTION_CHARS: Final = 160
"""Characters around the text of a file: its title, and the notice of a cut."""
MAX_ROWS: Final = 40
"""Files that the journal tells of, the chosen ones first."""
MAX_LEFT_OUT_ROWS: Final = 12
"""Files at the margin that the journal tells of."""
MAX_NOTICES_READ: Final = 8
MAX_BEST_PAGES_READ: Final = 3
MAX_LINKS: Final = 8
"""A file that names more others does not lead to them."""
MAX_SEARCH_TERMS: Final = 16
"""Words that are looked for in records."""
MAX_FOUND_LINES: Final = 1_000
"""Lines that one search returns."""
RESERVED_CALLS: Final = 4
"""Calls that are kept for the last batch."""
MAX_REQUEST_CHARS: Final = 100_000
"""Names are looked for in so much of a request."""
_ID: Final = re2.compile(r"\pL+[-_]\pN+")
"""An id such as `loan-12` or `cust_083`."""


class Reason(StrEnum):
    """Why a file is shown, or why it is not."""

    NAMED = "named"
    ASKER = "asker"
    NOTICE = "notice"
    ROUTED = "routed"
    LINKED = "linked"
    WORDS = "words"
    LISTED = "listed"
    """No document has words of the request: those that the rules name are shown, or the first ones."""
    WITHHELD = "withheld"
    """It is somebody else's record."""
    NOT_IN_FORCE = "not in force"
    """It is a notice that has not begun, or has ended."""


@dataclass(slots=True)
class Candidate:
    """A file that may be shown."""

    path: str
    is_page: bool
    score: float = 0.0
    word_share: float = 0.0
    """How well its words fit, as a share of the best file of its kind."""
    reasons: list[Reason] = field(default_factory=list)
    shown_chars: int = 0

    def add(self, reason: Reason, score: float) -> None:
        """Raise the score, for a reason that counts once."""
        if reason not in self.reasons:
            self.reasons.append(reason)
            self.score += score

    def row(self) -> RankedFile:
        """Return what the journal tells of the file."""
        return RankedFile(
            path=self.path,
            score=round(self.score, 2),
            reason="+".join(self.reasons),
            chars=self.shown_chars,
        )


@dataclass(frozen=True, slots=True)
class Choice:
    """A file that is shown, up to a number of characters, with the call that read it."""

    candidate: Candidate
    read: Operation
    call: CallUnderWay
    max_chars: int


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
class RankedPages:
    """The documents that a call lists, and the operation that reads one."""

    read: Operation | None
    root: str
    """The folder that holds them."""
    paths: tuple[str, ...]


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
        pages: RankedPages,
        ranking: WordRanking,
    ) -> None:
        self._calls = calls
        self._facts = facts
        self._ranking = ranking
        self._schema = calls.tool_schema
        self.pages = pages.paths
        self._page_read = pages.read
        self._page_root = pages.root
        self._named = self._schema.named_files or NamedFiles((), most=0)
        self._record_read = self._schema.operation(self._named.read)
        # Later lines of a request may be somebody else's note.
        self._first_line = facts.instruction.strip().partition("\n")[0]
        self._records: list[str] = []
        """The files below the roots of records."""
        self._paths_by_name: dict[str, list[str]] = defaultdict(list)
        self._list_files()
        self._requested = self._named_in(facts.instruction)
        self._askers = self._named_in("\n".join(facts.outputs))
        self._requested_pages = [path for path in self.pages if path in paths_in(self._first_line)]
        self._words = request_words(self._first_line)
        self._ids = self._ids_of_request()
        self._subjects = subjects_of(facts.rules)
        self._notices = self._notices_among_pages()
        self._record_words = self._words_for(self._requested)
        """The words that the rules have for the kinds of the records that matter."""
        self._searches: list[CallUnderWay] = []
        self._known_texts: dict[str, str] = {}
        """What is known of the text of each document."""
        self._record_scores: dict[str, float] = {}
        self._linked_records: list[str] = []
        self.candidates: list[Candidate] = []
        """All candidates after `rank`, best first."""
        self._best_pages: list[str] = []
        """The documents that fit best by their words, after `rank`: as many as `CLOSE_SHARES`."""

    # What the request names.

    def _list_files(self) -> None:
        """Note the files that trees list, by their names; records also by their ids."""
        opened = {str(call.call.arguments.get("path")) for call in self._calls.begun}
        hidden = opened | set(self.pages)
        roots = tuple(root.rstrip("/") + "/" for root in self._named.roots)
        for path in self._facts.listed.files:
            if path in hidden or path.endswith(CUT):
                continue
            name = _folded_name(path)
            self._paths_by_name[name.strip("/")].append(path)
            if path.startswith(roots):
                self._records.append(path)
                record_id = name.rpartition("/")[2].partition(".")[0]
                self._paths_by_name[record_id].append(path)

    def _named_in(self, text: str) -> list[str]:
        """Return the files whose path or id is in `text`, in the order of the text."""
        paths: dict[str, None] = {}
        for token in text[:MAX_REQUEST_CHARS].translate(BETWEEN_NAMES).split():
            name = _folded_name(token.strip(".-_/"))
            paths.update(dict.fromkeys(self._paths_by_name.get(name, ())))
        return list(paths)

    def _ids_of_request(self) -> list[str]:
        """Return the ids in a request, and, if it names no file, the id of who asks."""
        text = self._facts.instruction
        if not self._requested:
            text = "\n".join([text, *self._facts.outputs])
        return [word for word in words_of(text) if _ID.match(word)]

    def _notices_among_pages(self) -> list[str]:
        """Return the documents with a day in their names, in folders that the rules name apart from their documents."""
        dates = self._schema.document_dates
        if dates is None or not dates.in_names:
            return []
        routed_folders = {path.rpartition("/")[0] for path in self._subjects}
        folders = set(paths_in(self._facts.rules)) - set(self.pages) - routed_folders
        return [
            path for path in self.pages if path.rpartition("/")[0] in folders and day_in_name(path)
        ]

    def _words_for(self, records: Iterable[str]) -> list[str]:
        """Return the words that the rules have for the folders of some records."""
        words: list[str] = []
        for folder, subject in self._subjects.items():
            if any(record.startswith(f"{folder}/") for record in records):
                words += words_of(subject)
        return words

    # The batches of calls.

    def search(self) -> None:
        """Begin to read the named files, and to search records and documents for words of the request."""
        self._calls.read(self._record_read, [*self._requested, *self._askers], self._named.most)
        if self._schema.operation(self._named.search) is None:
            return
        terms = self._search_terms()
        for root in self._named.roots:
            if terms and self._facts.listed.below(root) != []:
                self._begin_search(root, terms)
        page_words = [*self._words, *self._record_words]
        if self.pages and page_words:
            beginnings = sorted({beginning_of(word) for word in page_words})
            self._begin_search(self._page_root, beginnings)

    def _search_terms(self) -> list[str]:
        """Return the ids of the request, and its words that the rules do not have."""
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
        self._searches.append(self._calls.send(self._named.search, arguments))

    def read(self) -> None:
        """Begin to read what fits so far: documents, notices that have begun, and records with their links."""
        lines = self._found_lines()
        self._record_scores = self._rank_records(lines)
        if not self._requested:
            best_records: dict[str, str] = {}
            for record in self._record_scores:
                best_records.setdefault(self._kind_of(record), record)
            self._record_words = self._words_for(list(best_records.values())[:2])
        for page in self.pages:
            self._known_texts[page] = lines.get(page, "")

        ranked_pages = self._ranked_pages()
        current_notices = [notice for notice in self._notices if self._may_hold(notice)]
        self._calls.read(
            self._page_read,
            [
                *self._requested_pages,
                *ranked_pages[:MAX_BEST_PAGES_READ],
                *current_notices[-MAX_NOTICES_READ:],
            ],
            self._calls.spare,
        )
        texts = self._calls.texts(self._record_read, self._requested)
        for text in texts.values():
            links = self._named_in(text)
            is_record = text.startswith(("{", "["))
            may_lead = self._named.follows_records or not is_record
            if may_lead and len(links) <= MAX_LINKS:
                self._linked_records += links
        self._calls.read(
            self._record_read,
            [*self._linked_records, *self._record_scores],
            min(self._named.most, self._calls.spare - RESERVED_CALLS),
        )

    def read_linked(self) -> None:
        """Begin to read the documents that notices and the best document name, and the next best ones."""
        self._take_page_texts()
        ranked_pages = self._ranked_pages()
        linked: list[str] = []
        for page in [*self._notices, *ranked_pages[:1]]:
            linked += self._pages_named_in(self._known_texts[page])
        self._calls.read(self._page_read, [*linked, *ranked_pages[:5]], self._calls.spare)

    def _found_lines(self) -> dict[str, str]:
        """Return the lines that the searches found, by path."""
        lines: dict[str, str] = defaultdict(str)
        for call in self._searches:
            matches = self._calls.result(call).get("matches")
            if not isinstance(matches, list):
                continue
            for row in matches:
                if isinstance(row, dict):
                    lines[str(row.get("path"))] += f"{row.get('text', '')}\n"
        return dict(lines)

    def _take_page_texts(self) -> None:
        self._known_texts |= self._calls.texts(self._page_read, self.pages)

    # Scores.

    def _rank_records(self, lines: Mapping[str, str]) -> dict[str, float]:
        """Return the records that fit by words of their paths and found lines, best first, as shares of the best."""
        beginnings = [beginning_of(word) for word in self._words]
        texts: dict[str, TitledText] = {}
        for path in self._records:
            name = path.casefold()
            is_named = any(beginning in name for beginning in beginnings)
            if is_named or path in lines:
                texts[path] = TitledText(path, lines.get(path, ""))
        scores = self._ranking.scores(
            texts, [*self._words, *self._ids], further_texts=len(self._records)
        )
        named = {*self._requested, *self._askers}
        shares = shares_of_best({path: scores[path] for path in scores if path not in named})
        return {path: share for path, share in shares.items() if share >= FITTING_SHARE}

    def _page_shares(self) -> dict[str, float]:
        """Return the documents with words of the request, best first, as shares of the best.

        The words that the rules have for the kinds of its records count, too.
        """
        texts: dict[str, TitledText] = {}
        for page in self.pages:
            title = f"{self._subjects.get(page, '')} {page.rpartition('/')[2]}"
            texts[page] = TitledText(title, self._known_texts.get(page, ""))
        scores = self._ranking.scores(texts, [*self._words, *self._record_words])
        return shares_of_best({page: scores[page] for page in scores if page not in self._notices})

    def _routed_pages(self) -> set[str]:
        """Return the documents for which the rules have words of the request."""
        texts: dict[str, TitledText] = {}
        for page in self.pages:
            if page in self._subjects:
                texts[page] = TitledText(self._subjects[page], "")
        return set(self._ranking.scores(texts, [*self._words, *self._record_words]))

    def _ranked_pages(self) -> list[str]:
        """Return the documents beside notices by their scores; if none fits, those that the rules name come first."""
        ranked = list(self._page_shares())
        if ranked:
            return ranked
        routed = [page for page in self._subjects if page in self.pages]
        return routed or list(self.pages)

    def _may_hold(self, page: str) -> bool:
        """Say whether a document may hold by the trial's clock: it has begun, or nothing tells."""
        return self.validity(page) not in (Validity.NOT_BEGUN, Validity.ENDED)

    def validity(self, page: str) -> Validity:
        """Return whether a document holds by the trial's clock; undated if nothing tells."""
        dates = self._schema.document_dates
        if dates is None or self._facts.now is None:
            return Validity.UNDATED
        is_dated_by_name = page in self._notices
        if not is_dated_by_name and not (dates.from_keys or dates.until_keys):
            return Validity.UNDATED
        return period_of(dates, page, self._known_texts.get(page, "")).validity(self._facts.now)

    def _pages_named_in(self, text: str) -> list[str]:
        named = set(paths_in(text))
        return [page for page in self.pages if page in named]

    # The choice.

    def rank(self) -> None:
        """Give every candidate its score, by all texts that were read."""
        self._take_page_texts()
        candidates = {page: Candidate(page, is_page=True) for page in self.pages}
        for path in (*self._requested, *self._askers, *self._linked_records, *self._record_scores):
            candidates.setdefault(path, Candidate(path, is_page=False))
        self._score_pages(candidates)
        self._score_notices(candidates)
        self._score_records(candidates)
        # Candidates of the same score stay in the order of the listings.
        self.candidates = sorted(
            candidates.values(), key=lambda candidate: candidate.score, reverse=True
        )

    def _score_pages(self, candidates: Mapping[str, Candidate]) -> None:
        for page in self._requested_pages:
            candidates[page].add(Reason.NAMED, NAMED_SCORE)
        routed_pages = self._routed_pages()
        shares = self._page_shares()
        self._best_pages = self._ranked_pages()[: len(CLOSE_SHARES)]
        for page, share in shares.items():
            candidates[page].word_share = share
            if page in routed_pages:
                candidates[page].add(Reason.ROUTED, share + ROUTED_SCORE)
            else:
                candidates[page].add(Reason.WORDS, share)
        if not shares:
            for page in self._ranked_pages():
                candidates[page].word_share = 1.0
                candidates[page].add(Reason.LISTED, LISTED_SCORE)
        for page in self.pages:
            if not self._may_hold(page):
                candidates[page].reasons.append(Reason.NOT_IN_FORCE)

    def _score_notices(self, candidates: Mapping[str, Candidate]) -> None:
        """Score the notices that may hold about documents that fit, and the documents that they name."""
        for notice in self._notices:
            if Reason.NOT_IN_FORCE in candidates[notice].reasons:
                continue
            named = self._pages_named_in(self._known_texts[notice])
            is_about_request = not named or any(
                candidates[page].word_share >= FITTING_NOTICE_SHARE for page in named
            )
            if not is_about_request:
                candidates[notice].add(Reason.NOTICE, OTHER_NOTICE_SCORE)
                continue
            candidates[notice].add(Reason.NOTICE, NOTICE_SCORE)
            for page in named:
                candidates[page].add(Reason.LINKED, LINKED_SCORE)

    def _score_records(self, candidates: Mapping[str, Candidate]) -> None:
        for path in self._requested:
            candidates[path].add(Reason.NAMED, NAMED_SCORE)
        for path in self._askers:
            candidates[path].add(Reason.ASKER, ASKER_SCORE)
        for path in self._linked_records:
            candidates[path].add(Reason.LINKED, LINKED_SCORE)
        for path, share in self._record_scores.items():
            candidates[path].word_share = share
            candidates[path].add(Reason.WORDS, share)
        owners = self._schema.record_owners
        if owners is None:
            return
        texts = self._calls.texts(self._record_read, candidates)
        for path, text in texts.items():
            if is_withheld(owners, self._facts.asker, text):
                candidates[path].reasons.append(Reason.WITHHELD)

    def show(self, writer: SectionWriter) -> None:
        """Show the candidates from the highest score down, as far as the budget lasts, and name the others."""
        choices = self._choices(min(self._schema.ranked_chars, writer.left))
        # Documents come first: other trials may share them.
        choices.sort(key=lambda choice: not choice.candidate.is_page)
        for choice in choices:
            state = ""
            if choice.candidate.is_page:
                validity = self.validity(choice.candidate.path)
                state = f" ({validity})" if validity else ""
            choice.candidate.shown_chars = writer.show(
                choice.read, choice.call, choice.max_chars, fits=state
            )
        self._name_others(writer)

    def _choices(self, room: int) -> list[Choice]:
        """Return what is shown in `room` characters, best first."""
        choices: list[Choice] = []
        has_page = False
        reserved = int(RESERVED_SHARE * self._schema.ranked_chars)
        telling_records = self._telling_records()
        for candidate in self.candidates:
            read = self._page_read if candidate.is_page else self._record_read
            call = self._calls.sent(read, candidate.path)
            if read is None or call is None or not self._may_be_shown(candidate, telling_records):
                continue
            text = self._calls.texts(read, [candidate.path]).get(candidate.path, "")
            chars = shown_length(text) + SECTION_CHARS
            is_named = Reason.NAMED in candidate.reasons
            if is_named and not candidate.is_page:
                chars = min(chars, int(NAMED_SHARE * self._schema.ranked_chars))
            elif not candidate.is_page:
                chars = min(chars, self._named.each_chars)
            is_first_page = candidate.is_page and not has_page
            is_strong = is_first_page or not _STRONG_REASONS.isdisjoint(candidate.reasons)
            left = room if is_strong else room - reserved
            may_be_cut = is_named or is_first_page
            if left < MIN_CHARS or (chars > left and not may_be_cut):
                continue
            max_chars = min(chars, left)
            choices.append(Choice(candidate, read, call, max_chars))
            room -= max_chars
            has_page = has_page or candidate.is_page
        return choices

    def _may_be_shown(self, candidate: Candidate, telling_records: Collection[str]) -> bool:
        """Say whether a file is shown if there is room."""
        reasons = set(candidate.reasons)
        if not reasons or reasons & {Reason.WITHHELD, Reason.NOT_IN_FORCE}:
            return False
        if reasons & _STRONG_REASONS:
            return True
        if not candidate.is_page:
            return candidate.path in telling_records
        if candidate.path not in self._best_pages:
            return False
        place = self._best_pages.index(candidate.path)
        return candidate.word_share >= CLOSE_SHARES[place]

    def _telling_records(self) -> set[str]:
        """Return the records that fit best among those of their kind.

        If many fit alike, the words do not tell them apart, and none is returned.
        """
        by_kind: dict[str, list[Candidate]] = defaultdict(list)
        for candidate in self.candidates:
            is_withheld = Reason.WITHHELD in candidate.reasons
            if (
                candidate.word_share >= MIN_TELLING_SHARE
                and not candidate.is_page
                and not is_withheld
            ):
                by_kind[self._kind_of(candidate.path)].append(candidate)
        telling: set[str] = set()
        for candidates in by_kind.values():
            best = max(candidate.word_share for candidate in candidates)
            close = [
                candidate.path
                for candidate in candidates
                if candidate.word_share >= TELLING_SHARE * best
            ]
            if len(close) <= MAX_TELLING_RECORDS:
                telling.update(close)
        return telling

    def _kind_of(self, record: str) -> str:
        """Return the folder below the roots that holds a record: `/data/places` for `/data/places/Delft/s-1.json`."""
        for root in self._named.roots:
            base = root.rstrip("/") + "/"
            if record.startswith(base):
                return base + record.removeprefix(base).partition("/")[0]
        return ""

    def _name_others(self, writer: SectionWriter) -> None:
        """Say which documents and named records are not shown."""
        notes: list[str] = []
        hidden_pages = 0
        for candidate in self.candidates:
            if candidate.shown_chars:
                continue
            is_requested = Reason.NAMED in candidate.reasons
            if candidate.path in self._notices or Reason.NOT_IN_FORCE in candidate.reasons:
                validity = self.validity(candidate.path)
                notes.append(f"{candidate.path} ({validity})" if validity else candidate.path)
            elif candidate.is_page:
                hidden_pages += 1
            elif is_requested and Reason.WITHHELD in candidate.reasons:
                notes.append(f"{candidate.path} (it belongs to somebody else)")
        if hidden_pages:
            notes.insert(0, f"{hidden_pages} documents of {self._page_root}")
        if notes:
            writer.say(f"(Not shown: {'; '.join(notes)}.)\n")

    @property
    def best_page(self) -> str:
        """The text of the document with the highest score; empty if none was read."""
        for candidate in self.candidates:
            if candidate.is_page and self._known_texts.get(candidate.path):
                return self._known_texts[candidate.path]
        return ""

    def rows(self) -> tuple[RankedFile, ...]:
        """Return what the journal tells: the files that are shown, and the best of those that are not."""
        shown = [candidate for candidate in self.candidates if candidate.shown_chars]
        left_out = [
            candidate
            for candidate in self.candidates
            if not candidate.shown_chars and candidate.reasons
        ]
        rows = [*shown[:MAX_ROWS], *left_out[:MAX_LEFT_OUT_ROWS]]
        return tuple(candidate.row() for candidate in rows[:MAX_ROWS])


_STRONG_REASONS: Final = frozenset({Reason.NAMED, Reason.ASKER, Reason.NOTICE, Reason.LINKED})
"""Reasons that do not rest on words alone."""


def request_words(text: str) -> list[str]:
    """Return the words of a request; of a path in it those of its names below the first folder."""
    parts: list[str] = []
    for token in text.split():
        path = token.strip("`'\"()[]{}<>,;:!?.")
        if path.startswith("/"):
            below_root = path.strip("/").partition("/")[2].partition(".")[0]
            names = below_root.replace("/", " ").replace("_", " ").replace("-", " ").split()
            parts += [name for name in names if name.isalpha()]
        else:
            parts.append(token)
    return words_of(" ".join(parts))


def shares_of_best(scores: Mapping[str, float]) -> dict[str, float]:
    """Return scores as shares of the first one, which is the best."""
    best = next(iter(scores.values()), 0.0)
    if best <= 0:
        return dict.fromkeys(scores, 1.0)
    return {name: score / best for name, score in scores.items()}


def lines_pattern(terms: Iterable[str]) -> str:
    """Return the pattern of lines that hold a word which begins like one of the terms, in any case."""
    return f"(?i)(?:^|[^0-9A-Za-z])(?:{'|'.join(map(re2.escape, terms))})"


def _folded_name(name: str) -> str:
    return name.casefold().replace("_", "-")
