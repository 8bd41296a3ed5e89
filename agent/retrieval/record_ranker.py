"""Ranks the records of a workspace by how well they fit a request.

A record is a file about one case, such as `/records/loans/l-12.json`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from controlplane.agent.retrieval.file_candidate import (
    ASKER_POINTS,
    LINKED_POINTS,
    NAMED_POINTS,
    Candidate,
    Reason,
)
from controlplane.agent.retrieval.file_names import FileNames
from controlplane.agent.retrieval.file_search import scaled_to_best
from controlplane.agent.retrieval.request_facts import MAX_SEARCH_TERMS, RequestTerms
from controlplane.sandbox.files.word_ranking import (
    TitledText,
    WordRanking,
    beginning_of,
)
from controlplane.sandbox.interface import NamedFiles, Operation

MIN_WORD_SCORE: Final = 0.25
"""The word score that a record needs to become a candidate."""
MAX_KINDS: Final = 2
"""If the request names no record, the best records of up to this many
kinds, such as loans, show which documents it is about."""
MAX_LINKS: Final = 8
"""The files that a record names are read, unless it names more than this: then it is a list."""


@dataclass(frozen=True, slots=True)
class KnownRecords:
    """The records of a workspace, as the environment declares them."""

    declared: NamedFiles
    paths: list[str]
    names: FileNames
    """Finds the files that a text names."""

    @classmethod
    def of(cls, declared: NamedFiles, files: Sequence[str]) -> KnownRecords:
        """Return the records among the listed files."""
        folders = tuple(_with_slash(root) for root in declared.roots)
        paths = [path for path in files if path.startswith(folders)]
        return cls(declared, paths, FileNames(files, folders))

    def kind_of(self, record: str) -> str:
        """Return the folder with all records of the same kind; empty for other files.

        `/data/places/Delft/s-1.json` -> `/data/places`, if `/data` is a folder of
        records `/letters/l-1.txt` -> `/letters`, if `/letters` is one
        """
        for root in self.declared.roots:
            folder = _with_slash(root)
            if record.startswith(folder):
                subfolder, slash, _ = record.removeprefix(folder).partition("/")
                return folder + subfolder if slash else root.rstrip("/")
        return ""

    def kinds(self) -> list[str]:
        """Return the folders of the kinds of records, the fullest first."""
        counts = Counter(self.kind_of(record) for record in self.paths)
        return [folder for folder, _ in counts.most_common(MAX_SEARCH_TERMS)]

    def links_in(self, texts: Iterable[str]) -> list[str]:
        """Return the files whose paths or ids are in the texts of some records.

        A JSON record's links are not followed if the environment has functions that do so
        (`follows_records` is False).
        """
        files: list[str] = []
        for text in texts:
            is_json = text.startswith(("{", "["))
            if is_json and not self.declared.follows_records:
                continue
            links = self.names.files_named_in(text)
            if len(links) <= MAX_LINKS:
                files += links
        return files


class RecordRanker:
    """Ranks the records that have to do with a request.

    They are the records that it names, those of the user who asks, the files to which
    named records link, and records with words of the request.
    """

    def __init__(
        self,
        known: KnownRecords,
        request: RequestTerms,
        ranking: WordRanking,
        read: Operation | None,
    ) -> None:
        self.known = known
        self.request = request
        self.read = read
        """The operation that reads a record."""
        self.links: list[str] = []
        """The files that the named records link to."""
        self.word_scores: dict[str, float] = {}
        """The records with words of the request, the best first."""
        self._ranking = ranking

    def score_words(self, found: Mapping[str, str]) -> None:
        """Score records by the words in their paths and in the lines that a search found.

        `found` has the lines by path. Named records and those of the user who asks are
        left out: they are shown anyway.
        """
        terms = [*self.request.words, *self.request.ids]
        # Rare words count more. A word that all found records have may still be rare among all
        # records. So one empty text for each record is ranked, too.
        scores = self._ranking.scores(
            self._texts(found), terms, further_texts=len(self.known.paths)
        )
        for path in (*self.request.records, *self.request.asker_records):
            scores.pop(path, None)
        for path, score in scaled_to_best(scores).items():
            if score >= MIN_WORD_SCORE:
                self.word_scores[path] = score

    def _texts(self, found: Mapping[str, str]) -> dict[str, TitledText]:
        """Return the records that may have words of the request.

        A word is compared by its beginning, which its other forms share: `retur` for
        `returned`.
        """
        beginnings = [beginning_of(word) for word in self.request.words]
        texts: dict[str, TitledText] = {}
        for path in self.known.paths:
            title = path.casefold()
            has_word = any(beginning in title for beginning in beginnings)
            if has_word or path in found:
                texts[path] = TitledText(path, found.get(path, ""))
        return texts

    @property
    def max_read(self) -> int:
        """The most records that the environment lets the first message read."""
        return self.known.declared.most

    def follow_links(self, texts: Iterable[str]) -> None:
        """Keep the files to which the named records link, from the texts of these records."""
        self.links = self.known.links_in(texts)

    def best_of_kinds(self) -> list[str]:
        """Return the best record of each kind, for at most `MAX_KINDS` kinds, the best first."""
        best: dict[str, str] = {}
        for record in self.word_scores:
            best.setdefault(self.known.kind_of(record), record)
        return list(best.values())[:MAX_KINDS]

    def folders(self) -> set[str]:
        """Return the folders of the kinds of records that the request is about."""
        records = self.request.records or self.best_of_kinds()
        return {self.known.kind_of(record) for record in records}

    def candidates(self) -> dict[str, Candidate]:
        """Return the scored records by path."""
        named, asker = self.request.records, self.request.asker_records
        candidates: dict[str, Candidate] = {}
        for path in (*named, *asker, *self.links, *self.word_scores):
            kind = self.known.kind_of(path)
            candidates[path] = Candidate(
                path, is_document=False, read_operation=self.read, kind=kind
            )

        for path in named:
            candidates[path].add(Reason.NAMED, NAMED_POINTS)
        for path in asker:
            candidates[path].add(Reason.ASKER, ASKER_POINTS)
        for path in self.links:
            candidates[path].add(Reason.LINKED, LINKED_POINTS)
        for path, score in self.word_scores.items():
            candidates[path].word_score = score
            candidates[path].add(Reason.WORDS, score)
        return candidates


def _with_slash(folder: str) -> str:
    return folder.rstrip("/") + "/"
