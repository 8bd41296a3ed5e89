"""Ranks the documents of a workspace by how well they fit a request.

A document is a text for all trials, such as the policy `/docs/parking.md`. A notice is
a document that changes other documents from the day in its name on.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from controlplane.agent.retrieval.document_dates import Validity, day_in_name, period_of
from controlplane.agent.retrieval.file_candidate import (
    FOLDER_POINTS,
    LINKED_POINTS,
    LISTED_POINTS,
    NAMED_POINTS,
    NOTICE_POINTS,
    OFF_TOPIC_NOTICE_POINTS,
    ROUTED_POINTS,
    Candidate,
    Reason,
)
from controlplane.agent.retrieval.file_search import scaled_to_best
from controlplane.agent.retrieval.request_facts import RequestFacts, RequestTerms
from controlplane.agent.retrieval.rules_routing import paths_in, subjects_of
from controlplane.gates.paths import base_name
from controlplane.sandbox.files.word_ranking import TitledText, WordRanking, words_of
from controlplane.sandbox.interface import DocumentDates, Operation

MIN_TOPIC_WORD_SCORE: Final = 0.75
"""A notice is about the request if it names a document that fits the request this well."""


@dataclass(frozen=True, slots=True)
class ListedDocuments:
    """The documents that one of the environment's declared calls lists."""

    read: Operation | None = None
    """The operation that reads a document; None if there are no documents."""
    root: str = "/"
    """The folder that holds them."""
    paths: tuple[str, ...] = ()

    def named_in(self, text: str) -> list[str]:
        """Return the documents whose paths are in a text, in the order of the listing."""
        named = set(paths_in(text))
        return [path for path in self.paths if path in named]


class DocumentRanker:
    """Ranks documents by their texts, their dates, and what the rules say about them.

    The texts become known in steps: first the lines that a search found, then the texts
    that were read.
    """

    def __init__(
        self,
        listed: ListedDocuments,
        request: RequestTerms,
        facts: RequestFacts,
        dates: DocumentDates | None,
        ranking: WordRanking,
    ) -> None:
        self.listed = listed
        self.texts = dict.fromkeys(listed.paths, "")
        """The text of each document, or a part of it."""
        self.words = list(request.words)
        """The words by which documents are ranked."""
        self._request = request
        self._subjects = subjects_of(facts.rules)
        """The words with which the rules describe a path: `{"/docs/parking.md":
        "cars, permits"}`. The path may also be a folder of records."""
        self._ranking = ranking
        self._dates = dates
        self._now = facts.now
        self.notices: list[str] = []
        """The paths of the documents that change other documents."""
        if dates is not None and dates.in_names:
            self.notices = _notices(listed.paths, facts.rules, self._subjects)
        self.add_words_for(request.records)

    def take_found_lines(self, found_lines: Mapping[str, str]) -> None:
        """Take the lines that a search found in each document as the text known so far."""
        for path in self.texts:
            self.texts[path] = found_lines.get(path, "")

    def add_words_for(self, records: Collection[str]) -> None:
        """Rank also by the words with which the rules describe the folders of these records.

        For `/records/loans/l-12.json`, the rule "/records/loans: lent books" adds `lent`
        and `books`.
        """
        for folder, subject in self._subjects.items():
            if any(record.startswith(f"{folder}/") for record in records):
                self.words += words_of(subject)

    # The documents that fit

    def best(self, folders: set[str]) -> list[Candidate]:
        """Return the documents that fit the request, the best first.

        `folders` hold the records that the request is about. If no document fits,
        return those for which the rules give a subject.
        """
        scores = self._word_scores()
        # Documents that the rules describe with words of the request.
        routed = self._routed()
        about_folders = self._about(folders)
        documents: list[Candidate] = []
        for path in dict.fromkeys([*scores, *about_folders]):
            document = self._candidate(path, scores.get(path, 0.0))
            if path in routed:
                document.add(Reason.ROUTED, document.word_score + ROUTED_POINTS)
            elif path in scores:
                document.add(Reason.WORDS, document.word_score)
            if path in about_folders:
                document.add(Reason.FOLDER, FOLDER_POINTS)
            documents.append(document)
        if not documents:
            documents = self._with_subject()

        documents.sort(key=lambda document: document.score, reverse=True)
        for rank, document in enumerate(documents):
            document.rank = rank
        return documents

    def _candidate(self, path: str, word_score: float = 0.0) -> Candidate:
        return Candidate(
            path,
            is_document=True,
            read_operation=self.listed.read,
            is_notice=path in self.notices,
            validity=self._validity(path),
            word_score=word_score,
        )

    def _word_scores(self) -> dict[str, float]:
        """Return the word scores of the documents that fit, the best first.

        Notices are left out: all that are in force are shown anyway.
        """
        texts: dict[str, TitledText] = {}
        for path, text in self.texts.items():
            title = f"{self._subjects.get(path, '')} {base_name(path)}"
            texts[path] = TitledText(title, text)
        scores = self._ranking.scores(texts, self.words)
        for notice in self.notices:
            scores.pop(notice, None)
        return scaled_to_best(scores)

    def _routed(self) -> set[str]:
        """Return the documents that the rules describe with words of the request.

        For a request about parking, the rule "parking: /docs/parking.md" gives
        `/docs/parking.md`.
        """
        subjects: dict[str, TitledText] = {}
        for path in self.listed.paths:
            if path in self._subjects:
                subjects[path] = TitledText(self._subjects[path], "")
        return set(self._ranking.scores(subjects, self.words))

    def _about(self, folders: set[str]) -> list[str]:
        """Return the documents whose texts name one of the folders: `/records/loans`."""
        documents: list[str] = []
        for path, text in self.texts.items():
            names_folder = not folders.isdisjoint(paths_in(text))
            if path not in self.notices and names_folder:
                documents.append(path)
        return documents

    def _with_subject(self) -> list[Candidate]:
        """Return the documents for which the rules give a subject; all if the rules give none."""
        paths = [path for path in self._subjects if path in self.listed.paths]
        documents: list[Candidate] = []
        for path in paths or self.listed.paths:
            document = self._candidate(path, word_score=1.0)  # All fit equally well.
            document.add(Reason.LISTED, LISTED_POINTS)
            documents.append(document)
        return documents

    # All documents

    def candidates(self, folders: set[str]) -> dict[str, Candidate]:
        """Return the scored documents by path, in the order of the listing."""
        best = {document.path: document for document in self.best(folders)}
        candidates: dict[str, Candidate] = {}
        for path in self.listed.paths:
            # A document that does not fit gets no points.
            candidates[path] = best.get(path) or self._candidate(path)

        for path in self._request.documents:
            candidates[path].add(Reason.NAMED, NAMED_POINTS)
        for document in candidates.values():
            if document.validity.is_out_of_force:
                document.refuse(Reason.NOT_IN_FORCE)
        for path in self.notices:
            if not candidates[path].is_refused:
                changed_paths = self.listed.named_in(self.texts[path])
                changed = [candidates[changed_path] for changed_path in changed_paths]
                _score_notice(candidates[path], changed)
        return candidates

    # Dates

    def notices_in_force(self) -> list[str]:
        """Return the notices except those that are certainly not in force."""
        return [
            path for path in self.notices if not self._validity(path).is_out_of_force
        ]

    def _validity(self, path: str) -> Validity:
        """Return whether a document is in force; `UNDATED` if the trial has no clock."""
        dates = self._dates
        if dates is None or self._now is None:
            return Validity.UNDATED
        has_dates_in_text = bool(dates.from_keys or dates.until_keys)
        if path not in self.notices and not has_dates_in_text:
            return Validity.UNDATED
        return period_of(dates, path, self.texts[path]).validity(self._now)


def _notices(
    paths: Iterable[str], rules: str, subjects: Mapping[str, str]
) -> list[str]:
    """Return the documents that are notices: `/docs/updates/2031-05-02-keys.md`.

    A notice has a day in its name. The rules name its folder, but give no subject for the
    folder or its files, because notices may be about any subject.
    """
    paths = list(paths)
    folders = set(paths_in(rules))
    folders.difference_update(paths)
    folders.difference_update(_folder_of(path) for path in subjects)
    return [path for path in paths if _folder_of(path) in folders and day_in_name(path)]


def _score_notice(notice: Candidate, changed: Collection[Candidate]) -> None:
    """Score a notice in force, and the documents that it changes.

    A notice that names no document may change any of them, so it counts as on topic.
    """
    best = max((document.word_score for document in changed), default=1.0)
    if best < MIN_TOPIC_WORD_SCORE:
        notice.add(Reason.NOTICE, OFF_TOPIC_NOTICE_POINTS)
        return
    notice.add(Reason.NOTICE, NOTICE_POINTS)
    for document in changed:
        document.add(Reason.LINKED, LINKED_POINTS)


def _folder_of(path: str) -> str:
    return path.rpartition("/")[0]
